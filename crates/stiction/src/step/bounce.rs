//! Where bodies are at the end of a step in which they bounce.
//!
//! A step decides on the impact at its beginning, but the bodies reach each other somewhere within it. They move with the
//! velocity before for the part `d` of the step and with the velocity after for the rest,
//!
//! ```text
//! q+ = q (+) h (d v- + (1 - d) v+),     0 <= d <= 1.
//! ```
//!
//! For `d = 1/2` the impulses' work `1/2 lambda . J (v- + v+)` is all the energy that is gained or lost in a constant force
//! field, since `v+ - v- = M^-1 (h f + J^T lambda)` gives `1/2 (v- + v+) . M (v+ - v-) = h f . (v- + v+) / 2 + ...`, and the
//! first term is what the potential energy loses. Bodies that move with `v+` from the start would gain `m g h |v|` by an
//! elastic bounce. In general `d` is such that
//!
//! - the gap of every bouncing contact ends at `e^2` times what it was: a ball that falls on a floor then keeps the part
//!   `e^2` of its whole energy above the floor, for any `e` and gap; `d = 1/2` when `e = 1`;
//! - no row ends in overlap, which `d = 0` ensures.
//!
//! The least such `d` of an island holds for all its trees. The rotation of a lone body takes `v+` throughout, unless
//! equalities tie the body: no potential energy depends on it, and turning with `v+` keeps its energy to first order.

use crate::constraint::kind::TOUCHING;
use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, Contact};
use crate::dynamics::{self, AlgorithmError};
use crate::model::Model;
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;

/// With what velocity trees are moved in a step in which something bounces.
#[derive(Debug)]
pub(crate) struct Bounce {
    /// Part `d` of the step that each tree still moves with its velocity before the bounce.
    pub(crate) delay: Vec<f64>,
    /// Velocity with which trees are moved, and, while it is sought, that without a bounce (nv, then those of loops).
    pub(crate) moved: Vec<f64>,
    /// Its row velocities.
    moved_rates: Vec<f64>,
}

impl Bounce {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            delay: vec![0.0; model.trees.len()],
            moved: vec![0.0; model.nv() + model.loop_nv()],
            moved_rates: Vec::new(),
        }
    }

    /// Finds the velocity with which each tree is moved, between stages 6 and 7; writes the row velocities of `problem`.
    ///
    /// # Errors
    /// A rotation of a lone body that has no solution within the step.
    pub(crate) fn delay(
        &mut self,
        system: &System<'_>,
        free: &FreeVelocity,
        problem: &mut ContactProblem,
    ) -> Result<(), AlgorithmError> {
        self.delay.fill(0.0);
        // The rates of loop joints, at the end, follow from those of the trees.
        self.moved.copy_from_slice(&problem.velocity);
        if problem.bounced.is_empty() {
            return Ok(());
        }
        let (model, state) = (system.model, &system.state);
        let ContactProblem { rows, contacts, islands, bounced, velocity, rates, .. } = problem;
        let blocks = |island: usize| islands.partition.blocks(island).iter().map(|&b| &rows.blocks[b]);
        for piece in bounced.iter().flat_map(|&island| blocks(island)).flat_map(|block| rows.pieces(block)) {
            let dofs = model.trees[piece.tree].dofs.clone();
            if model.trees[piece.tree].lone_body {
                let tree = piece.tree;
                let turning = if system.closures.is_tied(tree) { &free.own } else { &*velocity };
                dynamics::undisturbed_velocity(model, tree, &state.q, &state.v, turning, &mut self.moved)?;
            } else {
                self.moved[dofs.clone()].copy_from_slice(&state.v[dofs]);
            }
        }
        rows.velocities(model, &self.moved, &mut self.moved_rates);
        rows.velocities(model, velocity, rates);
        for &island in &*bounced {
            let delay = blocks(island).fold(1.0, |delay: f64, block| {
                let [before, after] = [self.moved_rates[block.row], rates[block.row]];
                delay.min(longest_delay(block, contacts, [before, after], system.h))
            });
            for piece in blocks(island).flat_map(|block| rows.pieces(block)) {
                self.delay[piece.tree.index()] = delay;
            }
        }
        for (contents, delay) in model.trees.iter().zip(&self.delay) {
            for k in contents.dofs.clone() {
                let (before, after) = (self.moved[k], velocity[k]);
                self.moved[k] = after + (before - after) * delay;
            }
        }
        Ok(())
    }
}

/// The longest delay that a block allows, with the velocities of its first row before and after.
fn longest_delay(block: &RowBlock, contacts: &[Contact], [before, after]: [f64; 2], h: f64) -> f64 {
    let gap = match (block.kind, block.contact) {
        (RowKind::Unilateral(BlockKind::Contact { .. }), Some(contact)) => contacts[contact].gap.max(0.0),
        (RowKind::Unilateral(BlockKind::Limit { bias }), _) => h * bias,
        _ => return 1.0,
    };
    let least = if block.restitution > 0.0 { block.restitution * block.restitution * gap } else { -TOUCHING };
    // The gap at the end is `gap + h (after + d (before - after))`.
    if gap + h * before >= least || before >= after {
        return 1.0;
    }
    ((gap + h * after - least) / (h * (after - before))).clamp(0.0, 1.0)
}
