//! A step allocates nothing after warm-up.

use crate::common::allocator::count;
use crate::common::formulations::{ACCELERATION, under};
use crate::common::{shipped, simulate, simulate_with};
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;
use stiction::geometry::{ConvexMesh, Shape, collide};
use stiction::scene::mjcf;
use stiction::sim::Simulation;
use stiction::spatial::Transform;

/// A loop that swings freely, then one that falls on the floor.
const LOOPS: &str = r#"<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1" pos="0 0 -1"/>
    <body name="a" pos="0 0 1"><freejoint/><geom type="capsule" fromto="0.1 0 0 0.4 0 0" size=".02" mass="0.1"/></body>
    <body name="b" pos="0.5 0 1"><freejoint/><geom type="capsule" fromto="0.1 0 0 0.4 0 0" size=".02" mass="0.1"/></body>
    <body name="c" pos="0 2 1"><joint axis="1 0 0"/><geom type="sphere" pos="0 0.5 0" size=".02" mass="0.1"/></body>
    <body name="d" pos="0 3 1"><freejoint/><geom type="sphere" size=".02" mass="0.1"/></body></worldbody>
    <equality><connect name="ab" body1="a" body2="b" anchor="0.5 0 0"/>
    <connect name="cd" body1="c" body2="d" anchor="0 0.6 0"/></equality></mujoco>"#;

/// Fingers on a tendon with everything it can have, a coupling, and a floor that one of them stands on.
const TENDONS: &str = r#"<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 .5"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0.1 0 0 0.4 0 0" size=".02" mass="0.1"/></body>
    <body name="b" pos="0 1 .5"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0.1 0 0 0.6 0 0" size=".02" mass="0.1"/></body>
    <body name="c" pos="0 2 .5"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0.1 0 0 0.4 0 0" size=".02" mass="0.1"/></body></worldbody>
    <tendon><fixed name="t" range="-3 1" stiffness="5" damping="0.1" frictionloss="0.01"><joint joint="a" coef="1"/>
    <joint joint="b" coef="0.5"/><joint joint="c" coef="-0.3"/></fixed></tendon>
    <equality><joint joint1="c" joint2="b" polycoef="0 0.5 0.1"/></equality>
    <actuator><position tendon="t" kp="20"/></actuator></mujoco>"#;

/// A chain of forty capsules over a floor, fixed at both ends, each of which is bent by an angle (degrees) against the one before.
fn chain(bend: f64) -> String {
    let bodies: String = (0..40)
        .map(|i| {
            let axis = if i % 2 == 0 { "0 1 0" } else { "0 0 1" };
            format!(
                r#"<body name="l{i}" pos="0.1 0 0" euler="0 {bend} 0"><joint axis="{axis}" range="-70 70" damping="0.001" frictionloss="0.001"/>
                <geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.015" mass="0.05"/>"#
            )
        })
        .collect();
    format!(
        r#"<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="9 9 1" pos="0 0 -0.5"/>{bodies}{}</worldbody>
        <equality><connect body1="l39" anchor="0.1 0 0"/></equality></mujoco>"#,
        "</body>".repeat(40)
    )
}

/// Shapes whose contacts are searched for, dropped on each other: every pair of them, apart, touching and overlapping.
#[test]
fn contacts_of_any_shapes_allocate_nothing_after_warm_up() {
    let corners: Vec<_> = (0..12)
        .map(|i| Vector3::new(f64::from(i % 3) - 1.0, f64::from(i / 3 % 2) - 0.5, f64::from(i / 6) - 0.5))
        .collect();
    let shapes = [
        Shape::Cylinder { radius: 0.4, half_length: 0.6 },
        Shape::Ellipsoid { radii: Vector3::new(0.3, 0.5, 0.8) },
        Shape::Convex(Arc::new(ConvexMesh::from_points(&corners).unwrap())),
        Shape::Box { half_extents: Vector3::new(0.4, 0.5, 0.6) },
        Shape::Capsule { radius: 0.3, half_length: 0.5 },
    ];
    let mut points = Vec::new();
    let mut all = |count: usize| {
        for i in 0..count {
            let x = i as f64;
            let turn = UnitQuaternion::from_euler_angles(x, 1.3 * x, 1.7 * x);
            let at = Vector3::new(1.5 * libm::sin(2.1 * x), libm::sin(3.3 * x), libm::cos(x));
            for a in &shapes {
                for b in &shapes {
                    points.clear();
                    collide(a, &Transform::identity(), b, &Transform::new(at, &turn), 0.5, &mut points);
                }
            }
        }
    };
    all(1000);
    let before = count();
    all(1000);
    assert_eq!(count() - before, 0);
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    for (name, warm_up) in [
        ("grasp", 100),
        ("box_stack", 100),
        ("sphere_slide", 100),
        ("belt", 100),
        ("humanoid", 3000),
        ("bounce", 1500),
        ("bounce event-driven", 1600),
        ("loops", 100),
        ("loops", 3000),
        ("tendons", 3000),
        ("redundant humanoid", 2000),
        ("redundant tendons", 3000),
        ("straight chain", 20),
        ("straight chain", 1000),
        ("ring", 2500),
    ] {
        let mut s = simulate(&match name.trim_start_matches("redundant ") {
            // Taut and straight, so that no motion is left: impulses at both ends search in vain.
            "straight chain" => chain(0.0).replace(
                "<worldbody>",
                r#"<custom><text name="stiction:stepper" data="time-stepping"/></custom><worldbody>"#,
            ),
            "ring" => chain(-9.0),
            "loops" => LOOPS.to_owned(),
            "tendons" => TENDONS.to_owned(),
            "bounce event-driven" => shipped("bounce")
                .replace("<custom>", r#"<custom><text name="stiction:stepper" data="event-driven"/>"#),
            scene => shipped(scene),
        });
        if name.starts_with("redundant") {
            let model = s.model().redundant().unwrap();
            s = Simulation::new(Arc::new(model), s.settings().clone()).unwrap();
        }
        for _ in 0..warm_up {
            let _ = s.step().unwrap();
        }
        let before = count();
        for _ in 0..200 {
            let _ = s.step().unwrap();
        }
        let count = count() - before;
        assert_eq!(count, 0, "{name}: {count} allocations in 200 steps");
    }
}

#[test]
fn viscous_friction_allocates_nothing_after_warm_up_whoever_finds_the_normal_impulses() {
    for model in ["viscous", "viscous-explicit"] {
        for solver in ["chain", "ppm", "dantzig", "active-set-qp", "lemke"] {
            for (name, warm_up) in [("grasp", 100), ("box_stack", 100), ("belt", 1500)] {
                let mut scene = mjcf::parse(&shipped(name), "test.xml").unwrap();
                scene.options.contact_model = Some(model.into());
                scene.options.solver = Some(solver.into());
                scene.options.viscosity = Some(0.1);
                let mut s = Simulation::from_scene(scene).unwrap();
                for _ in 0..warm_up {
                    let _ = s.step().unwrap();
                }
                let before = count();
                for _ in 0..100 {
                    let _ = s.step().unwrap();
                }
                let count = count() - before;
                assert_eq!(count, 0, "{model}, {solver}, {name}: {count} allocations in 100 steps");
            }
        }
    }
}

#[test]
fn friction_boxes_and_contacts_without_slip_allocate_nothing_after_warm_up() {
    for (model, solver) in [
        ("friction-box", "pgs-sm"),
        ("friction-box-fixed-point", "pgs-sm"),
        ("friction-box", "dantzig"),
        ("no-slip", "ppm"),
        ("no-slip", "active-set-qp"),
        ("no-slip", "dantzig"),
        ("no-slip-paper", "ppm"),
    ] {
        for (name, warm_up) in
            [("grasp", 100), ("box_stack", 100), ("belt", 1500), ("humanoid", 3000), ("tendons", 3000)]
        {
            let mut s =
                simulate_with(model, solver, &if name == "tendons" { TENDONS.into() } else { shipped(name) });
            for _ in 0..warm_up {
                let _ = s.step().unwrap();
            }
            let before = count();
            for _ in 0..100 {
                let _ = s.step().unwrap();
            }
            let count = count() - before;
            assert_eq!(count, 0, "{model}, {solver}, {name}: {count} allocations in 100 steps");
        }
    }
}

#[test]
fn the_solvers_of_mylapilli_and_jain_allocate_nothing_after_warm_up() {
    for (model, solver) in [
        ("stewart-trinkle", "fb-rlm"),
        ("stewart-trinkle", "fb-plm"),
        ("stewart-trinkle", "path"),
        ("anitescu-potra", "path"),
        ("cone", "mncp-rlm"),
        ("cone", "mncp-plm"),
    ] {
        for (name, warm_up) in [("grasp", 100), ("belt", 1500), ("pendulum12", 5500), ("tendons", 3000)] {
            let mut s =
                simulate_with(model, solver, &if name == "tendons" { TENDONS.into() } else { shipped(name) });
            for _ in 0..warm_up {
                let _ = s.step().unwrap();
            }
            let before = count();
            for _ in 0..500 {
                let _ = s.step().unwrap();
            }
            let count = count() - before;
            assert_eq!(count, 0, "{model}, {solver}, {name}: {count} allocations in 500 steps");
        }
    }
}

#[test]
fn the_acceleration_stepper_allocates_nothing_after_warm_up() {
    let ride = r#"<mujoco><option timestep="0.001" gravity="6 0 -8"/><default><geom friction="0.3"/></default><worldbody>
        <geom type="plane" size="5 5 1"/>
        <body name="a" pos="0 0 .05"><freejoint/><geom type="box" size=".3 .3 .05" mass="1"/></body>
        <body name="b" pos="0 0 .12"><freejoint/><geom type="box" size=".1 .1 .02" mass="1" friction="0.9"/></body>
        <body name="c" pos="0 1 .1"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"#;
    let mut s = under(ACCELERATION, ride);
    for _ in 0..100 {
        let _ = s.step().unwrap();
    }
    let before = count();
    for _ in 0..200 {
        let report = s.step().unwrap();
        // No rows of the velocity level: every contact persists and is served by forces.
        assert!(report.solved() && report.contacts == 9 && report.rows == 0, "{report:?}");
    }
    let count = count() - before;
    assert_eq!(count, 0, "{count} allocations in 200 steps");
}
