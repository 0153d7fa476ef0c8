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

use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::BlockKind;
use crate::dynamics;
use crate::sim::{SimError, Simulation};
use crate::step::integrator_choice::TOUCHING;

impl Simulation {
    /// Writes the velocity with which each tree is moved, between stages 6 and 7.
    pub(crate) fn delay_bounces(&mut self, h: f64) -> Result<(), SimError> {
        let work = &mut self.work;
        work.delay.fill(0.0);
        // The rates of loop joints, at the end of `v_plus`, follow from those of the trees.
        let dofs = work.moved.len();
        work.moved.copy_from_slice(&work.v_plus[..dofs]);
        if work.bounced.is_empty() {
            return Ok(());
        }
        let model = self.model.clone();
        for &island in &work.bounced {
            for piece in
                self.islands.blocks(island).iter().flat_map(|&b| self.rows.pieces(&self.rows.blocks[b]))
            {
                let dofs = model.trees[piece.tree].dofs.clone();
                if model.trees[piece.tree].lone_body {
                    let (q, v, tree) = (&self.state.q, &self.state.v, piece.tree);
                    let turning = if self.closures.is_tied(tree) { &work.v_own } else { &work.v_plus };
                    dynamics::undisturbed_velocity(&model, tree, q, v, turning, &mut work.moved)?;
                } else {
                    work.moved[dofs.clone()].copy_from_slice(&self.state.v[dofs]);
                }
            }
        }
        self.rows.velocities(&model, &work.moved, &mut work.moved_rates);
        self.rows.velocities(&model, &work.v_plus, &mut work.rates);
        for i in 0..self.work.bounced.len() {
            let island = self.work.bounced[i];
            let blocks = self.islands.blocks(island).iter().map(|&b| &self.rows.blocks[b]);
            let delay = blocks.clone().fold(1.0, |delay: f64, block| delay.min(self.longest_delay(block, h)));
            for piece in blocks.flat_map(|block| self.rows.pieces(block)) {
                self.work.delay[piece.tree] = delay;
            }
        }
        for (tree, contents) in model.trees.iter().enumerate() {
            let delay = self.work.delay[tree];
            for k in contents.dofs.clone() {
                let (before, after) = (self.work.moved[k], self.work.v_plus[k]);
                self.work.moved[k] = after + (before - after) * delay;
            }
        }
        Ok(())
    }

    /// The longest delay that a block allows.
    fn longest_delay(&self, block: &RowBlock, h: f64) -> f64 {
        let gap = match (block.kind, block.contact) {
            (RowKind::Unilateral(BlockKind::Contact { .. }), Some(contact)) => {
                self.finder.contacts[contact].gap.max(0.0)
            }
            (RowKind::Unilateral(BlockKind::Limit { bias }), _) => h * bias,
            _ => return 1.0,
        };
        let least =
            if block.restitution > 0.0 { block.restitution * block.restitution * gap } else { -TOUCHING };
        // The gap at the end is `gap + h (after + d (before - after))`.
        let (before, after) = (self.work.moved_rates[block.row], self.work.rates[block.row]);
        if gap + h * before >= least || before >= after {
            return 1.0;
        }
        ((gap + h * after - least) / (h * (after - before))).clamp(0.0, 1.0)
    }
}
