//! Loop-closing joints: a joint, or several in turn, between two bodies that other joints move already.
//!
//! A frame on the first body and a frame on the second are joined by a *chain* of hinges, slides and balls:
//!
//! ```text
//! base_1 frame_1 T_1 R_1(theta_1) T_2 R_2(theta_2) ... = base_2 frame_2
//! ```
//!
//! with fixed `T_k` and the joints' motions `R_k`. The chain's freedoms are left to the bodies, the other directions, six
//! minus their number, are held:
//!
//! | closure | chain | rows |
//! |---|---|---|
//! | weld | nothing | 6 |
//! | hinge, slide | one joint along z | 5 |
//! | universal | hinges about x, then y | 4 |
//! | cylindrical | a slide and a hinge along z | 4 |
//! | ball | a ball | 3 |
//! | planar | slides along x and y, a hinge about z | 3 |
//!
//! The chain's joints, [`LoopJoint`]s, may be limited, driven, sprung, damped, coupled and have friction like those of trees.
//! Their coordinates follow from the configuration of the bodies; they are numbered after those of the trees.

use super::{BodyId, EqualityId, JointKind, LinkId, LoopJointId, Model};
use crate::spatial::Transform;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A loop-closing joint of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closure {
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// Frames that the chain joins, in the frames of the bodies' bases.
    pub frames: [Transform; 2],
    /// The chain in [`Model::loop_joints`].
    pub joints: Range<usize>,
}

/// A joint of a loop-closing chain. Its quantities are those of a [`Link`](crate::model::Link) and its [`Dof`](crate::model::Dof)s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopJoint {
    /// Name, unique among all joints.
    pub name: String,
    /// The equality it is part of.
    pub equality: EqualityId,
    /// Links of the bodies that it ties; `None` stands for the world or a prescribed body.
    pub links: [Option<LinkId>; 2],
    /// Pose at zero displacement in the frame before it.
    pub placement: Transform,
    /// Kind; not free.
    pub kind: JointKind,
    /// First coordinate; those of loops follow those of trees.
    pub q: usize,
    /// First velocity, likewise.
    pub v: usize,
    /// Coordinate of a hinge or slide at zero displacement (rad or m).
    pub reference: f64,
    /// Limits, see [`crate::model::Link::range`].
    pub range: Option<[f64; 2]>,
    /// Spring stiffness (N m/rad or N/m).
    pub stiffness: f64,
    /// Coordinate at which the spring is relaxed (hinge, slide; a ball's spring is relaxed at zero displacement).
    pub spring_reference: f64,
    /// Viscous damping (N m s/rad or N s/m).
    pub damping: f64,
    /// Reflected rotor inertia: adds half of it times the square of the rate to the kinetic energy (kg m^2 or kg).
    pub armature: f64,
    /// Dry friction: largest generalized force (N m or N).
    pub friction_loss: f64,
}

impl LoopJoint {
    /// The velocities of the joint among all.
    pub fn dofs(&self) -> Range<usize> {
        self.v..self.v + self.kind.nv()
    }

    /// The coordinates of the joint among all.
    pub fn coords(&self) -> Range<usize> {
        self.q..self.q + self.kind.nq()
    }

    /// Whether it is more than a direction that is left free: limited, sprung, damped, with a rotor or friction.
    pub fn acts(&self) -> bool {
        let passive = [self.stiffness, self.damping, self.armature, self.friction_loss];
        self.range.is_some() || passive.iter().any(|x| *x > 0.0)
    }
}

impl Model {
    /// Number of velocities of loop-closing joints.
    pub fn loop_nv(&self) -> usize {
        self.loop_joints.last().map_or(0, |joint| joint.v + joint.kind.nv() - self.nv())
    }

    /// The loop-closing joint with this name.
    pub fn loop_joint(&self, name: &str) -> Option<LoopJointId> {
        self.loop_joints.iter().position(|joint| joint.name == name).map(LoopJointId::new)
    }
}

impl Model {
    /// Adds a joint of a loop, whose coordinates come after all others.
    pub(crate) fn push_loop_joint(&mut self, joint: LoopJoint) {
        let (q, v) = (self.nq() + self.loop_q0.len(), self.nv() + self.loop_nv());
        match joint.kind {
            JointKind::Ball => self.loop_q0.extend([1.0, 0.0, 0.0, 0.0]),
            _ => self.loop_q0.push(joint.reference),
        }
        self.loop_joints.push(LoopJoint { q, v, ..joint });
    }
}
