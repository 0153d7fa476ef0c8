//! The contacts at which viscous friction acts in a step.
//!
//! # Problem
//! A contact has its viscous friction while it touches: with `a_n` the gap over the step, when the gap is closed before the
//! step, `a_n <= 0`, or closed after it, `u_n + a_n = 0`. The first is known, the second a part of the answer. Every contact
//! that presses is one of the two, and who is depends on the velocities alone, which are unique where impulses of redundant
//! contacts are not.
//!
//! # Method
//! 1. Begin with the contacts that touch, and those predicted ones at which friction acted in the last step.
//! 2. Solve with friction at these. A predicted contact that ends closed and has none is taken in; one that ends open is
//!    taken out, but only once in a step.
//! 3. Until nothing changes. Each contact changes three times at most, so that this ends.
//!
//! # Convergence and failure
//! Mostly one round, two where contacts come or go. A contact may close without its friction and open with it: a tip that
//! leans into its motion and is lifted by what brakes it. Then it touches for a part of the step, and has the friction of
//! the whole: it brakes, and the contact stays open.

use crate::contact::island::{BlockKind, IslandProblem, Memory};

/// The bit of [`Memory::basic`] that says that friction acted; pyramids of 32 directions use the 34 lowest.
const ACTED: u64 = 1 << 40;

/// A gap that closes up to this part of the terms of its velocity is closed: far above what solvers leave.
const CLOSED: f64 = 1e-9;

/// The set of an island. Allocates nothing for an island no larger than one seen before.
#[derive(Debug, Default)]
pub(crate) struct ViscousContacts {
    /// Per block: the coefficient (N s/m), and whether it acts.
    coefficient: Vec<f64>,
    acts: Vec<bool>,
    /// Per block: whether it has been taken out in this step.
    dropped: Vec<bool>,
    /// Row velocities of an answer.
    velocity: Vec<f64>,
    scratch: Vec<f64>,
}

impl ViscousContacts {
    /// Step 1, of contacts with these coefficients of viscosity (N s/m).
    pub(crate) fn begin(
        &mut self,
        island: &IslandProblem,
        memory: &[Memory],
        viscosity: impl Fn(BlockKind) -> f64,
    ) {
        self.coefficient.clear();
        self.coefficient.extend(island.blocks.iter().map(|block| viscosity(block.kind)));
        self.acts.clear();
        let blocks = island.blocks.iter().zip(memory).zip(&self.coefficient);
        self.acts.extend(blocks.map(|((block, memory), coefficient)| {
            *coefficient > 0.0 && (gap_speed(block.kind).is_none() || memory.basic & ACTED != 0)
        }));
        self.dropped.clear();
        self.dropped.resize(island.blocks.len(), false);
        self.velocity.clear();
        self.velocity.reserve(island.rows());
    }

    /// `h c` of a block (kg) if its friction acts, otherwise zero.
    pub(crate) fn weight(&self, block: usize, timestep: f64) -> f64 {
        if self.acts[block] { timestep * self.coefficient[block] } else { 0.0 }
    }

    /// What a block remembers of it.
    pub(crate) fn bits(&self, block: usize) -> u64 {
        if self.acts[block] { ACTED } else { 0 }
    }

    /// Step 2: revises the set by an answer, `impulse` by row of the island. Whether it changes.
    pub(crate) fn revise(&mut self, island: &IslandProblem, impulse: &[f64]) -> bool {
        let predicted = |(b, coefficient): (usize, &f64)| {
            *coefficient > 0.0 && gap_speed(island.blocks[b].kind).is_some()
        };
        if !self.coefficient.iter().enumerate().any(predicted) {
            return false;
        }
        self.velocity.clear();
        self.velocity.resize(island.rows(), 0.0);
        island.add_velocities(impulse, &mut self.velocity, &mut self.scratch);
        let mut changed = false;
        for (b, block) in island.blocks.iter().enumerate() {
            let (Some(bias), true) = (gap_speed(block.kind), self.coefficient[b] > 0.0) else { continue };
            let (free, gained) = (island.free[block.row], self.velocity[block.row]);
            let closed = free + gained + bias <= CLOSED * (free.abs() + gained.abs() + bias);
            if closed && !self.acts[b] {
                (self.acts[b], changed) = (true, true);
            } else if !closed && self.acts[b] && !self.dropped[b] {
                (self.acts[b], self.dropped[b], changed) = (false, true, true);
            }
        }
        changed
    }
}

/// The gap of a contact over the step (m/s), if it does not touch.
fn gap_speed(kind: BlockKind) -> Option<f64> {
    match kind {
        BlockKind::Contact { bias, .. } => Some(bias).filter(|bias| *bias > 0.0),
        _ => None,
    }
}
