//! Contacts as a kind of constraint: those that were found at the present poses, touching and predicted.

use super::kind::{Constraint, Level, Present, TOUCHING};
use super::position_error::PositionError;
use super::rows::Rows;
use crate::contact::detection::ContactFinder;
use crate::contact::{Contact, GapRule};
use crate::dynamics::{Data, point_velocity};
use crate::model::{Model, TreeId};
use nalgebra::Vector3;

/// The contacts found last.
#[derive(Debug)]
pub(crate) struct Contacts {
    pub(crate) finder: ContactFinder,
}

impl Constraint for Contacts {
    const CODE: u32 = 0;
    const CONTACTS: bool = true;

    fn new(model: &Model) -> Self {
        Self { finder: ContactFinder::new(model, None, model.timestep) }
    }

    fn count(&self, _model: &Model) -> usize {
        self.finder.contacts.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        let [a, b] = self.finder.contacts[index].geoms.map(|geom| model.geoms[geom].name.as_str());
        format!("geoms '{a}' and '{b}'")
    }

    fn supports(&self, _level: Level<'_>) -> bool {
        true
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        let links = self.finder.contacts[index].links.into_iter().flatten();
        links.map(|link| model.links[link].tree)
    }

    fn may_act(&self, _at: &Present<'_>, _index: usize) -> bool {
        true
    }

    fn gaps<'a>(
        &'a self,
        at: &Present<'a>,
        index: usize,
        v: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let contact = &self.finder.contacts[index];
        std::iter::once((contact.gap, relative_velocity(at.model, at.data, contact, v).x))
    }

    /// At displacements the normal row of every contact, with as much of an overlap as is to be removed; at velocities all rows, with the gap as the formulation asks. Rows
    /// at accelerations need the rate of the contact's own velocity, which the acceleration stepper finds
    /// ([`Rows::push_contact_accelerations`]).
    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let contact = &self.finder.contacts[index];
        match level {
            Level::Displacement { farthest, .. } => {
                rows.push_separation(at.model, at.data, index, contact, contact.gap.max(-farthest));
            }
            Level::Velocity(ahead) => {
                let bias = match ahead.gap_rule {
                    // Round-off of a touching gap would be divided by h: it stays out of the velocity problem.
                    _ if contact.gap <= TOUCHING => 0.0,
                    _ if ahead.h == 0.0 => return,
                    // What bounces must not overlap first, whatever the rule.
                    GapRule::AnitescuPotra if contact.restitution == 0.0 => return,
                    GapRule::StewartTrinkle | GapRule::AnitescuPotra => contact.gap / ahead.h,
                };
                rows.push_contact(at.model, at.data, index, contact, bias);
                rows.rebound(contact.restitution);
            }
            Level::Acceleration => {}
        }
    }

    fn position_error(&self, _at: &Present<'_>, index: usize) -> PositionError {
        PositionError::of_length((-self.finder.contacts[index].gap).max(0.0))
    }
}

/// Velocity of the second body against the first at a contact, in its frame (m/s), at generalized velocities `v`.
pub(crate) fn relative_velocity(model: &Model, data: &Data, contact: &Contact, v: &[f64]) -> Vector3<f64> {
    contact.drift + relative_displacement(model, data, contact, v)
}

/// The same of displacements `d`, to which nothing that moves by itself adds (m).
pub(crate) fn relative_displacement(
    model: &Model,
    data: &Data,
    contact: &Contact,
    d: &[f64],
) -> Vector3<f64> {
    let mut relative = Vector3::zeros();
    for (link, sign) in contact.links.iter().zip([-1.0, 1.0]) {
        if let Some(link) = *link {
            relative += sign * point_velocity(model, data, link, &contact.point, d);
        }
    }
    contact.frame.tr_mul(&relative)
}

/// The trees that a contact is between; none where a body does not move freely.
pub(crate) fn trees_of(model: &Model, contact: &Contact) -> [Option<TreeId>; 2] {
    contact.links.map(|link| link.map(|link| model.links[link].tree))
}

/// The same at the velocities of the links in `data`, without a walk to the roots of the trees.
pub(crate) fn present_velocity(data: &Data, contact: &Contact) -> Vector3<f64> {
    let mut velocity = Vector3::zeros();
    for (link, sign) in contact.links.iter().zip([-1.0, 1.0]) {
        if let Some(link) = *link {
            let arm = contact.point - data.link_pose[link.index()].translation;
            velocity += sign * data.link_velocity[link.index()].at(&arm).linear;
        }
    }
    contact.frame.tr_mul(&velocity) + contact.drift
}
