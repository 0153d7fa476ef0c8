//! Box against box: depth, normal and points against support functions and brute force over all features.

use super::random::run;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use stiction::geometry::{ContactPoint, Shape, collide};
use stiction::spatial::Transform;

/// Attempts at most to simplify a failing case.
const SHRINKS: u32 = 200;

/// A box with its pose.
#[derive(Clone, Copy, Debug)]
struct Body {
    pose: Transform,
    half: Vector3<f64>,
}

impl Body {
    fn new(pose: Transform, half: Vector3<f64>) -> Self {
        Self { pose, half }
    }

    fn shape(&self) -> Shape {
        Shape::Box { half_extents: self.half }
    }

    fn axis(&self, k: usize) -> Vector3<f64> {
        self.pose.rotation.column(k).into()
    }

    /// Largest extent along `n` from the centre.
    fn reach(&self, n: &Vector3<f64>) -> f64 {
        (0..3).map(|k| self.half[k] * n.dot(&self.axis(k)).abs()).sum()
    }

    fn vertices(&self) -> Vec<Vector3<f64>> {
        (0..8)
            .map(|c| {
                let s = |k: u32| if c >> k & 1 == 1 { 1.0 } else { -1.0 };
                self.pose.point(&self.half.component_mul(&Vector3::new(s(0), s(1), s(2))))
            })
            .collect()
    }

    fn edges(&self) -> Vec<(Vector3<f64>, Vector3<f64>)> {
        let v = self.vertices();
        let mut edges = Vec::new();
        for c in 0..8_usize {
            for k in 0..3 {
                if c >> k & 1 == 0 {
                    edges.push((v[c], v[c | 1 << k]));
                }
            }
        }
        edges
    }

    fn distance_to(&self, x: &Vector3<f64>) -> f64 {
        let x = self.pose.inverse_point(x);
        x.zip_map(&self.half, |x, h| (x.abs() - h).max(0.0)).norm()
    }

    fn contains(&self, x: &Vector3<f64>, margin: f64) -> bool {
        let x = self.pose.inverse_point(x);
        (0..3).all(|k| x[k].abs() <= self.half[k] + margin)
    }
}

/// Distance of the supporting planes across `n`.
fn separation(a: &Body, b: &Body, n: &Vector3<f64>) -> f64 {
    n.dot(&(b.pose.translation - a.pose.translation)) - a.reach(n) - b.reach(n)
}

/// The 15 candidate axes with both signs.
fn candidate_axes(a: &Body, b: &Body) -> Vec<Vector3<f64>> {
    let mut axes: Vec<_> = (0..3).flat_map(|k| [a.axis(k), b.axis(k)]).collect();
    for i in 0..3 {
        for j in 0..3 {
            let n = a.axis(i).cross(&b.axis(j));
            if n.norm() > 1e-10 {
                axes.push(n.normalize());
            }
        }
    }
    axes.iter().flat_map(|n| [*n, -*n]).collect()
}

fn point_segment(x: &Vector3<f64>, e: &(Vector3<f64>, Vector3<f64>)) -> f64 {
    let d = e.1 - e.0;
    let t = (d.dot(&(x - e.0)) / d.norm_squared()).clamp(0.0, 1.0);
    (e.0 + d * t - x).norm()
}

/// Distance of two segments: an interior crossing, or an end of one against the other.
fn segment_segment(e: &(Vector3<f64>, Vector3<f64>), f: &(Vector3<f64>, Vector3<f64>)) -> f64 {
    let mut best = point_segment(&e.0, f)
        .min(point_segment(&e.1, f))
        .min(point_segment(&f.0, e))
        .min(point_segment(&f.1, e));
    let (u, v, w) = (e.1 - e.0, f.1 - f.0, f.0 - e.0);
    let n = u.cross(&v);
    if n.norm() < 1e-4 * u.norm() * v.norm() {
        // Nearly parallel: the distance to f is convex along e.
        let distance = |s: f64| point_segment(&(e.0 + u * s), f);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..80 {
            let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if distance(s) < distance(t) {
                high = t;
            } else {
                low = s;
            }
        }
        best = best.min(distance(0.5 * (low + high)));
    } else if let Some(inverse) = Matrix3::from_columns(&[u, -v, n.normalize()]).try_inverse() {
        let x = inverse * w;
        if (0.0..=1.0).contains(&x[0]) && (0.0..=1.0).contains(&x[1]) {
            best = best.min(w.dot(&n.normalize()).abs());
        }
    }
    best
}

/// Distance by brute force over vertex-box and edge-edge; for boxes that do not overlap.
fn true_distance(a: &Body, b: &Body) -> f64 {
    let mut best = f64::INFINITY;
    for v in a.vertices() {
        best = best.min(b.distance_to(&v));
    }
    for v in b.vertices() {
        best = best.min(a.distance_to(&v));
    }
    for e in a.edges() {
        for f in b.edges() {
            best = best.min(segment_segment(&e, &f));
        }
    }
    best
}

fn contacts(a: &Body, b: &Body, prediction: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    collide(&a.shape(), &a.pose, &b.shape(), &b.pose, prediction, &mut out);
    out
}

fn smallest_gap(points: &[ContactPoint]) -> f64 {
    points.iter().fold(f64::INFINITY, |g, p| g.min(p.gap))
}

/// What must hold for any two boxes of sizes about 1. `directions` are further directions to try.
fn check(a: &Body, b: &Body, prediction: f64, directions: &[Vector3<f64>]) {
    let points = contacts(a, b, prediction);
    let describe = || format!("{a:?}\n{b:?}\n{points:#?}");
    let (best_axis, best) = candidate_axes(a, b)
        .into_iter()
        .map(|n| (n, separation(a, b, &n)))
        .fold((Vector3::zeros(), f64::NEG_INFINITY), |m, c| if c.1 > m.1 { c } else { m });
    let attained = points.iter().fold(best, |s, p| s.max(separation(a, b, &p.normal)));
    let distance = if attained > 1e-13 { true_distance(a, b) } else { attained };
    if points.is_empty() {
        assert!(distance > prediction - 1e-12, "no points at distance {distance}: {}", describe());
        return;
    }
    let gap = smallest_gap(&points);
    let normal = points[0].normal;
    assert!((normal.norm() - 1.0).abs() < 1e-14, "{}", describe());
    assert!((separation(a, b, &normal) - gap).abs() < 1e-12, "normal attains the gap: {}", describe());
    assert!(best <= gap + 1e-12, "{best_axis:?} separates better: {}", describe());
    assert!(gap <= distance + 1e-12, "{gap:e} exceeds {distance:e}: {}", describe());
    assert!((gap - distance).abs() < 1e-12, "{gap:e} is not {distance:e} ({best_axis:?}): {}", describe());
    for n in directions {
        assert!(separation(a, b, n) <= gap + 1e-12, "{n:?} separates better: {}", describe());
    }
    for p in &points {
        assert!(p.gap <= prediction && p.normal == normal, "{}", describe());
        assert!(p.point.iter().all(|x| x.is_finite()));
        // The witness points lie on (or by rounding off) the boxes.
        let (on_a, on_b) = (p.point - normal * (0.5 * p.gap), p.point + normal * (0.5 * p.gap));
        assert!(a.contains(&on_a, 1e-6) && b.contains(&on_b, 1e-6), "off the boxes: {}", describe());
    }
    for (k, p) in points.iter().enumerate() {
        for q in &points[..k] {
            assert!(p.feature != q.feature, "feature twice: {}", describe());
            assert!((p.point - q.point).norm() > 1e-8, "point twice: {}", describe());
        }
    }
    assert!(points.len() <= 8, "{}", describe());
}

fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = Vector3<f64>> {
    [range.clone(), range.clone(), range].prop_map(|[x, y, z]| Vector3::new(x, y, z))
}

fn orientation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64]
        .prop_filter("a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-3)
        .prop_map(|[w, x, y, z]| UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z)))
}

/// A power of ten with a sign.
fn signed(exponent: f64, negative: bool) -> f64 {
    let x = 10_f64.powf(exponent);
    if negative { -x } else { x }
}

fn direction() -> impl Strategy<Value = Vector3<f64>> {
    vector(-1.0..1.0).prop_filter("a direction", |v| v.norm() > 1e-2).prop_map(|v| v.normalize())
}

fn pose(range: f64) -> impl Strategy<Value = Transform> {
    (vector(-range..range), orientation()).prop_map(|(x, q)| Transform::new(x, &q))
}

fn body(range: f64) -> impl Strategy<Value = Body> {
    (pose(range), vector(0.1..1.5)).prop_map(|(pose, half)| Body::new(pose, half))
}

/// The 24 rotations of the cube, exact.
fn cube_rotations() -> Vec<Matrix3<f64>> {
    let mut rotations = Vec::new();
    for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        for signs in 0..8_u32 {
            let s = |b: u32| if signs >> b & 1 == 1 { -1.0 } else { 1.0 };
            let mut m = Matrix3::zeros();
            (m[(i, 0)], m[(j, 1)], m[(k, 2)]) = (s(0), s(1), s(2));
            if m.determinant() > 0.0 {
                rotations.push(m);
            }
        }
    }
    rotations
}

/// Boxes aligned up to multiples of 90 degrees, each coordinate of the second at a remarkable place (centred, flush,
/// touching from either side) plus an offset, all turned and moved by a common pose.
fn aligned() -> impl Strategy<Value = (Body, Body)> {
    let halves = prop_oneof![Just(0.5), Just(0.25), Just(1.0), 0.1..1.5_f64];
    let half = [halves.clone(), halves.clone(), halves].prop_map(|[x, y, z]| Vector3::new(x, y, z));
    let offset = prop_oneof![
        4 => Just(0.0),
        4 => (-17.0..-3.0_f64, any::<bool>()).prop_map(|(e, n)| signed(e, n)),
    ];
    let place = || (0..7_usize, offset.clone());
    let world = prop_oneof![Just(Transform::identity()), pose(2.0)];
    let tilt = prop_oneof![
        3 => Just(UnitQuaternion::identity()),
        1 => (direction(), -16.0..-3.0_f64).prop_map(|(u, e)| UnitQuaternion::from_scaled_axis(u * 10_f64.powf(e))),
    ];
    (half.clone(), half, 0..24_usize, [place(), place(), place()], world, tilt, any::<bool>()).prop_map(
        |(ha, hb, r, places, world, tilt, equal)| {
            let rotation = cube_rotations()[r];
            let hb = if equal { rotation.transpose().abs() * ha } else { hb };
            let extent = rotation.abs() * hb;
            let mut x = Vector3::zeros();
            for (k, &(place, offset)) in places.iter().enumerate() {
                x[k] = offset
                    + match place {
                        0 => 0.0,
                        1 => ha[k] + extent[k],
                        2 => -ha[k] - extent[k],
                        3 => ha[k] - extent[k],
                        4 => extent[k] - ha[k],
                        5 => 0.6 * (ha[k] + extent[k]),
                        _ => -0.3 * ha[k],
                    };
            }
            let rotation = tilt.to_rotation_matrix().into_inner() * rotation;
            (Body::new(world, ha), Body::new(world * Transform { rotation, translation: x }, hb))
        },
    )
}

fn directions() -> Vec<Vector3<f64>> {
    let mut found = Vec::new();
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(7), ..Config::default() });
    while found.len() < 1000 {
        found.push(direction().new_tree(&mut runner).unwrap().current());
    }
    found
}

#[test]
fn random_boxes_are_as_deep_or_as_far_as_support_functions_and_brute_force_say() {
    let directions = directions();
    run(10_000, SHRINKS, (body(1.0), body(1.0), 0.0..3.0_f64), |(a, b, prediction)| {
        check(&a, &b, prediction, &directions);
    });
}

#[test]
fn random_boxes_made_to_touch_are_found_to_touch() {
    // Moved along the axis that separates them best until the gap along it is a given small number.
    let directions = directions();
    let gap = (-16.0..-2.0_f64, any::<bool>()).prop_map(|(e, n)| signed(e, n));
    run(10_000, SHRINKS, (body(3.0), body(3.0), gap), |(a, mut b, gap)| {
        let n = candidate_axes(&a, &b)
            .into_iter()
            .reduce(|m, n| if separation(&a, &b, &n) > separation(&a, &b, &m) { n } else { m })
            .unwrap();
        b.pose.translation -= n * (separation(&a, &b, &n) - gap);
        check(&a, &b, 0.1, &directions[..100]);
    });
}

#[test]
fn aligned_boxes_are_as_deep_or_as_far_as_support_functions_and_brute_force_say() {
    let directions = directions();
    run(
        20_000,
        SHRINKS,
        (aligned(), prop_oneof![Just(1e-6), Just(0.05), Just(1.0)]),
        |((a, b), prediction)| {
            check(&a, &b, prediction, &directions[..100]);
        },
    );
}

/// The points in an order that does not depend on ids.
fn sorted(mut points: Vec<ContactPoint>) -> Vec<ContactPoint> {
    let key = |p: &ContactPoint| p.point.map(|x| (x * 1e6).round());
    points.sort_by(|p, q| key(p).iter().partial_cmp(key(q).iter()).unwrap());
    points
}

/// Whether two manifolds are the same points within `bound`, in any order.
fn same(p: &[ContactPoint], q: &[ContactPoint], sign: f64, bound: f64) -> bool {
    let near = |a: &ContactPoint, b: &ContactPoint| {
        (a.point - b.point).amax() < bound
            && (a.normal - b.normal * sign).amax() < bound
            && (a.gap - b.gap).abs() < bound
    };
    p.len() == q.len()
        && p.iter().all(|a| q.iter().any(|b| near(a, b)))
        && q.iter().all(|b| p.iter().any(|a| near(a, b)))
}

#[test]
fn exchanging_the_boxes_flips_the_normals_and_keeps_gaps_and_points() {
    run(10_000, SHRINKS, (body(1.0), body(1.0)), |(a, b)| {
        let (p, q) = (contacts(&a, &b, 0.3), contacts(&b, &a, 0.3));
        assert!(same(&p, &q, -1.0, 1e-10), "{a:?}\n{b:?}\n{p:#?}\n{q:#?}");
    });
}

#[test]
fn moving_the_world_moves_the_contacts_with_it() {
    run(10_000, SHRINKS, (body(1.0), body(1.0), pose(3.0)), |(a, b, world)| {
        let p = contacts(&a, &b, 0.3);
        let moved = |x: &Body| Body::new(world * x.pose, x.half);
        let q = contacts(&moved(&a), &moved(&b), 0.3);
        let p: Vec<_> = p
            .iter()
            .map(|c| ContactPoint { point: world.point(&c.point), normal: world.vector(&c.normal), ..*c })
            .collect();
        assert!(same(&p, &q, 1.0, 1e-10), "{p:#?}\n{q:#?}");
        let ids = |c: &[ContactPoint]| {
            let mut ids: Vec<_> = c.iter().map(|c| c.feature).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(&p), ids(&q));
    });
}

#[test]
fn equal_boxes_stacked_exactly_touch_at_their_four_corners() {
    let offset = prop_oneof![Just(0.0), (-17.0..-9.0_f64, any::<bool>()).prop_map(|(e, n)| { signed(e, n) })];
    let noise = [offset.clone(), offset.clone(), offset.clone(), offset.clone(), offset.clone(), offset];
    let world = prop_oneof![Just(Transform::identity()), pose(2.0)];
    let reference = std::cell::RefCell::new(None);
    run(3_000, SHRINKS, (0..24_usize, noise, world), |(r, noise, world)| {
        // A cube on a cube in any of the 24 orientations, disturbed by up to 1e-9.
        let half = Vector3::repeat(0.5);
        let tilt = UnitQuaternion::from_scaled_axis(Vector3::new(noise[0], noise[1], noise[2]));
        let x = Vector3::new(noise[3], noise[4], 1.0 + noise[5]);
        let rotation = tilt.to_rotation_matrix().into_inner() * cube_rotations()[r];
        let a = Body::new(world, half);
        let b = Body::new(world * Transform { rotation, translation: x }, half);
        let points = contacts(&a, &b, 1e-3);
        assert_eq!(points.len(), 4, "{points:#?}");
        let up = world.vector(&Vector3::z());
        for p in &points {
            let local = world.inverse_point(&p.point);
            assert!((local.abs() - half).amax() < 1e-8, "{points:#?}");
            assert!(p.gap.abs() < 4e-9 && (p.normal - up).amax() < 4e-9);
        }
        if noise.iter().all(|x| *x == 0.0) {
            assert!(points.iter().all(|p| p.gap.abs() < 2e-15), "{points:#?}");
        }
        // The same orientation has the same ids whatever the noise.
        let ids: Vec<_> = {
            let mut ids: Vec<_> = points.iter().map(|p| p.feature).collect();
            ids.sort_unstable();
            ids
        };
        if r == 0 {
            let mut reference = reference.borrow_mut();
            assert_eq!(reference.get_or_insert_with(|| ids.clone()), &ids);
        }
    });
}

#[test]
fn contacts_of_parallel_faces_lie_on_both_faces() {
    run(
        5_000,
        SHRINKS,
        (vector(0.2..1.5), vector(0.2..1.5), -3.2..3.2_f64, [-1.0..1.0, -1.0..1.0_f64], pose(2.0)),
        |(ha, hb, yaw, [x, y], world)| {
            let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * yaw);
            let b = Transform::new(Vector3::new(x, y, ha.z + hb.z), &spin);
            let (a, b) = (Body::new(world, ha), Body::new(world * b, hb));
            for p in contacts(&a, &b, 1e-6) {
                let (x, y) = (a.pose.inverse_point(&p.point), b.pose.inverse_point(&p.point));
                assert!((x.z - ha.z).abs() < 1e-12 && (y.z + hb.z).abs() < 1e-12);
                assert!(a.contains(&p.point, 1e-12) && b.contains(&p.point, 1e-12));
                assert!(p.gap.abs() < 1e-14);
            }
        },
    );
}

#[test]
fn a_box_pushed_over_the_edge_of_a_table_never_feels_a_sideways_wall() {
    let table = Body::new(Transform::identity(), Vector3::new(1.0, 1.0, 0.1));
    let half = Vector3::repeat(0.2);
    for gap in [0.0, 1e-16, -1e-16, 1e-9, 1e-3] {
        for overlap in [0.4, 0.2, 1e-3, 1e-6] {
            let x = Vector3::new(1.2 - overlap, 0.3, 0.3 + gap);
            let box_ = Body::new(Transform::from_translation(x), half);
            let points = contacts(&table, &box_, 0.01);
            assert_eq!(points.len(), 4, "{overlap}");
            assert!(points.iter().all(|p| p.normal == Vector3::z() && (p.gap - gap).abs() < 1e-15));
        }
        // Past the edge and falling: the contact is the side of the table, the gap the sideways distance.
        let x = Vector3::new(1.2 + 1e-3, 0.3, 0.2);
        let box_ = Body::new(Transform::from_translation(x), half);
        let points = contacts(&table, &box_, 0.01);
        assert!(points.iter().all(|p| p.normal == Vector3::x() && (p.gap - 1e-3).abs() < 1e-15));
    }
}

#[test]
fn an_overhanging_box_turned_on_a_table_keeps_all_its_contacts_under_tiny_tilts() {
    let table = Body::new(Transform::identity(), Vector3::new(1.0, 1.0, 0.1));
    run(3_000, SHRINKS, (direction(), -17.0..-6.0_f64, -1.5..1.5_f64), |(axis, exponent, yaw)| {
        let tilt = UnitQuaternion::from_scaled_axis(axis * 10_f64.powf(exponent));
        let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * yaw);
        let at = |q: UnitQuaternion<f64>| {
            Body::new(Transform::new(Vector3::new(0.95, 0.3, 0.3), &q), Vector3::repeat(0.2))
        };
        let (flat, tilted) = (contacts(&table, &at(spin), 1e-3), contacts(&table, &at(tilt * spin), 1e-3));
        assert!(flat.len() >= 3);
        assert!(same(&flat, &tilted, 1.0, 2.0 * 10_f64.powf(exponent) + 1e-14), "{flat:#?}{tilted:#?}");
        for (p, q) in sorted(flat).iter().zip(sorted(tilted)) {
            assert_eq!(p.feature, q.feature);
        }
    });
}

#[test]
fn a_small_cube_near_the_rim_of_a_wide_thin_plate_is_held_straight_up() {
    let plate = Body::new(Transform::identity(), Vector3::new(8.0, 6.0, 0.1));
    let place = [-1.0..1.0, -1.0..1.0_f64].prop_map(|[x, y]| (x * (8.0 - 1e-3), y * (6.0 - 1e-3)));
    run(1_000, SHRINKS, (place, -3.2..3.2_f64), |((x, y), yaw)| {
        for (lowest, gap) in [(0.101, 0.001), (0.1, 0.0), (0.099, -0.001)] {
            for yaw in [0.0, yaw] {
                let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * yaw);
                let pose = Transform::new(Vector3::new(x, y, lowest + 0.02), &spin);
                let points = contacts(&plate, &Body::new(pose, Vector3::repeat(0.02)), 0.01);
                assert!(points.len() >= 3);
                for p in points {
                    assert!((p.normal - Vector3::z()).amax() < 1e-12 && (p.gap - gap).abs() < 1e-12);
                }
            }
        }
    });
}

#[test]
fn sizes_a_million_to_one_give_finite_contacts_of_the_right_depth() {
    let small = 1e-3;
    run(
        3_000,
        SHRINKS,
        (pose(1e3), orientation(), [-1.0..1.0, -1.0..1.0_f64], -1.0..1.0_f64),
        |(world, q, [x, y], g)| {
            let ground = Body::new(world, Vector3::repeat(1e3));
            let mut b = Body::new(Transform::new(Vector3::zeros(), &q), Vector3::repeat(small));
            let gap = 0.5 * small * g;
            let height = 1e3 + gap + b.reach(&Vector3::z());
            b.pose = world * Transform { translation: Vector3::new(900.0 * x, 900.0 * y, height), ..b.pose };
            let points = contacts(&ground, &b, small);
            assert!((smallest_gap(&points) - gap).abs() < 1e-11, "{gap:e} {points:#?}");
            for p in points {
                assert!((p.normal - world.vector(&Vector3::z())).amax() < 1e-12);
            }
        },
    );
}
