//! The box (mixed, bounded) linear complementarity problem: `l <= z <= u`, `w = M z + q`, and for every index
//! `w_i >= 0` at the lower bound, `w_i <= 0` at the upper, `w_i = 0` between them.
//!
//! Free rows have two infinite bounds, one-sided rows one, friction rows of the box formulation none.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *MCPLIB: a collection of nonlinear mixed complementarity problems*, Optimization
//! Methods and Software 5 (1995) 319-345, section 2.

use serde::{Deserialize, Serialize};

use crate::linalg::dense::{all_finite, dot_and_magnitude};
use crate::problem::checks::check_finite;
use crate::problem::error::SolverError;
use crate::problem::linear::lcp::Lcp;
use crate::problem::residual::{Assessed, Dense};
use crate::problem::traits::{Bounded, Problem, Residual, Solution};

/// Find `z` in the box `[l, u]` with `-(M z + q)` in its normal cone.
///
/// The matrix is kept row-major. Deserialized data are checked as in [`BoxLcp::new`]; JSON has no infinity, so there a
/// missing bound is `null`.
///
/// ```
/// use stiction_solvers::{BoxLcp, Dantzig, DantzigSettings, Solution, Solver, Start, Status};
/// // Joint friction: an impulse between -1 and 1 against a velocity of 3.
/// let problem = BoxLcp::new(vec![1.0], vec![3.0], vec![-1.0], vec![1.0])?;
/// let mut solver = Dantzig::new(DantzigSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert_eq!((x.z[0], x.w[0]), (-1.0, 2.0));
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct BoxLcp {
    matrix: Vec<f64>,
    q: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// What a file says, before it is believed.
#[derive(Serialize, Deserialize)]
struct Unchecked {
    matrix: Vec<f64>,
    q: Vec<f64>,
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
}

impl TryFrom<Unchecked> for BoxLcp {
    type Error = SolverError;

    fn try_from(data: Unchecked) -> Result<BoxLcp, SolverError> {
        let bounds =
            |list: Vec<Option<f64>>, none: f64| list.into_iter().map(|b| b.unwrap_or(none)).collect();
        let lower = bounds(data.lower, f64::NEG_INFINITY);
        BoxLcp::new(data.matrix, data.q, lower, bounds(data.upper, f64::INFINITY))
    }
}

impl From<BoxLcp> for Unchecked {
    fn from(problem: BoxLcp) -> Unchecked {
        let bounds = |list: Vec<f64>| list.into_iter().map(|b| b.is_finite().then_some(b)).collect();
        let BoxLcp { matrix, q, lower, upper } = problem;
        Unchecked { matrix, q, lower: bounds(lower), upper: bounds(upper) }
    }
}

impl BoxLcp {
    /// The problem with the row-major `n x n` matrix `m`, the vector `q` and bounds of length `n`; lower bounds may be
    /// `-inf`, upper ones `+inf`.
    ///
    /// # Errors
    /// [`SolverError::Shape`], [`SolverError::Length`], [`SolverError::Bounds`] (a bound is NaN or they cross), and an
    /// entry of `m` or `q` that is not finite.
    pub fn new(m: Vec<f64>, q: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Result<BoxLcp, SolverError> {
        if m.len() != q.len() * q.len() {
            return Err(SolverError::Shape { entries: m.len(), rows: q.len() });
        }
        check_bounds(&lower, &upper, q.len())?;
        let problem = BoxLcp { matrix: m, q, lower, upper };
        problem.check_finite()?;
        Ok(problem)
    }

    /// Makes this the problem of `n` unknowns whose data are all zero and whose rows are free; capacity is kept.
    pub fn resize(&mut self, n: usize) {
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
        self.lower.clear();
        self.lower.resize(n, f64::NEG_INFINITY);
        self.upper.clear();
        self.upper.resize(n, f64::INFINITY);
    }

    /// The matrix, `n * n` entries, row-major.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The matrix for writing. Nothing is checked: solvers report non-finite data as a numerical failure.
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.matrix
    }

    /// The constant vector, `n` entries.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// The constant vector for writing; see [`BoxLcp::matrix_mut`].
    pub fn q_mut(&mut self) -> &mut [f64] {
        &mut self.q
    }

    /// Lower bounds, `n` entries.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper bounds, `n` entries.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Sets the bounds of index `i`.
    ///
    /// # Errors
    /// [`SolverError::Bounds`] if one is NaN or they cross. An index out of range is [`SolverError::Length`].
    pub fn set_bounds(&mut self, i: usize, lower: f64, upper: f64) -> Result<(), SolverError> {
        if i >= self.q.len() {
            return Err(SolverError::Length { what: "index", given: i, needed: self.q.len() });
        }
        check_bound(i, lower, upper)?;
        (self.lower[i], self.upper[i]) = (lower, upper);
        Ok(())
    }

    /// Row `i` of the matrix.
    pub fn row(&self, i: usize) -> &[f64] {
        let n = self.q.len();
        &self.matrix[i * n..(i + 1) * n]
    }

    /// Whether every entry of matrix and vector is finite.
    ///
    /// # Errors
    /// [`SolverError::NotFiniteMatrix`] or [`SolverError::NotFiniteVector`] names the first entry that is not.
    pub fn check_finite(&self) -> Result<(), SolverError> {
        check_finite(&self.matrix, &self.q)
    }

    /// Writes `w = M z + q` and returns the residual of `z` and its rounding floor in one pass over the matrix.
    ///
    /// Wrong lengths, and NaN anywhere, give infinite numbers.
    pub fn assess(&self, z: &[f64], w: &mut [f64]) -> (Residual, f64) {
        let n = self.q.len();
        if z.len() != n || w.len() != n || !all_finite(&self.matrix) {
            return (Residual::INFINITE, f64::INFINITY);
        }
        self.assess_rows(z, |i, value| w[i] = value)
    }

    fn assess_rows(&self, z: &[f64], mut keep: impl FnMut(usize, f64)) -> (Residual, f64) {
        let mut assessed = Assessed::begin();
        for i in 0..self.q.len() {
            let (sum, magnitude) = dot_and_magnitude(self.row(i), z);
            let w = sum + self.q[i];
            keep(i, w);
            assessed.push(w, self.q[i], magnitude);
        }
        assessed.finish(&Dense(&self.matrix), z, |i| [self.lower[i], self.upper[i]])
    }

    fn assess_only(&self, z: &[f64]) -> (Residual, f64) {
        if z.len() != self.q.len() || !all_finite(&self.matrix) {
            return (Residual::INFINITE, f64::INFINITY);
        }
        self.assess_rows(z, |_, _| ())
    }
}

impl From<&Lcp> for BoxLcp {
    fn from(problem: &Lcp) -> BoxLcp {
        let n = problem.q().len();
        BoxLcp {
            matrix: problem.matrix().to_vec(),
            q: problem.q().to_vec(),
            lower: vec![0.0; n],
            upper: vec![f64::INFINITY; n],
        }
    }
}

impl Problem for BoxLcp {
    fn dim(&self) -> usize {
        self.q.len()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        for i in 0..self.q.len() {
            w[i] = dot_and_magnitude(self.row(i), z).0 + self.q[i];
        }
    }

    fn project(&self, z: &mut [f64]) {
        for (z, (l, u)) in z.iter_mut().zip(self.lower.iter().zip(&self.upper)) {
            *z = z.max(*l).min(*u);
        }
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.assess_only(&x.z).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.assess_only(&x.z).1
    }
}

impl Bounded for BoxLcp {
    fn bounds(&self, i: usize) -> [f64; 2] {
        [self.lower[i], self.upper[i]]
    }

    fn jacobian(&self, _z: &[f64], jacobian: &mut [f64]) {
        jacobian.copy_from_slice(&self.matrix);
    }

    fn is_affine(&self) -> bool {
        true
    }

    fn assess_answer(&self, x: &mut Solution, _scratch: &mut Vec<f64>) -> (Residual, f64) {
        x.w.resize(self.dim(), 0.0);
        self.assess(&x.z, &mut x.w)
    }
}

/// Refuses bounds that are NaN, on the wrong side of infinity, or crossed.
pub(crate) fn check_bounds(lower: &[f64], upper: &[f64], n: usize) -> Result<(), SolverError> {
    for (what, list) in [("lower", lower), ("upper", upper)] {
        if list.len() != n {
            return Err(SolverError::Length { what, given: list.len(), needed: n });
        }
    }
    (0..n).try_for_each(|i| check_bound(i, lower[i], upper[i]))
}

fn check_bound(index: usize, lower: f64, upper: f64) -> Result<(), SolverError> {
    let ordered = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
    if ordered { Ok(()) } else { Err(SolverError::Bounds { index, lower, upper }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn a_free_a_one_sided_and_a_two_sided_row_are_judged_each_by_its_own_law() {
        // w = z - (1, -1, 5); the third is at its upper bound 2 with w = -3.
        let m = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let q = vec![-1.0, 1.0, -5.0];
        let problem = BoxLcp::new(m, q, vec![-INF, 0.0, -2.0], vec![INF, INF, 2.0]).unwrap();
        let exact = Solution { z: vec![1.0, 0.0, 2.0], w: vec![] };
        assert_eq!(problem.residual(&exact), Residual::default());
        // W = |q| + |z|, U = min(W, largest |z|): w = 1 of 1 + 2, and z = 3 beyond the bound by 1 of 3.
        let free_row_off = Solution { z: vec![2.0, 0.0, 2.0], w: vec![] };
        assert!((problem.residual(&free_row_off).natural_map - 1.0 / 3.0).abs() < 1e-15);
        let upper_bound_crossed = Solution { z: vec![1.0, 0.0, 3.0], w: vec![] };
        assert!((problem.residual(&upper_bound_crossed).primal - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn crossed_bounds_and_wrong_lengths_are_refused_by_index() {
        let new = |lower: Vec<f64>, upper: Vec<f64>| BoxLcp::new(vec![1.0], vec![0.0], lower, upper);
        assert!(new(vec![1.0], vec![0.0]).unwrap_err().to_string().contains("index 0"));
        assert!(new(vec![f64::NAN], vec![0.0]).is_err());
        assert!(new(vec![INF], vec![INF]).is_err());
        assert!(new(vec![], vec![0.0]).unwrap_err().to_string().contains("lower"));
    }

    #[test]
    fn infinite_bounds_survive_a_file() {
        let problem = BoxLcp::new(vec![2.0], vec![-1.0], vec![-INF], vec![3.0]).unwrap();
        let text = serde_json::to_string(&problem).unwrap();
        assert_eq!(serde_json::from_str::<BoxLcp>(&text).unwrap(), problem);
    }
}
