//! How far contacts that stick shift nevertheless, against what poses show.

use crate::common::formulations::under_stepper;
use nalgebra::Vector3;
use stiction::contact::Mode;
use stiction::dynamics::{self, Data};
use stiction::model::{GeomId, State};
use stiction::settings::Stepper;
use stiction::sim::Simulation;
use stiction::spatial::Transform;

/// Pose of the body of a geom at a state.
fn pose(s: &Simulation, state: &State, geom: GeomId) -> Transform {
    let model = s.model();
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &state.q, &state.v);
    dynamics::body_motion(model, &data, &state.mocap, model.geoms[geom].body).0
}

/// Runs a scene in which contacts stick from the beginning; of each contact of the last step what it tells of its shift, and how far its point
/// on the second body is along the first from where it was. Every step's certificate has the largest slip and shift.
fn shifts(s: &mut Simulation, duration: f64) -> Vec<[f64; 2]> {
    let (began, mut before) = (s.state.clone(), s.state.clone());
    let largest = |s: &Simulation, of: fn(&stiction::report::ContactForce) -> f64| {
        s.contact_forces().iter().map(of).fold(0.0, f64::max)
    };
    for _ in 0..(duration / s.timestep()).round() as usize {
        before.clone_from(&s.state);
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        assert!(s.contact_forces().iter().all(|c| c.mode == Mode::Stick), "{report:?}");
        assert_eq!(report.certificate.sticking_slip, largest(s, |c| c.slip));
        assert_eq!(report.certificate.sticking_shift, largest(s, |c| c.shift));
    }
    let posed = if s.settings().stepper == Stepper::Rattle { s.state.clone() } else { before };
    let measure = |contact: &stiction::report::ContactForce| {
        let [first, second] = contact.contact.geoms;
        let relative = |state: &State| pose(s, state, first).inverse() * pose(s, state, second);
        let own = pose(s, &posed, second).inverse_point(&contact.contact.point);
        let moved = relative(&s.state).point(&own) - relative(&began).point(&own);
        let normal: Vector3<f64> =
            pose(s, &posed, first).inverse_vector(&contact.contact.frame.column(0).into_owned());
        [contact.shift, (moved - normal * normal.dot(&moved)).norm()]
    };
    s.contact_forces().iter().map(measure).collect()
}

/// A box on a table that turns by 2 rad a second, 0.3 m from its axis.
const TURNTABLE: &str = r#"<mujoco><option timestep="0.01"/><worldbody>
    <body name="table"><joint name="spin" type="hinge" axis="0 0 1"/><geom name="table" type="cylinder" size="0.6 0.02" mass="10" friction="0.9"/></body>
    <body name="box" pos="0.3 0 0.07"><freejoint/><geom name="box" type="box" size="0.05 0.05 0.05" mass="1" friction="0.9"/></body></worldbody>
    <keyframe><key name="start" qpos="0 .3 0 .07 1 0 0 0" qvel="2 0 .6 0 0 0 2"/></keyframe></mujoco>"#;

/// A box in a gripper on an arm that turns once a second.
const GRIPPER: &str = r#"<mujoco><option timestep="0.002"/><worldbody>
    <body name="arm"><joint name="turn" type="hinge" axis="0 0 1"/>
    <geom type="capsule" size=".02" fromto="0 0 0 .25 0 0" mass="2" contype="0" conaffinity="0"/>
    <body pos=".3 .06 0"><joint name="left" type="slide" axis="0 -1 0"/><geom name="left" type="box" size=".03 .01 .03" mass=".2"/></body>
    <body pos=".3 -.06 0"><joint name="right" type="slide" axis="0 1 0"/><geom name="right" type="box" size=".03 .01 .03" mass=".2"/></body></body>
    <body name="box" pos=".3 0 0"><freejoint/><geom name="box" type="box" size=".02 .05 .02" mass=".1"/></body></worldbody>
    <equality><joint joint1="left" joint2="right"/></equality>
    <actuator><motor joint="left"/><motor joint="right"/></actuator>
    <keyframe><key name="start" ctrl="20 20" qpos="0 0 0 .3 0 0 1 0 0 0" qvel="6.283185307179586 0 0 0 1.8849555921538759 0 0 0 6.283185307179586"/></keyframe>
    </mujoco>"#;

#[test]
fn the_creep_of_time_stepping_on_what_turns_is_told_as_poses_show_it_and_impulses_at_both_ends_have_none() {
    for (text, duration, contacts, least) in [(TURNTABLE, 3.0, 4, 5e-3), (GRIPPER, 0.5, 8, 2e-4)] {
        let creeping = shifts(&mut under_stepper(Stepper::TimeStepping, text), duration);
        assert_eq!(creeping.len(), contacts);
        for [told, measured] in creeping {
            assert!(told > least && (told - measured).abs() <= 1e-2 * measured, "{told} and {measured}");
        }
        let held = shifts(&mut under_stepper(Stepper::Rattle, text), duration);
        assert_eq!(held.len(), contacts);
        for [told, measured] in held {
            assert!(told <= 1e-10 && measured <= 1e-10, "{told} and {measured}");
        }
    }
}

#[test]
fn a_shift_goes_on_from_a_snapshot_and_begins_anew_where_a_block_has_slid() {
    let mut s = under_stepper(Stepper::TimeStepping, TURNTABLE);
    for _ in 0..50 {
        s.step().unwrap();
    }
    let snapshot = s.snapshot();
    let after = |s: &mut Simulation| {
        s.step().unwrap();
        s.contact_forces().iter().map(|c| c.shift).collect::<Vec<_>>()
    };
    let went_on = after(&mut s);
    s.restore(&snapshot).unwrap();
    assert_eq!(after(&mut s), went_on);
    assert!(went_on.iter().all(|shift| *shift > 0.0));
    s.forget_warm_start();
    assert!(after(&mut s).iter().zip(went_on).all(|(anew, before)| *anew < 0.1 * before));

    let text = r#"<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="0 0 1" friction="0.5"/>
        <body pos="0 0 .02"><freejoint/><geom type="box" size=".1 .1 .02" friction="0.5"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 .02 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#;
    for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
        let mut s = under_stepper(stepper, text);
        let mut stuck = 0;
        for _ in 0..100 {
            let certificate = s.step().unwrap().certificate;
            let slides = s.contact_forces().iter().any(|c| c.mode == Mode::Slip);
            assert!(!slides || certificate.sticking_slip == 0.0, "{certificate:?}");
            stuck += usize::from(!slides);
        }
        assert!(stuck > 20 && stuck < 80, "{}: {stuck}, {:?}", stepper.name(), s.contact_forces());
        // 20 cm behind it, and none of that while it stuck.
        assert!(
            s.contact_forces().iter().all(|c| c.shift < 1e-9),
            "{}: {:?}",
            stepper.name(),
            s.contact_forces()
        );
    }
}

#[test]
fn a_ball_that_rolls_sticks_to_the_ground_and_does_not_slip() {
    let text = r#"<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1" euler="0 5 0"/>
        <body pos="0.00871557427476582 0 0.0996194698091746"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>"#;
    let mut s = under_stepper(Stepper::Rattle, text);
    for _ in 0..200 {
        s.step().unwrap();
    }
    let [contact] = *s.contact_forces() else { panic!() };
    assert!(contact.mode == Mode::Stick && s.state.q[0] > 0.5, "{contact:?}");
    // A tenth of the overlap that is tolerated may be left of a displacement.
    assert!(contact.shift <= 1e-10, "{contact:?}");
}
