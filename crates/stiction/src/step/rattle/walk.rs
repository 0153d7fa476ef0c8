//! Sets of trees that go through a step in parts: from impact to impact, or by halves where the passes do not settle.
//!
//! # Bounces
//! A contact with a coefficient of restitution *bounces* when it closes faster than what the forces of a step bring
//! ([`crate::contact::impact`]). It then has no rows, and the set moves to the instant at which its gap closes, found to rounding
//! as a root over parts of the step; there everything that touches and closes takes an impact, again while something closes
//! (sequences of impacts: Smith and others 2012). What bounces more often than a step can hold goes on without a bounce, and is counted.
//!
//! # References
//! B. Smith, D. M. Kaufman, E. Vouga, R. Tamstorf, E. Grinspun, *Reflections on simultaneous impact*, ACM Trans. Graph. 31 (2012).

use super::Rattle;
use super::second_half::HITS;
use super::stages::Stages;
use crate::constraint::contact::relative_velocity;
use crate::constraint::islands::root;
use crate::constraint::kind::{TOUCHING, is_active};
use crate::contact::{Contact, ContactKey, IslandProblem};
use crate::dynamics::AlgorithmError;
use crate::model::{Model, TreeId};
use crate::report::{HandBack, StepReport};
use crate::step::contact_problem::{ContactProblem, StepMemory};
use crate::step::integrator_choice::IntegratorChoice;
use crate::step::start::StepStart;
use crate::step::system::System;

/// Parts of a step that are not taken apart any further, and what is left of one counts for nothing.
const LEAST_PART: f64 = 1.0 / 1024.0;
const NOTHING: f64 = 1e-9;

/// The same where the solver finds no impulses: rows that contradict each other mostly do so however short a part is.
const LEAST_UNSOLVED: f64 = 0.25;
const LEAST_OF_LARGE: f64 = 0.5;

/// Halvings of a set in a step at most.
const HALVINGS: usize = 100;

/// Events of a set in a step at most: so many, and so many for each of its contacts.
const EVENTS: usize = 1000;
const EVENTS_PER_CONTACT: usize = 8;

/// Events for which an impact counts that was not found.
const MISSED: usize = 100;

/// Number of events of a set that goes on without bounces.
const CUT: usize = usize::MAX / 2;

/// Trials for the instant of an impact, and the gap at which it is found (m): rounding of poses of some metres.
const TRIALS: usize = 60;
const FOUND: f64 = 1e-14;

/// Part of a step in which nothing moves.
const AT_ONCE: f64 = 1e-13;

/// Parts of a step in which displacements are so small that what rounding makes of them, over so short a time, is a velocity: they are of
/// first order.
const SHORT: f64 = 1e-6;

/// Impacts in a row at one instant at most.
const SEQUENCE: usize = 100;

/// Why impulses at both ends of a part are no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    DoesNotSettle,
    Unsolved,
    /// In an island so large that every part counts: some of its contacts change their modes in turns, or gaps that are to be zero at the
    /// same time contradict each other, mostly however short a part is.
    Large,
}

/// The workspace.
#[derive(Debug)]
pub(super) struct Walk {
    /// By root: sets that go through the step in parts.
    pub(super) sets: Vec<bool>,
    /// By root: sets that go from impact to impact, whether anything bounces or not.
    pub(super) every_impact: Vec<bool>,
    /// By root: how the whole step of a set has failed already.
    pub(super) failed: Vec<Option<Failure>>,
    /// By root: how long parts may be, of the whole step ([`super::gains`]).
    pub(super) longest: Vec<f64>,
    /// The whole step (s).
    pub(super) whole: f64,
    /// The state at its beginning, and at that of the present part.
    start: StepStart,
    part: StepStart,
    bouncing: Vec<ContactKey>,
    memory: StepMemory,
}

impl Walk {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            sets: vec![false; model.trees.len()],
            every_impact: vec![false; model.trees.len()],
            failed: vec![None; model.trees.len()],
            longest: vec![1.0; model.trees.len()],
            whole: 0.0,
            start: StepStart::default(),
            part: StepStart::default(),
            bouncing: Vec::new(),
            memory: StepMemory::default(),
        }
    }

    /// Keeps the state at the beginning of the step, and reserves memory for all that a walk needs, as the first one may come late.
    pub(super) fn keep_start(&mut self, system: &System<'_>, memory: &StepMemory) {
        self.whole = system.h;
        self.longest.fill(1.0);
        self.start.keep(system.state);
        if self.part.q.len() != self.start.q.len() {
            self.part.copy(&self.start);
        }
        self.memory.last.reserve(&memory.last);
        self.memory.next.reserve(&memory.last);
    }

    /// Puts everything back there.
    pub(super) fn return_to_start(&self, system: &mut System<'_>) {
        system.h = self.whole;
        self.start.restore(system.state);
        system.closures.loops.recall(&self.start.loop_q);
        system.locate();
    }

    /// Puts the trees of the sets that go through the step in parts back to its beginning: passes that do not settle may leave them anywhere.
    pub(super) fn return_sets(&self, system: &mut System<'_>, choice: &mut IntegratorChoice) {
        for (tree, contents) in system.model.trees.iter().enumerate() {
            if choice.contact_rule[tree] && self.sets[root(&mut choice.sets, tree)] {
                self.start.restore_tree(contents, system.state);
            }
        }
        system.locate();
    }

    /// Marks the sets in which something bounces; `free` are the velocities without impulses.
    pub(super) fn begin(&mut self, system: &System<'_>, choice: &mut IntegratorChoice, free: &[f64]) {
        self.sets.iter_mut().zip(&self.longest).for_each(|(walks, longest)| *walks = *longest < 1.0);
        self.every_impact.fill(false);
        self.failed.fill(None);
        for contact in &system.constraints.contacts.finder.contacts {
            let tree = contact.links.iter().flatten().map(|&link| system.model.links[link].tree).next();
            let Some(tree) = tree.filter(|tree| choice.contact_rule[tree.index()]) else { continue };
            if contact.restitution > 0.0 && hits(system, contact, free, self.whole) {
                self.sets[root(&mut choice.sets, tree.index())] = true;
            }
        }
    }
}

/// Whether a contact closes in a part of a step of `whole` seconds by more than what forces do.
fn hits(system: &System<'_>, contact: &Contact, free: &[f64], whole: f64) -> bool {
    let velocity = |v| relative_velocity(system.model, system.data, contact, v).x;
    let (before, free) = (velocity(&system.state.v), velocity(free));
    // One that closes just at the end of the step, to rounding, bounces at the beginning of the next.
    let closes = free * system.h + contact.gap.max(0.0) < TOUCHING && before < -HITS;
    let forced = (free - before).abs() * whole / system.h;
    closes && -before > forced.max(system.settings.impact_threshold)
}

impl Rattle {
    /// Takes the sets that were left out through the step, one after the other, and leaves the system at its end.
    ///
    /// Returns trees that meet though they are not in one set.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite, or a rotation that has no solution within a part of the step.
    pub(super) fn walk_sets(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        memory: &mut StepMemory,
        report: &mut StepReport,
    ) -> Result<Option<(TreeId, TreeId)>, AlgorithmError> {
        if !self.walk.sets.contains(&true) {
            return Ok(None);
        }
        for set in 0..self.walk.sets.len() {
            if self.walk.sets[set] {
                for tree in 0..self.active.len() {
                    self.active[tree] =
                        stages.choice.contact_rule[tree] && root(&mut stages.choice.sets, tree) == set;
                }
                let met = self.walk_set(system, stages, set, memory, report);
                self.is_first_order = false;
                let met = met?;
                if met.is_some() {
                    return Ok(met);
                }
            }
        }
        system.h = self.walk.whole;
        self.displacements.in_part = false;
        self.set_time(system, system.h);
        system.locate();
        Ok(None)
    }

    fn walk_set(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        set: usize,
        memory: &mut StepMemory,
        report: &mut StepReport,
    ) -> Result<Option<(TreeId, TreeId)>, AlgorithmError> {
        let whole = self.walk.whole;
        self.walk.memory.last.copy(&memory.last);
        let Walk { start, part, .. } = &mut self.walk;
        part.copy(start);
        let most = self.walk.longest[set] * whole;
        let (mut done, mut longest) = (0.0, most);
        let (mut events, mut halvings) = (0, 0);
        if let Some(failure) = self.walk.failed[set].filter(|_| !self.walk.every_impact[set]) {
            longest = self.shorten(failure, [whole; 2], &mut halvings, report).min(most);
        }
        while whole - done > NOTHING * whole {
            system.h = whole - done;
            self.return_to_part(system, done);
            let events_most = EVENTS + EVENTS_PER_CONTACT * system.constraints.contacts.finder.contacts.len();
            self.find_bouncing(system, stages, events < events_most, self.walk.every_impact[set])?;
            let cut = events >= events_most && events < CUT;
            report.cut_impacts += usize::from(cut);
            events = if cut { CUT } else { events };
            if self.hits_now(system) {
                events += self.take_impacts(system, stages, report)?;
                self.walk.part.keep(system.state);
                continue;
            }
            let mut part = longest.min(whole - done);
            let met = self.try_part(system, stages, done, part)?;
            if met.is_some() {
                return Ok(met);
            }
            let settled = !self.settled.contains(&false);
            if !settled && !self.is_first_order {
                let failed = (0..self.settled.len()).filter(|&island| !self.settled[island]);
                let failures = failed.map(|island| self.failure_of(stages.problem, island));
                let failure = failures.max().unwrap_or(Failure::DoesNotSettle);
                longest = self.shorten(failure, [part, whole - done], &mut halvings, report);
                continue;
            }
            if !settled {
                self.let_go(system, stages.problem)?;
            }
            if self.least_gap(system, stages) < 0.0 {
                part = self.find_impact(system, stages, done, part)?;
                // Where gaps jump, as features take turns, nothing may touch at the instant that was found; not to be sought for ever.
                events += if self.least_gap(system, stages) > TOUCHING { MISSED } else { 0 };
            }
            report.unsolved += usize::from(!settled);
            if done == 0.0 {
                self.count_problem(stages.problem, report);
            }
            self.take_part(system, stages, report)?;
            done += part;
            longest = (2.0 * part).min(most);
        }
        memory.next.merge(&self.walk.memory.last);
        Ok(None)
    }

    /// Why an island that has not settled did not.
    pub(super) fn failure_of(&self, problem: &ContactProblem, island: usize) -> Failure {
        if problem.blocks(island).count() > IslandProblem::LARGE {
            Failure::Large
        } else if self.is_solved(island) {
            Failure::DoesNotSettle
        } else {
            Failure::Unsolved
        }
    }

    /// How long the next part may be (s) where one has failed: half of it, or the `rest` of the step to first order.
    fn shorten(
        &mut self,
        failure: Failure,
        [part, rest]: [f64; 2],
        halvings: &mut usize,
        report: &mut StepReport,
    ) -> f64 {
        let least = match failure {
            Failure::DoesNotSettle => LEAST_PART,
            Failure::Unsolved => LEAST_UNSOLVED,
            Failure::Large => LEAST_OF_LARGE,
        };
        if part > least * self.walk.whole && *halvings < HALVINGS {
            *halvings += 1;
            report.halvings += 1;
            return 0.5 * part;
        }
        self.is_first_order = true;
        *report.hand_backs.of_mut(HandBack::Unsettled) += 1;
        rest
    }

    /// Puts prescribed bodies and time some time (s) behind the beginning of the step.
    fn set_time(&self, system: &mut System<'_>, time: f64) {
        system.state.mocap.clone_from(&self.walk.start.mocap);
        system.state.mocap.iter_mut().for_each(|mocap| mocap.advance(time));
        system.state.time = self.walk.start.time + time;
    }

    /// Puts the trees at work back to the beginning of the present part, `done` seconds behind that of the step.
    fn return_to_part(&self, system: &mut System<'_>, done: f64) {
        for (tree, contents) in TreeId::all(&system.model.trees).zip(&system.model.trees) {
            if self.active[tree.index()] {
                self.walk.part.restore_tree(contents, system.state);
            }
        }
        self.set_time(system, done);
        system.closures.loops.recall(&self.walk.part.loop_q);
        system.locate();
    }

    /// Lists the contacts that bounce in the present part, at whose beginning the system is; if asked, whatever their restitution.
    fn find_bouncing(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        may_bounce: bool,
        every_impact: bool,
    ) -> Result<(), AlgorithmError> {
        let model = system.model;
        self.find_free(system, stages)?;
        self.walk.bouncing.clear();
        for contact in system.constraints.contacts.finder.contacts.iter().filter(|_| may_bounce) {
            let trees = contact.links.iter().flatten().map(|&link| model.links[link].tree);
            let at_work = is_active(trees, |tree| self.active[tree.index()]);
            let counts = every_impact || contact.restitution > 0.0;
            if at_work && counts && hits(system, contact, &stages.free.v, self.walk.whole) {
                self.walk.bouncing.push(contact.key);
            }
        }
        Ok(())
    }

    /// Free velocities of the trees at work, for the time that the system is to move.
    fn find_free(&self, system: &mut System<'_>, stages: &mut Stages<'_>) -> Result<(), AlgorithmError> {
        for tree in TreeId::all(&system.model.trees).filter(|tree| self.active[tree.index()]) {
            stages.free.find(system, tree)?;
        }
        system.closures.loops.extend_rates(&mut stages.free.v);
        Ok(())
    }

    /// Whether something that bounces touches.
    fn hits_now(&self, system: &System<'_>) -> bool {
        let mut contacts = system.constraints.contacts.finder.contacts.iter();
        contacts.any(|contact| contact.gap <= TOUCHING && self.walk.bouncing.contains(&contact.key))
    }

    /// Impacts where the system is, one after the other while something closes; how many.
    fn take_impacts(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        report: &mut StepReport,
    ) -> Result<usize, AlgorithmError> {
        let mut impacts = 0;
        while impacts < SEQUENCE && self.collide(system, stages.problem, report)? {
            impacts += 1;
            self.end_impact(system, stages, report);
        }
        report.events += impacts;
        // One that is no impact after all counts too, lest it be tried for ever.
        Ok(impacts.max(1))
    }

    /// Moves the set through a part of the step (s) without what bounces. Returns trees that meet though they are not in one set.
    fn try_part(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        done: f64,
        part: f64,
    ) -> Result<Option<(TreeId, TreeId)>, AlgorithmError> {
        system.h = part;
        self.displacements.in_part = part < self.walk.whole;
        self.return_to_part(system, done);
        self.find_free(system, stages)?;
        let is_first_order = self.is_first_order;
        self.is_first_order |= part <= SHORT * self.walk.whole;
        let bouncing = std::mem::take(&mut self.walk.bouncing);
        let memory = std::mem::take(&mut self.walk.memory);
        let begun = self.begin(system, stages.free, stages.problem, &memory.last, &bouncing);
        let met = begun.and_then(|()| {
            self.set_time(system, done + part);
            self.reach_end(system, stages.free, stages.problem, &memory.last, &bouncing)
        });
        self.walk.bouncing = bouncing;
        self.walk.memory = memory;
        self.is_first_order = is_first_order;
        met
    }

    /// The least gap of what bounces, at the end of the part that was tried (m).
    fn least_gap(&self, system: &System<'_>, stages: &Stages<'_>) -> f64 {
        let contacts = stages.problem.contacts.iter().enumerate();
        let found = &system.constraints.contacts.finder.contacts;
        let bouncing = contacts.filter(|(_, contact)| self.walk.bouncing.contains(&contact.key));
        let gaps = bouncing.map(|(index, contact)| self.displacements.gap(system, contact, index, found));
        gaps.fold(f64::INFINITY, f64::min)
    }

    /// Moves the set to where the first contact that bounces closes, which it has done at the end of a part (s). Returns when that is, from
    /// the beginning of the part. (False position, the Illinois variant.)
    fn find_impact(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        done: f64,
        part: f64,
    ) -> Result<f64, AlgorithmError> {
        let contacts = stages.problem.contacts.iter();
        let bouncing = contacts.filter(|contact| self.walk.bouncing.contains(&contact.key));
        let at_start = bouncing.fold(f64::INFINITY, |least, contact| least.min(contact.gap));
        let (mut early, mut gap_early) = (0.0, at_start);
        let (mut late, mut gap_late) = (part, self.least_gap(system, stages));
        let mut instant = part;
        let mut last = 0;
        for _ in 0..TRIALS {
            instant = (early * gap_late - late * gap_early) / (gap_late - gap_early);
            // Nothing has a velocity in no time.
            instant = instant.max(AT_ONCE * self.walk.whole);
            self.try_part(system, stages, done, instant)?;
            let gap = self.least_gap(system, stages);
            if gap.abs() <= FOUND || late - early <= f64::EPSILON * part || late <= AT_ONCE * self.walk.whole
            {
                break;
            }
            if gap > 0.0 {
                (early, gap_early) = (instant, gap);
                gap_late *= if last == 1 { 0.5 } else { 1.0 };
                last = 1;
            } else {
                (late, gap_late) = (instant, gap);
                gap_early *= if last == -1 { 0.5 } else { 1.0 };
                last = -1;
            }
        }
        Ok(instant)
    }

    /// Accepts the part that was tried.
    fn take_part(
        &mut self,
        system: &mut System<'_>,
        stages: &mut Stages<'_>,
        report: &mut StepReport,
    ) -> Result<(), AlgorithmError> {
        let mut memory = std::mem::take(&mut self.walk.memory);
        let bouncing = std::mem::take(&mut self.walk.bouncing);
        self.end_first_half(system, stages, &mut memory.next, report);
        let finished = self.finish(system, stages.problem, &memory.last, &bouncing, report);
        if finished.is_ok() {
            self.end_second_half(system, stages, &mut memory.next, report);
            memory.advance();
            self.walk.part.keep(system.state);
            self.walk.part.loop_q.copy_from_slice(system.closures.loops.coordinates());
        }
        self.walk.memory = memory;
        self.walk.bouncing = bouncing;
        finished
    }
}
