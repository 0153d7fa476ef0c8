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

use crate::model::build::assembly::Assembly;
use crate::model::build::check;
use crate::model::build::error::{Element, ElementKind, ModelError};
use crate::model::build::names::NameSpace;
use crate::model::build::relations::relation;
use crate::model::build::spec::{BodyId, EqualitySpec, JointSpec};
use crate::model::{JointKind, Model};
use crate::spatial::Transform;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A loop-closing joint as a person or a file describes it.
#[derive(Clone, Debug)]
pub struct ClosureSpec {
    /// Unique name or empty.
    pub name: String,
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// Frame on the first body, in its frame.
    pub frame: Transform,
    /// Frame on the second; `None`: where the first frame is at `q0`.
    pub second_frame: Option<Transform>,
    /// Joints in turn. Their axes and positions are in the frame, as the joints before have moved it. One without a name
    /// has the closure's, with its number if there are several.
    pub joints: Vec<JointSpec>,
}

impl ClosureSpec {
    /// A chain of joints through a frame of the first body; the second is joined as it is at `q0`.
    pub fn new(name: &str, bodies: [BodyId; 2], frame: Transform, joints: Vec<JointSpec>) -> Self {
        Self { name: name.to_owned(), bodies, frame, second_frame: None, joints }
    }
}

impl JointSpec {
    /// Hinges about the axes x and y, in this order.
    pub fn universal() -> Vec<Self> {
        vec![Self::hinge(Vector3::x()), Self::hinge(Vector3::y())]
    }

    /// A slide along z and a hinge about it.
    pub fn cylindrical() -> Vec<Self> {
        vec![Self::slide(Vector3::z()), Self::hinge(Vector3::z())]
    }

    /// Slides along x and y and a hinge about z.
    pub fn planar() -> Vec<Self> {
        vec![Self::slide(Vector3::x()), Self::slide(Vector3::y()), Self::hinge(Vector3::z())]
    }
}

/// A loop-closing joint of a model. Bodies are numbers in [`Model::bodies`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closure {
    /// The bodies.
    pub bodies: [usize; 2],
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
    pub equality: usize,
    /// Links of the bodies that it ties; `None` stands for the world or a prescribed body.
    pub links: [Option<usize>; 2],
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

    /// Index of the loop-closing joint with this name.
    pub fn loop_joint(&self, name: &str) -> Option<usize> {
        self.loop_joints.iter().position(|joint| joint.name == name)
    }
}

/// Adds the joints of all closures among the equalities; the closures themselves in their order.
pub(crate) fn add_closures(
    assembly: &mut Assembly,
    specs: &[EqualitySpec],
    elements: &[Element],
) -> Result<Vec<Closure>, ModelError> {
    let closures: Vec<(usize, &ClosureSpec)> = (specs.iter().enumerate())
        .filter_map(|(number, spec)| match spec {
            EqualitySpec::Closure(closure) => Some((number, closure)),
            _ => None,
        })
        .collect();
    let joints = closures.iter().flat_map(|(_, closure)| &closure.joints);
    let given = joints.map(|joint| joint.name.as_str());
    let trees = assembly.model.links.iter().map(|link| link.name.as_str());
    let mut names = NameSpace::claim(ElementKind::Joint, trees.chain(given))?;
    let add = |(number, spec): &(usize, &ClosureSpec)| {
        add_closure(assembly, &mut names, *number, &elements[*number], spec)
    };
    closures.iter().map(add).collect()
}

fn add_closure(
    assembly: &mut Assembly,
    names: &mut NameSpace,
    equality: usize,
    element: &Element,
    spec: &ClosureSpec,
) -> Result<Closure, ModelError> {
    let bodies @ [a, b] = relation(assembly, element, spec.bodies)?;
    check::pose(element, "frame", &spec.frame)?;
    if let Some(frame) = &spec.second_frame {
        check::pose(element, "second frame", frame)?;
    }
    let freedoms: usize = spec.joints.iter().map(|joint| joint.kind.nv()).sum();
    if freedoms > 6 {
        return Err(ModelError::ClosureFreedoms { element: element.clone(), freedoms });
    }
    let first = assembly.model.loop_joints.len();
    let mut in_carrier = Transform::identity();
    for (index, joint) in spec.joints.iter().enumerate() {
        let name = names.resolve(&joint.name, || match spec.joints.len() {
            1 => element.name.clone(),
            _ => format!("{}/joint {index}", element.name),
        });
        let kind = check::joint(&name, joint)?;
        let anchor = match kind {
            JointKind::Hinge { .. } | JointKind::Ball => joint.position,
            JointKind::Slide { .. } => Vector3::zeros(),
            JointKind::Free => return Err(ModelError::FreeInClosure { element: name }),
        };
        assembly.model.push_loop_joint(LoopJoint {
            name: name.name,
            equality,
            links: bodies.map(|body| assembly.model.bodies[body].base.link()),
            placement: in_carrier * Transform::from_translation(anchor),
            kind,
            q: 0,
            v: 0,
            reference: joint.reference,
            range: joint.range,
            stiffness: joint.stiffness,
            spring_reference: joint.spring_reference,
            damping: joint.damping,
            armature: joint.armature,
            friction_loss: joint.friction_loss,
        });
        in_carrier = Transform::from_translation(-anchor);
    }
    let second =
        spec.second_frame.unwrap_or_else(|| assembly.world[b].inverse() * assembly.world[a] * spec.frame);
    // The chain ends at the last joint's anchor.
    let frames = [
        assembly.model.bodies[a].pose * spec.frame,
        assembly.model.bodies[b].pose * second * in_carrier.inverse(),
    ];
    Ok(Closure { bodies, frames, joints: first..assembly.model.loop_joints.len() })
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
