//! Spatial algebra: transforms, rotations, motions, forces and inertias.
//!
//! A motion (angular velocity w, velocity v) and a force (moment n, force f) are taken at a reference point, components in world
//! axes. From one point to another, `r` away,
//!
//! ```text
//! motion:   w' = w,  v' = v + w x r           force:   f' = f,  n' = n + r x f     (r from the new point to the old)
//! inertia:  f = m v - h x w,  n = I w + h x v   h = m c: moment of mass, I about the reference point
//! ```
//!
//! so a change of frame is a cross product and no rotation, and no digits are lost far from the world's origin.
//!
//! | file | what it is |
//! |---|---|
//! | `transform` | [`Transform`], the pose of a frame in another |
//! | `rotation` | unit quaternions and rotation vectors, exponential and logarithm |
//! | `motion` | [`Motion`] and [`Force`], which are dual: their product is power |
//! | `inertia` | [`Inertia`] of a rigid body |
//! | `articulated` | [`ArticulatedInertia`], that of a body with others hanging on it by joints |
//! | `mobility` | [`Mobility`], the inverse as seen from outside |
//!
//! `geometry` and `model` use transforms, `dynamics` all of it.
//!
//! # References
//! R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), ch. 2 and 7; E. Hairer, C. Lubich, G. Wanner, *Geometric
//! Numerical Integration* (2006), ch. IV.8; J. Sola, *Quaternion kinematics for the error-state Kalman filter* (2017).

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
