//! What a joint, a connect or a weld transmitted in a step: the mean force and moment between the two bodies.

use crate::constraint::RowSource;
use crate::model::Model;
use nalgebra::Vector3;

/// The wrench between the two bodies of a joint or of an equality, the mean over a step.
///
/// It is all that passes through the joint: what its constraint holds, and along its own axes its springs, dampers, drives, dry friction
/// and limits, and those of tendons over it. Where more is held than is needed (a redundant mechanism) it is one of many, of least norm.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointForce {
    /// [`RowSource::Joint`], or [`RowSource::Equality`] of a connect or a weld.
    pub source: RowSource,
    /// Index in [`RowSource::names`].
    pub index: usize,
    /// Anchor of the joint, or the point where the equality holds, at the beginning of the step (m, world axes). Of joints in a row that
    /// close a loop together it is where the loop is closed.
    pub point: Vector3<f64>,
    /// On the child, or the second of the two bodies (N, world axes).
    pub force: Vector3<f64>,
    /// The same about `point` (N m, world axes).
    pub moment: Vector3<f64>,
}

impl JointForce {
    /// Name of the joint or equality.
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        self.source.name_of(model, self.index)
    }
}
