//! Rows that hang together: disjoint sets of rows and of what links them, by union and find with path halving.

use crate::problem::residual::entries::Entries;
use crate::problem::residual::part;

/// Rows connected by entries of some size, and the largest `|q_k| / m_k` of each such set.
#[derive(Default)]
pub(super) struct Components {
    /// Of rows, then of links: one nearer to the representative.
    pub(super) parents: Vec<usize>,
    pub(super) largest: Vec<f64>,
    pub(super) spans: Vec<f64>,
}

impl Components {
    pub(super) fn find(&mut self, matrix: &impl Entries, constant: &[f64]) {
        let n = constant.len();
        self.parents.clear();
        self.parents.extend(0..n + matrix.links());
        for i in 0..n {
            matrix.visit_links(i, |link| {
                let (a, b) = (self.root(i), self.root(n + link));
                self.parents[a.max(b)] = a.min(b);
            });
        }
        self.largest.clear();
        self.largest.resize(n, 0.0);
        for (i, constant) in constant.iter().enumerate() {
            // A row without entries says nothing of the unknowns.
            let own = part(*constant, matrix.row_size(i));
            let root = self.root(i);
            if own.is_finite() {
                self.largest[root] = self.largest[root].max(own);
            }
        }
        // Where all constants are zero there is no scale, and no ray to fear: all multiples of an answer are answers.
        self.largest
            .iter_mut()
            .filter(|largest| **largest == 0.0)
            .for_each(|largest| *largest = f64::INFINITY);
    }

    /// The representative; a row, where there is one.
    fn root(&mut self, of: usize) -> usize {
        let mut at = of;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// The largest `|z|` of each set.
    pub(super) fn find_spans(&mut self, matrix: &impl Entries, z: &[f64]) {
        self.spans.clear();
        self.spans.resize(self.parents.len(), 0.0);
        for (j, z) in z.iter().enumerate() {
            let root = self.root(matrix.unknown(j));
            self.spans[root] = self.spans[root].max(z.abs());
        }
    }

    pub(super) fn span(&mut self, unknown: usize) -> f64 {
        let root = self.root(unknown);
        self.spans[root]
    }

    pub(super) fn largest(&mut self, row: usize) -> f64 {
        let root = self.root(row);
        self.largest[root]
    }
}
