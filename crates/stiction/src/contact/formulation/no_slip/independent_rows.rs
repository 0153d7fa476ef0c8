//! The largest independent set of rows, found one by one (Drumwright 2015, algorithm 2, FIND-INDICES).
//!
//! Kept is the Cholesky factor of `Y_k Y_k^T` for the rows `k` chosen so far, `G = Y Y^T` the Delassus operator. A row that
//! comes next has the products `l` with the orthonormal directions of those (`L l = G_k,i`), and `G_ii - l . l` is the square
//! of what it has across them: the pivot. A row without, relative to `G_ii`, depends on the others and is skipped. Only
//! entries of `G` in chosen columns are ever read: `n` rows of rank `r` cost `n r^2`, whatever `n`.

use crate::contact::island::IslandProblem;

/// A pivot below this part of its diagonal belongs to a dependent row. Rounding leaves a millionth of that; but the ends of a
/// rod that lies down within the step are held along it by rows that differ by the angle it still has to turn, about 1e-6, and
/// to hold both would keep it from turning. (The paper's own code takes 1e-6.)
pub(crate) const DEPENDENT: f64 = 1e-9;

/// Rows chosen so far.
#[derive(Debug, Default)]
pub(crate) struct IndependentRows {
    chosen: Vec<usize>,
    /// Row `k` of the factor, `k + 1` entries, begins at `k (k + 1) / 2`.
    factor: Vec<f64>,
}

impl IndependentRows {
    /// No row chosen, and capacity for `n`.
    pub(crate) fn clear(&mut self, n: usize) {
        self.chosen.clear();
        self.chosen.reserve(n);
        self.factor.clear();
        self.factor.reserve(n * (n + 1) / 2);
    }

    /// The rows in the order of their choice.
    pub(crate) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Writes to `l` the products of row `i` with the directions of the chosen rows, and chooses it if it is independent of
    /// them, with one more entry in `l` for its own direction.
    pub(crate) fn offer(&mut self, island: &IslandProblem, i: usize, l: &mut Vec<f64>) -> bool {
        l.clear();
        for (k, &j) in self.chosen.iter().enumerate() {
            let row = self.row(k);
            l.push((island.entry(i, j) - dot(&row[..k], l)) / row[k]);
        }
        let diagonal = island.entry(i, i);
        let pivot = diagonal - dot(l, l);
        let independent = pivot > DEPENDENT * diagonal && pivot > 0.0;
        if independent {
            l.push(pivot.sqrt());
            self.factor.extend_from_slice(l);
            self.chosen.push(i);
        }
        independent
    }

    /// Replaces `b` by the solution of `L x = b`, for the first `b.len()` rows.
    pub(crate) fn solve_lower(&self, b: &mut [f64]) {
        for k in 0..b.len() {
            let row = self.row(k);
            b[k] = (b[k] - dot(&row[..k], &b[..k])) / row[k];
        }
    }

    /// Replaces `b` by the solution of `L^T x = b`, for the first `b.len()` rows.
    pub(crate) fn solve_upper(&self, b: &mut [f64]) {
        for k in (0..b.len()).rev() {
            let row = self.row(k);
            let x = b[k] / row[k];
            b[k] = x;
            b[..k].iter_mut().zip(row).for_each(|(b, l)| *b -= l * x);
        }
    }

    fn row(&self, k: usize) -> &[f64] {
        &self.factor[k * (k + 1) / 2..(k + 1) * (k + 2) / 2]
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
