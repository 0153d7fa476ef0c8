//! Actuators: forces on joints and tendons that follow a control.

use super::{LinkId, LoopJointId, TendonId};
use serde::{Deserialize, Serialize};

/// What a drive acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transmission {
    /// The joint of this link.
    Joint(LinkId),
    /// This joint of a loop.
    Loop(LoopJointId),
    /// This tendon.
    Tendon(TendonId),
}

/// A drive: `force = (gain . x) ctrl + bias . x` with `x = (1, length, rate)`. On a joint `length = gear q`,
/// `rate = gear v` and the generalized force is `gear * force`; on a tendon the same holds of its length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actuator {
    /// Unique name.
    pub name: String,
    /// What is driven.
    pub transmission: Transmission,
    /// Transmission ratio per generalized velocity of the joint (one used for hinge, slide and tendon).
    pub gear: [f64; 6],
    /// Constant, length and rate coefficients of the gain on the control.
    pub gain: [f64; 3],
    /// The same of the bias.
    pub bias: [f64; 3],
    /// Controls are clamped to this.
    pub control_range: Option<[f64; 2]>,
    /// The force is clamped to this (N or N m, before the gear).
    pub force_range: Option<[f64; 2]>,
}
