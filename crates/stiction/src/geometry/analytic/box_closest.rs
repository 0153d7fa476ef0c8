//! Closest points of two boxes that do not overlap, over all pairs of features.
//!
//! A vertex against the other box covers every case in which the closest points include a vertex; what remains
//! is an edge crossing an edge inside both. Only edges whose two faces both have some of the other box in front
//! of them can be closest, which leaves a few of the 144 pairs.

use nalgebra::Vector3;

use crate::geometry::analytic::box_box::{Boxes, PARALLEL_EDGES};
use crate::geometry::direction::{axis, clamp, others, side};

/// Closest points in the first box's frame and their distance (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosestPoints {
    pub on_a: Vector3<f64>,
    pub on_b: Vector3<f64>,
    pub distance: f64,
}

/// Exact closest points of two disjoint boxes; the distance is 0 where a vertex of one lies in the other.
pub(crate) fn closest_points(boxes: &Boxes) -> ClosestPoints {
    let mut best = ClosestPoints { on_a: boxes.offset, on_b: boxes.offset, distance: f64::INFINITY };
    let mut consider = |on_a: Vector3<f64>, on_b: Vector3<f64>, distance: f64| {
        if distance < best.distance {
            best = ClosestPoints { on_a, on_b, distance };
        }
    };
    for corner in 0..8 {
        let vertex = boxes.offset + boxes.vector_of_b(&vertex(&boxes.b, corner));
        let nearest = clamp(&vertex, &boxes.a);
        consider(nearest, vertex, (vertex - nearest).norm());
    }
    for corner in 0..8 {
        let vertex = vertex(&boxes.a, corner);
        let local = boxes.in_b(&(vertex - boxes.offset));
        let nearest = clamp(&local, &boxes.b);
        consider(vertex, boxes.offset + boxes.vector_of_b(&nearest), (local - nearest).norm());
    }
    crossing_edges(boxes, consider);
    best
}

fn vertex(half_extents: &Vector3<f64>, corner: u32) -> Vector3<f64> {
    let side = |k: u32| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
    half_extents.component_mul(&Vector3::new(side(0), side(1), side(2)))
}

/// Offers every pair of edges whose common perpendicular meets both inside.
fn crossing_edges(boxes: &Boxes, mut consider: impl FnMut(Vector3<f64>, Vector3<f64>, f64)) {
    let a_in_b = -boxes.in_b(&boxes.offset);
    let reach_of_b = boxes.rotation.abs() * boxes.b;
    let reach_of_a = boxes.rotation.abs().tr_mul(&boxes.a);
    let front_a = |k: usize, s: f64| s * boxes.offset[k] + reach_of_b[k] >= boxes.a[k] - boxes.tolerance;
    let front_b = |k: usize, s: f64| s * a_in_b[k] + reach_of_a[k] >= boxes.b[k] - boxes.tolerance;

    for j in 0..3 {
        let edge_b = boxes.axis_b(j);
        for (s1, s2) in SIDES {
            let (j1, j2) = others(j);
            if !(front_b(j1, s1) && front_b(j2, s2)) {
                continue;
            }
            let center_b =
                boxes.offset + boxes.axis_b(j1) * (s1 * boxes.b[j1]) + boxes.axis_b(j2) * (s2 * boxes.b[j2]);
            for i in 0..3 {
                let (i1, i2) = others(i);
                if edge_b[i1].abs().max(edge_b[i2].abs()) < PARALLEL_EDGES {
                    continue;
                }
                for (r1, r2) in SIDES {
                    if !(front_a(i1, r1) && front_a(i2, r2)) {
                        continue;
                    }
                    let center_a = axis(i1, r1 * boxes.a[i1]) + axis(i2, r2 * boxes.a[i2]);
                    let (s, t) = line_parameters(i, &(center_b - center_a), &edge_b);
                    if s.abs() <= boxes.a[i] && t.abs() <= boxes.b[j] {
                        let on_a = center_a + axis(i, s);
                        let on_b = center_b + edge_b * t;
                        consider(on_a, on_b, (on_b - on_a).norm());
                    }
                }
            }
        }
    }
}

/// Parameters at which two lines are closest: one through the origin along axis `i`, the other through `between` along
/// the unit vector `edge`.
///
/// On nearly parallel lines the usual quotient subtracts numbers of the size of the boxes; starting from the point of
/// the second line beside the origin, only the small distance of the lines and their small slope enter.
fn line_parameters(i: usize, between: &Vector3<f64>, edge: &Vector3<f64>) -> (f64, f64) {
    let (i1, i2) = others(i);
    let sine_squared = edge[i1] * edge[i1] + edge[i2] * edge[i2];
    let cosine = edge[i];
    if cosine.abs() > 0.9 {
        let start = -between[i] / cosine;
        let beside = between + edge * start;
        let q = beside[i1] * edge[i1] + beside[i2] * edge[i2];
        (-cosine * q / sine_squared, start - q / sine_squared)
    } else {
        let (p, q) = (between[i], between.dot(edge));
        ((p - cosine * q) / sine_squared, (cosine * p - q) / sine_squared)
    }
}

const SIDES: [(f64, f64); 4] = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];

/// Closest points of the edges `i` of the first and `j` of the second box that support the boxes along `n`, if
/// they lie inside both edges.
pub(crate) fn supporting_edges(boxes: &Boxes, n: &Vector3<f64>, i: usize, j: usize) -> Option<ClosestPoints> {
    let in_b = boxes.in_b(n);
    let (i1, i2) = others(i);
    let (j1, j2) = others(j);
    let center_a = axis(i1, side(n[i1]) * boxes.a[i1]) + axis(i2, side(n[i2]) * boxes.a[i2]);
    let center_b = boxes.offset
        - boxes.axis_b(j1) * (side(in_b[j1]) * boxes.b[j1])
        - boxes.axis_b(j2) * (side(in_b[j2]) * boxes.b[j2]);
    let edge_b = boxes.axis_b(j);
    let (s, t) = line_parameters(i, &(center_b - center_a), &edge_b);
    let inside = s.abs() <= boxes.a[i] + boxes.tolerance && t.abs() <= boxes.b[j] + boxes.tolerance;
    inside.then(|| {
        let (on_a, on_b) = (center_a + axis(i, s), center_b + edge_b * t);
        ClosestPoints { on_a, on_b, distance: n.dot(&(on_b - on_a)) }
    })
}
