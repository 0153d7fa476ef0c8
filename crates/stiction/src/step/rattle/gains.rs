//! Energy that contacts add within a step. What the impulses of the beginning add those of the end take back, unless a contact parts
//! in between; a set that keeps more than it may is taken through the step in shorter parts.

use super::Rattle;
use super::sliding::is_viscous;
use crate::constraint::islands::root;
use crate::dynamics;
use crate::model::TreeId;
use crate::step::contact_problem::ContactProblem;
use crate::step::integrator_choice::IntegratorChoice;
use crate::step::system::System;

/// Part of the kinetic energy that contacts may add in a step.
const GAIN: f64 = 1e-5;

/// Parts of a step that are not halved for it.
const LEAST_PART: f64 = 1.0 / 64.0;

/// By root of a set of trees: work of its rows in the step, and what of it is rounding (J).
#[derive(Debug, Default)]
pub(super) struct Gains {
    work: Vec<f64>,
    rounding: Vec<f64>,
    /// The least work so far, and how long the parts were with which it was done; no more are tried once that is `settled`.
    least: Vec<(f64, f64)>,
    settled: Vec<bool>,
}

impl Gains {
    pub(super) fn new(trees: usize) -> Self {
        Self {
            work: vec![0.0; trees],
            rounding: vec![0.0; trees],
            least: vec![(f64::INFINITY, 1.0); trees],
            settled: vec![false; trees],
        }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.least.fill((f64::INFINITY, 1.0));
        self.settled.fill(false);
    }

    /// Begins an attempt at it.
    pub(super) fn begin_attempt(&mut self) {
        self.work.fill(0.0);
        self.rounding.fill(0.0);
    }

    /// Adds the works of all rows but those that stand for drives and for viscous friction; their velocities before are `before`, and
    /// those after are in `problem`. Slower than `slow` (m/s) nothing moves.
    pub(super) fn add(
        &mut self,
        problem: &ContactProblem,
        before: &[f64],
        choice: &mut IntegratorChoice,
        slow: f64,
    ) {
        let rows = &problem.rows;
        for block in rows.blocks.iter().filter(|block| block.compliance == 0.0) {
            let Some(piece) = rows.pieces(block).first() else { continue };
            let set = root(&mut choice.sets, piece.tree.index());
            // Viscous friction that is explicit may overshoot however short the part is.
            let count = if is_viscous(block) { 1 } else { block.count };
            for row in block.row..block.row + count {
                let impulse = rows.impulse[row];
                self.work[set] += 0.5 * impulse * (before[row] + problem.rates[row]);
                self.rounding[set] += impulse.abs() * slow;
            }
        }
    }
}

impl Rattle {
    /// Takes the parts of sets to which contacts have added energy half as long, or, if none are short enough, as long as where they have
    /// added least (what is lifted over an edge gets the faster the shorter the part is); returns whether the step has to be taken again.
    pub(super) fn shorten_gains(&mut self, system: &System<'_>, choice: &mut IntegratorChoice) -> bool {
        let mut again = false;
        for set in 0..self.walk.longest.len() {
            let gain = self.gains.work[set] - self.gains.rounding[set];
            let longest = self.walk.longest[set];
            if self.gains.settled[set] || gain <= GAIN * self.energy_of_set(system, choice, set, gain) {
                continue;
            }
            if gain < self.gains.least[set].0 {
                self.gains.least[set] = (gain, longest);
            }
            self.walk.longest[set] = 0.5 * longest;
            if longest <= LEAST_PART {
                self.walk.longest[set] = self.gains.least[set].1;
                self.gains.settled[set] = true;
            }
            again |= self.walk.longest[set] != longest;
        }
        again
    }

    /// Kinetic energy of a set that has gained some, where the system is (J).
    fn energy_of_set(
        &self,
        system: &System<'_>,
        choice: &mut IntegratorChoice,
        set: usize,
        gain: f64,
    ) -> f64 {
        let trees = TreeId::all(&system.model.trees).filter(|_| gain > 0.0);
        let own = trees.filter(|tree| root(&mut choice.sets, tree.index()) == set);
        own.map(|tree| dynamics::kinetic_energy(system.model, system.data, tree, &system.state.v)).sum()
    }
}
