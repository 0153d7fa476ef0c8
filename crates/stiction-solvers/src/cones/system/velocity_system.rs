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

use crate::linalg::block_lu::BlockLu;
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::largest_abs;
use crate::linalg::lu::Singular;
use crate::linalg::short_rows::{add_multiples, dot};
use crate::problem::{BlockRows, Piece};

/// A residual of this size relative to `b` needs no refinement (dimensionless, largest entries, the equations of each
/// cell divided by the largest entry of its `P` and `Q`): the step is then as good as the linearization it comes from.
const ACCURATE: f64 = 1e-11;

/// Default for the most steps of refinement. With `P` of `1e-10` the first solve is good to `1e-4`, and each step
/// gains as much again.
const REFINEMENTS: usize = 3;

/// A `d x d` matrix of a cell, row-major in its first `d * d` entries.
type Block = [f64; 9];

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

/// A block of rows of `Y`.
#[derive(Clone, Copy, Debug)]
struct Rows {
    /// Its segments.
    segments: (usize, usize),
    /// Number of columns of these.
    width: usize,
    /// The front that its cells are added to.
    front: usize,
}

/// The part of a piece of `Y` in one block of columns.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Where its first row begins in the values of `Y`, and the distance of the next.
    offset: usize,
    stride: usize,
    /// First column in the order of elimination, and the number of columns.
    column: usize,
    width: usize,
    /// The block of columns in the front of the rows.
    slot: usize,
}

/// A cell with what belongs to it.
#[derive(Clone, Copy, Debug)]
struct Cell {
    row: usize,
    dim: usize,
    block: usize,
    /// Where its rows of `S Y` begin.
    y: usize,
    /// Whether `Q` is not zero.
    closed: bool,
    /// One over the largest entry of `P` and `Q`.
    unit: f64,
    p: Block,
    q: Block,
    inverse: Block,
    coupling: Block,
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
    /// Orders the columns of `Y`; does nothing when the structure is that of the last call.
    pub fn analyse(&mut self, rows: &BlockRows) {
        let known = &mut self.structure;
        if known.columns == rows.columns
            && known.starts == rows.starts
            && known.piece_ptr == rows.piece_ptr
            && known.pieces == rows.pieces
        {
            return;
        }
        known.columns = rows.columns;
        known.starts.clone_from(&rows.starts);
        known.piece_ptr.clone_from(&rows.piece_ptr);
        known.pieces.clone_from(&rows.pieces);
        write_intervals(&rows.pieces, &mut self.ends, &mut self.intervals);
        let intervals = &self.intervals;
        let width = |interval: usize| intervals[interval][1] - intervals[interval][0];
        let within = |piece: &Piece| {
            let end = piece.column + piece.width;
            intervals.partition_point(|i| i[0] < piece.column)..intervals.partition_point(|i| i[0] < end)
        };
        let pieces_of = |i: usize| &rows.pieces[rows.piece_ptr[i]..rows.piece_ptr[i + 1]];
        let blocks = rows.starts.len().saturating_sub(1);
        self.lu.analyse(
            (0..intervals.len()).map(width),
            (0..blocks).map(|i| pieces_of(i).iter().flat_map(within)),
        );

        let place = self.lu.places();
        self.blocks.clear();
        self.segments.clear();
        for i in 0..blocks {
            let first = self.segments.len();
            let earliest = pieces_of(i).iter().flat_map(within).map(|interval| place[interval]).min();
            let front = earliest.map_or(0, |place| self.lu.front_of(place));
            for piece in pieces_of(i) {
                for interval in within(piece) {
                    self.segments.push(Segment {
                        offset: piece.offset + intervals[interval][0] - piece.column,
                        stride: piece.width,
                        column: self.lu.columns()[place[interval]],
                        width: width(interval),
                        slot: self.lu.slot(front, place[interval]),
                    });
                }
            }
            let width = self.segments[first..].iter().map(|segment| segment.width).sum();
            self.blocks.push(Rows { segments: (first, self.segments.len()), width, front });
        }
        self.reserve(rows);
    }

    /// Takes all memory that systems of the analysed structure need.
    fn reserve(&mut self, rows: &BlockRows) {
        let n = rows.starts.last().copied().unwrap_or(0);
        let dims = rows.starts.windows(2).map(|bounds| bounds[1] - bounds[0]);
        let entries = self.blocks.iter().zip(dims).map(|(rows, dim)| rows.width * dim).sum();
        self.y.clear();
        self.cells.clear();
        reserve_to(&mut self.y, entries);
        reserve_to(&mut self.cells, n);
        let widest = self.blocks.iter().map(|rows| rows.width).max().unwrap_or(0);
        self.coupled.resize(3 * widest, 0.0);
        self.h.resize(self.lu.columns().last().copied().unwrap_or(0), 0.0);
        self.residual.resize(n, 0.0);
        self.correction.resize(n, 0.0);
    }

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

impl Cell {
    fn new(row: usize, dim: usize, block: usize, y: usize) -> Cell {
        let zero = [0.0; 9];
        Cell { row, dim, block, y, closed: false, unit: 1.0, p: zero, q: zero, inverse: zero, coupling: zero }
    }

    /// Takes `P` and `Q` and computes `P^-1` and `C`.
    fn set(&mut self, p: &Block, q: &Block) -> Result<(), Singular> {
        (self.p, self.q) = (*p, *q);
        let entries = self.dim * self.dim;
        let coupled = largest_abs(&q[..entries]);
        self.closed = coupled != 0.0;
        self.unit = 1.0 / largest_abs(&p[..entries]).max(coupled);
        match self.dim {
            1 => self.invert::<1>(),
            2 => self.invert::<2>(),
            _ => self.invert::<3>(),
        }
    }

    /// Gauss-Jordan elimination of `[P | I Q]` with partial pivoting.
    fn invert<const D: usize>(&mut self) -> Result<(), Singular> {
        let row = |block: &Block, i: usize| std::array::from_fn::<f64, D, _>(|j| block[i * D + j]);
        let mut p: [[f64; D]; D] = std::array::from_fn(|i| row(&self.p, i));
        let mut q: [[f64; D]; D] = std::array::from_fn(|i| row(&self.q, i));
        let mut unit: [[f64; D]; D] =
            std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        for k in 0..D {
            let mut best = k;
            for i in k + 1..D {
                if p[i][k].abs() > p[best][k].abs() {
                    best = i;
                }
            }
            p.swap(k, best);
            q.swap(k, best);
            unit.swap(k, best);
            let inverse = 1.0 / p[k][k];
            if !inverse.is_finite() {
                return Err(Singular);
            }
            for j in 0..D {
                p[k][j] *= inverse;
                q[k][j] *= inverse;
                unit[k][j] *= inverse;
            }
            for i in (0..D).filter(|i| *i != k) {
                let factor = p[i][k];
                for j in 0..D {
                    p[i][j] -= factor * p[k][j];
                    q[i][j] -= factor * q[k][j];
                    unit[i][j] -= factor * unit[k][j];
                }
            }
        }
        for i in 0..D {
            self.inverse[i * D..(i + 1) * D].copy_from_slice(&unit[i]);
            self.coupling[i * D..(i + 1) * D].copy_from_slice(&q[i]);
        }
        Ok(())
    }

    /// Multiplies the cell's part of a vector by one of its matrices.
    fn apply(&self, block: &Block, v: &mut [f64]) {
        match v {
            [a] => *a *= block[0],
            [a, b] => (*a, *b) = (block[0] * *a + block[1] * *b, block[2] * *a + block[3] * *b),
            [a, b, c] => {
                let row = |k: usize| block[k] * *a + block[k + 1] * *b + block[k + 2] * *c;
                (*a, *b, *c) = (row(0), row(3), row(6));
            }
            _ => {}
        }
    }
}

/// Writes the intervals of columns that the ranges of all pieces cut each other into; columns of none are left out.
fn write_intervals(pieces: &[Piece], ends: &mut Vec<(usize, isize)>, intervals: &mut Vec<[usize; 2]>) {
    ends.clear();
    for piece in pieces.iter().filter(|piece| piece.width > 0) {
        ends.push((piece.column, 1));
        ends.push((piece.column + piece.width, -1));
    }
    ends.sort_unstable();
    intervals.clear();
    let mut open = 0;
    for pair in ends.windows(2) {
        open += pair[0].1;
        if open > 0 && pair[0].0 < pair[1].0 {
            intervals.push([pair[0].0, pair[1].0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::lu::Lu;
    use crate::problem::Delassus;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// A system, and its operator by itself.
    #[derive(Clone, Debug)]
    struct Case {
        rows: BlockRows,
        scale: Vec<f64>,
        cell_starts: Vec<usize>,
        p: Vec<Block>,
        q: Vec<Block>,
    }

    /// What a block of rows is.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Kind {
        Contact(usize),
        Free(usize),
    }

    impl Case {
        /// Blocks with pieces over given ranges, all values random.
        fn rows(random: &mut Pcg64, columns: usize, blocks: &[(Kind, Vec<[usize; 2]>)]) -> BlockRows {
            let mut rows = BlockRows { columns, starts: vec![0], piece_ptr: vec![0], ..Default::default() };
            for (kind, ranges) in blocks {
                let (Kind::Contact(dim) | Kind::Free(dim)) = *kind;
                rows.starts.push(rows.starts[rows.starts.len() - 1] + dim);
                for &[column, width] in ranges {
                    rows.pieces.push(Piece { column, width, offset: rows.values.len() });
                    rows.values.extend((0..dim * width).map(|_| random.random_range(-1.0..1.0)));
                }
                rows.piece_ptr.push(rows.pieces.len());
            }
            rows
        }

        /// Jacobians of the Alart-Curnier equations in random modes, with a proximal term `eps`.
        fn new(random: &mut Pcg64, columns: usize, blocks: &[(Kind, Vec<[usize; 2]>)], eps: f64) -> Case {
            let rows = Case::rows(random, columns, blocks);
            let mut case =
                Case { scale: Vec::new(), cell_starts: vec![0], p: Vec::new(), q: Vec::new(), rows };
            let rho = 1.0 / (eps * (1.0 + eps)).sqrt();
            for (kind, _) in blocks {
                match *kind {
                    Kind::Free(dim) => {
                        for _ in 0..dim {
                            case.push_cell(random, 1, vec![1.0], vec![0.0], eps);
                        }
                    }
                    Kind::Contact(dim) => {
                        let mut identity = vec![0.0; dim * dim];
                        (0..dim).for_each(|k| identity[k * (dim + 1)] = 1.0);
                        let mut a = identity.clone();
                        match random.random_range(0..3) {
                            0 => {
                                case.push_cell(random, dim, vec![0.0; dim * dim], a, 0.0);
                                continue;
                            }
                            1 => a.fill(0.0),
                            _ => slip(random, dim, &mut a),
                        }
                        let b = identity.iter().zip(&a).map(|(i, a)| rho * (i - a)).collect();
                        case.push_cell(random, dim, b, a, eps);
                    }
                }
            }
            case
        }

        /// `P = A + eps B`, `Q = B`.
        fn push_cell(&mut self, random: &mut Pcg64, dim: usize, b: Vec<f64>, a: Vec<f64>, eps: f64) {
            let (mut p, mut q) = ([0.0; 9], [0.0; 9]);
            for k in 0..dim * dim {
                q[k] = b[k];
                p[k] = a[k] + eps * b[k];
            }
            self.p.push(p);
            self.q.push(q);
            let scale = random.random_range(0.5..2.0);
            self.scale.extend(vec![scale; dim]);
            self.cell_starts.push(self.scale.len());
        }

        fn len(&self) -> usize {
            self.scale.len()
        }

        /// `W` by products with unit vectors.
        fn operator(&self) -> Vec<f64> {
            let n = self.len();
            let operator = Delassus::Factored(self.rows.clone());
            let mut w = vec![0.0; n * n];
            let (mut column, mut size) = (vec![0.0; n], vec![0.0; n]);
            for j in 0..n {
                let mut unit = vec![0.0; n];
                unit[j] = 1.0;
                operator.multiply(&unit, &mut column, &mut size, &mut Vec::new());
                (0..n).for_each(|i| w[i * n + j] = self.scale[i] * column[i] * self.scale[j]);
            }
            w
        }

        /// `P + Q W`.
        fn matrix(&self) -> Vec<f64> {
            let n = self.len();
            let w = self.operator();
            let mut matrix = vec![0.0; n * n];
            for (cell, bounds) in self.cell_starts.windows(2).enumerate() {
                let (first, d) = (bounds[0], bounds[1] - bounds[0]);
                for a in 0..d {
                    let row = &mut matrix[(first + a) * n..(first + a + 1) * n];
                    for b in 0..d {
                        let w = &w[(first + b) * n..(first + b + 1) * n];
                        row.iter_mut().zip(w).for_each(|(m, w)| *m += self.q[cell][a * d + b] * w);
                        row[first + b] += self.p[cell][a * d + b];
                    }
                }
            }
            matrix
        }

        fn solve(&self, system: &mut VelocitySystem, b: &[f64]) -> Vec<f64> {
            let mut x = vec![f64::NAN; b.len()];
            system.analyse(&self.rows);
            system.factor(&self.rows, &self.scale, &self.cell_starts, &self.p, &self.q).unwrap();
            system.solve(b, &mut x);
            x
        }
    }

    /// `A = I - D` of a sliding contact; see the study of the Newton methods for `D`.
    fn slip(random: &mut Pcg64, dim: usize, a: &mut [f64]) {
        let mu: f64 = random.random_range(0.0..0.7);
        let k: f64 = random.random_range(0.1..1.0);
        let angle: f64 = random.random_range(0.0..6.0);
        let t = if dim == 2 { [1.0, 0.0] } else { [libm::cos(angle), libm::sin(angle)] };
        a.fill(0.0);
        for i in 1..dim {
            a[i * dim] = -mu * t[i - 1];
            for j in 1..dim {
                let identity = f64::from(u8::from(i == j));
                a[i * dim + j] = identity - k * (identity - t[i - 1] * t[j - 1]);
            }
        }
    }

    fn multiply(matrix: &[f64], x: &[f64]) -> Vec<f64> {
        matrix.chunks_exact(x.len().max(1)).map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum()).collect()
    }

    type Blocks = Vec<(Kind, Vec<[usize; 2]>)>;

    /// Contacts between bodies of six columns; a body of number `None` is the world.
    fn contacts(pairs: &[(usize, Option<usize>)], each: usize, dim: usize) -> Blocks {
        let pieces = |&(a, b): &(usize, Option<usize>)| {
            std::iter::once(a).chain(b).map(|body| [6 * body, 6]).collect::<Vec<_>>()
        };
        pairs.iter().flat_map(|pair| (0..each).map(|_| (Kind::Contact(dim), pieces(pair)))).collect()
    }

    /// Name, number of columns and blocks of systems of every shape.
    fn shapes(random: &mut Pcg64) -> Vec<(&'static str, usize, Blocks)> {
        let tower: Vec<_> = (0..12).map(|k| (k, (k > 0).then(|| k - 1))).collect();
        let ring: Vec<_> = (0..9).map(|k| (k, Some((k + 1) % 9))).collect();
        let star: Vec<_> = (1..8).map(|k| (k, Some(0))).collect();
        let graph: Vec<_> = (0..50)
            .map(|_| {
                let a = random.random_range(0..20);
                let b = random.random_range(0..21);
                (a, (b < 20 && a != b).then_some(b))
            })
            .collect();
        let mut arm = contacts(&[(0, None), (0, Some(1)), (1, None)], 2, 3);
        arm.push((Kind::Free(5), vec![[0, 6], [6, 6]]));
        arm.push((Kind::Free(7), vec![[12, 29]]));
        arm.push((Kind::Contact(3), vec![[12, 29], [0, 6]]));
        arm.push((Kind::Contact(2), vec![[14, 3], [22, 1]]));
        arm.push((Kind::Contact(3), vec![]));
        vec![
            ("nothing", 0, vec![]),
            ("box", 6, contacts(&[(0, None)], 8, 3)),
            ("tower", 72, contacts(&tower, 4, 3)),
            ("flat tower", 72, contacts(&tower, 2, 2)),
            ("ring", 54, contacts(&ring, 1, 3)),
            ("star", 48, contacts(&star, 3, 3)),
            ("graph", 120, contacts(&graph, 1, 3)),
            ("arm", 44, arm),
        ]
    }

    /// Residual of `x` in the units of the cells, relative to `b`.
    fn residual(case: &Case, matrix: &[f64], x: &[f64], b: &[f64]) -> f64 {
        let error: Vec<f64> = multiply(matrix, x).iter().zip(b).map(|(a, b)| a - b).collect();
        let largest = |v: &[f64]| {
            case.cell_starts.windows(2).zip(&case.p).zip(&case.q).fold(0.0, |worst: f64, ((rows, p), q)| {
                worst.max(largest_abs(&v[rows[0]..rows[1]]) / largest_abs(p).max(largest_abs(q)))
            })
        };
        if b.is_empty() { 0.0 } else { largest(&error) / largest(b) }
    }

    fn uniform(random: &mut Pcg64, n: usize) -> Vec<f64> {
        (0..n).map(|_| random.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn the_solution_is_that_of_the_dense_system() {
        let mut random = Pcg64::seed_from_u64(3);
        let mut system = VelocitySystem::default();
        for round in 0..20 {
            for (name, columns, blocks) in shapes(&mut random) {
                let case = Case::new(&mut random, columns, &blocks, 1e-2);
                let b = uniform(&mut random, case.len());
                let x = case.solve(&mut system, &b);
                let mut lu = Lu::default();
                lu.matrix_mut(b.len()).copy_from_slice(&case.matrix());
                lu.factor().unwrap();
                let mut expected = b.clone();
                lu.solve(&mut expected);
                let error = x.iter().zip(&expected).fold(0.0, |worst: f64, (x, e)| worst.max((x - e).abs()));
                assert!(error <= 1e-9 * (1.0 + largest_abs(&expected)), "{name}, round {round}: {error:e}");
            }
        }
    }

    #[test]
    fn a_tiny_proximal_term_leaves_a_small_residual() {
        let mut random = Pcg64::seed_from_u64(4);
        let mut system = VelocitySystem::default();
        for round in 0..20 {
            for (name, columns, blocks) in shapes(&mut random) {
                for eps in [1e-4, 1e-6, 1e-8, 1e-10] {
                    let case = Case::new(&mut random, columns, &blocks, eps);
                    let matrix = case.matrix();
                    let b = multiply(&matrix, &uniform(&mut random, case.len()));
                    let x = case.solve(&mut system, &b);
                    let error = residual(&case, &matrix, &x, &b);
                    assert!(error <= 1e-9, "{name}, eps {eps:e}, round {round}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn refinement_brings_back_what_a_tiny_proximal_term_cancels() {
        let mut random = Pcg64::seed_from_u64(5);
        let mut system = VelocitySystem::default();
        let mut worst = [0.0_f64; 3];
        for _ in 0..20 {
            let case = Case::new(&mut random, 6, &contacts(&[(0, None)], 8, 3), 1e-10);
            let matrix = case.matrix();
            let b = multiply(&matrix, &uniform(&mut random, case.len()));
            for (refinements, worst) in worst.iter_mut().enumerate() {
                system.refinements = refinements;
                *worst = worst.max(residual(&case, &matrix, &case.solve(&mut system, &b), &b));
            }
        }
        assert!(worst[0] > 1e-6 && worst[1] < 1e-3 * worst[0] && worst[2] < 1e-10, "{worst:?}");
    }

    #[test]
    fn an_open_contact_costs_no_room_in_the_fronts() {
        let mut random = Pcg64::seed_from_u64(6);
        let pairs: Vec<_> = (0..9).map(|k| (k, Some((k + 1) % 9))).collect();
        let blocks = contacts(&pairs, 1, 3);
        let mut case = Case::new(&mut random, 54, &blocks, 1e-3);
        let mut system = VelocitySystem::default();
        for (p, q) in case.p.iter_mut().zip(&mut case.q) {
            *p = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            *q = [0.0; 9];
        }
        let b = uniform(&mut random, case.len());
        assert_eq!(case.solve(&mut system, &b), b);
        assert_eq!(
            system.lu.live_entries(),
            6 * 36 + 18 * 18,
            "the last three bodies of a ring are one front"
        );
        case.q[0] = case.p[0];
        let x = case.solve(&mut system, &b);
        assert!(residual(&case, &case.matrix(), &x, &b) <= 1e-12);
    }

    #[test]
    fn a_singular_cell_or_system_or_nan_is_reported() {
        let rows = BlockRows {
            columns: 1,
            starts: vec![0, 1],
            piece_ptr: vec![0, 1],
            pieces: vec![Piece { column: 0, width: 1, offset: 0 }],
            values: vec![1.0],
        };
        let mut system = VelocitySystem::default();
        system.analyse(&rows);
        for (p, q) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (1.0, f64::INFINITY)] {
            let outcome = system.factor(&rows, &[1.0], &[0, 1], &[[p; 9]], &[[q; 9]]);
            assert_eq!(outcome, Err(Singular), "p = {p}, q = {q}");
        }
        assert_eq!(system.factor(&rows, &[f64::NAN], &[0, 1], &[[1.0; 9]], &[[1.0; 9]]), Err(Singular));
        system.factor(&rows, &[2.0], &[0, 1], &[[1.0; 9]], &[[1.0; 9]]).unwrap();
        let mut x = [0.0];
        system.solve(&[10.0], &mut x);
        assert_eq!(x, [2.0], "(1 + 4) x = 10");
    }

    /// Memory held by all vectors.
    fn capacity(system: &VelocitySystem) -> usize {
        let VelocitySystem { blocks, segments, lu, cells, y, coupled, h, residual, correction, .. } = system;
        let lists = blocks.capacity() + segments.capacity() + cells.capacity();
        let vectors = [y, coupled, h, residual, correction].map(Vec::capacity);
        lists + vectors.iter().sum::<usize>() + lu.capacity()
    }

    #[test]
    fn after_analysis_no_system_takes_memory_and_the_same_system_gives_the_same_bits() {
        let mut random = Pcg64::seed_from_u64(7);
        let mut used = VelocitySystem::default();
        for (name, columns, blocks) in shapes(&mut random) {
            let mut case = Case::new(&mut random, columns, &blocks, 1e-3);
            let b = uniform(&mut random, case.len());
            let mut system = VelocitySystem::default();
            system.analyse(&case.rows);
            let before = capacity(&system);
            let x = case.solve(&mut system, &b);
            assert_eq!(x, case.solve(&mut used, &b), "{name}");
            case.q.iter_mut().step_by(2).for_each(|q| q.fill(0.0));
            case.solve(&mut system, &b);
            assert_eq!(capacity(&system), before, "{name}");
        }
    }

    /// Any kinds of blocks with any pieces, which may overlap.
    fn any_blocks() -> impl Strategy<Value = Blocks> {
        let range = (0..30_usize, 0..13_usize).prop_map(|(column, width)| [column, width.min(30 - column)]);
        let kind = prop_oneof![(2..4_usize).prop_map(Kind::Contact), (1..6_usize).prop_map(Kind::Free)];
        proptest::collection::vec((kind, proptest::collection::vec(range, 0..4)), 0..20)
    }

    proptest! {
        #[test]
        fn any_partition_into_pieces_is_solved(blocks in any_blocks(), seed: u64) {
            let mut random = Pcg64::seed_from_u64(seed);
            let case = Case::new(&mut random, 30, &blocks, 1e-4);
            let matrix = case.matrix();
            let b = multiply(&matrix, &uniform(&mut random, case.len()));
            let x = case.solve(&mut VelocitySystem::default(), &b);
            let error = residual(&case, &matrix, &x, &b);
            prop_assert!(error <= 1e-9, "{error:e}");
        }
    }
}
