//! Narrow phase: which closed form computes the contact points of which pair of shapes, or that none does.

use crate::geometry::analytic::box_box::box_box;
use crate::geometry::analytic::capsule_box::capsule_box;
use crate::geometry::analytic::capsule_capsule::capsule_capsule;
use crate::geometry::analytic::cylinder::{plane_cylinder, sphere_cylinder};
use crate::geometry::analytic::ellipsoid::{plane_ellipsoid, sphere_ellipsoid};
use crate::geometry::analytic::plane::{plane_box, plane_capsule, plane_sphere};
use crate::geometry::analytic::sphere::{sphere_box, sphere_capsule, sphere_sphere};
use crate::geometry::contact_point::{ContactPoint, Manifold};
use crate::geometry::convex::pair::convex_pair;
use crate::geometry::convex::polyhedron::{plane_mesh, sphere_mesh};
use crate::geometry::shape::kind::Shape;
use crate::spatial::Transform;

/// Appends to `out` the contact points of two shapes whose gap is at most `prediction` (m).
///
/// Poses are in world coordinates, normals point from the first shape to the second. Exchanging the shapes flips
/// the normals and leaves points and gaps. All points of one call have different feature ids. A pair that is not
/// supported ([`are_supported`]) has no points. The shapes are expected to be valid ([`Shape::validate`]).
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::geometry::{Shape, collide};
/// use stiction::spatial::Transform;
///
/// let ball = Shape::Sphere { radius: 0.5 };
/// let above = Transform::from_translation(Vector3::new(0.0, 0.0, 0.51));
/// let mut points = Vec::new();
/// collide(&Shape::Plane, &Transform::identity(), &ball, &above, 0.1, &mut points);
/// assert_eq!(points.len(), 1);
/// assert!((points[0].gap - 0.01).abs() < 1e-12 && points[0].normal == Vector3::z());
/// ```
pub fn collide(
    first: &Shape,
    first_pose: &Transform,
    second: &Shape,
    second_pose: &Transform,
    prediction: f64,
    out: &mut Vec<ContactPoint>,
) {
    let mut manifold = Manifold::new(out, prediction);
    if rank(first) <= rank(second) {
        ordered(first, first_pose, second, second_pose, &mut manifold);
    } else {
        ordered(second, second_pose, first, first_pose, &mut manifold);
        manifold.flip();
    }
}

/// Whether contact points are computed for two shapes: not for two unbounded ones, nor for height fields.
///
/// ```
/// use stiction::geometry::{Shape, are_supported};
///
/// assert!(are_supported(&Shape::Plane, &Shape::Sphere { radius: 1.0 }));
/// assert!(!are_supported(&Shape::Plane, &Shape::Plane));
/// ```
pub fn are_supported(first: &Shape, second: &Shape) -> bool {
    let height_field = |shape: &Shape| matches!(shape, Shape::HeightField(_));
    let planes = matches!((first, second), (Shape::Plane, Shape::Plane));
    !planes && !height_field(first) && !height_field(second)
}

/// Place of a kind of shape in the order in which pairs are computed.
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Plane => 0,
        Shape::Sphere { .. } => 1,
        Shape::Capsule { .. } => 2,
        Shape::Box { .. } => 3,
        Shape::Cylinder { .. } => 4,
        Shape::Ellipsoid { .. } => 5,
        Shape::Convex(_) => 6,
        Shape::HeightField(_) => 7,
    }
}

/// Computes a pair whose first shape does not rank behind its second.
fn ordered(a: &Shape, x: &Transform, b: &Shape, y: &Transform, manifold: &mut Manifold) {
    use Shape::{Box, Capsule, Convex, Cylinder, Ellipsoid, HeightField, Plane, Sphere};
    match (a, b) {
        // Not supported, see `are_supported`.
        (Plane, Plane) | (_, HeightField(_)) | (HeightField(_), _) => {}
        (Plane, Sphere { radius }) => plane_sphere(x, y, *radius, manifold),
        (Plane, Capsule { radius, half_length }) => plane_capsule(x, y, *radius, *half_length, manifold),
        (Plane, Box { half_extents }) => plane_box(x, y, half_extents, manifold),
        (Plane, Cylinder { radius, half_length }) => {
            plane_cylinder(x, (b, y), [*radius, *half_length], manifold);
        }
        (Plane, Ellipsoid { radii }) => plane_ellipsoid(x, y, radii, manifold),
        (Plane, Convex(mesh)) => plane_mesh(x, y, mesh, manifold),
        (Sphere { radius: r }, Sphere { radius }) => sphere_sphere(x, *r, y, *radius, manifold),
        (Sphere { radius: r }, Capsule { radius, half_length }) => {
            sphere_capsule(x, *r, y, *radius, *half_length, manifold);
        }
        (Sphere { radius }, Box { half_extents }) => sphere_box(x, *radius, y, half_extents, manifold),
        (Sphere { radius: r }, Cylinder { radius, half_length }) => {
            sphere_cylinder(x, *r, y, [*radius, *half_length], manifold);
        }
        (Sphere { radius }, Ellipsoid { radii }) => sphere_ellipsoid(x, *radius, y, radii, manifold),
        (Sphere { radius }, Convex(mesh)) => sphere_mesh(x, *radius, (b, y), mesh, manifold),
        (Capsule { radius: r, half_length: l }, Capsule { radius, half_length }) => {
            capsule_capsule((x, *r, *l), (y, *radius, *half_length), manifold);
        }
        (Capsule { radius, half_length }, Box { half_extents }) => {
            capsule_box(x, *radius, *half_length, y, half_extents, manifold);
        }
        (Box { half_extents: h }, Box { half_extents }) => box_box((x, h), (y, half_extents), manifold),
        (Capsule { .. } | Box { .. } | Cylinder { .. } | Ellipsoid { .. } | Convex(_), _) => {
            convex_pair((a, x), (b, y), manifold);
        }
        // Not in this order.
        (Sphere { .. }, Plane) => {}
    }
}
