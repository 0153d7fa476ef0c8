//! Planes, spheres and capsules: contacts against closed formulas and independent minimisation.

use super::random::{capsule, orientation, pose, run, vector};
use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use stiction::geometry::{ContactPoint, Shape, collide};
use stiction::spatial::Transform;

/// Attempts at most to simplify a failing case.
const SHRINKS: u32 = 200;

fn sphere() -> impl Strategy<Value = Shape> {
    (0.05..1.0_f64).prop_map(|radius| Shape::Sphere { radius })
}

fn cuboid() -> impl Strategy<Value = Shape> {
    [0.1..1.0, 0.1..1.0, 0.1..1.0_f64]
        .prop_map(|[x, y, z]| Shape::Box { half_extents: Vector3::new(x, y, z) })
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::Plane), sphere(), capsule(), cuboid()]
}

fn contacts(a: &Shape, x: &Transform, b: &Shape, y: &Transform, prediction: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    collide(a, x, b, y, prediction, &mut out);
    out
}

fn smallest_gap(points: &[ContactPoint]) -> f64 {
    points.iter().fold(f64::INFINITY, |g, p| g.min(p.gap))
}

fn support(shape: &Shape, pose: &Transform, n: &Vector3<f64>) -> f64 {
    n.dot(&pose.point(&shape.support(&pose.inverse_vector(n)).unwrap()))
}

/// Distance of the supporting planes across `n`.
fn separation(a: &Shape, x: &Transform, b: &Shape, y: &Transform, n: &Vector3<f64>) -> f64 {
    -support(b, y, &-n) - support(a, x, n)
}

/// Minimum of a convex function on [-l, l] by ternary search.
fn minimum(l: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-l, l);
    for _ in 0..90 {
        let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(s) < f(t) {
            high = t;
        } else {
            low = s;
        }
    }
    f(0.5 * (low + high)).min(f(-l)).min(f(l))
}

fn axis(pose: &Transform) -> Vector3<f64> {
    pose.rotation.column(2).into()
}

#[test]
fn a_plane_touches_every_shape_at_the_heights_of_its_lowest_points() {
    run(
        5_000,
        SHRINKS,
        (pose(3.0), pose(3.0), sphere(), capsule(), cuboid()),
        |(plane, x, ball, rod, block)| {
            let up = axis(&plane);
            let height = |p: &Vector3<f64>| up.dot(&(p - plane.translation));
            for shape in [ball, rod, block] {
                let points = contacts(&Shape::Plane, &plane, &shape, &x, f64::MAX);
                let lowest = height(&x.point(&shape.support(&x.inverse_vector(&-up)).unwrap()));
                assert!((smallest_gap(&points) - lowest).abs() < 1e-12);
                let count = match shape {
                    Shape::Sphere { .. } => 1,
                    Shape::Capsule { .. } => 2,
                    _ => 8,
                };
                assert_eq!(points.len(), count);
                for p in &points {
                    assert!((p.normal - up).amax() < 1e-15);
                    // The point is midway between the plane and a surface point of the shape at height gap.
                    assert!((height(&p.point) - 0.5 * p.gap).abs() < 1e-12);
                }
            }
            assert!(contacts(&Shape::Plane, &plane, &Shape::Plane, &x, f64::MAX).is_empty());
        },
    );
}

#[test]
fn a_box_lying_on_a_plane_has_four_points_with_corner_ids() {
    let block = Shape::Box { half_extents: Vector3::new(0.5, 0.25, 0.125) };
    let at = Transform::from_translation(Vector3::new(3.0, 4.0, 0.125));
    let points = contacts(&Shape::Plane, &Transform::identity(), &block, &at, 1e-3);
    let ids: Vec<_> = points.iter().map(|p| p.feature).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    assert!(points.iter().all(|p| p.gap == 0.0 && p.point.z == 0.0 && p.normal == Vector3::z()));
}

#[test]
fn spheres_touch_at_the_distance_of_their_centres_less_the_radii() {
    run(5_000, SHRINKS, (pose(1.0), pose(1.0), 0.05..1.0_f64, 0.05..1.0_f64), |(x, y, r, s)| {
        let (a, b) = (Shape::Sphere { radius: r }, Shape::Sphere { radius: s });
        let points = contacts(&a, &x, &b, &y, f64::MAX);
        let offset = y.translation - x.translation;
        assert_eq!(points.len(), 1);
        let p = points[0];
        assert!((p.gap - (offset.norm() - r - s)).abs() < 1e-12);
        assert!((p.normal - offset.normalize()).amax() < 1e-12);
        let surfaces = (x.translation + p.normal * r, y.translation - p.normal * s);
        assert!((p.point - (surfaces.0 + surfaces.1) * 0.5).amax() < 1e-12);
    });
}

#[test]
fn a_sphere_and_a_capsule_touch_at_the_closest_point_of_the_axis() {
    run(5_000, SHRINKS, (pose(1.0), pose(1.0), 0.05..1.0_f64, capsule()), |(x, y, radius, rod)| {
        let Shape::Capsule { radius: r, half_length: l } = rod else { unreachable!() };
        let points = contacts(&Shape::Sphere { radius }, &x, &rod, &y, f64::MAX);
        let d = axis(&y);
        let distance = minimum(l, |t| (y.translation + d * t - x.translation).norm());
        assert!((points[0].gap - (distance - radius - r)).abs() < 1e-12);
        let s = separation(&Shape::Sphere { radius }, &x, &rod, &y, &points[0].normal);
        assert!((s - points[0].gap).abs() < 1e-12);
    });
}

#[test]
fn a_sphere_and_a_box_touch_along_the_shortest_way_in_or_out() {
    run(10_000, SHRINKS, (pose(0.7), pose(0.7), 0.05..1.0_f64, cuboid()), |(x, y, radius, block)| {
        let Shape::Box { half_extents: h } = block else { unreachable!() };
        let ball = Shape::Sphere { radius };
        let points = contacts(&ball, &x, &block, &y, f64::MAX);
        let c = y.inverse_point(&x.translation);
        let outside = c.zip_map(&h, |c, h| (c.abs() - h).max(0.0)).norm();
        let inside = (0..3).map(|k| c[k].abs() - h[k]).fold(f64::NEG_INFINITY, f64::max);
        let distance = if outside > 0.0 { outside } else { inside };
        let p = points[0];
        assert!((p.gap - (distance - radius)).abs() < 1e-12);
        assert!((separation(&ball, &x, &block, &y, &p.normal) - p.gap).abs() < 1e-12);
    });
}

#[test]
fn a_sphere_centre_on_a_face_edge_corner_or_centre_of_a_box_leaves_straight() {
    let block = Shape::Box { half_extents: Vector3::new(1.0, 2.0, 3.0) };
    let normal = |x: f64, y: f64, z: f64| {
        let at = Transform::from_translation(Vector3::new(x, y, z));
        let ball = Shape::Sphere { radius: 0.5 };
        let points = contacts(&block, &Transform::identity(), &ball, &at, 0.0);
        assert_eq!(points.len(), 1);
        (points[0].normal, points[0].gap)
    };
    assert_eq!(normal(0.2, 0.3, 3.0), (Vector3::z(), -0.5));
    assert_eq!(normal(0.2, -2.0, 0.4), (-Vector3::y(), -0.5));
    assert_eq!(normal(1.0, 2.0, 0.4), (Vector3::x(), -0.5));
    assert_eq!(normal(-1.0, 2.0, -3.0), (-Vector3::x(), -0.5));
    assert_eq!(normal(0.0, 0.0, 0.0), (Vector3::x(), -1.5));
    assert_eq!(normal(0.0, 1.5, 2.75), (Vector3::z(), -0.75));
}

#[test]
fn concentric_spheres_and_coincident_capsules_get_a_normal_of_their_own_frame() {
    run(500, SHRINKS, (pose(1.0), sphere(), capsule(), capsule()), |(x, ball, rod, other)| {
        for (a, b) in [(&ball, &ball), (&ball, &rod), (&rod, &rod), (&rod, &other), (&rod, &ball)] {
            let points = contacts(a, &x, b, &x, 0.0);
            assert!(!points.is_empty());
            for p in &points {
                assert!((p.normal.norm() - 1.0).abs() < 1e-15);
                let depth = separation(a, &x, b, &x, &p.normal);
                assert!((depth - p.gap).abs() < 1e-12, "{a:?} {b:?} {p:?}");
            }
            let local: Vec<_> = points.iter().map(|p| x.inverse_vector(&p.normal)).collect();
            let home = contacts(a, &Transform::identity(), b, &Transform::identity(), 0.0);
            assert!(local.iter().zip(&home).all(|(n, p)| (n - p.normal).amax() < 1e-12));
        }
    });
}

#[test]
fn capsules_touch_where_their_axes_come_closest() {
    run(10_000, SHRINKS, (pose(0.8), pose(0.8), capsule(), capsule()), |(x, y, a, b)| {
        let (Shape::Capsule { radius: r, half_length: l }, Shape::Capsule { radius: s, half_length: m }) =
            (&a, &b)
        else {
            unreachable!()
        };
        let points = contacts(&a, &x, &b, &y, f64::MAX);
        let (d, e) = (axis(&x), axis(&y));
        let distance = minimum(*l, |t| {
            let p = x.translation + d * t;
            let u = e.dot(&(p - y.translation)).clamp(-m, *m);
            (y.translation + e * u - p).norm()
        });
        let gap = smallest_gap(&points);
        let near = contacts(&a, &x, &b, &y, distance - r - s + 1.0);
        assert!(!near.is_empty());
        assert!((gap - (distance - r - s)).abs() < 1e-11, "{gap} {distance} {points:?}");
        let p = points.iter().find(|p| p.gap == gap).unwrap();
        assert!((separation(&a, &x, &b, &y, &p.normal) - gap).abs() < 1e-11);
    });
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_the_stretch_they_share() {
    let angle = prop_oneof![Just(0.0), (-17.0..-2.5_f64).prop_map(|e| 10_f64.powf(e))];
    let case =
        (capsule(), capsule(), -0.9..0.9_f64, -3.2..3.2_f64, angle, vector(1.0), any::<bool>(), pose(2.0));
    run(5_000, SHRINKS, case, |(a, b, shift, around, angle, about, flip, world)| {
        let (Shape::Capsule { radius: r, half_length: l }, Shape::Capsule { radius: s, half_length: m }) =
            (&a, &b)
        else {
            unreachable!()
        };
        let apart = r + s + 1e-3;
        let middle = shift * (l + m);
        let beside = Vector3::new(around.cos(), around.sin(), 0.0) * apart + Vector3::z() * middle;
        let turn = UnitQuaternion::from_scaled_axis(about.normalize() * angle);
        let turn = if flip {
            turn * UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI)
        } else {
            turn
        };
        let y = world * Transform::new(beside, &turn);
        let points = contacts(&a, &world, &b, &y, 0.02);
        let (low, high) = ((-l).max(middle - m), l.min(middle + m));
        assert!(points.len() == 2 || (points.len() == 3 && angle > 1e-8), "{points:?}");
        for end in [low, high] {
            let found = points.iter().any(|p| {
                let z = world.inverse_point(&p.point).z;
                (z - end).abs() < 1e-12 + 2.0 * angle && (p.gap - 1e-3).abs() < 1e-12 + 4.0 * angle
            });
            assert!(found, "{end} {angle} {points:?}");
        }
        let swapped = contacts(&b, &y, &a, &world, 0.02);
        assert_eq!(points.len(), swapped.len());
        for p in &points {
            assert!(swapped.iter().any(|q| (p.point - q.point).amax() < 1e-12
                && (p.normal + q.normal).amax() < 1e-12
                && (p.gap - q.gap).abs() < 1e-12));
        }
    });
}

#[test]
fn capsules_with_crossing_axes_leave_along_the_common_perpendicular() {
    let rod = Shape::Capsule { radius: 0.1, half_length: 1.0 };
    let quarter = std::f64::consts::FRAC_PI_2;
    run(1_000, SHRINKS, (pose(2.0), 0.02..3.12_f64, -0.9..0.9_f64, -0.9..0.9_f64), |(world, angle, s, t)| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::x() * angle);
        let d = turn * Vector3::z();
        let y = world * Transform::new(Vector3::z() * s - d * t, &turn);
        let points = contacts(&rod, &world, &rod, &y, 0.0);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap + 0.2).abs() < 1e-12);
        assert!((world.inverse_vector(&points[0].normal).x.abs() - 1.0).abs() < 1e-12);
    });
    let cross = Transform::new(Vector3::zeros(), &UnitQuaternion::from_scaled_axis(Vector3::x() * quarter));
    assert_eq!(contacts(&rod, &Transform::identity(), &rod, &cross, 0.0).len(), 1);
}

/// Checks a capsule against a box: the deepest point against the distance or, inside, the support functions.
fn check_capsule_box(x: &Transform, rod: &Shape, y: &Transform, block: &Shape, directions: &[Vector3<f64>]) {
    let (Shape::Capsule { radius: r, half_length: l }, Shape::Box { half_extents: h }) = (rod, block) else {
        unreachable!()
    };
    let points = contacts(rod, x, block, y, f64::MAX);
    let describe = || format!("{rod:?} {x:?}\n{block:?} {y:?}\n{points:#?}");
    let (c, d) = (y.inverse_point(&x.translation), y.inverse_vector(&axis(x)));
    let core = minimum(*l, |t| (c + d * t).zip_map(h, |c, h| (c.abs() - h).max(0.0)).norm());
    let gap = smallest_gap(&points);
    let deepest = points.iter().find(|p| p.gap == gap).unwrap();
    if core > 1e-9 {
        assert!((gap - (core - r)).abs() < 1e-11, "{gap} {core} {}", describe());
    } else {
        assert!(gap <= 1e-9 - r);
    }
    let s = separation(rod, x, block, y, &deepest.normal);
    assert!((s - gap).abs() < 1e-11, "{s} {gap} {}", describe());
    for n in directions {
        assert!(separation(rod, x, block, y, n) <= gap + 1e-11, "{n:?} {}", describe());
    }
    for (k, p) in points.iter().enumerate() {
        assert!((p.normal.norm() - 1.0).abs() < 1e-14);
        for q in &points[..k] {
            assert!(p.feature != q.feature, "{}", describe());
        }
        // The witness on the box lies on the box.
        let on_box = y.inverse_point(&(p.point + p.normal * (0.5 * p.gap)));
        let off = on_box.zip_map(h, |c, h| (c.abs() - h).max(0.0)).norm();
        assert!(off < 1e-9, "{off} {}", describe());
    }
    assert!(points.len() <= 3);
}

fn directions() -> Vec<Vector3<f64>> {
    use proptest::strategy::ValueTree;
    let mut runner = TestRunner::new(Config {
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..Config::default()
    });
    (0..200).map(|_| vector(1.0).new_tree(&mut runner).unwrap().current().normalize()).collect()
}

#[test]
fn a_capsule_and_a_box_touch_as_deep_as_minimisation_and_support_functions_say() {
    let directions = directions();
    run(10_000, SHRINKS, (pose(0.8), pose(0.8), capsule(), cuboid()), |(x, y, rod, block)| {
        check_capsule_box(&x, &rod, &y, &block, &directions);
    });
}

#[test]
fn a_capsule_aligned_with_a_box_touches_as_deep_as_minimisation_says() {
    let directions = directions();
    let offset = || {
        prop_oneof![
            2 => Just(0.0),
            1 => (-17.0..-3.0_f64, any::<bool>()).prop_map(|(e, n)| if n { -10_f64.powf(e) } else { 10_f64.powf(e) }),
        ]
    };
    let place = || (0..6_usize, offset());
    let case = (
        capsule(),
        cuboid(),
        0..3_usize,
        [place(), place(), place()],
        [offset(), offset(), offset()],
        prop_oneof![Just(Transform::identity()), pose(2.0)],
    );
    run(10_000, SHRINKS, case, |(rod, block, along, places, tilt, world)| {
        let (Shape::Capsule { radius: r, half_length: l }, Shape::Box { half_extents: h }) = (&rod, &block)
        else {
            unreachable!()
        };
        let turn = match along {
            0 => UnitQuaternion::from_scaled_axis(Vector3::y() * std::f64::consts::FRAC_PI_2),
            1 => UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2),
            _ => UnitQuaternion::identity(),
        };
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from(tilt)) * turn;
        let mut c = Vector3::zeros();
        for (k, (place, offset)) in places.into_iter().enumerate() {
            let extent = if k == along { *l } else { 0.0 };
            c[k] = offset + [0.0, h[k], h[k] + r, -h[k] - extent, h[k] + extent + r, 0.5 * h[k]][place];
        }
        check_capsule_box(&(world * Transform::new(c, &turn)), &rod, &world, &block, &directions);
    });
}

#[test]
fn a_capsule_lying_on_a_face_or_along_an_edge_touches_at_two_points() {
    let block = Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.5) };
    let rod = Shape::Capsule { radius: 0.1, half_length: 0.5 };
    let lie = UnitQuaternion::from_scaled_axis(Vector3::y() * std::f64::consts::FRAC_PI_2);
    let points = |x: f64, y: f64, z: f64| {
        let at = Transform::new(Vector3::new(x, y, z), &lie);
        contacts(&block, &Transform::identity(), &rod, &at, 1e-3)
    };
    // On the face, inside and overhanging.
    for (x, ends) in [(0.1, [-0.4, 0.6]), (0.8, [0.3, 1.0])] {
        let found = points(x, 0.2, 0.6);
        assert_eq!(found.len(), 2);
        for (p, end) in found.iter().zip(ends) {
            assert!(
                (p.point - Vector3::new(end, 0.2, 0.5)).amax() < 1e-15 + 1e-15 && p.normal == Vector3::z()
            );
            assert!(p.gap.abs() < 1e-15);
        }
    }
    // Along the edge, beside and above it.
    let slant = 0.1 / 2_f64.sqrt();
    let found = points(0.7, 1.0 + slant, 0.5 + slant);
    assert_eq!(found.len(), 2, "{found:?}");
    for (p, end) in found.iter().zip([0.2, 1.0]) {
        assert!((p.point - Vector3::new(end, 1.0, 0.5)).amax() < 1e-12 && p.gap.abs() < 1e-12);
        assert!((p.normal - Vector3::new(0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt())).amax() < 1e-12);
    }
}

#[test]
fn a_capsule_overhanging_a_table_keeps_two_points_under_tiny_tilts() {
    let table = Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.1) };
    let rod = Shape::Capsule { radius: 0.1, half_length: 0.5 };
    let lie = UnitQuaternion::from_scaled_axis(Vector3::y() * std::f64::consts::FRAC_PI_2);
    run(2_000, SHRINKS, (vector(1.0), -17.0..-6.0_f64, -3.2..3.2_f64), |(about, exponent, yaw)| {
        let tilt = UnitQuaternion::from_scaled_axis(about * 10_f64.powf(exponent));
        let spin = UnitQuaternion::from_scaled_axis(Vector3::z() * yaw);
        let at = |q| Transform::new(Vector3::new(0.95, 0.3, 0.2), &q);
        let touch = |q| contacts(&table, &Transform::identity(), &rod, &at(q), 1e-3);
        let (flat, tilted) = (touch(spin * lie), touch(tilt * spin * lie));
        assert_eq!(flat.len(), 2);
        assert_eq!(tilted.len(), 2, "{tilted:?}");
        for p in &flat {
            let q = tilted.iter().find(|q| q.feature == p.feature).unwrap();
            let bound = 1e-5 + 10_f64.powf(exponent);
            assert!((p.point - q.point).amax() < bound, "{p:?} {q:?}");
            assert!((p.gap - q.gap).abs() < 2.0 * 10_f64.powf(exponent) + 1e-14, "{p:?} {q:?}");
        }
    });
}

#[test]
fn balls_anywhere_on_a_plate_are_touched_straight_below_their_centre() {
    let plate = Shape::Box { half_extents: Vector3::new(0.064, 0.064, 0.01) };
    let at = Transform::from_translation(Vector3::new(0.0, 0.0, 0.01));
    let ball = Shape::Sphere { radius: 0.0025 };
    run(1_000, SHRINKS, [-0.06..0.06, -0.06..0.06_f64], |[x, y]| {
        for (x, y) in [(x, y), (0.0, 0.0), (0.01, 0.01)] {
            let c = Transform::from_translation(Vector3::new(x, y, 0.0225));
            let p = contacts(&plate, &at, &ball, &c, 1e-3)[0];
            assert!(p.normal == Vector3::z() && p.point.x == x && p.point.y == y && p.gap.abs() < 1e-17);
        }
    });
    // Near the rim of a wide thin plate.
    let plate = Shape::Box { half_extents: Vector3::new(8.0, 6.0, 0.1) };
    run(1_000, SHRINKS, [-1.0..1.0, -1.0..1.0_f64], |[x, y]| {
        for (lowest, gap) in [(0.101, 0.001), (0.1, 0.0), (0.099, -0.001)] {
            let c = Vector3::new(x * (8.0 - 1e-3), y * (6.0 - 1e-3), lowest + 0.02);
            let ball = Shape::Sphere { radius: 0.02 };
            let p = contacts(&plate, &Transform::identity(), &ball, &Transform::from_translation(c), 0.01)[0];
            assert!(p.normal == Vector3::z() && (p.gap - gap).abs() < 1e-15);
        }
    });
}

#[test]
fn exchanging_any_two_shapes_flips_the_normals_and_keeps_gaps_and_points() {
    run(20_000, SHRINKS, (any_shape(), pose(0.8), any_shape(), pose(0.8)), |(a, x, b, y)| {
        let (p, q) = (contacts(&a, &x, &b, &y, 0.2), contacts(&b, &y, &a, &x, 0.2));
        assert_eq!(p.len(), q.len());
        for c in &p {
            assert!(c.gap <= 0.2);
            assert!(q.iter().any(|d| (c.point - d.point).amax() < 1e-10
                && (c.normal + d.normal).amax() < 1e-10
                && (c.gap - d.gap).abs() < 1e-11));
        }
    });
}

#[test]
fn moving_the_world_moves_any_contact_with_it() {
    run(
        20_000,
        SHRINKS,
        (any_shape(), pose(0.8), any_shape(), pose(0.8), pose(2.0)),
        |(a, x, b, y, world)| {
            let (p, q) = (contacts(&a, &x, &b, &y, 0.2), contacts(&a, &(world * x), &b, &(world * y), 0.2));
            assert_eq!(p.len(), q.len());
            for (c, d) in p.iter().zip(&q) {
                assert!((world.point(&c.point) - d.point).amax() < 1e-10, "{a:?} {b:?}");
                assert!((world.vector(&c.normal) - d.normal).amax() < 1e-10);
                assert!((c.gap - d.gap).abs() < 1e-11 && c.feature == d.feature);
            }
        },
    );
}

#[test]
fn no_finite_input_gives_a_contact_that_is_not_finite() {
    let number =
        || prop_oneof![Just(0.0), Just(-0.0), Just(1.0), (-200.0..120.0_f64).prop_map(|e| 10_f64.powf(e))];
    let size = || (-6.0..6.0_f64).prop_map(|e| 10_f64.powf(e));
    let shape = || {
        prop_oneof![
            Just(Shape::Plane),
            size().prop_map(|radius| Shape::Sphere { radius }),
            (size(), prop_oneof![Just(0.0), size()])
                .prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length }),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Box { half_extents: Vector3::new(x, y, z) }),
        ]
    };
    let turn = || prop_oneof![Just(UnitQuaternion::identity()), orientation()];
    let place = move || {
        ([number(), number(), number()], turn())
            .prop_map(|([x, y, z], q)| Transform::new(Vector3::new(x, y, z), &q))
    };
    run(50_000, SHRINKS, (shape(), place(), shape(), place()), |(a, x, b, y)| {
        for p in contacts(&a, &x, &b, &y, 1e7) {
            assert!(p.point.iter().all(|x| x.is_finite()) && p.gap.is_finite());
            assert!((p.normal.norm() - 1.0).abs() < 1e-12, "{a:?} {x:?} {b:?} {y:?} {p:?}");
        }
    });
    // What is not finite gives no contact and no panic.
    let bad = Transform::from_translation(Vector3::new(f64::NAN, 0.0, f64::INFINITY));
    for a in [
        Shape::Plane,
        Shape::Sphere { radius: 1.0 },
        Shape::Capsule { radius: 1.0, half_length: f64::NAN },
        Shape::Box { half_extents: Vector3::new(1.0, f64::NAN, -1.0) },
    ] {
        for b in [
            Shape::Plane,
            Shape::Sphere { radius: f64::NAN },
            Shape::Capsule { radius: 1.0, half_length: 1.0 },
            Shape::Box { half_extents: Vector3::repeat(1.0) },
        ] {
            assert!(contacts(&a, &bad, &b, &Transform::identity(), 1.0).is_empty());
        }
    }
}
