//! The nonsmooth equations of Todorov and of Mylapilli and Jain for a cone problem, one unconstrained vector a contact.
//!
//! # Problem
//! [`ConeNcp`] in units of its own ([`crate::cones::normalized`]). A contact's `z` encodes impulse and velocity,
//!
//! `x_n = max(0, -z_n)`, `v_n = max(0, z_n)`, `x_t = -s z_t`, `v_t = (1 - s) z_t`, `s = min(1, mu x_n / |z_t|)`,
//!
//! which comply with Coulomb's law whatever `z` is, and `v = x + z`. With the projections `Pi` of [`crate::cones::newton::alart_curnier`] this is
//! `x = Pi(-z)`, which is meant for cells of the other kinds: `x = max(0, -z)`, `x = mid(lower, -z, upper)`, `x = -z` (free rows,
//! MJ14's `p_b`, with `v = 0`), the projection on the friction cone under the associated law, and without slip `x = -z` where
//! `z_n < 0`, else 0. What is left to solve is
//!
//! `phi(z) = W' x(z) + q' - x(z) - z = 0`.
//!
//! MJ14 add velocities to impulses as they are. Here each contact's impulse is multiplied by its own `rho`, the mean
//! diagonal of its block of `W`, and its row by `rho^(-1/2)`: that is what the units do. One `rho` for all
//! is poor where masses differ by decades.
//!
//! # Derivative
//! `-(W' - I) D(-z) - I` with the derivative `D` of `Pi`.
//!
//! # References
//! E. Todorov, *Implicit nonlinear complementarity: a new approach to contact dynamics*, IEEE International Conference on
//! Robotics and Automation 2010, 2322-2329. H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal
//! coordinate contact dynamics*, ASME DETC2014-34322, eq. 26-36 (MJ14).

use crate::cones::newton::alart_curnier::{impulse, slope};
use crate::cones::normalized::Law;
use crate::cones::state::State;
use crate::linalg::budget::Budget;
use crate::newton::levenberg_marquardt::{Equations, Point};
use crate::newton::restarts::scatter;
use crate::problem::ConeNcp;

/// The system of a problem whose solve has been opened with the dense operator.
#[derive(Debug)]
pub(crate) struct MncpEquations<'a> {
    problem: &'a ConeNcp,
    state: &'a mut State,
}

impl<'a> MncpEquations<'a> {
    /// The equations of `problem`; the state keeps the best point evaluated.
    pub(crate) fn new(problem: &'a ConeNcp, state: &'a mut State) -> MncpEquations<'a> {
        MncpEquations { problem, state }
    }
}

/// Writes the `z = v - x` of the state's start, which need not comply with any law, and looks at the impulse that it encodes.
/// Whether that passes.
pub(crate) fn start(problem: &ConeNcp, state: &mut State, z: &mut Vec<f64>) -> bool {
    z.clone_from(&state.start);
    state.move_to(problem, z);
    for cell in &state.problem.cells {
        for i in cell.rows() {
            let v = if cell.law == Law::Free { 0.0 } else { state.y[i] };
            z[i] = v - state.x[i];
            state.x[i] = -z[i];
        }
        impulse(cell, state.problem.associated, &mut state.x[cell.rows()]);
    }
    state.look(problem)
}

/// Writes where a descent restarts after attempt number `attempt`, from 0.
pub(crate) fn restart(state: &State, attempt: usize, z: &mut [f64]) {
    if attempt == 0 && state.is_warm() {
        z.copy_from_slice(&state.problem.q); // no impulses
    } else {
        scatter(attempt, std::iter::repeat([f64::NEG_INFINITY, f64::INFINITY]), z);
    }
}

/// `inner` is the impulse `x(z)`.
impl Equations for MncpEquations<'_> {
    fn evaluate(&mut self, z: &[f64], x: &mut [f64], phi: &mut [f64]) {
        x.iter_mut().zip(z).for_each(|(x, z)| *x = -z);
        let associated = self.state.problem.associated;
        self.state.problem.cells.iter().for_each(|cell| impulse(cell, associated, &mut x[cell.rows()]));
        self.state.move_to(self.problem, x);
        for (i, phi) in phi.iter_mut().enumerate() {
            *phi = self.state.y[i] - (x[i] + z[i]);
        }
    }

    fn jacobian(&mut self, point: &Point, jacobian: &mut [f64]) -> bool {
        let State { problem, derivative, .. } = &mut *self.state;
        let (n, Some(w)) = (problem.len(), problem.dense()) else { return false };
        for (cell, d) in problem.cells.iter().zip(&mut *derivative) {
            let mut target = [0.0; 3];
            cell.rows().enumerate().for_each(|(k, i)| target[k] = -point.z[i]);
            slope(cell, problem.associated, &target[..cell.dim], d);
        }
        for (i, (row, w)) in jacobian.chunks_exact_mut(n).zip(w.chunks_exact(n)).enumerate() {
            for (cell, d) in problem.cells.iter().zip(&*derivative) {
                for b in 0..cell.dim {
                    let through = |a: usize| w[cell.row + a] * d[a * cell.dim + b];
                    row[cell.row + b] = -(0..cell.dim).map(through).sum::<f64>();
                }
                if cell.rows().contains(&i) {
                    let a = i - cell.row;
                    (0..cell.dim).for_each(|b| row[cell.row + b] += d[a * cell.dim + b]);
                    row[i] -= 1.0;
                }
            }
        }
        jacobian.iter().all(|entry| entry.is_finite())
    }

    fn budget(&self) -> Budget {
        self.state.incumbent.budget()
    }

    fn count(&mut self) {
        self.state.incumbent.iterations += 1;
    }

    fn offer(&mut self, point: &Point) -> bool {
        self.state.x.copy_from_slice(&point.inner);
        self.state.look(self.problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cones::state::Limits;
    use crate::problem::{Cone, Delassus, FrictionLaw, Solution, Start};
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_jacobian_is_the_difference_quotient_and_impulses_comply_with_their_laws_with_the_encoded_velocities()
     {
        let cones = vec![
            Cone::Free { dim: 2 },
            Cone::Nonnegative { dim: 1 },
            Cone::Interval { lower: -0.4, upper: 0.3 },
            Cone::Coulomb { dim: 2, mu: 0.6 },
            Cone::Coulomb { dim: 3, mu: 0.8 },
            Cone::Coulomb { dim: 3, mu: 0.0 },
            Cone::NoSlip { dim: 3 },
        ];
        let n = 15;
        let mut random = rand_pcg::Pcg64::seed_from_u64(41);
        let mut kinks = 0;
        for trial in 0..400 {
            let mut draw =
                |count: usize| -> Vec<f64> { (0..count).map(|_| random.random_range(-1.0..1.0)).collect() };
            let (w, q, z, d) = (draw(n * n), draw(n), draw(n), draw(n));
            let law = [FrictionLaw::Coulomb, FrictionLaw::Associated][trial % 2];
            let diagonal = |e: usize| if e / n == e % n { 2.0 } else { 0.0 };
            let w = (0..n * n).map(|e| w[e] + diagonal(e)).collect();
            let problem = ConeNcp::new(cones.clone(), Delassus::Dense(w), q).unwrap().with_law(law);
            let (mut state, mut x) = (State::default(), Solution::default());
            state.open_dense(&problem, Limits::of_descent(1e-10, None, false), Start::Cold, &mut x).unwrap();
            let mut system = MncpEquations::new(&problem, &mut state);
            let (mut here, mut ahead) = (Point::default(), Point::default());
            here.move_to(&mut system, &z);
            let h = 1e-7;
            let moved: Vec<f64> = z.iter().zip(&d).map(|(z, d)| z + h * d).collect();
            ahead.move_to(&mut system, &moved);
            let mut jacobian = vec![0.0; n * n];
            assert!(system.jacobian(&here, &mut jacobian));
            let off = (0..n).map(|i| {
                let along = crate::linalg::dense::dot(&jacobian[i * n..(i + 1) * n], &d);
                ((ahead.phi[i] - here.phi[i]) / h - along).abs()
            });
            kinks += usize::from(off.fold(0.0, f64::max) > 1e-4);
            // The natural map of (x, v) vanishes: they are a pair of the law.
            let v: Vec<f64> = (0..n).map(|i| here.inner[i] + z[i]).collect();
            let v: Vec<f64> = v.iter().enumerate().map(|(i, v)| if i < 2 { 0.0 } else { *v }).collect();
            let (natural, _) = state.problem.natural_map(&here.inner, &v, &[0.0; 15]);
            assert!(natural < 1e-14, "{natural:e}");
        }
        // A kink lies within h of a point in a few draws of a million.
        assert!(kinks <= 1, "{kinks}");
    }
}
