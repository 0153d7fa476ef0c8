//! The read-out of a step: what every contact carries, and what every pair of geoms carries in all.
//!
//! The margin of a contact is the friction it needs over the friction it has, `|lambda_t| / (mu lambda_n)`: 0 where it needs none, as
//! where it carries nothing, and 1 when it slides. Where forces are not unique (four feet of a table) it belongs to the solution that the
//! solver returned.
//!
//! Of a contact that acts several times in a step ([`super::acts`]) forces add up in the world, and impulses along the normal and the
//! tangents of each act, which turn with the normal: what friction allows is convex, so the sums are within it as their parts are. The
//! margin is what all acts need over what all have, `sum |lambda_t| / sum mu lambda_n`; so what slides all the time needs all there
//! is, though the direction turns, and an act that hardly presses has no say.
//!
//! The contacts of a pair act together as one force and one moment. Their normal impulses meet in the centre of
//! pressure `sum lambda_n p / sum lambda_n`.
//!
//! Limits of joints, tendons and cables say what force they carry.

use crate::constraint::RowSource;
use crate::constraint::row_source::SourceOrder;
use crate::contact::{BlockKind, Contact, ContactKey, Law, Mode};
use crate::model::{GeomId, Model};
use crate::report::acts::{Act, Acts};
use crate::report::certificate::BlockOutcome;
use crate::report::rows::{RowForce, RowLaw};
use nalgebra::{Rotation3, Vector3};

/// An act of a contact counts for what the contact does if it brings more than this part of the normal impulse.
pub(crate) const COUNTS: f64 = 1e-6;

/// Impulse and force of one contact in the last step: of all of it
/// ([`Simulation::contact_forces`](crate::sim::Simulation::contact_forces)), or of one act of several
/// ([`Simulation::contact_acts`](crate::sim::Simulation::contact_acts)). What the fields say of the laws they say of an act; of the whole
/// step impulses, forces and works are sums over the acts, and all else is as of the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactForce {
    /// The contact, with the law in force, which is that of the contact model where that replaces all laws.
    pub contact: Contact,
    /// a_n of its normal row (m/s): `0 <= lambda_n - preload  perp  u_n + a_n >= 0`. Negative where Newton's impact law
    /// made the bodies part.
    pub bias: f64,
    /// Normal impulse (N s) that Poisson's impact law gave in any case; else 0.
    pub preload: f64,
    /// Relative velocity of the second body against the first of which the laws hold, drift included, in the contact
    /// frame: normal, t1, t2 (m/s). That after the impulse; of a force that is sustained, the velocity at the instant of `sustained`; of the
    /// impulses with which [`Stepper::Rattle`](crate::settings::Stepper::Rattle) begins a step the displacement of the step by its
    /// length.
    pub velocity: Vector3<f64>,
    /// That of the bodies after the impulse: `velocity`, but where that is a displacement.
    pub after: Vector3<f64>,
    /// How long the forces of which the impulse is the sum act (s): the step, or a part of it.
    pub duration: f64,
    /// The same before the impulse: as bilateral constraints and applied forces alone would have it at the end of the step; right
    /// before an impact of the event-driven stepper. A frictionless contact has no tangential rows and shows zeros there.
    pub before: Vector3<f64>,
    /// The same before the step (the rotation of a lone body half a step behind, as `velocity` has it); right before an impact of the
    /// event-driven stepper.
    pub start: Vector3<f64>,
    /// Impulse on the second body in the contact frame: normal, t1, t2 (N s). Of a whole step the sum of the impulses that the acts had in
    /// their own frames, whose axes turn with the normal.
    pub impulse: Vector3<f64>,
    /// Impulse over the time step, world axes (N): the mean force, which the change of momentum shows.
    pub force: Vector3<f64>,
    /// Of what acts as a force and not at once, the force at the beginning of the last smooth motion of the step, in the contact
    /// frame of that instant (N): the laws hold of it and `velocity`; `impulse` is its sum over the step.
    pub sustained: Option<Vector3<f64>>,
    /// Work on the two bodies (J): of an impulse `1/2 impulse . (before + after)`; of a force the integral of its power.
    pub work: f64,
    /// What the normal force did along the relative velocity (J): of an impulse `1/2 lambda_n (start + after)_n`; of a force the
    /// integral of its power.
    pub normal_work: f64,
    /// What friction did likewise (J). What it takes is negative.
    pub friction_work: f64,
    /// What the contact did.
    pub mode: Mode,
    /// Friction needed over friction available, `|lambda_t| / (mu lambda_n)`, at most 1 but for round-off; with dry and
    /// viscous friction, of the dry part. Without slip there is no bound, and this is the coefficient of friction that
    /// would have been needed, `|lambda_t| / lambda_n`. A contact with dry friction that does not press needs none: 0. `None` only where
    /// there is no dry friction.
    pub margin: Option<f64>,
    /// How far the material points that touch slipped over the step though the contact stuck (m), as poses show it; 0 of other contacts.
    pub slip: f64,
    /// The same since it sticks (m): the sum of the slips of all steps, in the axes of the flatter body.
    pub shift: f64,
    /// The whole step (s).
    pub(crate) step: f64,
}

impl ContactForce {
    /// Of a contact with its law in force and a block of rows of its, whose forces act for `duration` of a step of `h` seconds.
    pub(crate) fn of_impulse(contact: Contact, block: &BlockOutcome, duration: f64, h: f64) -> Self {
        let BlockOutcome { kind, impulse, velocity, after, start, free, .. } = *block;
        let [normal_work, friction_work] = block.contact_works();
        let [bias, preload] = match kind {
            BlockKind::Contact { bias, preload, .. } => [bias, preload],
            _ => [0.0; 2],
        };
        Self {
            contact,
            bias,
            preload,
            velocity,
            after,
            duration,
            before: free,
            start,
            impulse,
            force: contact.frame * impulse / h,
            sustained: None,
            work: block.work(),
            normal_work,
            friction_work,
            mode: mode(&impulse, &velocity, contact.law),
            margin: margin(contact.law, &impulse, &velocity, duration),
            slip: 0.0,
            shift: 0.0,
            step: h,
        }
    }

    /// Of a contact with its law in force that carries a force (N) at a velocity (m/s), both in its frame, in a step of `h` seconds.
    /// What it has carried is still to be added.
    pub(crate) fn of_force(contact: Contact, force: Vector3<f64>, velocity: Vector3<f64>, h: f64) -> Self {
        Self {
            contact,
            bias: 0.0,
            preload: 0.0,
            velocity,
            after: velocity,
            duration: h,
            before: velocity,
            start: velocity,
            impulse: Vector3::zeros(),
            force: Vector3::zeros(),
            sustained: Some(force),
            work: 0.0,
            normal_work: 0.0,
            friction_work: 0.0,
            mode: mode(&force, &velocity, contact.law),
            margin: margin(contact.law, &(force * h), &velocity, h),
            slip: 0.0,
            shift: 0.0,
            step: h,
        }
    }

    /// Adds an impulse (N s, world axes), its work, and what the normal force and friction did (J), in a step of `h` seconds.
    pub(crate) fn carry(&mut self, impulse: Vector3<f64>, [work, normal, friction]: [f64; 3], h: f64) {
        self.force += impulse / h;
        self.impulse = self.contact.frame.tr_mul(&(self.force * h));
        self.work += work;
        self.normal_work += normal;
        self.friction_work += friction;
    }

    /// The impulse in the frame of the contact at another time, turned as the normal has turned.
    fn impulse_in(&self, other: &Contact) -> Vector3<f64> {
        let (own, other) = (&self.contact.frame, &other.frame);
        if own == other {
            return self.impulse;
        }
        let [from, to] = [own, other].map(|frame| frame.column(0).into_owned());
        // Opposite normals are those of features that have nothing in common.
        let turn = Rotation3::rotation_between(&from, &to).unwrap_or_else(Rotation3::identity);
        let turned = other.tr_mul(&(turn * (own * self.impulse)));
        // What is along the normal stays there to the last digit.
        Vector3::new(self.impulse.x, turned.y, turned.z)
    }

    /// Impulse on the second body, world axes (N s).
    pub fn world_impulse(&self) -> Vector3<f64> {
        self.force * self.step
    }

    /// The least coefficient of friction that allows this impulse, or the force that is sustained: tangential over normal, zero without an impulse,
    /// infinite if the tangential one stands alone.
    pub fn needed_friction(&self) -> f64 {
        let carried = self.sustained.as_ref().unwrap_or(&self.impulse);
        let tangential = libm::hypot(carried.y, carried.z);
        if tangential == 0.0 { 0.0 } else { tangential / carried.x.max(0.0) }
    }
}

impl Act for ContactForce {
    type Key = ContactKey;

    fn key(&self) -> ContactKey {
        self.contact.key
    }

    fn is_whole(&self) -> bool {
        self.duration == self.step
    }

    fn whole(self) -> Self {
        Self { duration: self.step, ..self }
    }

    fn add(&mut self, later: &Self) {
        let [pressed, presses] = [&*self, later].map(|act| act.impulse.x.max(0.0));
        // What is sustained is told with the velocity of its instant.
        let last = if self.sustained.is_some() && later.sustained.is_none() { *self } else { *later };
        *self = Self {
            impulse: self.impulse_in(&last.contact) + later.impulse_in(&last.contact),
            force: self.force + later.force,
            preload: self.preload + later.preload,
            start: self.start,
            duration: self.step,
            work: self.work + later.work,
            normal_work: self.normal_work + later.normal_work,
            friction_work: self.friction_work + later.friction_work,
            mode: if presses > COUNTS * (pressed + presses) { later.mode } else { self.mode },
            margin: mean_margin([(self.margin, pressed), (later.margin, presses)]),
            ..last
        };
    }

    fn take_told(&mut self, act: &Self) {
        (self.slip, self.shift) = (act.slip, act.shift);
    }
}

/// Margin of several acts with their normal impulses: friction needed over friction available of all together.
fn mean_margin(acts: [(Option<f64>, f64); 2]) -> Option<f64> {
    let [(first, pressed), (second, presses)] = acts;
    let (Some(first), Some(second)) = (first, second) else { return first.or(second) };
    let all = pressed + presses;
    // What presses too little for a quotient of numbers to tell carries nothing either.
    Some(if all > 0.0 { first * (pressed / all) + second * (presses / all) } else { 0.0 })
}

/// What all contacts of two geoms carry together in the last step; forces are impulses over the time step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairForce {
    /// The geoms, first and second, as in [`Contact::geoms`].
    pub geoms: [GeomId; 2],
    /// Number of contacts.
    pub contacts: usize,
    /// Number of them that press.
    pub pressing: usize,
    /// Centre of pressure: mean of the contact points, weighted by normal impulse. If none presses, the plain mean
    /// (m, world).
    pub center: Vector3<f64>,
    /// Net force on the second geom (N, world).
    pub force: Vector3<f64>,
    /// Net moment on the second geom about `center` (N m, world).
    pub moment: Vector3<f64>,
    /// Sum of the normal forces (N).
    pub normal_force: f64,
    /// Largest margin of its contacts; `None` if none has one.
    pub margin: Option<f64>,
}

impl PairForce {
    /// Of contacts of one pair, at least one.
    fn of(contacts: &[ContactForce], h: f64) -> Self {
        let weight_of = |c: &ContactForce| c.impulse.x.max(0.0);
        let pressure: f64 = contacts.iter().map(weight_of).sum();
        // Offsets from one of the points keep the digits that large coordinates would take.
        let origin = contacts[0].contact.point;
        let mean = |weight: &dyn Fn(&ContactForce) -> f64, total: f64| {
            contacts.iter().map(|c| (c.contact.point - origin) * weight(c)).sum::<Vector3<f64>>() / total
        };
        let offset =
            if pressure > 0.0 { mean(&weight_of, pressure) } else { mean(&|_| 1.0, contacts.len() as f64) };
        let moment_of = |c: &ContactForce| (c.contact.point - origin - offset).cross(&c.force);
        Self {
            geoms: contacts[0].contact.geoms,
            contacts: contacts.len(),
            pressing: contacts.iter().filter(|c| c.impulse.x > 0.0).count(),
            center: origin + offset,
            force: contacts.iter().map(|c| c.force).sum(),
            moment: contacts.iter().map(moment_of).sum(),
            normal_force: contacts.iter().map(|c| c.impulse.x).sum::<f64>() / h,
            margin: contacts.iter().filter_map(|c| c.margin).reduce(f64::max),
        }
    }
}

/// What a limit carried in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LimitForce<'a> {
    /// What is limited.
    pub kind: RowSource,
    /// Its name.
    pub name: &'a str,
    /// Whether it is the upper end of the range.
    pub upper: bool,
    /// Force or torque that keeps it in its range: impulse over the time step (N or N m), zero or positive. For a cable at its
    /// upper end the tension.
    pub force: f64,
}

impl<'a> LimitForce<'a> {
    /// Of a row in a step of `h` seconds; `None` if it is not a limit's.
    pub(crate) fn of_row(row: &RowForce, model: &'a Model, h: f64) -> Option<Self> {
        (row.law == RowLaw::Limit).then(|| Self {
            kind: row.source,
            name: row.name(model),
            upper: row.number == 1,
            force: row.impulse / h,
        })
    }
}

/// Margin of a contact with this impulse and velocity in its frame, under a law, in a step of `h` seconds.
pub(crate) fn margin(law: Law, impulse: &Vector3<f64>, velocity: &Vector3<f64>, h: f64) -> Option<f64> {
    let bound = match law {
        Law::Frictionless | Law::Viscous { .. } => return None,
        Law::NoSlip => 1.0,
        // Without a coefficient there is no friction to need.
        Law::Coulomb { mu } | Law::CoulombViscous { mu, .. } if mu > 0.0 => mu,
        Law::Coulomb { .. } | Law::CoulombViscous { .. } => return None,
    } * impulse.x;
    let viscous = h * law.viscosity();
    let dry = libm::hypot(impulse.y + viscous * velocity.y, impulse.z + viscous * velocity.z);
    // What presses too little for a product of numbers to tell carries nothing either.
    Some(if bound > 0.0 { dry / bound } else { 0.0 })
}

/// A contact slides when its impulse is on the boundary of what friction allows, to a part in a million.
pub(crate) fn mode(lambda: &Vector3<f64>, rates: &Vector3<f64>, law: Law) -> Mode {
    let slides = match law {
        Law::NoSlip => false,
        // Viscous friction has no bound to reach: what moves slides.
        Law::Viscous { .. } => libm::hypot(rates.y, rates.z) > 0.0,
        _ => libm::hypot(lambda.y, lambda.z) >= (1.0 - 1e-6) * law.mu() * lambda.x,
    };
    match (lambda.x > 0.0, slides) {
        (false, _) => Mode::Open,
        (true, false) => Mode::Stick,
        (true, true) => Mode::Slip,
    }
}

/// The forces of a step.
#[derive(Clone, Debug)]
pub(crate) struct Readout {
    /// Of every contact in the problem.
    pub(crate) contacts: Acts<ContactForce>,
    /// Of every pair of geoms with such contacts, in the same order.
    pub(crate) pairs: Vec<PairForce>,
    /// Of all other rows.
    pub(crate) rows: Acts<RowForce>,
    /// What they are of.
    pub(crate) sources: SourceOrder,
}

impl Readout {
    pub(crate) fn new(model: &Model) -> Self {
        let sources = SourceOrder::new(model);
        Self { contacts: Acts::default(), pairs: Vec::new(), rows: Acts::default(), sources }
    }

    /// Reserves memory for some acts of so many contacts.
    pub(crate) fn reserve(&mut self, acts: usize, contacts: usize) {
        self.contacts.all.reserve(acts * contacts);
        self.pairs.reserve(contacts);
    }

    /// Completes a step of `h` seconds: adds up the acts of each contact and row, and the contact forces by pair; contacts of a pair follow
    /// each other.
    pub(crate) fn close(&mut self, h: f64) {
        self.contacts.close();
        self.rows.close();
        self.pairs.clear();
        let pairs = self.contacts.sums().chunk_by(|a, b| a.contact.geoms == b.contact.geoms);
        self.pairs.extend(pairs.map(|contacts| PairForce::of(contacts, h)));
    }

    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.pairs.clear();
        self.rows.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_needed_over_available_friction_zero_where_nothing_is_carried_and_absent_without_a_law() {
        let (h, still) = (0.5, Vector3::zeros());
        let impulse = Vector3::new(2.0, 0.6, -0.8);
        assert_eq!(margin(Law::Coulomb { mu: 0.5 }, &impulse, &still, h), Some(1.0));
        assert_eq!(margin(Law::Coulomb { mu: 1.0 }, &impulse, &still, h), Some(0.5));
        assert_eq!(margin(Law::NoSlip, &impulse, &still, h), Some(0.5));
        for law in [Law::Frictionless, Law::Coulomb { mu: 0.0 }, Law::Viscous { viscosity: 1.0 }] {
            for impulse in [impulse, still] {
                assert_eq!(margin(law, &impulse, &still, h), None);
            }
        }
        let tiny = f64::from_bits(1);
        for law in [Law::NoSlip, Law::Coulomb { mu: 0.25 }, Law::CoulombViscous { mu: 0.25, viscosity: 1.0 }]
        {
            for normal in [0.0, -1e-18, tiny] {
                assert_eq!(
                    margin(law, &Vector3::new(normal, 0.0, 0.0), &still, h),
                    Some(0.0),
                    "{law} {normal}"
                );
            }
        }
        // The viscous part, -h c u_t = (-1, 0), is not dry friction's.
        let (law, sliding) = (Law::CoulombViscous { mu: 0.5, viscosity: 4.0 }, Vector3::new(0.0, 0.5, 0.0));
        assert_eq!(margin(law, &Vector3::new(2.0, -1.5, 0.0), &sliding, h), Some(0.5));
    }
}
