//! Rows `Y` with `Y Y^T = G` of an operator that is given by its entries: Cholesky's factor with complete pivoting.
//!
//! The pivot is the row of which the largest part is left, in parts of its own length, so that what is cut off when no row has
//! more than [`LEFT`] of its square is rounding of `G` itself, however many rows depend on each other.
//!
//! # References
//! N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, 2002, section 10.3.

use crate::contact::island::{IslandProblem, Operator};
use stiction_solvers::{BlockRows, Piece};

/// What is left of the square of a row, as a part of it, when it counts as used up.
const LEFT: f64 = 1e-14;

/// The factor of an island. Allocates nothing for an island no larger than one seen before.
#[derive(Debug, Default)]
pub(crate) struct DenseFactor {
    rows: BlockRows,
    /// Columns of the factor, one after the other, and what is left of each row's square.
    columns: Vec<f64>,
    left: Vec<f64>,
}

impl DenseFactor {
    /// The rows of an island in the space of velocities, whatever the form of its operator.
    pub(crate) fn rows<'a>(&'a mut self, island: &IslandProblem<'a>) -> &'a BlockRows {
        match island.delassus {
            Operator::Factored(rows) => rows,
            Operator::Dense(matrix) => {
                let rank = self.factor(matrix, island.rows());
                self.write_rows(island.blocks.iter().map(|block| block.row), island.rows(), rank);
                &self.rows
            }
        }
    }

    /// Those of a matrix of `n` rows, each a block.
    pub(crate) fn of_matrix(&mut self, matrix: &[f64], n: usize) -> &BlockRows {
        let rank = self.factor(matrix, n);
        self.write_rows(0..n, n, rank);
        &self.rows
    }

    /// Writes the columns; returns how many.
    fn factor(&mut self, matrix: &[f64], n: usize) -> usize {
        self.columns.clear();
        self.columns.reserve(n * n);
        self.left.clear();
        self.left.extend((0..n).map(|i| matrix[i * n + i]));
        for rank in 0..n {
            let Some(pivot) = self.pivot(matrix, n) else { return rank };
            let root = self.left[pivot].sqrt();
            for i in 0..n {
                let known: f64 =
                    (0..rank).map(|k| self.columns[k * n + i] * self.columns[k * n + pivot]).sum();
                // Rows that were pivots are used up.
                let value = if self.left[i] > 0.0 { (matrix[i * n + pivot] - known) / root } else { 0.0 };
                self.columns.push(value);
            }
            for (left, y) in self.left.iter_mut().zip(&self.columns[rank * n..]) {
                *left -= y * y;
            }
            self.left[pivot] = 0.0;
        }
        n
    }

    /// The row of which most is left, the first of equals.
    fn pivot(&self, matrix: &[f64], n: usize) -> Option<usize> {
        let mut most = (LEFT, None);
        for (i, left) in self.left.iter().enumerate() {
            let part = left / matrix[i * n + i];
            if part > most.0 {
                most = (part, Some(i));
            }
        }
        most.1
    }

    /// Writes the rows of blocks that begin at these: one piece per block, as wide as the rank.
    fn write_rows(&mut self, blocks: impl Iterator<Item = usize>, n: usize, rank: usize) {
        let Self { rows, columns, .. } = self;
        rows.columns = rank;
        rows.starts.clear();
        rows.piece_ptr.clear();
        rows.pieces.clear();
        rows.values.clear();
        rows.values.reserve(n * n);
        for start in blocks {
            rows.starts.push(start);
            rows.piece_ptr.push(rows.pieces.len());
            rows.pieces.push(Piece { column: 0, width: rank, offset: start * rank });
        }
        rows.starts.push(n);
        rows.piece_ptr.push(rows.pieces.len());
        for i in 0..n {
            rows.values.extend((0..rank).map(|k| columns[k * n + i]));
        }
    }
}
