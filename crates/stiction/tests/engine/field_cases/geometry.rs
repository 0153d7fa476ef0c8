//! Scenes on which the contact geometry of other engines went wrong, with the right answers derived from mechanics.

use crate::common::{contact_force, position, run, simulate, speed};
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;
use stiction::geometry::{ConvexMesh, Shape, collide};
use stiction::model::{Base, BodyHandle, BodySpec, GeomSpec, JointSpec, ModelBuilder};
use stiction::sim::{Settings, Simulation, Stepper};
use stiction::spatial::Transform;

const G: f64 = 9.81;

/// Numbers from -1 to 1 from a linear congruential generator (the constants are Knuth's).
struct Uniform(u64);

impl Uniform {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn fixed(builder: &mut ModelBuilder, shape: Shape, at: Vector3<f64>, friction: f64) {
    let geom = GeomSpec { pose: Transform::from_translation(at), friction, ..GeomSpec::new(shape) };
    builder.add_geom(BodyHandle::WORLD, geom).unwrap();
}

fn free(builder: &mut ModelBuilder, name: &str, pose: Transform, geom: GeomSpec) {
    let body = BodySpec {
        name: name.into(),
        pose,
        joints: vec![JointSpec::free()],
        geoms: vec![geom],
        ..BodySpec::default()
    };
    builder.add_body(BodyHandle::WORLD, body).unwrap();
}

fn start(builder: ModelBuilder) -> Simulation {
    Simulation::new(Arc::new(builder.build().unwrap()), Settings::default()).unwrap()
}

/// Sine of the angle between a body's z axis and the vertical.
fn tilt(simulation: &Simulation, body: &str) -> f64 {
    let body = simulation.model().body(body).unwrap();
    let Base::Link(link) = simulation.model().bodies[body].base else { panic!("{body:?} does not move") };
    simulation.data().link_pose[link.index()].rotation.column(2).xy().norm()
}

/// Two boxes that fall towards each other until their upper edges meet.
fn leaning(friction: f64) -> Simulation {
    simulate(&format!(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="{friction}"/></default><worldbody>
        <body name="left" pos="-0.4 0 0"><joint name="left" axis="0 1 0"/>
        <geom name="left" type="box" pos="0 0 0.4" size=".1 .05 .5" mass="1"/></body>
        <body name="right" pos="0.4 0 0"><joint name="right" axis="0 1 0"/>
        <geom name="right" type="box" pos="0 0 0.4" size=".1 .05 .5" mass="1"/></body></worldbody>
        <keyframe><key name="start" qpos="0.1 -0.1"/></keyframe></mujoco>"#
    ))
}

#[test]
fn two_boxes_leaning_on_each_other_edge_on_edge_rest_at_the_angle_of_geometry() {
    let mut s = leaning(1.0);
    run(&mut s, 20.0, |_, _| {});
    let [left, right] = [s.state.q[0], s.state.q[1]];
    assert!((left - 0.346865).abs() <= 1e-4 && (right + 0.346865).abs() <= 1e-4, "{left} {right}");
    assert!(speed(&s) <= 1e-9);
    let force = contact_force(&s, "right");
    assert!((force - Vector3::new(1.6420, 0.0, 0.0)).norm() <= 1.642e-3, "{force}");
    // Without friction the edges meet at the same angles, but balance like a ball on a knife: once one edge is above the
    // other, the face under it pushes it further up.
    let mut s = leaning(0.0);
    run(&mut s, 0.482, |_, _| {});
    let [left, right] = [s.state.q[0], s.state.q[1]];
    assert!((left - 0.346865).abs() <= 1e-4 && (right + 0.346865).abs() <= 1e-4, "{left} {right}");
    run(&mut s, 19.5, |s, _| assert!(s.state.q.iter().chain(&s.state.v).all(|x| x.is_finite())));
}

#[test]
#[ignore = "slow: takes some seconds"]
fn balls_put_anywhere_on_a_plate_stay() {
    let mut random = Uniform::new(17);
    let mut builder = ModelBuilder::new("plate");
    // Two hundred plates in one scene, ten metres from each other.
    let mut places = Vec::new();
    for i in 0..200 {
        let middle = Vector3::new(10.0 * f64::from(i % 20), 10.0 * f64::from(i / 20), 0.01);
        let place = match i {
            0 => Vector3::zeros(),
            1 => Vector3::new(0.01, 0.01, 0.0),
            _ => Vector3::new(0.06 * random.next(), 0.06 * random.next(), 0.0),
        };
        fixed(&mut builder, Shape::Box { half_extents: Vector3::new(0.064, 0.064, 0.01) }, middle, 0.5);
        let at = middle + place + Vector3::new(0.0, 0.0, 0.0125);
        let ball = GeomSpec { friction: 0.5, ..GeomSpec::new(Shape::Sphere { radius: 0.0025 }) };
        free(&mut builder, &format!("ball{i}"), Transform::from_translation(at), ball);
        places.push(at);
    }
    let mut s = start(builder);
    run(&mut s, 20.0, |_, _| {});
    for (i, at) in places.iter().enumerate() {
        let moved = position(&s, &format!("ball{i}")) - at;
        assert!(moved.xy().norm() <= 1e-9 && moved.z.abs() <= 1e-9, "ball {i}: {moved}");
    }
    assert!(speed(&s) <= 1e-9, "{}", speed(&s));
}

#[test]
fn a_swinging_load_does_not_move_the_base_it_hangs_on() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="0.5"/></default><worldbody>
        <geom name="floor" type="plane" size="5 5 1"/>
        <body name="base" pos="0 0 0.4"><freejoint/><geom name="base" type="box" size=".25 .25 .4" mass="10"/>
        <body name="load" pos="0 0 0.4"><joint name="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -0.5" mass="1" diaginertia="0 0 0"/></body></body></worldbody>
        <keyframe><key name="start" qpos="0 0 0.4 1 0 0 0 1.0471975511965976"/></keyframe></mujoco>"#,
    );
    let (mut fastest, mut vertical, mut sideways) = (0.0_f64, [f64::INFINITY, 0.0_f64], 0.0_f64);
    let (mut early, mut late) = (0.0_f64, 0.0_f64);
    run(&mut s, 20.0, |s, report| {
        fastest = s.state.v[..6].iter().fold(fastest, |most, v| most.max(v.abs()));
        let force = contact_force(s, "base");
        vertical = [vertical[0].min(force.z), vertical[1].max(force.z)];
        sideways = sideways.max(force.xy().norm());
        if report.time < 2.0 {
            early = early.max(s.state.q[7].abs());
        }
        if report.time > 18.0 {
            late = late.max(s.state.q[7].abs());
        }
    });
    assert!(fastest <= 1e-8, "the base moves with {fastest}");
    let near = |x: f64, exact: f64| (x / exact - 1.0).abs() <= 2e-3;
    assert!(near(vertical[0], 100.55) && near(vertical[1], 117.72), "{vertical:?}");
    assert!(near(sideways, 8.2419), "{sideways}");
    assert!(late >= early * 0.999 && late <= early * 1.001, "amplitude {early}, later {late}");
}

#[test]
#[ignore = "slow: takes some seconds"]
fn a_cylinder_dropped_anywhere_on_a_table_lands_and_stays_upright() {
    let mut random = Uniform::new(20);
    for i in 0..200 {
        let (x, y, yaw) = (0.2 * random.next(), 0.5 * random.next(), std::f64::consts::PI * random.next());
        let (x, y, yaw) = if i == 0 { (0.0, 0.2, 0.0) } else { (x, y, yaw) };
        let mut builder = ModelBuilder::new("table");
        fixed(&mut builder, Shape::Box { half_extents: Vector3::new(0.3, 0.6, 0.3) }, Vector3::zeros(), 1.0);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
        let can = GeomSpec::new(Shape::Cylinder { radius: 0.06, half_length: 0.06 });
        free(&mut builder, "can", Transform::new(Vector3::new(x, y, 0.6), &turn), can);
        let mut s = start(builder);
        let (mut impact, mut impulse, weight) = (None, 0.0, 1.35717 * G);
        run(&mut s, 2.0, |s, report| {
            let force = contact_force(s, "can").z;
            if force > 0.0 && impulse < 2.0 {
                impact = impact.or(Some(report.time));
                impulse += force * s.timestep();
            }
        });
        assert!((impact.unwrap() - 0.2212).abs() <= 0.004, "impact at {impact:?}");
        // In two steps, in which the weight acts as well.
        assert!((impulse - 2.9450).abs() <= weight * 0.004, "impulse {impulse}");
        let rest = position(&s, "can");
        let shift = (rest - Vector3::new(x, y, rest.z)).norm();
        assert!(shift <= 1e-6 && tilt(&s, "can") <= 1e-6, "{i}: shift {shift}, tilt {}", tilt(&s, "can"));
        assert!((rest.z - 0.36).abs() <= 1e-5, "{i}: height {}", rest.z);
    }
}

#[test]
fn cubes_and_balls_of_five_sizes_land_at_their_half_size() {
    for ground in [Shape::Plane, Shape::Box { half_extents: Vector3::new(50.0, 50.0, 0.05) }] {
        for size in [0.1, 1.0, 5.0, 10.0, 20.0] {
            for ball in [false, true] {
                for drop in [0.0, 1.0] {
                    let mut builder = ModelBuilder::new("drop");
                    builder.timestep = 0.001;
                    let below = if ground == Shape::Plane { 0.0 } else { -0.05 };
                    fixed(&mut builder, ground.clone(), Vector3::new(0.0, 0.0, below), 1.0);
                    let shape = if ball {
                        Shape::Sphere { radius: size }
                    } else {
                        Shape::Box { half_extents: Vector3::repeat(size) }
                    };
                    let at = Transform::from_translation(Vector3::new(0.0, 0.0, size + drop));
                    free(&mut builder, "body", at, GeomSpec { mass: Some(1.0), ..GeomSpec::new(shape) });
                    let mut s = start(builder);
                    let (mut lowest, mut fastest) = (f64::INFINITY, 0.0_f64);
                    run(&mut s, 1.5, |s, _| {
                        lowest = lowest.min(position(s, "body").z);
                        fastest = fastest.max(-s.state.v[2]);
                        for c in s.contact_forces().iter().filter(|c| c.impulse.x > 0.0) {
                            assert!((c.contact.point.z - 0.5 * c.contact.gap).abs() <= 1e-6);
                        }
                    });
                    let what = format!("half size {size}, ball {ball}, drop {drop}");
                    let end = position(&s, "body").z;
                    assert!(
                        (lowest - size).abs() <= 1e-5 && (end - size).abs() <= 1e-5,
                        "{what}: {lowest} {end}"
                    );
                    if drop > 0.0 {
                        assert!((fastest - 4.4294).abs() <= 0.011, "{what}: {fastest} m/s");
                    }
                }
            }
        }
    }
}

#[test]
fn near_the_rim_of_a_thin_table_contacts_point_up() {
    let table = Shape::Box { half_extents: Vector3::new(8.0, 6.0, 0.1) };
    let cube = Vector3::repeat(0.02);
    let corner = |c: u32| {
        let sign = |k: u32| if c >> k & 1 == 1 { 1.0 } else { -1.0 };
        cube.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
    };
    let mesh = ConvexMesh::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let probes = [
        (Shape::Sphere { radius: 0.02 }, 1e-12),
        (Shape::Box { half_extents: cube }, 1e-9),
        (Shape::Convex(Arc::new(mesh)), 1e-9),
        (Shape::Cylinder { radius: 0.02, half_length: 0.02 }, 1e-9),
        (Shape::Ellipsoid { radii: Vector3::new(0.03, 0.04, 0.02) }, 1e-9),
    ];
    let mut random = Uniform::new(22);
    for i in 0..1000 {
        let [mut x, mut y] = [random.next() * 7.999, random.next() * 5.999];
        // A third of the places within millimetres of the rim.
        match i % 6 {
            0 => x = x.signum() * (7.999 - 0.005 * random.next().abs()),
            1 => y = y.signum() * (5.999 - 0.005 * random.next().abs()),
            _ => {}
        }
        for (probe, bound) in &probes {
            for gap in [1e-3, 0.0, -1e-3] {
                let at = Transform::from_translation(Vector3::new(x, y, 0.1 + 0.02 + gap));
                let mut points = Vec::new();
                collide(&table, &Transform::identity(), probe, &at, 0.01, &mut points);
                assert!(!points.is_empty(), "{probe:?} at {x}, {y}");
                for p in points {
                    assert!((p.normal - Vector3::z()).norm() <= 1e-9, "{probe:?} at {x}, {y}: {p:?}");
                    assert!((p.gap - gap).abs() <= *bound, "{probe:?} at {x}, {y}: {p:?}");
                }
            }
        }
    }
}

/// Largest change of speed (m/s, rad/s) in a step of a body thrown over a row of flush blocks without friction, spinning
/// with `spin` (rad/s) about the y axis of the world.
fn roughness(stepper: Stepper, shape: Shape, turn: UnitQuaternion<f64>, spin: f64) -> (f64, f64) {
    let mut builder = ModelBuilder::new("row");
    for i in 0..10 {
        let at = Vector3::new(f64::from(i), 0.0, -0.5);
        fixed(&mut builder, Shape::Box { half_extents: Vector3::repeat(0.5) }, at, 0.0);
    }
    let pose = Transform::new(Vector3::new(0.2, 0.1, 0.1), &turn);
    free(&mut builder, "rider", pose, GeomSpec { friction: 0.0, ..GeomSpec::new(shape) });
    let settings = Settings { stepper, ..Settings::default() };
    let mut s = Simulation::new(Arc::new(builder.build().unwrap()), settings).unwrap();
    s.state.v[0] = 3.0;
    let spin = turn.inverse() * Vector3::new(0.0, spin, 0.0);
    s.state.v[3..6].copy_from_slice(spin.as_slice());
    let mut before = s.state.v.clone();
    let mut change = 0.0_f64;
    run(&mut s, 2.5, |s, _| {
        change = s.state.v.iter().zip(&before).fold(change, |most, (v, u)| most.max((v - u).abs()));
        before.clone_from(&s.state.v);
    });
    (change, position(&s, "rider").x)
}

#[test]
fn cylinders_and_meshes_slide_over_the_seams_of_flush_blocks() {
    let corner = |c: u32| {
        let sign = |k: u32| if c >> k & 1 == 1 { 0.1 } else { -0.1 };
        Vector3::new(sign(0), sign(1), sign(2))
    };
    let mesh = ConvexMesh::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let mesh = Shape::Convex(Arc::new(mesh));
    let can = Shape::Cylinder { radius: 0.1, half_length: 0.1 };
    let level = UnitQuaternion::identity();
    let lie = UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2);
    let askew = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
    for (name, shape, turn, spin) in [
        ("standing cylinder", &can, level, 0.0),
        ("cylinder lying across", &can, lie, 0.0),
        ("cylinder rolling", &can, lie, 30.0),
        ("cylinder lying askew", &can, askew * lie, 0.0),
        (
            "cylinder lying along",
            &can,
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2) * lie,
            0.0,
        ),
        ("mesh", &mesh, level, 0.0),
        ("mesh askew", &mesh, askew, 0.0),
        ("ellipsoid", &Shape::Ellipsoid { radii: Vector3::repeat(0.1) }, level, 0.0),
        ("ellipsoid rolling", &Shape::Ellipsoid { radii: Vector3::repeat(0.1) }, level, 30.0),
    ] {
        for (stepper, rough) in [(Stepper::TimeStepping, 1e-9), (Stepper::Rattle, 1e-7)] {
            let (change, x) = roughness(stepper, shape.clone(), turn, spin);
            assert!(change <= rough, "{name}, {stepper:?}: a step changes the speed by {change} m/s");
            assert!((x - 7.7).abs() <= rough, "{name}, {stepper:?}: at {x}");
        }
    }
}
