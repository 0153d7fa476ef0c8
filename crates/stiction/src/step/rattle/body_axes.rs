//! Impulses that are remembered from step to step in the axes of bodies: those of contacts in the axes of the flatter one, with which
//! they turn.

use super::Rattle;
use crate::constraint::rows::{BlockKey, RowKind};
use crate::contact::{BlockKind, Law};
use crate::step::contact_problem::{ContactProblem, Remembered};
use nalgebra::{Matrix3, Vector3};

impl Rattle {
    /// Turns what is remembered of contacts to their frames, and starts the rows from it.
    pub(super) fn turn_to_frames(&self, problem: &mut ContactProblem) {
        let ContactProblem { rows, memory, .. } = problem;
        for (block, memory) in rows.blocks.iter().zip(memory) {
            let RowKind::Unilateral(kind) = block.kind else { continue };
            if let Some(index) = block.contact {
                let frame = self.displacements.contacts[index].frame();
                memory.impulse = on_frame(&memory.impulse, frame, kind);
            }
            rows.impulse[block.row..block.row + block.count].copy_from_slice(&memory.impulse[..block.count]);
        }
    }

    /// Turns what is to be remembered of contacts to the axes of their flatter bodies.
    pub(super) fn turn_to_bodies(&self, problem: &mut ContactProblem) {
        let ContactProblem { rows, memory, .. } = problem;
        for (block, memory) in rows.blocks.iter().zip(memory) {
            let RowKind::Unilateral(_) = block.kind else { continue };
            let impulse = &rows.impulse[block.row..block.row + block.count];
            memory.impulse[..block.count].copy_from_slice(impulse);
            if let Some(index) = block.contact {
                let frame = self.displacements.contacts[index].frame();
                memory.impulse = (frame * Vector3::from(memory.impulse)).into();
            }
        }
    }

    /// What earlier steps have left of the slip of each contact, along its tangents.
    pub(super) fn recall_slips(&mut self, problem: &ContactProblem, slips: &[(BlockKey, [f64; 3])]) {
        self.left.clear();
        self.left.resize(problem.contacts.len(), [0.0; 2]);
        for block in &problem.rows.blocks {
            let Some(index) = block.contact else { continue };
            if let Ok(place) = slips.binary_search_by_key(&block.key, |(key, _)| *key) {
                let frame = self.displacements.contacts[index].frame();
                let slip = frame.tr_mul(&Vector3::from(slips[place].1));
                self.left[index] = [slip.y, slip.z];
            }
        }
    }

    /// Keeps what is left of the slip of the contacts that stick, over a step of `h` seconds.
    pub(super) fn keep_slips(&self, problem: &ContactProblem, next: &mut Remembered, h: f64, small: f64) {
        next.slips.clear();
        // What slides now may stick soon.
        next.slips.reserve(problem.contacts.len());
        for block in problem.rows.blocks.iter().filter(|block| block.count == 3) {
            let (Some(index), RowKind::Unilateral(BlockKind::Contact { law, .. })) =
                (block.contact, block.kind)
            else {
                continue;
            };
            let impulse = &problem.rows.impulse[block.row..block.row + 3];
            let rates = &self.displacements.rates[block.row..block.row + 3];
            // Friction at its bound counts as met where nothing moves; steps after one another must not add up to a way.
            let is_still = impulse[0] > 0.0 && rates[1..].iter().all(|rate| (h * rate).abs() <= small);
            let sticks = match law {
                Law::Coulomb { mu } => {
                    is_still || libm::hypot(impulse[1], impulse[2]) < (1.0 - BOUND) * mu * impulse[0]
                }
                Law::NoSlip => impulse[0] > 0.0,
                _ => false,
            };
            if sticks {
                let slip = Vector3::new(0.0, h * rates[1], h * rates[2]);
                next.slips.push((block.key, (self.displacements.contacts[index].frame() * slip).into()));
            }
        }
    }
}

/// A contact whose friction is nearer than this part of its bound slides.
pub(super) const BOUND: f64 = 1e-9;

/// An impulse along the axes of the flatter body, in a contact frame there, as far as the law can have it.
fn on_frame(impulse: &[f64; 3], frame: &Matrix3<f64>, kind: BlockKind) -> [f64; 3] {
    let own = frame.tr_mul(&Vector3::from(*impulse));
    let normal = own.x.max(0.0);
    let BlockKind::Contact { law, .. } = kind else { return *impulse };
    let tangential = libm::hypot(own.y, own.z);
    let scale = match law {
        Law::Frictionless => 0.0,
        Law::Coulomb { mu } if tangential > mu * normal => mu * normal / tangential,
        _ => 1.0,
    };
    [normal, scale * own.y, scale * own.z]
}
