//! Dense Cholesky factor of a matrix that gains and loses rows, in reused memory.
//!
//! # Problem
//! `A = L L^T` for a symmetric positive definite `A`, then `A x = b`; the same factor after `A` has been bordered, has
//! lost a row and column, or has become `A + v v^T` or `A - v v^T`, without factoring again.
//!
//! # Method
//! `L` is kept packed, row by row, so that a new last row is a push.
//! 1. *Append* a row and column `(a, alpha)`: `L l = a`, and the new pivot is `alpha - l . l`. *Extend* by many rows: column
//!    after column of `L`, each taken out of the rest of all new rows at once, which has no chain of dependent sums.
//! 2. *Insert* at `k`: append, move the new row up to `k`, and make `L` triangular again by plane reflections of
//!    neighbouring columns, from the last to `k`.
//! 3. *Remove* row `k`: the rows below move up, each with one entry right of the diagonal; plane rotations of
//!    neighbouring columns, from `k` to the last, take it back.
//! 4. *Update*: plane rotations of `v` into the columns of `L`, first to last.
//! 5. *Downdate*: `L p = v`; with `1 - p . p > 0` rotations from last to first take `v` out again.
//!
//! # Convergence and failure
//! Steps 2, 3 and 4 are orthogonal transformations and cannot fail. Errors in `L L^T` add up: over random sequences of
//! changes they stay within 1.2 `eps` a change, relative to the largest trace on the way.
//! Step 1 fails when the new pivot is not a positive part of `alpha` as large as the caller asks, step 5 when `1 - p . p`
//! is within `n` rounding errors of zero: the new matrix is then not definite, and the factor is left as it was.
//! [`Cholesky::factor`] alone leaves an empty factor behind on failure. No entry of a factor is ever NaN.
//!
//! # Cost
//! `n^3 / 3` to factor, `n^2` to append, `2 n^2` to solve, `3 (n - k)^2` for the reflections and rotations of 2 and 3,
//! `3 n^2` to update, `4 n^2` to downdate.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th edition 2013, sections 4.2 and 6.5. J. J. Dongarra,
//! C. B. Moler, J. R. Bunch, G. W. Stewart, *LINPACK Users' Guide*, 1979, chapter 10 (step 5).

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::dot;

/// The matrix is not positive definite: this pivot, with this value, is not positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NotPositiveDefinite {
    pub(crate) pivot: usize,
    pub(crate) value: f64,
}

/// A lower triangular factor with positive diagonal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    n: usize,
    /// Row `i` has `i + 1` entries and begins at `i (i + 1) / 2`.
    factor: Vec<f64>,
    /// The plane rotations of one change, and a vector to work on.
    rotations: Vec<[f64; 2]>,
    work: Vec<f64>,
    column: Vec<f64>,
}

/// Where row `i` begins; also the number of entries of a factor of `i` rows.
const fn begin(i: usize) -> usize {
    i * (i + 1) / 2
}

/// `(c, s, r)` with `c a + s b = r = |(a, b)|` and `c b = s a`, without overflow; `(1, 0, 0)` for nothing.
fn rotation(a: f64, b: f64) -> [f64; 3] {
    let size = a.abs().max(b.abs());
    if size == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (a, b) = (a / size, b / size);
    let norm = (a * a + b * b).sqrt();
    [a / norm, b / norm, size * norm]
}

impl Cholesky {
    /// Number of rows.
    #[cfg_attr(not(test), allow(dead_code, reason = "solvers know how many rows they have put in"))]
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Removes all rows; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.n = 0;
        self.factor.clear();
    }

    /// Removes all rows from `n` on.
    pub(crate) fn truncate(&mut self, n: usize) {
        self.n = self.n.min(n);
        self.factor.truncate(begin(self.n));
    }

    /// Reserves the workspace for `n` rows, so that no change up to that size allocates.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.factor, begin(n));
        reserve_to(&mut self.rotations, n);
        reserve_to(&mut self.work, n);
        reserve_to(&mut self.column, n);
    }

    /// Row `i` of the factor, `i + 1` entries.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.factor[begin(i)..begin(i + 1)]
    }

    /// Factors the row-major `n x n` matrix, of which the lower triangle is read.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] names the first pivot that is not positive; the factor is then empty.
    pub(crate) fn factor(&mut self, matrix: &[f64], n: usize) -> Result<(), NotPositiveDefinite> {
        self.clear();
        self.reserve(n);
        for i in 0..n {
            if let Err(lost) = self.append(&matrix[i * n..i * n + i + 1], 0.0) {
                self.clear();
                return Err(lost);
            }
        }
        Ok(())
    }

    /// Step 1. `row` has `n + 1` entries: the products with the rows so far, then the new diagonal entry. The new pivot
    /// must exceed `smallest` times that entry.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] if it does not (or is not finite); the factor is unchanged.
    pub(crate) fn append(&mut self, row: &[f64], smallest: f64) -> Result<(), NotPositiveDefinite> {
        let n = self.n;
        let start = self.factor.len();
        self.factor.extend_from_slice(&row[..=n]);
        let (above, new) = self.factor.split_at_mut(start);
        solve_lower(above, &mut new[..n]);
        let value = row[n] - dot(&new[..n], &new[..n]);
        if !(value > (smallest * row[n]).max(0.0) && value.is_finite()) {
            self.factor.truncate(start);
            return Err(NotPositiveDefinite { pivot: n, value });
        }
        new[n] = value.sqrt();
        self.n += 1;
        Ok(())
    }

    /// Step 1 for `count` rows: `entry(i, j)` with `j <= i` is an entry of the matrix, whose rows count on from those that are
    /// here. Each pivot must exceed `smallest` times its diagonal entry.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] names the first pivot that does not (or is not finite); the rows before it have been added.
    pub(crate) fn extend(
        &mut self,
        count: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
        smallest: f64,
    ) -> Result<(), NotPositiveDefinite> {
        let (old, n) = (self.n, self.n + count);
        for i in old..n {
            self.factor.extend((0..=i).map(|j| entry(i, j)));
        }
        // Least allowed pivots, and the column that is taken out.
        self.work.clear();
        self.work.extend((0..n).map(|i| if i < old { 0.0 } else { smallest * self.factor[begin(i) + i] }));
        self.column.clear();
        self.column.resize(n, 0.0);
        for k in 0..n {
            let mut pivot = self.factor[begin(k) + k];
            if k >= old {
                if !(pivot > self.work[k].max(0.0) && pivot.is_finite()) {
                    self.truncate(k);
                    self.n = k;
                    return Err(NotPositiveDefinite { pivot: k, value: pivot });
                }
                pivot = pivot.sqrt();
                self.factor[begin(k) + k] = pivot;
            }
            let inverse = 1.0 / pivot;
            for i in k + 1..n {
                let l = &mut self.factor[begin(i) + k];
                if i >= old {
                    *l *= inverse;
                }
                self.column[i] = *l;
            }
            for i in old.max(k + 1)..n {
                let l = self.column[i];
                let rest = &mut self.factor[begin(i) + k + 1..=begin(i) + i];
                rest.iter_mut().zip(&self.column[k + 1..=i]).for_each(|(a, c)| *a -= l * c);
            }
        }
        self.n = n;
        Ok(())
    }

    /// Adds a finished last row of the factor, `n + 1` entries, the last of them positive: what an orthogonal factorization
    /// of the rows behind the matrix gives without their products.
    pub(crate) fn push(&mut self, row: &[f64]) {
        self.factor.extend_from_slice(&row[..=self.n]);
        self.n += 1;
    }

    /// Step 2: makes the row described as in [`Cholesky::append`] row `at` (at most `n`) of the matrix.
    ///
    /// # Errors
    /// As [`Cholesky::append`].
    #[cfg_attr(not(test), allow(dead_code, reason = "pivoting appends and removes only"))]
    pub(crate) fn insert(
        &mut self,
        at: usize,
        row: &[f64],
        smallest: f64,
    ) -> Result<(), NotPositiveDefinite> {
        self.append(row, smallest)?;
        let last = self.n - 1;
        self.work.clear();
        self.work.extend_from_slice(&self.factor[begin(last)..]);
        self.rotations.clear();
        self.rotations.resize(last, [1.0, 0.0]);
        for j in (at..last).rev() {
            let [c, s, r] = rotation(self.work[j], self.work[j + 1]);
            self.rotations[j] = [c, s];
            self.work[j] = r;
        }
        // Row i becomes row i + 1; s > 0 because the new pivot is, and with it every diagonal entry stays positive.
        for i in (at..last).rev() {
            let (from, to) = (begin(i), begin(i + 1));
            self.factor.copy_within(from..to, to);
            let row = &mut self.factor[to..to + i + 2];
            row[i + 1] = 0.0;
            for j in (at..=i).rev() {
                let ([c, s], [x, y]) = (self.rotations[j], [row[j], row[j + 1]]);
                row[j] = c * x + s * y;
                row[j + 1] = s * x - c * y;
            }
        }
        self.factor[begin(at)..begin(at + 1)].copy_from_slice(&self.work[..=at]);
        Ok(())
    }

    /// Step 3: the factor of the matrix without row and column `at`. Returns the rotations `(c, s)` of the columns `j` and
    /// `j + 1` into `c x + s y` and `c y - s x`, for `j = at` upwards, to apply to what belongs to the columns.
    pub(crate) fn remove(&mut self, at: usize) -> &[[f64; 2]] {
        self.rotations.clear();
        for i in at + 1..self.n {
            let row = &mut self.factor[begin(i)..begin(i + 1)];
            for (j, [c, s]) in (at..).zip(&self.rotations) {
                let [x, y] = [row[j], row[j + 1]];
                row[j] = c * x + s * y;
                row[j + 1] = c * y - s * x;
            }
            let [c, s, r] = rotation(row[i - 1], row[i]);
            row[i - 1] = r;
            self.rotations.push([c, s]);
            self.factor.copy_within(begin(i)..begin(i) + i, begin(i - 1));
        }
        self.n -= 1;
        self.factor.truncate(begin(self.n));
        &self.rotations
    }

    /// Step 4: the factor of `A + v v^T`; `v` (`n` entries, finite) is used up.
    #[cfg_attr(not(test), allow(dead_code, reason = "pivoting appends and removes only"))]
    pub(crate) fn update(&mut self, v: &mut [f64]) {
        self.rotations.clear();
        for i in 0..self.n {
            let row = &mut self.factor[begin(i)..begin(i + 1)];
            let mut x = v[i];
            for (entry, [c, s]) in row.iter_mut().zip(&self.rotations) {
                (*entry, x) = (c * *entry + s * x, c * x - s * *entry);
            }
            let [c, s, r] = rotation(row[i], x);
            row[i] = r;
            self.rotations.push([c, s]);
        }
    }

    /// Step 5: the factor of `A - v v^T`; `v` (`n` entries) is used up.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`], with `1 - v^T A^-1 v` as its value, if that is not positive beyond rounding; the factor
    /// is unchanged.
    #[cfg_attr(not(test), allow(dead_code, reason = "pivoting appends and removes only"))]
    pub(crate) fn downdate(&mut self, v: &mut [f64]) -> Result<(), NotPositiveDefinite> {
        let n = self.n;
        self.solve_lower(v);
        let value = 1.0 - dot(&v[..n], &v[..n]);
        // The product of n terms carries about n rounding errors of 1.
        if value.is_nan() || value <= f64::EPSILON * n as f64 {
            return Err(NotPositiveDefinite { pivot: n, value });
        }
        let mut rest = value.sqrt();
        self.rotations.clear();
        self.rotations.resize(n, [1.0, 0.0]);
        for k in (0..n).rev() {
            let [c, s, r] = rotation(rest, v[k]);
            self.rotations[k] = [c, s];
            rest = r;
        }
        for i in 0..n {
            let row = &mut self.factor[begin(i)..begin(i + 1)];
            let mut x = 0.0;
            for (entry, [c, s]) in row.iter_mut().zip(&self.rotations).rev() {
                (*entry, x) = (c * *entry - s * x, c * x + s * *entry);
            }
        }
        Ok(())
    }

    /// Replaces `b` by the solution of `L x = b`.
    pub(crate) fn solve_lower(&self, b: &mut [f64]) {
        solve_lower(&self.factor, &mut b[..self.n]);
    }

    /// Replaces `b` by the solution of `L^T x = b`.
    pub(crate) fn solve_upper(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            let row = self.row(i);
            let x = b[i] / row[i];
            b[i] = x;
            for (b, l) in b[..i].iter_mut().zip(row) {
                *b -= l * x;
            }
        }
    }

    /// Replaces `b` by the solution of `A x = b`.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }
}

/// Forward substitution with a packed factor of at least `b.len()` rows.
fn solve_lower(factor: &[f64], b: &mut [f64]) {
    for i in 0..b.len() {
        let row = &factor[begin(i)..begin(i + 1)];
        b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// A symmetric matrix that goes through the same changes as the factor.
    struct Matrix {
        n: usize,
        a: Vec<f64>,
    }

    impl Matrix {
        /// The row described as [`Cholesky::append`] wants it becomes row and column `at`.
        fn insert(&mut self, at: usize, row: &[f64]) {
            let (old, n) = (std::mem::take(&mut self.a), self.n);
            // Where row i of the new matrix comes from in `row` and in the old one.
            let source = |i: usize| if i == at { n } else { i - usize::from(i > at) };
            self.n += 1;
            self.a = (0..self.n * self.n)
                .map(|at| match [source(at / (n + 1)), source(at % (n + 1))] {
                    [i, j] if i == n => row[j],
                    [i, j] if j == n => row[i],
                    [i, j] => old[i * n + j],
                })
                .collect();
        }

        fn remove(&mut self, at: usize) {
            let n = self.n;
            self.a = (0..n * n).filter(|e| e / n != at && e % n != at).map(|e| self.a[e]).collect();
            self.n -= 1;
        }

        fn add(&mut self, sign: f64, v: &[f64]) {
            for e in 0..self.n * self.n {
                self.a[e] += sign * v[e / self.n] * v[e % self.n];
            }
        }

        fn trace(&self) -> f64 {
            (0..self.n).map(|i| self.a[i * self.n + i]).sum()
        }

        /// Largest entry of `L L^T - A`, relative to the trace of `A`.
        fn error(&self, factor: &Cholesky) -> f64 {
            assert_eq!(factor.len(), self.n);
            let mut worst: f64 = 0.0;
            for i in 0..self.n {
                assert!(factor.row(i)[i] > 0.0 && factor.row(i).iter().all(|l| l.is_finite()));
                for j in 0..=i {
                    let product = dot(&factor.row(i)[..=j], factor.row(j));
                    worst = worst.max((product - self.a[i * self.n + j]).abs());
                }
            }
            if self.n == 0 { 0.0 } else { worst / self.trace() }
        }
    }

    #[test]
    fn rows_added_at_once_are_those_added_one_by_one_and_a_dependent_one_is_named() {
        let mut random = Pcg64::seed_from_u64(32);
        let n = 24;
        let y = uniform(&mut random, n * n);
        let product = |i: usize, j: usize| dot(&y[i * n..(i + 1) * n], &y[j * n..(j + 1) * n]);
        for old in [0, 1, 7, n] {
            let (mut one, mut many) = (Cholesky::default(), Cholesky::default());
            for i in 0..n {
                let row: Vec<f64> = (0..=i).map(|j| product(i, j)).collect();
                one.append(&row, 1e-13).unwrap();
            }
            many.extend(old, product, 1e-13).unwrap();
            many.extend(n - old, product, 1e-13).unwrap();
            let size = one.factor.iter().fold(0.0, |size: f64, l| size.max(l.abs()));
            assert_eq!(many.factor.len(), one.factor.len());
            assert!(many.factor.iter().zip(&one.factor).all(|(a, b)| (a - b).abs() < 1e-10 * size));
            // Row 0 again in place n, where it depends on the others.
            many.truncate(n - 1);
            let lost = many.extend(3, |i, j| product(i % n, j % n), 1e-10).unwrap_err();
            assert_eq!((lost.pivot, many.len()), (n, n));
        }
    }

    fn uniform(random: &mut Pcg64, count: usize) -> Vec<f64> {
        (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
    }

    /// Up to 39 changes and 20 rows; a row that would leave a pivot below `1e-6` of its diagonal is refused.
    #[test]
    fn ten_thousand_random_sequences_of_changes_end_at_the_factor_of_the_changed_matrix() {
        let mut random = Pcg64::seed_from_u64(31);
        let (mut worst_matrix, mut worst_factor, mut refused): (f64, f64, usize) = (0.0, 0.0, 0);
        let mut changed = Cholesky::default();
        let mut fresh = Cholesky::default();
        for _ in 0..10_000 {
            let steps = random.random_range(1..40);
            let mut matrix = Matrix { n: 0, a: Vec::new() };
            let mut largest: f64 = 0.0;
            changed.clear();
            for _ in 0..steps {
                let n = matrix.n;
                match random.random_range(0..6) {
                    0..3 if n < 20 => {
                        let at = random.random_range(0..=n);
                        let mut row = uniform(&mut random, n + 1);
                        // Large enough a diagonal most of the time.
                        row[n] = random.random_range(0.1..n as f64 + 1.0);
                        match changed.insert(at, &row, 1e-6) {
                            Ok(()) => matrix.insert(at, &row),
                            Err(_) => refused += 1,
                        }
                    }
                    3 if n > 0 => {
                        let at = random.random_range(0..n);
                        changed.remove(at);
                        matrix.remove(at);
                    }
                    4 => {
                        let mut v = uniform(&mut random, n);
                        matrix.add(1.0, &v);
                        changed.update(&mut v);
                    }
                    5 => {
                        let v = uniform(&mut random, n);
                        // A downdate amplifies what is there by 1 / (1 - v^T A^-1 v): keep away from singular.
                        let mut p = v.clone();
                        changed.solve_lower(&mut p);
                        if dot(&p, &p) < 0.999 {
                            changed.downdate(&mut v.clone()).unwrap();
                            matrix.add(-1.0, &v);
                        } else if dot(&p, &p) > 1.001 {
                            let before = changed.clone();
                            assert!(changed.downdate(&mut v.clone()).is_err());
                            assert_eq!(before.factor, changed.factor);
                            refused += 1;
                        }
                    }
                    _ => {}
                }
                largest = largest.max(matrix.trace());
            }
            if matrix.n == 0 {
                continue;
            }
            // Backward error, in units of the rounding of the largest matrix on the way, per change.
            let error = matrix.error(&changed) * matrix.trace() / (f64::EPSILON * largest * steps as f64);
            worst_matrix = worst_matrix.max(error);
            fresh.factor(&matrix.a, matrix.n).unwrap();
            let rhs = uniform(&mut random, matrix.n);
            let [mut x, mut y] = [rhs.clone(), rhs];
            changed.solve(&mut x);
            fresh.solve(&mut y);
            let size = y.iter().fold(0.0, |s: f64, v| s.max(v.abs()));
            let off = x.iter().zip(&y).fold(0.0, |s: f64, (a, b)| s.max((a - b).abs()));
            worst_factor = worst_factor.max(off / size);
        }
        eprintln!(
            "backward error {worst_matrix:.2} eps per change, solution {worst_factor:.1e}, refused {refused}"
        );
        assert!(refused > 1000);
        assert!(worst_matrix < 3.0, "{worst_matrix}");
        assert!(worst_factor < 1e-9, "{worst_factor:e}");
    }

    #[test]
    fn the_factor_of_a_small_matrix_is_the_one_computed_by_hand() {
        let mut factor = Cholesky::default();
        factor.factor(&[4.0, 9.0, 2.0, 10.0], 2).unwrap();
        assert_eq!([factor.row(0), factor.row(1)], [&[2.0][..], &[1.0, 3.0]]);
        let mut b = [8.0, 22.0];
        factor.solve(&mut b);
        assert_eq!(b, [1.0, 2.0]);
    }

    #[test]
    fn what_is_not_definite_is_an_error_and_leaves_the_factor_as_it_was() {
        let mut factor = Cholesky::default();
        factor.factor(&[2.0, 1.0, 1.0, 2.0], 2).unwrap();
        let before = factor.clone();
        // The sum of both rows, a NaN, and a diagonal entry below zero.
        for row in [[3.0, 3.0, 6.0], [f64::NAN, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, f64::INFINITY]] {
            assert!(factor.append(&row, 1e-12).is_err(), "{row:?}");
            assert!(factor.insert(0, &row, 1e-12).is_err(), "{row:?}");
        }
        // The square of (1, 1) in the metric of the inverse is 2/3: twice that is too much, and so is NaN.
        assert!(factor.downdate(&mut [1.5, 1.5]).is_err());
        assert!(factor.downdate(&mut [f64::NAN, 0.0]).is_err());
        assert_eq!((before.n, &before.factor), (factor.n, &factor.factor));
        assert!(factor.downdate(&mut [1.0, 1.0]).is_ok());
        let lost = factor.factor(&[1.0, 2.0, 2.0, 1.0], 2).unwrap_err();
        assert_eq!((lost, factor.len()), (NotPositiveDefinite { pivot: 1, value: -3.0 }, 0));
    }

    #[test]
    fn entries_near_the_ends_of_the_range_of_numbers_survive_every_change() {
        for size in [1e-150, 1e150] {
            let mut factor = Cholesky::default();
            factor.append(&[size], 0.0).unwrap();
            factor.insert(0, &[0.5 * size, size], 0.0).unwrap();
            let mut v = [0.5, 0.5].map(|v| v * size.sqrt());
            factor.update(&mut v.clone());
            factor.downdate(&mut v).unwrap();
            factor.remove(0);
            assert!((factor.row(0)[0] / size.sqrt() - 1.0).abs() < 1e-14);
        }
    }
}
