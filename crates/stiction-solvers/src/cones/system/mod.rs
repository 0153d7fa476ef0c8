//! The linear system of one Newton step, in impulses or in velocities.

pub(crate) mod dense_system;
pub mod velocity_system;
pub use crate::linalg::lu::Singular;
