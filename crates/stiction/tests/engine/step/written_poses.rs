//! Prescribed bodies whose pose is written before each step: they move there within the step and take along what they hold.

use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;
use stiction::scene::mjcf;
use stiction::settings::{Options, Stepper};
use stiction::sim::{Settings, Simulation};
use stiction::spatial::Transform;

const STEPPERS: [Stepper; 4] =
    [Stepper::TimeStepping, Stepper::Rattle, Stepper::EventDriven, Stepper::Acceleration];

/// A box of 1 kg on a plate that is moved.
const PLATE: &str = r#"<mujoco><worldbody>
    <body name="hand" mocap="true" pos="0 0 -0.05"><geom name="hand" type="box" size="0.5 0.5 0.05" friction="0.8"/></body>
    <body name="load" pos="0.2 0 0.1"><freejoint/><geom name="load" type="box" size="0.1 0.1 0.1" mass="1" friction="0.8"/></body>
    </worldbody></mujoco>"#;

fn simulate(text: &str, stepper: Stepper, timestep: f64) -> Simulation {
    let scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    let options = Options { stepper: Some(stepper), timestep: Some(timestep), ..Options::default() };
    let settings = Settings::for_scene(&options, &scene.options).unwrap();
    Simulation::new(Arc::new(scene.model), settings).unwrap()
}

/// Where the load is.
fn load(s: &Simulation) -> Vector3<f64> {
    Vector3::from_column_slice(&s.state.q[..3])
}

/// The load in the axes of the hand.
fn held(s: &Simulation) -> Vector3<f64> {
    s.state.mocap[0].pose().inverse().point(&load(s))
}

#[test]
fn a_hand_written_upwards_before_each_step_lifts_what_it_holds() {
    for stepper in STEPPERS {
        for h in [1e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2] {
            let mut s = simulate(PLATE, stepper, h);
            let start = held(&s);
            for step in 1..=50 {
                // As MuJoCo's users write it: the position alone.
                s.state.mocap[0].position.z = -0.05 + 0.2 * h * f64::from(step);
                let written = s.state.mocap[0].pose();
                let report = s.step().unwrap();
                assert!(report.solved(), "{stepper:?}, {h}: {report:?}");
                assert_eq!(s.state.mocap[0].pose(), written);
                assert!((s.state.mocap[0].motion().linear.z - 0.2).abs() < 1e-9);
                let moved = (held(&s) - start).norm();
                assert!(moved < 1e-9, "{stepper:?}, {h}, step {step}: moved by {moved} in the hand");
                assert!((s.state.v[2] - 0.2).abs() < 1e-9, "{stepper:?}, {h}, step {step}: {:?}", s.state.v);
            }
            // Nobody writes any more: it stays, and the load flies on.
            s.step().unwrap();
            assert_eq!(s.state.mocap[0].motion().linear.norm(), 0.0);
            assert!((s.state.v[2] - (0.2 - 9.81 * h)).abs() < 1e-9 || s.state.v[2].abs() < 1e-9);
        }
    }
}

#[test]
fn a_hand_written_along_a_curve_keeps_its_load_where_it_is_under_impulses_at_both_ends() {
    // Sideways with 0.9 m/s^2 at most, and turned with 0.8 rad/s^2: less than friction can take.
    let path = |t: f64| {
        let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.4 * t * t);
        let shift = Vector3::new(0.1 * (1.0 - libm::cos(3.0 * t)), 0.05 * t * t, -0.05 + 0.1 * t * t);
        Transform::new(shift, &turn)
    };
    for h in [1e-3, 5e-3, 2e-2] {
        let mut s = simulate(PLATE, Stepper::Rattle, h);
        let start = held(&s);
        for step in 1..=(2.0 / h) as u32 {
            s.state.mocap[0].move_to(&path(h * f64::from(step)));
            let report = s.step().unwrap();
            assert!(report.solved(), "{h}, step {step}: {report:?}");
            let moved = (held(&s) - start).norm();
            assert!(moved < 1e-9, "{h}, step {step}: moved by {moved} in the hand");
        }
    }
}

#[test]
fn a_pad_written_round_a_circle_has_the_mean_speed_of_each_move() {
    let mut s = simulate(PLATE, Stepper::TimeStepping, 0.01);
    let turn = |angle: f64| UnitQuaternion::from_euler_angles(0.0, 0.0, angle);
    for step in 1..400 {
        // Through more than a turn, with quaternions of either sign.
        let mut pose = *turn(0.02 * f64::from(step)).quaternion();
        pose *= if step % 3 == 0 { -1.0 } else { 1.0 };
        s.state.mocap[0].orientation = [pose.w, pose.i, pose.j, pose.k];
        s.step().unwrap();
        let motion = s.state.mocap[0].motion();
        assert!((motion.angular - Vector3::new(0.0, 0.0, 2.0)).norm() < 1e-9, "step {step}: {motion:?}");
        assert!(motion.linear.norm() < 1e-12);
    }
}

#[test]
fn a_hand_that_is_teleported_leaves_its_load_and_one_that_nobody_writes_keeps_its_velocity() {
    for stepper in STEPPERS {
        let mut s = simulate(PLATE, stepper, 0.01);
        let start = load(&s);
        let low = Transform::new(Vector3::new(0.0, 0.0, -0.55), &UnitQuaternion::identity());
        s.state.mocap[0].teleport(&low);
        s.step().unwrap();
        assert_eq!(s.state.mocap[0].motion().linear.norm(), 0.0);
        assert!((s.state.v[2] + 0.0981).abs() < 1e-12, "{stepper:?}: {:?}", s.state.v);
        assert!((load(&s) - start).norm() < 1e-3);
        s.state.mocap[0].velocity.linear.x = 0.3;
        s.step().unwrap();
        assert!((s.state.mocap[0].position.x - 0.003).abs() < 1e-15);
        // A written pose counts once, and the velocity after it again.
        s.state.mocap[0].position.y = 0.01;
        s.step().unwrap();
        assert_eq!(s.state.mocap[0].position, Vector3::new(0.003, 0.01, -0.55));
        s.step().unwrap();
        assert!((s.state.mocap[0].position.x - 0.006).abs() < 1e-15);
    }
}

#[test]
fn a_snapshot_taken_between_a_written_pose_and_the_step_continues_with_the_same_bits() {
    let mut s = simulate(PLATE, Stepper::TimeStepping, 0.01);
    for step in 1..10 {
        s.state.mocap[0].position.z = -0.05 + 0.001 * f64::from(step);
        let snapshot = s.snapshot();
        s.step().unwrap();
        let mut other = simulate(PLATE, Stepper::TimeStepping, 0.01);
        other.restore(&snapshot).unwrap();
        other.step().unwrap();
        assert_eq!(other.state, s.state);
    }
}
