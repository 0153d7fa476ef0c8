//! Kinematic trees: joints, the links they move, and generalized velocities.

use super::{BodyId, LinkId, TendonId, TreeId};
use crate::spatial::{Inertia, Transform};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// How a link may move against its parent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// Six degrees of freedom against the world: `q = [x y z qw qx qy qz]`, `v = [velocity of the origin in
    /// world axes, angular velocity in body axes]`.
    Free,
    /// Three rotations: `q` a unit quaternion (w first), `v` the relative angular velocity in the link's axes.
    Ball,
    /// Rotation about a unit axis given in the link's frame (rad).
    Hinge {
        /// Unit axis in the link's frame.
        axis: Vector3<f64>,
    },
    /// Translation along a unit axis given in the link's frame (m).
    Slide {
        /// Unit axis in the link's frame.
        axis: Vector3<f64>,
    },
}

impl JointKind {
    /// Whether its coordinates are angles; a free joint has both, and neither range nor friction.
    pub(crate) fn is_angular(&self) -> bool {
        matches!(self, JointKind::Ball | JointKind::Hinge { .. })
    }

    /// Number of configuration coordinates.
    pub fn nq(&self) -> usize {
        match self {
            JointKind::Free => 7,
            JointKind::Ball => 4,
            JointKind::Hinge { .. } | JointKind::Slide { .. } => 1,
        }
    }

    /// Number of generalized velocities.
    pub fn nv(&self) -> usize {
        match self {
            JointKind::Free => 6,
            JointKind::Ball => 3,
            JointKind::Hinge { .. } | JointKind::Slide { .. } => 1,
        }
    }
}

/// A joint and the rigid body part it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Name of the joint.
    pub name: String,
    /// The body this link belongs to.
    pub body: BodyId,
    /// The link this one is attached to; `None` is the world.
    pub parent: Option<LinkId>,
    /// Pose of the link frame in the parent link (or the world) at zero joint displacement. The link's origin is
    /// the joint's anchor, its axes are the body's.
    pub placement: Transform,
    /// Kind of joint.
    pub kind: JointKind,
    /// Inertia of everything fixed to the link, about the link's origin in the link's axes. Zero for the
    /// intermediate links of a body with several joints.
    pub inertia: Inertia,
    /// First configuration coordinate.
    pub q: usize,
    /// First generalized velocity.
    pub v: usize,
    /// The tree this link is in.
    pub tree: TreeId,
    /// Configuration value of a hinge or slide at zero displacement (rad or m).
    pub reference: f64,
    /// Limits: hinge and slide `[lower, upper]` of q; ball `[0, largest rotation angle]`. If both are the same, an equality of the
    /// model, "range of joint NAME", holds the joint there.
    pub range: Option<[f64; 2]>,
    /// Spring stiffness (N m/rad or N/m).
    pub stiffness: f64,
    /// Configuration at which the spring is relaxed (hinge, slide; a ball's spring is relaxed at `q0`).
    pub spring_reference: f64,
}

impl Link {
    /// By how much a displacement of all generalized velocities turns the joint (rad).
    pub(crate) fn turn(&self, displacement: &[f64]) -> f64 {
        let norm = |first: usize| Vector3::from_column_slice(&displacement[self.v + first..][..3]).norm();
        match self.kind {
            JointKind::Hinge { .. } => displacement[self.v].abs(),
            JointKind::Slide { .. } => 0.0,
            JointKind::Ball => norm(0),
            JointKind::Free => norm(3),
        }
    }

    /// By how much it shifts the joint (m).
    pub(crate) fn shift(&self, displacement: &[f64]) -> f64 {
        match self.kind {
            JointKind::Hinge { .. } | JointKind::Ball => 0.0,
            JointKind::Slide { .. } => displacement[self.v].abs(),
            JointKind::Free => Vector3::from_column_slice(&displacement[self.v..][..3]).norm(),
        }
    }
}

/// One generalized velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dof {
    /// The link it moves.
    pub link: LinkId,
    /// The next dof towards the root of the tree; `None` at the root.
    pub parent: Option<usize>,
    /// Viscous damping (N m s/rad or N s/m).
    pub damping: f64,
    /// Reflected rotor inertia added to the diagonal of the mass matrix (kg m^2 or kg).
    pub armature: f64,
    /// Dry friction of the joint: largest generalized force (N m or N).
    pub friction_loss: f64,
}

/// A kinematic tree: contiguous links and generalized velocities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Its links, parents before children.
    pub links: std::ops::Range<usize>,
    /// Its generalized velocities.
    pub dofs: std::ops::Range<usize>,
    /// Its configuration coordinates.
    pub coords: std::ops::Range<usize>,
    /// Whether it is a single rigid body on a free joint.
    pub lone_body: bool,
    /// Tendons over its joints, in the order of their names.
    pub tendons: Vec<TendonId>,
    /// Place in the order of the names of the trees' first joints. It orders sums over trees, so results do not depend
    /// on insertion order.
    pub rank: u32,
}
