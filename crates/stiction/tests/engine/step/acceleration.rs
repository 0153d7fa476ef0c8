//! The acceleration stepper: fourth order while contacts persist, exact forces, and honest where there are none.

use crate::common::{contact_force, simulate};
use stiction::scene::mjcf;
use stiction::sim::{SettingsError, SimError, Simulation, Snapshot};
use stiction_solvers::Status;

const STEPPER: &str = r#"<text name="stiction:stepper" data="acceleration"/>"#;

/// A box of 1 kg that slides at 1 m/s along the floor, with this custom text.
fn slider(custom: &str, dt: f64) -> String {
    format!(
        r#"<mujoco><option timestep="{dt}"/><custom>{STEPPER}{custom}</custom>
        <worldbody><geom name="floor" type="plane" size="50 50 1"/>
        <body name="box" pos="0 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="1"/></body>
        </worldbody>
        <keyframe><key name="start" qpos="0 0 0.1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#
    )
}

const VISCOUS: &str = r#"<text name="stiction:law" data="viscous 0.5"/>"#;

fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

#[test]
fn a_viscous_block_travels_half_a_metre_with_order_four() {
    // m dv/dt = -c v with c = 2 N s/m: x = (1 - exp(-2 t)) / 2.
    let error = |dt: f64| {
        let mut s = simulate(&slider(VISCOUS, dt));
        for _ in 0..(1.0 / dt).round() as usize {
            let report = s.step().unwrap();
            assert!(report.solved() && report.contacts == 4, "{report:?}");
        }
        (s.state.q[0] - 0.5 * (1.0 - (-2.0_f64).exp())).abs()
    };
    let errors = [0.05, 0.025, 0.0125].map(error);
    let orders = [order(errors[0], errors[1]), order(errors[1], errors[2])];
    assert!(orders.iter().all(|order| *order >= 3.8), "{errors:?} {orders:?}");
    let mut s = simulate(&slider(VISCOUS, 0.01));
    for _ in 0..1500 {
        assert!(s.step().unwrap().solved());
    }
    assert!((s.state.q[0] - 0.5).abs() < 1e-8, "{}", s.state.q[0]);
    assert!((contact_force(&s, "box").z - 9.81).abs() < 1e-9);
}

#[test]
fn a_ball_that_slides_off_a_dome_without_friction_keeps_its_circle_and_energy_to_order_four() {
    // A ball of radius 0.1 on top of a fixed one of radius 0.9 slides off its top: curved on curved. With friction
    // absent the centre moves on a circle of 1 m, and energy is kept: the angular speed at each angle is known.
    let text = |dt: f64| {
        format!(
            r#"<mujoco><option timestep="{dt}"/><custom>{STEPPER}<text name="stiction:law" data="frictionless"/></custom>
            <worldbody><geom name="dome" type="sphere" size="0.9"/>
            <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="1"/></body>
            </worldbody>
            <keyframe><key name="start" qpos="0 0 1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#
        )
    };
    let error = |dt: f64| {
        let mut s = simulate(&text(dt));
        for _ in 0..(0.2 / dt).round() as usize {
            let report = s.step().unwrap();
            assert!(report.solved() && report.contacts == 1, "{report:?}");
        }
        let (x, z) = (s.state.q[0], s.state.q[2]);
        let energy = 0.5 * (s.state.v[0].powi(2) + s.state.v[2].powi(2)) + 9.81 * z;
        ((energy - (0.5 + 9.81)).abs()).max((x.hypot(z) - 1.0).abs())
    };
    let errors = [0.02, 0.01, 0.005].map(error);
    assert!(errors[0] < 1e-5 && order(errors[0], errors[2]) >= 2.0 * 3.8, "{errors:?}");
}

#[test]
fn a_dropped_box_lands_without_bounce_and_then_carries_its_weight() {
    let text = slider(VISCOUS, 1e-3).replace("qpos=\"0 0 0.1 ", "qpos=\"0 0 0.15 ");
    let mut s = simulate(&text);
    for _ in 0..1000 {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        assert!(report.certificate.energy_change <= 1e-12, "{report:?}");
    }
    assert!((s.state.q[2] - 0.1).abs() < 1e-7 && s.state.v[2].abs() < 1e-7);
    assert!((contact_force(&s, "box").z - 9.81).abs() < 1e-6);
}

/// A low block of 1 kg under tilted gravity: a slope of 30 degrees whose line of fall is at 25 degrees to the x axis.
fn incline(mu: f64) -> String {
    let (slope, heading) = (30.0_f64.to_radians(), 25.0_f64.to_radians());
    let (along, down) = (9.81 * slope.sin(), -9.81 * slope.cos());
    let gravity = format!("{} {} {down}", along * heading.cos(), along * heading.sin());
    slider(&format!(r#"<text name="stiction:law" data="coulomb {mu}"/>"#), 1e-2)
        .replace("<option ", &format!("<option gravity=\"{gravity}\" "))
        .replace("size=\"0.1 0.1 0.1\"", "size=\"0.1 0.1 0.02\"")
        .replace("0 0 0.1", "0 0 0.02")
        .replace("qvel=\"1 ", "qvel=\"0 ")
}

#[test]
fn a_block_on_a_slope_steeper_than_friction_slides_down_its_line_of_fall_with_the_exact_acceleration() {
    let mut s = simulate(&incline(0.5));
    let (slope, heading) = (30.0_f64.to_radians(), 25.0_f64.to_radians());
    for step in 0..100 {
        let report = s.step().unwrap();
        assert!(report.solved() && report.contacts == 4, "{step}: {report:?}");
    }
    let acceleration = 9.81 * (slope.sin() - 0.5 * slope.cos());
    let travelled = s.state.q[0].hypot(s.state.q[1]);
    assert!((travelled - 0.5 * acceleration).abs() < 1e-9, "{travelled} {}", 0.5 * acceleration);
    assert!((s.state.q[1].atan2(s.state.q[0]) - heading).abs() < 1e-9);
    assert!((s.state.v[0].hypot(s.state.v[1]) - acceleration).abs() < 1e-9);
}

#[test]
fn a_block_on_a_slope_that_friction_holds_stays() {
    let mut s = simulate(&incline(0.6));
    let start = s.state.q.clone();
    for _ in 0..500 {
        let report = s.step().unwrap();
        assert!(report.solved() && report.contacts == 4, "{report:?}");
    }
    let moved = s.state.q.iter().zip(&start).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(moved < 1e-10, "{moved}");
}

#[test]
fn a_block_that_slides_to_rest_stays_where_it_stopped() {
    let text = slider(r#"<text name="stiction:law" data="coulomb 0.5"/>"#, 1e-3);
    let mut s = simulate(&text);
    for _ in 0..1000 {
        assert!(s.step().unwrap().solved());
    }
    // Exact but for the one step in which it stops.
    let exact = 1.0 / (2.0 * 0.5 * 9.81);
    assert!((s.state.q[0] - exact).abs() < 5e-6, "{} {exact}", s.state.q[0]);
    assert!(s.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", s.state.v);
}

/// A slender rod of 1 kg and 1 m at 45 degrees that slides to the left on its lower tip.
fn rod(mu: f64) -> Simulation {
    let half = 0.5 * 0.5_f64.sqrt();
    let inertia = 1.0 / 12.0;
    simulate(&format!(
        r#"<mujoco><option timestep="1e-4"/><custom>{STEPPER}<text name="stiction:law" data="coulomb {mu}"/></custom>
        <worldbody><geom name="floor" type="plane" size="50 50 1"/>
        <body name="rod" pos="0 0 {half}"><freejoint/>
          <inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/>
          <geom name="tip" type="sphere" size="0.01" pos="-{half} 0 {}"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 {half} 1 0 0 0" qvel="-1 0 0 0 0 0"/></keyframe></mujoco>"#,
        0.01 - half
    ))
}

#[test]
fn the_painleve_rod_is_pressed_down_harder_by_more_friction_and_beyond_five_thirds_has_no_force() {
    for (mu, weights) in [(1.0, 1.0), (1.5, 4.0)] {
        let mut s = rod(mu);
        let report = s.step().unwrap();
        assert!(report.solved() && report.hand_backs.total() == 0, "{report:?}");
        // At the first instant; the force over the step is its mean, of a rod that has begun to turn.
        let contact = s.contact_forces()[0];
        assert_eq!(s.model().geoms[contact.contact.geoms[1]].name, "tip");
        let force = contact.contact.frame * contact.sustained.unwrap();
        assert!((contact.force - force).norm() < 1e-2, "mu {mu}: {force:?} {:?}", contact.force);
        assert!((force.z - weights * 9.81).abs() < 1e-9, "mu {mu}: {force:?}");
        assert!((force.x - mu * force.z).abs() < 1e-9, "mu {mu}: {force:?}");
    }
    let mut s = rod(2.0);
    let report = s.step().unwrap();
    // The velocity level decides, and solves it: an impact without collision stops the tip.
    assert_eq!((report.hand_backs.inconsistency, report.hand_backs.total()), (1, 1));
    assert_eq!((report.unsolved, report.status), (0, Status::Solved));
    assert!((s.state.v[0] + 0.375).abs() < 0.005 && (s.state.v[2] - 0.375).abs() < 0.005, "{:?}", s.state.v);
}

fn refusal(text: &str) -> String {
    let scene = mjcf::parse(text, "test.xml").unwrap();
    match Simulation::from_scene(scene).unwrap_err() {
        SimError::Settings(error @ SettingsError::Stepper { .. }) => error.to_string(),
        error => panic!("{error}"),
    }
}

#[test]
fn what_the_stepper_does_not_do_is_refused_by_name() {
    let no_slip = r#"<text name="stiction:law" data="no-slip"/>"#;
    assert!(refusal(&slider(no_slip, 1e-3)).contains("the law 'no-slip'"));
    let pyramid = r#"<text name="stiction:contact_model" data="stewart-trinkle"/>"#;
    assert!(refusal(&slider(pyramid, 1e-3)).contains("contact model 'stewart-trinkle'"));
    let baumgarte = r#"<numeric name="stiction:baumgarte" data="0.2"/>"#;
    assert!(refusal(&slider(baumgarte, 1e-3)).contains("Baumgarte's stabilisation (0.2)"));
    let message = mjcf::parse(&slider("", 1e-3).replace("\"acceleration\"", "\"accelration\""), "test.xml")
        .unwrap_err()
        .to_string();
    assert!(message.contains("did you mean \"acceleration\""), "{message}");
}

/// Blocks that slide and rest on a slope, a ball that slides off a dome, and a bar that falls on both, in any order.
fn heap(order: fn(usize, usize) -> usize) -> Simulation {
    let elements = [
        r#"<geom name="floor" type="plane" size="50 50 1" friction="0.3"/>"#,
        r#"<geom name="dome" type="sphere" size="0.9" pos="0 3 0" friction="0.1"/>"#,
        r#"<body name="ball" pos="0.1 3 0.99498743710662"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="1" friction="0.1"/></body>"#,
        r#"<body name="slides" pos="-1 0 0.1"><freejoint/><geom name="slides" type="box" size="0.2 0.1 0.1" mass="1" friction="0.3"/></body>"#,
        r#"<body name="rests" pos="1 0 0.02"><freejoint/><geom name="rests" type="box" size="0.1 0.1 0.02" mass="3" friction="0.9"/></body>"#,
        r#"<body name="rider" pos="1 0 0.06"><freejoint/><geom name="rider" type="box" size="0.1 0.1 0.02" mass="0.7" friction="0.4"/></body>"#,
        r#"<body name="bar" pos="0 0 0.6" euler="20 30 0"><freejoint/><geom name="bar" type="capsule" size="0.05 0.2" mass="2" friction="0.5"/></body>"#,
    ];
    let world: String = (0..elements.len()).map(|i| elements[order(i, elements.len())]).collect();
    simulate(&format!(
        r#"<mujoco><option timestep="0.002" gravity="4 0.5 -9"/><custom>{STEPPER}</custom>
        <worldbody>{world}</worldbody></mujoco>"#
    ))
}

#[test]
#[ignore = "slow: takes some seconds"]
fn a_snapshot_continues_with_the_same_bits_in_the_same_and_in_another_simulation() {
    let start = || heap(|i, _| i);
    let mut s = start();
    for _ in 0..150 {
        let _ = s.step().unwrap();
    }
    let snapshot = Snapshot::from_bytes(&s.snapshot().to_bytes().unwrap()).unwrap();
    let hashes: Vec<u64> = (0..150).map(|_| s.step().map(|_| s.state_hash()).unwrap()).collect();
    for mut other in [start(), s] {
        other.restore(&snapshot).unwrap();
        for hash in &hashes {
            let _ = other.step().unwrap();
            assert_eq!(other.state_hash(), *hash);
        }
    }
}

#[test]
#[ignore = "slow: takes some seconds"]
fn the_order_in_which_bodies_are_written_changes_no_bit() {
    let hash = |order: fn(usize, usize) -> usize| {
        let mut s = heap(order);
        for _ in 0..200 {
            let _ = s.step().unwrap();
        }
        s.state_hash()
    };
    let first = hash(|i, _| i);
    assert_eq!(first, hash(|i, n| n - 1 - i));
    assert_eq!(first, hash(|i, n| (i + n / 2) % n));
}
