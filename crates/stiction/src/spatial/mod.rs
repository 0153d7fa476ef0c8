//! Spatial algebra: transforms, rotations, motions, forces and inertias.

pub(crate) mod articulated;
pub(crate) mod inertia;
pub(crate) mod mobility;
pub(crate) mod motion;
pub(crate) mod rotation;
pub(crate) mod transform;

pub use articulated::ArticulatedInertia;
pub use inertia::Inertia;
pub use mobility::Mobility;
pub use motion::{Force, Motion};
pub use rotation::{
    Quaternion, axis_angle_matrix, quaternion_conjugate, quaternion_exponential, quaternion_from,
    quaternion_logarithm, quaternion_matrix, quaternion_normalized, quaternion_product,
};
pub use transform::Transform;
