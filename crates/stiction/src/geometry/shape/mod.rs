//! Shapes: validity, bounds, support functions and mass properties, each in its own frame.
//!
//! | file | what it is |
//! |---|---|
//! | `kind` | [`Shape`], one variant a kind, and [`MassProperties`] |
//! | `convex_mesh` | [`ConvexMesh`]: the hull of points, its faces and edges |
//! | `height_field` | [`HeightField`]: ground given by heights over a grid; drawn, not yet collided with |

pub(crate) mod convex_mesh;
pub(crate) mod height_field;
pub(crate) mod kind;

pub use convex_mesh::{ConvexMesh, ConvexMeshError};
pub use height_field::{HeightField, HeightFieldError};
pub use kind::{MassProperties, Shape, ShapeError};
