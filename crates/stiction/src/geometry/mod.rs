//! Collision: shapes, the pairs of them that may touch, and their contact points.
//!
//! The broad phase (`broad`) finds pairs of overlapping bounding boxes; the narrow phase (`narrow`) turns a
//! pair of shapes into contact points with a normal, a gap (positive when separated: predicted contacts) and a
//! feature id that persists from step to step. Every pair of plane, sphere, capsule and box, and every shape with
//! plane and sphere, is a closed form of our own, exact to rounding, because a contact solver turns an error of the
//! geometry into a force. The other pairs of convex shapes (`convex_pair`) are searched for their best direction.
//!
//! The narrow phase of convex cores rests on one fact: for every unit vector n,
//! `s(n) = -h_A(n) - h_B(-n)` (h: support function) is a lower bound of the distance, attained by the direction
//! of the closest points when the shapes are apart and, with the sign turned, by the shortest way out when they
//! overlap. A normal that rounding spoiled therefore betrays itself by a smaller `s`, and loses.

pub(crate) mod analytic;
pub(crate) mod broad;
pub(crate) mod contact_point;
pub(crate) mod convex;
pub(crate) mod direction;
pub(crate) mod narrow;
pub(crate) mod shape;

pub use broad::{Aabb, BroadPhase};
pub use contact_point::ContactPoint;
pub use narrow::collide;
pub use shape::{ConvexMesh, ConvexMeshError};
pub use shape::{HeightField, HeightFieldError};
pub use shape::{MassProperties, Shape, ShapeError};
