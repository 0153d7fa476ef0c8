//! The orthogonal factorization of the active rows, `Y_a^T = Q (R; 0)`, with all of `Q`.
//!
//! # Method
//! With `(d_1, d_2) = Q^T y_i`: `r = R^-1 d_1` and `s = Q_2 d_2`. Plane rotations make `d_2` one number when the row is
//! appended, `(d_1, |d_2|)` being the new last column of `R`; others make `R` triangular again when a row is removed.
//!
//! `Q` stays orthogonal to rounding, whereas products of rows square the condition.
//!
//! # Cost
//! With `m` columns: `2 m^2` to resolve a row, up to `6 m^2` to append or remove one.
//!
//! # References
//! D. Goldfarb, A. Idnani, *A numerically stable dual method for solving strictly convex quadratic programs*, Mathematical
//! Programming 27 (1983) 1-33, section 4.

use super::factor::Factor;
use super::normal_rows::NormalRows;
use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;

/// A row depends on the active ones if `|s|` is below this multiple of `1 + |r|` (rows have length about one): a hundred
/// times the rounding of `Q` at 100 columns.
const DEPENDENT: f64 = 1e-11;

/// See the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct OrthogonalFactor {
    m: usize,
    /// The columns of `Q`, one after the other.
    basis: Vec<f64>,
    /// `R^T`, whose square is also `Y_a Y_a^T`.
    factor: Cholesky,
    /// Number of active rows.
    rank: usize,
    /// `Q^T y_i` of the row just resolved.
    d: Vec<f64>,
}

impl Factor for OrthogonalFactor {
    fn restart(&mut self, m: usize) {
        (self.m, self.rank) = (m, 0);
        self.factor.clear();
        self.factor.reserve(m + 1);
        reserve_to(&mut self.d, m + 1);
        self.basis.clear();
        self.basis.resize(m * m, 0.0);
        (0..m).for_each(|j| self.basis[j * m + j] = 1.0);
    }

    fn resolve(&mut self, rows: &NormalRows, active: &[usize], i: usize, r: &mut Vec<f64>) -> f64 {
        let row = rows.row(i);
        self.d.clear();
        self.d.extend(self.basis.chunks_exact(self.m.max(1)).map(|column| dot(column, row)));
        let (along, across) = self.d.split_at(active.len());
        r.clear();
        r.extend_from_slice(along);
        self.factor.solve_upper(r);
        let square = dot(across, across);
        if square.sqrt() > DEPENDENT * (1.0 + dot(r, r).sqrt()) { square } else { 0.0 }
    }

    fn move_point(&self, step: f64, p: &mut [f64]) -> bool {
        for (column, d) in self.basis.chunks_exact(self.m.max(1)).zip(&self.d).skip(self.rank) {
            p.iter_mut().zip(column).for_each(|(p, q)| *p += step * d * q);
        }
        true
    }

    fn append(&mut self) {
        let (m, k) = (self.m, self.rank);
        for j in (k..m - 1).rev() {
            let [a, b] = [self.d[j], self.d[j + 1]];
            let length = (a * a + b * b).sqrt();
            if b != 0.0 && length > 0.0 {
                rotate(&mut self.basis, m, j, [a / length, b / length]);
                self.d[j] = length;
            }
        }
        // The last number is a length unless no rotation touched it.
        if self.d[k] < 0.0 {
            self.d[k] = -self.d[k];
            self.basis[k * m..(k + 1) * m].iter_mut().for_each(|q| *q = -*q);
        }
        self.factor.push(&self.d);
        self.rank += 1;
    }

    fn remove(&mut self, at: usize) {
        for (j, rotation) in (at..).zip(self.factor.remove(at)) {
            rotate(&mut self.basis, self.m, j, *rotation);
        }
        self.rank -= 1;
    }

    fn solve(&self, b: &mut [f64]) {
        self.factor.solve(b);
    }
}

/// Columns `j` and `j + 1` of `Q` become `c x + s y` and `c y - s x`.
fn rotate(basis: &mut [f64], m: usize, j: usize, [c, s]: [f64; 2]) {
    let (left, right) = basis[j * m..(j + 2) * m].split_at_mut(m);
    for (x, y) in left.iter_mut().zip(right) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}
