//! Contact points of a cylinder with a half space and with a sphere.
//!
//! On a plane the lowest points of both rims are exact at every tilt: two on the ruling on which the cylinder lies, one on
//! the rim it leans on. A cap that looks down more than the mantle has its other rim points as well (see `convex::contact_region`), which
//! carry it when it stands. A sphere touches where its centre is closest to mantle, cap or rim; from inside it leaves the shortest way, by
//! a cap rather than by the mantle if both are as near, and from the axis along x.

use nalgebra::{Vector2, Vector3};

use crate::geometry::contact_point::Manifold;
use crate::geometry::convex::contact_region::{CYLINDER_LABELS, Disc, lowest_label};
use crate::geometry::convex::support::Convex;
use crate::geometry::direction::{length_and_direction, side};
use crate::geometry::shape::kind::Shape;
use crate::spatial::Transform;

/// Half space and cylinder.
pub(crate) fn plane_cylinder(
    plane: &Transform,
    cylinder: (&Shape, &Transform),
    [radius, half_length]: [f64; 2],
    manifold: &mut Manifold,
) {
    let normal: Vector3<f64> = plane.rotation.column(2).into();
    let core = Convex { shape: cylinder.0, pose: *cylinder.1 };
    let cosine = normal.dot(&cylinder.1.rotation.column(2));
    let height = |x: &Vector3<f64>| normal.dot(&(x - plane.translation));
    if height(&core.support(&-normal)) > manifold.prediction() {
        return;
    }
    let standing = cosine.abs() > std::f64::consts::FRAC_1_SQRT_2;
    for upper in [false, true] {
        let looks_down = upper == (cosine < 0.0);
        if standing && !looks_down {
            continue;
        }
        Disc::cap(&core, radius, half_length, upper).each_rim_point(Some(-normal), |x, label| {
            if standing || label == lowest_label(upper) {
                let gap = height(&x);
                manifold.push(x - normal * (0.5 * gap), normal, gap, label, CYLINDER_LABELS);
            }
        });
    }
}

/// Feature ids: mantle, cap and rim at -z, cap and rim at +z.
const MANTLE: u32 = 0;
const FEATURES: u32 = 5;

/// Sphere first, cylinder second.
pub(crate) fn sphere_cylinder(
    sphere: &Transform,
    sphere_radius: f64,
    cylinder: &Transform,
    [radius, half_length]: [f64; 2],
    manifold: &mut Manifold,
) {
    let center = cylinder.inverse_point(&sphere.translation);
    let across = Vector3::new(center.x, center.y, 0.0);
    let (distance, radial) = length_and_direction(&across).unwrap_or((0.0, Vector3::x()));
    let up = Vector3::z() * side(center.z);
    // How far the centre is outside the mantle and the cap on its side.
    let beyond = Vector2::new(distance - radius, center.z.abs() - half_length);
    let (outward, gap) = if beyond.x > 0.0 && beyond.y > 0.0 {
        let slant = radial * beyond.x + up * beyond.y;
        length_and_direction(&slant).map_or((up, 0.0), |(gap, outward)| (outward, gap))
    } else if beyond.x > beyond.y {
        (radial, beyond.x)
    } else {
        (up, beyond.y)
    };
    let width = 1e-6 * radius.min(half_length);
    let end = if center.z < 0.0 { 1 } else { 3 };
    let feature = match (beyond.x > -width, beyond.y > -width) {
        (true, true) => end + 1,
        _ if beyond.x > beyond.y => MANTLE,
        _ => end,
    };
    let gap = gap - sphere_radius;
    let normal = -cylinder.vector(&outward);
    manifold.push(sphere.translation + normal * (sphere_radius + 0.5 * gap), normal, gap, feature, FEATURES);
}
