//! Spatial algebra: transforms, motions, forces and inertias.

mod transform;

pub use transform::Transform;
