//! Assets, read before the bodies that use them.
//!
//! | file | what it is |
//! |---|---|
//! | `material` | materials by name, and colours |
//! | `mesh`, `builtin_mesh` | solids from files, from vertices, or built in |
//! | `hfield` | ground given by heights |

pub(crate) mod builtin_mesh;
pub(crate) mod hfield;
pub(crate) mod material;
pub(crate) mod mesh;
