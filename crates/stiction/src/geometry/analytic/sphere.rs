//! Contact points of a sphere with sphere, capsule and box.
//!
//! The sphere is a point with a radius, so each contact is the closest point of the other shape's core. Where
//! the point lies on or in the core and no direction is given by it, the shortest way out is taken; ties are
//! broken by the other shape's own axes, so that the answer turns with the world.

use nalgebra::Vector3;

use crate::geometry::contact_point::Manifold;
use crate::geometry::direction::{BOX_FEATURES, axis, box_feature, clamp, length_and_direction, side};
use crate::geometry::segment::closest_parameter;
use crate::spatial::Transform;

/// Sphere and sphere. Concentric spheres take the first one's z axis for normal.
pub(crate) fn sphere_sphere(
    first: &Transform,
    first_radius: f64,
    second: &Transform,
    second_radius: f64,
    manifold: &mut Manifold,
) {
    let (distance, normal) = length_and_direction(&(second.translation - first.translation))
        .unwrap_or((0.0, first.rotation.column(2).into()));
    let gap = distance - first_radius - second_radius;
    // The midpoint of the witness points, half way from one centre to the other when the radii are equal.
    let point =
        (first.translation + second.translation) * 0.5 + normal * (0.5 * (first_radius - second_radius));
    manifold.push(point, normal, gap, 0, 1);
}

/// Sphere first, capsule second. A centre on the capsule's axis is pushed along the capsule's x axis.
/// Feature id 0: between the ends, 1 and 2: at the end at -z and +z.
pub(crate) fn sphere_capsule(
    sphere: &Transform,
    sphere_radius: f64,
    capsule: &Transform,
    radius: f64,
    half_length: f64,
    manifold: &mut Manifold,
) {
    let center = capsule.inverse_point(&sphere.translation);
    let z = closest_parameter(&Vector3::zeros(), &Vector3::z(), half_length, &center);
    let feature = match z {
        z if z <= -half_length => 1,
        z if z >= half_length => 2,
        _ => 0,
    };
    // In the capsule's frame a centre beside the axis has no axial offset at all, even if it is tiny.
    let offset = Vector3::new(-center.x, -center.y, z - center.z);
    let (distance, normal) = length_and_direction(&offset).unwrap_or((0.0, Vector3::x()));
    let gap = distance - sphere_radius - radius;
    let normal = capsule.vector(&normal);
    manifold.push(sphere.translation + normal * (sphere_radius + 0.5 * gap), normal, gap, feature, 3);
}

/// Sphere first, box second. A centre in the box (or on its surface) leaves by the nearest face, the first of
/// equals in the order x, y, z. The feature id is that of the box's vertex, edge or face.
pub(crate) fn sphere_box(
    sphere: &Transform,
    radius: f64,
    pose: &Transform,
    half_extents: &Vector3<f64>,
    manifold: &mut Manifold,
) {
    let center = pose.inverse_point(&sphere.translation);
    let (outward, distance, surface) = point_box(&center, half_extents);
    let gap = distance - radius;
    let normal = -pose.vector(&outward);
    let tolerance = 1e-6 * half_extents.min();
    let feature = box_feature(&surface, half_extents, tolerance);
    manifold.push(sphere.translation + normal * (radius + 0.5 * gap), normal, gap, feature, BOX_FEATURES);
}

/// The closest surface point of a box to a point `x` of its frame: outward unit normal, signed distance
/// (negative inside, m) and the surface point.
pub(crate) fn point_box(x: &Vector3<f64>, half_extents: &Vector3<f64>) -> (Vector3<f64>, f64, Vector3<f64>) {
    let surface = clamp(x, half_extents);
    match length_and_direction(&(x - surface)) {
        Some((distance, outward)) => (outward, distance, surface),
        None => {
            let mut k = 0;
            for i in 1..3 {
                if half_extents[i] - x[i].abs() < half_extents[k] - x[k].abs() {
                    k = i;
                }
            }
            let outward = axis(k, side(x[k]));
            let mut surface = *x;
            surface[k] = side(x[k]) * half_extents[k];
            (outward, x[k].abs() - half_extents[k], surface)
        }
    }
}
