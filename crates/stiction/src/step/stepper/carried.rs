//! What contacts carry in a step at the level of forces, and how well they obey their laws.
//!
//! # Impulse and work
//! Forces act in smooth motions, which the classic Runge-Kutta rule integrates. What a contact carries in one, `p' = f` and
//! `W' = f . u`, are two more unknowns of the same differential equation: their rates depend on the state that a stage has. So
//! they are the rule's own sums over its stages,
//!
//! ```text
//! p = T / 6 (f_1 + 2 f_2 + 2 f_3 + f_4),    W = T / 6 (f_1 . u_1 + 2 f_2 . u_2 + 2 f_3 . u_3 + f_4 . u_4),
//! ```
//!
//! of order four like the motion; and as velocities are summed up with the same weights, the impulses of bodies whose linear
//! velocity is a coordinate explain its change to rounding. World axes, as frames turn. An impact adds its impulse and `1/2
//! lambda . (u- + u+)`, with the velocities right before and after: no force does work in no time.
//!
//! # Laws
//! The forces of each stage are measured with the velocity of that stage, for which their laws were posed. Only the first is a state
//! of the motion, though: along the normal the others have a velocity that is the rule's and no approach. So the normal
//! condition is measured at both ends of a motion, at the second one with the force of the last stage.
//!
//! A motion may be tried several times before it is taken (the time of an impact is found by that), and a set of trees may be
//! handed back. So what a contact carries stays with it until the motion is taken, and what a set does stays
//! apart until the step is.

use crate::constraint::position_error::larger;
use crate::contact::{BlockKind, Contact};
use crate::model::Law;
use crate::report::certificate::BlockOutcome;
use crate::report::work::ImpulsePart;
use crate::report::{Certificate, ContactForce, HandBack, Work};
use crate::step::stepper::acceleration::RESTING;
use nalgebra::Vector3;

/// The force of a contact in a stage of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageForce {
    /// The contact there, with its law.
    pub(crate) contact: Contact,
    /// Force (N) and velocity (m/s) in its frame.
    pub(crate) force: Vector3<f64>,
    pub(crate) velocity: Vector3<f64>,
    /// Time for which the stage counts (s).
    pub(crate) share: f64,
}

/// What a contact carries in a smooth motion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SmoothPart {
    /// As of the first stage.
    start: Option<ContactForce>,
    /// World axes (N s), and its work, what the normal force and friction did, and what is prescribed (J).
    impulse: Vector3<f64>,
    work: f64,
    normal_work: f64,
    friction_work: f64,
    prescribed: f64,
    /// Of the last stage (N).
    normal: f64,
    violations: Certificate,
}

impl SmoothPart {
    /// Adds a stage, the first one of a motion if `first`, in a step of `h` seconds.
    pub(crate) fn add_stage(&mut self, stage: &StageForce, first: bool, h: f64) {
        let StageForce { contact, force, velocity, share } = *stage;
        if first {
            *self =
                Self { start: Some(ContactForce::of_force(contact, force, velocity, h)), ..Self::default() };
        }
        self.impulse += contact.frame * force * share;
        self.work += force.dot(&velocity) * share;
        self.normal_work += force.x * velocity.x * share;
        self.friction_work += (force.y * velocity.y + force.z * velocity.z) * share;
        self.prescribed -= force.dot(&contact.drift) * share;
        self.normal = force.x;
        let normal = if first { velocity.x } else { 0.0 };
        let measured = Vector3::new(normal, velocity.y, velocity.z);
        self.violations.add_violations(&outcome(contact.law, force * h, measured), h);
    }

    /// Measures the normal condition at the end of the motion, where the contact has this normal velocity (m/s).
    pub(crate) fn end(&mut self, velocity: f64, h: f64) {
        let [force, velocity] = [self.normal * h, velocity].map(|x| Vector3::new(x, 0.0, 0.0));
        self.violations.add_violations(&outcome(Law::Frictionless, force, velocity), h);
    }
}

/// A closed contact with this impulse and velocity.
fn outcome(law: Law, impulse: Vector3<f64>, velocity: Vector3<f64>) -> BlockOutcome {
    let kind = BlockKind::Contact { law, bias: 0.0, preload: 0.0 };
    BlockOutcome { kind, angular: false, impulse, velocity, after: velocity, start: velocity, free: velocity }
}

/// One act of a contact: an impact, or all that it carries between impacts.
#[derive(Clone, Copy, Debug)]
struct Act {
    /// The set of trees it belongs to.
    set: usize,
    /// Its place among the acts of the step.
    order: usize,
    force: ContactForce,
}

/// What the contacts of all sets have carried in a step so far.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    acts: Vec<Act>,
    /// Per set.
    certificates: Vec<Certificate>,
    works: Vec<Work>,
    /// What is left of the acts when the step is accepted, sorted by key.
    kept: Vec<ContactForce>,
}

impl Carried {
    /// Begins a step, with capacity for some acts.
    pub(crate) fn begin(&mut self, sets: usize, capacity: usize) {
        self.acts.clear();
        self.acts.reserve(capacity);
        self.kept.clear();
        self.kept.reserve(capacity);
        self.certificates.clear();
        self.certificates.resize(sets, Certificate::default());
        self.works.clear();
        self.works.resize(sets, Work::default());
    }

    /// Notes how well a problem of a set was solved.
    pub(crate) fn add_residual(&mut self, set: usize, residual: f64) {
        let worst = &mut self.certificates[set].residual;
        *worst = larger(*worst, residual);
    }

    /// Adds an impact of a contact, in a step of `h` seconds.
    pub(crate) fn add_impact(&mut self, set: usize, contact: Contact, block: &BlockOutcome, h: f64) {
        self.certificates[set].add_block(block, h);
        let [normal, friction] = block.contact_works();
        let work = &mut self.works[set];
        let hits = block.start.x < -RESTING && block.impulse.x > 0.0;
        *work.cause(ImpulsePart::Normal, hits, true) += normal;
        *work.cause(ImpulsePart::Friction, hits, true) += friction;
        work.prescribed -= block.impulse.dot(&contact.drift);
        self.push(set, ContactForce::of_impulse(contact, block, h, h));
    }

    fn push(&mut self, set: usize, force: ContactForce) {
        self.acts.push(Act { set, order: self.acts.len(), force });
    }

    /// Adds what forces other than those of contacts have done in a motion that is taken.
    pub(crate) fn add_work(&mut self, set: usize, work: Work) {
        self.works[set] += work;
    }

    /// Adds what a smooth motion that is taken has done.
    pub(crate) fn add_motion(&mut self, set: usize, part: &SmoothPart, h: f64) {
        let certificate = &mut self.certificates[set];
        certificate.add_part(&part.violations);
        certificate.contact_work += part.work;
        let work = &mut self.works[set];
        *work.cause(ImpulsePart::Normal, false, false) += part.normal_work;
        *work.cause(ImpulsePart::Friction, false, false) += part.friction_work;
        work.prescribed += part.prescribed;
        let works = [part.work, part.normal_work, part.friction_work];
        let Some(mut force) = part.start else { return };
        let key = force.contact.key;
        let sustained = |act: &&mut Act| act.force.contact.key == key && act.force.sustained.is_some();
        match self.acts.iter_mut().rev().find(sustained) {
            Some(act) => {
                let so_far = [act.force.work, act.force.normal_work, act.force.friction_work];
                let works = std::array::from_fn(|k| so_far[k] + works[k]);
                force.carry(act.force.force * h + part.impulse, works, h);
                act.force = force;
            }
            None => {
                force.carry(part.impulse, works, h);
                self.push(set, force);
            }
        }
    }

    /// Adds the impulse that keeps a sustained contact from approaching, which is a correction of its forces.
    pub(crate) fn add_correction(&mut self, set: usize, contact: Contact, block: &BlockOutcome, h: f64) {
        self.certificates[set].add_violations(block, h);
        let start = ContactForce::of_force(contact, Vector3::zeros(), block.velocity, h);
        let impulse = contact.frame * block.impulse;
        let [normal_work, friction_work] = block.contact_works();
        let prescribed = -block.impulse.dot(&contact.drift);
        let part = SmoothPart {
            start: Some(start),
            impulse,
            work: block.work(),
            normal_work,
            friction_work,
            prescribed,
            ..SmoothPart::default()
        };
        self.add_motion(set, &part, h);
    }

    /// Ends the step: only what the sets have done that are not `lost` remains.
    pub(crate) fn accept(&mut self, lost: &[Option<HandBack>]) {
        for set in (0..self.works.len()).filter(|&set| lost[set].is_some()) {
            self.certificates[set] = Certificate::default();
            self.works[set] = Work::default();
        }
        self.acts.retain(|act| lost[act.set].is_none());
        // A sort that keeps equals in their order would need memory.
        self.acts.sort_unstable_by_key(|act| (act.force.contact.key, act.order));
        self.kept.extend(self.acts.iter().map(|act| act.force));
    }

    /// Certificates of the sets.
    pub(crate) fn certificates(&self) -> impl Iterator<Item = &Certificate> {
        self.certificates.iter()
    }

    /// Works on the sets.
    pub(crate) fn works(&self) -> impl Iterator<Item = &Work> {
        self.works.iter()
    }

    /// Work on a set so far.
    pub(crate) fn work(&self, set: usize) -> &Work {
        &self.works[set]
    }

    /// All acts, sorted by the keys of their contacts.
    pub(crate) fn forces(&self) -> &[ContactForce] {
        &self.kept
    }

    /// Acts that fit without allocation.
    pub(crate) fn capacity(&self) -> usize {
        self.kept.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactKey;
    use crate::model::GeomId;
    use nalgebra::Matrix3;

    const H: f64 = 0.5;

    /// A contact whose frame is the world's.
    fn contact(law: Law) -> Contact {
        Contact {
            key: ContactKey { first: 0, second: 1, feature: 0 },
            geoms: [GeomId::new(0), GeomId::new(1)],
            links: [None, None],
            point: Vector3::zeros(),
            frame: Matrix3::identity(),
            gap: 0.0,
            law,
            restitution: 0.0,
            drift: Vector3::zeros(),
        }
    }

    /// A motion of `duration` seconds with a force and a velocity in each stage.
    fn motion(law: Law, duration: f64, stages: [[Vector3<f64>; 2]; 4]) -> SmoothPart {
        let mut part = SmoothPart::default();
        for (i, ([force, velocity], sixths)) in stages.into_iter().zip([1.0, 2.0, 2.0, 1.0]).enumerate() {
            let stage = StageForce { contact: contact(law), force, velocity, share: duration * sixths / 6.0 };
            part.add_stage(&stage, i == 0, H);
        }
        part
    }

    #[test]
    fn a_force_that_is_a_cubic_of_time_carries_its_integral_and_motions_add_up() {
        let force = |t: f64| Vector3::new(1.0 + t * t * t, 0.0, t);
        let velocity = Vector3::new(0.0, 0.0, -2.0);
        let mut carried = Carried::default();
        carried.begin(1, 0);
        for [from, to] in [[0.0, 0.2], [0.2, 0.5]] {
            let middle = 0.5 * (from + to);
            let stages = [from, middle, middle, to].map(|t| [force(t), velocity]);
            carried.add_motion(0, &motion(Law::Coulomb { mu: 1.0 }, to - from, stages), H);
        }
        carried.accept(&[None]);
        let [whole] = *carried.forces() else { panic!("{:?}", carried.forces()) };
        let integral = Vector3::new(0.5 + 0.5_f64.powi(4) / 4.0, 0.0, 0.125);
        assert!((whole.impulse - integral).norm() < 1e-15 && (whole.force * H - integral).norm() < 1e-15);
        assert!((whole.work + 0.25).abs() < 1e-15, "{whole:?}");
        assert!((carried.certificates[0].contact_work + 0.25).abs() < 1e-15);
        // The laws hold of the beginning of the last motion.
        assert_eq!(whole.sustained, Some(force(0.2)));
    }

    #[test]
    fn every_stage_is_judged_by_its_force_and_only_the_ends_of_a_motion_by_their_normal_speed() {
        let (good, still) = (Vector3::new(4.0, 0.0, 0.0), Vector3::zeros());
        let stages = |stage: usize, force: Vector3<f64>, velocity: Vector3<f64>| {
            std::array::from_fn(|i| if i == stage { [force, velocity] } else { [good, still] })
        };
        let law = Law::Coulomb { mu: 0.5 };
        for stage in 0..4 {
            let measured = |force, velocity| motion(law, 0.1, stages(stage, force, velocity)).violations;
            assert_eq!(measured(good, still), Certificate::default());
            assert_eq!(measured(Vector3::new(-3.0, 0.0, 0.0), still).pull, 3.0);
            assert_eq!(measured(Vector3::new(4.0, 3.0, 4.0), still).cone_violation, 3.0);
            // Friction of 1 N along a sliding of 2 m/s, where 2 N against it would be right.
            let along = measured(Vector3::new(4.0, 1.0, 0.0), Vector3::new(0.0, 2.0, 0.0));
            assert_eq!((along.sliding_power, along.dissipation), (2.0, 6.0));
            let closing = measured(good, Vector3::new(-0.25, 0.0, 0.0));
            let wanted = if stage == 0 { (0.25, 1.0) } else { (0.0, 0.0) };
            assert_eq!((closing.approach, closing.complementarity), wanted);
        }
        let viscous = motion(Law::Viscous { viscosity: 3.0 }, 0.1, [[good, Vector3::new(0.0, 2.0, 0.0)]; 4]);
        assert_eq!(viscous.violations.viscous_error, 6.0);
        let mut ended = motion(law, 0.1, [[good, still]; 4]);
        ended.end(-0.5, H);
        assert_eq!((ended.violations.approach, ended.violations.complementarity), (0.5, 2.0));
    }

    #[test]
    fn what_a_lost_set_has_done_is_forgotten_and_acts_of_one_contact_stay_in_their_order() {
        let law = Law::Frictionless;
        let mut carried = Carried::default();
        carried.begin(2, 8);
        for (set, impulse) in [(0, 1.0), (1, 2.0), (0, 3.0)] {
            let mut block = outcome(law, Vector3::new(impulse, 0.0, 0.0), Vector3::zeros());
            block.free.x = -1.0;
            block.start.x = -1.0;
            carried.add_impact(set, contact(law), &block, H);
        }
        carried.accept(&[None, Some(HandBack::LostContact)]);
        let impulses: Vec<f64> = carried.forces().iter().map(|force| force.impulse.x).collect();
        assert_eq!(impulses, [1.0, 3.0]);
        let work: f64 = carried.certificates().map(|certificate| certificate.contact_work).sum();
        assert_eq!(work, -2.0);
    }
}
