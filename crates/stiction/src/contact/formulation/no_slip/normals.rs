//! Step 2: the problem of the normal impulses, as `Y` or multiplied out with bounds.

use super::NoSlip;
use super::independent_rows::dot;
use super::island_rows::unit;
use crate::contact::island::{BlockKind, IslandProblem};
use stiction_solvers::{BoxLcp, FactoredLcp, Report, Start};

impl NoSlip {
    /// Step 2.
    pub(super) fn solve_normals(&mut self, island: &IslandProblem) -> Report {
        let start = if self.pivoting { Start::Basis(&self.basis) } else { Start::Warm };
        let report = match &mut self.factored {
            Some(solver) if !is_two_sided(island) => {
                write_factored(&mut self.factored_problem, &self.half, &self.q, self.columns);
                solver.solve(&self.factored_problem, start, &mut self.solution)
            }
            _ if write_bounded(&mut self.bounded_problem, &self.half, &self.q, self.columns, island) => {
                self.bounded.solve(&self.bounded_problem, start, &mut self.solution)
            }
            _ => Report::NOT_FINITE,
        };
        for (b, block) in island.blocks.iter().enumerate() {
            let z = self.solution.z[b];
            let one_sided = !matches!(block.kind, BlockKind::Friction { .. });
            self.presses[b] = one_sided && z > self.tolerance * self.speed * unit(island, block.row);
            let inside = match block.kind {
                BlockKind::Friction { bound } => z.abs() < bound,
                _ => z > 0.0,
            };
            self.basis.set(b, inside);
        }
        report
    }
}

/// Whether a joint's friction needs bounds on both sides.
pub(super) fn is_two_sided(island: &IslandProblem) -> bool {
    island.blocks.iter().any(|b| matches!(b.kind, BlockKind::Friction { .. }))
}

/// The normal problem by the rows of `Y`, `m` numbers each.
pub(super) fn write_factored(problem: &mut FactoredLcp, half: &[f64], q: &[f64], m: usize) {
    problem.refill(q.len(), m, |to, constants| {
        to.copy_from_slice(half);
        constants.copy_from_slice(q);
    });
}

/// The normal problem by its matrix `Y Y^T` and bounds. Returns whether the bounds are numbers.
pub(super) fn write_bounded(
    problem: &mut BoxLcp,
    half: &[f64],
    q: &[f64],
    m: usize,
    island: &IslandProblem,
) -> bool {
    let n = q.len();
    problem.resize(n);
    for i in 0..n {
        for j in 0..n {
            let [a, b] = [i, j].map(|i| &half[i * m..(i + 1) * m]);
            problem.matrix_mut()[i * n + j] = dot(a, b);
        }
    }
    problem.q_mut().copy_from_slice(q);
    island.blocks.iter().enumerate().all(|(b, block)| {
        let (lower, upper) = match block.kind {
            BlockKind::Friction { bound } => (-bound, bound),
            _ => (0.0, f64::INFINITY),
        };
        problem.set_bounds(b, lower, upper).is_ok()
    })
}
