//! Contact points of an ellipsoid with a half space and with a sphere.
//!
//! The lowest point over a plane is the support point. For a sphere the point x of the ellipsoid closest to its centre y
//! has `y_i = x_i (1 + t / a_i^2)` with t the root of the secular equation
//!
//! `g(t) = sum_i (a_i y_i / (t + a_i^2))^2 - 1 = 0`,
//!
//! which is convex and falls to the right of its last pole, so that Newton's method from the pole's side of the root climbs to
//! it without overshooting (D. Eberly, *Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid*, 2013). With t
//! counted from the pole of the shortest axis, nothing cancels. A centre in the plane across the shortest axis can be closest
//! to two points above and below it; the one on the positive side is taken.

use nalgebra::Vector3;

use crate::geometry::contact_point::Manifold;
use crate::geometry::direction::{length_and_direction, side};
use crate::spatial::Transform;

/// Far more than Newton's method needs from next to a pole, where it gains a factor of 1.5 a step.
const STEPS: usize = 200;

/// Half space and ellipsoid: one point.
pub(crate) fn plane_ellipsoid(
    plane: &Transform,
    ellipsoid: &Transform,
    radii: &Vector3<f64>,
    manifold: &mut Manifold,
) {
    let normal: Vector3<f64> = plane.rotation.column(2).into();
    let down = ellipsoid.inverse_vector(&-normal).component_mul(radii);
    let Some((reach, unit)) = length_and_direction(&down) else { return };
    let gap = normal.dot(&(ellipsoid.translation - plane.translation)) - reach;
    let point = ellipsoid.point(&unit.component_mul(radii));
    manifold.push(point - normal * (0.5 * gap), normal, gap, 0, 1);
}

/// Sphere first, ellipsoid second: one point.
pub(crate) fn sphere_ellipsoid(
    sphere: &Transform,
    radius: f64,
    ellipsoid: &Transform,
    radii: &Vector3<f64>,
    manifold: &mut Manifold,
) {
    let center = ellipsoid.inverse_point(&sphere.translation);
    let (outward, distance) = point_ellipsoid(&center, radii);
    let gap = distance - radius;
    let normal = -ellipsoid.vector(&outward);
    manifold.push(sphere.translation + normal * (radius + 0.5 * gap), normal, gap, 0, 1);
}

/// Outward unit normal at the surface point closest to `y` and the signed distance from it (negative inside, m).
fn point_ellipsoid(y: &Vector3<f64>, radii: &Vector3<f64>) -> (Vector3<f64>, f64) {
    let mut order = [0, 1, 2];
    order.sort_unstable_by(|&i, &j| radii[j].total_cmp(&radii[i]));
    // In units of the shortest axis, in the positive octant.
    let shortest = radii[order[2]];
    let a = Vector3::from_fn(|k, _| radii[order[k]] / shortest);
    let z = Vector3::from_fn(|k, _| y[order[k]].abs() / shortest);
    let x = closest_in_octant(&a, &z);
    let mut surface = Vector3::zeros();
    for k in 0..3 {
        surface[order[k]] = x[k] * shortest * side(y[order[k]]);
    }
    let gradient = surface.component_div(radii).component_div(radii);
    let outward = length_and_direction(&gradient).map_or(Vector3::z(), |(_, n)| n);
    (outward, outward.dot(&(y - surface)))
}

/// The point of the ellipsoid with semi-axes `a` (descending, the last 1) closest to `z`, both in the positive octant.
fn closest_in_octant(a: &Vector3<f64>, z: &Vector3<f64>) -> Vector3<f64> {
    // Distance of the other poles from the last one.
    let beyond = a.map(|a| (a - 1.0) * (a + 1.0));
    if z[2] == 0.0 {
        // With nothing along the shortest axis the pole is no pole, and may itself be the root: then the coordinate along
        // that axis is what the others leave to the surface.
        let x =
            Vector3::from_fn(|k, _| if k < 2 && z[k] > 0.0 { a[k] * a[k] * z[k] / beyond[k] } else { 0.0 });
        let left = 1.0 - x.component_div(a).norm_squared();
        if left >= 0.0 {
            return Vector3::new(x[0], x[1], left.sqrt());
        }
    }
    let value_and_slope = |t: f64| {
        let (mut value, mut slope) = (-1.0, 0.0);
        for k in (0..3).filter(|&k| z[k] > 0.0) {
            let term = a[k] * z[k] / (t + beyond[k]);
            value += term * term;
            slope -= 2.0 * term * term / (t + beyond[k]);
        }
        (value, slope)
    };
    // Each term alone is 1 there, so the root lies to the right.
    let mut t = (0..3).fold(0.0, |t: f64, k| t.max(a[k] * z[k] - beyond[k]));
    for _ in 0..STEPS {
        let (value, slope) = value_and_slope(t);
        let next = t - value / slope;
        if next <= t || !next.is_finite() {
            break;
        }
        t = next;
    }
    Vector3::from_fn(|k, _| if z[k] > 0.0 { a[k] * a[k] * z[k] / (t + beyond[k]) } else { 0.0 })
}
