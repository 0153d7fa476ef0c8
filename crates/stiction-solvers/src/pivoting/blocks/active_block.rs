//! The factor of the principal block of the active indices, which enter and leave one at a time.
//!
//! # Problem
//! `M_aa x = b` for a growing and shrinking list `a` of indices of a matrix `M`, equilibrated.
//!
//! # Method
//! 1. A symmetric `M`: a Cholesky factor that follows by appending and removing rows ([`Cholesky`]).
//! 2. Any other `M`: LU, factored anew after every change ([`Lu`]).
//!
//! # Convergence and failure
//! An index whose row depends on the active ones is refused. In a positive semidefinite matrix that is where its
//! complement `M_ii - M_ia M_aa^-1 M_ai` is zero; below a part of `1e-12` of `M_ii`, or within rounding, it counts as zero.
//!
//! # Cost
//! A change costs `|a|^2` to `3 |a|^2` (symmetric) or `2/3 |a|^3`, a solution `2 |a|^2`.
//!
//! # References
//! As [`crate::linalg::cholesky`] and [`crate::linalg::lu`].

use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::{Square, dot};
use crate::linalg::lu::Lu;

/// Smallest complement of a row that is independent of the others, relative to its diagonal entry. What is independent
/// in earnest is not below `1e-8` at a mass ratio of `1e6`.
const DEPENDENT: f64 = 1e-12;

/// Rounding of a complement, relative to `M_ii + sum_j x_j^2 M_jj`: rounding errors `E` of the block change it by
/// `(x, -1)^T E (x, -1)`, and `E` is some `eps` for each of a few hundred rows.
const ROUNDING: f64 = 1e-13;

/// The index depends on the active ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependent;

/// The active indices, in the order they came, and their factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveBlock {
    symmetric: bool,
    /// A block that is not symmetric came out singular: there is no factor.
    broken: bool,
    indices: Vec<usize>,
    cholesky: Cholesky,
    lu: Lu,
    row: Vec<f64>,
}

impl ActiveBlock {
    /// Sets the time that factorizations may take; one that is cut short is singular.
    pub(crate) fn limit_time(&mut self, budget: Budget) {
        self.lu.budget = budget;
    }

    /// Makes the list empty, and reserves memory for the `n` indices of a matrix that is or is not symmetric.
    pub(crate) fn reset(&mut self, n: usize, symmetric: bool) {
        self.symmetric = symmetric;
        self.broken = false;
        self.indices.clear();
        self.cholesky.clear();
        self.lu.matrix_mut(0);
        reserve_to(&mut self.indices, n);
        reserve_to(&mut self.row, n + 1);
        if symmetric { self.cholesky.reserve(n) } else { self.lu.reserve(n) }
    }

    /// The active indices in the order of the factor.
    pub(crate) fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Writes `x = M_aa^-1 M_ai`, in the order of the factor, and returns the complement `M_ii - M_ia x`; zero where
    /// it is rounding.
    pub(crate) fn column(&mut self, matrix: Square, i: usize, x: &mut Vec<f64>) -> f64 {
        let diagonal = matrix.row(i)[i];
        x.clear();
        x.extend(self.indices.iter().map(|&j| matrix.row(j)[i]));
        let complement = if self.symmetric {
            self.cholesky.solve_lower(x);
            let complement = diagonal - dot(x, x);
            self.cholesky.solve_upper(x);
            complement
        } else {
            self.lu.solve(x);
            let terms = self.indices.iter().zip(x.iter()).map(|(&j, x)| matrix.row(i)[j] * x);
            diagonal - terms.sum::<f64>()
        };
        let squares = self.indices.iter().zip(x.iter()).map(|(&j, x)| matrix.row(j)[j].abs() * x * x);
        let rounding = ROUNDING * squares.fold(diagonal.abs(), |sum, term| sum + term);
        if complement.abs() <= rounding.max(DEPENDENT * diagonal.abs()) { 0.0 } else { complement }
    }

    /// Adds index `i`, last in the order.
    ///
    /// # Errors
    /// [`Dependent`] when its row depends on the active ones; nothing has changed then.
    pub(crate) fn enter(&mut self, matrix: Square, i: usize) -> Result<(), Dependent> {
        if self.symmetric {
            let mut row = std::mem::take(&mut self.row);
            let complement = self.column(matrix, i, &mut row);
            row.clear();
            row.extend(self.indices.iter().map(|&j| matrix.row(j)[i]).chain([matrix.row(i)[i]]));
            let done = if complement > 0.0 { self.cholesky.append(&row, 0.0).is_ok() } else { false };
            self.row = row;
            if !done {
                return Err(Dependent);
            }
            self.indices.push(i);
            return Ok(());
        }
        self.indices.push(i);
        if self.factor(matrix).is_err() {
            self.indices.pop();
            // It was regular before, so the factor comes back.
            return self.factor(matrix).and(Err(Dependent));
        }
        Ok(())
    }

    /// Removes the index at place `at` of the order.
    ///
    /// # Errors
    /// [`Dependent`] when the block that remains is singular, which no symmetric one is.
    pub(crate) fn leave(&mut self, matrix: Square, at: usize) -> Result<(), Dependent> {
        self.indices.remove(at);
        if self.symmetric {
            self.cholesky.remove(at);
            return Ok(());
        }
        self.factor(matrix)
    }

    /// Replaces `b`, in the order of the factor, by `M_aa^-1 b`; by zero after [`ActiveBlock::leave`] has failed.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        if self.broken {
            b.fill(0.0);
        } else if self.symmetric {
            self.cholesky.solve(b);
        } else {
            self.lu.solve(b);
        }
    }

    fn factor(&mut self, matrix: Square) -> Result<(), Dependent> {
        let size = self.indices.len();
        let block = self.lu.matrix_mut(size);
        if size > 0 {
            for (entries, &i) in block.chunks_exact_mut(size).zip(&self.indices) {
                let row = matrix.row(i);
                entries.iter_mut().zip(&self.indices).for_each(|(entry, &j)| *entry = row[j]);
            }
        }
        self.broken = self.lu.factor().is_err();
        if self.broken { Err(Dependent) } else { Ok(()) }
    }
}
