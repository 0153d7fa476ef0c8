//! Dense Cholesky factorization in reused memory.
//!
//! # Problem
//! `A = L L^T` for a symmetric positive definite matrix `A`, then `L x = b` and `L^T x = b`.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th edition 2013, section 4.2.

use crate::dense::dot;
use crate::error::SolverError;

/// The matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NotPositiveDefinite {
    pub(crate) pivot: usize,
    pub(crate) value: f64,
}

impl NotPositiveDefinite {
    /// The error that names the matrix.
    pub(crate) fn of(self, what: &'static str) -> SolverError {
        SolverError::NotPositiveDefinite { what, pivot: self.pivot, value: self.value }
    }
}

/// A lower triangular factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    n: usize,
    /// Row-major `n x n`; the part above the diagonal is not used.
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors the row-major `n x n` matrix, of which the lower triangle is read.
    pub(crate) fn factor(&mut self, matrix: &[f64], n: usize) -> Result<(), NotPositiveDefinite> {
        self.n = n;
        self.factor.clear();
        self.factor.extend_from_slice(matrix);
        for i in 0..n {
            let (above, rest) = self.factor.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &above[j * n..j * n + j + 1];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let value = row[i] - dot(&row[..i], &row[..i]);
            if !(value > 0.0 && value.is_finite()) {
                return Err(NotPositiveDefinite { pivot: i, value });
            }
            row[i] = value.sqrt();
        }
        Ok(())
    }

    /// Replaces `b` by the solution of `L x = b`.
    pub(crate) fn solve_lower(&self, b: &mut [f64]) {
        for i in 0..self.n {
            let row = &self.factor[i * self.n..i * self.n + i + 1];
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
    }

    /// Replaces `b` by the solution of `L^T x = b`.
    pub(crate) fn solve_upper(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            let row = &self.factor[i * self.n..i * self.n + i + 1];
            b[i] /= row[i];
            let x = b[i];
            b[..i].iter_mut().zip(row).for_each(|(b, l)| *b -= l * x);
        }
    }
}
