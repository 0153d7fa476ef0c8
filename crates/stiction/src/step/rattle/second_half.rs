//! The impulses of the end: such that the velocities obey the laws at what touches there; and impacts.

use super::sliding::is_viscous;
use super::{Rattle, SLIGHT, SMALL, leave_out};
use crate::constraint::islands::RowProblem;
use crate::constraint::kind::{Implicit, StepAhead};
use crate::constraint::rows::RowBlock;
use crate::contact::ContactKey;
use crate::dynamics::{self, AlgorithmError};
use crate::model::TreeId;
use crate::report::StepReport;
use crate::step::contact_problem::{ContactProblem, Remembered};
use crate::step::system::System;
use stiction_solvers::Status;

/// Work of impulses that is rounding, as a part of what they are against the velocities before, and of the kinetic energy.
const ROUNDING: f64 = 1e-6;

/// Slower than this (m/s) nothing hits.
pub(super) const HITS: f64 = 1e-12;

impl Rattle {
    /// The kicks of the end, and the problem there but for the contacts in `left_out`, solved: velocities become those after the step. The
    /// system is at the end.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn finish(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
        last: &Remembered,
        left_out: &[ContactKey],
        report: &mut StepReport,
    ) -> Result<(), AlgorithmError> {
        let model = system.model;
        system.closures.loops.set_rates(&system.state.v);
        self.keep_velocities(system);
        let Self { active, stiff, kicks, kicked, .. } = self;
        for tree in TreeId::all(&model.trees).filter(|tree| active[tree.index()]) {
            kicks.at_end(system, tree, stiff[tree.index()], kicked)?;
        }
        let soft = StepAhead { duration: 0.5 * system.h, implicit: Implicit::Damping, ..StepAhead::NONE };
        let stiff = StepAhead { duration: 0.0, implicit: Implicit::Nothing, ..soft };
        self.pose_instant(system, problem, [soft, stiff]);
        leave_out(problem, left_out);
        problem.islands.partition.group(model, &problem.rows);
        last.end.recall(&problem.rows, &mut problem.memory);
        last.end.recall_bilateral(&mut problem.rows);
        self.turn_to_frames(problem);
        problem.apply_impulses_to(model, system.data, &self.kicked);
        problem.rows.velocities(model, &problem.velocity, &mut self.posed);
        for island in 0..problem.islands.partition.count() {
            if self.stands(problem, island, system, SMALL) {
                continue;
            }
            if self.stands_with(|_, _| 0.0, &problem.free, problem, island, system, SMALL) {
                problem.scale_impulses(island, 0.0);
            } else {
                let timestep = if self.is_stiff(problem, island) { 0.0 } else { 0.5 * system.h };
                self.solve_instant(system, problem, island, timestep, report);
            }
        }
        self.accept_velocities(system, problem, report);
        Ok(())
    }

    /// Rows of what touches, at the poses where the system is, and their velocities with the kicks alone.
    fn pose_instant(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
        ahead: [StepAhead<'_>; 2],
    ) {
        system.closures.loops.extend_rates(&mut self.kicked);
        self.unanswered.clear();
        problem.rows.clear();
        problem.contacts.clone_from(&system.constraints.contacts.finder.contacts);
        self.push(system, problem, ahead);
        problem.rows.velocities(system.model, &self.v, &mut self.before);
        problem.rows.velocities(system.model, &self.kicked, &mut problem.free);
        // What no impulse moves, as a contact at the very point of a pin, may go on as slowly as the first half leaves it.
        self.slack.clear();
        self.slack.resize(problem.rows.len(), SLIGHT * system.settings.overlap_tolerance / self.walk.whole);
        self.displacements.look_at_contacts(system, &problem.contacts);
    }

    fn solve_instant(
        &mut self,
        system: &System<'_>,
        problem: &mut ContactProblem,
        island: usize,
        timestep: f64,
        report: &mut StepReport,
    ) {
        let ContactProblem { rows, islands, solver, memory, free, .. } = problem;
        let (before, slack) = (&self.before, &self.slack);
        let mut posed = RowProblem { model: system.model, rows, free, before, memory, timestep, slack };
        let solved = islands.solve(island, &mut posed, solver.as_mut());
        if islands.contradicts() {
            report.add_contradiction(solved.as_ref());
        }
        if let Some(solved) = solved {
            report.add_effort(&solved);
        }
        if solved.is_some_and(|solved| solved.solver.status != Status::Solved) {
            self.unanswered.push(island);
        }
    }

    /// Impulses of the end never add energy, but drives, and viscous friction that is explicit. Where they do they are no answer, whatever the
    /// solver says (rounding of impulses that are too large, as beside a pin): takes the part after which there is least.
    fn restrain(&mut self, system: &mut System<'_>, problem: &mut ContactProblem, report: &mut StepReport) {
        problem.rows.velocities(system.model, &self.kicked, &mut self.free);
        let mut any = false;
        for island in 0..problem.islands.partition.count() {
            let blocks = problem.blocks(island);
            if blocks.clone().any(|block| block.compliance > 0.0 || is_viscous(block)) {
                continue;
            }
            let (mut slope, mut curvature, mut rounding) = (0.0, 0.0, 0.0);
            for row in blocks.flat_map(|block| block.row..block.row + block.count) {
                let impulse = problem.rows.impulse[row];
                slope += impulse * self.free[row];
                curvature += impulse * (self.posed[row] - self.free[row]);
                rounding += impulse.abs() * (ROUNDING * self.free[row].abs() + HITS);
            }
            let work = slope + 0.5 * curvature;
            // Few add so much that the energy need be asked for.
            if work > rounding
                && work > rounding + ROUNDING * self.kinetic_energy(system.model, system.data, &self.v)
            {
                let part = if curvature > 0.0 { (-slope / curvature).clamp(0.0, 1.0) } else { 0.0 };
                problem.scale_impulses(island, part);
                any = true;
                if !self.unanswered.contains(&island) {
                    report.unsolved += 1;
                    report.status = Status::Stalled;
                }
            }
        }
        if any {
            problem.apply_impulses_to(system.model, system.data, &self.kicked);
            problem.rows.velocities(system.model, &problem.velocity, &mut self.posed);
        }
    }

    /// Gives the trees at work the velocities with the impulses; writes those of the rows.
    fn accept_velocities(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
        report: &mut StepReport,
    ) {
        problem.apply_impulses_to(system.model, system.data, &self.kicked);
        problem.rows.velocities(system.model, &problem.velocity, &mut self.posed);
        self.restrain(system, problem, report);
        let active = |tree: &TreeId| self.active[tree.index()];
        for tree in TreeId::all(&system.model.trees).filter(active) {
            let dofs = system.model.trees[tree].dofs.clone();
            system.state.v[dofs.clone()].copy_from_slice(&problem.velocity[dofs]);
        }
    }

    /// One impact of all that touches and closes where the system is; returns whether there was any.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn collide(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
        report: &mut StepReport,
    ) -> Result<bool, AlgorithmError> {
        let model = system.model;
        dynamics::forward_kinematics_all(model, system.data, &system.state.q, &system.state.v);
        system.closures.loops.set_rates(&system.state.v);
        self.keep_velocities(system);
        let Self { active, kicks, .. } = self;
        for tree in TreeId::all(&model.trees).filter(|tree| active[tree.index()]) {
            kicks.factorize(system, tree)?;
        }
        self.pose_instant(system, problem, [StepAhead::NONE; 2]);
        let before = &self.before;
        let closes = |block: &RowBlock| block.contact.is_some() && before[block.row] < -HITS;
        if !problem.rows.blocks.iter().any(closes) {
            return Ok(false);
        }
        // What rests without restitution is pressed at once, what has some is hit in its turn.
        let takes_part = |block: &RowBlock| block.restitution == 0.0 || closes(block);
        problem.rows.blocks.retain(takes_part);
        problem.islands.partition.group(model, &problem.rows);
        problem.memory.clear();
        problem.memory.resize(problem.rows.blocks.len(), Default::default());
        for island in 0..problem.islands.partition.count() {
            self.solve_instant(system, problem, island, 0.0, report);
        }
        self.accept_velocities(system, problem, report);
        Ok(true)
    }
}
