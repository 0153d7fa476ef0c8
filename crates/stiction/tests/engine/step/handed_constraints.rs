//! Limits, equalities, loops, dry friction of joints, tendons and cables under the steppers of forces, which have rows for contacts alone:
//! sets in which one acts are handed back, counted, and obey it.

use crate::common::formulations::under_stepper;
use crate::common::{position, shipped};
use stiction::report::HandBacks;
use stiction::sim::{Simulation, Stepper};

const G: f64 = 9.81;
const STEPPERS: [Stepper; 2] = [Stepper::Acceleration, Stepper::EventDriven];
const TIMESTEPS: [f64; 4] = [5e-4, 2e-3, 5e-3, 1e-2];

/// Steps for a time; every step is to be solved and to keep to its constraints.
fn run(s: &mut Simulation, duration: f64, what: &str) -> HandBacks {
    let mut sum = HandBacks::default();
    for _ in 0..(duration / s.timestep()).round() as usize {
        let report = s.step().unwrap();
        let certificate = &report.certificate;
        let worst = certificate.penetration.max(certificate.penetration_angular);
        let worst = worst.max(certificate.bilateral).max(certificate.bilateral_angular);
        assert!(report.solved() && worst <= 1e-6, "{what}: {report:?}");
        sum += report.hand_backs;
    }
    sum
}

/// What all of these scenes begin with.
fn scene(h: f64, body: &str) -> String {
    format!(r#"<mujoco><option timestep="{h}"/>{body}</mujoco>"#)
}

fn each(mut test: impl FnMut(Stepper, f64, &str)) {
    for (stepper, h) in STEPPERS.into_iter().flat_map(|stepper| TIMESTEPS.map(|h| (stepper, h))) {
        test(stepper, h, &format!("{}, step {h}", stepper.name()));
    }
}

#[test]
fn what_falls_to_the_end_of_its_rail_rests_there_and_far_from_it_nothing_is_handed_back() {
    each(|stepper, h, what| {
        let text = scene(
            h,
            r#"<worldbody><body name="a"><joint type="slide" axis="0 0 1" limited="true" range="-0.5 1"/>
            <geom size=".1" mass="2"/></body></worldbody>"#,
        );
        let mut s = under_stepper(stepper, &text);
        let far = run(&mut s, 0.2, what);
        assert_eq!(far.total(), 0, "{what}: {far:?}");
        assert!((s.state.q[0] + 0.5 * G * 0.2 * 0.2).abs() < 1e-12, "{what}: {}", s.state.q[0]);
        let near = run(&mut s, 0.4, what);
        assert!(near.constraint > 0, "{what}: {near:?}");
        assert!((s.state.q[0] + 0.5).abs() <= 1e-9 && s.state.v[0].abs() <= 1e-9, "{what}: {:?}", s.state.q);
        let load = s.limit_forces().next().unwrap().force;
        assert!((load - 2.0 * G).abs() < 1e-6, "{what}: {load} N");
    });
}

#[test]
fn a_blow_that_drives_a_block_beyond_its_rail_within_the_step_does_not_drive_it_beyond() {
    // One millimetre to go, and a blow after which it would travel 1 m/s times the rest of the step.
    each(|stepper, h, what| {
        let text = scene(
            h,
            r#"<option gravity="0 0 0"/><worldbody>
            <body name="block"><joint type="slide" axis="1 0 0" limited="true" range="-1 .001"/><geom type="box" size=".1 .1 .1" mass="1"/></body>
            <body name="ball" pos="-.2017 0 0"><joint type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody>
            <keyframe><key name="start" qpos="0 0" qvel="0 1"/></keyframe>"#,
        );
        let mut s = under_stepper(stepper, &text);
        let handed = run(&mut s, 0.1, what);
        assert!(handed.total() > 0, "{what}: {handed:?}");
        let [block, ball] = [s.state.q[0], s.state.q[1]];
        assert!(block <= 0.001 + 1e-9 && block - ball + 0.0017 >= -1e-9, "{what}: {block} {ball}");
    });
}

#[test]
fn dry_friction_of_a_joint_stops_a_slide_where_its_energy_is_used_up() {
    // x = m v^2 / (2 f).
    each(|stepper, h, what| {
        let text = scene(
            h,
            r#"<option gravity="0 0 0"/><worldbody><body name="a"><joint type="slide" axis="1 0 0" frictionloss="2"/><geom size=".1" mass="1"/></body>
            </worldbody><keyframe><key name="start" qpos="0" qvel="1"/></keyframe>"#,
        );
        let mut s = under_stepper(stepper, &text);
        let handed = run(&mut s, 1.0, what);
        assert!(handed.constraint > 0, "{what}: {handed:?}");
        // It stops at the end of a step at the latest.
        assert!((s.state.q[0] - 0.25).abs() <= 2.0 * h * h, "{what}: {}", s.state.q[0]);
        assert!(s.state.v[0].abs() <= 1e-12, "{what}: {}", s.state.v[0]);
    });
}

#[test]
fn welded_balls_fall_on_a_floor_as_one_body_and_stay_together() {
    each(|stepper, h, what| {
        let text = scene(
            h,
            r#"<worldbody><geom type="plane" size="5 5 1"/>
            <body name="a" pos="0 0 .3"><freejoint/><geom size=".1" mass="1"/></body>
            <body name="b" pos=".5 0 .3"><freejoint/><geom size=".1" mass="3"/></body></worldbody>
            <equality><weld body1="a" body2="b"/></equality>"#,
        );
        let mut s = under_stepper(stepper, &text);
        let handed = run(&mut s, 0.6, what);
        assert!(handed.constraint > 0, "{what}: {handed:?}");
        for (ball, x) in [("a", 0.0), ("b", 0.5)] {
            let place = position(&s, ball);
            assert!(
                (place.z - 0.1).abs() <= 1e-8 && (place.x - x).abs() <= 1e-8,
                "{what}: {ball} at {place}"
            );
        }
    });
}

#[test]
fn a_box_hangs_from_four_cables_where_their_lengths_put_it() {
    // N14 (google-deepmind/mujoco #971): z = 4.5 - sqrt(2.8^2 - 2 . 0.2^2).
    for stepper in STEPPERS {
        let cables: String = (0..4)
            .map(|i| {
                let [x, y] = [i & 1, i >> 1].map(|bit| if bit == 1 { 1.0 } else { -1.0 });
                format!(
                    r#"<spatial limited="true" range="0 2.8"><site site="above{i}"/><site site="corner{i}"/></spatial>|<site name="above{i}" pos="{} {} 5"/>|<site name="corner{i}" pos="{} {} .5"/>;"#,
                    0.7 * x, 0.7 * y, 0.5 * x, 0.5 * y
                )
            })
            .collect();
        let part =
            |k: usize| -> String { cables.split(';').filter_map(|cable| cable.split('|').nth(k)).collect() };
        let text = scene(
            2e-3,
            &format!(
                r#"<worldbody>{}<body name="box" pos="0 0 2"><freejoint/><geom type="box" size=".5 .5 .5" mass="1"/>{}</body></worldbody>
                <tendon>{}</tendon>"#,
                part(1),
                part(2),
                part(0)
            ),
        );
        let mut s = under_stepper(stepper, &text);
        let handed = run(&mut s, 1.0, stepper.name());
        let z = position(&s, "box").z;
        assert!((z - (4.5 - (2.8f64 * 2.8 - 0.08).sqrt())).abs() <= 1e-7, "{stepper:?}: {z}");
        assert!(handed.constraint > 0, "{stepper:?}: {handed:?}");
    }
}

#[test]
fn every_shipped_scene_keeps_to_its_constraints_under_the_steppers_of_forces() {
    for name in ["belt", "bounce", "drop_stack", "humanoid", "pendulum", "pendulum12", "spin", "swing_up"] {
        for stepper in STEPPERS {
            if stepper == Stepper::Acceleration && name == "bounce" {
                continue; // It has no restitution.
            }
            let mut s = under_stepper(stepper, &shipped(name));
            run(&mut s, 0.1, &format!("{name}, {}", stepper.name()));
        }
    }
}
