//! Laws other than Coulomb's, alone and side by side.

use crate::common::{simulate, simulate_by};
use stiction::contact::{Formulation, Law, Mode};
use stiction::scene::mjcf;
use stiction::sim::{Settings, SimError, Simulation, Stepper};

/// One impulse a step, and impulses at both ends of it.
const BOTH: [Stepper; 2] = [Stepper::TimeStepping, Stepper::Rattle];

/// A box of 1 kg that slides at 1 m/s along the floor, with this custom text.
fn slider(custom: &str, dt: f64) -> String {
    format!(
        r#"<mujoco><option timestep="{dt}"/><custom>{custom}</custom>
        <asset><material name="rubber"/><material name="glass"/><material name="ice"/></asset>
        <worldbody><geom name="floor" type="plane" size="50 50 1" material="glass"/>
        <body name="box" pos="0 0 0.1"><freejoint/>
          <geom name="box" type="box" size="0.1 0.1 0.1" mass="1" material="rubber"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 0.1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#
    )
}

fn run(s: &mut Simulation, seconds: f64) {
    let steps = (seconds / s.timestep()).round() as usize;
    for _ in 0..steps {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
    }
}

#[test]
fn viscous_friction_stops_a_box_after_half_a_metre() {
    // 1 kg at 1 m/s, 0.5 N s/m at each of four corners: 0.5 m. With a = h c / 2m, what friction takes in half a step, a step goes h v (1 - a)
    // far and ends with v (1 - a) / (1 + a), or explicitly with v (1 - a)^2.
    // Euler's rules with r = 2 a sum v h r / (1 - r) implicitly and v h (1 - r) / r explicitly.
    let a = 1e-3;
    let explicit = 0.5 * (1.0 - a) / (1.0 - 0.5 * a);
    for (stepper, model, exact) in [
        (Stepper::TimeStepping, "viscous", 0.5),
        (Stepper::TimeStepping, "viscous-explicit", 0.5 * (1.0 - 2.0 * a)),
        (Stepper::Rattle, "viscous", 0.5 * (1.0 - a * a)),
        (Stepper::Rattle, "viscous-explicit", explicit),
    ] {
        let custom = r#"<numeric name="stiction:viscosity" data="0.5"/>"#;
        let mut s = simulate_by(stepper, model, &slider(custom, 1e-3));
        run(&mut s, 12.0);
        let travelled = s.state.q[0];
        assert!((travelled - exact).abs() <= 1e-7, "{model}: {travelled}");
        assert!(s.state.v[0].abs() < 1e-9);
    }
}

#[test]
fn implicit_viscous_friction_is_stable_whatever_the_step() {
    // A low box: a tall one tips over its stopped foot.
    let custom = r#"<text name="stiction:law" data="viscous 1e6"/>"#;
    let text = slider(custom, 0.1).replace("0.1 0.1 0.1\"", "0.1 0.1 0.02\"").replace("0 0 0.1", "0 0 0.02");
    let mut s = simulate(&text);
    let mut speed = 1.0;
    for _ in 0..20 {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        let v = s.state.v[0].abs();
        assert!(v <= speed + 1e-14, "{v} after {speed}");
        speed = v;
    }
    assert!(speed < 1e-5);
}

#[test]
fn a_contact_without_slip_stops_at_once_and_says_what_friction_it_needed() {
    // A low box and slow, or the impulse at its foot would tip it over.
    let text = slider(r#"<text name="stiction:law" data="no-slip"/>"#, 1e-3)
        .replace("0.1 0.1 0.1\"", "0.1 0.1 0.02\"")
        .replace("0 0 0.1", "0 0 0.02")
        .replace("qvel=\"1 0", "qvel=\"0.02 0");
    let mut s = simulate(&text);
    let report = s.step().unwrap();
    assert!(report.solved(), "{report:?}");
    assert!(s.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", s.state.v);
    let (mut normal, mut tangential) = (0.0, 0.0);
    for force in s.contact_forces() {
        assert_eq!(force.contact.law, Law::NoSlip);
        normal += force.impulse.x;
        tangential += force.impulse.y;
    }
    // The whole momentum in one step, against the weight of one step.
    assert!((tangential.abs() - 0.02).abs() < 1e-9, "{tangential}");
    assert!((normal - 9.81e-3).abs() < 1e-9, "{normal}");
}

#[test]
fn dry_and_viscous_friction_add_up() {
    // m dv/dt = -mu m g - c v: v = 0 after (m/c) ln(1 + c v0 / (mu m g)).
    let (mu, c, g) = (0.1, 2.0, 9.81_f64);
    let custom = r#"<text name="stiction:law:rubber:glass" data="coulomb 0.1 viscous 0.5"/>"#;
    let mut s = simulate(&slider(custom, 1e-4));
    let exact = (1.0 / c) * (1.0 + c / (mu * g)).ln();
    let mut time = 0.0;
    while s.state.v[0] > 1e-12 && time < 2.0 {
        assert!(s.step().unwrap().solved());
        time += 1e-4;
        if time < 0.5 * exact {
            assert!(s.contact_forces().iter().all(|f| f.mode == Mode::Slip));
        }
    }
    assert!((time - exact).abs() < 3e-4, "{time} against {exact}");
}

#[test]
fn rubber_wet_floor_and_the_rest_are_mixed_in_one_island() {
    // Three blocks on one plate that is pulled away under them: one sticks, one is dragged, one lags behind.
    let text = r#"<mujoco><option timestep="0.001"/>
      <custom>
        <text name="stiction:law:rubber:glass" data="no-slip"/>
        <text name="stiction:law:water:glass" data="viscous 0.05"/>
        <numeric name="stiction:friction:ice:glass" data="0.01"/>
      </custom>
      <asset><material name="rubber"/><material name="glass"/><material name="ice"/><material name="water"/></asset>
      <worldbody>
        <body name="plate" pos="0 0 0"><joint name="pull" type="slide" axis="1 0 0"/>
          <geom name="plate" type="box" size="1 1 0.05" mass="10" material="glass"/></body>
        <body name="rubber" pos="0 -0.6 0.07"><freejoint/><geom name="rubber" type="box" size="0.1 0.1 0.02" mass="1" material="rubber"/></body>
        <body name="wet" pos="0 0 0.07"><freejoint/><geom name="wet" type="box" size="0.1 0.1 0.02" mass="1" material="water"/></body>
        <body name="ice" pos="0 0.6 0.07"><freejoint/><geom name="ice" type="box" size="0.1 0.1 0.02" mass="1" material="ice"/></body>
      </worldbody>
      <actuator><motor joint="pull"/></actuator>
      <keyframe><key name="start" ctrl="20"/></keyframe></mujoco>"#;
    let mut s = simulate(text);
    let mut seen = [false; 3];
    for _ in 0..500 {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        assert_eq!(report.islands, 1);
        for force in s.contact_forces() {
            match force.contact.law {
                Law::NoSlip => seen[0] = true,
                Law::Viscous { .. } => seen[1] = true,
                Law::Coulomb { mu } => {
                    seen[2] = true;
                    assert_eq!(mu, 0.01);
                }
                law => panic!("{law}"),
            }
        }
    }
    assert_eq!(seen, [true; 3]);
    let v = |name: &str| {
        let body = s.model().body(name).unwrap();
        s.data().link_velocity[match s.model().bodies[body].base {
            stiction::model::Base::Link(link) => link,
            _ => panic!(),
        }
        .index()]
        .linear
        .x
    };
    let (plate, rubber, wet, ice) = (v("plate"), v("rubber"), v("wet"), v("ice"));
    assert!((rubber - plate).abs() < 1e-9, "{rubber} {plate}");
    assert!(wet > 0.0 && wet < 0.5 * plate, "{wet} {plate}");
    assert!((ice - 0.01 * 9.81 * 0.5).abs() < 1e-3, "{ice}");
    // Momentum: what the motor gives, all bodies share.
    let total = 10.0 * plate + rubber + wet + ice;
    assert!((total - 20.0 * 0.5).abs() < 1e-6, "{total}");
}

/// An arm on a turning post that leans, so that its tip, which rests on the floor, has to rise and sink as it sweeps along.
fn sweeping_arm(custom: &str, dt: f64) -> String {
    format!(
        r#"<mujoco><option timestep="{dt}"/><custom>{custom}</custom><worldbody>
        <geom name="floor" type="plane" size="9 9 1"/>
        <body name="post" pos="0 0 0.3"><joint name="turn" type="hinge" axis="0.1 0 1"/>
          <geom type="sphere" size="0.05" mass="1" contype="0" conaffinity="0"/>
          <body name="arm"><joint name="lift" type="hinge" axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 0.4 0 -0.28" size="0.01" mass="0.5" contype="0" conaffinity="0"/>
            <geom name="tip" type="sphere" pos="0.4 0 -0.28" size="0.02" mass="0.1"/></body></body></worldbody>
        <keyframe><key name="start" qvel="4 0"/></keyframe></mujoco>"#
    )
}

/// Pressing contacts of all steps.
fn sweep(s: &mut Simulation, seconds: f64, mut judge: impl FnMut(&Simulation)) -> usize {
    let mut count = 0;
    for _ in 0..(seconds / s.timestep()).round() as usize {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        count += s.contact_forces().iter().filter(|f| f.impulse.x > 1e-12).count();
        judge(s);
    }
    count
}

#[test]
fn a_tip_that_sweeps_over_the_floor_is_rubbed_in_every_step_in_which_it_presses() {
    let cases = [(1e-4, 0.5), (2e-3, 0.5), (1e-2, 0.5), (2e-3, 5.0)];
    for (stepper, (dt, c)) in BOTH.into_iter().flat_map(|stepper| cases.map(|case| (stepper, case))) {
        let text = format!(r#"<text name="stiction:law" data="viscous {c}"/>"#);
        let mut s = simulate_by(stepper, "cone", &sweeping_arm(&text, dt));
        let count = sweep(&mut s, 1.0, |s| {
            for f in s.contact_acts().iter().filter(|f| f.impulse.x > 1e-12) {
                let force = f.impulse.yz() / f.duration;
                let error = (force + c * f.velocity.yz()).norm();
                // What may be left of a displacement is a tenth of the overlap that is tolerated.
                let left = c * 1e-9 / dt;
                assert!(
                    error <= 1e-9 * (1.0 + c * f.velocity.yz().norm()) + left,
                    "{dt}, {c}: {error}, {f:?}"
                );
            }
        });
        assert!(2 * count >= (1.0 / dt) as usize, "{dt}, {c}: {count} presses in a second");
    }
}

#[test]
fn dry_friction_of_zero_beside_viscous_friction_changes_nothing() {
    let [mut dry, mut wet] = ["coulomb 0 viscous 0.5", "viscous 0.5"]
        .map(|law| simulate(&sweeping_arm(&format!(r#"<text name="stiction:law" data="{law}"/>"#), 2e-3)));
    let start = dry.state.v[0];
    sweep(&mut dry, 1.0, |_| {});
    sweep(&mut wet, 1.0, |_| {});
    assert_eq!(dry.state.q, wet.state.q);
    assert!(dry.state.v[0] < 0.5 * start, "{} after {start}", dry.state.v[0]);
}

#[test]
fn a_contact_model_of_viscous_friction_brakes_a_sweeping_tip_by_every_rule() {
    let custom = |model: &str| {
        format!(
            r#"<text name="stiction:contact_model" data="{model}"/><numeric name="stiction:viscosity" data="0.5"/>"#
        )
    };
    let speed = |model: &str, dt: f64| {
        let mut s = simulate(&sweeping_arm(&custom(model), dt));
        sweep(&mut s, 0.5, |_| {});
        s.state.v[0]
    };
    // Both rules tend to the same motion.
    let exact = speed("viscous", 2e-5);
    assert!(exact > 0.1 && exact < 3.0, "{exact}");
    for model in ["viscous", "viscous-explicit"] {
        let errors = [2e-3, 1e-3, 5e-4].map(|dt| (speed(model, dt) - exact).abs());
        assert!(errors[2] < 5e-3 && errors[2] < 0.7 * errors[0], "{model}: {errors:?}");
    }
}

#[test]
fn a_law_that_the_contact_model_cannot_express_is_refused_with_those_that_can() {
    let text = slider(r#"<text name="stiction:law:rubber:glass" data="no-slip"/>"#, 1e-3);
    let scene = mjcf::parse(&text, "test.xml").unwrap();
    let formulation = Formulation::named("stewart-trinkle").unwrap();
    let error =
        Simulation::new(scene.model.into(), Settings { formulation, ..Default::default() }).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, SimError::Formulation(_)), "{message}");
    assert!(message.contains("no-slip") && message.contains("cone"), "{message}");
}

#[test]
fn compliance_lets_a_box_sink_until_the_force_holds_it() {
    // u_n + compliance lambda_n = 0 at rest on four corners: each carries m g h / 4, or half of it at either end of a step, and the box
    // goes down by that velocity for good, as a dashpot does.
    let custom = r#"<numeric name="stiction:compliance" data="1e-3"/>"#;
    for (stepper, ends) in [(Stepper::TimeStepping, 1.0), (Stepper::Rattle, 2.0)] {
        let text = slider(custom, 1e-3).replace("qvel=\"1 0", "qvel=\"0 0");
        let mut s = simulate_by(stepper, "cone", &text);
        run(&mut s, 0.1);
        let exact = -1e-3 * 9.81e-3 / 4.0 / ends;
        assert!((s.state.v[2] - exact).abs() < 1e-9, "{stepper:?}: {} against {exact}", s.state.v[2]);
    }
}

#[test]
fn every_contact_model_takes_every_solver_it_names() {
    for name in Formulation::NAMES {
        let mut formulation = Formulation::named(name).unwrap();
        for solver in formulation.solvers() {
            formulation.set_solver(solver).unwrap();
            assert_eq!(formulation.solver_name(), solver);
            assert_eq!(formulation.name(), name);
        }
        let message = formulation.set_solver("nonsense").unwrap_err().to_string();
        assert!(message.contains(formulation.solvers()[0]), "{message}");
    }
}
