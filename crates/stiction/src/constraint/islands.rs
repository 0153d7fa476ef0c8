//! Stages 4 and 5 of a step: islands, their dense problems, bilateral rows eliminated.
//!
//! Trees that share a block are in one island; islands are solved on their own, in the order of their first block's
//! key. In an island the bilateral rows `X` come first and are eliminated, which projects the Delassus operator and
//! the free velocity on them: with `P = M^-1 - M^-1 X^T (X M^-1 X^T)^-1 X M^-1` the unilateral rows see `J P J^T` and
//! `J v_X` (Drumwright 2015, eq. 47). Dependent bilateral rows are recognised by their pivot and skipped.
//!
//! Where contacts bounce, an island is solved by way of [`Impacts`].
//!
//! A large island of unilateral rows is never multiplied out where the formulation can do without: it gets the
//! half-solved rows, sparse by trees.

use crate::constraint::rows::{RowKind, Rows};
use crate::contact::{Block, Impacts, IslandProblem, IslandReport, IslandSolver, Memory, Operator};
use crate::model::Model;
use crate::sim::profile::{Clock, Stage};
use stiction_solvers::BlockRows;

/// A pivot below this part of its diagonal belongs to a dependent row: elimination of n rows leaves relative errors
/// of about n times 2e-16 there.
const DEPENDENT: f64 = 1e-11;

/// A set of blocks that share moving trees.
#[derive(Clone, Copy, Debug)]
struct Island {
    /// Range in [`Islands::order`].
    start: usize,
    end: usize,
}

/// What formulations may ask about the beginning of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepStart<'a> {
    /// Velocities of all rows; empty if nobody asks.
    pub(crate) before: &'a [f64],
    /// Time step (s).
    pub(crate) timestep: f64,
}

/// Solves all islands of a set of rows. Keeps its capacity.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    parent: Vec<usize>,
    islands: Vec<Island>,
    order: Vec<usize>,
    /// Island of each root tree, while grouping.
    label: Vec<usize>,
    /// Per tree of the current island: (rank of the tree, block in the island, piece in the block).
    members: Vec<(u32, usize, usize)>,
    local_row: Vec<usize>,
    matrix: Vec<f64>,
    free: Vec<f64>,
    before: Vec<f64>,
    delassus: Vec<f64>,
    /// The operator of a large island, and the first column of each tree there.
    factors: BlockRows,
    column: Vec<usize>,
    blocks: Vec<Block>,
    memory: Vec<Memory>,
    skipped: Vec<bool>,
    /// Tells what is spent on problems and on all before.
    pub(crate) clock: Clock,
    impacts: Impacts,
    /// Columns in which the present pivot's row has entries.
    reached: Vec<usize>,
}

/// Root of a tree in the union-find forest; halves the path.
fn find(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// Joins two sets; the lesser index becomes the root.
pub(crate) fn unite(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// Root of the set of `i`.
pub(crate) fn root(parent: &mut [usize], i: usize) -> usize {
    find(parent, i)
}

impl Islands {
    /// With contacts that may bounce.
    pub(crate) fn with_impacts(impacts: Impacts) -> Self {
        Self { impacts, ..Self::default() }
    }

    /// The blocks of island number `index`, by their places in the rows.
    pub(crate) fn blocks(&self, index: usize) -> &[usize] {
        let Island { start, end } = self.islands[index];
        &self.order[start..end]
    }

    /// Number of islands found last.
    pub(crate) fn count(&self) -> usize {
        self.islands.len()
    }

    /// A moving tree of island number `index`.
    pub(crate) fn tree(&self, index: usize, rows: &Rows) -> Option<usize> {
        let first = self.order[self.islands[index].start];
        rows.pieces(&rows.blocks[first]).first().map(|piece| piece.tree)
    }

    /// Groups the (sorted) blocks of `rows` into islands.
    pub(crate) fn group(&mut self, model: &Model, rows: &Rows) {
        self.parent.clear();
        self.parent.extend(0..model.trees.len());
        for block in &rows.blocks {
            for pair in rows.pieces(block).windows(2) {
                unite(&mut self.parent, pair[0].tree, pair[1].tree);
            }
        }
        self.label.clear();
        self.label.resize(model.trees.len(), usize::MAX);
        self.islands.clear();
        // Blocks without moving trees constrain nothing and are in no island.
        for block in &rows.blocks {
            let Some(piece) = rows.pieces(block).first() else { continue };
            let tree = find(&mut self.parent, piece.tree);
            if self.label[tree] == usize::MAX {
                self.label[tree] = self.islands.len();
                self.islands.push(Island { start: 0, end: 0 });
            }
            self.islands[self.label[tree]].end += 1;
        }
        let mut start = 0;
        for island in &mut self.islands {
            let count = island.end;
            *island = Island { start, end: start };
            start += count;
        }
        self.order.clear();
        self.order.resize(start, 0);
        for (i, block) in rows.blocks.iter().enumerate() {
            let Some(piece) = rows.pieces(block).first() else { continue };
            let island = &mut self.islands[self.label[find(&mut self.parent, piece.tree)]];
            self.order[island.end] = i;
            island.end += 1;
        }
    }

    /// Solves island number `index`: reads `rows` and `free = prescribed + J v_free`, writes the rows' impulses, and
    /// to `free` of the unilateral rows their velocity when only the bilateral rows act, `prescribed + J v_X`.
    /// `memory` holds, per block, what is known from the last step and receives what is to be remembered.
    #[allow(clippy::too_many_arguments, reason = "the parts of a simulation that a solve reads and writes")]
    pub(crate) fn solve(
        &mut self,
        index: usize,
        model: &Model,
        rows: &mut Rows,
        free: &mut [f64],
        now: StepStart,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> Option<IslandReport> {
        let Island { start, end } = self.islands[index];
        let count: usize = self.order[start..end].iter().map(|&i| rows.blocks[i].count).sum();
        let unilateral = self.order[start..end].iter().all(|&i| rows.blocks[i].kind != RowKind::Bilateral);
        if unilateral && count > solver.factored_from() {
            return Some(self.solve_factored(model, rows, free, start, end, now, solver, memory));
        }
        let (bilateral, total) = self.reduce(model, rows, free, start, end);
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            if block.kind != RowKind::Bilateral {
                let row = self.local_row[local];
                free[block.row..block.row + block.count].copy_from_slice(&self.free[row..row + block.count]);
            }
        }
        self.recall_before(rows, now, start, end, total);
        let report = self.solve_unilateral(rows, start, end, bilateral, total, now, solver, memory);
        self.back_substitute(rows, start, end, bilateral, total);
        report
    }

    /// Groups and solves rows that are all bilateral: the impulses that bring `free` to zero, as far as the rows
    /// agree with each other.
    pub(crate) fn solve_bilateral(&mut self, model: &Model, rows: &mut Rows, free: &[f64]) {
        self.group(model, rows);
        for index in 0..self.islands.len() {
            let Island { start, end } = self.islands[index];
            let (bilateral, total) = self.reduce(model, rows, free, start, end);
            self.back_substitute(rows, start, end, bilateral, total);
        }
    }

    /// Counts, of rows that are all bilateral, those that depend on others: `count(rank, rows)` per block of an equality.
    pub(crate) fn count_dependent(
        &mut self,
        model: &Model,
        rows: &Rows,
        mut count: impl FnMut(usize, usize),
    ) {
        self.group(model, rows);
        let free = vec![0.0; rows.len()];
        for index in 0..self.islands.len() {
            let Island { start, end } = self.islands[index];
            self.reduce(model, rows, &free, start, end);
            for (local, &i) in self.order[start..end].iter().enumerate() {
                let block = &rows.blocks[i];
                let from = self.local_row[local];
                let dependent = self.skipped[from..from + block.count].iter().filter(|skipped| **skipped);
                count(block.key.rank() as usize, dependent.count());
            }
        }
    }

    /// The island's dense problem with the bilateral rows eliminated. Returns both counts of rows (bilateral, all).
    fn reduce(
        &mut self,
        model: &Model,
        rows: &Rows,
        free: &[f64],
        start: usize,
        end: usize,
    ) -> (usize, usize) {
        let (bilateral, total) = self.number_rows(rows, start, end);
        self.fill(model, rows, free, start, end, total);
        self.eliminate(bilateral, total);
        self.drop_round_off(bilateral, total);
        (bilateral, total)
    }

    /// Local rows: bilateral blocks first, then the others. Returns both counts of rows (bilateral, all).
    fn number_rows(&mut self, rows: &Rows, start: usize, end: usize) -> (usize, usize) {
        self.local_row.clear();
        self.local_row.resize(end - start, 0);
        let mut next = 0;
        let mut bilateral = 0;
        for pass in 0..2 {
            for (local, &i) in self.order[start..end].iter().enumerate() {
                let block = &rows.blocks[i];
                if (block.kind == RowKind::Bilateral) == (pass == 0) {
                    self.local_row[local] = next;
                    next += block.count;
                }
            }
            if pass == 0 {
                bilateral = next;
            }
        }
        (bilateral, next)
    }

    /// The dense matrix `[X; J] M^-1 [X; J]^T` and free row velocities.
    fn fill(&mut self, model: &Model, rows: &Rows, free: &[f64], start: usize, end: usize, total: usize) {
        self.matrix.clear();
        self.matrix.resize(total * total, 0.0);
        self.free.clear();
        self.free.resize(total, 0.0);
        self.members.clear();
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            for r in 0..block.count {
                self.free[self.local_row[local] + r] = free[block.row + r];
            }
            let pieces = rows.pieces(block).iter().enumerate();
            self.members.extend(pieces.map(|(p, piece)| (model.trees[piece.tree].rank, local, p)));
        }
        self.members.sort_unstable();
        for (m, &(rank, a, pa)) in self.members.iter().enumerate() {
            let block_a = &rows.blocks[self.order[start + a]];
            let piece_a = &rows.pieces(block_a)[pa];
            for &(_, b, pb) in self.members[m..].iter().take_while(|(r, ..)| *r == rank) {
                let block_b = &rows.blocks[self.order[start + b]];
                let piece_b = &rows.pieces(block_b)[pb];
                let (row_a, row_b) = (self.local_row[a], self.local_row[b]);
                let matrix = &mut self.matrix;
                rows.delassus(model, (block_a, piece_a), (block_b, piece_b), |r, c, value| {
                    let (i, j) = (row_a + r, row_b + c);
                    matrix[i * total + j] += value;
                    if a != b {
                        matrix[j * total + i] += value;
                    }
                });
            }
        }
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            for e in self.local_row[local]..self.local_row[local] + block.count {
                let diagonal = &mut self.matrix[e * total + e];
                *diagonal = *diagonal * (1.0 + block.softness) + block.compliance;
            }
        }
    }

    /// Eliminates the bilateral rows from the matrix and the free velocities, skipping dependent ones.
    fn eliminate(&mut self, bilateral: usize, total: usize) {
        self.skipped.clear();
        self.skipped.resize(bilateral, false);
        for e in 0..bilateral {
            // The diagonal before elimination: what is left plus what was subtracted, by the kept multipliers.
            let pivot = self.matrix[e * total + e];
            let original = pivot
                + (0..e)
                    .filter(|&k| self.matrix[e * total + k] != 0.0 && !self.skipped[k])
                    .map(|k| self.matrix[e * total + k] * self.matrix[k * total + e])
                    .sum::<f64>();
            if pivot <= DEPENDENT * original || pivot <= 0.0 {
                self.skipped[e] = true;
                continue;
            }
            let (upper, lower) = self.matrix.split_at_mut((e + 1) * total);
            let pivot_row = &upper[e * total..];
            // The matrix is symmetric but for round-off: the rows and columns that the pivot reaches are the same.
            self.reached.clear();
            self.reached.extend((e + 1..total).filter(|&j| pivot_row[j] != 0.0));
            for &i in &self.reached {
                let row = &mut lower[(i - e - 1) * total..][..total];
                let factor = row[e] / pivot;
                for &j in &self.reached {
                    row[j] -= factor * pivot_row[j];
                }
                row[e] = factor;
                self.free[i] -= factor * self.free[e];
            }
        }
    }

    /// Makes exactly zero what elimination has left of unilateral rows that depend on the bilateral ones (a contact at
    /// the very point of a pin): no impulse changes their velocity, and round-off would make them infeasible.
    fn drop_round_off(&mut self, bilateral: usize, total: usize) {
        for i in bilateral..total {
            let (mut diagonal, mut velocity) = (0.0, 0.0);
            for e in (0..bilateral).filter(|&e| !self.skipped[e]) {
                let factor = self.matrix[i * total + e];
                diagonal += factor * self.matrix[e * total + i];
                velocity += (factor * self.free[e]).abs();
            }
            if self.matrix[i * total + i] > DEPENDENT * diagonal {
                continue;
            }
            for j in bilateral..total {
                self.matrix[i * total + j] = 0.0;
                self.matrix[j * total + i] = 0.0;
            }
            // The diagonal is quadratic in the row, its velocity linear.
            if self.free[i].abs() <= DEPENDENT.sqrt() * velocity {
                self.free[i] = 0.0;
            }
        }
    }

    /// Poses and solves the remaining unilateral problem.
    #[allow(clippy::too_many_arguments)]
    fn solve_unilateral(
        &mut self,
        rows: &mut Rows,
        start: usize,
        end: usize,
        bilateral: usize,
        total: usize,
        now: StepStart,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> Option<IslandReport> {
        let n = total - bilateral;
        if n == 0 {
            return None;
        }
        self.delassus.clear();
        for row in self.matrix[bilateral * total..].chunks_exact(total) {
            self.delassus.extend_from_slice(&row[bilateral..]);
        }
        self.list_blocks(rows, start, end, bilateral, memory);
        let delassus = Operator::Dense(&self.delassus);
        let problem = IslandProblem {
            blocks: &self.blocks,
            delassus,
            free: &self.free[bilateral..],
            before: &self.before[bilateral..],
            timestep: now.timestep,
        };
        self.clock.lap(Stage::Rows);
        let report = self.impacts.solve(&problem, solver, &mut self.memory);
        self.clock.lap(Stage::Solve);
        self.keep_impulses(rows, start, end, memory);
        Some(report)
    }

    /// Solves a large island of unilateral rows, whose operator stays in factors.
    #[allow(clippy::too_many_arguments)]
    fn solve_factored(
        &mut self,
        model: &Model,
        rows: &mut Rows,
        free: &[f64],
        start: usize,
        end: usize,
        now: StepStart,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> IslandReport {
        let (_, total) = self.number_rows(rows, start, end);
        self.free.clear();
        self.free.resize(total, 0.0);
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            let row = self.local_row[local];
            self.free[row..row + block.count].copy_from_slice(&free[block.row..block.row + block.count]);
        }
        self.recall_before(rows, now, start, end, total);
        self.fill_factors(model, rows, start, end);
        self.list_blocks(rows, start, end, 0, memory);
        let delassus = Operator::Factored(&self.factors);
        let problem = IslandProblem {
            blocks: &self.blocks,
            delassus,
            free: &self.free,
            before: &self.before,
            timestep: now.timestep,
        };
        self.clock.lap(Stage::Rows);
        let report = self.impacts.solve(&problem, solver, &mut self.memory);
        self.clock.lap(Stage::Solve);
        self.keep_impulses(rows, start, end, memory);
        report
    }

    /// The island's part of the velocities at the beginning of the step.
    fn recall_before(&mut self, rows: &Rows, now: StepStart, start: usize, end: usize, total: usize) {
        self.before.clear();
        self.before.resize(total, 0.0);
        if now.before.is_empty() {
            return;
        }
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            let row = self.local_row[local];
            self.before[row..row + block.count]
                .copy_from_slice(&now.before[block.row..block.row + block.count]);
        }
    }

    /// The rows of `Y`, whose columns are the velocities of the island's trees in the order of their ranks.
    fn fill_factors(&mut self, model: &Model, rows: &Rows, start: usize, end: usize) {
        self.members.clear();
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let pieces = rows.pieces(&rows.blocks[i]).iter().enumerate();
            self.members.extend(pieces.map(|(p, piece)| (model.trees[piece.tree].rank, local, p)));
        }
        self.members.sort_unstable();
        self.column.resize(model.trees.len(), 0);
        let factors = &mut self.factors;
        factors.columns = 0;
        let mut last = None;
        for &(rank, local, p) in &self.members {
            if last != Some(rank) {
                let tree = rows.pieces(&rows.blocks[self.order[start + local]])[p].tree;
                self.column[tree] = factors.columns;
                factors.columns += model.trees[tree].dofs.len();
                last = Some(rank);
            }
        }
        factors.starts.clear();
        factors.starts.push(0);
        factors.piece_ptr.clear();
        factors.piece_ptr.push(0);
        factors.pieces.clear();
        factors.values.clear();
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            for piece in rows.pieces(block) {
                let width = model.trees[piece.tree].dofs.len();
                let (column, offset) = (self.column[piece.tree], factors.values.len());
                factors.pieces.push(stiction_solvers::Piece { column, width, offset });
                factors.values.extend_from_slice(rows.half_rows(block, piece, width));
            }
            factors.piece_ptr.push(factors.pieces.len());
            factors.starts.push(self.local_row[local] + block.count);
        }
    }

    /// The island's unilateral blocks as formulations see them.
    fn list_blocks(&mut self, rows: &Rows, start: usize, end: usize, bilateral: usize, memory: &[Memory]) {
        self.blocks.clear();
        self.memory.clear();
        for (local, &i) in self.order[start..end].iter().enumerate() {
            if let RowKind::Unilateral(kind) = rows.blocks[i].kind {
                let restitution = rows.blocks[i].restitution;
                self.blocks.push(Block { kind, row: self.local_row[local] - bilateral, restitution });
                self.memory.push(memory[i]);
            }
        }
    }

    /// Hands on what the solve left in the blocks' memory, and the rows as they were posed.
    fn keep_impulses(&self, rows: &mut Rows, start: usize, end: usize, memory: &mut [Memory]) {
        let mut answers = self.memory.iter().zip(self.impacts.posed());
        for &i in &self.order[start..end] {
            let block = &mut rows.blocks[i];
            if block.kind == RowKind::Bilateral {
                continue;
            }
            let Some((result, posed)) = answers.next() else { return };
            block.kind = RowKind::Unilateral(posed.kind);
            block.restitution = posed.restitution;
            memory[i] = *result;
            rows.impulse[block.row..block.row + block.count].copy_from_slice(&result.impulse[..block.count]);
        }
    }

    /// Impulses of the bilateral rows, which bring their velocities to the targets.
    fn back_substitute(&mut self, rows: &mut Rows, start: usize, end: usize, bilateral: usize, total: usize) {
        if bilateral == 0 {
            return;
        }
        // `free` becomes the vector of impulses: the unilateral part is known.
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            if block.kind != RowKind::Bilateral {
                let row = self.local_row[local];
                self.free[row..row + block.count]
                    .copy_from_slice(&rows.impulse[block.row..block.row + block.count]);
            }
        }
        for e in (0..bilateral).rev() {
            if self.skipped[e] {
                self.free[e] = 0.0;
                continue;
            }
            let row = &self.matrix[e * total..(e + 1) * total];
            let right = row[e + 1..].iter().zip(&self.free[e + 1..]).filter(|(entry, _)| **entry != 0.0);
            let known: f64 = right.map(|(entry, impulse)| entry * impulse).sum();
            self.free[e] = -(self.free[e] + known) / row[e];
        }
        for (local, &i) in self.order[start..end].iter().enumerate() {
            let block = &rows.blocks[i];
            if block.kind == RowKind::Bilateral {
                let row = self.local_row[local];
                rows.impulse[block.row..block.row + block.count]
                    .copy_from_slice(&self.free[row..row + block.count]);
            }
        }
    }
}
