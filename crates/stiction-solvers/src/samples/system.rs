//! A cone problem in rows of `Y` (`W = Y Y^T`), and as a [`ConeNcp`] with its operator in any form.

use std::collections::BTreeMap;

use crate::problem::{BlockRows, BlockSparse, Cone, ConeNcp, Delassus, Piece, SolverError};

/// The forms of the Delassus operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// [`Delassus::Dense`].
    Dense,
    /// [`Delassus::Sparse`].
    Sparse,
    /// [`Delassus::Factored`].
    Factored,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 3] = [Form::Dense, Form::Sparse, Form::Factored];
}

/// A problem with a name.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What it shows and its number, unique in its set.
    pub name: String,
    /// The problem.
    pub system: System,
}

/// Blocks with their rows of `Y` and of `q`.
#[derive(Clone, Debug)]
pub struct System {
    /// The blocks.
    pub cones: Vec<Cone>,
    /// `Y`. Pieces that share a column have the same range of columns.
    pub rows: BlockRows,
    /// The constants.
    pub q: Vec<f64>,
}

impl System {
    /// The system of so many velocities and no blocks yet.
    pub fn new(columns: usize) -> System {
        let rows = BlockRows { columns, starts: vec![0], piece_ptr: vec![0], ..BlockRows::default() };
        System { cones: Vec::new(), rows, q: Vec::new() }
    }

    /// Adds a block with its constants and pieces: first column, and entries by rows, as wide as they are many.
    pub fn push(&mut self, cone: Cone, q: &[f64], pieces: &[(usize, Vec<f64>)]) {
        self.cones.push(cone);
        self.q.extend_from_slice(q);
        self.rows.starts.push(self.q.len());
        for (column, entries) in pieces {
            let width = entries.len() / q.len();
            self.rows.pieces.push(Piece { column: *column, width, offset: self.rows.values.len() });
            self.rows.values.extend_from_slice(entries);
        }
        self.rows.piece_ptr.push(self.rows.pieces.len());
    }

    /// The problem under Coulomb's law.
    ///
    /// # Errors
    /// As for [`ConeNcp::new`]: numbers that are not finite, or coefficients of friction below zero, were put in.
    pub fn problem(&self, form: Form) -> Result<ConeNcp, SolverError> {
        let delassus = match form {
            Form::Dense => Delassus::Dense(Delassus::Sparse(self.blocks()).to_dense(self.q.len())),
            Form::Sparse => Delassus::Sparse(self.blocks()),
            Form::Factored => Delassus::Factored(self.rows.clone()),
        };
        ConeNcp::new(self.cones.clone(), delassus, self.q.clone())
    }

    /// The blocks of `Y Y^T` that are not zero.
    fn blocks(&self) -> BlockSparse {
        // The blocks with a piece at each column.
        let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for i in 0..self.cones.len() {
            for (piece, _) in self.rows.pieces(i) {
                users.entry(piece.column).or_default().push(i);
            }
        }
        let mut w = BlockSparse {
            starts: self.rows.starts.clone(),
            row_ptr: vec![0],
            value_ptr: vec![0],
            ..BlockSparse::default()
        };
        for i in 0..self.cones.len() {
            // A block that nothing moves still has its diagonal.
            let mut neighbours = vec![i];
            for (piece, _) in self.rows.pieces(i) {
                neighbours.extend_from_slice(&users[&piece.column]);
            }
            neighbours.sort_unstable();
            neighbours.dedup();
            for j in neighbours {
                w.columns.push(j);
                self.product(i, j, &mut w.values);
                w.value_ptr.push(w.values.len());
            }
            w.row_ptr.push(w.columns.len());
        }
        w
    }

    /// Appends block `(i, j)` of `Y Y^T`.
    fn product(&self, i: usize, j: usize, out: &mut Vec<f64>) {
        let (rows, columns) = (self.cones[i].dim(), self.cones[j].dim());
        let first = out.len();
        out.resize(first + rows * columns, 0.0);
        for (a, left) in self.rows.pieces(i) {
            for (b, right) in self.rows.pieces(j).filter(|(b, _)| b.column == a.column) {
                for (r, left) in left.chunks_exact(a.width).enumerate() {
                    for (c, right) in right.chunks_exact(b.width).enumerate() {
                        let sum: f64 = left.iter().zip(right).map(|(x, y)| x * y).sum();
                        out[first + r * columns + c] += sum;
                    }
                }
            }
        }
    }
}
