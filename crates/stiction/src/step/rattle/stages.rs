//! The stages of a step with impulses at both ends.

use super::{Rattle, SETTLED, bias};
use crate::constraint::islands::root;
use crate::constraint::kind::Implicit;
use crate::constraint::rows::RowKind;
use crate::dynamics::AlgorithmError;
use crate::model::TreeId;
use crate::report::{Readout, StepReport};
use crate::step::advance::Advance;
use crate::step::certify::account::Account;
use crate::step::certify::{Kick, certify_kick};
use crate::step::clock::{Clock, Stage};
use crate::step::contact_problem::{ContactProblem, Remembered, StepMemory};
use crate::step::free_rule::TiedTrees;
use crate::step::free_velocity::FreeVelocity;
use crate::step::integrator_choice::IntegratorChoice;
use crate::step::start::StepStart;
use crate::step::stepper::acceleration::AccelerationLevel;
use crate::step::system::System;

/// The workspaces of the stages that a step takes part in.
#[derive(Debug)]
pub(crate) struct Stages<'a> {
    pub(crate) start: &'a StepStart,
    pub(crate) choice: &'a mut IntegratorChoice,
    pub(crate) free: &'a mut FreeVelocity,
    pub(crate) problem: &'a mut ContactProblem,
    pub(crate) advance: &'a mut Advance,
    pub(crate) tied: &'a mut TiedTrees,
    pub(crate) account: &'a mut Account,
    pub(crate) readout: &'a mut Readout,
    /// What has moved trees at the level of forces already.
    pub(crate) level: Option<&'a mut AccelerationLevel>,
}

/// Attempts at most to find the trees that meet.
const ATTEMPTS: usize = 16;

/// Acts of each contact for which memory is reserved: those of both ends of four parts.
const RESERVED_ACTS: usize = 8;

/// Takes the step of all trees, once it is known which are under the contact rule: these with impulses at both ends, the others by
/// the free rules. Where a tree is met that was not under the contact rule, or in another set, the step is taken again.
///
/// # Errors
/// A mass matrix that is not positive definite, or a rotation that has no solution within the step.
pub(crate) fn step(
    rattle: &mut Rattle,
    system: &mut System<'_>,
    mut stages: Stages<'_>,
    memory: &mut StepMemory,
    report: &mut StepReport,
    clock: &mut Clock,
) -> Result<(), AlgorithmError> {
    let opened = *report;
    rattle.walk.keep_start(system, memory);
    rattle.gains.begin();
    // The first walk may come late, and has rows of its own.
    rattle.kept[0].reserve_in(&mut stages.problem.rows);
    stages.readout.reserve(RESERVED_ACTS, system.constraints.contacts.finder.contacts.len());
    for left in (0..ATTEMPTS).rev() {
        rattle.may_join = left > 0;
        let met = attempt(rattle, system, &mut stages, memory, report, clock)?;
        let gained = met.is_none() && rattle.shorten_gains(system, stages.choice);
        if left == 0 || (met.is_none() && !gained) {
            break;
        }
        *report = StepReport { attempts: report.attempts + 1, ..opened };
        memory.next.clear();
        stages.readout.clear();
        rattle.walk.return_to_start(system);
        let Some((first, second)) = met else { continue };
        if let Some(level) = &mut stages.level {
            [first, second].iter().for_each(|&tree| level.release(tree, &mut stages.choice.contact_rule));
        }
        stages.choice.join(system, stages.free, first, second)?;
    }
    Ok(())
}

/// One attempt; returns trees that meet though one is not at work, or not with the other.
fn attempt(
    rattle: &mut Rattle,
    system: &mut System<'_>,
    stages: &mut Stages<'_>,
    memory: &mut StepMemory,
    report: &mut StepReport,
    clock: &mut Clock,
) -> Result<Option<(TreeId, TreeId)>, AlgorithmError> {
    let last = &memory.last;
    rattle.start_step(system, stages);
    rattle.kept[0].exchange_rows(stages.problem);
    clock.time(Stage::Rows, || rattle.begin(system, stages.free, stages.problem, last, &[]))?;
    clock.time(Stage::Integrate, || {
        let Stages { choice, level, advance, tied, .. } = &mut *stages;
        let contact_rule = &choice.contact_rule[..];
        let sustained = |tree| level.as_ref().is_some_and(|level| level.sustains(tree));
        let is_free = |tree: TreeId| !contact_rule[tree.index()] && !sustained(tree);
        advance.freely(system, &mut report.work, is_free)?;
        if let Some(level) = level {
            level.write_state(system.model, system.state);
        }
        tied.advance(system, contact_rule, &mut report.work)?;
        system.advance_prescribed();
        Ok::<(), AlgorithmError>(())
    })?;
    let met =
        clock.time(Stage::Solve, || rattle.reach_end(system, stages.free, stages.problem, last, &[]))?;
    if met.is_some() {
        rattle.kept[0].exchange_rows(stages.problem);
        return Ok(met);
    }
    rattle.leave_unsettled(system, stages);
    clock.time(Stage::Certificate, || {
        rattle.count_problem(stages.problem, report);
        rattle.end_first_half(system, stages, &mut memory.next, report);
        rattle.stiff_trees.begin(&rattle.active, &rattle.stiff, &stages.problem.velocity);
        rattle.kept[0].keep(stages.problem, &rattle.posed);
    });
    clock.time(Stage::Integrate, || {
        let Stages { start, choice, free, tied, .. } = &mut *stages;
        let certificate = &mut report.certificate;
        tied.close_loops(system, start, &choice.contact_rule, &mut free.added, certificate)
    })?;
    rattle.kept[1].exchange_rows(stages.problem);
    clock.time(Stage::Solve, || rattle.finish(system, stages.problem, &memory.last, &[], report))?;
    clock.time(Stage::Certificate, || {
        rattle.end_second_half(system, stages, &mut memory.next, report);
        rattle.stiff_trees.end(&stages.problem.velocity, &rattle.v);
        rattle.kept[1].keep(stages.problem, &rattle.posed);
    });
    rattle.walk_sets(system, stages, memory, report)
}

impl Rattle {
    /// Which trees are stiff, and which go through the step in parts from the beginning.
    fn start_step(&mut self, system: &mut System<'_>, stages: &mut Stages<'_>) {
        let Stages { choice, free, .. } = stages;
        choice.mark_stiff(system, &mut self.stiff);
        system.closures.loops.extend_rates(&mut free.v);
        self.gains.begin_attempt();
        self.walk.begin(system, choice, &free.v);
        self.governed.copy_from_slice(&choice.contact_rule);
        let set = |tree| stages.level.as_ref().and_then(|level| level.sustaining_set(tree));
        self.sustained
            .iter_mut()
            .zip(TreeId::all(&system.model.trees))
            .for_each(|(of, tree)| *of = set(tree));
        for (tree, active) in self.active.iter_mut().enumerate() {
            *active = choice.contact_rule[tree] && !self.walk.sets[root(&mut choice.sets, tree)];
        }
    }

    /// Leaves the sets of trees that did not settle, or have travelled farther than their contacts were searched for, for later.
    fn leave_unsettled(&mut self, system: &mut System<'_>, stages: &mut Stages<'_>) {
        let Stages { choice, problem, .. } = stages;
        let mut far = false;
        let mut every_impact = std::mem::take(&mut self.walk.every_impact);
        for tree in self.far_travellers(system) {
            every_impact[root(&mut choice.sets, tree.index())] = true;
            far = true;
        }
        self.walk.every_impact = every_impact;
        if !far && !self.settled.contains(&false) {
            return;
        }
        self.walk.sets.iter_mut().zip(&self.walk.every_impact).for_each(|(walks, far)| *walks |= far);
        for island in (0..self.settled.len()).filter(|&island| !self.settled[island]) {
            let tree = problem.islands.tree(island, &problem.rows);
            for set in tree.into_iter().map(|tree| root(&mut choice.sets, tree.index())) {
                self.walk.sets[set] = true;
                let failure = self.failure_of(problem, island);
                self.walk.failed[set] = self.walk.failed[set].max(Some(failure));
            }
        }
        for island in 0..self.reports.len() {
            let tree = problem.islands.tree(island, &problem.rows);
            if tree.is_some_and(|tree| self.walk.sets[root(&mut choice.sets, tree.index())]) {
                self.reports[island] = None;
            }
        }
        self.walk.return_sets(system, choice);
        for (tree, active) in self.active.iter_mut().enumerate() {
            *active &= !self.walk.sets[root(&mut choice.sets, tree)];
        }
        let stays = |block: usize, problem: &ContactProblem| {
            let pieces = problem.rows.pieces(&problem.rows.blocks[block]);
            pieces.iter().all(|piece| self.active[piece.tree.index()])
        };
        let mut kept = 0;
        for block in 0..problem.rows.blocks.len() {
            if stays(block, problem) {
                problem.rows.blocks.swap(kept, block);
                problem.memory.swap(kept, block);
                kept += 1;
            }
        }
        problem.rows.blocks.truncate(kept);
        problem.memory.truncate(kept);
        problem.islands.partition.group(system.model, &problem.rows);
    }

    /// Counts the rows and islands of the problem at the beginning of the step.
    pub(super) fn count_problem(&self, problem: &ContactProblem, report: &mut StepReport) {
        let (rows, partition) = (&problem.rows, &problem.islands.partition);
        let is_unilateral = |&block: &usize| rows.blocks[block].kind != RowKind::Bilateral;
        let islands =
            (0..partition.count()).filter(|&island| partition.blocks(island).iter().any(is_unilateral));
        report.islands += islands.count();
        report.rows += rows.len();
    }

    /// Certifies the impulses of the beginning, and keeps them for the next step. The system is at the end.
    pub(super) fn end_first_half(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        next: &mut Remembered,
        report: &mut StepReport,
    ) {
        for (solved, contradicts) in self.reports.iter().zip(&self.contradicting) {
            if *contradicts {
                report.add_contradiction(solved.as_ref());
            }
            solved.iter().for_each(|solved| report.add_effort(solved));
        }
        report.passes += self.passes;
        report.rounds += self.rounds;
        let h = system.h;
        stages.problem.rows.blocks.iter().for_each(|block| self.posed[block.row] -= bias(block.kind));
        self.exchange_ends(system);
        self.certify(system, stages, [h, 0.5 * h], [Implicit::All, Implicit::Nothing], report);
        self.exchange_ends(system);
        let problem = &mut *stages.problem;
        self.keep_slips(problem, next, h, SETTLED * system.settings.overlap_tolerance);
        self.turn_to_bodies(problem);
        next.start.keep(&problem.rows, &problem.memory);
        next.start.keep_bilateral(&problem.rows);
    }

    /// The same for those of the end.
    pub(super) fn end_second_half(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        next: &mut Remembered,
        report: &mut StepReport,
    ) {
        let half = 0.5 * system.h;
        self.certify(system, stages, [0.0, half], [Implicit::Nothing, Implicit::Damping], report);
        let problem = &mut *stages.problem;
        self.turn_to_bodies(problem);
        next.end.keep(&problem.rows, &problem.memory);
        next.end.keep_bilateral(&problem.rows);
    }

    /// The same for an impact, which leaves nothing to remember.
    pub(super) fn end_impact(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        report: &mut StepReport,
    ) {
        self.certify(system, stages, [0.0; 2], [Implicit::Nothing; 2], report);
    }

    /// Certifies impulses at the pose at which they act, where the system is; forces act on stiff trees and on others for these times (s).
    fn certify(
        &mut self,
        system: &System<'_>,
        stages: &mut Stages<'_>,
        durations: [f64; 2],
        implicit: [Implicit; 2],
        report: &mut StepReport,
    ) {
        let kick = Kick {
            active: &self.active,
            before: &self.v,
            kicked: &self.kicked,
            laws: &self.posed,
            stiff: &self.stiff,
            durations,
            implicit,
            step: self.walk.whole,
        };
        certify_kick(system, stages.problem, &kick, stages.account, stages.readout, report);
        self.gains.add(
            stages.problem,
            &stages.account.rates,
            stages.choice,
            system.settings.overlap_tolerance / self.walk.whole,
        );
    }
}
