//! Where the removal of overlap put bodies.

use crate::model::BodyId;
use crate::spatial::Transform;

/// A body that the removal of overlap moved at the beginning of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MovedBody {
    /// The body.
    pub body: BodyId,
    /// Its pose right after that, at which the step's contacts and rows were posed (world).
    pub pose: Transform,
}

impl MovedBody {
    pub(crate) fn new(body: BodyId, pose: Transform) -> Self {
        Self { body, pose }
    }
}
