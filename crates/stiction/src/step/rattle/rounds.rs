//! Contacts and limits that were not foreseen.
//!
//! The contact problem of a step has the contacts that are near at its beginning, as near as what bodies may travel at their velocities
//! there. Impulses, drives and forces may bring others about. Two tests at the end find them:
//!
//! 1. A geom that has travelled farther than its contacts were searched for: its set goes through the step from impact to impact
//!    ([`super::walk`]), after each of which velocities tell what is near.
//! 2. Overlap of features that have no rows. They get rows at the poses of the beginning, with the frame and the contact point of the end
//!    as the bodies carry them back.
//!
//! Features that come together within the step press along the normal with which they touch, at the end: contacts that close, and whose
//! normal has turned, get the rows of the end likewise. (A ball that rolls from one plate to the next is near the edge of the next one at
//! the beginning, whose normal would brake it.)
//!
//! A limit that is crossed at the end without a row gets one as well, and so do all others then.
//!
//! Rows are only added, and turned once, so rounds end. Where a tree is met that no contact rule moved, the step is taken again with it.

use super::Rattle;
use crate::constraint::kind::TOUCHING;
use crate::constraint::rows::BlockKey;
use crate::contact::detection::far_travellers;
use crate::contact::{Contact, ContactKey, find_contact};
use crate::dynamics::base_motion;
use crate::model::{GeomId, TreeId};
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::slip::{ContactStart, Poses};
use crate::step::system::System;

/// A normal that turns by less than this (rad) has not turned.
const TURNED: f64 = 1e-9;

/// What was not foreseen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unforeseen {
    Nothing,
    /// Contacts and limits of trees at work, which have rows now.
    Rows,
    /// A contact with a tree that is not at work.
    Trees(TreeId, TreeId),
}

impl Rattle {
    /// Looks for contacts that were not foreseen, with the system at the end of the step, and adds rows for them. Contacts in `left_out` have
    /// none on purpose.
    pub(super) fn add_unforeseen(
        &mut self,
        system: &mut System<'_>,
        free: &FreeVelocity,
        problem: &mut ContactProblem,
        slips: &[(BlockKey, [f64; 3])],
        left_out: &[ContactKey],
    ) -> Unforeseen {
        let known = problem.contacts.len();
        if let Some((first, second)) = self.list_overlaps(system, problem) {
            problem.contacts.truncate(known);
            return Unforeseen::Trees(first, second);
        }
        self.displacements.closing.extend(problem.contacts[known..].iter().map(|contact| contact.key));
        let turned = self.turn_closing(system, problem);
        let tolerance = system.settings.overlap_tolerance;
        let crossed = !self.every_limit && self.displacements.crosses_limit(&problem.rows, tolerance);
        if problem.contacts.len() == known && !turned && !crossed {
            return Unforeseen::Nothing;
        }
        self.every_limit |= crossed;
        let mut impulses = std::mem::take(&mut self.round);
        self.turn_to_bodies(problem);
        impulses.keep(&problem.rows, &problem.memory);
        impulses.keep_bilateral(&problem.rows);
        self.exchange_ends(system);
        self.ended.keep(system.state);
        self.began.restore(system.state);
        problem.contacts.sort_unstable_by_key(|contact| contact.key);
        problem.contacts.dedup_by_key(|contact| contact.key);
        system.constraints.contacts.finder.replace(&problem.contacts);
        self.pose_start(system, free, problem, left_out);
        self.recall_start(problem, &impulses, slips);
        self.round = impulses;
        self.ended.restore(system.state);
        self.exchange_ends(system);
        system.find_contacts();
        Unforeseen::Rows
    }

    /// Adds to the contacts of the problem those that overlap at the end without a row, as they were at the beginning; or tells
    /// trees that must be at work.
    fn list_overlaps(&self, system: &System<'_>, problem: &mut ContactProblem) -> Option<(TreeId, TreeId)> {
        let (tolerance, known) = (system.settings.overlap_tolerance, problem.contacts.len());
        for contact in &system.constraints.contacts.finder.contacts {
            if contact.gap >= -tolerance || find_contact(&problem.contacts[..known], &contact.key).is_some() {
                continue;
            }
            let trees = contact.links.map(|link| link.map(|link| system.model.links[link].tree));
            let present = || trees.iter().flatten();
            // What a set carries that was moved at the level of forces has a tolerance of its own.
            let set = present().next().and_then(|tree| self.sustained[tree.index()]);
            if set.is_some() && present().all(|tree| self.sustained[tree.index()] == set) {
                continue;
            }
            let works = present().any(|tree| self.active[tree.index()]);
            if works && present().all(|tree| self.active[tree.index()]) {
                problem.contacts.push(self.carried_back(system, contact));
            } else if self.may_join && (works || present().any(|tree| !self.governed[tree.index()])) {
                return present().next().copied().zip(present().last().copied());
            }
        }
        None
    }

    /// A contact of the end as both bodies had it at the beginning.
    fn carried_back(&self, system: &System<'_>, contact: &Contact) -> Contact {
        let model = system.model;
        let now = Poses { model, links: &system.data.link_pose, mocap: &system.state.mocap };
        let then = Poses { model, links: &self.start.link_pose, mocap: &self.began.mocap };
        ContactStart::new(now, contact).carried_to(then, contact)
    }

    /// Gives contacts that close within the step the frames with which they do; returns whether any has another one now.
    fn turn_closing(&mut self, system: &System<'_>, problem: &mut ContactProblem) -> bool {
        let before = self.displacements.closing.len();
        let ContactProblem { rows, contacts, .. } = problem;
        for block in rows.blocks.iter().filter(|block| rows.impulse[block.row] > 0.0) {
            let Some(contact) = block.contact.map(|index| &mut contacts[index]) else { continue };
            if contact.gap <= TOUCHING || self.displacements.closing.contains(&contact.key) {
                continue;
            }
            let Some(end) = find_contact(&system.constraints.contacts.finder.contacts, &contact.key) else {
                continue;
            };
            let closed = self.carried_back(system, end);
            if (closed.frame.column(0) - contact.frame.column(0)).norm() > TURNED {
                self.displacements.closing.push(contact.key);
                *contact = closed;
            }
        }
        self.displacements.closing.len() > before
    }

    /// Trees at work of which a surface has travelled farther than its contacts were searched for.
    pub(super) fn far_travellers<'a>(&'a self, system: &'a System<'_>) -> impl Iterator<Item = TreeId> + 'a {
        let model = system.model;
        let then = |geom: GeomId| {
            let geom = &model.geoms[geom];
            base_motion(model, &self.start, &self.began.mocap, geom.body).0 * geom.pose
        };
        far_travellers(model, system.data, &self.reaches, then).filter(|tree| self.active[tree.index()])
    }
}
