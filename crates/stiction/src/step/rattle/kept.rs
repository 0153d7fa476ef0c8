//! The problems of the beginning and of the end with their answers, kept for who asks for margins, or for what stiff mechanisms transmit, once
//! the step is over: of all trees that go through the step in one.

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

    /// Reserves memory for as many in other rows.
    pub(super) fn reserve_in(&self, rows: &mut Rows) {
        rows.reserve(&self.rows);
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

/// What the impulses of both ends do to stiff trees, whose forces all act at the beginning.
#[derive(Debug, Default)]
pub(super) struct StiffTrees {
    trees: Vec<bool>,
    /// Velocities after the impulses of the beginning, with the change that those of the end bring.
    velocity: Vec<f64>,
}

impl StiffTrees {
    /// After the impulses of the beginning.
    pub(super) fn begin(&mut self, active: &[bool], stiff: &[bool], velocity: &[f64]) {
        self.trees.clear();
        self.trees.extend(active.iter().zip(stiff).map(|(active, stiff)| *active && *stiff));
        self.velocity.clear();
        self.velocity.extend_from_slice(velocity);
    }

    /// After those of the end, with the velocities before these.
    pub(super) fn end(&mut self, velocity: &[f64], before: &[f64]) {
        let changes = velocity.iter().zip(before);
        self.velocity.iter_mut().zip(changes).for_each(|(sum, (after, before))| *sum += after - before);
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

    /// Of trees that are stiff, their velocities after all impulses at the poses of the beginning, and the rows.
    pub(crate) fn finished(&self) -> (&[bool], &[f64], [Option<&Rows>; 2]) {
        let rows = self.kept.each_ref().map(|kept| kept.known.then_some(&kept.rows));
        (&self.stiff_trees.trees, &self.stiff_trees.velocity, rows)
    }

    /// Forgets them.
    pub(crate) fn forget_kicks(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.known = false);
    }
}
