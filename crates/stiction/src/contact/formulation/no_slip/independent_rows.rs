//! The largest independent set of rows, found one by one (Drumwright 2015, algorithm 2, FIND-INDICES).
//!
//! Kept are orthonormal directions `Q` in the space of velocities that span the rows `Y_k` chosen so far, and the triangular `L`
//! with `Y_k = L Q`. A row that comes next has the products `l = Q y` with them and the rest `y - Q^T l` across them, by
//! Gram and Schmidt's method, twice: what is left of a row is then known to rounding of the row (Giraud, Langou and Rozloznik,
//! *The loss of orthogonality in the Gram-Schmidt orthogonalization process*, 2005). A row without a rest depends on the others
//! and is skipped. `n` rows of `m` velocities cost `n m^2` at most, whatever `n`; nothing is of the size `n^2`.

use crate::contact::formulation::normal::{FactoredIsland, dot};

/// A rest whose square is below this part of the row's belongs to a dependent row. Rounding leaves a billionth of a billionth of
/// that; but the ends of a rod that lies down within the step are held along it by rows that differ by the angle it still has to
/// turn, about 1e-6, and to hold both would keep it from turning. (The paper's own code takes 1e-6.)
pub(super) const DEPENDENT: f64 = 1e-9;

/// Rows chosen so far.
#[derive(Debug, Default)]
pub(super) struct IndependentRows {
    columns: usize,
    chosen: Vec<usize>,
    /// `Q`, a direction after the other.
    directions: Vec<f64>,
    /// Row `k` of `L`, `k + 1` entries, begins at `k (k + 1) / 2`.
    factor: Vec<f64>,
}

impl IndependentRows {
    /// No row chosen, and capacity for as many as there are velocities.
    pub(super) fn clear(&mut self, columns: usize) {
        self.columns = columns;
        self.chosen.clear();
        self.chosen.reserve(columns);
        self.directions.clear();
        self.directions.reserve(columns * columns);
        self.factor.clear();
        self.factor.reserve(columns * (columns + 1) / 2);
    }

    /// The rows in the order of their choice.
    pub(super) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Writes the products of a row with the directions to `l`, and what it has across them to `rest`. Whether that is more than
    /// rounding.
    pub(super) fn project(
        &self,
        rows: &FactoredIsland,
        row: usize,
        l: &mut Vec<f64>,
        rest: &mut [f64],
    ) -> bool {
        rest.fill(0.0);
        rows.add(row, 1.0, rest);
        l.clear();
        l.resize(self.chosen.len(), 0.0);
        let square = dot(rest, rest);
        for _ in 0..2 {
            for (l, q) in l.iter_mut().zip(self.directions.chunks_exact(self.columns.max(1))) {
                let part = dot(q, rest);
                if part == 0.0 {
                    continue; // other bodies
                }
                *l += part;
                rest.iter_mut().zip(q).for_each(|(r, q)| *r -= part * q);
            }
        }
        dot(rest, rest) > DEPENDENT * square
    }

    /// Chooses a row if it is independent of those chosen. `l` and `rest` are memory to reuse.
    pub(super) fn offer(
        &mut self,
        rows: &FactoredIsland,
        row: usize,
        l: &mut Vec<f64>,
        rest: &mut [f64],
    ) -> bool {
        if self.chosen.len() == self.columns || !self.project(rows, row, l, rest) {
            return false;
        }
        let length = dot(rest, rest).sqrt();
        self.directions.extend(rest.iter().map(|r| r / length));
        self.factor.extend_from_slice(l);
        self.factor.push(length);
        self.chosen.push(row);
        true
    }

    /// Forgets all but the first `count` rows chosen.
    pub(super) fn keep(&mut self, count: usize) {
        self.chosen.truncate(count);
        self.directions.truncate(count * self.columns);
        self.factor.truncate(count * (count + 1) / 2);
    }

    /// Replaces `b` by the solution of `L x = b`.
    pub(super) fn solve_lower(&self, b: &mut [f64]) {
        for k in 0..b.len() {
            let row = self.row(k);
            b[k] = (b[k] - dot(&row[..k], &b[..k])) / row[k];
        }
    }

    /// Replaces `b` by the solution of `L^T x = b`.
    pub(super) fn solve_upper(&self, b: &mut [f64]) {
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
