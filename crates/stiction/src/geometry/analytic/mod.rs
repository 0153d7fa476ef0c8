//! Contacts of pairs of shapes in closed form: exact to rounding, no iterations.
//!
//! | file | pairs |
//! |---|---|
//! | `plane` | a plane with a sphere, a capsule, a box |
//! | `sphere` | a sphere with a sphere, a capsule, a box |
//! | `capsule_capsule`, `capsule_box` | closest points of a segment with a segment, with a box |
//! | `box_box` | two boxes: the separating axis of the fifteen, then `face_clip` (faces that cover each other) or `box_closest` (edges and corners) |
//! | `cylinder`, `ellipsoid` | with a plane and with a sphere |
//!
//! `narrow` calls one function a pair; each writes into a manifold. A gap is the distance along the common normal, and feature
//! ids number faces, edges, corners and ends.

pub(crate) mod box_box;
pub(crate) mod box_closest;
pub(crate) mod capsule_box;
pub(crate) mod capsule_capsule;
pub(crate) mod cylinder;
pub(crate) mod ellipsoid;
pub(crate) mod face_clip;
pub(crate) mod plane;
pub(crate) mod sphere;
