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
/// the normals and leaves points and gaps. All points of one call have different feature ids. Two planes
/// never touch, and height fields do not touch anything yet. The shapes are expected to be valid ([`Shape::validate`]).
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
        (Plane, Plane) => {}
        // Contact with ground given by heights is not computed; the broad phase does not propose such pairs.
        (_, HeightField(_)) | (HeightField(_), _) => {}
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
