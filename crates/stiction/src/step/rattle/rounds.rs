//! Contacts that were not foreseen.
//!
//! The contact problem of a step has the contacts that are near at its beginning, as near as what bodies may travel at their velocities
//! there. Impulses, drives and forces may bring others about. Two tests at the end find them:
//!
//! 1. A geom that has travelled farther than its contacts were searched for: its set goes through the step from impact to impact
//!    ([`super::walk`]), after each of which velocities tell what is near.
//! 2. Overlap of features that have no rows. They get rows at the poses of the beginning, at the contact point of the end as both bodies
//!    carry it back.
//!
//! Rows are only added, so rounds end. Where a tree is met that no contact rule moved, the step is taken again with it.

use super::Rattle;
use super::displacement::find;
use crate::constraint::rows::BlockKey;
use crate::contact::detection::far_travellers;
use crate::contact::{Contact, ContactKey};
use crate::dynamics::base_motion;
use crate::model::{GeomId, TreeId};
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;
use nalgebra::Vector3;

/// What was not foreseen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unforeseen {
    Nothing,
    /// Contacts of trees at work, which have rows now.
    Contacts,
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
        if problem.contacts.len() == known {
            return Unforeseen::Nothing;
        }
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
        Unforeseen::Contacts
    }

    /// Adds to the contacts of the problem those that overlap at the end without a row, as they were at the beginning; or tells
    /// trees that must be at work.
    fn list_overlaps(&self, system: &System<'_>, problem: &mut ContactProblem) -> Option<(TreeId, TreeId)> {
        let (tolerance, known) = (system.settings.overlap_tolerance, problem.contacts.len());
        for contact in &system.constraints.contacts.finder.contacts {
            if contact.gap >= -tolerance || find(&problem.contacts[..known], &contact.key).is_some() {
                continue;
            }
            let trees = contact.links.map(|link| link.map(|link| system.model.links[link].tree));
            let works = |tree: TreeId| self.active[tree.index()];
            let mut present = trees.iter().flatten();
            match (present.clone().any(|&tree| works(tree)), present.all(|&tree| works(tree))) {
                (true, true) => problem.contacts.push(self.carried_back(system, contact)),
                (true, false) if self.may_join => {
                    if let [Some(first), Some(second)] = trees {
                        return Some((first, second));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A contact of the end as both bodies had it at the beginning.
    fn carried_back(&self, system: &System<'_>, contact: &Contact) -> Contact {
        let (model, normal) = (system.model, contact.frame.column(0));
        let at = [0, 1].map(|side| {
            let body = model.geoms[contact.geoms[side]].body;
            let now = base_motion(model, system.data, &system.state.mocap, body).0;
            let then = base_motion(model, &self.start, &self.began.mocap, body).0;
            let sign = if side == 0 { -0.5 } else { 0.5 };
            let witness = contact.point + normal * (sign * contact.gap);
            (then.point(&now.inverse_point(&witness)), then.rotation * now.rotation.transpose())
        });
        let frame = at[0].1 * contact.frame;
        let apart: Vector3<f64> = at[1].0 - at[0].0;
        Contact { point: (at[0].0 + at[1].0) * 0.5, frame, gap: frame.column(0).dot(&apart), ..*contact }
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
