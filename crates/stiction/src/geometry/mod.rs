//! Geometry of contact: shapes, the pairs of them that may touch, and their contact points.
//!
//! How a pair goes through:
//!
//! ```text
//!  boxes of all shapes        broad        pairs whose boxes overlap
//!  (Shape::aabb, grown)  -------------->  (i, j), sorted
//!                                             |  narrow: which algorithm; are_supported
//!              +------------------------------+-----------------------------+
//!              | plane, sphere, capsule, box,                               | any other two convex shapes
//!              | all with plane or sphere                                   v
//!              v                                                  convex: candidate directions ->
//!    analytic: closed forms                             separating_direction (GJK/EPA, polished) ->
//!              |                                                  contact_region along it
//!              +------------------------------+-----------------------------+
//!                                             v
//!             Manifold: points with a common normal, gap <= prediction, feature ids; few of many
//!                                             |  seams: left out if the shapes pass each other
//!                                             v
//!                                 contact::detection makes contacts of them
//! ```
//!
//! A contact point has a normal from the first shape to the second, a gap (positive when separated: predicted contacts) and
//! a feature id that persists from step to step. The closed forms are exact to rounding, because a contact solver turns an
//! error of the geometry into a force.
//!
//! The narrow phase of convex cores rests on one fact: for every unit vector n,
//!
//! ```text
//! s(n) = -h_A(n) - h_B(-n)          h: support function
//! ```
//!
//! is a lower bound of the distance. It is attained by the direction of the closest points when the shapes are apart and,
//! with the sign turned, by the shortest way out when they overlap. A normal that rounding has spoiled therefore shows itself
//! by a smaller `s`, and is not taken.
//!
//! | file | what it is | called by |
//! |---|---|---|
//! | `shape/` | [`Shape`], [`ConvexMesh`], [`HeightField`]: validity, mass properties, support, boxes | all |
//! | `aabb`, `broad` | boxes and the pairs of them that overlap | `contact::detection` |
//! | `narrow` | [`collide`]: the algorithm of each pair | `contact::detection` |
//! | `analytic/` | closed forms, one file a pair or shape | `narrow` |
//! | `convex/` | search of the separating direction, contact region, convex meshes | `narrow`, `analytic` (rims of cylinders) |
//! | `seams` | whether shapes pass each other although a contact is closing | `contact::detection` |
//! | `contact_point` | [`ContactPoint`] and the manifold that collects them | `analytic`, `convex` |
//! | `direction`, `segment` | axes, signs, closest points of segments | `analytic`, `convex` |
//!
//! # References
//! - E. G. Gilbert, D. W. Johnson, S. S. Keerthi, *A fast procedure for computing the distance between complex objects in
//!   three-dimensional space*, IEEE J. Robotics and Automation 4 (1988), doi:10.1109/56.2083.
//! - B. Nguyen, J. C. Trinkle, *dvc3D: a three dimensional physical simulation tool for rigid bodies with contacts and
//!   Coulomb friction* (2010), for the seams.
//! - C. Ericson, *Real-Time Collision Detection* (2005), for closest points.

pub(crate) mod aabb;
pub(crate) mod analytic;
pub(crate) mod broad;
pub(crate) mod contact_point;
pub(crate) mod convex;
pub(crate) mod direction;
pub(crate) mod narrow;
pub(crate) mod seams;
pub(crate) mod segment;
pub(crate) mod shape;

pub use aabb::Aabb;
pub use broad::BroadPhase;
pub use contact_point::ContactPoint;
pub use narrow::{are_supported, collide};
pub(crate) use seams::{MovingShape, pass_by};
pub use shape::{ConvexMesh, ConvexMeshError};
pub use shape::{HeightField, HeightFieldError};
pub use shape::{MassProperties, Shape, ShapeError};
