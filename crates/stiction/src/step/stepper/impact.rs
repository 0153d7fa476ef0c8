//! The next impact of a motion, found as a root of the gaps, and its impulses.

use super::event_driven::{CLOSED, Events, FAR, REST, ROUND_OFF, SetMotion};
use super::root::find_root;
use crate::constraint::contact::present_velocity;
use crate::constraint::islands::RowProblem;
use crate::constraint::kind;
use crate::constraint::rows::RowKind;
use crate::contact::{BlockKind, Contact, Memory};
use crate::dynamics;
use crate::dynamics::AlgorithmError;
use crate::model::{Law, Model};
use crate::report::certificate::BlockOutcome;
use crate::step::applied_forces::Commands;
use crate::step::contact_problem::ContactProblem;
use crate::step::stepper::acceleration::{AccelerationLevel, PERSISTING, Span};
use crate::step::system::System;

/// Moves to the first time at which a contact closes; `high` is a time at which one overlaps, and its gap.
pub(super) fn find_impact(
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
    let value = |time| gap_after(level, events, system, motion, time);
    find_root(low, high, CLOSED, shortest, value)
}

/// Moves the set for a time, in the workspace. Returns the least gap of the contacts that do not persist; those that
/// part count as open.
pub(super) fn gap_after(
    level: &mut AccelerationLevel,
    events: &Events,
    system: &mut System<'_>,
    motion: SetMotion,
    duration: f64,
) -> Result<f64, AlgorithmError> {
    level.lost[motion.set] = None;
    level.q.copy_from_slice(&events.q);
    level.v.copy_from_slice(&events.v);
    level.move_smoothly(system, &events.trees, Span { begin: motion.time, duration })?;
    let (model, data) = (system.model, &*system.data);
    level.find(model, data, &system.state.mocap, motion.time + duration);
    let mut least = f64::INFINITY;
    for contact in &level.finder.contacts {
        if level.tree_in(model, contact, motion.set).is_none() || level.persists(contact) {
            continue;
        }
        // In deep overlap the normal may point anywhere.
        let closes = present_velocity(data, contact).x < 0.0 || contact.gap < -PERSISTING;
        least = least.min(if closes { contact.gap } else { contact.gap.abs().max(ROUND_OFF) });
    }
    Ok(least.min(FAR))
}

/// Solves the impact of all contacts that touch; needs kinematics and contacts there.
pub(super) fn solve_impact(
    level: &mut AccelerationLevel,
    events: &mut Events,
    system: &mut System<'_>,
    problem: &mut ContactProblem,
    motion: SetMotion,
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
        rows.rebound(if level.persists(contact) { 0.0 } else { contact.restitution });
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
    let mut impact = RowProblem { model, rows, free, before, memory, timestep: 0.0, slack: &[] };
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

/// Adds the impulses of an impact to what the contacts carry in this step, and measures their violations.
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
        let outcome = BlockOutcome::of(block, kind, &rows.impulse, [&events.rates; 2], [&events.before; 2]);
        level.carried.add_impact(motion.set, contact, &outcome, motion.h);
    }
}

/// What is left of a law in an impact, which takes no time: viscous friction has no impulse.
pub(super) fn at_once(law: Law) -> Law {
    match law {
        Law::Viscous { .. } => Law::Frictionless,
        Law::CoulombViscous { mu, .. } => Law::Coulomb { mu },
        law => law,
    }
}
