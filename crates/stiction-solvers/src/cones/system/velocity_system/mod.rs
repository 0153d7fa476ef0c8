//! The equations of a cone Newton step in the space of velocities.
//!
//! # Problem
//! `(P + Q W) x = b` with `W = S Y Y^T S`: `P` and `Q` are block diagonal by *cells* of one to three rows (a Coulomb
//! contact, or any other single row), `P` is invertible but may be tiny, `Q` vanishes for open contacts, `S` is a
//! positive diagonal scale. `Y` has few columns (velocities), mostly six per body, and each cell sees a few of them.
//!
//! # Method
//! With `C = P^-1 Q`, cell by cell, and `S Y` for `Y`:
//! 1. `(I + Y^T C Y) h = Y^T P^-1 b`, of as many rows as there are velocities: a sum of a small dense matrix per cell
//!    with `C != 0`, factored by `BlockLu`. Its blocks are the intervals into which the column ranges of all pieces
//!    cut the columns.
//! 2. `x = P^-1 b - C Y h`.
//! 3. *Refinement*: the same for the residual of the original system. With `P` of `1e-10` step 2 is a difference of
//!    numbers `1e10` times the result, and two steps bring the lost digits back.
//!
//! | file | what it is |
//! |---|---|
//! | `structure` | intervals of columns, segments, the order of elimination |
//! | `cell` | the blocks of `P` and `Q` of a cell, inverted |
//!
//! # Convergence and failure
//! [`Singular`] when a cell of `P` or the matrix of step 1 is (see `BlockLu`), or when data are not finite.
//!
//! # Cost
//! Per cell of `d` rows that see `w` columns `d w^2` products to assemble, and the factorization: linear in the length
//! of a chain of bodies, cubic in the columns of a single body or tree. A solve costs a few products with `Y`.
//! All memory is taken by [`VelocitySystem::analyse`].
//!
//! A general sparse LU would do the same work on single entries, search its pivots again each time, and allocate. Here
//! the blocks are dense and of a handful of sizes, the structure stays over many factorizations while the contacts that
//! are closed change, and the matrix comes as a sum of small ones.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th edition 2013, sections 2.1.4 (Sherman, Morrison, Woodbury)
//! and 3.5.3 (refinement).

mod cell;
mod structure;
#[cfg(test)]
mod tests;

use cell::{Block, Cell};
use structure::{Rows, Segment};

use crate::linalg::block_lu::BlockLu;
use crate::linalg::dense::largest_abs;
use crate::linalg::lu::Singular;
use crate::linalg::short_rows::{add_multiples, dot};
use crate::problem::BlockRows;

/// A residual of this size relative to `b` needs no refinement (dimensionless, largest entries, the equations of each
/// cell divided by the largest entry of its `P` and `Q`): the step is then as good as the linearization it comes from.
const ACCURATE: f64 = 1e-11;

/// Default for the most steps of refinement. With `P` of `1e-10` the first solve is good to `1e-4`, and each step
/// gains as much again.
const REFINEMENTS: usize = 3;

/// The system, its factors and their workspace.
#[derive(Clone, Debug)]
pub struct VelocitySystem {
    /// The most steps of refinement per solve.
    pub refinements: usize,
    /// What has been analysed; without values.
    structure: BlockRows,
    /// Where pieces begin (1) and end (-1), and the intervals of columns between.
    ends: Vec<(usize, isize)>,
    intervals: Vec<[usize; 2]>,
    blocks: Vec<Rows>,
    segments: Vec<Segment>,
    lu: BlockLu,
    cells: Vec<Cell>,
    /// The rows of `S Y`: for each cell its rows, each over the columns of all its segments.
    y: Vec<f64>,
    /// `C Y` of one cell.
    coupled: Vec<f64>,
    /// Velocities, in the order of elimination.
    h: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
}

impl Default for VelocitySystem {
    fn default() -> VelocitySystem {
        VelocitySystem {
            refinements: REFINEMENTS,
            structure: BlockRows::default(),
            ends: Vec::new(),
            intervals: Vec::new(),
            blocks: Vec::new(),
            segments: Vec::new(),
            lu: BlockLu::default(),
            cells: Vec::new(),
            y: Vec::new(),
            coupled: Vec::new(),
            h: Vec::new(),
            residual: Vec::new(),
            correction: Vec::new(),
        }
    }
}

impl VelocitySystem {
    /// Factors the system of the analysed `rows`, each multiplied by its entry of `scale`. The cells have the rows from
    /// one of `cell_starts` to the next, of which none spans two blocks, and `p`, `q` an entry each.
    ///
    /// # Errors
    /// [`Singular`]; there is nothing to solve with then.
    pub fn factor(
        &mut self,
        rows: &BlockRows,
        scale: &[f64],
        cell_starts: &[usize],
        p: &[Block],
        q: &[Block],
    ) -> Result<(), Singular> {
        self.gather(rows, scale, cell_starts);
        for (cell, (p, q)) in self.cells.iter_mut().zip(p.iter().zip(q)) {
            cell.set(p, q)?;
        }
        self.lu.begin();
        for cell in self.cells.iter().filter(|cell| cell.closed) {
            let (first, end) = self.blocks[cell.block].segments;
            self.segments[first..end].iter().for_each(|segment| self.lu.announce(segment.slot));
        }
        self.lu.lay_out();
        for at in 0..self.cells.len() {
            match (self.cells[at].closed, self.cells[at].dim) {
                (false, _) => {}
                (true, 1) => self.add::<1>(at),
                (true, 2) => self.add::<2>(at),
                (true, _) => self.add::<3>(at),
            }
        }
        self.lu.factor()
    }

    /// Lists the cells and their rows of `S Y`.
    fn gather(&mut self, rows: &BlockRows, scale: &[f64], cell_starts: &[usize]) {
        self.cells.clear();
        self.y.clear();
        let mut block = 0;
        for bounds in cell_starts.windows(2) {
            while rows.starts[block + 1] < bounds[1] {
                block += 1;
            }
            let (first, end) = self.blocks[block].segments;
            self.cells.push(Cell::new(bounds[0], bounds[1] - bounds[0], block, self.y.len()));
            for row in bounds[0]..bounds[1] {
                for segment in &self.segments[first..end] {
                    let from = segment.offset + (row - rows.starts[block]) * segment.stride;
                    self.y.extend(rows.values[from..from + segment.width].iter().map(|v| v * scale[row]));
                }
            }
        }
    }

    /// Adds `Y^T C Y` of a cell.
    fn add<const D: usize>(&mut self, at: usize) {
        let cell = &self.cells[at];
        let Rows { segments: (first, end), width, front } = self.blocks[cell.block];
        let y = &self.y[cell.y..cell.y + D * width];
        let left: [&[f64]; D] = std::array::from_fn(|k| &y[k * width..(k + 1) * width]);
        for a in 0..D {
            let coupled = &mut self.coupled[a * width..(a + 1) * width];
            for j in 0..width {
                coupled[j] = (0..D).map(|b| cell.coupling[a * D + b] * left[b][j]).sum();
            }
        }
        let right: [&[f64]; D] = std::array::from_fn(|k| &self.coupled[k * width..(k + 1) * width]);
        let mut i = 0;
        for a in &self.segments[first..end] {
            let left = left.map(|row| &row[i..i + a.width]);
            i += a.width;
            let mut j = 0;
            for b in &self.segments[first..end] {
                let right = right.map(|row| &row[j..j + b.width]);
                j += b.width;
                let column = self.lu.offset(b.slot);
                let target = self.lu.target(front, a.slot);
                for (r, row) in target.entries.chunks_exact_mut(target.stride).take(a.width).enumerate() {
                    add_multiples(&mut row[column..column + b.width], left.map(|row| row[r]), right);
                }
            }
        }
    }

    /// Writes the solution for `b` into `x`.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        self.solve_once(b, x);
        if self.refinements == 0 {
            return;
        }
        let mut residual = std::mem::take(&mut self.residual);
        let mut correction = std::mem::take(&mut self.correction);
        self.refine(b, x, &mut residual, &mut correction);
        (self.residual, self.correction) = (residual, correction);
    }

    /// Step 3, until the residual is small or grows.
    fn refine(&mut self, b: &[f64], x: &mut [f64], residual: &mut [f64], correction: &mut [f64]) {
        let goal = ACCURATE * self.size(b);
        let mut last = f64::INFINITY;
        for step in 0..=self.refinements {
            self.write_residual(b, x, residual);
            let size = self.size(residual);
            if step > 0 && (size >= last || size.is_nan()) {
                x.iter_mut().zip(&*correction).for_each(|(x, c)| *x -= c);
                return;
            }
            if size <= goal || step == self.refinements {
                return;
            }
            last = size;
            self.solve_once(residual, correction);
            x.iter_mut().zip(&*correction).for_each(|(x, c)| *x += c);
        }
    }

    /// The largest entry of a right-hand side in the units of its cells; NaN if any is NaN.
    fn size(&self, b: &[f64]) -> f64 {
        self.cells.iter().fold(0.0, |worst: f64, cell| {
            let size = cell.unit * largest_abs(&b[cell.row..cell.row + cell.dim]);
            if size <= worst { worst } else { size }
        })
    }

    /// Steps 1 and 2.
    fn solve_once(&mut self, b: &[f64], x: &mut [f64]) {
        for cell in &self.cells {
            let rows = cell.row..cell.row + cell.dim;
            x[rows.clone()].copy_from_slice(&b[rows.clone()]);
            cell.apply(&cell.inverse, &mut x[rows]);
        }
        self.push(x);
        self.lu.solve(&mut self.h);
        for cell in self.cells.iter().filter(|cell| cell.closed) {
            let mut v = self.pull(cell);
            cell.apply(&cell.coupling, &mut v[..cell.dim]);
            x[cell.row..cell.row + cell.dim].iter_mut().zip(v).for_each(|(x, v)| *x -= v);
        }
    }

    /// `b - (P + Q W) x`.
    fn write_residual(&mut self, b: &[f64], x: &[f64], residual: &mut [f64]) {
        self.push(x);
        for cell in &self.cells {
            let rows = cell.row..cell.row + cell.dim;
            let mut own = [0.0; 3];
            own[..cell.dim].copy_from_slice(&x[rows.clone()]);
            cell.apply(&cell.p, &mut own[..cell.dim]);
            let mut through = [0.0; 3];
            if cell.closed {
                through = self.pull(cell);
                cell.apply(&cell.q, &mut through[..cell.dim]);
            }
            for (k, row) in rows.enumerate() {
                residual[row] = b[row] - own[k] - through[k];
            }
        }
    }

    /// `h = Y^T x`.
    fn push(&mut self, x: &[f64]) {
        self.h.fill(0.0);
        for cell in &self.cells {
            let (first, end) = self.blocks[cell.block].segments;
            let mut y = &self.y[cell.y..];
            for x in &x[cell.row..cell.row + cell.dim] {
                for segment in &self.segments[first..end] {
                    let (row, rest) = y.split_at(segment.width);
                    let h = &mut self.h[segment.column..segment.column + segment.width];
                    add_multiples(h, [*x], [row]);
                    y = rest;
                }
            }
        }
    }

    /// The rows of `Y h` of a cell.
    fn pull(&self, cell: &Cell) -> [f64; 3] {
        let (first, end) = self.blocks[cell.block].segments;
        let mut y = &self.y[cell.y..];
        let mut v = [0.0; 3];
        for v in &mut v[..cell.dim] {
            for segment in &self.segments[first..end] {
                let (row, rest) = y.split_at(segment.width);
                let h = &self.h[segment.column..segment.column + segment.width];
                *v += dot(row, h);
                y = rest;
            }
        }
        v
    }
}
