//! Step 1, and the contacts of a stage: which they are, where they are, how they move, and whether they are still what they were.
//!
//! The rate `dN/dt v` of a contact's velocity at zero generalized acceleration is the difference of `N v` along the velocity, which
//! also holds for curved surfaces.

use super::{AccelerationLevel, PERSISTING, Persistent, RESTING};
use crate::constraint::contact::present_velocity;
use crate::contact::{Contact, ContactForces, find_contact};
use crate::dynamics;
use crate::dynamics::Data;
use crate::model::{Mocap, Model, TreeId};
use crate::report::HandBack;
use nalgebra::Vector3;

/// Length (m or rad) of the difference along the velocity; its own error and that of round-off are both about 1e-11.
const DIFFERENCE: f64 = 1e-5;

impl AccelerationLevel {
    /// Step 1; marks the sets that do not qualify.
    pub(super) fn choose_contacts(
        &mut self,
        model: &Model,
        data: &Data,
        contacts: &[Contact],
        contact_rule: &[bool],
    ) {
        self.contacts.clear();
        for contact in contacts {
            let Some(tree) = moving_tree(model, contact).filter(|tree| contact_rule[tree.index()]) else {
                continue;
            };
            let velocity = present_velocity(data, contact);
            let law = self.law(contact);
            if contact.gap > PERSISTING || velocity.x > RESTING {
                continue;
            }
            if velocity.x < -RESTING && law.mu() > 0.0 {
                self.hand_back(self.set[tree.index()], HandBack::FrictionalImpact);
            }
            self.contacts.push(Persistent::new(Contact { law, ..*contact }, tree, velocity));
        }
    }

    /// Puts prescribed bodies where they are at a time after the beginning.
    pub(crate) fn set_stage_time(&mut self, start: &[Mocap], time: f64) {
        self.stage.mocap.copy_from_slice(start);
        self.stage.mocap.iter_mut().for_each(|mocap| mocap.advance(time));
    }

    /// Finds all contacts where `data` has the bodies now, at a time after the beginning.
    pub(crate) fn find(&mut self, model: &Model, data: &Data, start: &[Mocap], time: f64) {
        self.set_stage_time(start, time);
        self.finder.find(model, data, &self.stage.mocap, 0.0, &[]);
    }

    /// Finds the step's contacts again where `data` has the bodies now, at a time after the beginning, and hands each
    /// with its velocity to `see`.
    pub(super) fn find_again(
        &mut self,
        model: &Model,
        data: &Data,
        start: &[Mocap],
        time: f64,
        mut see: impl FnMut(&mut Persistent, Option<(Contact, Vector3<f64>)>),
    ) {
        self.find(model, data, start, time);
        let found = &self.finder.contacts;
        for persistent in &mut self.contacts {
            let Contact { key, law, .. } = persistent.contact;
            let now = find_contact(found, &key);
            see(persistent, now.map(|now| (Contact { law, ..*now }, present_velocity(data, now))));
        }
    }

    /// The contacts of a stage with velocities and rates; `data` ends with the kinematics at `(q, v)`.
    pub(super) fn locate_stage(
        &mut self,
        model: &Model,
        data: &mut Data,
        start: &[Mocap],
        time: f64,
        q: &[f64],
        v: &[f64],
    ) {
        if self.contacts.is_empty() {
            return;
        }
        // Of the trees that are moved: the others' numbers are those of some earlier stage.
        let moved = self.trees.iter().flat_map(|&tree| &v[model.trees[tree].dofs.clone()]);
        let fastest = moved.fold(1.0, |fastest: f64, v| fastest.max(v.abs()));
        let step = DIFFERENCE / fastest;
        for shift in [-step, step] {
            self.move_to(model, data, q, v, shift);
            self.find_again(model, data, start, time + shift, |persistent, seen| match seen {
                Some((_, velocity)) if shift < 0.0 => persistent.rate = -velocity,
                Some((_, velocity)) => persistent.rate += velocity,
                None => persistent.rate.fill(f64::NAN),
            });
        }
        self.move_to(model, data, q, v, 0.0);
        self.find_again(model, data, start, time, |persistent, seen| {
            persistent.rate /= 2.0 * step;
            persistent.now = seen.filter(|_| persistent.rate.iter().all(|r| r.is_finite())).map(|(c, _)| c);
            persistent.velocity = seen.map_or(Vector3::zeros(), |(_, velocity)| velocity);
        });
        self.check_lost_contacts();
    }

    /// Kinematics of all trees at `(q, v)` moved on by `shift` seconds at the velocity `v`.
    pub(crate) fn move_to(&mut self, model: &Model, data: &mut Data, q: &[f64], v: &[f64], shift: f64) {
        for &tree in &self.trees {
            let coords = model.trees[tree].coords.clone();
            self.shifted[coords.clone()].copy_from_slice(&q[coords]);
            if shift != 0.0 {
                dynamics::integrate(model, tree, q, v, shift, &mut self.shifted);
            }
            dynamics::forward_kinematics(model, data, tree, &self.shifted, v);
        }
    }

    /// Gives up the sets with a contact that was lost or whose sliding has reversed.
    pub(super) fn check_lost_contacts(&mut self) {
        for i in 0..self.contacts.len() {
            let persistent = &self.contacts[i];
            let law = persistent.contact.law;
            // What is followed to its end is an event and no reason.
            let reversed = law.mu() > 0.0
                && (!self.by_events || law.viscosity() > 0.0)
                && persistent.slip.norm() > ContactForces::SLIDING
                && persistent.now.is_some_and(|now| {
                    let sliding = Vector3::new(0.0, persistent.velocity.y, persistent.velocity.z);
                    (now.frame * sliding).dot(&persistent.slip) <= 0.0
                });
            let set = self.set[persistent.tree.index()];
            if persistent.now.is_none() {
                self.hand_back(set, HandBack::LostContact);
            } else if reversed {
                self.hand_back(set, HandBack::SlipReversal);
            }
        }
    }

    /// Contacts that may have been crossed in a motion of `h` seconds, where `data` and the finder are at its end; those that persist are
    /// looked at apart.
    pub(crate) fn crossed<'a>(
        &'a self,
        model: &'a Model,
        data: &'a Data,
        h: f64,
    ) -> impl Iterator<Item = &'a Contact> {
        let crossed = self.passage.crossed(model, data, &self.stage.mocap, &self.finder.contacts, h);
        crossed.filter(|contact| !self.persists(contact))
    }

    /// Step 4, at the end: whether a contact that is not one of the step's has closed.
    pub(super) fn check_new_contacts(&mut self, model: &Model, data: &Data, h: f64) {
        for contact in &self.finder.contacts {
            let Some(tree) = moving_tree(model, contact) else { continue };
            let known = self.contacts.binary_search_by_key(&contact.key, |p| p.contact.key).is_ok();
            if contact.gap < -PERSISTING && !known {
                self.lost[self.set[tree.index()]].get_or_insert(HandBack::NewContact);
            }
        }
        let mut lost = std::mem::take(&mut self.lost);
        for contact in self.crossed(model, data, h) {
            let trees = contact.links.into_iter().flatten().map(|link| model.links[link].tree);
            for set in trees.map(|tree| self.set[tree.index()]) {
                lost[set] = lost[set].or(Some(HandBack::NewContact));
            }
        }
        self.lost = lost;
    }
}

/// A tree that a contact touches.
fn moving_tree(model: &Model, contact: &Contact) -> Option<TreeId> {
    contact.links.into_iter().flatten().map(|link| model.links[link].tree).next()
}
