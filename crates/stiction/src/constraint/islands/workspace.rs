//! The problem of one island: filled, its bilateral rows eliminated, solved, and the impulses written back.
//!
//! Bilateral rows `X` come first and are eliminated, which projects the Delassus operator and the free velocity on them: with
//! `P = M^-1 - M^-1 X^T (X M^-1 X^T)^-1 X M^-1` the unilateral rows see `J P J^T` and `J v_X` (Drumwright 2015, eq. 47).
//! Dependent bilateral rows are recognised by their pivot and skipped.
//!
//! A large island of unilateral rows is never multiplied out where the formulation can do without: it gets the
//! half-solved rows, sparse by trees.

use crate::constraint::rows::{RowKind, Rows};
use crate::contact::{Block, Impacts, IslandProblem, IslandReport, IslandSolver, Memory, Operator};
use crate::model::Model;
use stiction_solvers::BlockRows;

/// The rows of a problem and what is known of them before it is solved.
#[derive(Debug)]
pub(crate) struct RowProblem<'a> {
    pub(crate) model: &'a Model,
    pub(crate) rows: &'a mut Rows,
    /// Per row `prescribed + J v_free`; where bilateral rows or bounded drives act too, a solve makes it `prescribed + J v_X` of the
    /// unilateral ones, their velocity when only these act.
    pub(crate) free: &'a mut [f64],
    /// Velocities at the beginning of the step, per row; empty if nobody asks.
    pub(crate) before: &'a [f64],
    /// Per block, what is known from the last step; receives what is to be remembered.
    pub(crate) memory: &'a mut [Memory],
    /// Time step (s).
    pub(crate) timestep: f64,
    /// Speed (m/s or rad/s) by which each unilateral row may miss its law if it depends on the bilateral ones, so that no impulse moves it;
    /// empty for none.
    pub(crate) slack: &'a [f64],
}

/// What it takes to solve one island. Keeps its capacity. Islands may be solved at once, each in a workspace of its own.
#[derive(Debug, Default)]
pub(crate) struct IslandWorkspace {
    /// Bilateral rows, and all.
    pub(super) bilateral: usize,
    pub(super) total: usize,
    /// Whether the operator stays in factors.
    pub(super) factored: bool,
    /// Per tree of the island: (rank of the tree, block in the island, piece in the block).
    pub(super) members: Vec<(u32, usize, usize)>,
    pub(super) local_row: Vec<usize>,
    pub(super) matrix: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) slack: Vec<f64>,
    pub(super) delassus: Vec<f64>,
    /// The operator of a large island, and the first column of each tree there.
    pub(super) factors: BlockRows,
    pub(super) column: Vec<usize>,
    pub(super) blocks: Vec<Block>,
    pub(super) memory: Vec<Memory>,
    pub(super) skipped: Vec<bool>,
    /// Whether a dependent row asks for what the others do not give.
    pub(super) contradicts: bool,
    /// Rows of bounded drives, and their impulses beyond the middle of the bounds.
    pub(super) moved: Vec<(usize, f64)>,
    /// Columns in which the present pivot's row has entries.
    pub(super) reached: Vec<usize>,
}

impl IslandWorkspace {
    /// Poses the problem of the island of these blocks; with more rows than `factored_from` and no bilateral ones the operator
    /// stays in factors.
    pub(crate) fn pose(&mut self, problem: &RowProblem<'_>, blocks: &[usize], factored_from: usize) {
        let RowProblem { model, rows, free, before, memory, .. } = problem;
        self.poison();
        self.number_rows(rows, blocks);
        let bounded = |&&i: &&usize| rows.blocks[i].compliance > 0.0;
        self.factored =
            self.bilateral == 0 && self.total > factored_from && blocks.iter().find(bounded).is_none();
        if self.factored {
            self.free.resize(self.total, 0.0);
            gather(&mut self.free, rows, blocks, &self.local_row, free);
            self.fill_factors(model, rows, blocks);
        } else {
            self.reduce(model, rows, blocks, free, problem.slack);
            self.delassus.clear();
            for row in self.matrix[self.bilateral * self.total..].chunks_exact(self.total.max(1)) {
                self.delassus.extend_from_slice(&row[self.bilateral..]);
            }
        }
        self.before.resize(self.total, 0.0);
        gather(&mut self.before, rows, blocks, &self.local_row, before);
        self.list_blocks(rows, blocks, memory);
        for (local, &i) in blocks.iter().enumerate() {
            self.add_velocities(self.local_row[local], rows.blocks[i].center);
        }
    }

    /// Adds the velocities that an impulse along a unilateral row gives the others and itself.
    fn add_velocities(&mut self, row: usize, impulse: f64) {
        if impulse != 0.0 {
            let n = self.total - self.bilateral;
            let column = self.delassus.iter().skip(row - self.bilateral).step_by(n);
            self.free[self.bilateral..].iter_mut().zip(column).for_each(|(u, g)| *u += impulse * g);
        }
    }

    /// Takes what bounded drives do for known: the free velocities of the other rows have it from now on.
    fn settle_drives(&mut self, rows: &Rows, blocks: &[usize]) {
        let mut answers = self.memory.iter().map(|memory| memory.impulse[0]);
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            let impulse = if block.kind == RowKind::Bilateral { None } else { answers.next() };
            if let Some(impulse) = impulse.filter(|_| block.compliance > 0.0) {
                self.moved.push((self.local_row[local], impulse));
            }
        }
        while let Some((row, impulse)) = self.moved.pop() {
            self.add_velocities(row, impulse);
        }
    }

    /// Solves the unilateral problem that was posed, if there is one.
    pub(crate) fn solve(
        &mut self,
        impacts: &mut Impacts,
        solver: &mut dyn IslandSolver,
        timestep: f64,
    ) -> Option<IslandReport> {
        if self.total == self.bilateral {
            return None;
        }
        let problem = IslandProblem {
            blocks: &self.blocks,
            delassus: match self.factored {
                true => Operator::Factored(&self.factors),
                false => Operator::Dense(&self.delassus),
            },
            free: &self.free[self.bilateral..],
            before: &self.before[self.bilateral..],
            timestep,
        };
        Some(impacts.solve(&problem, solver, &mut self.memory))
    }

    /// Writes impulses, memory and free velocities of an island that was solved, with its blocks as they were `posed`.
    pub(crate) fn store(&mut self, problem: &mut RowProblem<'_>, blocks: &[usize], posed: &[Block]) {
        let RowProblem { rows, free, memory, .. } = problem;
        self.settle_drives(rows, blocks);
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            if block.kind != RowKind::Bilateral {
                let row = self.local_row[local];
                free[block.row..block.row + block.count].copy_from_slice(&self.free[row..row + block.count]);
            }
        }
        if self.total > self.bilateral {
            self.keep_impulses(rows, blocks, posed, memory);
        }
        self.back_substitute(rows, blocks);
    }

    /// With debug assertions, as in tests, makes what an earlier island has left behind NaN, so that no answer depends on it.
    fn poison(&mut self) {
        if cfg!(debug_assertions) {
            let lists = [&mut self.matrix, &mut self.free, &mut self.before, &mut self.delassus];
            lists.into_iter().chain([&mut self.factors.values]).for_each(|list| list.fill(f64::NAN));
        }
    }

    /// Solves an island of bilateral rows: the impulses that bring `free` to zero, as far as the rows agree with each other.
    pub(crate) fn solve_bilateral(&mut self, model: &Model, rows: &mut Rows, blocks: &[usize], free: &[f64]) {
        self.number_rows(rows, blocks);
        self.reduce(model, rows, blocks, free, &[]);
        self.back_substitute(rows, blocks);
    }

    /// Counts, in an island of bilateral rows, those that depend on others: `count(rank, rows)` per block.
    pub(crate) fn count_dependent(
        &mut self,
        model: &Model,
        rows: &Rows,
        blocks: &[usize],
        mut count: impl FnMut(usize, usize),
    ) {
        self.number_rows(rows, blocks);
        self.reduce(model, rows, blocks, &vec![0.0; rows.len()], &[]);
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            let from = self.local_row[local];
            let dependent = self.skipped[from..from + block.count].iter().filter(|skipped| **skipped);
            count(block.key.rank() as usize, dependent.count());
        }
    }

    /// The island's dense problem with the bilateral rows eliminated.
    fn reduce(&mut self, model: &Model, rows: &Rows, blocks: &[usize], free: &[f64], slack: &[f64]) {
        self.fill(model, rows, blocks, free);
        self.slack.resize(self.total, 0.0);
        gather(&mut self.slack, rows, blocks, &self.local_row, slack);
        self.eliminate();
        self.drop_round_off();
    }

    /// Local rows: bilateral blocks first, then the others.
    fn number_rows(&mut self, rows: &Rows, blocks: &[usize]) {
        self.local_row.clear();
        self.local_row.resize(blocks.len(), 0);
        let mut next = 0;
        for pass in 0..2 {
            for (local, &i) in blocks.iter().enumerate() {
                let block = &rows.blocks[i];
                if (block.kind == RowKind::Bilateral) == (pass == 0) {
                    self.local_row[local] = next;
                    next += block.count;
                }
            }
            if pass == 0 {
                self.bilateral = next;
            }
        }
        self.total = next;
    }

    /// The dense matrix `[X; J] M^-1 [X; J]^T` and free row velocities.
    fn fill(&mut self, model: &Model, rows: &Rows, blocks: &[usize], free: &[f64]) {
        let total = self.total;
        self.matrix.clear();
        self.matrix.resize(total * total, 0.0);
        self.free.clear();
        self.free.resize(total, 0.0);
        self.members.clear();
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            for r in 0..block.count {
                self.free[self.local_row[local] + r] = free[block.row + r];
            }
            let pieces = rows.pieces(block).iter().enumerate();
            self.members.extend(pieces.map(|(p, piece)| (model.trees[piece.tree].rank, local, p)));
        }
        self.members.sort_unstable();
        for (m, &(rank, a, pa)) in self.members.iter().enumerate() {
            let block_a = &rows.blocks[blocks[a]];
            let piece_a = &rows.pieces(block_a)[pa];
            for &(_, b, pb) in self.members[m..].iter().take_while(|(r, ..)| *r == rank) {
                let block_b = &rows.blocks[blocks[b]];
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
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            for e in self.local_row[local]..self.local_row[local] + block.count {
                let diagonal = &mut self.matrix[e * total + e];
                *diagonal = *diagonal * (1.0 + block.softness) + block.compliance;
            }
        }
    }

    /// The rows of `Y`, whose columns are the velocities of the island's trees in the order of their ranks.
    fn fill_factors(&mut self, model: &Model, rows: &Rows, blocks: &[usize]) {
        self.members.clear();
        for (local, &i) in blocks.iter().enumerate() {
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
                let tree = rows.pieces(&rows.blocks[blocks[local]])[p].tree;
                self.column[tree.index()] = factors.columns;
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
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            for piece in rows.pieces(block) {
                let width = model.trees[piece.tree].dofs.len();
                let (column, offset) = (self.column[piece.tree.index()], factors.values.len());
                factors.pieces.push(stiction_solvers::Piece { column, width, offset });
                factors.values.extend_from_slice(rows.half_rows(block, piece, width));
            }
            factors.piece_ptr.push(factors.pieces.len());
            factors.starts.push(self.local_row[local] + block.count);
        }
    }

    /// The island's unilateral blocks as formulations see them.
    fn list_blocks(&mut self, rows: &Rows, blocks: &[usize], memory: &[Memory]) {
        self.blocks.clear();
        self.memory.clear();
        for (local, &i) in blocks.iter().enumerate() {
            if let RowKind::Unilateral(kind) = rows.blocks[i].kind {
                let restitution = rows.blocks[i].restitution;
                self.blocks.push(Block { kind, row: self.local_row[local] - self.bilateral, restitution });
                let mut own = memory[i];
                own.impulse[0] -= rows.blocks[i].center;
                self.memory.push(own);
            }
        }
    }

    /// Writes the impulses and memory of the unilateral blocks, and the blocks as they were `posed`.
    fn keep_impulses(&self, rows: &mut Rows, blocks: &[usize], posed: &[Block], memory: &mut [Memory]) {
        let mut answers = self.memory.iter().zip(posed);
        for &i in blocks {
            let block = &mut rows.blocks[i];
            if block.kind == RowKind::Bilateral {
                continue;
            }
            let Some((result, posed)) = answers.next() else { return };
            block.kind = RowKind::Unilateral(posed.kind);
            block.restitution = posed.restitution;
            memory[i] = *result;
            memory[i].impulse[0] += block.center;
            let result = &memory[i];
            rows.impulse[block.row..block.row + block.count].copy_from_slice(&result.impulse[..block.count]);
        }
    }
}

/// The island's part of a vector of all rows; zeros if that is empty.
fn gather(out: &mut [f64], rows: &Rows, blocks: &[usize], local_row: &[usize], values: &[f64]) {
    if values.is_empty() {
        out.fill(0.0);
        return;
    }
    for (block, &row) in blocks.iter().map(|&i| &rows.blocks[i]).zip(local_row) {
        out[row..row + block.count].copy_from_slice(&values[block.row..block.row + block.count]);
    }
}
