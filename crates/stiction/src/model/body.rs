//! Bodies: the rigid parts of a scene as the user wrote them, and what each moves with.

use super::{BodyId, LinkId, MocapId};
use crate::spatial::Transform;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// What a body moves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Base {
    /// Fixed to the world.
    World,
    /// Moved as prescribed.
    Mocap(MocapId),
    /// Fixed to a link.
    Link(LinkId),
}

impl Base {
    /// The link, unless it is the world or a prescribed body.
    pub fn link(self) -> Option<LinkId> {
        match self {
            Base::Link(link) => Some(link),
            Base::World | Base::Mocap(_) => None,
        }
    }
}

/// A named body, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Parent body; the world (body 0) is its own parent.
    pub parent: BodyId,
    /// What it moves with.
    pub base: Base,
    /// Pose in the base's frame.
    pub pose: Transform,
    /// Own mass (kg), without children.
    pub mass: f64,
    /// Own centre of mass in the body frame (m).
    pub center_of_mass: Vector3<f64>,
    /// Nearest ancestor or self that moves against its parent (or is a mocap body); the world otherwise. Bodies
    /// with the same value are welded together.
    pub weld: BodyId,
}
