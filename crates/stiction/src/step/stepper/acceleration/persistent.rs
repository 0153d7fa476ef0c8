//! A contact that persists in a smooth motion, and a stage of that motion.

use super::RESTING;
use crate::contact::Contact;
use crate::dynamics::RungeKuttaStage;
use crate::model::TreeId;
use crate::step::stepper::carried::SmoothPart;
use nalgebra::Vector3;

/// A contact that persists in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Persistent {
    /// As it is at the beginning, with the law that holds.
    pub(crate) contact: Contact,
    /// A tree it touches.
    pub(crate) tree: TreeId,
    /// World axes: the sliding velocity at the beginning (m/s).
    pub(crate) slip: Vector3<f64>,
    /// In the stage: where it is, and in its frame the velocity (m/s) and its rate at zero generalized acceleration.
    pub(super) now: Option<Contact>,
    pub(crate) velocity: Vector3<f64>,
    pub(super) rate: Vector3<f64>,
    /// What it carries in the motion at work.
    pub(super) part: SmoothPart,
}

impl Persistent {
    pub(crate) fn new(contact: Contact, tree: TreeId, velocity: Vector3<f64>) -> Self {
        let slip = contact.frame * Vector3::new(0.0, velocity.y, velocity.z);
        Self {
            contact,
            tree,
            slip,
            now: Some(contact),
            velocity,
            rate: Vector3::zeros(),
            part: SmoothPart::default(),
        }
    }

    /// Whether it hits at the beginning of the motion.
    pub(super) fn hits(&self) -> bool {
        self.velocity.x < -RESTING
    }
}

/// A stage in a smooth motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// When the motion begins, counted from the step's beginning, and how long it lasts (s).
    pub(crate) begin: f64,
    pub(crate) duration: f64,
    pub(crate) stage: RungeKuttaStage,
    /// Time step (s).
    pub(crate) timestep: f64,
}

impl Moment {
    /// Counted from the step's beginning (s).
    pub(super) fn time(&self) -> f64 {
        self.begin + self.stage.fraction * self.duration
    }

    /// Time for which it counts (s).
    pub(super) fn share(&self) -> f64 {
        self.duration * self.stage.sixths / 6.0
    }
}
