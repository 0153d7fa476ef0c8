//! Time per pair of shapes: two bodies of about a metre, in 200 poses that are apart, touching and overlapping.
//!
//! Names say first and second shape; `resting` lies on a box as bodies do, with all its contacts at gap 0. Every sample is a
//! pass over all poses; the throughput column is pairs per second.
//!
//! `cargo bench -p stiction --bench collide [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a shape that cannot be made is a failed benchmark")]

use divan::Bencher;
use divan::counter::ItemsCount;
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;
use stiction::geometry::{ConvexMesh, Shape, collide};
use stiction::spatial::Transform;

fn main() {
    divan::main();
}

const NAMES: [&str; 6] = ["sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"];

fn shape(name: &str) -> Shape {
    match name {
        "sphere" => Shape::Sphere { radius: 0.5 },
        "capsule" => Shape::Capsule { radius: 0.3, half_length: 0.5 },
        "box" => Shape::Box { half_extents: Vector3::new(0.3, 0.4, 0.5) },
        "cylinder" => Shape::Cylinder { radius: 0.3, half_length: 0.5 },
        "ellipsoid" => Shape::Ellipsoid { radii: Vector3::new(0.3, 0.4, 0.5) },
        _ => prism(12),
    }
}

/// An upright prism over a regular polygon of radius 0.3, one high.
fn prism(sides: u32) -> Shape {
    let corner = |i: u32| {
        let (sin, cos) = libm::sincos(f64::from(i / 2) * std::f64::consts::TAU / f64::from(sides));
        Vector3::new(0.3 * cos, 0.3 * sin, if i.is_multiple_of(2) { 0.5 } else { -0.5 })
    };
    let corners: Vec<_> = (0..2 * sides).map(corner).collect();
    Shape::Convex(Arc::new(ConvexMesh::from_points(&corners).unwrap()))
}

/// Poses of the second shape about 0.4 to 1.2 from the first.
fn poses() -> Vec<Transform> {
    let sin = libm::sin;
    (0..200)
        .map(|i| {
            let x = f64::from(i);
            let turn = UnitQuaternion::from_euler_angles(3.0 * x, 5.0 * x, 7.0 * x);
            let way = Vector3::new(sin(1.1 * x), sin(2.3 * x), sin(3.7 * x)).normalize();
            Transform::new(way * (0.8 + 0.4 * sin(0.7 * x)), &turn)
        })
        .collect()
}

fn time_poses(bencher: Bencher, a: &Shape, b: &Shape, poses: &[Transform]) {
    let mut points = Vec::new();
    bencher.counter(ItemsCount::new(poses.len())).bench_local(|| {
        for pose in poses {
            points.clear();
            collide(a, &Transform::identity(), b, pose, 0.01, &mut points);
        }
        points.len()
    });
}

#[divan::bench(args = NAMES)]
fn cylinder(bencher: Bencher, other: &str) {
    time_poses(bencher, &shape("cylinder"), &shape(other), &poses());
}

#[divan::bench(args = NAMES)]
fn ellipsoid(bencher: Bencher, other: &str) {
    time_poses(bencher, &shape("ellipsoid"), &shape(other), &poses());
}

#[divan::bench(args = NAMES)]
fn mesh(bencher: Bencher, other: &str) {
    time_poses(bencher, &shape("mesh"), &shape(other), &poses());
}

/// For comparison.
#[divan::bench]
fn box_box(bencher: Bencher) {
    time_poses(bencher, &shape("box"), &shape("box"), &poses());
}

#[divan::bench(args = NAMES)]
fn resting(bencher: Bencher, rider: &str) {
    let table = Shape::Box { half_extents: Vector3::new(2.0, 2.0, 0.5) };
    let height = 0.5 + shape(rider).support(&-Vector3::z()).unwrap().z.abs();
    let poses: Vec<_> = (0..200)
        .map(|i| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(i));
            Transform::new(Vector3::new(0.3, 0.2, height), &turn)
        })
        .collect();
    time_poses(bencher, &table, &shape(rider), &poses);
}
