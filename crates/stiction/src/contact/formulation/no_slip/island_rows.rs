//! What the formulation asks of an island's rows.

use crate::contact::island::{BlockKind, IslandProblem};
use crate::model::Law;

/// What makes the length of a row one.
pub(super) fn unit(island: &IslandProblem, row: usize) -> f64 {
    let diagonal = island.entry(row, row);
    if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 }
}

/// Velocity of a row under these impulses, and the size of its terms.
pub(super) fn velocity(island: &IslandProblem, impulse: &[f64], row: usize) -> (f64, f64) {
    let free = island.free[row];
    let loaded = impulse.iter().enumerate().filter(|(_, lambda)| **lambda != 0.0);
    loaded.fold((free, free.abs()), |(sum, size), (j, lambda)| {
        let term = island.entry(row, j) * lambda;
        (sum + term, size + term.abs())
    })
}

pub(super) fn has_friction(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Contact { law: Law::Coulomb { .. } | Law::NoSlip, .. })
}

/// a_n of the first row (m/s).
pub(super) fn bias(kind: BlockKind) -> f64 {
    match kind {
        BlockKind::Contact { bias, .. } | BlockKind::Limit { bias } => bias,
        BlockKind::Friction { .. } => 0.0,
    }
}
