//! Islands without tangential impulses: the problem of the normal impulses is all there is.

use super::{DenseFactor, FactoredIsland, NormalProblem, NormalSolver, bias};
use crate::contact::formulation::{FormulationError, IslandSolver, PosedIsland};
use crate::contact::island::{Block, BlockKind, IslandProblem, IslandReport, Memory};

/// Solves islands in which every block has one row. Allocates nothing for an island no larger than one seen before.
#[derive(Debug)]
pub(crate) struct NormalImpulses {
    normal: NormalProblem,
    dense: DenseFactor,
}

impl NormalImpulses {
    /// With this solver; refuses settings out of range.
    pub(crate) fn new(solver: &NormalSolver) -> Result<Self, FormulationError> {
        Ok(Self { normal: NormalProblem::new(solver)?, dense: DenseFactor::default() })
    }

    fn write_problem(&mut self, island: &IslandProblem, memory: &[Memory]) {
        let rows = &FactoredIsland::new(island, self.dense.rows(island));
        let columns = rows.columns();
        self.normal.recall(memory, |b| preload(&island.blocks[b]));
        self.normal.clear(island.blocks.len(), columns);
        for (b, block) in island.blocks.iter().enumerate() {
            rows.add(block.row, 1.0, &mut self.normal.half[b * columns..(b + 1) * columns]);
            self.normal.q.push(island.free[block.row] + bias(block.kind));
        }
    }
}

impl IslandSolver for NormalImpulses {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        self.write_problem(island, memory);
        let report = self.normal.solve(island.blocks);
        for (b, (block, memory)) in island.blocks.iter().zip(memory).enumerate() {
            let basic = u64::from(self.normal.basis.contains(b));
            *memory = Memory { known: true, basic, ..Default::default() };
            memory.impulse[0] = preload(block) + self.normal.solution.z[b];
        }
        IslandReport::of(report, island.blocks.len())
    }

    fn factored_from(&self) -> usize {
        0
    }

    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        self.write_problem(island, memory);
        self.normal.pose(island.blocks)
    }
}

/// Normal impulse of a block that acts in any case (N s).
fn preload(block: &Block) -> f64 {
    if let BlockKind::Contact { preload, .. } = block.kind { preload } else { 0.0 }
}
