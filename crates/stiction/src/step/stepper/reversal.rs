//! The next reversal of sliding: where a contact that slides with dry friction comes to rest along its way, or turns back.
//!
//! # Method
//! The law of sliding friction has a jump there, which no rule of higher order survives. So the motion up to it is one in which the
//! contact goes on to be rubbed against the way on which it began ([`sliding_velocity`]), which is smooth; the reversal is the root of the
//! speed along that way. The next motion begins there, with the contact at rest: it sticks or slides as the forces decide.
//!
//! Viscous friction beside the dry one needs the velocity itself; such contacts are handed back.

use super::event_driven::{Events, SetMotion};
use super::impact::gap_after;
use super::root::find_root;
use crate::constraint::contact::present_velocity;
use crate::contact::{Contact, ContactForces, find_contact};
use crate::dynamics::{AlgorithmError, Data};
use crate::step::stepper::acceleration::{AccelerationLevel, Persistent};
use crate::step::system::System;
use nalgebra::Vector3;

/// Speed (m/s) at which a contact has come to rest: far below that from which on contacts slide.
const RESTS: f64 = 1e-3 * ContactForces::SLIDING;

/// Speed of a contact, where it is now with this velocity, along the way on which it slid at the beginning of the motion, if it slid by
/// dry friction alone (m/s).
pub(crate) fn speed_along(persistent: &Persistent, now: &Contact, velocity: &Vector3<f64>) -> Option<f64> {
    let (law, slip) = (persistent.contact.law, persistent.slip);
    let slides = law.mu() > 0.0 && law.viscosity() == 0.0 && slip.norm() > ContactForces::SLIDING;
    let sliding = now.frame * Vector3::new(0.0, velocity.y, velocity.z);
    slides.then(|| sliding.dot(&slip) / slip.norm())
}

/// The velocity by which a contact is rubbed in a stage (m/s, in its frame): its own, or just along its way if it is at the end of it.
pub(crate) fn sliding_velocity(persistent: &Persistent, now: &Contact) -> Vector3<f64> {
    let velocity = &persistent.velocity;
    let least = 2.0 * ContactForces::SLIDING;
    match speed_along(persistent, now, velocity) {
        Some(speed) if speed < least => {
            let way = now.frame.tr_mul(&persistent.slip);
            let way = Vector3::new(0.0, way.y, way.z);
            Vector3::new(velocity.x, 0.0, 0.0) + way * (least / way.norm())
        }
        _ => *velocity,
    }
}

/// Least speed of the set's sliding contacts along their ways, at the end of the motion, where `data` and the finder have them.
fn least_speed(level: &AccelerationLevel, data: &Data) -> f64 {
    let found = &level.finder.contacts;
    let speeds = level.contacts.iter().filter_map(|persistent| {
        let now = find_contact(found, &persistent.contact.key)?;
        speed_along(persistent, now, &present_velocity(data, now))
    });
    speeds.fold(f64::INFINITY, f64::min)
}

/// Moves to the first reversal in a motion of this duration (s) that has been tried, if there is one; returns when that is.
pub(super) fn find_reversal(
    level: &mut AccelerationLevel,
    events: &Events,
    system: &mut System<'_>,
    motion: SetMotion,
    duration: f64,
) -> Result<Option<f64>, AlgorithmError> {
    let last = least_speed(level, system.data);
    if level.lost[motion.set].is_some() || last >= -RESTS {
        return Ok(None);
    }
    let slips = level.contacts.iter().map(|p| p.slip.norm()).filter(|slip| *slip > ContactForces::SLIDING);
    let first = slips.fold(f64::INFINITY, f64::min);
    let shortest = f64::EPSILON * motion.h;
    find_root((0.0, first), (duration, last), RESTS, shortest, |time| {
        gap_after(level, events, system, motion, time)?;
        Ok(least_speed(level, system.data))
    })
    .map(Some)
}
