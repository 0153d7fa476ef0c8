//! What joints, connects and welds transmitted in a step, and what drives and tendons pulled with.

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

/// What the parts of a mechanism transmitted in a step; all means over it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Transmitted {
    /// Of every joint that is not free, in the order of the model, then every joint that closes a loop, then every connect and weld.
    pub joints: Vec<JointForce>,
    /// Force of each actuator before its gear (N, or N m where it turns something); with the implicit rule that of the step's end.
    pub actuators: Vec<f64>,
    /// Tension of each fixed tendon, positive where it shortens the tendon (N, or N m of a tendon over hinges alone): of its spring,
    /// damper, drives, dry friction and limits together. Cables, which act at an end of their range only, are among the limits.
    pub tendons: Vec<f64>,
}

impl JointForce {
    /// Name of the joint or equality.
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        self.source.name_of(model, self.index)
    }
}
