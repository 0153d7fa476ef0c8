//! A proof that a linear complementarity problem has no solution because it has no feasible point.
//!
//! # Problem
//! No `z >= 0` has `M z + q >= 0` exactly if there is a `y >= 0` with `M^T y <= 0` and `q . y < 0` (Farkas): with
//! both, `0 <= y . (M z + q) = z . M^T y + q . y < 0`.
//!
//! # Method
//! 1. Equilibrate `M` (powers of two, so nothing is rounded).
//! 2. Look for the feasible point with the least sum of squared violations: `min 1/2 |M z + q - s|^2`, `z, s >= 0`.
//!    Its optimality conditions are the linear complementarity problem of
//!    `[M^T M, -M^T; -M, I]`, `(M^T q, -q)`, positive semidefinite and always solvable; Lemke's method solves it.
//! 3. The violation left, `y = s - (M z + q)`, is the proof if it is not zero: then `q . y = -|y|^2`.
//! 4. Check the three signs on the original data, rounding included.
//!
//! # Convergence and failure
//! In double precision `M^T y` is negative up to rounding only. Then `z . M^T y + q . y` may still vanish for a huge `z`;
//! the proof is accepted if no `z` below [`FAR`] times the unit of the data can do that. Problems with a feasible point
//! but no solution (for matrices that are not `Q_0`) are out of its reach.
//!
//! # Cost
//! `2 n^3` for the products and Lemke's method at `2 n`: run only after solvers have failed.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992 (SIAM 2009), section 2.7.

use crate::linalg::dense::{dot_and_magnitude, largest_abs};
use crate::linalg::scaling::power_of_two;
use crate::linalg::watch;
use crate::pivoting::lemke::{Lemke, LemkeSettings};
use crate::problem::{Lcp, Solution, Solver, Start};

/// Solutions farther than this many units of the data (`max |q|`, equilibrated) are not ruled out.
pub const FAR: f64 = 1e8;

/// Beyond this size the proof is not looked for: it would take seconds.
const LARGEST: usize = 300;

/// Whether the problem is infeasible, with a proof found and checked as described in the [module](self).
///
/// False means that there is no such proof, or that none was found.
///
/// ```
/// use stiction_solvers::Lcp;
/// use stiction_solvers::pivoting::infeasibility::is_infeasible;
/// // w = z_0 - z_1 - 1 and w = z_1 - z_0 - 1 cannot both be nonnegative.
/// let problem = Lcp::new(vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -1.0])?;
/// assert!(is_infeasible(&problem));
/// assert!(!is_infeasible(&Lcp::new(vec![1.0], vec![-1.0])?));
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
pub fn is_infeasible(problem: &Lcp) -> bool {
    proof_within(problem, None).is_some()
}

/// The proof `y` (n), found in so many seconds at most, in the units of the problem and so large that `q . y` is about -1.
///
/// ```
/// use stiction_solvers::Lcp;
/// use stiction_solvers::pivoting::infeasibility::proof_within;
/// let problem = Lcp::new(vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -1.0])?;
/// let y = proof_within(&problem, None).unwrap_or_default();
/// assert!((y[0] - 0.5).abs() < 1e-12 && (y[1] - 0.5).abs() < 1e-12);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
pub fn proof_within(problem: &Lcp, time_limit: Option<f64>) -> Option<Vec<f64>> {
    let n = problem.q().len();
    if n == 0 || n > LARGEST || problem.check_finite().is_err() || problem.q().iter().all(|q| *q >= 0.0) {
        return None;
    }
    let scaled = Equilibrated::of(problem);
    let normal = scaled.normal_equations()?;
    let mut x = Solution::default();
    let settings = LemkeSettings { tolerance: 1e-14, time_limit, ..LemkeSettings::default() };
    let mut lemke = Lemke::new(settings).ok()?;
    let _ = watch::aside(|| lemke.solve(&normal, Start::Cold, &mut x));
    let (z, s) = x.z.split_at(n);
    let violation = |i: usize| (s[i] - dot_and_magnitude(scaled.row(i), z).0 - scaled.q[i]).max(0.0);
    let y: Vec<f64> = (0..n).map(violation).collect();
    scaled.proves(&y).then(|| {
        let product = dot_and_magnitude(&scaled.q, &y).0;
        // A row times its unit is the equilibrated one, and so is its multiplier; q has a unit more.
        let unit = scaled.q_unit / -product;
        y.iter().zip(&scaled.rows).map(|(y, row)| y * row * unit).collect()
    })
}

/// Matrix and vector with rows and columns scaled by powers of two; `q` to a largest entry of about 1.
struct Equilibrated {
    matrix: Vec<f64>,
    q: Vec<f64>,
    /// The units of the rows, and of `q`.
    rows: Vec<f64>,
    q_unit: f64,
}

impl Equilibrated {
    fn of(problem: &Lcp) -> Equilibrated {
        let n = problem.q().len();
        let unit = |x: f64| if x > 0.0 { power_of_two(1.0 / x) } else { 1.0 };
        let mut matrix = problem.matrix().to_vec();
        let mut q = problem.q().to_vec();
        let mut rows = Vec::with_capacity(n);
        for (row, q) in matrix.chunks_exact_mut(n).zip(&mut q) {
            let unit = unit(largest_abs(row));
            rows.push(unit);
            row.iter_mut().for_each(|v| *v *= unit);
            *q *= unit;
        }
        for j in 0..n {
            let unit = unit((0..n).fold(0.0, |worst: f64, i| worst.max(matrix[i * n + j].abs())));
            (0..n).for_each(|i| matrix[i * n + j] *= unit);
        }
        let unit = unit(largest_abs(&q));
        q.iter_mut().for_each(|q| *q *= unit);
        Equilibrated { matrix, q, rows, q_unit: unit }
    }

    fn row(&self, i: usize) -> &[f64] {
        let n = self.q.len();
        &self.matrix[i * n..(i + 1) * n]
    }

    /// Step 2.
    fn normal_equations(&self) -> Option<Lcp> {
        let n = self.q.len();
        let size = 2 * n;
        let mut lcp = Lcp::empty();
        lcp.resize(size);
        for k in 0..n {
            let row = self.row(k);
            for (i, &m) in row.iter().enumerate().filter(|(_, m)| **m != 0.0) {
                for (sum, v) in lcp.matrix_mut()[i * size..i * size + n].iter_mut().zip(row) {
                    *sum += m * v;
                }
                lcp.matrix_mut()[i * size + n + k] = -m;
                lcp.matrix_mut()[(n + k) * size + i] = -m;
                lcp.q_mut()[i] += m * self.q[k];
            }
            lcp.matrix_mut()[(n + k) * size + n + k] = 1.0;
            lcp.q_mut()[n + k] = -self.q[k];
        }
        lcp.check_finite().is_ok().then_some(lcp)
    }

    /// Step 4: `y >= 0` is given.
    fn proves(&self, y: &[f64]) -> bool {
        let n = self.q.len();
        let rounding = 4.0 * n as f64 * f64::EPSILON;
        let (sum, magnitude) = dot_and_magnitude(&self.q, y);
        let gap = -sum - rounding * magnitude;
        let wrong_sign = |j: usize| {
            let terms = || (0..n).map(|i| self.matrix[i * n + j] * y[i]);
            terms().sum::<f64>() + rounding * terms().map(f64::abs).sum::<f64>()
        };
        let worst = (0..n).map(wrong_sign).fold(0.0, f64::max);
        let q_unit = largest_abs(&self.q);
        gap > 0.0 && gap >= FAR * q_unit * worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lcp(m: &[f64], q: &[f64]) -> Lcp {
        Lcp::new(m.to_vec(), q.to_vec()).unwrap()
    }

    #[test]
    fn problems_without_a_feasible_point_are_recognised_at_every_scale() {
        for scale in [1e-9, 1.0, 1e7] {
            let of = |m: &[f64], q: &[f64]| {
                let m: Vec<f64> = m.iter().map(|v| v * scale).collect();
                is_infeasible(&lcp(&m, q))
            };
            assert!(of(&[0.0], &[-1.0]));
            assert!(of(&[-1.0], &[-1.0]));
            assert!(of(&[0.0, 1.0, -1.0, 0.0], &[-1.0, -1.0]));
            // w1 + w2 = -2 whatever z.
            assert!(of(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0]));
        }
    }

    #[test]
    fn feasible_problems_are_not_called_infeasible() {
        assert!(!is_infeasible(&lcp(&[-1.0], &[1.0])));
        assert!(!is_infeasible(&lcp(&[1e-12], &[-1.0])));
        assert!(!is_infeasible(&lcp(&[0.0, 1.0, -1.0, 0.0], &[-1.0, 1.0])));
        // Feasible only just: w1 + w2 = 0 whatever z.
        assert!(!is_infeasible(&lcp(&[1.0, -1.0, -1.0, 1.0], &[-1.0, 1.0])));
        // Feasible (z1 large) though it has no solution.
        assert!(!is_infeasible(&lcp(&[-1.0, 1.0, 0.0, 1.0], &[-1.0, 1.0])));
    }

    #[test]
    fn the_multipliers_prove_it_on_the_original_data_in_any_units() {
        for (scale, load) in [(1.0, 1.0), (1e-6, 1e4), (3e8, 2e-3)] {
            let m: Vec<f64> =
                [2.0, -1.0, -2.0, 1.0, -3.0, 1.0, -1.0, 2.0, -1.0].iter().map(|v| v * scale).collect();
            let q = [-load, -2.0 * load, -load];
            let problem = lcp(&m, &q);
            let y = proof_within(&problem, None).unwrap();
            let column = |j: usize| (0..3).map(|i| m[3 * i + j] * y[i]).sum::<f64>();
            let size = (0..3).map(|i| (m[3 * i] * y[i]).abs()).fold(0.0, f64::max);
            assert!(y.iter().all(|y| *y >= 0.0) && (0..3).all(|j| column(j) <= 1e-12 * size), "{y:?}");
            let product: f64 = q.iter().zip(&y).map(|(q, y)| q * y).sum();
            assert!((product + 1.0).abs() < 1e-9, "{product}");
        }
    }
}
