//! Friction as a box (Arechavaleta, Lopez-Damian and Morales 2010).

use crate::common::piles::pile;
use crate::common::{position, shipped, simulate_by, simulate_under, simulate_with};
use stiction::contact::{Formulation, FrictionBoxSettings};
use stiction::scene::mjcf;
use stiction::sim::{Settings, Simulation, Stepper};
use stiction_solvers::BoxLcpSolver;

const G: f64 = 9.81;

#[test]
fn a_grasp_is_held_for_ten_thousand_steps() {
    let text = shipped("grasp").replace("timestep=\"0.001\"", "timestep=\"0.01\"");
    for solver in ["pgs-sm", "dantzig"] {
        let mut s = simulate_with("friction-box", solver, &text);
        let start = s.state.q.clone();
        let mut drift: f64 = 0.0;
        for _ in 0..10_000 {
            let report = s.step().unwrap();
            assert!(report.solved(), "{solver}: {report:?}");
            drift = start.iter().zip(&s.state.q).fold(drift, |drift, (a, b)| drift.max((a - b).abs()));
        }
        println!("{solver}: drift {drift:e}");
        assert!(drift <= 1e-9, "{solver}: drift {drift}");
    }
}

/// A flat block on a slope about the y axis, with a velocity down the slope (m/s).
fn slope(angle: f64, mu: f64, velocity: f64) -> String {
    let (sin, cos) = angle.to_radians().sin_cos();
    let (x, z, half) = (0.02 * sin, 0.02 * cos, 0.5 * angle.to_radians());
    format!(
        r#"<mujoco><option timestep="0.001"/><worldbody>
        <body name="slope" euler="0 {angle} 0"><geom name="slope" type="plane" size="9 9 1" friction="{mu}"/></body>
        <body name="block" pos="{x} 0 {z}" euler="0 {angle} 0"><freejoint/>
        <geom name="block" type="box" size=".1 .1 .02" mass="1" friction="{mu}"/></body></worldbody>
        <keyframe><key name="start" qpos="{x} 0 {z} {} 0 {} 0" qvel="{} 0 {} 0 0 0"/></keyframe></mujoco>"#,
        half.cos(),
        half.sin(),
        velocity * cos,
        -velocity * sin
    )
}

#[test]
fn a_block_sticks_on_a_slope_below_the_angle_of_friction_and_slides_above_it() {
    let angle: f64 = 20.0;
    let (sin, cos) = angle.to_radians().sin_cos();
    // From the velocity after the first step on: 1/2 a t (t + 2 h), of first order 1/2 a t (t + 3 h).
    for (stepper, late) in [(Stepper::TimeStepping, 1.003), (Stepper::Rattle, 1.002)] {
        let models = ["friction-box", "friction-box-fixed-point"];
        let slopes = [(0.365, true), (0.362, false), (0.2, false)];
        for (model, (mu, sticks)) in models.into_iter().flat_map(|model| slopes.map(|slope| (model, slope))) {
            let mut s = simulate_by(stepper, model, &slope(angle, mu, 0.0));
            let _ = s.step().unwrap();
            let start = position(&s, "block");
            for _ in 0..1000 {
                let report = s.step().unwrap();
                assert!(report.solved(), "{model}: {report:?}");
            }
            let moved = (position(&s, "block") - start).norm();
            let exact = if sticks { 0.0 } else { 0.5 * G * (sin - mu * cos) * late };
            assert!((moved - exact).abs() < 1e-9 + 1e-4 * exact, "{model}, mu {mu}: {moved} against {exact}");
        }
    }
}

#[test]
fn sliding_along_a_tangent_the_fixed_point_is_the_cone() {
    for velocity in [0.0, 1.0, -1.0] {
        let text = slope(20.0, 0.2, velocity);
        let [mut boxed, mut cone] = ["friction-box-fixed-point", "cone"]
            .map(|model| simulate_by(Stepper::TimeStepping, model, &text));
        for step in 0..1000 {
            let reports = [boxed.step().unwrap(), cone.step().unwrap()];
            assert!(reports.iter().all(|r| r.solved()), "velocity {velocity}, step {step}: {reports:?}");
            for (a, b) in boxed.state.v.iter().zip(&cone.state.v) {
                assert!((a - b).abs() < 1e-8, "velocity {velocity}, step {step}: {a} against {b}");
            }
        }
    }
}

#[test]
fn sliding_across_the_tangents_friction_is_too_large_by_the_square_root_of_two() {
    let text = r#"<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="9 9 1" friction="0.3"/>
        <body name="block" pos="0 0 0.02"><freejoint/><geom type="box" size=".1 .1 .02" mass="1" friction="0.3"/></body>
        </worldbody><keyframe><key name="start" qpos="0 0 0.02 1 0 0 0" qvel="2 2 0 0 0 0"/></keyframe></mujoco>"#;
    let mut s = simulate_under("friction-box-fixed-point", text);
    for _ in 0..300 {
        assert!(s.step().unwrap().solved());
    }
    // Each tangent brakes as if it were alone.
    let exact = 2.0 - 0.3 * G * 0.3;
    assert!((s.state.v[0] - exact).abs() < 1e-8 && (s.state.v[1] - exact).abs() < 1e-8, "{:?}", s.state.v);
}

#[test]
fn every_solver_for_bounds_holds_a_block_on_a_slope() {
    for solver in Formulation::named("friction-box").unwrap().solvers() {
        let mut s = simulate_with("friction-box", solver, &slope(20.0, 0.5, 0.0));
        let _ = s.step().unwrap();
        let start = position(&s, "block");
        for _ in 0..100 {
            let report = s.step().unwrap();
            assert!(report.solved(), "{solver}: {report:?}");
        }
        let moved = (position(&s, "block") - start).norm();
        assert!(moved < 1e-8, "{solver}: {moved}");
    }
}

#[test]
fn boxes_of_friction_never_add_energy() {
    for (model, solver) in
        [("friction-box", "pgs-sm"), ("friction-box", "dantzig"), ("friction-box-fixed-point", "pgs-sm")]
    {
        let mut unsolved = 0;
        for seed in 1..=10 {
            let mut s = simulate_with(model, solver, &pile(seed, 8));
            for _ in 0..1000 {
                let report = s.step().unwrap();
                let c = &report.certificate;
                unsolved += usize::from(!report.solved());
                assert!(
                    c.contact_work <= 1e-12 * (1.0 + report.kinetic_energy),
                    "{model}, {seed}: {report:?}"
                );
            }
        }
        // The fixed point need not settle where friction and load depend strongly on each other (mu up to 1.2).
        println!("{model}, {solver}: {unsolved} of 10000 steps unsolved");
        // Sweeps with subspace steps stop short of the tolerance in one step in a thousand; pivoting never does.
        let allowed = match (model, solver) {
            ("friction-box-fixed-point", _) => 1000,
            (_, "pgs-sm") => 20,
            _ => 0,
        };
        assert!(unsolved <= allowed, "{model}, {solver}: {unsolved}");
    }
}

#[test]
fn laws_and_settings_that_a_box_cannot_have_are_refused() {
    let text = r#"<mujoco><custom><text name="stiction:law" data="no-slip"/></custom><worldbody>
        <geom type="plane" size="9 9 1"/><body name="b" pos="0 0 1"><freejoint/><geom type="sphere" size=".1"/></body>
        </worldbody></mujoco>"#;
    let refused = |text: &str, settings: FrictionBoxSettings| {
        let model = mjcf::parse(text, "test.xml").unwrap().model.into();
        let formulation = Formulation::FrictionBox(settings);
        Simulation::new(model, Settings { formulation, ..Default::default() }).unwrap_err().to_string()
    };
    let message = refused(text, FrictionBoxSettings::default());
    assert!(
        message.contains("no-slip") && message.contains("friction-box") && message.contains("cone"),
        "{message}"
    );
    for (settings, part) in [
        (FrictionBoxSettings { mixing: -1.0, ..Default::default() }, "mixing -1"),
        (FrictionBoxSettings { fixed_point: Some(0), ..Default::default() }, "rounds of the fixed point 0"),
        (
            FrictionBoxSettings { solver: BoxLcpSolver::default().with_tolerance(2.0), ..Default::default() },
            "tolerance",
        ),
    ] {
        let message = refused(&text.replace("no-slip", "frictionless"), settings);
        assert!(message.contains(part), "{message}");
    }
}
