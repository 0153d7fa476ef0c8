//! Bilateral constraints between bodies or between joint coordinates.

use super::{BodyId, Closure, Combination, TimeFunction};
use crate::spatial::Transform;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A bilateral constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equality {
    /// Unique name.
    pub name: String,
    /// What is held.
    pub kind: EqualityKind,
}

/// What an equality constraint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EqualityKind {
    /// Two points coincide: one in the frame of each body's base.
    Connect {
        /// The bodies.
        bodies: [BodyId; 2],
        /// The points (m).
        anchors: [Vector3<f64>; 2],
    },
    /// Two frames coincide: one in the frame of each body's base.
    Weld {
        /// The bodies.
        bodies: [BodyId; 2],
        /// The frames.
        frames: [Transform; 2],
    },
    /// Two frames are joined by a chain of joints.
    Closure(Closure),
    /// One combination of joint coordinates is a polynomial of another.
    Coupling(Coupling),
}

/// `y = a0 + a1 x + a2 x^2 + a3 x^3 + a4 x^4 + f(t)`, where y and x are the differences of two combinations of joint
/// coordinates to their values at [`Model::q0`](crate::model::Model::q0), and f is a function of time, if there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coupling {
    /// y.
    pub dependent: Combination,
    /// x; without terms when y is fixed.
    pub independent: Combination,
    /// The coefficients, the constant first.
    pub polynomial: [f64; 5],
    /// f.
    pub motion: Option<TimeFunction>,
}
