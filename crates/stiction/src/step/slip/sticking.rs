//! How far contacts that stick shift nevertheless: the slip of each over the step ([`super`]), and its sum since the contact sticks.
//!
//! What sticks should keep the material points together that touch. How well a step does that is seen from the poses at its two ends, whatever it
//! solved for: time stepping asks for no velocity, and moves on by the first order of the step. The slips of the steps are summed in the
//! axes of the flatter body, which turn with it; a contact that slides, opens or changes its features begins anew. A contact that neither touched
//! at the beginning of the step nor stuck before has shifted nothing yet.

use crate::constraint::kind::TOUCHING;
use crate::contact::{Contact, ContactKey, Mode, find_contact};
use crate::model::{GeomId, Mocap};
use crate::report::forces::COUNTS;
use crate::report::{ContactForce, Readout, StepReport};
use crate::spatial::Transform;
use crate::step::contact_problem::StepMemory;
use crate::step::slip::{ContactStart, Poses};
use crate::step::system::System;
use nalgebra::Vector3;

/// Where bodies and contacts were at the beginning of the step. Keeps its capacity.
#[derive(Debug, Default)]
pub(crate) struct Sticking {
    links: Vec<Transform>,
    mocap: Vec<Mocap>,
    /// Sorted by key.
    contacts: Vec<Contact>,
}

impl Sticking {
    /// Keeps the beginning of the step, where the system is.
    pub(crate) fn begin(&mut self, system: &System<'_>) {
        self.links.clone_from(&system.data.link_pose);
        self.mocap.clear();
        self.mocap.extend_from_slice(&system.state.mocap);
        self.contacts.clone_from(&system.constraints.contacts.finder.contacts);
    }

    /// Tells the slips of the step, at whose end the system is with its contacts, of the contacts that stuck.
    pub(crate) fn end(
        &self,
        system: &System<'_>,
        memory: &mut StepMemory,
        readout: &mut Readout,
        report: &mut StepReport,
    ) {
        let StepMemory { last, next } = memory;
        let certificate = &mut report.certificate;
        next.shifts.clear();
        // What slides now may stick soon, and both take turns.
        let most = readout.contacts.all.len();
        next.shifts.reserve(most);
        last.shifts.reserve(most.saturating_sub(last.shifts.len()));
        readout.contacts.tell(|acts: &mut [ContactForce]| {
            let key = acts[0].contact.key;
            if !sticks(acts) {
                return;
            }
            let known = last.shifts.binary_search_by_key(&key, |(key, _)| *key).ok();
            let before = known.map(|place| Vector3::from(last.shifts[place].1));
            let slip = self.slip(system, key, before.is_some()).unwrap_or_default();
            let shift = before.unwrap_or_default() + slip;
            next.shifts.push((key, shift.into()));
            for act in acts {
                (act.slip, act.shift) = (slip.norm(), shift.norm());
            }
            certificate.add_slip(slip.norm(), shift.norm());
        });
    }

    /// Slip of a contact, in the axes of the flatter body (m); of one that did not stick before only if it touched at the beginning.
    fn slip(&self, system: &System<'_>, key: ContactKey, stuck: bool) -> Option<Vector3<f64>> {
        let contact =
            find_contact(&self.contacts, &key).filter(|contact| stuck || contact.gap <= TOUCHING)?;
        let began = Poses { model: system.model, links: &self.links, mocap: &self.mocap };
        let ended = system.poses();
        let moves = |geom: GeomId| system.model.geoms[geom].surface_velocity != Vector3::zeros();
        // What rests costs nothing.
        if began.of(contact) == ended.of(contact) && !contact.geoms.into_iter().any(moves) {
            return Some(Vector3::zeros());
        }
        let start = ContactStart::new(began, contact);
        let end = find_contact(&system.constraints.contacts.finder.contacts, &key);
        let moved = start.displacement(ended, contact, end, system.h);
        Some(start.frame() * Vector3::new(0.0, moved.y, moved.z))
    }
}

/// Whether all that a contact did in a step, but for what hardly pressed, was to stick.
fn sticks(acts: &[ContactForce]) -> bool {
    let pressing = |act: &ContactForce| act.impulse.x.max(0.0);
    let all: f64 = acts.iter().map(pressing).sum();
    let mut counting = acts.iter().filter(|act| pressing(act) > COUNTS * all);
    all > 0.0 && counting.all(|act| act.mode == Mode::Stick)
}
