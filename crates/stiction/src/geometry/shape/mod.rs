//! Shapes and their mass properties.

pub(crate) mod convex_mesh;
pub(crate) mod height_field;
pub(crate) mod kind;

pub use convex_mesh::{ConvexMesh, ConvexMeshError};
pub use height_field::{HeightField, HeightFieldError};
pub use kind::{MassProperties, Shape, ShapeError};
