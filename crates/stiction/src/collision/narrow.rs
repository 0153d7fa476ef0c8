//! Narrow phase: which closed form computes the contact points of which pair of shapes.

use super::box_box::box_box;
use super::capsule_box::capsule_box;
use super::capsule_capsule::capsule_capsule;
use super::contact_point::{ContactPoint, Manifold};
use super::plane::{plane_box, plane_capsule, plane_sphere};
use super::shape::Shape;
use super::sphere::{sphere_box, sphere_capsule, sphere_sphere};
use crate::spatial::Transform;

/// Appends to `out` the contact points of two shapes whose gap is at most `prediction` (m).
///
/// Poses are in world coordinates, normals point from the first shape to the second. Exchanging the shapes flips
/// the normals and leaves points and gaps. All points of one call have different feature ids. Two planes
/// never touch. The shapes are expected to be valid ([`Shape::validate`]).
pub fn collide(
    first: &Shape,
    first_pose: &Transform,
    second: &Shape,
    second_pose: &Transform,
    prediction: f64,
    out: &mut Vec<ContactPoint>,
) {
    let mut manifold = Manifold::new(out, prediction);
    if ordered(first, first_pose, second, second_pose, &mut manifold) == Order::Exchanged
        && ordered(second, second_pose, first, first_pose, &mut manifold) == Order::Given
    {
        manifold.flip();
    }
}

#[derive(PartialEq)]
enum Order {
    Given,
    Exchanged,
}

/// Computes pairs in the order plane, sphere, capsule, box; asks for the exchange of the others.
fn ordered(a: &Shape, x: &Transform, b: &Shape, y: &Transform, manifold: &mut Manifold) -> Order {
    use Shape::{Box, Capsule, Convex, Cylinder, Ellipsoid, HeightField, Plane, Sphere};
    match (a, b) {
        (Plane, Plane) => {}
        (Plane, Sphere { radius }) => plane_sphere(x, y, *radius, manifold),
        (Plane, Capsule { radius, half_length }) => plane_capsule(x, y, *radius, *half_length, manifold),
        (Plane, Box { half_extents }) => plane_box(x, y, half_extents, manifold),
        (Sphere { radius: r }, Sphere { radius }) => sphere_sphere(x, *r, y, *radius, manifold),
        (Sphere { radius: r }, Capsule { radius, half_length }) => {
            sphere_capsule(x, *r, y, *radius, *half_length, manifold);
        }
        (Sphere { radius }, Box { half_extents }) => sphere_box(x, *radius, y, half_extents, manifold),
        (Capsule { radius: r, half_length: l }, Capsule { radius, half_length }) => {
            capsule_capsule((x, *r, *l), (y, *radius, *half_length), manifold);
        }
        (Capsule { radius, half_length }, Box { half_extents }) => {
            capsule_box(x, *radius, *half_length, y, half_extents, manifold);
        }
        (Box { half_extents: h }, Box { half_extents }) => box_box((x, h), (y, half_extents), manifold),
        (Sphere { .. } | Capsule { .. } | Box { .. }, Plane)
        | (Capsule { .. } | Box { .. }, Sphere { .. })
        | (Box { .. }, Capsule { .. }) => return Order::Exchanged,
        (Cylinder { .. } | Ellipsoid { .. } | Convex(_) | HeightField(_), _)
        | (_, Cylinder { .. } | Ellipsoid { .. } | Convex(_) | HeightField(_)) => {}
    }
    Order::Given
}
