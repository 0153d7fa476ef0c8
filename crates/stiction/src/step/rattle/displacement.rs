//! What a step does along the rows of its beginning: displacements over the step, by its length (m/s or rad/s).
//!
//! | rows | displacement |
//! |---|---|
//! | contacts | gap at the end; slip over the step ([`crate::step::slip`]) and what is left of earlier ones, but for the way before they touch |
//! | limits of joints, tendons and cables | gap at the end |
//! | equalities | position error at the end |
//! | what is open or overlaps at the beginning already | the change of its gap or error: it grows no worse |
//! | dry friction, and all that has no position | `J (q+ (-) q)` with what is prescribed |

use super::{SLIGHT, bias};
use crate::constraint::kind::TOUCHING;
use crate::constraint::position_error::larger;
use crate::constraint::rows::{BlockKey, RowBlock, RowKind, Rows};
use crate::contact::{BlockKind, Contact, ContactKey, find_contact};
use crate::dynamics;
use crate::model::{Model, TreeId};
use crate::step::contact_problem::ContactProblem;
use crate::step::slip::ContactStart;
use crate::step::system::System;
use nalgebra::Vector3;

/// How many times further from its laws an island is than its rows are from being linear, where it is posed along them.
const FAR: f64 = 10.0;

/// The workspace. Keeps its capacity.
#[derive(Debug)]
pub(super) struct Displacements {
    /// Of every contact of the problem, at the beginning.
    pub(super) contacts: Vec<ContactStart>,
    /// Contacts that have the frames with which they close: there is no gap along these at the beginning.
    pub(super) closing: Vec<ContactKey>,
    /// Whether what is measured is a part of a step, so that no overlap need be removed.
    pub(super) in_part: bool,
    /// Displacement of every row by the length of the step.
    pub(super) rates: Vec<f64>,
    /// The same to first order, by the rows of the beginning; a gap or a slip there that is `slight` counts for nothing.
    pub(super) along: Vec<f64>,
    /// Position errors at the end, as rows.
    ends: Rows,
    /// Those at the beginning that are more than what is tolerated, by key.
    open: Vec<(BlockKey, [f64; 6])>,
    moved: Vec<f64>,
}

impl Displacements {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            contacts: Vec::new(),
            closing: Vec::new(),
            in_part: false,
            rates: Vec::new(),
            along: Vec::new(),
            ends: Rows::default(),
            open: Vec::new(),
            moved: vec![0.0; model.nv() + model.loop_nv()],
        }
    }

    /// Looks at contacts where the system is.
    pub(super) fn look_at_contacts(&mut self, system: &System<'_>, contacts: &[Contact]) {
        let of = |contact| ContactStart::new(system.poses(), contact);
        self.contacts.clear();
        self.contacts.extend(contacts.iter().map(of));
    }

    /// Looks at all constraints of the trees of which `active` holds, and at contacts, at the beginning of the step, where the system is.
    pub(super) fn begin(
        &mut self,
        system: &System<'_>,
        contacts: &[Contact],
        active: impl Fn(TreeId) -> bool,
    ) {
        self.look_at_contacts(system, contacts);
        self.ends.clear();
        system.constraints.push_position_errors(&mut self.ends, &system.present(), active);
        self.ends.sort();
        self.open.clear();
        for block in &self.ends.blocks {
            let mut errors = [0.0; 6];
            let count = block.count.min(errors.len());
            position_error(&self.ends, block, &mut errors[..count]);
            let tolerance = system.settings.overlap_tolerance;
            let open = match block.kind {
                RowKind::Bilateral => errors.iter().any(|error| error.abs() > tolerance),
                RowKind::Unilateral(_) => errors[0] < -tolerance,
            };
            if open {
                self.open.push((block.key, errors));
            }
        }
    }

    /// Gap of a contact of the problem where the system is.
    pub(super) fn gap(&self, system: &System<'_>, contact: &Contact, index: usize, found: &[Contact]) -> f64 {
        let end = find_contact(found, &contact.key);
        self.contacts[index].displacement(system.poses(), contact, end, system.h).x
    }

    /// Measures the step from the coordinates `start` to the system, whose kinematics and contacts are there, along the rows of the trees
    /// of which `active` holds, which have the velocities `before` there. `left` is the slip that earlier steps left to a contact (m, along
    /// its tangents).
    pub(super) fn measure(
        &mut self,
        system: &System<'_>,
        start: &[f64],
        problem: &ContactProblem,
        before: &[f64],
        active: impl Fn(TreeId) -> bool,
        left: impl Fn(usize) -> [f64; 2],
    ) {
        let (model, rows, h) = (system.model, &problem.rows, system.h);
        let tolerance = system.settings.overlap_tolerance;
        self.moved.fill(0.0);
        for tree in TreeId::all(&model.trees).filter(|&tree| active(tree)) {
            dynamics::difference(model, tree, start, &system.state.q, &mut self.moved);
        }
        self.moved.iter_mut().for_each(|moved| *moved /= h);
        rows.velocities(model, &self.moved, &mut self.rates);
        self.along.clone_from(&self.rates);
        self.ends.clear();
        system.constraints.push_position_errors(&mut self.ends, &system.present(), active);
        self.ends.sort();
        let mut ends = self.ends.blocks.iter().peekable();
        let found = &system.constraints.contacts.finder.contacts;
        for block in &rows.blocks {
            let own = block.row..block.row + block.count;
            let (rates, along) = (&mut self.rates[own.clone()], &mut self.along[own.clone()]);
            let by_now = |at_start: f64| if at_start.abs() > SLIGHT * tolerance { at_start / h } else { 0.0 };
            if let Some(index) = block.contact {
                let contact = &problem.contacts[index];
                let end = find_contact(found, &contact.key);
                let moved = self.contacts[index].displacement(system.poses(), contact, end, h);
                let falls = block.count == 3 && !system.settings.formulation.opens_with_slip();
                let apart = if falls { way_apart(contact, &before[own], h) } else { [0.0; 2] };
                let [left_1, left_2] = std::array::from_fn(|k| left(index)[k] - apart[k]);
                // A part of a step is too short to remove what earlier ones have left.
                let tolerated = if self.in_part { 0.0 } else { tolerance };
                let overlaps = contact.gap < -tolerated && !self.closing.contains(&contact.key);
                let overlap = if overlaps { contact.gap } else { 0.0 };
                let moved = (moved + Vector3::new(-overlap, left_1, left_2)) / h;
                rates.copy_from_slice(&moved.as_slice()[..block.count]);
                let at_start = [contact.gap - overlap, left_1, left_2];
                along.iter_mut().zip(at_start).for_each(|(along, at_start)| *along += by_now(at_start));
                continue;
            }
            while ends.next_if(|end| end.key < block.key).is_some() {}
            let Some(end) = ends.peek().filter(|end| end.key == block.key) else { continue };
            if has_position(block) {
                position_error(&self.ends, end, rates);
                match self.open.binary_search_by_key(&block.key, |(key, _)| *key) {
                    Ok(place) => {
                        rates.iter_mut().zip(self.open[place].1).for_each(|(end, start)| *end -= start);
                    }
                    Err(_) => {
                        along.iter_mut().take(1).for_each(|along| *along += by_now(h * bias(block.kind)))
                    }
                }
                rates.iter_mut().for_each(|rate| *rate /= h);
                rows.turn_to_axes(block.row, rates);
            }
        }
    }

    /// Whether a limit is crossed at the end by more than what is tolerated (m or rad) that has no row.
    pub(super) fn crosses_limit(&self, rows: &Rows, tolerance: f64) -> bool {
        self.ends
            .blocks
            .iter()
            .any(|end| bias(end.kind) < -tolerance && !rows.blocks.iter().any(|block| block.key == end.key))
    }

    /// Poses an island along the rows of the beginning if all that is not open is apart from that by no more than what is `slight` (m/s or
    /// rad/s). Rounding, and what earlier steps have left, contradict each other where rows depend on each other; what the rows
    /// themselves say does not.
    pub(super) fn agree<'a>(
        &self,
        blocks: impl Iterator<Item = &'a RowBlock> + Clone,
        impulses: &[f64],
        slight: f64,
        posed: &mut [f64],
    ) {
        let open = |block: &&RowBlock| {
            matches!(block.kind, RowKind::Unilateral(_))
                && impulses[block.row] == 0.0
                && self.rates[block.row] > 0.0
        };
        let closed = blocks.filter(|block| !open(block));
        let rows = || closed.clone().flat_map(|block| block.row..block.row + block.count);
        if rows().all(|row| (self.rates[row] - self.along[row]).abs() <= slight) {
            rows().for_each(|row| posed[row] = self.along[row]);
        }
    }

    /// Poses an island with contacts along the rows of the beginning where it is much further from its laws than its rows are from being
    /// linear; returns whether it did. What is linear always has an answer. What is not may contradict itself where there are more
    /// contacts than what moves, which impulses of any size then try to mend.
    pub(super) fn pose_first_order<'a>(
        &self,
        blocks: impl Iterator<Item = &'a RowBlock> + Clone,
        impulses: &[f64],
        posed: &mut [f64],
    ) -> bool {
        // What slides is posed by its velocity, which is no error.
        let is_measured = |posed: &[f64], row: usize| posed[row] == self.rates[row];
        let (mut error, mut bend) = (0.0_f64, 0.0_f64);
        let is_met = |block: &&RowBlock| block.contact.is_some() || has_position(block);
        for block in blocks.clone().filter(is_met) {
            let presses = block.kind == RowKind::Bilateral || impulses[block.row] > 0.0;
            for row in block.row..block.row + block.count {
                let counts = presses || row == block.row && self.rates[row] < 0.0;
                if counts && is_measured(posed, row) {
                    error = larger(error, self.rates[row].abs());
                    bend = larger(bend, (self.rates[row] - self.along[row]).abs());
                }
            }
        }
        let far = error > FAR * bend && blocks.clone().any(|block| block.contact.is_some());
        for row in blocks.filter(|_| far).flat_map(|block| block.row..block.row + block.count) {
            if is_measured(posed, row) {
                posed[row] = self.along[row];
            }
        }
        far
    }
}

/// How far the surfaces of a contact move along its tangents before they touch, at these velocities of its rows (m): friction knows
/// nothing of it.
fn way_apart(contact: &Contact, before: &[f64], h: f64) -> [f64; 2] {
    if contact.gap <= TOUCHING {
        return [0.0; 2];
    }
    let time = if before[0] < 0.0 { (-contact.gap / before[0]).min(h) } else { h };
    [time * before[1], time * before[2]]
}

/// Whether a block that is no contact is about positions and can be met.
fn has_position(block: &RowBlock) -> bool {
    match block.kind {
        RowKind::Unilateral(BlockKind::Limit { .. }) => true,
        RowKind::Unilateral(_) => false,
        RowKind::Bilateral => block.compliance == 0.0 && block.softness == 0.0,
    }
}

/// Position errors, or gaps, of a block of rows on displacements.
fn position_error(rows: &Rows, block: &RowBlock, out: &mut [f64]) {
    match block.kind {
        RowKind::Unilateral(BlockKind::Limit { bias } | BlockKind::Contact { bias, .. }) => out.fill(bias),
        RowKind::Unilateral(BlockKind::Friction { .. }) => {}
        RowKind::Bilateral => out.copy_from_slice(&rows.prescribed[block.row..block.row + block.count]),
    }
}
