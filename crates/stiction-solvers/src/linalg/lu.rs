//! Dense LU factorization with partial pivoting, in reused memory.
//!
//! # Problem
//! `P A = L U` for a square matrix `A`, then `A x = b`.
//!
//! # Method
//! Right-looking elimination over panels of eight columns:
//! 1. Eliminate inside the panel, column by column; the pivot is the largest entry on or below the diagonal.
//! 2. Exchange whole rows, so that `L` is stored in place.
//! 3. Solve for the rows of `U` to the right of the panel.
//! 4. Subtract panel times rows of `U` from the rest, eight multiples per pass over a row: the matrix moves
//!    through the cache once per panel instead of once per column, in vector registers.
//!
//! # Convergence and failure
//! A pivot below `1e-13` of the largest entry of the matrix is taken for zero: the matrix is reported singular.
//! Callers equilibrate, so that this number means something.
//!
//! # Cost
//! `2/3 n^3` operations to factor, `2 n^2` to solve.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition 2013, sections 3.2.11 and 3.4.4.

use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;

/// Columns eliminated per pass over the rest of the matrix.
const PANEL: usize = 8;

/// A pivot below this multiple of the largest entry is rounding noise (dimensionless; entries are O(1)
/// after equilibration and carry errors of about `n eps`).
const SINGULAR: f64 = 1e-13;

/// The matrix has no reliable inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// An LU factorization and its workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    /// Row-major `n x n`: `U` on and above the diagonal, `L` (unit diagonal) below.
    factors: Vec<f64>,
    /// Row exchanged with row `k` in step `k`.
    exchanged: Vec<usize>,
    /// Copy of the rows of `U` that a panel contributes, `PANEL x n`.
    panel: Vec<f64>,
    /// A factorization that is not done when the time is over ends as a singular one.
    pub(crate) budget: Budget,
}

impl Lu {
    /// Gives the `n x n` matrix to be filled, row-major, before [`Lu::factor`]. Its content is unspecified.
    pub(crate) fn matrix_mut(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.factors.resize(n * n, 0.0);
        self.exchanged.resize(n, 0);
        self.panel.resize(PANEL * n, 0.0);
        &mut self.factors
    }

    /// Reserves the workspace for matrices of `n` rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.factors, n * n);
        reserve_to(&mut self.exchanged, n);
        reserve_to(&mut self.panel, PANEL * n);
    }

    /// Factors the matrix in place.
    ///
    /// # Errors
    /// [`Singular`] when a pivot vanishes to rounding or is NaN. There are no factors then, and [`Lu::solve`] leaves its
    /// vector alone.
    pub(crate) fn factor(&mut self) -> Result<(), Singular> {
        let outcome = self.eliminate_panels();
        if outcome.is_err() {
            self.n = 0;
        }
        outcome
    }

    fn eliminate_panels(&mut self) -> Result<(), Singular> {
        let n = self.n;
        let largest = self.factors.iter().fold(0.0, |worst: f64, v| worst.max(v.abs()));
        let threshold = SINGULAR * largest;
        for start in (0..n).step_by(PANEL) {
            let end = (start + PANEL).min(n);
            if self.budget.is_spent() {
                return Err(Singular);
            }
            for k in start..end {
                self.eliminate(k, end, threshold)?; // steps 1, 2
            }
            if end < n {
                self.solve_panel_rows(start, end); // step 3
                self.update_rest(start, end); // step 4
            }
        }
        Ok(())
    }

    /// Steps 1 and 2: column `k`, acting on the columns up to `end` of the panel only.
    fn eliminate(&mut self, k: usize, end: usize, threshold: f64) -> Result<(), Singular> {
        let n = self.n;
        let mut row = k;
        for i in k + 1..n {
            if self.factors[i * n + k].abs() > self.factors[row * n + k].abs() {
                row = i;
            }
        }
        let pivot = self.factors[row * n + k];
        if pivot.is_nan() || pivot.abs() <= threshold {
            return Err(Singular);
        }
        self.exchanged[k] = row;
        if row != k {
            let (upper, lower) = self.factors.split_at_mut(row * n);
            upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
        }
        let inverse = 1.0 / pivot;
        let (upper, lower) = self.factors.split_at_mut((k + 1) * n);
        let pivot_row = &upper[k * n + k + 1..k * n + end];
        for row in lower.chunks_exact_mut(n) {
            let factor = row[k] * inverse;
            row[k] = factor;
            if factor != 0.0 {
                for (v, u) in row[k + 1..end].iter_mut().zip(pivot_row) {
                    *v -= factor * u;
                }
            }
        }
        Ok(())
    }

    /// Step 3: forward substitution of the panel's unit lower triangle on its rows right of the panel.
    fn solve_panel_rows(&mut self, start: usize, end: usize) {
        let n = self.n;
        for k in start + 1..end {
            let (upper, lower) = self.factors.split_at_mut(k * n);
            let (left, right) = lower[..n].split_at_mut(end);
            for p in start..k {
                let factor = left[p];
                if factor != 0.0 {
                    for (v, u) in right.iter_mut().zip(&upper[p * n + end..(p + 1) * n]) {
                        *v -= factor * u;
                    }
                }
            }
        }
    }

    /// Step 4: rows below the panel, columns right of it.
    fn update_rest(&mut self, start: usize, end: usize) {
        let n = self.n;
        let width = n - end;
        let (upper, lower) = self.factors.split_at_mut(end * n);
        // A panel is followed by columns only when it is full.
        for (k, copy) in (start..end).zip(self.panel.chunks_exact_mut(width)) {
            copy.copy_from_slice(&upper[k * n + end..(k + 1) * n]);
        }
        let mut rows = self.panel.chunks_exact(width);
        let mut u = [&[][..]; PANEL];
        for slot in &mut u {
            *slot = rows.next().unwrap_or(&[]);
        }
        for row in lower.chunks_exact_mut(n) {
            let (left, right) = row.split_at_mut(end);
            let mut factors = [0.0; PANEL];
            factors.copy_from_slice(&left[start..end]);
            if factors != [0.0; PANEL] {
                subtract_multiples(right, &factors, &u);
            }
        }
    }

    /// Replaces `b` by the solution of `A x = b`.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.exchanged[k]);
        }
        for i in 0..n {
            let row = &self.factors[i * n..i * n + i];
            b[i] -= dot(row, &b[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.factors[i * n..(i + 1) * n];
            b[i] = (b[i] - dot(&row[i + 1..], &b[i + 1..n])) / row[i];
        }
    }
}

/// `row -= sum_p factors[p] u[p]`.
fn subtract_multiples(row: &mut [f64], factors: &[f64; PANEL], u: &[&[f64]; PANEL]) {
    let width = row.len();
    let [u0, u1, u2, u3, u4, u5, u6, u7] = u.map(|v| &v[..width]);
    let [f0, f1, f2, f3, f4, f5, f6, f7] = *factors;
    for j in 0..width {
        let low = (f0 * u0[j] + f1 * u1[j]) + (f2 * u2[j] + f3 * u3[j]);
        let high = (f4 * u4[j] + f5 * u5[j]) + (f6 * u6[j] + f7 * u7[j]);
        row[j] -= low + high;
    }
}

/// Inner product with four partial sums in a fixed order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 4;
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sum = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sum[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in a_rest.iter().zip(b_rest).enumerate() {
        sum[lane] += x * y;
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn the_residual_of_random_systems_of_every_size_is_rounding() {
        let mut random = Pcg64::seed_from_u64(1);
        let mut lu = Lu::default();
        for n in (0..40).chain([63, 64, 65, 100]) {
            let a: Vec<f64> = (0..n * n).map(|_| random.random_range(-1.0..1.0)).collect();
            let b: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
            lu.matrix_mut(n).copy_from_slice(&a);
            lu.factor().unwrap();
            let mut x = b.clone();
            lu.solve(&mut x);
            let size = x.iter().fold(1.0, |worst: f64, v| worst.max(v.abs()));
            for i in 0..n {
                let error = dot(&a[i * n..(i + 1) * n], &x) - b[i];
                assert!(error.abs() <= 1e-14 * size * n as f64, "n {n} row {i}: {error:e}");
            }
        }
    }

    #[test]
    fn a_matrix_with_a_repeated_row_is_singular() {
        let mut random = Pcg64::seed_from_u64(2);
        let mut lu = Lu::default();
        for n in 2..=16 {
            let a = lu.matrix_mut(n);
            for v in a.iter_mut() {
                *v = random.random_range(-1.0..1.0);
            }
            a.copy_within(0..n, (n - 1) * n);
            assert_eq!(lu.factor(), Err(Singular), "n {n}");
        }
        lu.matrix_mut(1)[0] = f64::NAN;
        assert_eq!(lu.factor(), Err(Singular));
        lu.matrix_mut(1)[0] = 0.0;
        assert_eq!(lu.factor(), Err(Singular));
    }

    #[test]
    fn after_a_singular_matrix_nothing_of_a_larger_earlier_one_is_used() {
        let mut lu = Lu::default();
        lu.matrix_mut(3).copy_from_slice(&[0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        lu.factor().unwrap();
        lu.matrix_mut(2).fill(0.0);
        assert_eq!(lu.factor(), Err(Singular));
        let mut b = [3.0, 4.0];
        lu.solve(&mut b);
        assert_eq!(b, [3.0, 4.0]);
    }
}
