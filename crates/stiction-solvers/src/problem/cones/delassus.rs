//! The Delassus operator `W` of a cone problem: dense, block sparse, or as a product that is never formed.
//!
//! `W` maps impulses to the velocities they cause. Small islands keep it dense. Large ones keep its blocks (contacts
//! see each other only over bodies they share), or the rows of `Y` with `W = Y Y^T`: `Y = J L^-T` for the contact
//! Jacobian `J` and the Cholesky factor of the inertia `M = L L^T`, sparse by bodies.

use serde::{Deserialize, Serialize};

use crate::linalg::dense::{all_finite, dot_and_magnitude};
use crate::problem::error::SolverError;

/// The operator in one of its forms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delassus {
    /// All `n * n` entries, row-major.
    Dense(Vec<f64>),
    /// Blocks that are not zero.
    Sparse(BlockSparse),
    /// `W = Y Y^T` with sparse rows of `Y`.
    Factored(BlockRows),
}

/// A matrix of blocks in compressed rows; block `(i, j)` has the rows of block `i` and the columns of block `j`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockSparse {
    /// First row of each block row, and the number of rows at the end.
    pub starts: Vec<usize>,
    /// Blocks `row_ptr[i]..row_ptr[i + 1]` are in block row `i`.
    pub row_ptr: Vec<usize>,
    /// Block column of each block, increasing in each row.
    pub columns: Vec<usize>,
    /// Where the entries of each block begin in `values`, row-major, and the number of values at the end.
    pub value_ptr: Vec<usize>,
    /// The entries.
    pub values: Vec<f64>,
}

/// Rows of `Y`, block by block; each block has dense pieces over ranges of columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockRows {
    /// Number of columns (velocities).
    pub columns: usize,
    /// First row of each block, and the number of rows at the end.
    pub starts: Vec<usize>,
    /// Pieces `piece_ptr[i]..piece_ptr[i + 1]` belong to block `i`.
    pub piece_ptr: Vec<usize>,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Entries of all pieces.
    pub values: Vec<f64>,
}

/// A dense piece of the rows of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// First column.
    pub column: usize,
    /// Number of columns.
    pub width: usize,
    /// Where its entries begin in the values, row-major.
    pub offset: usize,
}

impl Delassus {
    /// Checks that the operator has `n` rows in blocks that begin at `starts` (with `n` at the end), and that every
    /// entry is finite.
    ///
    /// # Errors
    /// [`SolverError::Length`], [`SolverError::Structure`], or the first entry that is not finite.
    pub fn validate(&self, starts: &[usize]) -> Result<(), SolverError> {
        let n = starts.last().copied().unwrap_or(0);
        let structure = |what| Err(SolverError::Structure { what });
        match self {
            Delassus::Dense(values) if values.len() != n * n => {
                return Err(SolverError::Shape { entries: values.len(), rows: n });
            }
            Delassus::Dense(_) => {}
            Delassus::Sparse(m) => {
                let blocks = starts.len().saturating_sub(1);
                if m.starts != starts {
                    return structure("block rows must be the blocks of the problem");
                }
                if !is_pointer(&m.row_ptr, blocks, m.columns.len())
                    || !is_pointer(&m.value_ptr, m.columns.len(), m.values.len())
                {
                    return structure("row and value pointers must increase from 0 to the number of entries");
                }
                for i in 0..blocks {
                    let row = m.row_ptr[i]..m.row_ptr[i + 1];
                    if !m.columns[row.clone()].is_sorted_by(|a, b| a < b) {
                        return structure("block columns must increase within a row");
                    }
                    for k in row {
                        let Some(&[begin, end]) = starts.get(m.columns[k]..).and_then(|s| s.first_chunk())
                        else {
                            return structure("a block column is out of range");
                        };
                        let size = (starts[i + 1] - starts[i]) * (end - begin);
                        if m.value_ptr[k + 1] - m.value_ptr[k] != size {
                            return structure("a block must have rows times columns entries");
                        }
                    }
                }
            }
            Delassus::Factored(y) => {
                let blocks = starts.len().saturating_sub(1);
                if y.starts != starts || !is_pointer(&y.piece_ptr, blocks, y.pieces.len()) {
                    return structure("block rows must be the blocks of the problem");
                }
                for i in 0..blocks {
                    let rows = starts[i + 1] - starts[i];
                    for piece in &y.pieces[y.piece_ptr[i]..y.piece_ptr[i + 1]] {
                        let inside = piece.column.checked_add(piece.width).is_some_and(|c| c <= y.columns);
                        let entries = rows.checked_mul(piece.width).and_then(|s| s.checked_add(piece.offset));
                        if !inside || entries.is_none_or(|end| end > y.values.len()) {
                            return structure("a piece reaches beyond the columns or the values");
                        }
                    }
                    let pieces = &y.pieces[y.piece_ptr[i]..y.piece_ptr[i + 1]];
                    let overlap =
                        |a: &Piece, b: &Piece| a.column < b.column + b.width && b.column < a.column + a.width;
                    if (1..pieces.len()).any(|k| pieces[..k].iter().any(|other| overlap(&pieces[k], other))) {
                        return structure("pieces of a block must not overlap");
                    }
                }
            }
        }
        match self.values().iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(at) => match self {
                Delassus::Dense(values) => {
                    Err(SolverError::NotFiniteMatrix { row: at / n, column: at % n, value: values[at] })
                }
                _ => structure("every value must be finite"),
            },
        }
    }

    /// All stored entries.
    pub fn values(&self) -> &[f64] {
        match self {
            Delassus::Dense(values) => values,
            Delassus::Sparse(m) => &m.values,
            Delassus::Factored(y) => &y.values,
        }
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        all_finite(self.values())
    }

    /// Writes `y = W x` and `size = |W| |x|` (for a factored operator `|Y| |Y^T| |x|`, which bounds it): what rounding
    /// errors of `y` are relative to. `scratch` is memory to reuse.
    pub fn multiply(&self, x: &[f64], y: &mut [f64], size: &mut [f64], scratch: &mut Vec<f64>) {
        match self {
            Delassus::Dense(values) => {
                for (i, row) in values.chunks_exact(x.len().max(1)).enumerate() {
                    (y[i], size[i]) = dot_and_magnitude(row, x);
                }
            }
            Delassus::Sparse(m) => m.multiply(x, y, size),
            Delassus::Factored(rows) => {
                scratch.clear();
                scratch.resize(2 * rows.columns, 0.0);
                let (p, magnitude) = scratch.split_at_mut(rows.columns);
                rows.push(x, p, magnitude);
                rows.pull(p, magnitude, y, size);
            }
        }
    }

    /// Writes the diagonal of `W` into `diagonal`.
    pub fn diagonal(&self, diagonal: &mut [f64]) {
        match self {
            Delassus::Dense(values) => {
                let n = diagonal.len();
                diagonal.iter_mut().enumerate().for_each(|(i, d)| *d = values[i * n + i]);
            }
            Delassus::Sparse(m) => m.diagonal(diagonal),
            Delassus::Factored(rows) => rows.diagonal(diagonal),
        }
    }

    /// The dense form, row-major.
    pub fn to_dense(&self, n: usize) -> Vec<f64> {
        let mut dense = vec![0.0; n * n];
        self.write_dense(n, &mut dense, &mut Vec::new());
        dense
    }

    /// Writes the dense form into `n * n` entries; `scratch` is memory to reuse.
    pub(crate) fn write_dense(&self, n: usize, dense: &mut [f64], scratch: &mut Vec<f64>) {
        match self {
            Delassus::Dense(values) => dense.copy_from_slice(values),
            Delassus::Sparse(m) => m.write_dense(n, dense),
            Delassus::Factored(rows) => rows.write_dense(n, dense, scratch),
        }
    }
}

impl BlockSparse {
    /// The blocks of row `i`: block column and entries, row-major.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> + '_ {
        (self.row_ptr[i]..self.row_ptr[i + 1])
            .map(|k| (self.columns[k], &self.values[self.value_ptr[k]..self.value_ptr[k + 1]]))
    }

    /// The entry in rows `row` and `column` of the diagonal block of block row `i`.
    pub(crate) fn entry(&self, i: usize, row: usize, column: usize) -> f64 {
        let width = self.starts[i + 1] - self.starts[i];
        self.row(i).filter(|(j, _)| *j == i).map(|(_, block)| block[row * width + column]).sum()
    }

    /// Product of row `row` of block row `i` with a vector.
    pub(crate) fn row_product(&self, i: usize, row: usize, x: impl Fn(usize) -> f64) -> f64 {
        let along = |(j, block): (usize, &[f64])| -> f64 {
            let width = self.starts[j + 1] - self.starts[j];
            (0..width).map(|k| block[row * width + k] * x(self.starts[j] + k)).sum()
        };
        self.row(i).map(along).sum()
    }

    fn blocks(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn multiply(&self, x: &[f64], y: &mut [f64], size: &mut [f64]) {
        y.fill(0.0);
        size.fill(0.0);
        for i in 0..self.blocks() {
            let rows = self.starts[i]..self.starts[i + 1];
            for (j, block) in self.row(i) {
                let columns = self.starts[j]..self.starts[j + 1];
                for (row, entries) in rows.clone().zip(block.chunks_exact(columns.len().max(1))) {
                    let (sum, magnitude) = dot_and_magnitude(entries, &x[columns.clone()]);
                    y[row] += sum;
                    size[row] += magnitude;
                }
            }
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        diagonal.fill(0.0);
        for i in 0..self.blocks() {
            let width = self.starts[i + 1] - self.starts[i];
            for (_, block) in self.row(i).filter(|(j, _)| *j == i) {
                (0..width).for_each(|k| diagonal[self.starts[i] + k] = block[k * width + k]);
            }
        }
    }

    fn write_dense(&self, n: usize, dense: &mut [f64]) {
        dense.fill(0.0);
        for i in 0..self.blocks() {
            for (j, block) in self.row(i) {
                let columns = self.starts[j]..self.starts[j + 1];
                for (row, entries) in
                    (self.starts[i]..self.starts[i + 1]).zip(block.chunks_exact(columns.len().max(1)))
                {
                    dense[row * n + columns.start..row * n + columns.end].copy_from_slice(entries);
                }
            }
        }
    }
}

impl BlockRows {
    /// Product of the rows `a` and `b` of block `i`.
    pub(crate) fn entry(&self, i: usize, a: usize, b: usize) -> f64 {
        let product = |(piece, values): (Piece, &[f64])| {
            let row = |k: usize| &values[k * piece.width..(k + 1) * piece.width];
            row(a).iter().zip(row(b)).map(|(x, y)| x * y).sum::<f64>()
        };
        self.pieces(i).map(product).sum()
    }

    /// Product of row `row` of block `i` with `p`, a vector over the columns.
    pub(crate) fn row_product(&self, i: usize, row: usize, p: &[f64]) -> f64 {
        let product = |(piece, values): (Piece, &[f64])| {
            let entries = &values[row * piece.width..(row + 1) * piece.width];
            entries.iter().zip(&p[piece.column..]).map(|(y, p)| y * p).sum::<f64>()
        };
        self.pieces(i).map(product).sum()
    }

    /// Adds `factor` times row `row` of block `i` to `p`.
    pub(crate) fn add_row(&self, i: usize, row: usize, factor: f64, p: &mut [f64]) {
        for (piece, values) in self.pieces(i) {
            let entries = &values[row * piece.width..(row + 1) * piece.width];
            p[piece.column..].iter_mut().zip(entries).for_each(|(p, y)| *p += factor * y);
        }
    }

    /// Makes this a copy of another without giving memory back.
    pub fn copy_from(&mut self, other: &BlockRows) {
        self.columns = other.columns;
        self.starts.clone_from(&other.starts);
        self.piece_ptr.clone_from(&other.piece_ptr);
        self.pieces.clone_from(&other.pieces);
        self.values.clone_from(&other.values);
    }

    /// The pieces of block `i` with their entries, row-major.
    pub fn pieces(&self, i: usize) -> impl Iterator<Item = (Piece, &[f64])> + '_ {
        let rows = self.starts[i + 1] - self.starts[i];
        self.pieces[self.piece_ptr[i]..self.piece_ptr[i + 1]]
            .iter()
            .map(move |piece| (*piece, &self.values[piece.offset..piece.offset + rows * piece.width]))
    }

    fn blocks(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Writes `p = Y^T x` and `size = |Y^T| |x|`.
    fn push(&self, x: &[f64], p: &mut [f64], size: &mut [f64]) {
        p.fill(0.0);
        size.fill(0.0);
        for i in 0..self.blocks() {
            for (piece, entries) in self.pieces(i) {
                for (row, entries) in
                    (self.starts[i]..self.starts[i + 1]).zip(entries.chunks_exact(piece.width.max(1)))
                {
                    for (k, y) in entries.iter().enumerate() {
                        let product = y * x[row];
                        p[piece.column + k] += product;
                        size[piece.column + k] += product.abs();
                    }
                }
            }
        }
    }

    /// Writes `y = Y p` and `size = |Y| magnitude`.
    fn pull(&self, p: &[f64], magnitude: &[f64], y: &mut [f64], size: &mut [f64]) {
        y.fill(0.0);
        size.fill(0.0);
        for i in 0..self.blocks() {
            for (piece, entries) in self.pieces(i) {
                let columns = piece.column..piece.column + piece.width;
                for (row, entries) in
                    (self.starts[i]..self.starts[i + 1]).zip(entries.chunks_exact(piece.width.max(1)))
                {
                    y[row] += dot_and_magnitude(entries, &p[columns.clone()]).0;
                    size[row] += dot_and_magnitude(entries, &magnitude[columns.clone()]).1;
                }
            }
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        diagonal.fill(0.0);
        for i in 0..self.blocks() {
            for (piece, entries) in self.pieces(i) {
                for (row, entries) in
                    (self.starts[i]..self.starts[i + 1]).zip(entries.chunks_exact(piece.width.max(1)))
                {
                    diagonal[row] += dot_and_magnitude(entries, entries).0;
                }
            }
        }
    }

    fn write_dense(&self, n: usize, dense: &mut [f64], y: &mut Vec<f64>) {
        y.clear();
        y.resize(n * self.columns, 0.0);
        for i in 0..self.blocks() {
            for (piece, entries) in self.pieces(i) {
                for (row, entries) in
                    (self.starts[i]..self.starts[i + 1]).zip(entries.chunks_exact(piece.width.max(1)))
                {
                    let first = row * self.columns + piece.column;
                    y[first..first + piece.width].copy_from_slice(entries);
                }
            }
        }
        let row = |i: usize| &y[i * self.columns..(i + 1) * self.columns];
        for i in 0..n {
            for j in 0..n {
                dense[i * n + j] = dot_and_magnitude(row(i), row(j)).0;
            }
        }
    }
}

/// Whether a list of `count + 1` numbers increases (not strictly) from 0 to `end`.
fn is_pointer(list: &[usize], count: usize, end: usize) -> bool {
    list.len() == count + 1 && list[0] == 0 && list[count] == end && list.is_sorted()
}
