//! Polyhedral friction with each of its solvers: the same physics, whoever solves.

use crate::common::{position, run, shipped, simulate_under, simulate_with};
use nalgebra::Vector3;
use stiction::contact::Formulation;
use stiction::report::StepReport;
use stiction::scene::mjcf;
use stiction::sim::{Simulation, Stepper};
use stiction_solvers::LcpSolver;

/// Those that are not the default.
const OTHERS: [&str; 3] = ["fb-rlm", "fb-plm", "path"];
const MODELS: [&str; 2] = ["stewart-trinkle", "anitescu-potra"];

fn nothing(_: &Simulation, _: &StepReport) {}

#[test]
fn a_thrown_sphere_slides_then_rolls_at_five_sevenths_of_its_speed() {
    for model in MODELS {
        for solver in OTHERS {
            let mut s = simulate_with(model, solver, &shipped("sphere_slide"));
            run(&mut s, 0.29, nothing);
            assert!((s.state.v[0] - (2.0 - 0.2 * 9.81 * 0.29)).abs() < 1e-10, "{model} {solver}");
            run(&mut s, 0.31, nothing);
            assert!((s.state.v[0] - 10.0 / 7.0).abs() < 1e-10, "{model} {solver}: {}", s.state.v[0]);
        }
    }
}

#[test]
fn blocks_on_a_slope_stick_above_the_critical_friction_and_slide_below() {
    for solver in OTHERS {
        let mut other = simulate_with("stewart-trinkle", solver, &shipped("incline"));
        let mut lemke = simulate_under("stewart-trinkle", &shipped("incline"));
        run(&mut other, 1.0, nothing);
        run(&mut lemke, 1.0, nothing);
        for body in 1..other.model().bodies.len() {
            let name = other.model().bodies[body].name.clone();
            let apart = (position(&other, &name) - position(&lemke, &name)).norm();
            assert!(apart < 1e-9, "{solver} {name}: {apart:e}");
        }
    }
}

#[test]
fn a_box_stays_on_its_four_corners_and_they_carry_its_weight() {
    let scene = r#"<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
        <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.15 0.1" mass="3"/></body></worldbody></mujoco>"#;
    for model in MODELS {
        for solver in OTHERS {
            let mut s = simulate_with(model, solver, scene);
            run(&mut s, 2.0, |s, _| {
                let force: Vector3<f64> = s.contact_forces().iter().map(|c| c.force).sum();
                assert!((force.z.abs() - 3.0 * 9.81).abs() < 1e-8, "{model} {solver}: {force}");
            });
            let moved = (position(&s, "box") - Vector3::new(0.0, 0.0, 0.1)).norm();
            assert!(moved < 1e-9, "{model} {solver}: {moved:e}");
        }
    }
}

#[test]
fn cubes_are_held_by_friction_between_grippers() {
    for solver in OTHERS {
        let mut s = simulate_with("stewart-trinkle", solver, &shipped("grasp"));
        let names = ["left_cube", "right_cube"];
        run(&mut s, 0.001, nothing); // poses are known after a step
        let start = names.map(|name| position(&s, name));
        run(&mut s, 0.5, nothing);
        for (name, start) in names.iter().zip(start) {
            let moved = (position(&s, name) - start).norm();
            assert!(moved < 1e-9, "{solver} {name}: {moved:e}");
        }
    }
}

#[test]
fn limits_and_dry_joint_friction_obey_their_laws() {
    // A door against its stop, and a slider that 2 N cannot move against 3 N of friction, 4 N can.
    let scene = r#"<mujoco><option timestep="0.001"/><worldbody>
        <body name="door"><joint name="door" axis="0 1 0" range="-30 30"/>
        <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="1"/></body>
        <body name="a" pos="0 2 0"><joint name="a" type="slide" axis="1 0 0" frictionloss="3"/>
        <geom type="sphere" size="0.1" mass="1"/></body>
        <body name="b" pos="0 3 0"><joint name="b" type="slide" axis="1 0 0" frictionloss="3"/>
        <geom type="sphere" size="0.1" mass="1"/></body></worldbody>
        <actuator><motor name="a" joint="a"/><motor name="b" joint="b"/></actuator>
        <keyframe><key name="start" ctrl="2 4"/></keyframe></mujoco>"#;
    // What slides at 1 m/s^2 goes h^2 (1 + ... + n) far by one impulse a step, and right by impulses at both ends.
    let steppers = [(Stepper::TimeStepping, 0.5005), (Stepper::Rattle, 0.5)];
    for (solver, (stepper, far)) in OTHERS.into_iter().flat_map(|solver| steppers.map(|by| (solver, by))) {
        let mut parsed = mjcf::parse(scene, "test.xml").unwrap();
        parsed.options.contact_model = Some("stewart-trinkle".into());
        parsed.options.solver = Some(solver.into());
        parsed.options.stepper = Some(stepper);
        let mut s = Simulation::from_scene(parsed).unwrap();
        run(&mut s, 1.0, nothing);
        let q = &s.state.q;
        assert!((q[0] - 30_f64.to_radians()).abs() < 1e-9, "{solver}: {}", q[0]);
        assert!(q[1].abs() < 1e-12, "{solver}: {}", q[1]);
        assert!((q[2] - far).abs() < 1e-9, "{solver}: {}", q[2]);
    }
}

#[test]
fn equal_runs_give_equal_bits_and_a_snapshot_goes_on_with_them() {
    for solver in OTHERS {
        let fresh = || simulate_with("stewart-trinkle", solver, &shipped("pendulum12"));
        let (mut a, mut b) = (fresh(), fresh());
        run(&mut a, 0.3, nothing);
        run(&mut b, 0.3, nothing);
        assert_eq!(a.state_hash(), b.state_hash(), "{solver}");
        let mut c = fresh();
        c.restore(&a.snapshot()).unwrap();
        run(&mut a, 0.1, nothing);
        run(&mut c, 0.1, nothing);
        assert_eq!(a.state_hash(), c.state_hash(), "{solver}");
    }
}

#[test]
fn an_unfitting_solver_is_refused_with_those_that_fit() {
    for model in MODELS {
        for solver in ["ppm", "chain", "pgs-sm", "mncp-rlm", "nonsense"] {
            let mut formulation = Formulation::named(model).unwrap();
            let message = formulation.set_solver(solver).unwrap_err().to_string();
            for word in [solver, model, "lemke, fb-rlm, fb-plm, path"] {
                assert!(message.contains(word), "{word:?} is not in {message}");
            }
        }
        for &solver in LcpSolver::NAMES {
            let mut formulation = Formulation::named(model).unwrap();
            formulation.set_solver(solver).unwrap();
            assert_eq!((formulation.solver_name(), formulation.name()), (solver, model));
        }
    }
    let mut cone = Formulation::named("cone").unwrap();
    let message = cone.set_solver("fb-rlm").unwrap_err().to_string();
    assert!(message.contains("mncp-rlm, mncp-plm"), "{message}");
}
