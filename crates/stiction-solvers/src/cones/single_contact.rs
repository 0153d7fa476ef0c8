//! The problem of one cell alone, solved exactly.
//!
//! # Problem
//! `y = W x + b` for the one to three rows of a cell, under its law.
//!
//! # Method
//! A single row has a formula. A contact is open if `x = 0` meets the law, and sticks if `x = -W^-1 b` lies in the cone.
//! Otherwise it slides: `y_t = -alpha x_t` with some `alpha > 0`, so that
//!
//! `(W + alpha diag(0, 1, 1)) x = -b`,  `g(alpha) = |x_t| - mu x_n = 0`.
//!
//! `g(0) > 0` and `g < 0` for large `alpha`; the root is found in `s = alpha / (alpha + tr W)`, between 0 and 1, by false position
//! with the Illinois rule. Under the associated law, a convex problem, projected steps come near the solution and Newton's
//! method finishes.
//!
//! # Convergence and failure
//! To rounding, in 5 to 15 evaluations. Where `W` is singular in the direction that counts, the answer is the best that was
//! seen, projected on the cone.
//!
//! # References
//! F. Jourdan, P. Alart, M. Jean, *A Gauss-Seidel like algorithm to solve frictional contact problems*, Computer Methods in
//! Applied Mechanics and Engineering 155 (1998) 31-47; O. Bonnefon, G. Daviet, *Quartic formulation of Coulomb 3D frictional
//! contact*, INRIA technical report 400 (2011).

use crate::cones::newton::alart_curnier::{Block, equations, impulse, slope};
use crate::cones::normalized::{Cell, Law};
use crate::problem::cones::cone::tangent_norm;

/// Evaluations of the search for the sliding root.
const EVALUATIONS: usize = 60;

/// Steps of the associated law.
const ROUNDS: usize = 500;

/// Solves the cell's problem; `w` is its block, `b` what its velocity would be without its impulse, `x` the last impulse and
/// the answer. Rows that nothing moves keep their impulse.
pub(crate) fn solve(cell: &Cell, associated: bool, w: &Block, b: &[f64; 3], x: &mut [f64]) {
    let d = cell.dim;
    if w[0].is_nan() || w[0] <= 0.0 {
        return;
    }
    match cell.law {
        Law::Free => x[0] = -b[0] / w[0],
        Law::Nonnegative => x[0] = (-b[0] / w[0]).max(0.0),
        Law::Interval { lower, upper } => x[0] = (-b[0] / w[0]).max(lower).min(upper),
        Law::NoSlip | Law::Coulomb { .. } if b[0] >= 0.0 && !associated => x.fill(0.0),
        Law::NoSlip => match sticking(w, b, 0.0, d) {
            Some(stuck) if stuck[0] > 0.0 => x.copy_from_slice(&stuck[..d]),
            _ => {
                x.fill(0.0);
                x[0] = (-b[0] / w[0]).max(0.0);
            }
        },
        Law::Coulomb { mu } if associated => project(cell, mu, w, b, x),
        Law::Coulomb { mu } => {
            if let Some(found) = friction(mu, w, b, d) {
                x.copy_from_slice(&found[..d]);
            }
        }
    }
}

/// Coulomb's law for a contact that is not open.
fn friction(mu: f64, w: &Block, b: &[f64; 3], d: usize) -> Option<[f64; 3]> {
    let frictionless = [-b[0] / w[0], 0.0, 0.0];
    if mu == 0.0 {
        return Some(frictionless);
    }
    let excess = |x: &[f64; 3]| tangent_norm(&x[..d]) - mu * x[0];
    let trace = (0..d).map(|k| w[k * (d + 1)]).sum::<f64>();
    let at = |s: f64| sticking(w, b, trace * s / (1.0 - s), d);
    let (mut low, mut high) = (0.0, 1.0);
    let (mut g_low, mut g_high) = match at(0.0) {
        Some(x) if excess(&x) <= 0.0 => return Some(x),
        Some(x) => (excess(&x), -mu * frictionless[0]),
        None => (f64::INFINITY, -mu * frictionless[0]),
    };
    let mut best = frictionless;
    for _ in 0..EVALUATIONS {
        let chord = low + (high - low) * g_low / (g_low - g_high);
        let s = if chord.is_finite() && chord > low && chord < high { chord } else { 0.5 * (low + high) };
        let Some(x) = at(s) else { break };
        best = x;
        let g = excess(&x);
        if g.abs() <= f64::EPSILON * (mu * x[0]).abs() || high - low <= f64::EPSILON * s {
            break;
        }
        if g > 0.0 {
            (low, g_low) = (s, g);
            g_high *= 0.5;
        } else {
            (high, g_high) = (s, g);
            g_low *= 0.5;
        }
    }
    // The Illinois rule halves the value at the end that stays; that it stays the better one does not matter.
    (best[0] >= 0.0 && best.iter().all(|x| x.is_finite())).then_some(best)
}

/// `-(W + alpha diag(0, 1, 1))^-1 b`, by Cramer's rule.
fn sticking(w: &Block, b: &[f64; 3], alpha: f64, d: usize) -> Option<[f64; 3]> {
    if d == 2 {
        let [a11, a12, a21, a22] = [w[0], w[1], w[2], w[3] + alpha];
        let determinant = a11 * a22 - a12 * a21;
        let x = [(a12 * b[1] - a22 * b[0]) / determinant, (a21 * b[0] - a11 * b[1]) / determinant, 0.0];
        return (determinant > 0.0 && x.iter().all(|x| x.is_finite())).then_some(x);
    }
    let a = [[w[0], w[1], w[2]], [w[3], w[4] + alpha, w[5]], [w[6], w[7], w[8] + alpha]];
    let minor = |i: usize, j: usize| {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        let (p, q) = ((j + 1) % 3, (j + 2) % 3);
        a[r][p] * a[s][q] - a[r][q] * a[s][p]
    };
    let determinant = (0..3).map(|j| a[0][j] * minor(0, j)).sum::<f64>();
    let x: [f64; 3] = std::array::from_fn(|j| -(0..3).map(|i| minor(i, j) * b[i]).sum::<f64>() / determinant);
    (determinant > 0.0 && x.iter().all(|x| x.is_finite())).then_some(x)
}

/// The associated law: projected steps, and a Newton step wherever it does better.
fn project(cell: &Cell, mu: f64, w: &Block, b: &[f64; 3], x: &mut [f64]) {
    let d = cell.dim;
    let local = [Cell { row: 0, dim: d, law: Law::Coulomb { mu } }];
    let trace = (0..d).map(|k| w[k * (d + 1)]).sum::<f64>();
    let velocity = |x: &[f64]| -> [f64; 3] {
        let mut y = *b;
        (0..d).for_each(|i| y[i] += (0..d).map(|j| w[i * d + j] * x[j]).sum::<f64>());
        y
    };
    let rho = 1.0 / trace;
    for _ in 0..ROUNDS {
        let y = velocity(x);
        let mut f = [0.0; 3];
        let norm = equations(&local, true, x, &y, rho, &mut f);
        if norm <= 1e-30 * x.iter().map(|x| x * x).sum::<f64>() {
            return;
        }
        let mut z = [0.0; 3];
        (0..d).for_each(|k| z[k] = x[k] - rho * y[k]);
        let mut derivative = [0.0; 9];
        slope(&local[0], true, &z[..d], &mut derivative);
        let newton = newton_step(&derivative, w, rho, &f, d).map(|step| {
            let mut trial = [0.0; 3];
            (0..d).for_each(|k| trial[k] = x[k] + step[k]);
            trial
        });
        let mut ignored = [0.0; 3];
        match newton {
            Some(trial)
                if equations(&local, true, &trial, &velocity(&trial[..d]), rho, &mut ignored)
                    < 0.9 * norm =>
            {
                x.copy_from_slice(&trial[..d]);
            }
            _ => {
                impulse(&local[0], true, &mut z[..d]);
                x.copy_from_slice(&z[..d]);
            }
        }
    }
}

/// The step of `(I - D + rho D W) dx = -f`.
fn newton_step(derivative: &Block, w: &Block, rho: f64, f: &[f64; 3], d: usize) -> Option<[f64; 3]> {
    let mut a = [0.0; 9];
    for i in 0..d {
        for j in 0..d {
            let through = (0..d).map(|k| derivative[i * d + k] * w[k * d + j]).sum::<f64>();
            let unit = if i == j { 1.0 } else { 0.0 };
            a[i * d + j] = unit - derivative[i * d + j] + rho * through;
        }
    }
    sticking(&a, f, 0.0, d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn random_contacts_are_solved_to_rounding_under_every_law() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(5);
        let mut worst: f64 = 0.0;
        for trial in 0..4000 {
            let d = 2 + trial % 2;
            let a: [f64; 9] = std::array::from_fn(|_| random.random_range(-1.0..1.0));
            let mut w = [0.0; 9];
            for i in 0..d {
                for j in 0..d {
                    w[i * d + j] = (0..d).map(|k| a[i * d + k] * a[j * d + k]).sum::<f64>();
                }
                w[i * (d + 1)] += 1e-2;
            }
            let b: [f64; 3] =
                std::array::from_fn(|k| if k < d { random.random_range(-1.0..1.0) } else { 0.0 });
            let mu = [0.0, 0.1, 0.7, 3.0, 1000.0][trial % 5];
            let associated = trial % 7 == 0 && mu > 0.0 && mu < 10.0;
            let cell = Cell { row: 0, dim: d, law: Law::Coulomb { mu } };
            let mut x = [0.0; 3];
            solve(&cell, associated, &w, &b, &mut x[..d]);
            let mut y = b;
            (0..d).for_each(|i| y[i] += (0..d).map(|j| w[i * d + j] * x[j]).sum::<f64>());
            let mut f = [0.0; 3];
            let residual = equations(&[cell], associated, &x, &y, 1.0, &mut f).sqrt();
            let size = 1.0 + x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            worst = worst.max(residual / size);
            assert!(residual <= 1e-9 * size, "trial {trial}, mu {mu}, {associated}: {residual:e} {x:?}");
        }
        assert!(worst > 0.0);
    }
}
