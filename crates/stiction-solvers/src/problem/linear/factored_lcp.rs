//! The linear complementarity problem of normal contacts in factored form: `M = N G^-1 N^T` is never formed.
//!
//! `0 <= z  perp  N G^-1 N^T z + q >= 0` for `n` contacts of a system with `m` velocities, `n` possibly far above `m`:
//! `G` is the `m x m` generalized inertia, `N` the `n x m` contact Jacobian. With the Cholesky factor `G = L L^T` and
//! `Y = N L^-T` the matrix is `Y Y^T`, of rank at most `m`, and its product with a vector costs `4 n m`, or four operations
//! for each entry of `Y` that is not zero if these are at most an eighth of all: many bodies, each touching few.
//!
//! # References
//! E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015, section V, algorithm 1.

use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::{dot, dot_and_magnitude, units};
use crate::linalg::sparse_rows::SparseRows;
use crate::problem::error::SolverError;
use crate::problem::residual::{Assessed, CONNECTS, Entries, part};
use crate::problem::traits::{Problem, Residual, Solution};

/// Find `z >= 0` with `w = Y Y^T z + q >= 0` and `z . w = 0`.
///
/// ```
/// use stiction_solvers::{FactoredLcp, Ppm, PpmSettings, Solution, Solver, Start, Status};
/// // Two contacts on one velocity, the second twice as far along: only the worse one carries load.
/// let problem = FactoredLcp::from_half(1, vec![1.0, 1.0], vec![-1.0, -2.0])?;
/// let mut solver = Ppm::new(PpmSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert_eq!(x.z, [0.0, 2.0]);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactoredLcp {
    columns: usize,
    /// `Y`, row-major `n x m`.
    half: Vec<f64>,
    /// The same without its zeros, if they are many.
    sparse: Option<SparseRows>,
    /// Diagonal of `Y Y^T`.
    diagonal: Vec<f64>,
    q: Vec<f64>,
}

impl FactoredLcp {
    /// The problem with the contact Jacobian `jacobian` (`n x m`, row-major), the inertia `inertia` (`m x m`,
    /// row-major, symmetric positive definite) and `q` (`n`).
    ///
    /// # Errors
    /// [`SolverError::Length`] names the block with the wrong number of entries; an entry that is not finite;
    /// [`SolverError::NotPositiveDefinite`] for the inertia.
    pub fn new(jacobian: &[f64], inertia: &[f64], q: Vec<f64>) -> Result<FactoredLcp, SolverError> {
        let m = inertia.len().isqrt();
        check_length("inertia", inertia, m * m)?;
        check_length("jacobian", jacobian, q.len() * m)?;
        let mut factor = Cholesky::default();
        factor
            .factor(inertia, m)
            .map_err(|failure| SolverError::not_positive_definite("inertia", failure))?;
        let mut half = jacobian.to_vec();
        // L y = n, so that y . y = n^T G^-1 n.
        half.chunks_exact_mut(m.max(1)).for_each(|row| factor.solve_lower(row));
        FactoredLcp::from_half(m, half, q)
    }

    /// The problem with `Y` (`n x m`, row-major) given.
    ///
    /// # Errors
    /// [`SolverError::Length`], or an entry that is not finite.
    pub fn from_half(m: usize, half: Vec<f64>, q: Vec<f64>) -> Result<FactoredLcp, SolverError> {
        check_length("half", &half, q.len() * m)?;
        let sparse = SparseRows::of(&half, m);
        let diagonal = (0..q.len()).map(|i| &half[i * m..(i + 1) * m]).map(|row| dot(row, row)).collect();
        let problem = FactoredLcp { columns: m, half, sparse, diagonal, q };
        problem.check_finite()?;
        Ok(problem)
    }

    /// Makes this the problem of `n` contacts and `m` velocities whose `Y` (`n x m`, row-major) and `q`, all zero before, `write`
    /// fills in; capacity is kept. Solvers report data that are not finite as a numerical failure.
    pub fn refill(&mut self, n: usize, m: usize, write: impl FnOnce(&mut [f64], &mut [f64])) {
        self.columns = m;
        self.half.clear();
        self.half.resize(n * m, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
        write(&mut self.half, &mut self.q);
        // Looking for zeros in what changes with every step costs more than they save.
        self.sparse = None;
        self.diagonal.clear();
        self.diagonal.extend((0..n).map(|i| {
            let row = &self.half[i * m..(i + 1) * m];
            dot(row, row)
        }));
    }

    /// Whether every entry is finite.
    ///
    /// # Errors
    /// [`SolverError::NotFiniteMatrix`] (of `Y`) or [`SolverError::NotFiniteVector`] names the first that is not.
    pub fn check_finite(&self) -> Result<(), SolverError> {
        if let Some(at) = self.half.iter().position(|v| !v.is_finite()) {
            let (row, column) = (at / self.columns, at % self.columns);
            return Err(SolverError::NotFiniteMatrix { row, column, value: self.half[at] });
        }
        match self.q.iter().position(|v| !v.is_finite()) {
            Some(row) => Err(SolverError::NotFiniteVector { row, value: self.q[row] }),
            None => Ok(()),
        }
    }

    /// Number `m` of velocities: the rank of the matrix is at most this.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `i` of `Y`, `m` entries.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.half[i * self.columns..(i + 1) * self.columns]
    }

    /// `Y`, row-major `n x m`.
    pub fn half(&self) -> &[f64] {
        &self.half
    }

    /// The constant vector, `n` entries.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Writes `p = Y^T z`, the momentum that the impulses give, in the metric of the inertia (`m` entries).
    pub fn push(&self, z: &[f64], p: &mut [f64]) {
        p.fill(0.0);
        for (i, &z) in z.iter().enumerate() {
            if z != 0.0 {
                self.add_row(i, z, p);
            }
        }
    }

    /// `p += scale y_i`.
    pub(crate) fn add_row(&self, i: usize, scale: f64, p: &mut [f64]) {
        match &self.sparse {
            Some(rows) => rows.add(i, scale, p),
            None => p.iter_mut().zip(self.row(i)).for_each(|(p, y)| *p += y * scale),
        }
    }

    /// `y_i . p`.
    pub(crate) fn row_dot(&self, i: usize, p: &[f64]) -> f64 {
        match &self.sparse {
            Some(rows) => rows.dot(i, p),
            None => dot(self.row(i), p),
        }
    }

    /// `Y` without its zeros, if they are many.
    pub(crate) fn sparse_half(&self) -> Option<&SparseRows> {
        self.sparse.as_ref()
    }

    /// Entry `(i, j)` of the matrix.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        match &self.sparse {
            Some(rows) => rows.product(i, j),
            None => dot(self.row(i), self.row(j)),
        }
    }

    /// Entry `(i, i)` of the matrix.
    pub(crate) fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    /// Writes `w = Y Y^T z + q` and returns the residual of `z` and its rounding floor. `scratch` is memory to reuse.
    ///
    /// Wrong lengths, and NaN anywhere, give infinite numbers.
    pub fn assess(&self, z: &[f64], w: &mut [f64], scratch: &mut Vec<f64>) -> (Residual, f64) {
        self.assess_with(0, z, w, scratch)
    }

    /// The same with the first `free` unknowns free, for which `w = 0` is required.
    pub(crate) fn assess_with(
        &self,
        free: usize,
        z: &[f64],
        w: &mut [f64],
        scratch: &mut Vec<f64>,
    ) -> (Residual, f64) {
        let (n, m) = (self.q.len(), self.columns);
        // `Y` is finite since it was checked.
        if z.len() != n || w.len() != n {
            return (Residual::INFINITE, f64::INFINITY);
        }
        scratch.clear();
        scratch.resize(2 * m, 0.0);
        let (p, size) = scratch.split_at_mut(m);
        for (i, &z) in z.iter().enumerate() {
            self.entries_of_row(i, |k, y| {
                p[k] += y * z;
                size[k] += (y * z).abs();
            });
        }
        let product = |i: usize, p: &[f64]| match &self.sparse {
            Some(rows) => rows.dot_and_magnitude(i, p),
            None => dot_and_magnitude(self.row(i), p),
        };
        let mut assessed = Assessed::begin();
        for i in 0..n {
            w[i] = product(i, p).0 + self.q[i];
            assessed.push(w[i], self.q[i], product(i, size).1);
        }
        let lower = |i: usize| if i < free { f64::NEG_INFINITY } else { 0.0 };
        assessed.finish(self, z, |i| [lower(i), f64::INFINITY])
    }

    fn entries_of_row(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match &self.sparse {
            Some(rows) => rows.row(i).iter().for_each(|&(k, y)| visit(k, y)),
            None => self.row(i).iter().enumerate().for_each(|(k, y)| visit(k, *y)),
        }
    }

    /// The units of `w` and `z`, inverted: see [`dense::scales`](crate::linalg::dense::scales). `Y Y^T` vanishes with its diagonal,
    /// so there is no other unit to look for.
    pub(crate) fn units(&self) -> (f64, f64) {
        let trace: f64 = self.diagonal.iter().sum();
        units(trace / self.q.len().max(1) as f64, || 0.0, &self.q)
    }
}

/// By Cauchy and Schwarz `|M_ij|` is at most the product of the rows' sizes.
impl Entries for FactoredLcp {
    fn row_size(&self, i: usize) -> f64 {
        self.diagonal[i].sqrt()
    }

    fn links(&self) -> usize {
        self.columns
    }

    /// By the inequality of Cauchy and Schwarz.
    fn column_limit(&self, j: usize) -> f64 {
        self.row_size(j)
    }

    /// Rows and unknowns are the same in a symmetric matrix.
    fn unknown(&self, j: usize) -> usize {
        j
    }

    fn visit_links(&self, i: usize, mut visit: impl FnMut(usize)) {
        let least = CONNECTS * self.row_size(i);
        self.entries_of_row(i, |k, y| {
            if y != 0.0 && y.abs() >= least {
                visit(k);
            }
        });
    }

    fn weight(&self, _j: usize, _sizes: &[f64]) -> Option<f64> {
        None
    }

    /// Through the velocities, where the product is not formed: `|M_ij| / W_i <= sum_k |Y_jk| max_i |Y_ik| / W_i`.
    fn weights(&self, sizes: &[f64], weights: &mut Vec<f64>) {
        let n = sizes.len();
        weights.clear();
        weights.resize(n + self.columns, 0.0);
        let (weights, by_velocity) = weights.split_at_mut(n);
        for (i, size) in sizes.iter().enumerate() {
            self.entries_of_row(i, |k, y| by_velocity[k] = by_velocity[k].max(part(y, *size)));
        }
        for (j, weight) in weights.iter_mut().enumerate() {
            self.entries_of_row(j, |k, y| *weight += y.abs() * by_velocity[k]);
        }
    }
}

/// [`FactoredLcp::assess`] does the same without allocating.
impl Problem for FactoredLcp {
    fn dim(&self) -> usize {
        self.q.len()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        let mut p = vec![0.0; self.columns];
        self.push(z, &mut p);
        for i in 0..self.q.len() {
            w[i] = self.row_dot(i, &p) + self.q[i];
        }
    }

    fn project(&self, z: &mut [f64]) {
        for v in z {
            *v = v.max(0.0);
        }
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.assess(&x.z, &mut vec![0.0; self.q.len()], &mut Vec::new()).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.assess(&x.z, &mut vec![0.0; self.q.len()], &mut Vec::new()).1
    }
}

fn check_length(what: &'static str, list: &[f64], needed: usize) -> Result<(), SolverError> {
    if list.len() == needed { Ok(()) } else { Err(SolverError::Length { what, given: list.len(), needed }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::linear::lcp::Lcp;

    #[test]
    fn the_factored_problem_is_judged_like_the_one_it_stands_for() {
        let inertia = [4.0, 1.0, 1.0, 3.0];
        let jacobian = [1.0, 0.0, 0.5, -2.0, 1.0, 1.0];
        let q = vec![-1.0, 2.0, -3.0];
        let factored = FactoredLcp::new(&jacobian, &inertia, q.clone()).unwrap();
        // The inverse of the inertia is [3 -1; -1 4] / 11.
        let mut matrix = vec![0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                let [a, b] = [i, j].map(|k| [jacobian[2 * k], jacobian[2 * k + 1]]);
                matrix[3 * i + j] =
                    (3.0 * a[0] * b[0] - a[0] * b[1] - a[1] * b[0] + 4.0 * a[1] * b[1]) / 11.0;
            }
        }
        let dense = Lcp::new(matrix, q).unwrap();
        let x = Solution { z: vec![0.4, 0.0, 1.7], w: vec![] };
        let (a, b) = (factored.residual(&x), dense.residual(&x));
        // The terms of Y Y^T z are those of Y and Y^T z, whose sum is no smaller.
        assert!(a.natural_map <= b.natural_map && a.natural_map > 0.3 * b.natural_map, "{a:?} {b:?}");
        let (mut u, mut v) = (vec![0.0; 3], vec![0.0; 3]);
        factored.eval(&x.z, &mut u);
        dense.eval(&x.z, &mut v);
        assert!(u.iter().zip(&v).all(|(u, v)| (u - v).abs() < 1e-15));
    }

    #[test]
    fn an_inertia_that_is_not_positive_definite_is_refused_by_pivot() {
        let error = FactoredLcp::new(&[1.0, 0.0], &[1.0, 2.0, 2.0, 1.0], vec![0.0]).unwrap_err();
        assert!(error.to_string().contains("inertia") && error.to_string().contains("pivot 1"), "{error}");
    }
}
