//! What the builder takes: bodies, joints, geoms, drives and equalities as a person or a file describes them.

use crate::geometry::{MassProperties, Shape};
use crate::model::{JointKind, Law, TimeFunction};
use crate::spatial::Transform;
use nalgebra::{Matrix3, Vector3};

/// A body added to a builder. `BodyHandle::WORLD` is there from the start.
///
/// It is not the [`BodyId`](crate::model::BodyId) of the model that is built, which numbers bodies depth first and not in the
/// order in which they were added: [`Model::body`](crate::model::Model::body) finds that by name.
///
/// ```compile_fail,E0277
/// # use stiction::{BodyHandle, ModelBuilder};
/// let model = ModelBuilder::new("empty").build()?;
/// let world = &model.bodies[BodyHandle::WORLD];
/// # Ok::<(), stiction::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyHandle(pub(crate) usize);

impl BodyHandle {
    /// The world.
    pub const WORLD: BodyHandle = BodyHandle(0);
}

/// Mass properties of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the body frame (m).
    pub center_of_mass: Vector3<f64>,
    /// Inertia about the centre of mass in body axes (kg m^2).
    pub inertia: Matrix3<f64>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Unique name; empty: one is made from the parent's name and the child's number.
    pub name: String,
    /// Pose in the parent's frame at zero joint displacement.
    pub pose: Transform,
    /// Mass properties; `None`: from the geoms.
    pub inertial: Option<Inertial>,
    /// Joints against the parent, applied in this order; none: fixed to the parent.
    pub joints: Vec<JointSpec>,
    /// Shapes.
    pub geoms: Vec<GeomSpec>,
    /// Moved as prescribed (child of the world, without joints): initial angular and linear velocity, world axes.
    pub mocap: Option<[Vector3<f64>; 2]>,
}

impl Default for BodySpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            pose: Transform::identity(),
            inertial: None,
            joints: Vec::new(),
            geoms: Vec::new(),
            mocap: None,
        }
    }
}

/// A joint.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Unique name; empty: one is made from the body's name and the joint's number.
    pub name: String,
    /// Kind; the axis is in the body frame and need not have unit length.
    pub kind: JointKind,
    /// Anchor in the body frame (m); ignored for free and slide joints.
    pub position: Vector3<f64>,
    /// Limits, see [`crate::model::Link::range`].
    pub range: Option<[f64; 2]>,
    /// Value of q at zero displacement (rad or m).
    pub reference: f64,
    /// Spring stiffness.
    pub stiffness: f64,
    /// Relaxed configuration of the spring.
    pub spring_reference: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Reflected rotor inertia.
    pub armature: f64,
    /// Dry friction.
    pub friction_loss: f64,
}

impl JointSpec {
    /// A joint of this kind at the body's origin, without limits, spring, damping and friction.
    pub fn new(kind: JointKind) -> Self {
        Self {
            name: String::new(),
            kind,
            position: Vector3::zeros(),
            range: None,
            reference: 0.0,
            stiffness: 0.0,
            spring_reference: 0.0,
            damping: 0.0,
            armature: 0.0,
            friction_loss: 0.0,
        }
    }

    /// A free joint.
    pub fn free() -> Self {
        Self::new(JointKind::Free)
    }

    /// A ball joint at the body's origin.
    pub fn ball() -> Self {
        Self::new(JointKind::Ball)
    }

    /// A hinge through the body's origin about an axis in the body frame.
    pub fn hinge(axis: Vector3<f64>) -> Self {
        Self::new(JointKind::Hinge { axis })
    }

    /// A slide along an axis in the body frame.
    pub fn slide(axis: Vector3<f64>) -> Self {
        Self::new(JointKind::Slide { axis })
    }
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct GeomSpec {
    /// Unique name or empty.
    pub name: String,
    /// Shape.
    pub shape: Shape,
    /// Mass properties at density 1 kg/m^3 in the geom's frame, where they are not those of the solid shape: of a mesh
    /// that is not convex, of a shell.
    pub solid: Option<MassProperties>,
    /// Pose in the body frame.
    pub pose: Transform,
    /// Mass (kg); `None`: density times volume. Planes have none either way.
    pub mass: Option<f64>,
    /// Density (kg/m^3).
    pub density: f64,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// See [`crate::model::Geom::contact_dimension`].
    pub contact_dimension: u8,
    /// Collision group bits.
    pub contype: u32,
    /// Collision affinity bits.
    pub conaffinity: u32,
    /// Priority of its contact parameters.
    pub priority: i32,
    /// Material name.
    pub material: Option<String>,
    /// Colour in pictures: red, green, blue and opacity from 0 to 1.
    pub color: Option<[f64; 4]>,
    /// Surface velocity in the geom's frame (m/s).
    pub surface_velocity: Vector3<f64>,
}

impl GeomSpec {
    /// A shape at the body's origin with MuJoCo's defaults: density 1000 kg/m^3, friction 1.
    pub fn new(shape: Shape) -> Self {
        Self {
            name: String::new(),
            shape,
            solid: None,
            pose: Transform::identity(),
            mass: None,
            density: 1000.0,
            friction: 1.0,
            contact_dimension: 3,
            contype: 1,
            conaffinity: 1,
            priority: 0,
            material: None,
            color: None,
            surface_velocity: Vector3::zeros(),
        }
    }
}

/// A fixed tendon, see [`crate::model::Tendon`].
#[derive(Clone, Debug, Default)]
pub struct TendonSpec {
    /// Unique name or empty.
    pub name: String,
    /// Hinges and slides by name, with their weights in the length.
    pub joints: Vec<(String, f64)>,
    /// Limits of the length.
    pub range: Option<[f64; 2]>,
    /// Spring stiffness.
    pub stiffness: f64,
    /// Lengths between which the spring is relaxed; `None`: the one at which the joints' springs are.
    pub spring_range: Option<[f64; 2]>,
    /// Viscous damping.
    pub damping: f64,
    /// Dry friction.
    pub friction_loss: f64,
}

/// A cable, see [`crate::model::Cable`].
#[derive(Clone, Debug, Default)]
pub struct CableSpec {
    /// Unique name or empty.
    pub name: String,
    /// Bodies and points in their frames (m), in the order in which the cable goes through them.
    pub points: Vec<(BodyHandle, Vector3<f64>)>,
    /// Limits of the length (m).
    pub range: [f64; 2],
}

/// What a drive acts on and a coupling couples, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A joint.
    Joint(String),
    /// A tendon.
    Tendon(String),
}

impl Target {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Target::Joint(name) | Target::Tendon(name) => name,
        }
    }
}

/// A drive; see [`crate::model::Actuator`] for the force law.
#[derive(Clone, Debug)]
pub struct ActuatorSpec {
    /// Unique name or empty.
    pub name: String,
    /// What it drives.
    pub target: Target,
    /// Transmission ratios.
    pub gear: [f64; 6],
    /// Gain on the control: constant, length and rate coefficients.
    pub gain: [f64; 3],
    /// Bias: constant, length and rate coefficients.
    pub bias: [f64; 3],
    /// Control clamp.
    pub control_range: Option<[f64; 2]>,
    /// Force clamp.
    pub force_range: Option<[f64; 2]>,
}

impl ActuatorSpec {
    /// A drive whose force (N or N m) is its control.
    pub fn motor(name: &str, joint: &str) -> Self {
        Self {
            name: name.to_owned(),
            target: Target::Joint(joint.to_owned()),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            control_range: None,
            force_range: None,
        }
    }

    /// A servo that pulls a hinge or slide to the position in its control: force = kp (ctrl - q) - kv v.
    pub fn position(name: &str, joint: &str, kp: f64, kv: f64) -> Self {
        Self { gain: [kp, 0.0, 0.0], bias: [0.0, -kp, -kv], ..Self::motor(name, joint) }
    }

    /// A servo that pulls a hinge or slide to the rate in its control: force = kv (ctrl - v).
    pub fn velocity(name: &str, joint: &str, kv: f64) -> Self {
        Self { gain: [kv, 0.0, 0.0], bias: [0.0, 0.0, -kv], ..Self::motor(name, joint) }
    }
}

/// A bilateral constraint.
#[derive(Clone, Debug)]
pub enum EqualitySpec {
    /// A point of the first body is held to the second; coincident at `q0`.
    Connect {
        /// Unique name or empty.
        name: String,
        /// The bodies.
        bodies: [BodyHandle; 2],
        /// The point in the first body's frame (m).
        anchor: Vector3<f64>,
    },
    /// The second body is held at a pose relative to the first.
    Weld {
        /// Unique name or empty.
        name: String,
        /// The bodies.
        bodies: [BodyHandle; 2],
        /// Pose of the second body in the first; `None`: as at `q0`.
        relative_pose: Option<Transform>,
        /// The point, in the second body's frame, whose position is held (m).
        anchor: Vector3<f64>,
    },
    /// Two bodies are joined by a chain of joints.
    Closure(ClosureSpec),
    /// A coordinate is a polynomial of another, see [`crate::model::Coupling`].
    Coupling {
        /// Unique name or empty.
        name: String,
        /// The hinge, slide or tendon that depends.
        dependent: Target,
        /// The one it depends on; `None`: it is fixed at `polynomial[0]` from its value at `q0`.
        independent: Option<Target>,
        /// Coefficients, the constant first.
        polynomial: [f64; 5],
    },
    /// A coordinate is a function of time.
    Motion {
        /// Unique name or empty.
        name: String,
        /// The hinge, slide or tendon.
        target: Target,
        /// Its coordinate (rad or m) or length.
        function: TimeFunction,
    },
}

/// A loop-closing joint as a person or a file describes it.
#[derive(Clone, Debug)]
pub struct ClosureSpec {
    /// Unique name or empty.
    pub name: String,
    /// The bodies.
    pub bodies: [BodyHandle; 2],
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
    pub fn new(name: &str, bodies: [BodyHandle; 2], frame: Transform, joints: Vec<JointSpec>) -> Self {
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

/// A body and its parent's number.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: usize,
    pub(crate) spec: BodySpec,
}

/// The law of one pair of geoms, by name.
#[derive(Clone, Debug)]
pub(crate) struct PairSpec {
    pub(crate) geoms: [String; 2],
    pub(crate) law: Law,
}

/// The law between two materials, by name.
#[derive(Clone, Debug)]
pub(crate) struct MaterialRuleSpec {
    pub(crate) materials: [String; 2],
    pub(crate) law: Law,
}
