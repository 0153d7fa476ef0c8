//! The step of the Levenberg-Marquardt method by orthogonal factors.
//!
//! # Problem
//! `d = -(J^T J + lambda I)^-1 J^T f`, the least-squares solution of `[J; sqrt(lambda) I] d = [-f; 0]`, for one square
//! `J` and several `lambda > 0`.
//!
//! # Method
//! 1. Householder reflections make `J` upper triangular, `J = Q R`, and `f` into `Q^T f`. Once per `J`.
//! 2. For each `lambda`: reflections fold the rows `sqrt(lambda) I` into a copy of `R`, column by column; the column
//!    `k` touches row `k` and the first `k + 1` appended rows, which fill up as the folding goes on.
//! 3. Back substitution.
//!
//! # Convergence and failure
//! Backward stable: the condition number is not squared as in the normal equations. With `lambda > 0` the triangle is
//! regular.
//!
//! # Cost
//! `4/3 n^3` operations per `J`, `2/3 n^3` per `lambda`.
//!
//! # References
//! J. J. Moré, *The Levenberg-Marquardt algorithm: implementation and theory*, Lecture Notes in Mathematics 630 (1978)
//! 105-116, section 3. G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th edition 2013, section 5.2.

use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::dot;

/// The factors of one matrix and their workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct DampedLeastSquares {
    n: usize,
    /// `R`, row-major; what is below the diagonal is unspecified.
    triangle: Vec<f64>,
    /// `Q^T f`.
    image: Vec<f64>,
    /// The same with the appended rows folded in.
    folded: Vec<f64>,
    folded_image: Vec<f64>,
    /// The appended rows and their right-hand side.
    appended: Vec<f64>,
    appended_image: Vec<f64>,
    /// The reflection at work and what it adds to each column.
    reflector: Vec<f64>,
    sums: Vec<f64>,
    /// A step that is not done when the time is over is not finite.
    pub(crate) budget: Budget,
}

impl DampedLeastSquares {
    /// Reserves the workspace for `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        for matrix in [&mut self.triangle, &mut self.folded, &mut self.appended] {
            reserve_to(matrix, n * n);
        }
        for vector in [&mut self.image, &mut self.folded_image, &mut self.appended_image, &mut self.sums] {
            reserve_to(vector, n);
        }
        reserve_to(&mut self.reflector, n + 1);
    }

    /// Gives the `n x n` matrix `J` and the vector `f` to be filled before [`DampedLeastSquares::factor`].
    pub(crate) fn data_mut(&mut self, n: usize) -> (&mut [f64], &mut [f64]) {
        self.n = n;
        self.triangle.resize(n * n, 0.0);
        self.image.resize(n, 0.0);
        (&mut self.triangle, &mut self.image)
    }

    /// Step 1.
    pub(crate) fn factor(&mut self) {
        let n = self.n;
        for k in 0..n {
            if self.budget.is_spent() {
                return;
            }
            self.reflector.clear();
            self.reflector.extend(self.triangle[k * n..].chunks_exact(n).map(|row| row[k]));
            let Some((diagonal, factor)) = reflection(&mut self.reflector) else { continue };
            self.sums.clear();
            self.sums.resize(n - k - 1, 0.0);
            for (row, v) in self.triangle[k * n..].chunks_exact(n).zip(&self.reflector) {
                add_multiple(&mut self.sums, factor * v, &row[k + 1..]);
            }
            for (row, v) in self.triangle[k * n..].chunks_exact_mut(n).zip(&self.reflector) {
                add_multiple(&mut row[k + 1..], -v, &self.sums);
            }
            self.triangle[k * n + k] = diagonal;
            let along = factor * dot(&self.reflector, &self.image[k..]);
            self.image[k..].iter_mut().zip(&self.reflector).for_each(|(f, v)| *f -= along * v);
        }
    }

    /// Steps 2 and 3: writes the step into `d` (length `n`). False if it is not finite.
    pub(crate) fn step(&mut self, lambda: f64, d: &mut [f64]) -> bool {
        let n = self.n;
        self.folded.clone_from(&self.triangle);
        self.folded_image.clone_from(&self.image);
        self.appended.clear();
        self.appended.resize(n * n, 0.0);
        self.appended_image.clear();
        self.appended_image.resize(n, 0.0);
        let root = lambda.sqrt();
        for k in 0..n {
            if self.budget.is_spent() {
                return false;
            }
            self.appended[k * n + k] = root;
            self.fold_column(k);
        }
        for k in (0..n).rev() {
            let row = &self.folded[k * n..(k + 1) * n];
            d[k] = (-self.folded_image[k] - dot(&row[k + 1..], &d[k + 1..])) / row[k];
        }
        d.iter().all(|v| v.is_finite())
    }

    fn fold_column(&mut self, k: usize) {
        let n = self.n;
        self.reflector.clear();
        self.reflector.push(self.folded[k * n + k]);
        self.reflector.extend(self.appended.chunks_exact(n).take(k + 1).map(|row| row[k]));
        let Some((diagonal, factor)) = reflection(&mut self.reflector) else { return };
        let (first, rest) = (self.reflector[0], &self.reflector[1..]);
        let own = &mut self.folded[k * n + k + 1..(k + 1) * n];
        self.sums.clear();
        self.sums.resize(n - k - 1, 0.0);
        add_multiple(&mut self.sums, factor * first, own);
        // The last appended row has nothing yet right of its diagonal.
        for (row, v) in self.appended.chunks_exact(n).zip(&rest[..k]) {
            add_multiple(&mut self.sums, factor * v, &row[k + 1..]);
        }
        add_multiple(own, -first, &self.sums);
        for (row, v) in self.appended.chunks_exact_mut(n).zip(rest) {
            add_multiple(&mut row[k + 1..], -v, &self.sums);
        }
        self.folded[k * n + k] = diagonal;
        let along = factor * (first * self.folded_image[k] + dot(rest, &self.appended_image[..=k]));
        self.folded_image[k] -= along * first;
        self.appended_image.iter_mut().zip(rest).for_each(|(f, v)| *f -= along * v);
    }
}

/// Replaces the column `x` by the vector `v` of the reflection `I - factor v v^T` that maps it to `(diagonal, 0, ..)`;
/// none if there is nothing to map.
fn reflection(x: &mut [f64]) -> Option<(f64, f64)> {
    let below = dot(&x[1..], &x[1..]);
    if below == 0.0 {
        return None;
    }
    let norm = (x[0] * x[0] + below).sqrt();
    let diagonal = if x[0] > 0.0 { -norm } else { norm };
    x[0] -= diagonal;
    Some((diagonal, 2.0 / (x[0] * x[0] + below)))
}

/// `target += factor * row`.
fn add_multiple(target: &mut [f64], factor: f64, row: &[f64]) {
    if factor != 0.0 {
        target.iter_mut().zip(row).for_each(|(t, v)| *t += factor * v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn the_step_satisfies_the_normal_equations_for_every_damping() {
        let mut random = Pcg64::seed_from_u64(5);
        let mut squares = DampedLeastSquares::default();
        for n in [1, 2, 3, 7, 8, 9, 20, 33] {
            let mut j: Vec<f64> = (0..n * n).map(|_| random.random_range(-1.0..1.0)).collect();
            if n > 2 {
                j.copy_within(0..n, (n - 1) * n); // singular
                j.iter_mut().skip(1).step_by(n).for_each(|v| *v = 0.0);
            }
            let f: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
            let (matrix, vector) = squares.data_mut(n);
            matrix.copy_from_slice(&j);
            vector.copy_from_slice(&f);
            squares.factor();
            for lambda in [1e-8, 1e-3, 1.0, 1e3] {
                let mut d = vec![0.0; n];
                assert!(squares.step(lambda, &mut d));
                let residual: Vec<f64> = (0..n).map(|i| dot(&j[i * n..(i + 1) * n], &d) + f[i]).collect();
                for k in 0..n {
                    let gradient: f64 = (0..n).map(|i| j[i * n + k] * residual[i]).sum();
                    assert!((gradient + lambda * d[k]).abs() < 1e-12 * n as f64, "n {n} lambda {lambda}");
                }
            }
        }
    }

    #[test]
    fn with_vanishing_damping_the_step_is_newtons() {
        // Condition 1e10: normal equations would see a singular matrix.
        let mut squares = DampedLeastSquares::default();
        let (matrix, vector) = squares.data_mut(2);
        matrix.copy_from_slice(&[1.0, 1.0, 1.0, 1.0 + 1e-10]);
        vector.copy_from_slice(&[2.0, 2.0 + 1e-10]);
        squares.factor();
        let mut d = [0.0; 2];
        assert!(squares.step(1e-25, &mut d));
        assert!(d.iter().all(|d| (d + 1.0).abs() < 1e-4), "{d:?}");
    }
}
