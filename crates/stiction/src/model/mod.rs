//! The model: everything about a scene that does not change while it moves.
//!
//! A scene is a forest of kinematic trees. Users describe *bodies* (possibly with several joints each, as MJCF
//! allows); the dynamics works on *links*, one joint each, where all but the last link of a body with several
//! joints are massless and a body without joints is part of its parent's link.

pub(crate) mod build;
pub(crate) mod closure;
pub(crate) mod combination;
pub(crate) mod contact_rules;
pub(crate) mod inertial;
pub(crate) mod state;
pub(crate) mod time_function;

pub use build::ModelBuilder;
pub use build::{
    ActuatorSpec, BodyId, BodySpec, CableSpec, EqualitySpec, GeomSpec, Inertial, JointSpec, Target,
    TendonSpec,
};
pub use build::{Element, ElementKind, ModelError};
pub use closure::{Closure, ClosureSpec, LoopJoint};
pub use combination::{Combination, Term};
pub use state::{Mocap, State};
pub use time_function::{TimeFunction, TimeFunctionError};

use crate::contact::Law;
use crate::geometry::Shape;
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
    pub body: usize,
    /// The link this one is attached to; `None` is the world.
    pub parent: Option<usize>,
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
    pub tree: usize,
    /// Configuration value of a hinge or slide at zero displacement (rad or m).
    pub reference: f64,
    /// Limits: hinge and slide `[lower, upper]` of q; ball `[0, largest rotation angle]`.
    pub range: Option<[f64; 2]>,
    /// Spring stiffness (N m/rad or N/m).
    pub stiffness: f64,
    /// Configuration at which the spring is relaxed (hinge, slide; a ball's spring is relaxed at `q0`).
    pub spring_reference: f64,
}

/// One generalized velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dof {
    /// The link it moves.
    pub link: usize,
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
    pub tendons: Vec<usize>,
    /// Place in the order of the names of the trees' first joints. It orders sums over trees, so results do not depend
    /// on insertion order.
    pub rank: u32,
}

/// What a body moves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Base {
    /// Fixed to the world.
    World,
    /// Moved as prescribed: index into the state's mocap entries.
    Mocap(usize),
    /// Fixed to a link.
    Link(usize),
}

impl Base {
    /// The link, unless it is the world or a prescribed body.
    pub fn link(self) -> Option<usize> {
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
    pub parent: usize,
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
    pub weld: usize,
}

/// A collision shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geom {
    /// Unique name; unnamed geoms are called `BODY/INDEX`.
    pub name: String,
    /// The body it is fixed to.
    pub body: usize,
    /// Shape.
    pub shape: Shape,
    /// Pose in the frame of the body's *base* (world, mocap body or link).
    pub pose: Transform,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// 1: frictionless; 3 and more: friction (MuJoCo's `condim`).
    pub contact_dimension: u8,
    /// Collision group bits.
    pub contype: u32,
    /// Collision affinity bits.
    pub conaffinity: u32,
    /// The geom with higher priority decides the contact parameters of a pair.
    pub priority: i32,
    /// Name of the material.
    pub material: Option<String>,
    /// Colour in pictures: red, green, blue and opacity from 0 to 1.
    pub color: Option<[f64; 4]>,
    /// Velocity of the surface against the geom, in the geom's frame (m/s): a conveyor belt.
    pub surface_velocity: Vector3<f64>,
    /// Place in the order of all geom names. It orders contacts, so results do not depend on insertion order.
    pub rank: u32,
}

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
    /// Bodies ([`Model::bodies`]) and points in the frames of their bases (m), two at least.
    pub points: Vec<(usize, Vector3<f64>)>,
    /// Limits of the length (m). A rope has a lower end of zero.
    pub range: [f64; 2],
}

/// What a drive acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transmission {
    /// The joint of this link.
    Joint(usize),
    /// This joint of a loop: index into [`Model::loop_joints`].
    Loop(usize),
    /// This tendon.
    Tendon(usize),
}

/// A drive: `force = (gain . x) ctrl + bias . x` with `x = (1, length, rate)`. On a joint `length = gear q`,
/// `rate = gear v` and the generalized force is `gear * force`; on a tendon the same holds of its length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actuator {
    /// Unique name.
    pub name: String,
    /// What is driven.
    pub transmission: Transmission,
    /// Transmission ratio per generalized velocity of the joint (one used for hinge, slide and tendon).
    pub gear: [f64; 6],
    /// Constant, length and rate coefficients of the gain on the control.
    pub gain: [f64; 3],
    /// The same of the bias.
    pub bias: [f64; 3],
    /// Controls are clamped to this.
    pub control_range: Option<[f64; 2]>,
    /// The force is clamped to this (N or N m, before the gear).
    pub force_range: Option<[f64; 2]>,
}

/// A bilateral constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equality {
    /// Unique name.
    pub name: String,
    /// What is held.
    pub kind: EqualityKind,
}

/// What an equality constraint holds. Bodies are numbers in [`Model::bodies`]; 0 is the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EqualityKind {
    /// Two points coincide: one in the frame of each body's base.
    Connect {
        /// The bodies.
        bodies: [usize; 2],
        /// The points (m).
        anchors: [Vector3<f64>; 2],
    },
    /// Two frames coincide: one in the frame of each body's base.
    Weld {
        /// The bodies.
        bodies: [usize; 2],
        /// The frames.
        frames: [Transform; 2],
    },
    /// Two frames are joined by a chain of joints.
    Closure(Closure),
    /// One combination of joint coordinates is a polynomial of another.
    Coupling(Coupling),
}

/// `y = a0 + a1 x + a2 x^2 + a3 x^3 + a4 x^4 + f(t)`, where y and x are the differences of two combinations of joint
/// coordinates to their values at [`Model::q0`], and f is a function of time, if there is one.
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

/// A stored state. A list without numbers stands for the default: the reference pose, at rest, without control.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Keyframe {
    /// Name.
    pub name: String,
    /// Time (s).
    pub time: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Generalized velocity.
    pub v: Vec<f64>,
    /// Coordinates of the joints that close loops, from which whole turns are counted.
    pub loop_q: Vec<f64>,
    /// Controls.
    pub ctrl: Vec<f64>,
    /// Pose of every mocap body in the world, by mocap index.
    pub mocap: Vec<Transform>,
}

/// Contact parameters that replace the rules for one pair of geoms (MJCF `<pair>`), which then always may collide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRule {
    /// The geoms, lesser index first.
    pub geoms: [usize; 2],
    /// Law of their contacts.
    pub law: Law,
}

/// The law between two materials, in either order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialRule {
    /// Names of the materials.
    pub materials: [String; 2],
    /// Law of their contacts.
    pub law: Law,
}

/// The coefficient of restitution between two materials, in either order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialRestitution {
    /// Names of the materials.
    pub materials: [String; 2],
    /// Coefficient of restitution of their contacts, 0 to 1.
    pub restitution: f64,
}

/// A scene that is ready to move. Immutable; share it between simulations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Name of the scene.
    pub name: String,
    /// Gravity (m/s^2).
    pub gravity: Vector3<f64>,
    /// Time step (s).
    pub timestep: f64,
    /// Bodies, parents before children; body 0 is the world.
    pub bodies: Vec<Body>,
    /// Links, parents before children, tree after tree.
    pub links: Vec<Link>,
    /// Trees.
    pub trees: Vec<Tree>,
    /// Generalized velocities.
    pub dofs: Vec<Dof>,
    /// Collision shapes.
    pub geoms: Vec<Geom>,
    /// Fixed tendons.
    pub tendons: Vec<Tendon>,
    /// Cables.
    pub cables: Vec<Cable>,
    /// Drives.
    pub actuators: Vec<Actuator>,
    /// Bilateral constraints.
    pub equalities: Vec<Equality>,
    /// Joints of the closures among them.
    pub loop_joints: Vec<LoopJoint>,
    /// Their coordinates at zero displacement.
    pub loop_q0: Vec<f64>,
    /// Stored states.
    pub keyframes: Vec<Keyframe>,
    /// Mocap bodies, by mocap index.
    pub mocap_bodies: Vec<usize>,
    /// Initial pose of each mocap body in the world. (A mocap body is its own base, so its `Body::pose` is the
    /// identity.)
    pub mocap_poses: Vec<Transform>,
    /// Initial twist of each mocap body: angular then linear velocity of its origin, world axes (rad/s, m/s).
    pub mocap_velocities: Vec<[Vector3<f64>; 2]>,
    /// Configuration at zero joint displacement.
    pub q0: Vec<f64>,
    /// Rules for single pairs, sorted by geoms.
    pub pair_rules: Vec<PairRule>,
    /// Rules for pairs of materials.
    pub material_rules: Vec<MaterialRule>,
    /// Law of contacts that no rule is about, in place of Coulomb's with the friction of the geoms.
    pub default_law: Option<Law>,
    /// Coefficients of restitution by pairs of materials.
    pub material_restitutions: Vec<MaterialRestitution>,
    /// Coefficient of restitution of all other contacts, 0 to 1.
    pub default_restitution: f64,
    /// Pairs of bodies that never collide, lesser index first, sorted.
    pub excluded: Vec<[usize; 2]>,
    /// What the contact rules need to know of each geom.
    contact_table: contact_rules::ContactTable,
}

impl Model {
    /// Number of configuration coordinates.
    pub fn nq(&self) -> usize {
        self.q0.len()
    }

    /// Number of generalized velocities.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Sum of all masses (kg).
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.mass).sum()
    }

    /// Index of the body with this name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// Index of the link whose joint has this name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }

    /// Index of the geom with this name.
    pub fn geom(&self, name: &str) -> Option<usize> {
        self.geoms.iter().position(|g| g.name == name)
    }

    /// Index of the tendon with this name.
    pub fn tendon(&self, name: &str) -> Option<usize> {
        self.tendons.iter().position(|t| t.name == name)
    }

    /// Index of the actuator with this name.
    pub fn actuator(&self, name: &str) -> Option<usize> {
        self.actuators.iter().position(|a| a.name == name)
    }

    /// The keyframe with this name.
    pub fn keyframe(&self, name: &str) -> Option<&Keyframe> {
        self.keyframes.iter().find(|k| k.name == name)
    }
}
