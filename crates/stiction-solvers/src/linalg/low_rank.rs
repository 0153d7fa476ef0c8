//! Solutions of least norm of square systems that may be singular, by elimination with diagonal pivots.
//!
//! # Problem
//! `A x = b` with `b` in the range of `A`: of all solutions the one of least norm.
//!
//! # Method
//! 1. `A = L U` by elimination; the pivot is the largest entry left on the diagonal, and elimination ends where all of them are
//!    rounding. Rows of `U` are divided by their pivots. Only the rows and columns of pivots are ever computed.
//! 2. `L z = b` at the rows of the pivots.
//! 3. Regular: `U x = z`. Else `x = U^T (U U^T)^-1 z`.
//!
//! # Convergence and failure
//! Diagonal pivots suffice for monotone matrices and whatever is near one; elsewhere the answer may be none, so callers check it. What
//! is in `b` beyond the range counts for nothing at rows without a pivot.
//!
//! # Cost
//! `2 n r^2` operations for the rank `r`.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition 2013, sections 4.2.8 and 5.5.

use crate::linalg::capacity::{reserve_to, resize_unset};
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;

/// A diagonal entry below this part of the largest one of the matrix is rounding.
const RANK: f64 = 1e-12;

/// The factors and their workspace. Keeps its capacity.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowRank {
    n: usize,
    /// Row of each pivot.
    pivots: Vec<usize>,
    /// Columns of `L` and rows of `U`, one after the other.
    left: Vec<f64>,
    right: Vec<f64>,
    diagonal: Vec<f64>,
    /// Of `U U^T`, where the matrix is singular.
    gram: Cholesky,
    z: Vec<f64>,
}

impl LowRank {
    /// Reserves memory for matrices of `n` rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.pivots, n);
        for list in [&mut self.left, &mut self.right] {
            reserve_to(list, n * n);
        }
        self.gram.reserve(n);
        for list in [&mut self.diagonal, &mut self.z] {
            reserve_to(list, n);
        }
    }

    /// Step 1 for a matrix of `n` rows, row-major; whether it could be factored.
    pub(crate) fn factor(&mut self, n: usize, matrix: &[f64]) -> bool {
        self.n = n;
        self.pivots.clear();
        self.left.clear();
        self.right.clear();
        self.diagonal.clear();
        self.diagonal.extend((0..n).map(|i| matrix[i * n + i]));
        let largest = self.diagonal.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
        while self.pivots.len() < n {
            let Some(pivot) = self.next_pivot(RANK * largest) else { break };
            self.eliminate(matrix, pivot);
        }
        resize_unset(&mut self.z, self.pivots.len());
        self.pivots.len() == n || self.factor_gram()
    }

    /// The row of the largest entry that is left on the diagonal, if it is more than rounding.
    fn next_pivot(&self, rounding: f64) -> Option<usize> {
        let mut best = (rounding, None);
        for (i, d) in self.diagonal.iter().enumerate() {
            if d.abs() > best.0 {
                best = (d.abs(), Some(i));
            }
        }
        best.1
    }

    fn eliminate(&mut self, matrix: &[f64], pivot: usize) {
        let (n, rank) = (self.n, self.pivots.len());
        self.right.extend_from_slice(&matrix[pivot * n..(pivot + 1) * n]);
        self.left.extend((0..n).map(|i| matrix[i * n + pivot]));
        let (old_right, row) = self.right.split_at_mut(rank * n);
        let (old_left, column) = self.left.split_at_mut(rank * n);
        for (u, l) in old_right.chunks_exact(n).zip(old_left.chunks_exact(n)) {
            let (at_row, at_column) = (l[pivot], u[pivot]);
            row.iter_mut().zip(u).for_each(|(v, u)| *v -= at_row * u);
            column.iter_mut().zip(l).for_each(|(v, l)| *v -= at_column * l);
        }
        for &earlier in &self.pivots {
            (row[earlier], column[earlier]) = (0.0, 0.0);
        }
        let inverse = 1.0 / row[pivot];
        row.iter_mut().for_each(|v| *v *= inverse);
        row[pivot] = 1.0;
        self.diagonal.iter_mut().zip(row.iter().zip(column.iter())).for_each(|(d, (u, l))| *d -= u * l);
        self.pivots.push(pivot);
        self.pivots.iter().for_each(|&done| self.diagonal[done] = 0.0);
    }

    /// The factor of step 3; whether `U U^T` is definite.
    fn factor_gram(&mut self) -> bool {
        let (n, right) = (self.n, &self.right);
        let row = |i: usize| &right[i * n..(i + 1) * n];
        self.gram.clear();
        self.gram.extend(self.pivots.len(), |i, j| dot(row(i), row(j)), 0.0).is_ok()
    }

    /// Steps 2 and 3: writes the solution for `b` to `x` (n each).
    pub(crate) fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let (n, rank) = (self.n, self.pivots.len());
        let Self { pivots, left, right, gram, z, .. } = self;
        for k in 0..rank {
            let sum: f64 = (0..k).map(|m| left[m * n + pivots[k]] * z[m]).sum();
            z[k] = (b[pivots[k]] - sum) / left[k * n + pivots[k]];
        }
        x.fill(0.0);
        if rank == n {
            for k in (0..rank).rev() {
                let sum: f64 = (k + 1..rank).map(|m| right[k * n + pivots[m]] * x[pivots[m]]).sum();
                x[pivots[k]] = z[k] - sum;
            }
            return;
        }
        gram.solve(z);
        for (z, row) in z.iter().zip(right.chunks_exact(n.max(1))) {
            x.iter_mut().zip(row).for_each(|(x, u)| *x += z * u);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// `Y K Y^T` with a random `Y` of `n x r` and a random `K` whose symmetric part is definite.
    fn monotone(random: &mut rand_pcg::Pcg64, n: usize, r: usize) -> Vec<f64> {
        let y: Vec<f64> = (0..n * r).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut skew = vec![0.0; r * r];
        for i in 0..r {
            skew[i * r + i] = 1.0;
            for j in 0..i {
                skew[i * r + j] = random.random_range(-0.5..0.5);
                skew[j * r + i] = -skew[i * r + j];
            }
        }
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                for (k, l) in (0..r).flat_map(|k| (0..r).map(move |l| (k, l))) {
                    a[i * n + j] += y[i * r + k] * skew[k * r + l] * y[j * r + l];
                }
            }
        }
        a
    }

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
    }

    #[test]
    fn singular_monotone_systems_are_solved_with_no_part_in_the_kernel() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(5);
        let mut factors = LowRank::default();
        for (n, r) in [(1, 1), (4, 4), (6, 2), (12, 6), (30, 27), (72, 27)] {
            let a = monotone(&mut random, n, r);
            let some: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
            let b = times(&a, &some);
            let mut x = vec![0.0; n];
            assert!(factors.factor(n, &a));
            assert_eq!(factors.pivots.len(), r);
            factors.solve(&b, &mut x);
            let left = times(&a, &x).iter().zip(&b).fold(0.0, |most: f64, (u, v)| most.max((u - v).abs()));
            assert!(left < 1e-9, "{n} rows of rank {r}: {left:e}");
            // What two solutions differ by is in the kernel: of least norm is the one without a part there.
            let apart: Vec<f64> = x.iter().zip(&some).map(|(x, y)| y - x).collect();
            assert!(dot(&apart, &x).abs() < 1e-9 * n as f64, "{n} rows of rank {r}");
        }
    }

    #[test]
    fn a_matrix_of_zeros_has_no_pivot_and_the_solution_zero() {
        let mut factors = LowRank::default();
        assert!(factors.factor(3, &[0.0; 9]));
        let mut x = [1.0; 3];
        factors.solve(&[0.0; 3], &mut x);
        assert_eq!(x, [0.0; 3]);
    }
}
