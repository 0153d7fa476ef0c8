//! Viscous friction as a problem of the normal impulses (Drumwright 2015, section IV), and beside dry friction in pyramids and
//! boxes (section III-C).

use crate::common::piles::pile;
use crate::common::{simulate, simulate_with};
use stiction::contact::{Formulation, Law};
use stiction::scene::mjcf;
use stiction::sim::{Simulation, Stepper};

const NORMAL: [&str; 4] = ["ppm", "dantzig", "lemke", "active-set-qp"];

/// A scene under a viscous contact model (N s/m) with one of its solvers.
fn viscous(model: &str, solver: &str, c: f64, stepper: Stepper, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.contact_model = Some(model.into());
    scene.options.solver = Some(solver.into());
    scene.options.viscosity = Some(c);
    scene.options.stepper = Some(stepper);
    Simulation::from_scene(scene).unwrap()
}

#[test]
fn the_problem_of_the_normal_impulses_moves_heaps_as_the_one_of_cones_does() {
    for (model, c) in [("viscous", 0.3), ("viscous", 30.0), ("viscous-explicit", 0.03)] {
        for solver in NORMAL {
            let (mut compared, mut rubbed) = (0, 0);
            for seed in 1..=3 {
                let text = pile(seed, 6);
                let mut cone = viscous(model, "chain", c, Stepper::TimeStepping, &text);
                let mut normal = viscous(model, solver, c, Stepper::TimeStepping, &text);
                for step in 0..300 {
                    normal.state.clone_from(&cone.state);
                    let reports = [cone.step().unwrap(), normal.step().unwrap()];
                    assert!(reports.iter().all(|r| r.solved()), "{model}, {solver}, {step}: {reports:?}");
                    for (a, b) in cone.state.v.iter().zip(&normal.state.v) {
                        assert!(
                            (a - b).abs() <= 1e-7 * (1.0 + a.abs()),
                            "{model}, {solver}, {step}: {a}, {b}"
                        );
                    }
                    if model == "viscous" {
                        assert!(reports[1].certificate.viscous_error <= 1e-7 * (1.0 + c), "{:?}", reports[1]);
                    }
                    compared += 1;
                    let slides = |f: &&stiction::report::ContactForce| {
                        let before = model == "viscous" || f.start.y.hypot(f.start.z) > 1e-6;
                        before
                            && f.impulse.x > 1e-9
                            && f.bias > 0.0
                            && f.velocity.y.hypot(f.velocity.z) > 1e-6
                    };
                    for f in normal.contact_forces().iter().filter(slides) {
                        assert!(f.impulse.y.hypot(f.impulse.z) > 0.0, "{model}, {solver}, {step}: {f:?}");
                        rubbed += 1;
                    }
                }
            }
            assert!(compared == 900 && rubbed > 10, "{model}, {solver}: {rubbed} predicted contacts slide");
        }
    }
}

/// A box of 1 kg that slides at 1 m/s along the floor.
fn slider(custom: &str, dt: f64) -> String {
    format!(
        r#"<mujoco><option timestep="{dt}"/><custom>{custom}</custom>
        <worldbody><geom name="floor" type="plane" size="50 50 1"/>
        <body name="box" pos="0 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="1"/></body>
        </worldbody><keyframe><key name="start" qpos="0 0 0.1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#
    )
}

#[test]
fn a_viscous_box_stops_after_half_a_metre_under_every_solver_of_normal_impulses() {
    // Implicit Euler sums v_k h exactly to m v / (4 c); Runge and Kutta's rule is exact to order four.
    for solver in NORMAL {
        for (stepper, bound) in [(Stepper::TimeStepping, 1e-9), (Stepper::Acceleration, 1e-9)] {
            let mut s = viscous("viscous", solver, 0.5, stepper, &slider("", 1e-2));
            for _ in 0..1200 {
                let report = s.step().unwrap();
                assert!(report.solved() && report.variables <= 4, "{solver}: {report:?}");
            }
            let travelled = s.state.q[0];
            assert!((travelled - 0.5).abs() <= bound, "{solver}, {}: {travelled}", stepper.name());
        }
    }
}

#[test]
fn stiff_viscous_friction_holds_a_load_on_a_slope_but_for_the_creep_that_it_needs() {
    // m g sin a = 4 c v: from 1 to 1e9 N s/m.
    let (sin, cos) = 20.0_f64.to_radians().sin_cos();
    let text = format!(
        r#"<mujoco><option timestep="0.01"/><worldbody>
        <body name="slope" euler="0 20 0"><geom name="slope" type="plane" size="2 2 1"/></body>
        <body name="block" pos="{} 0 {}" euler="0 20 0"><freejoint/>
        <geom name="block" type="box" size=".1 .1 .02" mass="1"/></body></worldbody></mujoco>"#,
        0.02 * sin,
        0.02 * cos
    );
    for solver in ["chain", "ppm", "dantzig"] {
        for c in [1e2, 1e4, 1e6, 1e8] {
            let mut s = viscous("viscous", solver, c, Stepper::TimeStepping, &text);
            for _ in 0..200 {
                assert!(s.step().unwrap().solved());
            }
            let (speed, exact) = (s.state.v[0].hypot(s.state.v[2]), 9.81 * sin / (4.0 * c));
            // The impulse is h c times a velocity that is the rounding of its terms, m g h of a millimetre.
            let rounding = 1e-17 * 0.01 * c;
            assert!((speed - exact).abs() <= 1e-6 * exact + rounding, "{solver}, {c}: {speed} and {exact}");
        }
    }
}

#[test]
fn dry_and_viscous_friction_add_up_in_cones_pyramids_and_boxes() {
    // m dv/dt = -mu m g - c v: v = 0 after (m/c) ln(1 + c v0 / (mu m g)).
    let (mu, c, g) = (0.1, 2.0, 9.81_f64);
    let custom = r#"<text name="stiction:law" data="coulomb 0.1 viscous 0.5"/>"#;
    let exact = (1.0 / c) * (1.0 + c / (mu * g)).ln();
    for (model, solver) in [
        ("cone", "chain"),
        ("stewart-trinkle", "lemke"),
        ("stewart-trinkle", "path"),
        ("anitescu-potra", "lemke"),
        ("friction-box", "pgs-sm"),
        ("friction-box-fixed-point", "dantzig"),
    ] {
        let mut s = simulate_with(model, solver, &slider(custom, 1e-4));
        let mut time = 0.0;
        while s.state.v[0] > 1e-9 && time < 2.0 {
            let report = s.step().unwrap();
            assert!(report.solved(), "{model}: {report:?}");
            // A box takes the normal impulse of the step before; at the stop the first half of a step has the viscous friction of the
            // velocity at its beginning, which is at most what friction takes in the half.
            let exact = !model.starts_with("friction-box");
            let bound = if s.state.v[0] > mu * g * 1e-4 { 1e-6 } else { 1e-6 + 0.5 * mu * g * 0.5e-4 };
            assert!(!exact || report.certificate.cone_violation <= bound, "{model}: {report:?}");
            time += 1e-4;
        }
        assert!((time - exact).abs() < 3e-4, "{model}, {solver}: {time} against {exact}");
    }
}

#[test]
fn a_pyramid_that_lies_along_the_motion_is_the_cone_with_viscous_friction_too() {
    // A ball thrown along the floor slides, then rolls, rubbed by both kinds of friction at one point.
    let text = |law: &str| {
        format!(
            r#"<mujoco><option timestep="1e-3"/><custom><text name="stiction:law" data="{law}"/></custom>
            <worldbody><geom name="floor" type="plane" size="50 50 1"/><body name="ball" pos="0 0 0.13"><freejoint/>
            <geom name="ball" type="sphere" size="0.1" mass="1"/></body></worldbody>
            <keyframe><key name="start" qpos="0 0 0.13 1 0 0 0" qvel="1.2 1.6 0 0 0 0"/></keyframe></mujoco>"#
        )
    };
    for law in ["coulomb 0.1 viscous 2", "coulomb 0 viscous 2", "viscous 2"] {
        let mut cone = simulate(&text(law));
        let mut pyramid = simulate_with("stewart-trinkle", "lemke", &text(law));
        for step in 0..600 {
            assert!(cone.step().unwrap().solved() && pyramid.step().unwrap().solved());
            for (a, b) in cone.state.v.iter().zip(&pyramid.state.v) {
                assert!((a - b).abs() < 1e-8, "{law}, step {step}: {a} and {b}");
            }
        }
        // What slid rolls: v = omega r, and slower than at the start.
        let speed = cone.state.v[0].hypot(cone.state.v[1]);
        assert!(speed > 1.3 && speed < 1.6, "{law}: {speed}");
    }
}

#[test]
fn a_viscous_model_takes_solvers_of_both_kinds_and_refuses_others_with_all_that_fit() {
    let mut formulation = Formulation::named("viscous-explicit").unwrap();
    formulation.set_solver("ppm tolerance=1e-9").unwrap();
    assert_eq!((formulation.name(), formulation.solver_name()), ("viscous-explicit", "ppm"));
    formulation.set_solver("nsgs").unwrap();
    assert_eq!((formulation.name(), formulation.solver_name()), ("viscous-explicit", "nsgs"));
    let message = formulation.set_solver("pppm").unwrap_err().to_string();
    for name in NORMAL.into_iter().chain(["chain"]) {
        assert!(message.contains(name), "{message}");
    }
    let law = Law::Viscous { viscosity: 0.0 };
    assert_eq!(formulation.law_in_force(Law::Coulomb { mu: 0.5 }), law);
    assert_eq!(formulation.law_in_force(Law::Frictionless), Law::Frictionless);
}
