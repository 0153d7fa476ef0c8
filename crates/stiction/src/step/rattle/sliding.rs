//! What slides at the beginning of a step, and how it is posed: as sliding on, much faster than what impulses do to it (see
//! [`super`]). In a friction box dry friction has no direction but along either tangent, which its displacement tells.

use crate::constraint::kind::TOUCHING;
use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, Formulation, Law};
use crate::step::contact_problem::ContactProblem;

/// Slower than this (m/s) a contact does not slide.
const SLIDES: f64 = 1e-7;

/// What slides is posed as many times faster than what impulses do to it, lest they turn its friction.
const FASTER: f64 = 100.0;

/// Per contact, the velocity along its tangents if it slides.
#[derive(Debug, Default)]
pub(super) struct Sliding {
    along: Vec<Option<[f64; 2]>>,
    /// Whether the impulses so far are no answer, however well they fit: it is posed as sliding on at first though it does not, or is so no
    /// longer.
    doubtful: Vec<bool>,
    /// Whether friction cones are pyramids.
    is_faceted: bool,
}

impl Sliding {
    /// Finds what slides with the velocities `before` of the rows.
    pub(super) fn find(&mut self, problem: &ContactProblem, before: &[f64], formulation: &Formulation) {
        let boxed = formulation.is_boxed();
        self.is_faceted = formulation.is_faceted();
        self.along.clear();
        self.along.resize(problem.contacts.len(), None);
        self.doubtful.clear();
        self.doubtful.resize(problem.contacts.len(), false);
        for (block, index) in with_friction(problem) {
            let velocity = [before[block.row + 1], before[block.row + 2]];
            let slides = is_viscous(block) || !boxed && libm::hypot(velocity[0], velocity[1]) > SLIDES;
            if slides && problem.contacts[index].gap <= TOUCHING {
                self.along[index] = Some(velocity);
            }
        }
    }

    /// Poses what slides on by the end of the step with the velocity of its beginning; at `first` all that slides there.
    ///
    /// The friction of pyramids turns what slides more slowly than impulses push it, which those of the end do not take back as cones do: such
    /// contacts are rubbed against their slip.
    pub(super) fn pose(
        &mut self,
        problem: &ContactProblem,
        posed: &mut [f64],
        contributed: &[f64],
        first: bool,
    ) {
        self.doubtful.fill(false);
        for (block, index) in with_friction(problem) {
            let Some(velocity) = self.along.get(index).copied().flatten() else { continue };
            let tangential = &mut posed[block.row + 1..block.row + 3];
            let slow = self.is_faceted
                && libm::hypot(velocity[0], velocity[1]) < pushed(block, contributed)
                && !is_viscous(block);
            let moves_on = tangential[0] * velocity[0] + tangential[1] * velocity[1] > 0.0;
            if !slow && (moves_on || first) {
                tangential.copy_from_slice(&velocity);
            } else {
                // For good, lest passes take turns.
                self.along[index] = None;
            }
            self.doubtful[index] = (slow || !moves_on) && !is_viscous(block);
        }
    }

    /// Whether the impulses of a block are no answer to what the next pass poses.
    pub(super) fn is_doubtful(&self, block: &RowBlock) -> bool {
        block.contact.is_some_and(|index| self.doubtful[index])
    }

    /// Makes free velocities of what slides so large that what a solve changes hardly turns it. Only the direction counts for dry friction.
    pub(super) fn hasten(
        &self,
        problem: &ContactProblem,
        posed: &[f64],
        contributed: &[f64],
        free: &mut [f64],
    ) {
        for (block, index) in with_friction(problem).filter(|(block, _)| !is_viscous(block)) {
            let pushed = pushed(block, contributed);
            let tangents = block.row + 1..block.row + 3;
            let speed = libm::hypot(posed[tangents.start], posed[tangents.start + 1]);
            if self.along[index].is_some() && speed > 0.0 && speed < FASTER * pushed {
                let faster = FASTER * pushed / speed - 1.0;
                tangents.for_each(|row| free[row] += faster * posed[row]);
            }
        }
    }
}

/// How fast impulses make a contact, at most along one row.
fn pushed(block: &RowBlock, contributed: &[f64]) -> f64 {
    contributed[block.row..block.row + 3].iter().fold(0.0, |most: f64, u| most.max(u.abs()))
}

/// The contacts with friction of a problem.
fn with_friction(problem: &ContactProblem) -> impl Iterator<Item = (&RowBlock, usize)> {
    let blocks = problem.rows.blocks.iter().filter(|block| block.count == 3);
    blocks.filter_map(|block| Some((block, block.contact?)))
}

/// Whether friction depends on how fast a contact slides.
pub(super) fn is_viscous(block: &RowBlock) -> bool {
    let RowKind::Unilateral(BlockKind::Contact { law, .. }) = block.kind else { return false };
    matches!(law, Law::Viscous { .. } | Law::CoulombViscous { .. })
}
