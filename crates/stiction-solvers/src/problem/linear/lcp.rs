//! The linear complementarity problem `0 <= z  perp  M z + q >= 0` with a dense matrix.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992 (SIAM 2009), chapter 1.

use serde::{Deserialize, Serialize};

use crate::linalg::dense::{Support, all_finite, dot_and_magnitude, scales};
use crate::problem::checks::check_finite;
use crate::problem::error::SolverError;
use crate::problem::residual::{Assessed, Dense};
use crate::problem::traits::{Bounded, Problem, Residual, Solution};

/// Find `z >= 0` with `w = M z + q >= 0` and `z . w = 0`.
///
/// The matrix is kept row-major in one vector. A problem that is refilled every time step
/// ([`Lcp::resize`], [`Lcp::matrix_mut`], [`Lcp::q_mut`]) allocates nothing once it has been as large.
/// Deserialized data are checked as in [`Lcp::new`].
///
/// ```
/// use stiction_solvers::{Lcp, Problem, Solution};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, 3.0])?;
/// let x = Solution { z: vec![2.5, 0.0], w: vec![0.0; 2] };
/// assert_eq!(problem.residual(&x).natural_map, 0.0); // w = (0, 5.5) is evaluated anew
/// assert!(Lcp::new(vec![1.0; 3], vec![0.0; 2]).is_err());
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Lcp {
    matrix: Vec<f64>,
    q: Vec<f64>,
}

/// What a file says, before it is believed.
#[derive(Deserialize)]
struct Unchecked {
    matrix: Vec<f64>,
    q: Vec<f64>,
}

impl TryFrom<Unchecked> for Lcp {
    type Error = SolverError;

    fn try_from(data: Unchecked) -> Result<Lcp, SolverError> {
        Lcp::new(data.matrix, data.q)
    }
}

impl Lcp {
    /// The problem with the row-major `n x n` matrix `m` and the vector `q` of length `n`; `n = 0` is legal.
    ///
    /// # Errors
    /// [`SolverError::Shape`] unless `m.len() == n * n`, and the errors of [`Lcp::check_finite`].
    pub fn new(m: Vec<f64>, q: Vec<f64>) -> Result<Lcp, SolverError> {
        if m.len() != q.len() * q.len() {
            return Err(SolverError::Shape { entries: m.len(), rows: q.len() });
        }
        let lcp = Lcp { matrix: m, q };
        lcp.check_finite()?;
        Ok(lcp)
    }

    /// The problem without unknowns, to be filled later.
    pub fn empty() -> Lcp {
        Lcp::default()
    }

    /// Makes this the problem of `n` unknowns whose data are all zero; capacity is kept.
    pub fn resize(&mut self, n: usize) {
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
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

    /// The constant vector for writing; see [`Lcp::matrix_mut`].
    pub fn q_mut(&mut self) -> &mut [f64] {
        &mut self.q
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

    /// The units of `w` and `z`, inverted: see [`dense::scales`](crate::linalg::dense::scales).
    pub(crate) fn scales(&self) -> (f64, f64) {
        scales(&self.matrix, &self.q)
    }

    /// `(|M||z| + |q|)_i`: what rounding errors of `w_i` are relative to.
    pub(crate) fn magnitude(&self, i: usize, z: &[f64]) -> f64 {
        dot_and_magnitude(self.row(i), z).1 + self.q[i].abs()
    }

    /// Writes `w = M z + q` and returns the residual of `z` and its rounding floor (see [`Problem::residual_floor`]),
    /// all in one pass over the matrix: what [`Problem::residual`] and its companions say, at a third of the cost.
    ///
    /// `z` and `w` have length `n`; of wrong lengths nothing good is said (both numbers are infinite). Columns whose
    /// `z_i` is zero are not read: see [`Lcp::check_finite`] for a matrix that may hold NaN.
    pub fn assess(&self, z: &[f64], w: &mut [f64]) -> (Residual, f64) {
        let n = self.q.len();
        if z.len() != n || w.len() != n {
            return (Residual::INFINITE, f64::INFINITY);
        }
        self.assess_rows(z, |i, value, _| w[i] = value)
    }

    /// The one pass: hands `w_i` and the size of its terms, `(|M||z| + |q|)_i`, to `keep` and collects the verdict. `z` must
    /// have length `n`.
    pub(crate) fn assess_rows(&self, z: &[f64], mut keep: impl FnMut(usize, f64, f64)) -> (Residual, f64) {
        let support = Support::of(z);
        let mut assessed = Assessed::begin();
        for i in 0..self.q.len() {
            let (sum, magnitude) = match &support {
                Some(support) => support.dot_and_magnitude(self.row(i), z),
                None => dot_and_magnitude(self.row(i), z),
            };
            let w = sum + self.q[i];
            keep(i, w, magnitude + self.q[i].abs());
            assessed.push(w, self.q[i], magnitude);
        }
        assessed.finish(&Dense(&self.matrix), z, |_| [0.0, f64::INFINITY])
    }
}

impl Problem for Lcp {
    fn dim(&self) -> usize {
        self.q.len()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        for i in 0..self.q.len() {
            w[i] = dot_and_magnitude(self.row(i), z).0 + self.q[i];
        }
    }

    fn project(&self, z: &mut [f64]) {
        for v in z {
            *v = v.max(0.0);
        }
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.assess_only(&x.z).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.assess_only(&x.z).1
    }
}

impl Bounded for Lcp {
    fn bounds(&self, _i: usize) -> [f64; 2] {
        [0.0, f64::INFINITY]
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

impl Lcp {
    /// As [`Lcp::assess`], without keeping `w`.
    fn assess_only(&self, z: &[f64]) -> (Residual, f64) {
        if z.len() != self.q.len() {
            return (Residual::INFINITE, f64::INFINITY);
        }
        // The products below leave out columns whose z_i is zero; a NaN there is no less wrong.
        if !all_finite(&self.matrix) {
            return (Residual::INFINITE, f64::INFINITY);
        }
        self.assess_rows(z, |_, _, _| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solution(z: &[f64]) -> Solution {
        Solution { z: z.to_vec(), w: vec![0.0; z.len()] }
    }

    #[test]
    fn a_matrix_that_is_not_square_or_not_finite_is_refused_by_name() {
        assert_eq!(Lcp::new(vec![1.0; 3], vec![1.0; 2]), Err(SolverError::Shape { entries: 3, rows: 2 }));
        let error = Lcp::new(vec![1.0, 2.0, f64::INFINITY, 4.0], vec![0.0; 2]).unwrap_err();
        assert_eq!(error, SolverError::NotFiniteMatrix { row: 1, column: 0, value: f64::INFINITY });
        let error = Lcp::new(vec![1.0], vec![f64::NEG_INFINITY]).unwrap_err();
        assert_eq!(error, SolverError::NotFiniteVector { row: 0, value: f64::NEG_INFINITY });
        assert!(Lcp::new(vec![], vec![]).is_ok());
    }

    #[test]
    fn the_residual_does_not_depend_on_the_units_of_the_data() {
        let z = [0.3, 0.0, 1.7];
        let m = [2.0, -1.0, 0.5, 0.0, 3.0, 1.0, 1.0, 1.0, 4.0];
        let q = [-1.0, 0.5, -2.0];
        let plain = Lcp::new(m.to_vec(), q.to_vec()).unwrap().residual(&solution(&z));
        // w in other units (factor 1e6), z in other units (factor 1e-9): M grows by 1e15.
        let scaled = Lcp::new(m.map(|v| v * 1e15).to_vec(), q.map(|v| v * 1e6).to_vec()).unwrap();
        let scaled = scaled.residual(&solution(&z.map(|v| v * 1e-9)));
        for (a, b) in [
            (plain.natural_map, scaled.natural_map),
            (plain.primal, scaled.primal),
            (plain.dual, scaled.dual),
            (plain.complementarity, scaled.complementarity),
        ] {
            assert!((a - b).abs() <= 1e-14, "{plain:?} {scaled:?}");
        }
    }

    #[test]
    fn the_residual_of_a_small_case_is_the_one_computed_by_hand() {
        // W = (4 + 2, 2 + 3), U = (min(6 / 2, 1), min(5 / 6, 1)): w / W = (-1 / 3, 1), z / U = (1, -0.6).
        let lcp = Lcp::new(vec![2.0, 0.0, 0.0, -6.0], vec![-4.0, 2.0]).unwrap();
        let r = lcp.residual(&solution(&[1.0, -0.5]));
        assert!((r.natural_map - 0.6).abs() < 1e-15 && (r.primal - 0.6).abs() < 1e-15, "{r:?}");
        assert!((r.dual - 1.0 / 3.0).abs() < 1e-15 && r.complementarity == 0.5, "{r:?}");
        assert_eq!(lcp.residual_floor(&solution(&[1.0, -0.5])), 64.0 * f64::EPSILON);
    }

    #[test]
    fn terms_that_cancel_far_beyond_the_constants_excuse_nothing() {
        // No z >= 0 solves this; along (1, 1) the terms grow and w = (-1, -1) stays.
        let lcp = Lcp::new(vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -1.0]).unwrap();
        for far in [1.0, 1e6, 1e12] {
            assert!(lcp.residual(&solution(&[far, far])).natural_map > 0.05, "{far:e}");
        }
        // The same beside a row in other units.
        let m = vec![1.0, -1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 1e-12];
        let lcp = Lcp::new(m, vec![-1.0, -1.0, -1e-12]).unwrap();
        assert!(lcp.residual(&solution(&[1e12, 1e12, 1.0])).natural_map > 0.05);
    }

    #[test]
    fn a_row_of_rounding_beside_the_impulses_it_is_connected_with_is_no_error_and_one_that_stands_alone_is() {
        // A rolling sphere: normal impulse, friction, slip. The slip of 1e-17 is what is left of 3 m/s - 3 m/s.
        let sphere = |coupling: f64| {
            let m = vec![1.0, 0.0, 0.0, 0.0, 1.0, 1.0, coupling, -1.0, 0.0];
            let lcp = Lcp::new(m, vec![-1e-2, -1e-17, 0.0]).unwrap();
            lcp.residual(&solution(&[1e-2, 0.0, 0.0])).natural_map
        };
        assert!(sphere(0.5) < 1e-10, "{}", sphere(0.5));
        assert_eq!(sphere(0.0), 1.0);
    }

    #[test]
    fn an_unknown_whose_diagonal_is_small_or_zero_is_measured_by_what_it_does_elsewhere() {
        for diagonal in [1e-12, 1e-16, 0.0] {
            let lcp = Lcp::new(vec![diagonal, 1.0, 1.0, diagonal], vec![-1.0, -1.0]).unwrap();
            assert!(lcp.residual(&solution(&[5.0, 7.0])).natural_map > 0.5);
            assert!(lcp.residual(&solution(&[1.0, 1.0])).natural_map < 1e-11);
        }
        // Nothing depends on z: only the bound itself is complementary to w = 1.
        let lcp = Lcp::new(vec![0.0], vec![1.0]).unwrap();
        assert_eq!(lcp.residual(&solution(&[5.0])).natural_map, 1.0);
        assert_eq!(lcp.residual(&solution(&[0.0])).natural_map, 0.0);
    }

    #[test]
    fn a_row_a_trillion_times_smaller_than_another_must_hold_as_well() {
        let wrong = |m: [f64; 4], q: [f64; 2], z: [f64; 2]| {
            Lcp::new(m.to_vec(), q.to_vec()).unwrap().residual(&solution(&z)).natural_map
        };
        let unit = [1.0, 0.0, 0.0, 1.0];
        assert_eq!(wrong(unit, [-1.0, -1e12], [0.0, 1e12]), 1.0);
        assert_eq!(wrong(unit, [1e12, -1.0], [0.0, 0.0]), 1.0);
        assert_eq!(wrong([1.0, 0.0, 0.0, 1e-10], [1.0, -1e-10], [0.0, 0.0]), 1.0);
    }

    #[test]
    fn nan_anywhere_makes_the_residual_infinite() {
        let mut lcp = Lcp::new(vec![1.0; 4], vec![-1.0; 2]).unwrap();
        assert_eq!(lcp.residual(&solution(&[f64::NAN, 0.0])), Residual::INFINITE);
        assert_eq!(lcp.residual(&solution(&[0.0])), Residual::INFINITE);
        lcp.matrix_mut()[1] = f64::NAN;
        assert_eq!(lcp.residual(&solution(&[0.0, 0.0])), Residual::INFINITE);
        lcp.matrix_mut()[1] = f64::INFINITY;
        assert_eq!(lcp.residual(&solution(&[0.0, 0.0])), Residual::INFINITE);
        lcp.matrix_mut()[1] = 1.0;
        lcp.q_mut()[0] = f64::NAN;
        assert_eq!(lcp.residual(&solution(&[0.0, 0.0])), Residual::INFINITE);
    }
}
