//! Islands: blocks of rows that share moving trees are solved together, and apart from all others, in the order of their first
//! block's key.
//!
//! | file | what it is |
//! |---|---|
//! | `partition` | which blocks are in which island |
//! | `workspace` | one island: fill, eliminate the bilateral rows, solve, write back |

mod elimination;
mod partition;
mod workspace;

pub(crate) use partition::{Partition, root, unite};
pub(crate) use workspace::{IslandWorkspace, RowProblem};

use crate::constraint::rows::Rows;
use crate::contact::{Impacts, IslandReport, IslandSolver};
use crate::model::{Model, TreeId};

/// Solves the islands of rows one after the other. Keeps its capacity.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    pub(crate) partition: Partition,
    workspace: IslandWorkspace,
    impacts: Impacts,
}

impl Islands {
    /// With contacts that may bounce.
    pub(crate) fn with_impacts(impacts: Impacts) -> Self {
        Self { impacts, ..Self::default() }
    }

    /// A moving tree of an island.
    pub(crate) fn tree(&self, island: usize, rows: &Rows) -> Option<TreeId> {
        let first = self.partition.blocks(island).first()?;
        rows.pieces(&rows.blocks[*first]).first().map(|piece| piece.tree)
    }

    /// Poses the problem of an island.
    pub(crate) fn pose(&mut self, island: usize, problem: &RowProblem<'_>, solver: &dyn IslandSolver) {
        self.workspace.pose(problem, self.partition.blocks(island), solver.factored_from());
    }

    /// Solves the problem posed last; `None` if it has no unilateral rows.
    pub(crate) fn solve_posed(
        &mut self,
        solver: &mut dyn IslandSolver,
        timestep: f64,
    ) -> Option<IslandReport> {
        self.workspace.solve(&mut self.impacts, solver, timestep)
    }

    /// Writes the answer of the island posed last.
    pub(crate) fn store(&mut self, island: usize, problem: &mut RowProblem<'_>) {
        self.workspace.store(problem, self.partition.blocks(island), self.impacts.posed());
    }

    /// Whether the bilateral rows of the island posed last contradict each other.
    pub(crate) fn contradicts(&self) -> bool {
        self.workspace.contradicts()
    }

    /// All three for one island.
    pub(crate) fn solve(
        &mut self,
        island: usize,
        problem: &mut RowProblem<'_>,
        solver: &mut dyn IslandSolver,
    ) -> Option<IslandReport> {
        self.pose(island, problem, solver);
        let report = self.solve_posed(solver, problem.timestep);
        self.store(island, problem);
        report
    }

    /// Groups and solves rows that are all bilateral: the impulses that bring `free` to zero, as far as the rows
    /// agree with each other.
    pub(crate) fn solve_bilateral(&mut self, model: &Model, rows: &mut Rows, free: &[f64]) {
        self.partition.group(model, rows);
        for island in 0..self.partition.count() {
            self.workspace.solve_bilateral(model, rows, self.partition.blocks(island), free);
        }
    }

    /// Counts, of rows that are all bilateral, those that depend on others: `count(rank, rows)` per block of an equality.
    pub(crate) fn count_dependent(
        &mut self,
        model: &Model,
        rows: &Rows,
        mut count: impl FnMut(usize, usize),
    ) {
        self.partition.group(model, rows);
        for island in 0..self.partition.count() {
            self.workspace.count_dependent(model, rows, self.partition.blocks(island), &mut count);
        }
    }
}
