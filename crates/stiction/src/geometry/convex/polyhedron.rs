//! Contact points of a convex mesh with a half space and with a sphere.
//!
//! Over a plane every vertex has its height. A sphere inside the mesh leaves by the nearest face; outside, the closest
//! point of the mesh is that of a triangle the centre is in front of (C. Ericson, *Real-Time Collision Detection*, 2005,
//! section 5.1.5).

use nalgebra::Vector3;

use crate::geometry::contact_point::Manifold;
use crate::geometry::convex::support::Convex;
use crate::geometry::direction::length_and_direction;
use crate::geometry::shape::convex_mesh::ConvexMesh;
use crate::geometry::shape::kind::Shape;
use crate::spatial::Transform;

/// Half space and convex mesh: one point per vertex within the prediction, feature id its number.
pub(crate) fn plane_mesh(plane: &Transform, pose: &Transform, mesh: &ConvexMesh, manifold: &mut Manifold) {
    let normal: Vector3<f64> = plane.rotation.column(2).into();
    let up = pose.inverse_vector(&normal);
    let height = normal.dot(&(pose.translation - plane.translation));
    if height + up.dot(&mesh.support(&-up)) > manifold.prediction() {
        return;
    }
    let stride = mesh.vertices().len() as u32;
    for (vertex, x) in mesh.vertices().iter().enumerate() {
        let gap = height + up.dot(x);
        manifold.push(pose.point(x) - normal * (0.5 * gap), normal, gap, vertex as u32, stride);
    }
    manifold.reduce();
}

/// Sphere first, convex mesh second: one point, feature id that of the vertex, edge or face.
pub(crate) fn sphere_mesh(
    sphere: &Transform,
    radius: f64,
    (shape, pose): (&Shape, &Transform),
    mesh: &ConvexMesh,
    manifold: &mut Manifold,
) {
    let center = pose.inverse_point(&sphere.translation);
    let (outward, distance, surface) = point_mesh(&center, mesh);
    let gap = distance - radius;
    let local = Convex { shape, pose: Transform::identity() };
    let feature = local.label(&surface, &outward, local.supporting_face(&outward), 1e-6 * mesh.thickness());
    let normal = -pose.vector(&outward);
    manifold.push(
        sphere.translation + normal * (radius + 0.5 * gap),
        normal,
        gap,
        feature,
        local.label_count(),
    );
}

/// The closest surface point of a mesh to a point `x` of its frame: outward unit normal, signed distance (negative inside,
/// m) and the surface point.
fn point_mesh(x: &Vector3<f64>, mesh: &ConvexMesh) -> (Vector3<f64>, f64, Vector3<f64>) {
    let mut face = (Vector3::z(), f64::NEG_INFINITY);
    for candidate in mesh.faces() {
        // The supporting plane, from which corners may be off by rounding of the file.
        let reach = candidate.normal.dot(&mesh.support(&candidate.normal));
        let distance = candidate.normal.dot(x) - reach;
        if distance > face.1 {
            face = (candidate.normal, distance);
        }
    }
    let (normal, depth) = face;
    if depth <= 0.0 {
        return (normal, depth, x - normal * depth);
    }
    let mut closest = (*x, f64::INFINITY);
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|i| mesh.vertices()[i as usize]);
        if (b - a).cross(&(c - a)).dot(&(x - a)) > 0.0 {
            let point = closest_in_triangle(x, [a, b, c]);
            let square = (x - point).norm_squared();
            if square < closest.1 {
                closest = (point, square);
            }
        }
    }
    match length_and_direction(&(x - closest.0)) {
        // The closest point inside a face has the face's exact normal.
        Some((distance, outward)) if distance > depth * (1.0 + 1e-12) => (outward, distance, closest.0),
        _ => (normal, depth, x - normal * depth),
    }
}

/// The point of a triangle closest to `x`.
fn closest_in_triangle(x: &Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> Vector3<f64> {
    let normal = (b - a).cross(&(c - a));
    let mut best = (a, f64::INFINITY);
    let mut inside = true;
    for [p, q] in [[a, b], [b, c], [c, a]] {
        let along = q - p;
        if along.cross(&normal).dot(&(x - p)) <= 0.0 {
            continue;
        }
        inside = false;
        let t = (along.dot(&(x - p)) / along.norm_squared()).clamp(0.0, 1.0);
        let point = p + along * t;
        let square = (x - point).norm_squared();
        if square < best.1 {
            best = (point, square);
        }
    }
    if inside { x - normal * (normal.dot(&(x - a)) / normal.norm_squared()) } else { best.0 }
}
