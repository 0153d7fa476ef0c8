//! The problems of the beginning and of the end with their answers, kept for who asks for margins once the step is over: of all trees that
//! go through the step in one.

use super::Rattle;
use super::body_axes::BOUND;
use crate::constraint::rows::{RowBlock, RowKind, Rows};
use crate::contact::{BlockKind, Contact, Law};
use crate::report::last_step::SolvedKick;
use crate::step::contact_problem::ContactProblem;

/// One of them. Its rows are those that the problem works with, lent while it is posed and solved.
#[derive(Debug, Default)]
pub(super) struct Kept {
    rows: Rows,
    rates: Vec<f64>,
    contacts: Vec<Contact>,
    /// Whether it is that of the last step.
    known: bool,
}

impl Kept {
    /// Lends the rows to a problem, or takes them back from one that is given up.
    pub(super) fn exchange_rows(&mut self, problem: &mut ContactProblem) {
        self.known = false;
        std::mem::swap(&mut self.rows, &mut problem.rows);
    }

    /// Takes the rows back from a problem that is solved, and keeps of the velocities `laws` what the laws see: what presses does not open,
    /// and what has friction left does not slide.
    pub(super) fn keep(&mut self, problem: &mut ContactProblem, laws: &[f64]) {
        let rows = &problem.rows;
        self.contacts.clone_from(&problem.contacts);
        self.rates.clear();
        self.rates.extend_from_slice(&laws[..rows.len()]);
        for block in &rows.blocks {
            let range = block.row..block.row + block.count;
            settle(block, &rows.impulse[range.clone()], &mut self.rates[range]);
        }
        self.exchange_rows(problem);
        self.known = true;
    }
}

/// Takes what passes leave of displacements off the velocities of a block.
fn settle(block: &RowBlock, impulse: &[f64], rates: &mut [f64]) {
    let RowKind::Unilateral(kind) = block.kind else { return };
    match kind {
        BlockKind::Contact { law, bias, .. } if impulse[0] > 0.0 => {
            rates[0] = -bias;
            let sticks = match law {
                Law::Coulomb { mu } => libm::hypot(impulse[1], impulse[2]) < (1.0 - BOUND) * mu * impulse[0],
                Law::NoSlip => true,
                _ => false,
            };
            if sticks {
                rates[1..].fill(0.0);
            }
        }
        BlockKind::Limit { bias } if impulse[0] > 0.0 => rates[0] = -bias,
        BlockKind::Friction { bound } if impulse[0].abs() < bound => rates[0] = 0.0,
        _ => {}
    }
}

impl Rattle {
    /// The problems of the last step, which took `h` seconds.
    pub(crate) fn kicks(&self, h: f64) -> [Option<SolvedKick<'_>>; 2] {
        let mut durations = [[h, 0.5 * h], [0.0, 0.5 * h]].into_iter();
        self.kept.each_ref().map(|Kept { rows, rates, contacts, known }| {
            let durations = durations.next()?;
            known.then_some(SolvedKick { rows, rates, contacts, stiff: &self.stiff, durations })
        })
    }

    /// Forgets them.
    pub(crate) fn forget_kicks(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.known = false);
    }
}
