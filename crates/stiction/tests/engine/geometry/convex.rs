//! Cylinders, ellipsoids and convex meshes with every bounded shape: depth, normal and points against support functions,
//! an independent search over directions, and membership in both solids.

use super::random::{capsule, orientation, pose, run, vector};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use std::cell::Cell;
use std::sync::Arc;
use stiction::geometry::{ContactPoint, ConvexMesh, Shape, collide};
use stiction::spatial::Transform;

/// Attempts at most to simplify a failing case.
const SHRINKS: u32 = 0;

/// Deviation (m) allowed to pairs with exact directions, and to those found by a search; shapes have sizes about 1.
const EXACT: f64 = 1e-12;
const SEARCHED: f64 = 1e-9;

fn cylinder() -> impl Strategy<Value = Shape> {
    (0.1..1.0_f64, 0.1..1.0_f64).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length })
}

fn ellipsoid() -> impl Strategy<Value = Shape> {
    [0.1..1.0_f64, 0.1..1.0, 0.1..1.0].prop_map(|[x, y, z]| Shape::Ellipsoid { radii: Vector3::new(x, y, z) })
}

fn cuboid() -> impl Strategy<Value = Shape> {
    [0.1..1.0, 0.1..1.0, 0.1..1.0_f64]
        .prop_map(|[x, y, z]| Shape::Box { half_extents: Vector3::new(x, y, z) })
}

fn hull(points: &[Vector3<f64>]) -> Shape {
    Shape::Convex(Arc::new(ConvexMesh::from_points(points).unwrap()))
}

/// An upright prism over a regular polygon, its mantle at `radius`.
fn prism(sides: u32, radius: f64, half_length: f64) -> Shape {
    let corner = |i: u32| {
        let (sin, cos) = libm::sincos(f64::from(i / 2) * std::f64::consts::TAU / f64::from(sides));
        Vector3::new(radius * cos, radius * sin, if i.is_multiple_of(2) { half_length } else { -half_length })
    };
    hull(&(0..2 * sides).map(corner).collect::<Vec<_>>())
}

fn box_corners(half: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let sign = |c: u32, k: u32| if c >> k & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|c| half.component_mul(&Vector3::new(sign(c, 0), sign(c, 1), sign(c, 2)))).collect()
}

fn mesh() -> impl Strategy<Value = Shape> {
    prop_oneof![
        3 => proptest::collection::vec(vector(0.8), 5..30)
            .prop_filter("a solid", |p| ConvexMesh::from_points(p).is_ok_and(|m| m.mass_properties().mass > 0.05))
            .prop_map(|points| hull(&points)),
        1 => (3..13_u32, 0.2..1.0_f64, 0.2..1.0_f64).prop_map(|(n, r, l)| prism(n, r, l)),
        1 => [0.2..1.0, 0.2..1.0, 0.2..1.0_f64]
            .prop_map(|[x, y, z]| hull(&box_corners(&Vector3::new(x, y, z)))),
    ]
}

fn any_convex() -> impl Strategy<Value = Shape> {
    prop_oneof![
        cylinder(),
        ellipsoid(),
        mesh(),
        capsule(),
        cuboid(),
        (0.05..1.0_f64).prop_map(|radius| Shape::Sphere { radius })
    ]
}

fn new_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![cylinder(), ellipsoid(), mesh()]
}

type Placed<'a> = (&'a Shape, &'a Transform);

fn contacts(a: Placed, b: Placed, prediction: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    collide(a.0, a.1, b.0, b.1, prediction, &mut out);
    out
}

fn deepest(points: &[ContactPoint]) -> ContactPoint {
    *points.iter().reduce(|p, q| if q.gap < p.gap { q } else { p }).unwrap()
}

fn support((shape, pose): Placed, n: &Vector3<f64>) -> f64 {
    n.dot(&pose.point(&shape.support(&pose.inverse_vector(n)).unwrap()))
}

fn separation(a: Placed, b: Placed, n: &Vector3<f64>) -> f64 {
    -support(b, &-n) - support(a, n)
}

/// How far outside the solid a point is, at least (m).
fn outside((shape, pose): Placed, x: &Vector3<f64>) -> f64 {
    let x = pose.inverse_point(x);
    match shape {
        Shape::Plane => x.z,
        Shape::Sphere { radius } => x.norm() - radius,
        Shape::Capsule { radius, half_length } => {
            (x - Vector3::z() * x.z.clamp(-half_length, *half_length)).norm() - radius
        }
        Shape::Box { half_extents } => (x.abs() - half_extents).max(),
        Shape::Cylinder { radius, half_length } => (x.xy().norm() - radius).max(x.z.abs() - half_length),
        Shape::Ellipsoid { radii } => (x.component_div(radii).norm() - 1.0) * radii.min(),
        Shape::Convex(mesh) => mesh.triangles().iter().fold(f64::NEG_INFINITY, |most: f64, t| {
            let [a, b, c] = t.map(|i| mesh.vertices()[i as usize]);
            let n = (b - a).cross(&(c - a));
            // Slivers have no plane worth the name.
            if n.norm() < 1e-6 { most } else { most.max(n.normalize().dot(&(x - a))) }
        }),
        Shape::HeightField(_) => f64::INFINITY,
    }
}

/// Best separation found by trying many directions and climbing from the best by ever smaller steps.
fn searched(a: Placed, b: Placed, extra: &[Vector3<f64>]) -> (f64, Vector3<f64>) {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let spiral = (0..300).map(|i| {
        let z = 1.0 - (f64::from(i) + 0.5) / 150.0;
        let (sin, cos) = libm::sincos(golden * f64::from(i));
        let r = (1.0 - z * z).sqrt();
        Vector3::new(r * cos, r * sin, z)
    });
    let mut seeds: Vec<_> = spiral.chain(extra.iter().copied()).map(|n| (separation(a, b, &n), n)).collect();
    seeds.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut top = (f64::NEG_INFINITY, Vector3::zeros());
    for &(mut value, mut n) in seeds.iter().take(2) {
        let mut step = 0.1;
        while step > 1e-9 {
            let u = n.cross(&Vector3::new(n.y, n.z, -n.x)).normalize();
            let v = n.cross(&u);
            let around = (0..8).map(|k| {
                let (sin, cos) = libm::sincos(f64::from(k) * std::f64::consts::FRAC_PI_4);
                (n + (u * cos + v * sin) * step).normalize()
            });
            let best = around.map(|m| (separation(a, b, &m), m)).reduce(|p, q| if q.0 > p.0 { q } else { p });
            match best {
                Some((s, m)) if s > value => (value, n) = (s, m),
                _ => step *= 0.5,
            }
        }
        if value > top.0 {
            top = (value, n);
        }
    }
    top
}

thread_local! {
    /// Worst deviations seen by `check`: duality, optimality, membership.
    static WORST: Cell<[f64; 3]> = const { Cell::new([0.0; 3]) };
}

fn worst(k: usize, x: f64) {
    WORST.with(|w| {
        let mut all = w.get();
        all[k] = all[k].max(x);
        w.set(all);
    });
}

/// What must hold for the contacts of any two convex shapes.
fn check(a: Placed, b: Placed, bound: f64, extra: &[Vector3<f64>]) {
    let points = contacts(a, b, 1e6);
    let describe = || format!("{a:?}\n{b:?}\n{points:#?}");
    assert!(!points.is_empty(), "{}", describe());
    let deepest = deepest(&points);
    let (n, gap) = (deepest.normal, deepest.gap);
    let duality = (separation(a, b, &n) - gap).abs();
    worst(0, duality);
    assert!(duality <= bound, "gap {gap:e}, separation {:e}: {}", separation(a, b, &n), describe());
    let (best, m) = searched(a, b, extra);
    worst(1, best - gap);
    assert!(best <= gap + bound, "{m:?} separates by {best:e}, not {gap:e}: {}", describe());
    for p in &points {
        assert!((p.normal.norm() - 1.0).abs() < 1e-13 && p.normal.dot(&n) > 0.99, "{}", describe());
        let (x, y) = (p.point - p.normal * (0.5 * p.gap), p.point + p.normal * (0.5 * p.gap));
        let off = outside(a, &x).max(outside(b, &y));
        worst(2, off - 1e-6 * p.gap.abs().sqrt());
        // Points beside each other by this are as far apart to rounding, and a hair's overlap is not searched.
        let beside = 1e-6 * p.gap.abs().sqrt() + (-2.0 * p.gap).clamp(0.0, 1e-7);
        assert!(off <= 1e-9 + beside, "{off:e} off the shapes at {:?}: {}", p.point, describe());
    }
    unique(&points);
}

fn unique(points: &[ContactPoint]) {
    assert!(points.len() <= 9, "{points:#?}");
    for (k, p) in points.iter().enumerate() {
        for q in &points[..k] {
            assert!(p.feature != q.feature && (p.point - q.point).norm() > 1e-8, "twice: {points:#?}");
        }
    }
}

/// The shape axes of a placed shape.
fn axes((shape, pose): Placed) -> Vec<Vector3<f64>> {
    let mut axes: Vec<_> = (0..3).map(|k| pose.rotation.column(k).into()).collect();
    if let Shape::Convex(mesh) = shape {
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|i| mesh.vertices()[i as usize]);
            let n = (b - a).cross(&(c - a));
            if n.norm() > 1e-6 {
                axes.push(pose.vector(&n.normalize()));
            }
        }
    }
    axes
}

fn directions(a: Placed, b: Placed) -> Vec<Vector3<f64>> {
    let (p, q) = (axes(a), axes(b));
    let crossed = p[..3].iter().flat_map(|u| q[..3].iter().map(|v| u.cross(v)));
    let crossed: Vec<_> = crossed.filter(|n| n.norm() > 1e-9).map(|n| n.normalize()).collect();
    let offset = b.1.translation - a.1.translation;
    p.iter()
        .chain(&q)
        .chain(&crossed)
        .copied()
        .chain((offset.norm() > 1e-9).then(|| offset.normalize()))
        .flat_map(|n| [n, -n])
        .collect()
}

fn report(name: &str) {
    let [duality, optimality, membership] = WORST.with(Cell::get);
    println!("{name}: duality {duality:.1e}, optimality {optimality:.1e}, membership {membership:.1e}");
}

#[test]
#[ignore = "slow: takes some seconds"]
fn random_shapes_are_as_deep_or_as_far_as_support_functions_and_a_search_say() {
    run(1_200, SHRINKS, (new_shape(), pose(0.8), any_convex(), pose(0.8)), |(a, x, b, y)| {
        check((&a, &x), (&b, &y), SEARCHED, &directions((&a, &x), (&b, &y)));
    });
    report("random");
}

#[test]
#[ignore = "slow: takes some seconds"]
fn random_shapes_made_to_touch_are_found_to_touch() {
    let gap =
        (-16.0..-2.0_f64, any::<bool>()).prop_map(|(e, n)| if n { -10_f64.powf(e) } else { 10_f64.powf(e) });
    run(300, SHRINKS, (new_shape(), pose(2.0), any_convex(), pose(2.0), gap), |(a, x, b, mut y, gap)| {
        let found = deepest(&contacts((&a, &x), (&b, &y), 1e6));
        y.translation -= found.normal * (found.gap - gap);
        check((&a, &x), (&b, &y), SEARCHED, &directions((&a, &x), (&b, &y)));
    });
    report("touching");
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

#[test]
#[ignore = "slow: takes some seconds"]
fn shapes_aligned_to_right_angles_are_as_deep_or_as_far_as_support_functions_say() {
    let offset = || {
        prop_oneof![
            4 => Just(0.0),
            2 => (-17.0..-3.0_f64, any::<bool>()).prop_map(|(e, n)| if n { -10_f64.powf(e) } else { 10_f64.powf(e) }),
        ]
    };
    let place = move || (0..7_usize, offset());
    let tilt = prop_oneof![
        3 => Just(UnitQuaternion::identity()),
        1 => (vector(1.0), -16.0..-3.0_f64).prop_map(|(u, e)| UnitQuaternion::from_scaled_axis(u * 10_f64.powf(e))),
    ];
    let world = prop_oneof![Just(Transform::identity()), pose(2.0)];
    let sized = || {
        let size = || prop_oneof![Just(0.5), Just(0.25), Just(1.0), 0.1..1.5_f64];
        prop_oneof![
            (size(), size()).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length }),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Ellipsoid { radii: Vector3::new(x, y, z) }),
            [size(), size(), size()].prop_map(|[x, y, z]| hull(&box_corners(&Vector3::new(x, y, z)))),
            (size(), size()).prop_map(|(r, l)| prism(12, r, l)),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Box { half_extents: Vector3::new(x, y, z) }),
            (size(), size()).prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length }),
        ]
    };
    let case = (sized(), sized(), 0..24_usize, [place(), place(), place()], tilt, world);
    run(800, SHRINKS, case, |(a, b, r, places, tilt, world)| {
        let extent = |shape: &Shape, rotation: &Matrix3<f64>| {
            let pose = Transform { rotation: *rotation, translation: Vector3::zeros() };
            shape.aabb(&pose).unwrap().max
        };
        let rotation = cube_rotations()[r];
        let (p, q) = (extent(&a, &Matrix3::identity()), extent(&b, &rotation));
        let mut x = Vector3::zeros();
        for (k, &(place, offset)) in places.iter().enumerate() {
            let at =
                [0.0, p[k] + q[k], -p[k] - q[k], p[k] - q[k], q[k] - p[k], 0.6 * (p[k] + q[k]), -0.3 * p[k]];
            x[k] = offset + at[place];
        }
        let rotation = tilt.to_rotation_matrix().into_inner() * rotation;
        let y = world * Transform { rotation, translation: x };
        check((&a, &world), (&b, &y), SEARCHED, &directions((&a, &world), (&b, &y)));
    });
    report("aligned");
}

#[test]
#[ignore = "slow: takes some seconds"]
fn a_sphere_touches_the_new_shapes_exactly() {
    run(800, SHRINKS, (0.05..1.0_f64, pose(0.8), new_shape(), pose(0.8)), |(radius, x, b, y)| {
        let a = Shape::Sphere { radius };
        check((&a, &x), (&b, &y), EXACT, &directions((&a, &x), (&b, &y)));
    });
    report("sphere");
}

#[test]
fn a_plane_touches_the_new_shapes_at_the_heights_of_their_lowest_points() {
    run(5_000, SHRINKS, (pose(3.0), new_shape(), pose(3.0)), |(plane, b, y)| {
        let up: Vector3<f64> = plane.rotation.column(2).into();
        let height = |p: &Vector3<f64>| up.dot(&(p - plane.translation));
        let points = contacts((&Shape::Plane, &plane), (&b, &y), 1e6);
        let lowest = height(&y.point(&b.support(&y.inverse_vector(&-up)).unwrap()));
        assert!((deepest(&points).gap - lowest).abs() < EXACT);
        for p in &points {
            assert!((p.normal - up).amax() < 1e-15 && (height(&p.point) - 0.5 * p.gap).abs() < EXACT);
            assert!(outside((&b, &y), &(p.point + up * (0.5 * p.gap))) < EXACT);
        }
        unique(&points);
    });
}

#[test]
fn exchanging_the_shapes_flips_the_normals_and_keeps_gaps_and_points() {
    run(3_000, SHRINKS, (new_shape(), pose(0.8), any_convex(), pose(0.8)), |(a, x, b, y)| {
        let (p, q) = (contacts((&a, &x), (&b, &y), 0.1), contacts((&b, &y), (&a, &x), 0.1));
        same(&p, &q, -1.0, &format!("{a:?} {x:?}\n{b:?} {y:?}"));
    });
}

#[test]
fn moving_the_world_moves_the_contacts_with_it() {
    run(
        3_000,
        SHRINKS,
        (new_shape(), pose(0.8), any_convex(), pose(0.8), pose(2.0)),
        |(a, x, b, y, world)| {
            let p: Vec<_> = contacts((&a, &x), (&b, &y), 0.1)
                .iter()
                .map(|c| ContactPoint { point: world.point(&c.point), normal: world.vector(&c.normal), ..*c })
                .collect();
            let q = contacts((&a, &(world * x)), (&b, &(world * y)), 0.1);
            same(&p, &q, 1.0, &format!("{a:?} {x:?}\n{b:?} {y:?}"));
        },
    );
}

/// The same contacts in any order. Directions of curved shapes are known to the root of rounding, as are their points.
fn same(p: &[ContactPoint], q: &[ContactPoint], sign: f64, what: &str) {
    let near = |c: &ContactPoint, d: &ContactPoint| {
        (c.point - d.point).amax() < 1e-6
            && (c.normal - d.normal * sign).amax() < 1e-6
            && (c.gap - d.gap).abs() < 1e-9
    };
    assert!(p.len() == q.len() && p.iter().all(|c| q.iter().any(|d| near(c, d))), "{what}\n{p:#?}\n{q:#?}");
}

#[test]
fn a_box_given_as_a_mesh_touches_like_a_box() {
    let half = || [0.1..1.0, 0.1..1.0, 0.1..1.0_f64].prop_map(|[x, y, z]| Vector3::new(x, y, z));
    run(5_000, SHRINKS, (half(), pose(0.8), half(), pose(0.8)), |(h, x, k, y)| {
        let boxes = [h, k].map(|half_extents| Shape::Box { half_extents });
        let meshes = [h, k].map(|half| hull(&box_corners(&half)));
        let expected = contacts((&boxes[0], &x), (&boxes[1], &y), 0.05);
        for (a, b) in [(&meshes[0], &boxes[1]), (&boxes[0], &meshes[1]), (&meshes[0], &meshes[1])] {
            let found = contacts((a, &x), (b, &y), 0.05);
            let near = |p: &ContactPoint, q: &ContactPoint| {
                (p.point - q.point).amax() < 1e-9
                    && (p.normal - q.normal).amax() < 1e-9
                    && (p.gap - q.gap).abs() < 1e-9
            };
            assert!(
                found.len() == expected.len() && found.iter().all(|p| expected.iter().any(|q| near(p, q))),
                "{h:?} {x:?}\n{k:?} {y:?}\n{expected:#?}\n{found:#?}"
            );
        }
    });
}

#[test]
fn contacts_do_not_depend_on_what_was_computed_before() {
    let cases = std::cell::RefCell::new(Vec::new());
    run(2_000, SHRINKS, (new_shape(), pose(0.5), any_convex(), pose(0.5)), |case| {
        cases.borrow_mut().push(case)
    });
    let cases = cases.into_inner();
    let all = |order: &mut dyn Iterator<Item = usize>| {
        let mut found = vec![Vec::new(); cases.len()];
        for i in order {
            let (a, x, b, y) = &cases[i];
            found[i] = contacts((a, x), (b, y), 0.1);
        }
        found
    };
    assert!(all(&mut (0..cases.len())) == all(&mut (0..cases.len()).rev()));
}

/// Whether the vertical through `center` meets the convex hull of the points, seen from above, `margin` inside.
fn carried(points: &[ContactPoint], center: &Vector3<f64>, margin: f64) -> bool {
    (0..72).all(|k| {
        let (sin, cos) = libm::sincos(f64::from(k) * std::f64::consts::TAU / 72.0);
        points.iter().any(|p| (p.point.x - center.x) * cos + (p.point.y - center.y) * sin >= margin)
    })
}

#[test]
fn a_face_of_twelve_corners_is_carried_all_around() {
    let floor = Shape::Plane;
    let table = Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.1) };
    let below = Transform::from_translation(Vector3::new(0.0, 0.0, -0.1));
    run(500, SHRINKS, (5..40_u32, -0.5..0.5_f64, -0.5..0.5_f64, -3.2..3.2_f64), |(sides, x, y, yaw)| {
        let standing = prism(sides, 0.3, 0.2);
        let at = Transform::new(
            Vector3::new(x, y, 0.2),
            &UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw),
        );
        let inradius = 0.3 * (std::f64::consts::PI / f64::from(sides.min(8))).cos();
        for points in [
            contacts((&floor, &Transform::identity()), (&standing, &at), 1e-3),
            contacts((&table, &below), (&standing, &at), 1e-3),
        ] {
            assert!(points.iter().all(|p| p.gap.abs() < 1e-15 && (p.normal - Vector3::z()).amax() < 1e-15));
            assert!((8.min(sides as usize)..=9).contains(&points.len()), "{points:?}");
            assert!(carried(&points, &at.translation, 0.75 * inradius), "{sides}: {points:?}");
        }
    });
}

#[test]
fn a_standing_cylinder_is_carried_all_around_and_a_lying_one_at_both_ends() {
    let can = Shape::Cylinder { radius: 0.06, half_length: 0.1 };
    let table = Shape::Box { half_extents: Vector3::new(0.3, 0.6, 0.3) };
    let below = Transform::from_translation(Vector3::new(0.0, 0.0, -0.3));
    let lie = UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2);
    run(1_000, SHRINKS, (-0.2..0.2_f64, -0.4..0.4_f64, -3.2..3.2_f64, -3.2..3.2_f64), |(x, y, yaw, roll)| {
        let turn = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let upright = Transform::new(Vector3::new(x, y, 0.1), &turn(yaw));
        let lying = Transform::new(Vector3::new(x, y, 0.06), &(turn(yaw) * lie * turn(roll)));
        for ground in [(&Shape::Plane, &Transform::identity()), (&table, &below)] {
            let points = contacts(ground, (&can, &upright), 1e-3);
            assert_eq!(points.len(), 8);
            assert!(carried(&points, &upright.translation, 0.06 * 0.92), "{points:?}");
            assert!(points.iter().all(|p| p.gap.abs() < 1e-15 && p.normal == Vector3::z()));
            let points = contacts(ground, (&can, &lying), 1e-3);
            assert_eq!(points.len(), 2, "{points:?}");
            let axis = lying.rotation.column(2).into_owned();
            for end in [-0.1, 0.1] {
                let foot = lying.translation + axis * end - Vector3::z() * 0.06;
                assert!(points.iter().any(|p| (p.point - foot).amax() < 1e-15), "{points:?}");
            }
            assert!(points.iter().all(|p| p.gap.abs() < 1e-16 && p.normal == Vector3::z()));
        }
    });
}

#[test]
fn a_tilted_cylinder_keeps_its_points_and_ids_under_small_motions() {
    let can = Shape::Cylinder { radius: 0.06, half_length: 0.1 };
    let table = Shape::Box { half_extents: Vector3::new(0.3, 0.6, 0.3) };
    let below = Transform::from_translation(Vector3::new(0.0, 0.0, -0.3));
    run(2_000, SHRINKS, (vector(1.0), -3.0..0.0_f64, vector(1e-9)), |(about, exponent, noise)| {
        let tilt = about.normalize() * 10_f64.powf(exponent);
        let at = |v: Vector3<f64>| {
            Transform::new(Vector3::new(0.1, 0.2, 0.1), &UnitQuaternion::from_scaled_axis(v))
        };
        for ground in [(&Shape::Plane, &Transform::identity()), (&table, &below)] {
            let (p, q) = (
                contacts(ground, (&can, &at(tilt)), 0.02),
                contacts(ground, (&can, &at(tilt + noise)), 0.02),
            );
            for c in &p {
                // One that is about to leave the prediction or hand over to its neighbour may differ.
                let Some(d) = q.iter().find(|d| d.feature == c.feature) else { continue };
                let handed_over = (c.point - d.point).norm() > 0.02;
                assert!(handed_over || (c.point - d.point).amax() < 1e-5, "{p:#?} {q:#?}");
            }
            assert!((deepest(&p).gap - deepest(&q).gap).abs() < 1e-9);
            assert_eq!(deepest(&p).feature, deepest(&q).feature);
        }
    });
}

#[test]
fn slightly_crossed_mantles_touch_in_one_point_and_parallel_ones_at_two_ends() {
    let rod = Shape::Cylinder { radius: 0.1, half_length: 1.0 };
    let lie = |angle: f64| {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle)
            * UnitQuaternion::from_scaled_axis(Vector3::y() * std::f64::consts::FRAC_PI_2)
    };
    let below = Transform::new(Vector3::zeros(), &lie(0.0));
    for other in [&rod, &Shape::Capsule { radius: 0.1, half_length: 1.0 }] {
        for angle in [1e-3, 1e-2, 0.1, 0.4, 1.5] {
            let above = Transform::new(Vector3::new(0.3, 0.0, 0.2 + 1e-4), &lie(angle));
            let points = contacts((&rod, &below), (other, &above), 0.01);
            assert_eq!(points.len(), 1, "{angle}: {points:?}");
            assert!((points[0].gap - 1e-4).abs() < 1e-12);
        }
        let above = Transform::new(Vector3::new(0.3, 0.0, 0.2), &lie(0.0));
        let points = contacts((&rod, &below), (other, &above), 0.01);
        assert_eq!(points.len(), 2, "{points:?}");
        for end in [-0.7, 1.0] {
            let expected = Vector3::new(end, 0.0, 0.1);
            assert!(points.iter().any(|p| (p.point - expected).amax() < 1e-12 && p.gap.abs() < 1e-15));
        }
    }
}

#[test]
#[ignore = "slow: takes some seconds"]
fn shapes_of_extreme_proportions_are_as_far_as_support_functions_say() {
    let size = || (-3.0..1.0_f64).prop_map(|e| 10_f64.powf(e));
    let shape = move || {
        prop_oneof![
            (size(), size()).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length }),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Ellipsoid { radii: Vector3::new(x, y, z) }),
            [size(), size(), size()]
                .prop_filter("a solid", |[x, y, z]| x.min(*y).min(*z) > 1e-2 * x.max(*y).max(*z))
                .prop_map(|[x, y, z]| hull(&box_corners(&Vector3::new(x, y, z)))),
            (size(), 0.1..10.0_f64).prop_map(|(r, l)| prism(12, r, r * l)),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Box { half_extents: Vector3::new(x, y, z) }),
        ]
    };
    run(3_000, SHRINKS, (shape(), pose(3.0), shape(), pose(3.0)), |(a, x, b, y)| {
        let (p, q) = ((&a, &x), (&b, &y));
        let points = contacts(p, q, 1e6);
        let found = deepest(&points);
        let duality = (separation(p, q, &found.normal) - found.gap).abs();
        let (best, _) = searched(p, q, &directions(p, q));
        worst(0, duality);
        worst(1, best - found.gap);
        assert!(duality < 1e-8 && best <= found.gap + 1e-8, "{p:?}\n{q:?}\n{points:#?}\n{best}");
    });
    report("extreme");
}

#[test]
fn no_finite_input_gives_a_contact_that_is_not_finite() {
    let number = || prop_oneof![Just(0.0), Just(1.0), (-200.0..120.0_f64).prop_map(|e| 10_f64.powf(e))];
    let size = || (-6.0..6.0_f64).prop_map(|e| 10_f64.powf(e));
    let shape = move || {
        prop_oneof![
            Just(Shape::Plane),
            size().prop_map(|radius| Shape::Sphere { radius }),
            (size(), size()).prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length }),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Box { half_extents: Vector3::new(x, y, z) }),
            (size(), size()).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length }),
            [size(), size(), size()].prop_map(|[x, y, z]| Shape::Ellipsoid { radii: Vector3::new(x, y, z) }),
            size().prop_map(|s| prism(7, s, 0.5 * s)),
        ]
    };
    let turn = || prop_oneof![Just(UnitQuaternion::identity()), orientation()];
    let place = move || {
        ([number(), number(), number()], turn())
            .prop_map(|([x, y, z], q)| Transform::new(Vector3::new(x, y, z), &q))
    };
    run(30_000, SHRINKS, (shape(), place(), shape(), place()), |(a, x, b, y)| {
        for p in contacts((&a, &x), (&b, &y), 1e7) {
            assert!(p.point.iter().all(|x| x.is_finite()) && p.gap.is_finite());
            assert!((p.normal.norm() - 1.0).abs() < 1e-12, "{a:?} {x:?} {b:?} {y:?} {p:?}");
        }
    });
    let bad = Transform::from_translation(Vector3::new(f64::NAN, 0.0, f64::INFINITY));
    let shapes = [
        Shape::Plane,
        Shape::Cylinder { radius: 1.0, half_length: 1.0 },
        Shape::Ellipsoid { radii: Vector3::new(1.0, 2.0, 3.0) },
        prism(5, 1.0, 1.0),
        Shape::Sphere { radius: 1.0 },
    ];
    for a in &shapes {
        for b in &shapes {
            assert!(contacts((a, &bad), (b, &Transform::identity()), 1.0).is_empty());
        }
    }
}
