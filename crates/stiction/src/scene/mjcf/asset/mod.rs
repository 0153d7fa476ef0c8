//! Assets: materials, meshes and height fields.

pub(crate) mod builtin_mesh;
pub(crate) mod hfield;
pub(crate) mod material;
pub(crate) mod mesh;
