//! Drives, gears, screws, limits and cables.

use super::{G, WITH_EVENTS, at_all, holds, integrated};
use crate::common::formulations::under_stepper;
use crate::common::{STEPPERS, normal_force, position, run, speed};
use nalgebra::Vector3;
use std::f64::consts::PI;
use stiction::dynamics::{self, Data};
use stiction::report::RowSource;
use stiction::sim::{Simulation, Stepper};

// N02 (google-deepmind/mujoco #2748): two drives with limits of their own on one joint.

#[test]
fn each_of_two_drives_on_a_joint_is_limited_by_itself() {
    // x'' = clip(1000 (1 - x), -10, 10) + clip(-20 x', -5, 5) for 1 kg, with either limit or none.
    let limits = [[f64::INFINITY; 2], [10.0, f64::INFINITY], [f64::INFINITY, 5.0], [10.0, 5.0]];
    for [spring, damper] in limits {
        let range = |limit: f64| match limit {
            f64::INFINITY => String::new(),
            _ => format!(r#"forcerange="-{limit} {limit}""#),
        };
        let acceleration =
            |x: f64, v: f64| (1e3 * (1.0 - x)).clamp(-spring, spring) + (-20.0 * v).clamp(-damper, damper);
        let times = [0.1, 0.3, 0.6, 1.0, 2.0];
        let right = times.map(|time| integrated(0.0, time, acceleration)[0]);
        at_all(&STEPPERS, |stepper, h| {
            let mut s = under_stepper(
                stepper,
                &format!(
                    r#"<mujoco><option timestep="{h}" gravity="0 0 0"/><worldbody>
                    <body><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
                    <actuator><position joint="x" kp="1000" {}/><velocity joint="x" kv="20" {}/></actuator>
                    <keyframe><key name="start" ctrl="1 0"/></keyframe></mujoco>"#,
                    range(spring),
                    range(damper)
                ),
            );
            // Nothing touches: the rule is of order four, with (rate h)^5 / 120 a step. Where a force of 1000 N/m reaches its limit
            // within a step, at 4 m/s at most, it is off by 1000 4 h^2 / 8 N s, and the place by a hundredth of a second of that.
            let smooth = libm::pow(1e3, 2.5) / 120.0 * h.powi(4);
            let bound = if spring.min(damper).is_finite() { smooth + 1e2 * h * h } else { smooth };
            for (time, right) in times.iter().zip(right) {
                let left = time - s.state.time;
                run(&mut s, left, |_, _| {});
                let x = s.state.q[0];
                let what = format_args!(
                    "{stepper:?}, step {h}, limits {spring} and {damper}, {time} s: {x} and {right}"
                );
                holds(what, (x - right).abs(), bound + 1e-9);
            }
        });
    }
}

// N05 (google-deepmind/mujoco #2082): an arm held up by its drives, dragged by hand.

/// Torques (N m) that hold the trees of a scene up as they are.
fn holding_torques(s: &Simulation) -> Vec<f64> {
    let model = s.model();
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &s.state.q, &s.state.v);
    let mut torques = vec![0.0; model.nv()];
    dynamics::bias_forces_all(model, &mut data, &mut torques);
    torques
}

/// Takes steps for a time in which the drives give a part of what holds the arm up, and `drag` (N m) on the elbow besides. Returns
/// how far a joint got from where it was.
fn hold_up(s: &mut Simulation, part: f64, drag: f64, duration: f64) -> f64 {
    let before = s.state.q.clone();
    let mut farthest = 0.0_f64;
    for _ in 0..(duration / s.timestep()).round() as usize {
        let torques = holding_torques(s);
        for (ctrl, torque) in s.state.ctrl.iter_mut().zip(torques) {
            *ctrl = part * torque;
        }
        s.state.ctrl[1] += drag;
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        farthest =
            s.state.q.iter().zip(&before).fold(farthest, |most, (now, then)| most.max((now - then).abs()));
    }
    farthest
}

/// An arm of two capsules with dry friction in its joints.
fn arm(h: f64) -> String {
    let link = |length: f64, mass: f64| {
        format!(
            r#"<geom type="capsule" size=".03" fromto="0 0 0 {length} 0 0" mass="{mass}" contype="0" conaffinity="0"/>"#
        )
    };
    format!(
        r#"<mujoco><option timestep="{h}"/><worldbody><body><joint name="shoulder" axis="0 1 0" frictionloss="1"/>{}
        <body pos=".4 0 0"><joint name="elbow" axis="0 1 0" frictionloss=".4"/>{}</body></body></worldbody>
        <actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator>
        <keyframe><key name="start" qpos=".3 -.7"/></keyframe></mujoco>"#,
        link(0.4, 2.0),
        link(0.35, 1.2),
    )
}

#[test]
fn dry_friction_holds_what_drives_leave_of_the_weight_of_an_arm_until_it_is_dragged() {
    // 3 % of the weight are 0.304 and 0.057 N m, less than the friction of 1 and 0.4; with 0.9 more the elbow goes.
    at_all(&STEPPERS, |stepper, h| {
        let what = format!("{stepper:?}, step {h}");
        let mut s = under_stepper(stepper, &arm(h));
        for (torque, right) in holding_torques(&s).iter().zip([-0.304, -0.057]) {
            holds(format_args!("{what}, weight"), (0.03 * torque - right).abs(), 5e-4);
        }
        holds(format_args!("{what}, held"), hold_up(&mut s, 0.97, 0.0, 10.0), 1e-9);
        let dragged = hold_up(&mut s, 0.97, 0.9, 0.2);
        assert!(dragged > 0.1, "{what}: {dragged}");
        hold_up(&mut s, 0.97, 0.0, 2.0);
        holds(format_args!("{what}, speed after it was let go"), speed(&s), 1e-9);
        holds(format_args!("{what}, let go"), hold_up(&mut s, 0.97, 0.0, 5.0), 1e-9);
        // 11 % of the weight are 1.115 N m at the shoulder.
        let falls = hold_up(&mut under_stepper(stepper, &arm(h)), 0.89, 0.0, 1.0);
        assert!(falls > 0.05, "{what}: {falls}");
    });
}

// N10 (Farama-Foundation/Gymnasium-Robotics #312): a start outside the range of a joint.

#[test]
fn a_knee_that_starts_outside_its_range_is_put_on_its_limit_without_speed() {
    at_all(&STEPPERS, |stepper, h| {
        for (start, limit) in [(0.0, -2.0_f64), (-3.5, -160.0)] {
            let mut s = under_stepper(
                stepper,
                &format!(
                    r#"<mujoco><option timestep="{h}" gravity="0 0 0"/><worldbody>
                    <body><geom type="capsule" size=".05" fromto="0 0 .4 0 0 0" mass="3"/>
                    <body><joint name="knee" axis="0 1 0" range="-160 -2"/>
                    <geom type="capsule" size=".04" fromto="0 0 0 0 0 -.5" mass="2"/></body></body></worldbody>
                    <keyframe><key name="start" qpos="{start}"/></keyframe></mujoco>"#
                ),
            );
            run(&mut s, 100.0 * h, |s, _| {
                let (q, v) = (s.state.q[0], s.state.v[0]);
                let what = format!("{stepper:?}, step {h}, from {start}: {q}, {v}");
                holds(format_args!("{what}"), (q - limit.to_radians()).abs(), 1e-12);
                holds(format_args!("{what}"), v.abs(), 1e-12);
            });
        }
    });
}

// N13 (bulletphysics/bullet3 #2249): a rotor behind a gear. (RobotLocomotion/drake #15105, gazebosim/gz-physics #980): a screw.

const GEAR: f64 = 50.0;
const ROTOR: f64 = 2e-5;

/// A pendulum of 1.5 kg and 0.5 m, 1 rad from hanging, with a rotor that turns fifty times as fast.
fn geared_pendulum(h: f64, build: &str) -> String {
    let (armature, equality) = match build {
        "armature" => (GEAR * GEAR * ROTOR, String::new()),
        "rotor leads" => {
            (0.0, format!(r#"<joint joint1="rotor" joint2="pendulum" polycoef="0 {GEAR} 0 0 0"/>"#))
        }
        _ => (0.0, format!(r#"<joint joint1="pendulum" joint2="rotor" polycoef="0 {} 0 0 0"/>"#, 1.0 / GEAR)),
    };
    let (rotor, start) = if equality.is_empty() {
        (String::new(), "1".to_owned())
    } else {
        (
            format!(
                r#"<body><joint name="rotor" axis="0 1 0"/><inertial pos="0 0 0" mass=".1" diaginertia="{ROTOR} {ROTOR} {ROTOR}"/></body>"#
            ),
            format!("1 {GEAR}"),
        )
    };
    format!(
        r#"<mujoco><option timestep="{h}"/><worldbody><body><joint name="pendulum" axis="0 1 0" armature="{armature}"/>
        <inertial pos="0 0 -.5" mass="1.5" diaginertia="0 0 0"/></body>{rotor}</worldbody><equality>{equality}</equality>
        <keyframe><key name="start" qpos="{start}"/></keyframe></mujoco>"#
    )
}

#[test]
fn a_rotor_behind_a_gear_counts_with_the_square_of_its_ratio_however_it_is_built() {
    let inertia = 1.5 * 0.25 + GEAR * GEAR * ROTOR;
    let right = integrated(1.0, 5.0, |angle, _| -1.5 * G * 0.5 * libm::sin(angle) / inertia)[0];
    at_all(&STEPPERS, |stepper, h| {
        let angles = ["armature", "rotor leads", "pendulum leads"].map(|build| {
            let mut s = under_stepper(stepper, &geared_pendulum(h, build));
            run(&mut s, 5.0, |_, _| {});
            s.state.q[0]
        });
        // Nothing touches: order four, (w h)^5 / 120 a step.
        let rate = (1.5 * G * 0.5 / inertia).sqrt();
        let bound = 5.0 * rate.powi(5) / 120.0 * h.powi(4) + 1e-11;
        let what = format!("{stepper:?}, step {h}: {angles:?} and {right}");
        holds(format_args!("{what}"), (angles[0] - right).abs(), bound);
        for angle in &angles[1..] {
            holds(format_args!("{what}, alike"), (angle - angles[0]).abs(), 1e-12);
        }
    });
}

/// A nut of 50 g and 2e-6 kg m^2 on a screw with a lead of 2 mm, and dry friction as a part of what holds it.
fn screw(h: f64, friction: f64) -> String {
    let pitch = 1e-3 / PI;
    format!(
        r#"<mujoco><option timestep="{h}"/><worldbody><body><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="turn" axis="0 0 1" frictionloss="{}"/><inertial pos="0 0 0" mass=".05" diaginertia="2e-6 2e-6 2e-6"/></body>
        </worldbody><equality><joint joint1="z" joint2="turn" polycoef="0 {pitch} 0 0 0"/></equality></mujoco>"#,
        friction * 0.05 * G * pitch
    )
}

#[test]
fn a_nut_on_a_screw_falls_with_the_inertia_of_its_turn_and_what_its_friction_leaves_of_its_weight() {
    // a = g (1 - friction) m / (m + I / p^2).
    let pitch = 1e-3 / PI;
    let free = G * 0.05 / (0.05 + 2e-6 / (pitch * pitch));
    at_all(&STEPPERS, |stepper, h| {
        for friction in [0.0_f64, 0.99, 1.01] {
            let mut s = under_stepper(stepper, &screw(h, friction));
            run(&mut s, 1.0, |_, _| {});
            let acceleration = free * (1.0 - friction).max(0.0);
            let z = s.state.q[0];
            // With friction the sum of h v is ahead by h v / 2; without it, and with impulses at both ends, an even motion is exact.
            let ahead = stepper == Stepper::TimeStepping && friction > 0.0;
            let bound = if ahead { 0.51 * h * acceleration } else { 0.0 };
            let what = format_args!("{stepper:?}, step {h}, friction {friction}: {z}");
            holds(what, (z + 0.5 * acceleration).abs(), bound + 1e-14);
        }
    });
}

// N14 (google-deepmind/mujoco #971): a box on four cables.

#[test]
fn a_box_that_falls_into_four_cables_hangs_where_they_are_taut_and_pulls_each_alike() {
    // 2.8 m of cable over 0.2 sqrt 2 m to the side; each carries a quarter of the weight over the cosine.
    let down = (2.8_f64 * 2.8 - 0.08).sqrt();
    let hangs = Vector3::new(0.0, 0.0, 4.5 - down);
    let corners = |name: &str, far: f64, z: f64| -> String {
        let site = |(i, [x, y]): (usize, [f64; 2])| {
            format!(r#"<site name="{name}{i}" pos="{} {} {z}"/>"#, far * x, far * y)
        };
        [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].into_iter().enumerate().map(site).collect()
    };
    let cable = |i: usize| {
        format!(r#"<spatial name="c{i}" range="0 2.8"><site site="top{i}"/><site site="box{i}"/></spatial>"#)
    };
    let [tops, boxes] = [corners("top", 0.7, 5.0), corners("box", 0.5, 0.5)];
    let cables: String = (0..4).map(cable).collect();
    at_all(&STEPPERS, |stepper, h| {
        let mut s = under_stepper(
            stepper,
            &format!(
                r#"<mujoco><option timestep="{h}"/><worldbody>{tops}<body name="box" pos="0 0 2"><freejoint/>
                <geom type="box" size=".5 .5 .5" mass="1"/>{boxes}</body></worldbody><tendon>{cables}</tendon></mujoco>"#
            ),
        );
        let what = format!("{stepper:?}, step {h}");
        // Time stepping has the cables taut along the tangents of a step, which are off by (h v)^2 / 2 L across them, with the 0.1 of the
        // fall from 0.29 m that is across.
        let curved = if stepper == Stepper::TimeStepping { 0.011 * h * h } else { 0.0 };
        run(&mut s, 2.0, |s, _| {
            holds(format_args!("{what}, lowest"), hangs.z - position(s, "box").z, curved + 1e-9);
        });
        holds(format_args!("{what}, place"), (position(&s, "box") - hangs).norm(), 1e-9);
        holds(format_args!("{what}, speed"), speed(&s), 1e-9);
        let taut: Vec<_> = s.limit_forces().filter(|limit| limit.force > 0.0).collect();
        assert!(taut.len() == 4 && taut.iter().all(|cable| cable.kind == RowSource::Cable), "{taut:?}");
        let lifts = taut.iter().map(|cable| cable.force).sum::<f64>() * down / 2.8;
        holds(format_args!("{what}, lift"), (lifts / G - 1.0).abs(), 1e-9);
        // Two on a diagonal could carry more than the others: alike are the least of all.
        for cable in taut {
            holds(
                format_args!("{what}, {}", cable.name),
                (cable.force / (0.25 * G * 2.8 / down) - 1.0).abs(),
                1e-6,
            );
        }
    });
}

// N29 (google-deepmind/mujoco #1904, #1592): a stiff servo against an object.

#[test]
fn a_servo_presses_with_its_gain_times_what_is_left_to_its_target_however_stiff() {
    at_all(&WITH_EVENTS, |stepper, h| {
        for armature in [0.0, 0.1] {
            for (kp, kv) in [1e3, 1e6, 1e9].into_iter().flat_map(|kp| [0.0, 10.0, 1e3].map(|kv| (kp, kv))) {
                let mut s = under_stepper(
                    stepper,
                    &format!(
                        r#"<mujoco><option timestep="{h}"/><worldbody><geom name="box" type="box" size=".1 .1 .1" pos=".11 0 0"/>
                        <body><joint name="finger" type="slide" axis="1 0 0" armature="{armature}"/>
                        <geom name="tip" type="sphere" size=".01" mass=".03"/></body></worldbody>
                        <actuator><position joint="finger" kp="{kp}" kv="{kv}"/></actuator>
                        <keyframe><key name="start" ctrl=".005"/></keyframe></mujoco>"#
                    ),
                );
                run(&mut s, 50.0 * h, |s, _| {
                    let force = normal_force(s, ["box", "tip"]);
                    let what =
                        format_args!("{stepper:?}, step {h}, armature {armature}, kp {kp}, kv {kv}: {force}");
                    holds(what, (force / (0.005 * kp) - 1.0).abs(), 1e-12);
                });
            }
        }
    });
}
