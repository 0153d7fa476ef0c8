//! Steps 2 and 3: the impulses that stop what approaches, the forces and accelerations of a stage, and what these did.

use super::{AccelerationLevel, Moment, Persistent};
use crate::constraint::contact::present_velocity;
use crate::constraint::islands::RowProblem;
use crate::constraint::passage::Passage;
use crate::constraint::rows::RowKind;
use crate::contact::{Contact, Memory, Outcome, find_contact};
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Law, Mocap, Model};
use crate::report::certificate::{BlockOutcome, row_values};
use crate::report::{HandBack, Work};
use crate::step::applied_forces::{Commands, ForceMap};
use crate::step::stepper::carried::StageForce;
use crate::step::stepper::reversal::sliding_velocity;

/// Normal speed (m/s) that is round-off.
const ROUND_OFF: f64 = 1e-13;

impl AccelerationLevel {
    /// Solves the present rows for impulses or forces and adds `M^-1 J^T f` to `x`; the factors are those of `M` alone.
    fn solve(&mut self, model: &Model, data: &mut Data, timestep: f64, first: bool, x: &mut [f64]) {
        self.rows.sort();
        self.rows.half_solve(model, data);
        self.rows.velocities(model, x, &mut self.free);
        self.islands.partition.group(model, &self.rows);
        self.memory.clear();
        self.memory.resize(self.rows.blocks.len(), Memory::default());
        if first {
            self.reports.clear();
        }
        let Self { rows, free, before, memory, .. } = self;
        let mut problem = RowProblem { model, rows, free, before, memory, timestep, slack: &[] };
        for island in 0..self.islands.partition.count() {
            let solved = self.islands.solve(island, &mut problem, &mut self.solver);
            let tree = self.islands.tree(island, problem.rows);
            let Some((tree, solved)) = tree.zip(solved) else { continue };
            self.carried.add_residual(self.set[tree.index()], solved.solver.residual.natural_map);
            if first {
                self.reports.push((tree, solved));
            }
        }
        for (block, memory) in self.rows.blocks.iter().zip(&self.memory) {
            let Some(piece) = self.rows.pieces(block).first() else { continue };
            let reason = match Outcome::of(memory) {
                Outcome::Solved => continue,
                Outcome::Stiff => HandBack::Stiffness,
                Outcome::Inconsistent => HandBack::Inconsistency,
                Outcome::Unsolved => HandBack::UnsolvedForces,
            };
            self.lost[self.set[piece.tree.index()]].get_or_insert(reason);
        }
        self.rows.apply_impulses(model, data, &mut self.scratch, x);
    }

    /// Step 2: `v` is changed as little as possible, in the metric of kinetic energy, so that no contact approaches.
    pub(crate) fn stop_approach(&mut self, model: &Model, data: &mut Data, h: f64, v: &mut [f64]) {
        if self.contacts.iter().all(|persistent| persistent.velocity.x >= -ROUND_OFF) {
            return;
        }
        self.rows.clear();
        self.before.clear();
        for (i, persistent) in self.contacts.iter().enumerate() {
            if !self.has_lost(persistent.tree) {
                self.rows.push_normal(model, data, i, &persistent.contact);
            }
        }
        self.solve(model, data, 0.0, false, v);
        self.note_stop(model, h, v);
    }

    /// Notes the impulses that have stopped what approached: impacts in a set in which something has hit, else corrections.
    fn note_stop(&mut self, model: &Model, h: f64, v: &[f64]) {
        self.rows.velocities(model, v, &mut self.after);
        let hits = self.contacts.iter().any(|persistent| persistent.hits());
        for block in &self.rows.blocks {
            let (RowKind::Unilateral(kind), Some(i)) = (block.kind, block.contact) else { continue };
            let persistent = &self.contacts[i];
            let set = self.set[persistent.tree.index()];
            let outcome =
                BlockOutcome::of(block, kind, &self.rows.impulse, [&self.after; 2], [&self.free; 2]);
            let of_set = |other: &Persistent| self.set[other.tree.index()] == set;
            if hits && self.contacts.iter().any(|other| other.hits() && of_set(other)) {
                let contact = Contact { law: Law::Frictionless, ..persistent.contact };
                self.carried.add_impact(set, contact, &outcome, h);
            } else {
                self.carried.add_correction(set, persistent.contact, &outcome, h);
            }
        }
    }

    /// Step 3: accelerations of one stage.
    #[allow(clippy::too_many_arguments, reason = "what a stage of the rule depends on")]
    pub(crate) fn accelerate(
        &mut self,
        model: &Model,
        data: &mut Data,
        map: &ForceMap,
        commands: &Commands<'_>,
        start: &[Mocap],
        now: Moment,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Result<(), AlgorithmError> {
        let (time, timestep) = (now.time(), now.timestep);
        self.locate_stage(model, data, start, time, q, v);
        let passage = Passage::instant(q, v, now.share());
        if now.stage.fraction == 0.0 {
            self.trees.iter().for_each(|tree| self.works[self.set[tree.index()]] = Work::default());
        }
        for i in 0..self.trees.len() {
            let tree = self.trees[i];
            let done = map.work(model, data, tree, commands, &passage, &mut self.tau);
            self.works[self.set[tree.index()]] += done;
            map.smooth_forces(model, data, tree, commands, q, v, &mut self.tau);
            dynamics::factorize_by_size(model, data, tree, &self.zeros)?;
            dynamics::bias_forces(model, data, tree, &mut self.bias);
            for k in model.trees[tree].dofs.clone() {
                out[k] = self.tau[k] - self.bias[k];
            }
            dynamics::solve(model, data, tree, out);
        }
        self.rows.clear();
        self.before.clear();
        for (i, persistent) in self.contacts.iter().enumerate() {
            let Some(now) = persistent.now.filter(|_| !self.has_lost(persistent.tree)) else {
                continue;
            };
            self.rows.push_contact_accelerations(model, data, i, &now, &persistent.rate);
            let velocity =
                if self.by_events { sliding_velocity(persistent, &now) } else { persistent.velocity };
            self.before.extend_from_slice(&velocity.as_slice()[..now.law.rows()]);
        }
        self.solve(model, data, timestep, time == 0.0, out);
        self.note_stage(now);
        Ok(())
    }

    /// Notes the forces of a stage.
    fn note_stage(&mut self, now: Moment) {
        for block in &self.rows.blocks {
            let Some(persistent) = block.contact.map(|i| &mut self.contacts[i]) else { continue };
            let Some(contact) = persistent.now else { continue };
            let force = row_values(block, &self.rows.impulse);
            let mut velocity = persistent.velocity;
            if contact.law == Law::Frictionless {
                (velocity.y, velocity.z) = (0.0, 0.0);
            }
            let stage = StageForce { contact, force, velocity, share: now.share() };
            persistent.part.add_stage(&stage, now.stage.fraction == 0.0, now.timestep);
        }
    }

    /// Takes the motion that has just ended, where `data` and the finder have the contacts.
    pub(crate) fn take_motion(&mut self, data: &Data, h: f64) {
        for persistent in &mut self.contacts {
            if let Some(now) = find_contact(&self.finder.contacts, &persistent.contact.key) {
                persistent.part.end(present_velocity(data, now).x, h);
            }
            self.carried.add_motion(self.set[persistent.tree.index()], &persistent.part, h);
        }
        for tree in &self.trees {
            let set = self.set[tree.index()];
            self.carried.add_work(set, std::mem::take(&mut self.works[set]));
        }
    }
}
