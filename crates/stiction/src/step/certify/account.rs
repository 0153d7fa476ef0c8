//! The account of a step: works of all that acts on the trees under the contact rule ([`crate::report::Work`]).
//!
//! # Velocities
//! `v-` is the velocity before the step and `v+` the one that the step uses, at the poses of the beginning. The rotation of a lone body
//! uses its mean angular velocity, half a step behind the one that it has at the end ([`crate::dynamics::RigidBodyStep`]); so its `v-`
//! is taken as far behind, which keeps the moment of a body that is held from doing work.
//!
//! # Impacts
//! A contact or limit *hits* when it presses and what approached it before is faster than what the forces of the step give:
//! `-u- > |u_free - u-|`, as where restitution asks ([`crate::contact::Impacts`]). One impact passes on through an island, so all
//! normal impulses of the island count as impacts then, and of what hits the friction too. (Where impulses couple, `1/2 lambda_t .
//! (u- + u+)` may be positive though friction opposes `u+`: Kane's paradox. What an impact takes is the sum.)

use crate::constraint::kind::Implicit;
use crate::constraint::passage::Passage;
use crate::constraint::rows::{RowBlock, RowKind, Rows};
use crate::contact::BlockKind;
use crate::dynamics::{self, AlgorithmError};
use crate::model::{Model, TreeId};
use crate::report::Work;
use crate::report::work::ImpulsePart;
use crate::step::applied_forces::Commands;
use crate::step::certify::Kick;
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;

/// Speed that is round-off (m/s or rad/s).
const ROUND_OFF: f64 = 1e-12;

/// Speed against an equality (m/s or rad/s) up to which it may be what the last step has left.
const FORBIDDEN: f64 = 1e-3;

/// The workspace of the account.
#[derive(Debug)]
pub(crate) struct Account {
    /// Velocities before and after (nv, then those of loops).
    before: Vec<f64>,
    after: Vec<f64>,
    /// Row velocities before.
    pub(crate) rates: Vec<f64>,
    scratch: Vec<f64>,
}

impl Account {
    pub(crate) fn new(model: &Model) -> Self {
        let velocities = || vec![0.0; model.nv() + model.loop_nv()];
        Self { before: velocities(), after: velocities(), rates: Vec::new(), scratch: vec![0.0; model.nv()] }
    }

    /// Velocities before the step (nv, then those of loops).
    pub(crate) fn before(&self) -> &[f64] {
        &self.before
    }

    /// Works of constraints, drives, dampers and applied forces on the trees under the contact rule, between the solve and the
    /// advance; `problem` has its row velocities. Leaves the row velocities before.
    ///
    /// # Errors
    /// A lone body without mass or inertia.
    pub(crate) fn under_contact_rule(
        &mut self,
        system: &System<'_>,
        contact_rule: &[bool],
        free: &FreeVelocity,
        problem: &ContactProblem,
    ) -> Result<Work, AlgorithmError> {
        self.find_velocities(system, contact_rule, free, problem)?;
        let System { model, h, forces, state, data, closures, constraints, .. } = system;
        let loops = &closures.loops;
        let commands = Commands::new(state, loops, constraints);
        let (before, after) = (&self.before[..], &self.after[..]);
        let passage =
            Passage { q: &loops.q, v: &loops.v, before, after, duration: *h, implicit: Implicit::All };
        let mut work = Work::default();
        for tree in TreeId::all(&model.trees).filter(|tree| contact_rule[tree.index()]) {
            work += forces.work(model, data, tree, &commands, &passage, &mut self.scratch);
        }
        problem.rows.velocities(model, &self.before, &mut self.rates);
        self.add_rows(problem, &mut work);
        Ok(work)
    }

    /// The same for a kick, which has its rows' velocities in `problem`.
    pub(crate) fn of_kick(&mut self, system: &System<'_>, kick: &Kick<'_>, problem: &ContactProblem) -> Work {
        let System { model, forces, state, data, closures, constraints, .. } = system;
        let loops = &closures.loops;
        self.before[..model.nv()].copy_from_slice(kick.before);
        self.after.copy_from_slice(&problem.velocity);
        loops.extend_rates(&mut self.before);
        loops.extend_rates(&mut self.after);
        let commands = Commands::new(state, loops, constraints);
        let (before, after) = (&self.before[..], &self.after[..]);
        let mut work = Work::default();
        for tree in TreeId::all(&model.trees).filter(|tree| kick.active[tree.index()]) {
            let (duration, implicit) = kick.of(tree);
            let passage = Passage { q: &loops.q, v: &loops.v, before, after, duration, implicit };
            if duration > 0.0 {
                work += forces.work(model, data, tree, &commands, &passage, &mut self.scratch);
            }
        }
        problem.rows.velocities(model, &self.before, &mut self.rates);
        self.add_rows(problem, &mut work);
        work
    }

    fn find_velocities(
        &mut self,
        system: &System<'_>,
        contact_rule: &[bool],
        free: &FreeVelocity,
        problem: &ContactProblem,
    ) -> Result<(), AlgorithmError> {
        let (model, state) = (system.model, &system.state);
        self.before[..model.nv()].copy_from_slice(&state.v);
        self.after.copy_from_slice(&problem.velocity);
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            if contents.lone_body && contact_rule[tree.index()] {
                for k in contents.dofs.clone() {
                    self.scratch[k] = 2.0 * state.v[k] - free.own[k];
                }
                let (turning, before) = (&self.scratch, &mut self.before);
                dynamics::undisturbed_velocity(model, tree, &state.q, &state.v, turning, before)?;
            }
        }
        system.closures.loops.extend_rates(&mut self.before);
        system.closures.loops.extend_rates(&mut self.after);
        Ok(())
    }

    /// Adds the works of all rows but those that stand for drives, dampers and rotors.
    fn add_rows(&self, problem: &ContactProblem, work: &mut Work) {
        let (rows, partition) = (&problem.rows, &problem.islands.partition);
        for island in 0..partition.count() {
            let blocks = || partition.blocks(island).iter().map(|&b| &rows.blocks[b]);
            let impact = blocks().any(|block| self.hits(block, rows, &problem.free));
            for block in blocks().filter(|block| block.compliance == 0.0) {
                let hits = self.hits(block, rows, &problem.free);
                let forbidden = self.is_forbidden(block, &problem.free);
                for row in block.row..block.row + block.count {
                    let impulse = rows.impulse[row];
                    let relative = 0.5 * impulse * (self.rates[row] + problem.rates[row]);
                    let part = ImpulsePart::of(is_friction(block.kind, row - block.row));
                    let impact = impact && block.kind != RowKind::Bilateral;
                    *match forbidden {
                        true => &mut work.velocity_projection,
                        false => work.cause(part, hits, impact),
                    } += relative;
                    work.prescribed -= impulse * rows.prescribed[row];
                }
            }
        }
    }

    /// Whether an equality forbids the velocity before: it is more than what the forces of the step and the turning of its row give.
    fn is_forbidden(&self, block: &RowBlock, free: &[f64]) -> bool {
        let mut rows = block.row..block.row + block.count;
        let more = |row: usize| {
            let before = self.rates[row];
            before.abs() > (free[row] - before).abs() + FORBIDDEN
        };
        block.kind == RowKind::Bilateral && rows.any(more)
    }

    fn hits(&self, block: &RowBlock, rows: &Rows, free: &[f64]) -> bool {
        let normal = block.kind != RowKind::Bilateral && !is_friction(block.kind, 0);
        let before = self.rates[block.row];
        normal && rows.impulse[block.row] > 0.0 && -before > (free[block.row] - before).abs() + ROUND_OFF
    }
}

/// Whether a row of a block is one of friction.
fn is_friction(kind: RowKind, row: usize) -> bool {
    match kind {
        RowKind::Unilateral(BlockKind::Friction { .. }) => true,
        RowKind::Unilateral(BlockKind::Contact { .. }) => row > 0,
        RowKind::Unilateral(BlockKind::Limit { .. }) | RowKind::Bilateral => false,
    }
}
