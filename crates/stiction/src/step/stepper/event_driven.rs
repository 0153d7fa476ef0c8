//! Impacts at their time: smooth motion up to the first impact, the impact, and on with the rest of the step.
//!
//! # Method
//! Each set of trees that may touch within the step, also by way of others that they hit, has its own sequence of events.
//! 1. *Persistent* contacts touch and neither approach nor part. The set moves by the classic Runge-Kutta rule with the forces
//!    of its persistent contacts ([`crate::step::stepper::acceleration`]), in free flight if there are none, by an eighth of the step
//!    at a time. Where a contact that presses has moved along its normal by then, the part is halved.
//! 2. Where another contact overlaps at the end of such a part, the time at which the least gap is zero is found to rounding;
//!    where sliding reverses, that of the reversal ([`crate::step::stepper::reversal`]). The state within a part is that of a shorter
//!    Runge-Kutta step from its beginning, which is as smooth as a dense output and needs no interpolation.
//! 3. All contacts with a gap of at most [`kind::TOUCHING`] are solved as one impact, which starts from the velocities before
//!    (no force acts in no time) and obeys the laws of [`crate::contact::Impacts`]. Viscous friction has no impulse.
//! 4. *Resting rule*: what approaches no faster than the applied forces bring about in `1/64` of the step does not bounce.
//!    So a series of ever lower bounces ends, and what has come to rest is a persistent contact.
//! 5. *Passage*: contacts that may close are followed through each part ([`crate::step::stepper::passage`]); one that may have been
//!    crossed halves it.
//!
//! Where dampers or drives are stiff the parts are as short as the explicit rule asks for, down to `1/64` of the step.
//!
//! A set for which there are no forces, in which a persistent contact is lost or anything but contacts acts, or whose impacts do not end, is
//! handed back to impulses at both ends ([`crate::step::rattle`]) for the whole step, and counted by reason ([`crate::report::HandBacks`]).
//!
//! # References
//! - F. Pfeiffer, C. Glocker, *Multibody dynamics with unilateral contacts* (1996), chapter 8: event-driven integration.

use crate::constraint::contact::present_velocity;
use crate::constraint::kind;
use crate::contact::{Contact, IslandReport, Memory, find_contact};
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Model, TreeId};
use crate::report::HandBack;
use crate::step::contact_problem::ContactProblem;
use crate::step::integrator_choice::STIFF;
use crate::step::stepper::acceleration::{AccelerationLevel, PERSISTING, Persistent, RESTING};
use crate::step::stepper::impact::{find_impact, gap_after, solve_impact};
use crate::step::stepper::reversal::find_reversal;
use crate::step::system::System;

/// Parts of a step that are smooth motions, unless an impact ends them before.
pub(super) const PARTS: f64 = 8.0;

/// Parts at most where dampers or drives are stiff.
const MOST_PARTS: f64 = 64.0;

/// Smooth motions are halved down to this part of a step where contacts ask for it.
pub(super) const SHORTEST: f64 = 1.0 / 1024.0;

/// Part of a step that is left by rounding.
pub(super) const TIME_ROUND_OFF: f64 = 1e-14;

/// What forces bring about in this part of a step does not bounce.
pub(super) const REST: f64 = 1.0 / 64.0;

/// Events of a set in a step after which it is handed back.
pub(crate) const MAX_EVENTS: usize = 1024;

/// Gap (m) or normal speed (m/s) that is round-off.
pub(super) const ROUND_OFF: f64 = 1e-12;

/// A root is found when the gap is this (m): round-off of positions of a few metres.
pub(super) const CLOSED: f64 = 1e-14;

/// A gap for what is farther than contacts are looked for (m).
pub(super) const FAR: f64 = 1e-3;

/// The workspace besides that of the acceleration level.
#[derive(Debug)]
pub(crate) struct Events {
    /// The state from which the set moves on.
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// The trees of the set at work.
    pub(super) trees: Vec<TreeId>,
    /// Velocity after a part of the step without impact; row velocities before an impact and with that.
    pub(super) pulled: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) rates: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) memory: Vec<Memory>,
    /// Solved islands of all sets, each with a tree.
    pub(super) reports: Vec<(TreeId, IslandReport)>,
}

impl Events {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            q: model.q0.clone(),
            v: vec![0.0; model.nv()],
            trees: Vec::new(),
            pulled: vec![0.0; model.nv()],
            before: Vec::new(),
            rates: Vec::new(),
            free: Vec::new(),
            memory: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Takes the state at which the workspace of the acceleration level has arrived.
    fn take_state(&mut self, level: &AccelerationLevel) {
        self.q.copy_from_slice(&level.q);
        self.v.copy_from_slice(&level.v);
    }
}

/// A set of trees under way in its step.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetMotion {
    pub(super) set: usize,
    /// Time step (s), and the time since its beginning.
    pub(super) h: f64,
    pub(super) time: f64,
}

/// Moves the sets of the given trees to the end of the step, in the workspace.
pub(crate) fn follow_events(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    problem: &mut ContactProblem,
    trees: &[TreeId],
) -> Result<(), AlgorithmError> {
    events.q.copy_from_slice(&system.state.q);
    events.v.copy_from_slice(&system.state.v);
    events.reports.clear();
    // The step with the most impacts may come late.
    events.reports.reserve(MAX_EVENTS);
    for set in trees.iter().map(|tree| tree.index()) {
        if level.set[set] != set {
            continue;
        }
        events.trees.clear();
        events.trees.extend(trees.iter().copied().filter(|&tree| level.set[tree.index()] == set));
        level.trees.clone_from(&events.trees);
        level.reports.clear();
        let motion = SetMotion { set, h: system.h, time: 0.0 };
        follow_set(level, events, system, problem, motion)?;
        events.reports.append(&mut level.reports);
    }
    std::mem::swap(&mut level.q, &mut events.q);
    std::mem::swap(&mut level.v, &mut events.v);
    std::mem::swap(&mut level.reports, &mut events.reports);
    Ok(())
}

/// Part by part and impact by impact to the end of the step.
pub(super) fn follow_set(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    problem: &mut ContactProblem,
    mut motion: SetMotion,
) -> Result<(), AlgorithmError> {
    let parts = PARTS.max((level.stiffness[motion.set] / STIFF).ceil());
    if parts > MOST_PARTS {
        level.hand_back(motion.set, HandBack::Stiffness);
        return Ok(());
    }
    let longest = motion.h / parts;
    let mut part = longest;
    let mut happened = 0;
    while motion.h - motion.time > TIME_ROUND_OFF * motion.h {
        let mut event = MotionEnd::Impact;
        if !choose_persistent(level, events, system, motion, part) {
            let (time, end) = move_on(level, events, system, motion, part.min(motion.h - motion.time))?;
            if level.is_too_long(system, motion, time) && part > SHORTEST * motion.h {
                part *= 0.5;
                continue;
            }
            if level.lost[motion.set].is_some() {
                return Ok(());
            }
            events.take_state(level);
            level.take_motion(system.data, motion.h);
            motion.time += time;
            event = end;
        }
        if event == MotionEnd::Time {
            continue;
        }
        part = longest;
        happened += 1;
        if happened > MAX_EVENTS {
            level.hand_back(motion.set, HandBack::EventSeries);
            return Ok(());
        }
        if event == MotionEnd::Impact {
            solve_impact(level, events, system, problem, motion)?;
        }
    }
    Ok(())
}

/// Chooses the contacts that persist, and those to watch for a part of the step. Returns whether others hit now.
pub(super) fn choose_persistent(
    level: &mut AccelerationLevel,
    events: &Events,
    system: &mut System<'_>,
    motion: SetMotion,
    part: f64,
) -> bool {
    let model = system.model;
    level.move_to(model, system.data, &events.q, &events.v, 0.0);
    level.look_ahead(system, motion, part);
    level.find(model, system.data, &system.state.mocap, motion.time);
    level.contacts.clear();
    let mut due = false;
    for i in 0..level.finder.contacts.len() {
        let contact = level.finder.contacts[i];
        let Some(tree) = level.tree_in(model, &contact, motion.set) else { continue };
        let velocity = present_velocity(system.data, &contact);
        if contact.gap > PERSISTING || velocity.x > RESTING {
            continue;
        }
        if velocity.x < -RESTING {
            due |= contact.gap <= kind::TOUCHING;
            continue;
        }
        let law = level.law(&contact);
        level.contacts.push(Persistent::new(Contact { law, ..contact }, tree, velocity));
    }
    due
}

/// What ends a smooth motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MotionEnd {
    Time,
    Impact,
    Reversal,
}

/// Moves for a time, or to the first event in it. Returns how long (s), and what is there.
pub(super) fn move_on(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    motion: SetMotion,
    time: f64,
) -> Result<(f64, MotionEnd), AlgorithmError> {
    if !level.contacts.is_empty() {
        for &tree in &events.trees {
            dynamics::factorize_by_size(system.model, system.data, tree, &level.zeros)?;
        }
        level.stop_approach(system.model, system.data, motion.h, &mut events.v);
    }
    level.remember_momenta(system);
    let gap = gap_after(level, events, system, motion, time)?;
    let (mut time, mut end) = (time, MotionEnd::Time);
    if gap < -ROUND_OFF && level.lost[motion.set].is_none() {
        (time, end) = (find_impact(level, events, system, motion, (time, gap))?, MotionEnd::Impact);
    }
    if let Some(earlier) = find_reversal(level, events, system, motion, time)? {
        (time, end) = (earlier, MotionEnd::Reversal);
    }
    Ok((time, end))
}

impl AccelerationLevel {
    /// Watches the contacts of a set that may close in a part of the step (s).
    fn look_ahead(&mut self, system: &System<'_>, motion: SetMotion, part: f64) {
        let (model, data) = (system.model, &*system.data);
        self.set_stage_time(&system.state.mocap, motion.time);
        self.finder.find(model, data, &self.stage.mocap, part, &[]);
        let mut passage = std::mem::take(&mut self.passage);
        let in_set = |contact: &Contact| self.tree_in(model, contact, motion.set).is_some();
        passage.begin(model, data, &self.stage.mocap, &self.finder, in_set);
        self.passage = passage;
    }

    /// Whether a motion of the set was too long for its rule, or to tell whether anything was passed, or for its contacts to be found
    /// again. The set is lost then, unless a shorter one is tried.
    fn is_too_long(&mut self, system: &System<'_>, motion: SetMotion, time: f64) -> bool {
        let (model, data) = (system.model, &*system.data);
        if self.lost[motion.set].is_none() {
            let of_set = |tree: TreeId| self.set[tree.index()] == motion.set;
            let passes = self.crossed(model, data, time).next().is_some()
                || self.passage.outrun(model, data).any(of_set);
            self.lost[motion.set] = match passes {
                true => Some(HandBack::Passage),
                false => self.is_inaccurate(data).then_some(HandBack::Drift),
            };
        }
        let reason = self.lost[motion.set];
        reason.is_some_and(|why| matches!(why, HandBack::Passage | HandBack::Drift | HandBack::LostContact))
    }

    /// A tree that a contact touches if all that it touches are in the set.
    pub(super) fn tree_in(&self, model: &Model, contact: &Contact, set: usize) -> Option<TreeId> {
        let mut trees = contact.links.into_iter().flatten().map(|link| model.links[link].tree);
        let first = trees.next()?;
        (self.set[first.index()] == set && trees.all(|tree| self.set[tree.index()] == set)).then_some(first)
    }

    /// Whether a persistent contact overlaps at the end of a smooth motion, or one that presses approaches or parts there:
    /// then the motion was too long for its rule.
    pub(super) fn is_inaccurate(&self, data: &Data) -> bool {
        self.rows.blocks.iter().any(|block| {
            let Some(persistent) = block.contact.map(|i| &self.contacts[i]) else { return false };
            let Some(contact) = find_contact(&self.finder.contacts, &persistent.contact.key) else {
                return true;
            };
            let still = present_velocity(data, contact).x.abs() <= RESTING && contact.gap.abs() <= PERSISTING;
            contact.gap < -PERSISTING || self.rows.impulse[block.row] > 0.0 && !still
        })
    }

    /// Whether a contact is one of those that persist.
    pub(super) fn persists(&self, contact: &Contact) -> bool {
        self.contacts.binary_search_by_key(&contact.key, |p| p.contact.key).is_ok()
    }
}
