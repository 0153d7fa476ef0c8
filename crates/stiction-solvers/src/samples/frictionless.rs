//! Large frictionless problems in factored form: a column of bodies, whose answer is known, and the normal rows of any
//! contact problem.
//!
//! The matrix of a column of `n` equal bodies is that of the vibrating string: its condition is `4 (n / pi)^2`, and more
//! with unequal masses.

use crate::problem::{Cone, FactoredLcp, SolverError};
use crate::samples::rng::Rng;
use crate::samples::system::System;

/// Velocity that bodies fall with (m/s).
const FALL: f64 = 0.05;

/// Bodies one above the other, each with one velocity, upwards; contact `k` is below body `k`, the first with the ground.
#[derive(Clone, Debug)]
pub struct Column {
    /// Masses (kg), from the ground up.
    pub masses: Vec<f64>,
    /// Velocities before the impact (m/s).
    pub velocities: Vec<f64>,
}

impl Column {
    /// A column whose lower part falls and whose upper part flies apart, with masses within `ratio`.
    pub fn new(rng: &mut Rng, bodies: usize, ratio: f64) -> Column {
        let masses = (0..bodies).map(|_| rng.log_uniform(1.0, ratio)).collect();
        let fall = |k: usize| FALL * (1.5 * k as f64 / bodies as f64 - 1.0);
        let velocities = (0..bodies).map(|k| fall(k) + rng.uniform(-0.5, 0.5) * FALL).collect();
        Column { masses, velocities }
    }

    /// The complementarity problem; `w` are the separation velocities after the impact.
    ///
    /// # Errors
    /// Numbers that are not finite, or masses of zero.
    pub fn problem(&self) -> Result<FactoredLcp, SolverError> {
        let n = self.masses.len();
        let mut half = vec![0.0; n * n];
        for k in 0..n {
            half[k * n + k] = 1.0 / self.masses[k].sqrt();
            if let Some(below) = k.checked_sub(1) {
                half[k * n + below] = -1.0 / self.masses[below].sqrt();
            }
        }
        FactoredLcp::from_half(n, half, separations(&self.velocities))
    }

    /// The separation velocities after the impact.
    ///
    /// The velocities after it are the closest ones, weighted by the masses, that do not decrease upwards and are not
    /// negative: pool neighbours that run into each other to their mean, as often as there are any, and stop at the ground.
    pub fn answer(&self) -> Vec<f64> {
        // Momentum, mass and number of bodies of each pool.
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (v, m) in self.velocities.iter().zip(&self.masses) {
            let mut last = (m * v, *m, 1);
            while let Some(below) = pools.pop_if(|below| below.0 * last.1 >= last.0 * below.1) {
                last = (last.0 + below.0, last.1 + below.1, last.2 + below.2);
            }
            pools.push(last);
        }
        let after = pools.iter().flat_map(|(p, m, count)| std::iter::repeat_n((p / m).max(0.0), *count));
        separations(&after.collect::<Vec<f64>>())
    }
}

fn separations(velocities: &[f64]) -> Vec<f64> {
    let below = std::iter::once(&0.0).chain(velocities);
    velocities.iter().zip(below).map(|(v, below)| v - below).collect()
}

/// The normal rows of the Coulomb contacts of a system, over the velocities that they move.
///
/// # Errors
/// Numbers that are not finite.
pub fn normals(system: &System) -> Result<FactoredLcp, SolverError> {
    let rows = &system.rows;
    let contacts: Vec<usize> =
        (0..system.cones.len()).filter(|&i| matches!(system.cones[i], Cone::Coulomb { .. })).collect();
    let entries = |i: usize| {
        let first = |(piece, values): (crate::problem::Piece, &[f64])| {
            (0..piece.width).map(|k| (piece.column + k, values[k])).collect::<Vec<_>>()
        };
        rows.pieces(i).flat_map(first).filter(|(_, v)| *v != 0.0).collect::<Vec<_>>()
    };
    let mut place = vec![None; rows.columns];
    contacts.iter().flat_map(|&i| entries(i)).for_each(|(column, _)| place[column] = Some(0));
    let mut m = 0;
    for at in place.iter_mut().flatten() {
        *at = m;
        m += 1;
    }
    let mut half = vec![0.0; contacts.len() * m];
    for (row, &i) in half.chunks_exact_mut(m.max(1)).zip(&contacts) {
        for (column, value) in entries(i) {
            if let Some(at) = place[column] {
                row[at] = value;
            }
        }
    }
    let q = contacts.iter().map(|&i| system.q[rows.starts[i]]).collect();
    FactoredLcp::from_half(m, half, q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Problem, Solution};

    #[test]
    fn the_closest_ordered_velocities_solve_the_column() {
        let mut rng = Rng::new(3);
        let column = Column::new(&mut rng, 40, 10.0);
        let w = column.answer();
        // Impulses upwards: what a body gains it has from below, less what it gives above.
        let mut after = 0.0;
        let momentum: Vec<f64> = (0..40)
            .map(|k| {
                after += w[k];
                column.masses[k] * (after - column.velocities[k])
            })
            .collect();
        let mut z = vec![0.0; 40];
        let mut above = 0.0;
        for k in (0..40).rev() {
            above += momentum[k];
            z[k] = above;
        }
        let residual = column.problem().unwrap().residual(&Solution { z, w: vec![] });
        assert!(residual.natural_map < 1e-13, "{residual:?}");
        assert!(w.contains(&0.0) && w.iter().any(|w| *w > 0.0));
    }
}
