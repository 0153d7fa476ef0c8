//! Stored states.

use crate::spatial::Transform;
use serde::{Deserialize, Serialize};

/// A stored state. A list without numbers stands for the default: the reference pose, at rest, without control.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Keyframe {
    /// Name.
    pub name: String,
    /// Time (s).
    pub time: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Generalized velocity.
    pub v: Vec<f64>,
    /// Coordinates of the joints that close loops, from which whole turns are counted.
    pub loop_q: Vec<f64>,
    /// Controls.
    pub ctrl: Vec<f64>,
    /// Pose of every mocap body in the world, by mocap index.
    pub mocap: Vec<Transform>,
}
