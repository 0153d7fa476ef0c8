//! Axis-aligned bounding boxes.

use nalgebra::Vector3;

/// An axis-aligned box; touching boxes count as overlapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner (m).
    pub min: Vector3<f64>,
    /// Highest corner (m).
    pub max: Vector3<f64>,
}

impl Aabb {
    /// The box grown by `margin` (m) on every side.
    pub fn enlarged(&self, margin: f64) -> Self {
        Self { min: self.min.add_scalar(-margin), max: self.max.add_scalar(margin) }
    }

    /// The smallest box that holds both.
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// Whether the boxes have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether no corner is infinite or not a number.
    pub(crate) fn is_finite(&self) -> bool {
        self.min.iter().chain(self.max.iter()).all(|x| x.is_finite())
    }
}
