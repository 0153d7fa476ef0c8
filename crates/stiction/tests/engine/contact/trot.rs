//! Laws in motion: feet that trot come down in nearly every step, with a gap that closes within it.

use crate::common::{simulate, simulate_by, simulate_under, simulate_with};
use nalgebra::Vector2;
use std::f64::consts::PI;
use stiction::contact::Law;
use stiction::report::{ContactForce, HandBacks};
use stiction::scene::mjcf;
use stiction::sim::{Simulation, Stepper};

/// A quadruped on a rail: it may move along, rise and pitch.
fn quadruped(custom: &str, dt: f64, scale: f64) -> String {
    let (mut legs, mut servos) = (String::new(), String::new());
    for (i, (x, y)) in [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)].into_iter().enumerate() {
        let [x, y, thigh, shank] = [x, y, -0.2, -0.18].map(|length| length * scale);
        legs += &format!(
            r#"<body name="thigh{i}" pos="{x} {y} 0"><joint name="hip{i}" type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 {half}" mass="0.5" diaginertia="{i1} {i1} {i1}"/>
            <body name="shank{i}" pos="0 0 {thigh}"><joint name="knee{i}" type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 {half}" mass="0.4" diaginertia="{i1} {i1} {i1}"/>
            <geom name="foot{i}" type="sphere" size="{r}" pos="0 0 {shank}"/></body></body>"#,
            half = 0.5 * thigh,
            i1 = 2e-3 * scale * scale,
            r = 0.02 * scale,
        );
        let [kp, kv] = [150.0, 4.0].map(|gain| gain * scale * scale);
        servos += &format!(
            r#"<position joint="hip{i}" kp="{kp}" kv="{kv}"/><position joint="knee{i}" kp="{kp}" kv="{kv}"/>"#
        );
    }
    format!(
        r#"<mujoco><option timestep="{dt}" gravity="0 0 {g}"/><compiler angle="radian"/><custom>{custom}</custom>
        <worldbody><geom name="floor" type="plane" size="500 500 1"/>
        <body name="torso" pos="0 0 {z}"><joint name="x" type="slide" axis="1 0 0"/>
        <joint name="z" type="slide" axis="0 0 1"/><joint name="pitch" type="hinge" axis="0 1 0" stiffness="{k}" damping="{d}"/>
        <inertial pos="0 0 0" mass="4" diaginertia="{i} {i} {i}"/>{legs}</body></worldbody>
        <actuator>{servos}</actuator></mujoco>"#,
        g = -9.81 * scale,
        z = 0.375 * scale,
        k = 300.0 * scale * scale,
        d = 5.0 * scale * scale,
        i = 0.1 * scale * scale,
    )
}

/// What the servos are to do in a step.
fn command(s: &mut Simulation, step: usize) {
    for leg in 0..4 {
        let phase = if leg == 0 || leg == 3 { 0.0 } else { PI };
        let angle = 4.0 * PI * s.timestep() * step as f64 + phase;
        let lift = angle.sin().max(0.0);
        s.state.ctrl[2 * leg] = 0.45 + 0.25 * angle.cos() + 0.3 * lift;
        s.state.ctrl[2 * leg + 1] = -0.9 - 0.6 * lift;
    }
}

/// Trots for some steps and shows each step with its pressing contacts.
fn trot(s: &mut Simulation, steps: usize, mut see: impl FnMut(&Simulation, &[ContactForce], bool)) {
    for step in 0..steps {
        command(s, step);
        let report = s.step().unwrap();
        assert!(report.solved(), "step {step}: {report:?}");
        see(s, s.contact_acts(), report.regularized > 0);
    }
}

#[test]
fn feet_that_trot_land_slide_and_stick_by_events_in_most_steps() {
    let mut handed = HandBacks::default();
    let steps = 1500;
    let custom = r#"<text name="stiction:stepper" data="event-driven"/>"#;
    let mut s = simulate(&quadruped(custom, 2e-3, 1.0));
    for step in 0..steps {
        command(&mut s, step);
        let report = s.step().unwrap();
        assert!(report.solved() && report.certificate.penetration <= 1e-7, "step {step}: {report:?}");
        handed += report.hand_backs;
    }
    println!("{:?} of {steps}", handed.present().collect::<Vec<_>>());
    assert!(handed.total() < steps / 10, "{handed:?}");
}

fn slip(f: &ContactForce) -> f64 {
    f.velocity.y.hypot(f.velocity.z)
}

#[test]
fn every_foot_that_presses_has_its_viscous_friction() {
    let c = 5.0;
    for (custom, dt, scale) in [
        (r#"<text name="stiction:law" data="viscous 5"/>"#.to_string(), 2e-3, 1.0),
        (r#"<text name="stiction:law" data="coulomb 0 viscous 5"/>"#.to_string(), 2e-3, 1.0),
        (r#"<text name="stiction:law" data="viscous 5"/>"#.to_string(), 1e-2, 1.0),
        (r#"<text name="stiction:law" data="viscous 5"/>"#.to_string(), 2e-4, 1.0),
        (r#"<text name="stiction:law" data="viscous 5"/>"#.to_string(), 2e-3, 1e-3),
        (r#"<text name="stiction:law" data="viscous 5"/>"#.to_string(), 2e-3, 1e3),
    ] {
        for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
            let mut s = simulate_by(stepper, "cone", &quadruped(&custom, dt, scale));
            let [mut pressing, mut rubbed] = [0; 2];
            trot(&mut s, 1500, |s, forces, _| {
                let weight = 7.6 * 9.81 * scale * dt;
                for f in forces.iter().filter(|f| f.impulse.x > 1e-9 * weight) {
                    pressing += 1;
                    // Under drives that are stiff what is hit at the end of a step is rubbed for no time.
                    let time = if f.impulse.yz() == Vector2::zeros() { 0.0 } else { f.duration };
                    rubbed += usize::from(time > 0.0);
                    let [y, z] =
                        [f.impulse.y + c * time * f.velocity.y, f.impulse.z + c * time * f.velocity.z];
                    // What may be left of a displacement is a tenth of the overlap that is tolerated.
                    let bound = 1e-9 * (weight + c * dt * slip(f)) + c * 1e-10;
                    assert!(y.hypot(z) <= bound, "{custom}, {dt}, {scale}: {f:?}");
                    assert!(matches!(f.contact.law, Law::Viscous { .. }));
                }
                let _ = s;
            });
            assert!(
                pressing > 1000 && rubbed > pressing / 3,
                "{stepper:?}, {dt}, {scale}: {rubbed} of {pressing}"
            );
        }
    }
}

#[test]
fn a_viscous_trot_goes_as_far_by_every_solver() {
    let custom = r#"<numeric name="stiction:viscosity" data="5"/>"#;
    for model in ["viscous", "viscous-explicit"] {
        let distance = |solver: &str| {
            let mut s = simulate_with(model, solver, &quadruped(custom, 2e-3, 1.0));
            trot(&mut s, 1500, |_, _, _| {});
            s.state.q[0]
        };
        let cone = distance("chain");
        assert!(cone.abs() > 0.2, "{model}: {cone}");
        for solver in ["ppm", "dantzig", "lemke", "active-set-qp"] {
            let other = distance(solver);
            assert!((other - cone).abs() < 1e-9, "{model}, {solver}: {other} and {cone}");
        }
    }
}

#[test]
fn no_foot_that_presses_slips_but_where_none_can_help_it() {
    for model in ["no-slip", "no-slip-paper"] {
        let mut s = simulate_under(model, &quadruped("", 2e-3, 1.0));
        let [mut pressing, mut jammed] = [0; 2];
        trot(&mut s, 3000, |s, forces, regularized| {
            jammed += usize::from(regularized);
            for f in forces.iter().filter(|f| f.impulse.x > 1e-9 && !regularized) {
                pressing += 1;
                // What may be left of a displacement is a tenth of the overlap that is tolerated.
                assert!(slip(f) <= 1e-10 / s.timestep(), "{model}: {f:?}");
            }
            for f in forces.iter().filter(|f| f.impulse.x > 1e-9) {
                // Where feet slip they are braked by friction 1000.
                let friction = f.impulse.y.hypot(f.impulse.z);
                assert!(slip(f) <= 1e-6 || friction >= 999.0 * f.impulse.x, "{model}: {f:?}");
            }
        });
        assert!(pressing > 1000 && (model == "no-slip" || jammed == 0), "{model}: {pressing}, {jammed}");
    }
}

/// Blocks of 1 kg in a row, held between a wall and a sliding press by friction alone.
fn row(blocks: usize, scale: f64) -> String {
    let half = 0.05 * scale;
    let bodies: String = (0..blocks)
        .map(|i| {
            let x = half * (1 + 2 * i) as f64;
            format!(
                r#"<body name="b{i}" pos="{x} 0 0"><freejoint/><geom name="b{i}" type="box" size="{half} {half} {half}" mass="1"/></body>"#
            )
        })
        .collect();
    format!(
        r#"<mujoco><option timestep="0.002" gravity="0 0 {g}"/><worldbody>
        <geom name="wall" type="box" size="{half} {wide} {wide}" pos="-{half} 0 0"/>
        <body name="press" pos="{end} 0 0"><joint name="s" type="slide" axis="1 0 0"/>
        <geom name="press" type="box" size="{half} {wide} {wide}" mass="1"/></body>{bodies}</worldbody>
        <actuator><motor joint="s"/></actuator><keyframe><key name="start" ctrl="{force}"/></keyframe></mujoco>"#,
        wide = 4.0 * half,
        end = half * (1 + 2 * blocks) as f64,
        g = -9.81 * scale,
        force = -100.0 * scale * blocks as f64,
    )
}

#[test]
fn blocks_in_a_row_are_held_between_walls_however_many() {
    for (model, scale) in [("no-slip", 1.0), ("no-slip-paper", 1.0), ("no-slip", 1e-3), ("no-slip", 1e3)] {
        for blocks in [2, 5, 8, 11] {
            let mut s = simulate_under(model, &row(blocks, scale));
            let mut regularized = 0;
            for step in 0..300 {
                let report = s.step().unwrap();
                assert!(report.solved(), "{model}, {blocks}, {step}: {report:?}");
                regularized += usize::from(report.regularized > 0);
            }
            // What rounding leaves at rest may be undecided.
            assert!(regularized <= 3, "{model}, {blocks} blocks, {scale}: {regularized} steps");
            let fall = (0..blocks).map(|i| s.state.q[1 + 7 * i + 2].abs()).fold(0.0, f64::max);
            assert!(fall <= 1e-10 * scale, "{model}, {blocks} blocks, {scale}: {fall}");
        }
    }
}

#[test]
fn a_plate_on_very_many_points_stands_without_slip_and_no_solver_sees_more_than_its_six_velocities() {
    let feet: String = (0..900)
        .map(|i| {
            let [x, y] = [i % 30, i / 30].map(|k| f64::from(k) / 29.0 - 0.5);
            format!(r#"<geom name="f{i:03}" type="sphere" size="0.005" pos="{x} {y} -0.005" mass="0.001"/>"#)
        })
        .collect();
    let text = format!(
        r#"<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="9 9 1"/>
        <body name="plate" pos="0 0 0.01"><freejoint/>{feet}</body></worldbody></mujoco>"#
    );
    let scene = mjcf::parse(&text, "test.xml").unwrap();
    assert_eq!(scene.model.nv(), 6);
    for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
        let mut s = simulate_by(stepper, "no-slip", &text);
        for step in 0..5 {
            let report = s.step().unwrap();
            // With impulses at both ends those of the last step stand from the second on.
            let variables = if step > 0 && stepper == Stepper::Rattle { 0 } else { 900 };
            assert!(report.solved() && report.variables == variables && report.pivots <= 40, "{report:?}");
            assert!(s.state.v.iter().all(|v| v.abs() < 1e-12), "{:?}", s.state.v);
        }
    }
}
