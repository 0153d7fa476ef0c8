//! Random poses and shapes, and tests over them with fixed seeds.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use stiction::geometry::Shape;
use stiction::spatial::Transform;

pub(super) fn vector(range: f64) -> impl Strategy<Value = Vector3<f64>> {
    [-range..range, -range..range, -range..range].prop_map(|[x, y, z]| Vector3::new(x, y, z))
}

pub(super) fn orientation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64]
        .prop_filter("a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-3)
        .prop_map(|[w, x, y, z]| UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z)))
}

pub(super) fn pose(range: f64) -> impl Strategy<Value = Transform> {
    (vector(range), orientation()).prop_map(|(x, q)| Transform::new(x, &q))
}

pub(super) fn capsule() -> impl Strategy<Value = Shape> {
    (0.05..0.6_f64, 0.05..1.0_f64).prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length })
}

/// Tests so many random values; a failing one is simplified in `shrinks` attempts at most.
pub(super) fn run<S: Strategy>(cases: u32, shrinks: u32, strategy: S, test: impl Fn(S::Value)) {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        max_shrink_iters: shrinks,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&strategy, |value| {
            test(value);
            Ok(())
        })
        .unwrap();
}
