//! Mesh files.

pub(crate) mod file;
pub(crate) mod triangle_mesh;
