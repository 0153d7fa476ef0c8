//! Spatial algebra: transforms, rotations, motions, forces and inertias.

mod articulated;
mod inertia;
mod mobility;
mod motion;
mod rotation;
mod transform;

pub use articulated::ArticulatedInertia;
pub use inertia::Inertia;
pub use mobility::Mobility;
pub use motion::{Force, Motion};
pub use rotation::{
    Quaternion, axis_angle_matrix, quaternion_conjugate, quaternion_exponential, quaternion_from,
    quaternion_logarithm, quaternion_matrix, quaternion_normalized, quaternion_product,
};
pub use transform::Transform;
