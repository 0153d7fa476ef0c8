//! Contact points of a half space with everything bounded.
//!
//! The half space is first, so the normal is its own. The gap of a point of the other shape is its height above
//! the surface; the lowest points of the shape decide: one for a sphere, the two ends of a capsule, the corners
//! of a box.

use nalgebra::Vector3;

use crate::geometry::contact_point::Manifold;
use crate::spatial::Transform;

/// Adds the contact of the ball of `radius` about `center`, in world coordinates, under id `feature`.
fn ball(plane: &Transform, center: &Vector3<f64>, radius: f64, feature: u32, manifold: &mut Manifold) {
    let normal: Vector3<f64> = plane.rotation.column(2).into();
    let gap = normal.dot(&(center - plane.translation)) - radius;
    manifold.push(center - normal * (radius + 0.5 * gap), normal, gap, feature, 2);
}

/// Half space and sphere: one point.
pub(crate) fn plane_sphere(plane: &Transform, sphere: &Transform, radius: f64, manifold: &mut Manifold) {
    ball(plane, &sphere.translation, radius, 0, manifold);
}

/// Half space and capsule: one point per end (0: the end at -z of the capsule, 1: at +z), or one in all when
/// the capsule is no longer than a sphere.
pub(crate) fn plane_capsule(
    plane: &Transform,
    capsule: &Transform,
    radius: f64,
    half_length: f64,
    manifold: &mut Manifold,
) {
    let half_axis = capsule.rotation.column(2) * half_length;
    ball(plane, &(capsule.translation - half_axis), radius, 0, manifold);
    if half_length > 0.0 {
        ball(plane, &(capsule.translation + half_axis), radius, 1, manifold);
    }
}

/// Half space and box: one point per corner; bit k of the feature id is set at the high side of axis k.
pub(crate) fn plane_box(
    plane: &Transform,
    pose: &Transform,
    half_extents: &Vector3<f64>,
    manifold: &mut Manifold,
) {
    let normal: Vector3<f64> = plane.rotation.column(2).into();
    let height = normal.dot(&(pose.translation - plane.translation));
    let rise = pose.rotation.tr_mul(&normal).component_mul(half_extents);
    if height - rise.abs().sum() > manifold.prediction() {
        return;
    }
    let half_edge = |k: usize| pose.rotation.column(k) * half_extents[k];
    let (x, y, z) = (half_edge(0), half_edge(1), half_edge(2));
    for corner in 0..8_u32 {
        let side = |k: u32| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
        let gap = height + side(0) * rise.x + side(1) * rise.y + side(2) * rise.z;
        if gap <= manifold.prediction() {
            let vertex = pose.translation + x * side(0) + y * side(1) + z * side(2);
            manifold.push(vertex - normal * (0.5 * gap), normal, gap, corner, 8);
        }
    }
}
