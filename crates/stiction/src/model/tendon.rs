//! Fixed tendons (weighted sums of joint coordinates) and cables (straight from point to point).

use super::{BodyId, Combination};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A fixed tendon: a weighted sum of joint coordinates, its *length*, with a force along it. A tension `f` acts on each
/// joint with `-f` times its weight; lengths have the unit of the joints' coordinates times their weights, here called
/// metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tendon {
    /// Unique name.
    pub name: String,
    /// The length.
    pub path: Combination,
    /// Limits of the length (m).
    pub range: Option<[f64; 2]>,
    /// Spring stiffness (N/m).
    pub stiffness: f64,
    /// The spring is relaxed between these lengths (m).
    pub spring_range: [f64; 2],
    /// Viscous damping (N s/m).
    pub damping: f64,
    /// Dry friction: largest force (N).
    pub friction_loss: f64,
}

impl Tendon {
    /// How far a length is above the range in which the spring is relaxed, or below it (negative) (m).
    pub fn stretch(&self, length: f64) -> f64 {
        let [low, high] = self.spring_range;
        (length - high).max(0.0) + (length - low).min(0.0)
    }
}

/// A cable: runs straight from point to point, each fixed to a body, and its length is limited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cable {
    /// Unique name, among those of tendons too.
    pub name: String,
    /// Bodies ([`Model::bodies`](crate::model::Model::bodies)) and points in the frames of their bases (m), two at least.
    pub points: Vec<(BodyId, Vector3<f64>)>,
    /// Limits of the length (m). A rope has a lower end of zero.
    pub range: [f64; 2],
}
