//! What can be wrong with a scene, in typed errors whose messages name the element, the value and what would be
//! right.
//!
//! Long, since every way in which a scene can be wrong is a variant with its sentence.

use super::element::{Element, ElementKind};
use crate::geometry::ShapeError;

/// Why a model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A [`BodyHandle`](crate::model::BodyHandle) of another builder.
    #[error("{element}: body number {id} is not in this builder; use what its own `add_body` returned")]
    UnknownBody {
        /// What refers to the body.
        element: Element,
        /// The number.
        id: usize,
    },
    /// Two elements of one kind with one name.
    #[error("{element} exists twice; names must be unique among elements of a kind")]
    DuplicateName {
        /// Their kind and name.
        element: Element,
    },
    /// A number that is NaN or infinite.
    #[error("{element}: {quantity} is {value:?}; it must be finite")]
    NotFinite {
        /// Where.
        element: Element,
        /// What.
        quantity: &'static str,
        /// The number.
        value: f64,
    },
    /// A number below zero where none may be.
    #[error("{element}: {quantity} is {value:?}; it must not be negative")]
    Negative {
        /// Where.
        element: Element,
        /// What.
        quantity: &'static str,
        /// The number.
        value: f64,
    },
    /// A number that must be above zero.
    #[error("{element}: {quantity} is {value:?}; it must be greater than zero")]
    NotPositive {
        /// Where.
        element: Element,
        /// What.
        quantity: &'static str,
        /// The number.
        value: f64,
    },
    /// A matrix that does not rotate.
    #[error(
        "{element}: the rotation of its {quantity} is off by {deviation:.1e}; its columns must be orthonormal \
         (to 1e-9) and right-handed"
    )]
    NotARotation {
        /// Where.
        element: Element,
        /// What.
        quantity: &'static str,
        /// Largest entry of `R^T R - 1`, or `1 - det R` of a reflection.
        deviation: f64,
    },
    /// An axis without direction.
    #[error("{element}: its axis is zero; it must have a direction")]
    ZeroAxis {
        /// The joint.
        element: Element,
    },
    /// Limits that hold nothing between them.
    #[error("{element}: {quantity} [{}, {}] is empty; the lower end must be below the upper", .range[0], .range[1])]
    EmptyRange {
        /// Where.
        element: Element,
        /// What.
        quantity: &'static str,
        /// The limits.
        range: [f64; 2],
    },
    /// Limits on a ball joint that are not a largest angle.
    #[error(
        "{element}: the range [{}, {}] of a ball joint must be [0, largest angle in rad]", .range[0], .range[1]
    )]
    BallRange {
        /// The joint.
        element: Element,
        /// The limits.
        range: [f64; 2],
    },
    /// Limits on a free joint.
    #[error("{element}: a free joint cannot have a range")]
    FreeRange {
        /// The joint.
        element: Element,
    },
    /// An inertia matrix that is not symmetric.
    #[error("{element}: its inertia is not symmetric ({upper:?} against {lower:?} across the diagonal)")]
    AsymmetricInertia {
        /// The body.
        element: Element,
        /// Entry above the diagonal (kg m^2).
        upper: f64,
        /// Its mirror image (kg m^2).
        lower: f64,
    },
    /// An inertia matrix with a negative principal moment.
    #[error(
        "{element}: its inertia has the negative principal moment {moment:.4e} kg m^2; none may be below zero"
    )]
    NegativeInertia {
        /// The body.
        element: Element,
        /// The moment (kg m^2).
        moment: f64,
    },
    /// Principal moments that no distribution of mass has.
    #[error(
        "{element}: its largest principal moment of inertia exceeds the sum of the others, {}; no distribution \
         of mass has such an inertia", comparison(*.largest, *.sum)
    )]
    ImpossibleInertia {
        /// The body.
        element: Element,
        /// The largest principal moment (kg m^2).
        largest: f64,
        /// The sum of the other two (kg m^2).
        sum: f64,
    },
    /// A free joint among others.
    #[error("{element}: a free joint must be the only joint of its body, and body `{body}` has {joints}")]
    FreeJointNotAlone {
        /// The joint.
        element: Element,
        /// Its body.
        body: String,
        /// Number of joints of the body.
        joints: usize,
    },
    /// A free joint inside a tree.
    #[error(
        "{element}: body `{body}` is a child of `{parent}`; a body with a free joint must be a child of the world"
    )]
    FreeJointBelow {
        /// The joint.
        element: Element,
        /// Its body.
        body: String,
        /// The parent.
        parent: String,
    },
    /// A mocap body that is not a child of the world.
    #[error("{element}: a mocap body must be a child of the world, not of `{parent}`")]
    MocapBelow {
        /// The body.
        element: Element,
        /// The parent.
        parent: String,
    },
    /// A mocap body with joints.
    #[error("{element}: a mocap body moves as prescribed and cannot have joints, it has {joints}")]
    MocapWithJoints {
        /// The body.
        element: Element,
        /// Number of joints.
        joints: usize,
    },
    /// A jointed body on a mocap body.
    #[error(
        "{element}: it has joints, but hangs on the mocap body `{mocap}`, whose descendants cannot have any; hold it with an equality instead"
    )]
    JointBelowMocap {
        /// The body.
        element: Element,
        /// The mocap ancestor.
        mocap: String,
    },
    /// A joint or a mass on the world.
    #[error("{element}: the world cannot have {quantity}")]
    WorldIsFixed {
        /// The world.
        element: Element,
        /// What it was given.
        quantity: &'static str,
    },
    /// A plane that would move.
    #[error(
        "{element}: a plane must be fixed to the world or to a mocap body, but body `{body}` moves with joint `{joint}`; use a box"
    )]
    MovingPlane {
        /// The geom.
        element: Element,
        /// Its body.
        body: String,
        /// The joint that moves it.
        joint: String,
    },
    /// A joint with nothing to move.
    #[error(
        "{element}: body `{body}` and all below it have no mass; give one of them mass or the joint armature"
    )]
    Massless {
        /// The joint.
        element: Element,
        /// Its body.
        body: String,
    },
    /// A joint with a direction of motion without inertia.
    #[error(
        "{element}: a motion of body `{body}` in this joint moves no inertia (its axis runs through all the mass, \
         or repeats another joint of the body); give the body rotational inertia, the joint armature, or remove \
         the joint"
    )]
    SingularJoint {
        /// The joint.
        element: Element,
        /// Its body.
        body: String,
    },
    /// A joint between two bodies that leaves more freedoms than there are.
    #[error("{element}: its joints have {freedoms} freedoms; two bodies have six between them")]
    ClosureFreedoms {
        /// The closure.
        element: Element,
        /// How many.
        freedoms: usize,
    },
    /// A free joint in a loop.
    #[error("{element}: a free joint holds nothing; a loop is closed by hinges, slides and balls")]
    FreeInClosure {
        /// The joint.
        element: Element,
    },
    /// A body that cannot be free by itself.
    #[error(
        "{element}: alone it has no inertia in some direction, so it cannot be free, as redundant coordinates need it; \
         give it mass and rotational inertia about every axis"
    )]
    CannotBeFree {
        /// The body.
        element: Element,
    },
    /// A shape with impossible dimensions.
    #[error("{element}: {source}")]
    Shape {
        /// The geom.
        element: Element,
        /// What is wrong with the shape.
        source: ShapeError,
    },
    /// A contact dimension that does not exist.
    #[error("{element}: contact dimension {value}; it must be 1 (frictionless), 3, 4 or 6")]
    ContactDimension {
        /// The geom.
        element: Element,
        /// The number.
        value: u8,
    },
    /// A reference to a name that does not exist.
    #[error("{element}: there is no {} called `{target}`{}", .kind.word(), did_you_mean(.suggestion))]
    UnknownName {
        /// What refers.
        element: Element,
        /// Kind of what it refers to.
        kind: ElementKind,
        /// The name.
        target: String,
        /// The closest existing name.
        suggestion: Option<String>,
    },
    /// A servo on a joint without a scalar coordinate.
    #[error(
        "{element}: gain {gain:?} and bias {bias:?} on the ball or free joint `{joint}`; such joints take only drives \
         with constant gain and without bias"
    )]
    BiasOnRotation {
        /// The actuator.
        element: Element,
        /// The joint.
        joint: String,
        /// The gain.
        gain: [f64; 3],
        /// The bias.
        bias: [f64; 3],
    },
    /// A coupling or tendon over a joint without a scalar coordinate.
    #[error("{element}: joint `{joint}` is a ball or free joint; a hinge or slide is needed")]
    NotScalar {
        /// The equality or tendon.
        element: Element,
        /// The joint.
        joint: String,
    },
    /// A tendon over nothing.
    #[error("{element}: no joints; a fixed tendon needs at least one, with a weight")]
    EmptyTendon {
        /// The tendon.
        element: Element,
    },
    /// A cable that does not go from one point to another.
    #[error("{element}: {found} points; a cable needs two at least")]
    CablePoints {
        /// The cable.
        element: Element,
        /// Number of points.
        found: usize,
    },
    /// A cable that is shorter than nothing.
    #[error("{element}: the upper end of its range is {value} m; a length is positive")]
    CableLength {
        /// The cable.
        element: Element,
        /// The upper end (m).
        value: f64,
    },
    /// A keyframe of another size.
    #[error(
        "{element}: {quantity} has {found} numbers; this model needs {expected} (or none, for the default)"
    )]
    KeyframeLength {
        /// The keyframe.
        element: Element,
        /// Which list.
        quantity: &'static str,
        /// Its length.
        found: usize,
        /// The right length.
        expected: usize,
    },
    /// A quaternion that is zero.
    #[error("{element}: the quaternion of joint `{joint}` is zero; it must be a rotation, e.g. [1, 0, 0, 0]")]
    ZeroQuaternion {
        /// The keyframe.
        element: Element,
        /// The joint.
        joint: String,
    },
    /// A relation of an element with itself.
    #[error("{element}: it relates `{name}` to itself; two different elements are needed")]
    SameTwice {
        /// Where.
        element: Element,
        /// The element named twice.
        name: String,
    },
    /// A relation between elements that cannot move against each other.
    #[error("{element}: `{first}` and `{second}` never move against each other; remove it")]
    NeverMove {
        /// Where.
        element: Element,
        /// First body or geom.
        first: String,
        /// Second body or geom.
        second: String,
    },
    /// A coefficient of restitution that is not from 0 to 1.
    #[error("{element}: the coefficient {value} is not from 0 (inelastic) to 1 (elastic)")]
    RestitutionRange {
        /// The rule.
        element: Element,
        /// The value.
        value: f64,
    },
    /// Two rules for one pair.
    #[error("{element} has two rules; keep one")]
    DuplicateRule {
        /// The rule.
        element: Element,
    },
    /// A model that was not built here contradicts itself.
    #[error("{element}: {what}; the model was not written by this library, or changed since")]
    Malformed {
        /// The element.
        element: Element,
        /// What is wrong.
        what: &'static str,
    },
}

impl ModelError {
    /// The element the error is about.
    pub fn element(&self) -> &Element {
        match self {
            ModelError::UnknownBody { element, .. }
            | ModelError::DuplicateName { element }
            | ModelError::NotFinite { element, .. }
            | ModelError::Negative { element, .. }
            | ModelError::NotPositive { element, .. }
            | ModelError::NotARotation { element, .. }
            | ModelError::ZeroAxis { element }
            | ModelError::EmptyRange { element, .. }
            | ModelError::BallRange { element, .. }
            | ModelError::FreeRange { element }
            | ModelError::AsymmetricInertia { element, .. }
            | ModelError::NegativeInertia { element, .. }
            | ModelError::ImpossibleInertia { element, .. }
            | ModelError::FreeJointNotAlone { element, .. }
            | ModelError::FreeJointBelow { element, .. }
            | ModelError::MocapBelow { element, .. }
            | ModelError::MocapWithJoints { element, .. }
            | ModelError::JointBelowMocap { element, .. }
            | ModelError::WorldIsFixed { element, .. }
            | ModelError::MovingPlane { element, .. }
            | ModelError::Massless { element, .. }
            | ModelError::SingularJoint { element, .. }
            | ModelError::ClosureFreedoms { element, .. }
            | ModelError::FreeInClosure { element }
            | ModelError::CannotBeFree { element }
            | ModelError::Shape { element, .. }
            | ModelError::ContactDimension { element, .. }
            | ModelError::UnknownName { element, .. }
            | ModelError::BiasOnRotation { element, .. }
            | ModelError::NotScalar { element, .. }
            | ModelError::EmptyTendon { element }
            | ModelError::CablePoints { element, .. }
            | ModelError::CableLength { element, .. }
            | ModelError::KeyframeLength { element, .. }
            | ModelError::ZeroQuaternion { element, .. }
            | ModelError::SameTwice { element, .. }
            | ModelError::NeverMove { element, .. }
            | ModelError::RestitutionRange { element, .. }
            | ModelError::DuplicateRule { element }
            | ModelError::Malformed { element, .. } => element,
        }
    }
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// `a > b` with as many digits, four at least, as it takes to see the difference.
pub(crate) fn comparison(a: f64, b: f64) -> String {
    let mut digits = 4;
    while digits < 17 && rounded(a, digits) == rounded(b, digits) {
        digits += 1;
    }
    format!("{:?} > {:?}", rounded(a, digits), rounded(b, digits))
}

/// The number rounded to a count of significant decimal digits.
fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}
