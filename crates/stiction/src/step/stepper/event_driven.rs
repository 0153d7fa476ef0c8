//! Impacts at their time: smooth motion up to the first impact, the impact, and on with the rest of the step.
//!
//! # Method
//! Each set of trees that may touch within the step, also by way of others that they hit, has its own sequence of events.
//! 1. *Persistent* contacts touch and neither approach nor part. The set moves by the classic Runge-Kutta rule with the forces
//!    of its persistent contacts ([`crate::step::stepper::acceleration`]), in free flight if there are none, by an eighth of the step
//!    at a time. Where a contact that presses has moved along its normal by then, the part is halved.
//! 2. Where another contact overlaps at the end of such a part, the time at which the least gap is zero is found to rounding,
//!    by the Illinois variant of false position. The state within a part is that of a shorter Runge-Kutta step from
//!    its beginning, which is as smooth as a dense output and needs no interpolation.
//! 3. All contacts with a gap of at most [`kind::TOUCHING`] are solved as one impact, which starts from the velocities before
//!    (no force acts in no time) and obeys the laws of [`crate::contact::Impacts`]. Viscous friction has no impulse.
//! 4. *Resting rule*: what approaches no faster than the applied forces bring about in `1/64` of the step does not bounce,
//!    nor does anything after 64 impacts of one set in one step. So a series of ever lower bounces ends, and what has
//!    come to rest is a persistent contact.
//!
//! A set for which there are no forces (counted as `inconsistent`), in which sliding reverses or a persistent contact is lost, or whose impacts do not end,
//! is handed back to time stepping for the whole step.
//!
//! What is thinner than the way that it is passed by in an eighth of the step may be passed through.
//!
//! # References
//! - F. Pfeiffer, C. Glocker, *Multibody dynamics with unilateral contacts* (1996), chapter 8: event-driven integration.
//! - M. Dowell, P. Jarratt, *A modified regula falsi method for computing the root of an equation*, BIT 11 (1971).

use crate::constraint::islands::RowProblem;
use crate::constraint::kind;
use crate::constraint::rows::RowKind;
use crate::contact::{BlockKind, Contact, IslandReport, Memory};
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Law, Model, TreeId};
use crate::report::certificate::BlockOutcome;
use crate::step::applied_forces::Commands;
use crate::step::contact_problem::ContactProblem;
use crate::step::stepper::acceleration::{
    AccelerationLevel, Moment, PERSISTING, Persistent, RESTING, relative_velocity,
};
use crate::step::system::System;

/// Parts of a step that are smooth motions, unless an impact ends them before.
const PARTS: f64 = 8.0;

/// Smooth motions are halved down to this part of a step where contacts ask for it.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Part of a step that is left by rounding.
const TIME_ROUND_OFF: f64 = 1e-14;

/// What forces bring about in this part of a step does not bounce.
const REST: f64 = 1.0 / 64.0;

/// Impacts of a set in a step after which nothing bounces any more, and after which time stepping takes over.
const MAX_BOUNCES: usize = 64;
pub(crate) const MAX_IMPACTS: usize = 2 * MAX_BOUNCES;

/// Gap (m) or normal speed (m/s) that is round-off.
const ROUND_OFF: f64 = 1e-12;

/// A root is found when the gap is this (m): round-off of positions of a few metres.
const CLOSED: f64 = 1e-14;

/// A gap for what is farther than contacts are looked for (m).
const FAR: f64 = 1e-3;

/// Trials for a root; after half of them the bracket is halved.
const MAX_TRIALS: usize = 100;

/// The workspace besides that of the acceleration level.
#[derive(Debug)]
pub(crate) struct Events {
    /// The state from which the set moves on.
    q: Vec<f64>,
    v: Vec<f64>,
    /// The trees of the set at work.
    trees: Vec<TreeId>,
    /// Velocity after a part of the step without impact; row velocities before an impact and with that.
    pulled: Vec<f64>,
    before: Vec<f64>,
    rates: Vec<f64>,
    free: Vec<f64>,
    memory: Vec<Memory>,
    /// Solved islands of all sets, each with a tree.
    reports: Vec<(TreeId, IslandReport)>,
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
struct SetMotion {
    set: usize,
    /// Time step (s), and the time since its beginning.
    h: f64,
    time: f64,
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
    events.reports.reserve(MAX_IMPACTS);
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
fn follow_set(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    problem: &mut ContactProblem,
    mut motion: SetMotion,
) -> Result<(), AlgorithmError> {
    let mut part = motion.h / PARTS;
    let mut impacts = 0;
    while motion.h - motion.time > TIME_ROUND_OFF * motion.h {
        if !choose_persistent(level, events, system, motion) {
            let (time, hits) = move_on(level, events, system, motion, part.min(motion.h - motion.time))?;
            if !level.lost[motion.set] && level.is_inaccurate(system.data) {
                part *= 0.5;
                level.lost[motion.set] = part < SHORTEST * motion.h;
                if !level.lost[motion.set] {
                    continue;
                }
            }
            if level.lost[motion.set] {
                return Ok(());
            }
            events.take_state(level);
            level.take_motion(system.data, motion.h);
            motion.time += time;
            if !hits {
                continue;
            }
        }
        impacts += 1;
        if impacts > MAX_IMPACTS {
            level.lost[motion.set] = true;
            return Ok(());
        }
        solve_impact(level, events, system, problem, motion, impacts <= MAX_BOUNCES)?;
    }
    Ok(())
}

/// Chooses the contacts that persist. Returns whether others hit now.
fn choose_persistent(
    level: &mut AccelerationLevel,
    events: &Events,
    system: &mut System<'_>,
    motion: SetMotion,
) -> bool {
    let model = system.model;
    level.move_to(model, system.data, &events.q, &events.v, 0.0);
    level.find(model, system.data, &system.state.mocap, motion.time);
    level.contacts.clear();
    let mut due = false;
    for i in 0..level.finder.contacts.len() {
        let contact = level.finder.contacts[i];
        let Some(tree) = level.tree_in(model, &contact, motion.set) else { continue };
        let velocity = relative_velocity(system.data, &contact);
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

/// Moves for a time, or to the first impact in it. Returns how long (s), and whether there is an impact.
fn move_on(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    motion: SetMotion,
    time: f64,
) -> Result<(f64, bool), AlgorithmError> {
    if !level.contacts.is_empty() {
        for &tree in &events.trees {
            dynamics::factorize_by_size(system.model, system.data, tree, &level.zeros)?;
        }
        level.stop_approach(system.model, system.data, motion.h, &mut events.v);
    }
    let gap = gap_after(level, events, system, motion, time)?;
    if gap >= -ROUND_OFF {
        return Ok((time, false));
    }
    Ok((find_impact(level, events, system, motion, (time, gap))?, true))
}

/// Moves to the first time at which a contact closes; `high` is a time at which one overlaps, and its gap.
fn find_impact(
    level: &mut AccelerationLevel,
    events: &Events,
    system: &mut System<'_>,
    motion: SetMotion,
    mut high: (f64, f64),
) -> Result<f64, AlgorithmError> {
    let mut low = (0.0, 0.0);
    let shortest = f64::EPSILON * motion.h;
    // Contacts that have just bounced start with no gap: the bracket begins where they have one.
    while low.1 <= 0.0 && high.0 - low.0 > shortest {
        let time = 0.5 * (low.0 + high.0);
        let gap = gap_after(level, events, system, motion, time)?;
        if gap > 0.0 { low = (time, gap) } else { high = (time, gap) }
    }
    let mut opened = None;
    let mut time = high.0;
    for trial in 0..MAX_TRIALS {
        let middle = 0.5 * (low.0 + high.0);
        let chord = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let inside = chord > low.0 && chord < high.0;
        time = if inside && 2 * trial < MAX_TRIALS { chord } else { middle };
        let gap = gap_after(level, events, system, motion, time)?;
        if gap.abs() <= CLOSED || high.0 - low.0 <= shortest {
            break;
        }
        let opens = gap > 0.0;
        if opens {
            low = (time, gap);
            high.1 *= if opened == Some(true) { 0.5 } else { 1.0 };
        } else {
            high = (time, gap);
            low.1 *= if opened == Some(false) { 0.5 } else { 1.0 };
        }
        opened = Some(opens);
    }
    Ok(time)
}

/// Moves the set for a time, in the workspace. Returns the least gap of the contacts that do not persist; those that
/// part count as open.
fn gap_after(
    level: &mut AccelerationLevel,
    events: &Events,
    system: &mut System<'_>,
    motion: SetMotion,
    duration: f64,
) -> Result<f64, AlgorithmError> {
    let System { model, forces, state, data, closures, constraints, .. } = system;
    let model = *model;
    level.lost[motion.set] = false;
    level.inconsistent[motion.set] = false;
    let (mut q, mut v) = (std::mem::take(&mut level.q), std::mem::take(&mut level.v));
    q.copy_from_slice(&events.q);
    v.copy_from_slice(&events.v);
    let commands = Commands::new(state, &closures.loops, constraints);
    let moved = dynamics::coupled_runge_kutta_step(
        model,
        data,
        &events.trees,
        duration,
        &mut q,
        &mut v,
        &mut |data, stage, q, v, out| {
            let now = Moment { begin: motion.time, duration, stage, timestep: motion.h };
            level.accelerate(model, data, forces, &commands, &state.mocap, now, q, v, out)
        },
    );
    level.move_to(model, data, &q, &v, 0.0);
    (level.q, level.v) = (q, v);
    moved?;
    level.find(model, data, &state.mocap, motion.time + duration);
    let mut least = f64::INFINITY;
    for contact in &level.finder.contacts {
        if level.tree_in(model, contact, motion.set).is_none() || level.persists(contact) {
            continue;
        }
        // In deep overlap the normal may point anywhere.
        let closes = relative_velocity(data, contact).x < 0.0 || contact.gap < -PERSISTING;
        least = least.min(if closes { contact.gap } else { contact.gap.abs().max(ROUND_OFF) });
    }
    Ok(least.min(FAR))
}

/// Solves the impact of all contacts that touch; needs kinematics and contacts there.
fn solve_impact(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    problem: &mut ContactProblem,
    motion: SetMotion,
    may_bounce: bool,
) -> Result<(), AlgorithmError> {
    let model = system.model;
    let ContactProblem { rows, islands, solver, .. } = problem;
    rows.clear();
    for (i, contact) in level.finder.contacts.iter().enumerate() {
        if contact.gap > kind::TOUCHING || level.tree_in(model, contact, motion.set).is_none() {
            continue;
        }
        let contact = &Contact { law: at_once(level.law(contact)), ..*contact };
        rows.push_contact(model, system.data, i, contact, 0.0);
        let bounces = may_bounce && !level.persists(contact);
        rows.rebound(if bounces { contact.restitution } else { 0.0 });
    }
    find_pulled_velocity(level, events, system, REST * motion.h)?;
    rows.sort();
    rows.half_solve(model, system.data);
    rows.velocities(model, &events.v, &mut events.before);
    rows.velocities(model, &events.pulled, &mut events.rates);
    for block in &mut rows.blocks {
        let (before, later) = (events.before[block.row], events.rates[block.row]);
        if -before <= (later - before).abs() + ROUND_OFF {
            block.restitution = 0.0;
        }
    }
    islands.partition.group(model, rows);
    events.free.clone_from(&events.before);
    events.memory.clear();
    events.memory.resize(rows.blocks.len(), Memory::default());
    let Events { free, before, memory, reports, .. } = events;
    // In no time: viscous friction, which the contact model may add, has no impulse.
    let mut impact = RowProblem { model, rows, free, before, memory, timestep: 0.0 };
    for island in 0..islands.partition.count() {
        let solved = islands.solve(island, &mut impact, solver.as_mut());
        if let (Some(solved), Some(tree)) = (solved, islands.tree(island, impact.rows)) {
            reports.push((tree, solved));
        }
    }
    impact.rows.apply_impulses(model, system.data, &mut level.scratch, &mut events.v);
    note_impulses(level, events, model, problem, motion);
    Ok(())
}

/// The velocity to which the applied forces alone would bring the set in a time (s); needs kinematics. Writes factors.
fn find_pulled_velocity(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    time: f64,
) -> Result<(), AlgorithmError> {
    let System { model, forces, state, data, closures, constraints, .. } = system;
    let model = *model;
    let commands = Commands::new(state, &closures.loops, constraints);
    for &tree in &events.trees {
        forces.smooth_forces(model, data, tree, &commands, &events.q, &events.v, &mut level.tau);
        dynamics::factorize_by_size(model, data, tree, &level.zeros)?;
        dynamics::bias_forces(model, data, tree, &mut level.bias);
        for k in model.trees[tree].dofs.clone() {
            events.pulled[k] = time * (level.tau[k] - level.bias[k]);
        }
        dynamics::solve(model, data, tree, &mut events.pulled);
        for k in model.trees[tree].dofs.clone() {
            events.pulled[k] += events.v[k];
        }
    }
    Ok(())
}

/// Adds the impulses of an impact to what the contacts carry in this step, and judges them.
fn note_impulses(
    level: &mut AccelerationLevel,
    events: &mut Events,
    model: &Model,
    problem: &ContactProblem,
    motion: SetMotion,
) {
    let rows = &problem.rows;
    rows.velocities(model, &events.v, &mut events.rates);
    for block in &rows.blocks {
        let (RowKind::Unilateral(kind), Some(i)) = (block.kind, block.contact) else { continue };
        let BlockKind::Contact { law, .. } = kind else { continue };
        let contact = Contact { law, ..level.finder.contacts[i] };
        let outcome = BlockOutcome::of(block, kind, &rows.impulse, &events.rates, [&events.before; 2]);
        level.carried.add_impact(motion.set, contact, &outcome, motion.h);
    }
}

/// What is left of a law in an impact, which takes no time: viscous friction has no impulse.
fn at_once(law: Law) -> Law {
    match law {
        Law::Viscous { .. } => Law::Frictionless,
        Law::CoulombViscous { mu, .. } => Law::Coulomb { mu },
        law => law,
    }
}

impl AccelerationLevel {
    /// A tree that a contact touches if all that it touches are in the set.
    fn tree_in(&self, model: &Model, contact: &Contact, set: usize) -> Option<TreeId> {
        let mut trees = contact.links.into_iter().flatten().map(|link| model.links[link].tree);
        let first = trees.next()?;
        (self.set[first.index()] == set && trees.all(|tree| self.set[tree.index()] == set)).then_some(first)
    }

    /// Whether a persistent contact overlaps at the end of a smooth motion, or one that presses approaches or parts there:
    /// then the motion was too long for its rule.
    fn is_inaccurate(&self, data: &Data) -> bool {
        self.rows.blocks.iter().any(|block| {
            let Some(persistent) = block.contact.map(|i| &self.contacts[i]) else { return false };
            let Ok(place) =
                self.finder.contacts.binary_search_by_key(&persistent.contact.key, |contact| contact.key)
            else {
                return true;
            };
            let contact = &self.finder.contacts[place];
            let still =
                relative_velocity(data, contact).x.abs() <= RESTING && contact.gap.abs() <= PERSISTING;
            contact.gap < -PERSISTING || self.rows.impulse[block.row] > 0.0 && !still
        })
    }

    /// Whether a contact is one of those that persist.
    fn persists(&self, contact: &Contact) -> bool {
        self.contacts.binary_search_by_key(&contact.key, |p| p.contact.key).is_ok()
    }
}
