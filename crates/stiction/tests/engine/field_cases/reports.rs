//! Scenes of public reports about other engines, with the right answers derived from rigid-body mechanics, at steps of any size.

use crate::common::formulations::under_stepper;
use crate::common::{
    STEPPERS, bouncing_by, contact_force, normal_force, overlap_as_posed, pose, pose_in, position, run,
    shift, speed,
};
use nalgebra::Vector3;
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use stiction::contact::ImpactLaw;
use stiction::dynamics::{self, Data};
use stiction::report::RowSource;
use stiction::sim::{Simulation, Stepper};

const G: f64 = 9.81;

/// Steps (s).
const STEPS: [f64; 4] = [5e-4, 2e-3, 5e-3, 1e-2];

/// The steppers that know restitution; the last one locates impacts in time.
const WITH_EVENTS: [Stepper; 3] = [Stepper::TimeStepping, Stepper::Rattle, Stepper::EventDriven];

/// Runs a check under these steppers with all steps.
fn at_all(steppers: &[Stepper], mut check: impl FnMut(Stepper, f64)) {
    for &stepper in steppers {
        STEPS.iter().for_each(|&h| check(stepper, h));
    }
}

/// Fails unless an error is within its bound.
fn holds(what: std::fmt::Arguments<'_>, error: f64, bound: f64) {
    assert!(error <= bound, "{what}: off by {error:e}, allowed {bound:e}");
}

/// Position and speed after a time of what starts at `x` at rest, by the classic rule of Runge and Kutta in steps of 10 us.
fn integrated(x: f64, duration: f64, acceleration: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let h = 1e-5;
    let rate = |[x, v]: [f64; 2]| [v, acceleration(x, v)];
    let ahead = |s: [f64; 2], part: f64, r: [f64; 2]| [s[0] + part * h * r[0], s[1] + part * h * r[1]];
    (0..(duration / h).round() as usize).fold([x, 0.0], |s, _| {
        let a = rate(s);
        let b = rate(ahead(s, 0.5, a));
        let c = rate(ahead(s, 0.5, b));
        let d = rate(ahead(s, 1.0, c));
        ahead(ahead(ahead(ahead(s, 1.0 / 6.0, a), 1.0 / 3.0, b), 1.0 / 3.0, c), 1.0 / 6.0, d)
    })
}

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

// N07 (cyberbotics/webots #2412): a belt that moves as fast as the slope is steep.

/// How far (m) down a slope of 45 degrees a box gets from rest in a time, on a belt with this speed down the slope.
fn carried_down(mu: f64, belt: f64, time: f64) -> f64 {
    // Slower than the belt, friction pushes the box down; faster, up. Having its speed, it keeps it if friction can hold it.
    let c = G * FRAC_1_SQRT_2;
    let at_first = c * (1.0 + mu * if belt > 0.0 { 1.0 } else { -1.0 });
    let afterwards = c * (1.0 - mu).max(0.0);
    let meets = if belt == 0.0 {
        0.0
    } else if belt * at_first > 0.0 {
        (belt / at_first).min(time)
    } else {
        time
    };
    0.5 * at_first * meets * meets + belt * (time - meets) + 0.5 * afterwards * (time - meets).powi(2)
}

/// A box on a slope of 45 degrees whose surface moves down it with this speed (m/s).
fn sloping_belt(h: f64, mu: f64, belt: f64) -> String {
    let c = G * FRAC_1_SQRT_2;
    format!(
        r#"<mujoco><option timestep="{h}" gravity="{c} 0 -{c}"/>
        <custom><numeric name="stiction:surface_velocity:slope" data="{belt} 0 0"/></custom>
        <default><geom friction="{mu}"/></default><worldbody><geom name="slope" type="plane" size="5 5 1"/>
        <body name="box" pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="1"/></body></worldbody></mujoco>"#
    )
}

/// Fails unless a box is where a belt of this speed down the slope should have taken it after 2 s.
fn check_belt(stepper: Stepper, h: f64, belt: f64) {
    for mu in [1.02, 1.0, 0.98] {
        let mut s = under_stepper(stepper, &sloping_belt(h, mu, belt));
        run(&mut s, 2.0, |_, _| {});
        let (x, v) = (position(&s, "box").x, s.state.v[0].abs());
        // The sum of h v is ahead by h v / 2. The others are exact, but for a step with events that is taken so: that in which the
        // box begins to slide, and that in which it meets the belt, from whose end it slides on.
        let slides = G * FRAC_1_SQRT_2 * (1.0 - mu).abs();
        let bound = match stepper {
            Stepper::TimeStepping => 0.51 * h * v,
            Stepper::EventDriven if belt > 0.0 => 2.0 * h * slides,
            Stepper::EventDriven => 0.51 * h * h * slides,
            Stepper::Rattle if belt > 0.0 => 2.0 * h * slides + h * h * G,
            _ => 0.0,
        };
        let right = carried_down(mu, belt, 2.0);
        let what = format_args!("{stepper:?}, step {h}, mu {mu}, {belt} m/s: {x} and {right}");
        holds(what, (x - right).abs(), bound + 1e-9);
    }
}

#[test]
fn a_belt_that_runs_up_a_slope_carries_as_the_slope_does() {
    at_all(&STEPPERS, |stepper, h| [0.0, -0.3].into_iter().for_each(|belt| check_belt(stepper, h, belt)));
}

#[test]
fn a_belt_that_runs_down_a_slope_takes_a_box_along() {
    at_all(&STEPPERS, |stepper, h| check_belt(stepper, h, 0.3));
}

#[test]
#[ignore = "slow: takes some seconds"]
fn a_box_on_a_slope_is_where_a_belt_takes_it_when_events_are_found_in_time() {
    for &h in &STEPS[2..] {
        [0.0, -0.3, 0.3].into_iter().for_each(|belt| check_belt(Stepper::EventDriven, h, belt));
    }
}

// N08 (cyberbotics/webots #1526, kipr/Simulator #87): one wheel fast, one slow.

/// A vehicle on two balls as wheels and a caster without friction, whose left and right wheel are driven (rad/s).
fn vehicle(h: f64, radius: f64, track: f64, [left, right]: [f64; 2]) -> String {
    let wheel = |name: &str, y: f64| {
        format!(
            r#"<body pos="0 {y} 0"><joint name="{name}" axis="0 1 0"/><geom type="sphere" size="{radius}" mass=".02"/></body>"#
        )
    };
    format!(
        r#"<mujoco><option timestep="{h}"/><default><geom friction=".8"/></default><worldbody>
        <geom name="floor" type="plane" size="5 5 1"/><body name="chassis" pos="0 0 {radius}"><freejoint/>
        <geom type="box" size=".04 .02 .005" pos="-.01 0 0" mass=".25" contype="0" conaffinity="0"/>
        <geom name="caster" type="sphere" size=".005" pos="-.04 0 {}" mass="0" contype="0" conaffinity="0"/>{}{}</body></worldbody>
        <contact><pair geom1="floor" geom2="caster" condim="1"/></contact>
        <actuator><velocity joint="left" kv="10"/><velocity joint="right" kv="10"/></actuator>
        <keyframe><key name="start" ctrl="{left} {right}"/></keyframe></mujoco>"#,
        0.005 - radius,
        wheel("left", 0.5 * track),
        wheel("right", -0.5 * track),
    )
}

/// Fails unless the vehicle, once it is on its way, drives so many turns about the point where a wheel would stand still.
fn check_circle(stepper: Stepper, h: f64, turns: f64) {
    // With the left wheel held that is the place of this wheel.
    for (radius, track, [left, right]) in [(0.022, 0.094, [0.3, 6.0]), (0.03, 0.2, [0.0, 10.0])] {
        let rate = radius * (right - left) / track;
        let circle = 0.5 * track * (right + left) / (right - left);
        let center = |s: &Simulation| {
            position(s, "chassis") + circle * s.data().link_pose[0].rotation.column(1).into_owned()
        };
        let mut s = under_stepper(stepper, &vehicle(h, radius, track, [left, right]));
        run(&mut s, 1.0, |_, _| {});
        let first = center(&s);
        // What keeps the chassis on the circle, 1 cm behind the wheels, takes 2 m w^2 R d / track of their drives: 2e-6 of the rate. Of
        // a circle driven in chords the rate of the end of a step is (w h)^2 / 12 off, and chords of velocities of one end are h v / 2
        // to the side.
        let aside = if stepper == Stepper::TimeStepping { 1.01 * rate * circle * h } else { 0.0 };
        let what = format!("{stepper:?}, step {h}, {right} rad/s");
        run(&mut s, turns * 2.0 * PI / rate, |s, _| {
            let rates = (s.state.v[5] / rate - 1.0).abs();
            holds(format_args!("{what}, rate"), rates, 4e-6 + (rate * h).powi(2) / 8.0);
            holds(format_args!("{what}, centre"), (center(s) - first).norm(), 2e-6 + aside);
        });
    }
}

#[test]
fn a_vehicle_with_one_wheel_faster_than_the_other_drives_in_the_circle_of_its_wheels() {
    for (stepper, h) in STEPPERS.into_iter().flat_map(|stepper| STEPS[1..].iter().map(move |&h| (stepper, h)))
    {
        check_circle(stepper, h, 1.0);
    }
}

#[test]
#[ignore = "slow: takes some seconds"]
fn a_vehicle_stays_on_its_circle_for_three_turns() {
    at_all(&STEPPERS, |stepper, h| check_circle(stepper, h, 3.0));
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

// N20 (ekiefl/pooltool #155, #177, #212): throw and gearing of two balls.

const BALL: [f64; 2] = [0.028575, 0.170097];

/// A ball that flies along x at 1 m/s with a spin (rad/s) at another one 10 mm away.
fn billiards(h: f64, mu: f64, e: f64, spin: [f64; 3]) -> String {
    let [radius, mass] = BALL;
    let ball = |name: &str| {
        format!(
            r#"<body name="{name}"><freejoint/><geom type="sphere" size="{radius}" mass="{mass}"/></body>"#
        )
    };
    format!(
        r#"<mujoco><option timestep="{h}" gravity="0 0 0"/><custom><numeric name="stiction:restitution" data="{e}"/></custom>
        <default><geom friction="{mu}"/></default><worldbody>{}{}</worldbody>
        <keyframe><key name="start" qpos="0 0 0 1 0 0 0 {} 0 0 1 0 0 0" qvel="1 0 0 {} {} {} 0 0 0 0 0 0"/></keyframe></mujoco>"#,
        ball("cue"),
        ball("object"),
        2.0 * radius + 0.01,
        spin[0],
        spin[1],
        spin[2],
    )
}

/// Velocities and spins of both balls after the impact: `J_n = (1 + e) m v / 2`, and `J_t = min(mu J_n, m s / 7)` against the speed
/// `s` of the surface, as a ball has 7/2 of its mobility where it is touched.
fn thrown(mu: f64, e: f64, spin: [f64; 3]) -> [[Vector3<f64>; 2]; 2] {
    let [radius, mass] = BALL;
    let (spin, arm) = (Vector3::from(spin), radius * Vector3::x());
    let surface = spin.cross(&arm);
    let along = 0.5 * (1.0 + e) * mass;
    let across = (mu * along).min(mass * surface.norm() / 7.0);
    let impulse = along * Vector3::x() + across * surface.try_normalize(0.0).unwrap_or_default();
    let turned = arm.cross(&impulse) / (0.4 * mass * radius * radius);
    [[Vector3::x() - impulse / mass, spin - turned], [impulse / mass, -turned]]
}

#[test]
fn a_spinning_ball_throws_another_by_the_friction_of_their_surfaces() {
    let spins = [[0.0; 3], [0.0, 0.0, 20.0], [0.0, -20.0, 0.0], [30.0, 10.0, -15.0], [0.0, 0.0, 1.0]];
    let laws = [0.0, 0.5, 0.95, 1.0].map(|e| [ImpactLaw::Poisson, ImpactLaw::Newton].map(|law| (e, law)));
    at_all(&WITH_EVENTS, |stepper, h| {
        // Where rounding leaves them a hair apart, time stepping has them touch in one step and part in the next: by then their speed
        // across, up to 0.16 m/s over 57 mm, has turned the normal by 3 h rad, and 7/2 of that is in velocity and spin.
        let bound = if stepper == Stepper::TimeStepping { 10.0 * h } else { 1e-12 };
        for (spin, mu) in spins.into_iter().flat_map(|spin| [(spin, 0.06), (spin, 0.5)]) {
            for &(e, law) in laws.as_flattened() {
                let mut s = bouncing_by(stepper, &billiards(h, mu, e, spin), "cone", law);
                run(&mut s, 0.03, |_, _| {});
                for (link, [velocity, turn]) in thrown(mu, e, spin).into_iter().enumerate() {
                    let part =
                        |at: usize| Vector3::from_column_slice(&s.state.v[6 * link + at..6 * link + at + 3]);
                    let turns = s.data().link_pose[link].vector(&part(3));
                    let error = (part(0) - velocity).norm() + BALL[0] * (turns - turn).norm();
                    let what = format_args!(
                        "{stepper:?}, step {h}, {law}, mu {mu}, e {e}, spin {spin:?}, ball {link}"
                    );
                    holds(what, error, bound);
                }
            }
        }
    });
}

// N22 (siconos/siconos #124): a tippe top.

/// Radius, distance of the centre of mass below the centre, mass and principal moments of inertia of a top.
const TOP: (f64, f64, f64) = (0.02, 0.006, 0.02);
const TOP_INERTIA: [f64; 3] = [0.4 * 0.02 * 4e-4, 0.4 * 0.02 * 4e-4, 1.05 * 0.4 * 0.02 * 4e-4];

/// The top that turns about the vertical at 150 rad/s, its axis 0.1 rad from it.
fn tippe_top(h: f64) -> String {
    let (radius, below, mass) = TOP;
    let [x, y, z] = TOP_INERTIA;
    let (sin, cos) = 0.1_f64.sin_cos();
    let (half_sin, half_cos) = 0.05_f64.sin_cos();
    format!(
        r#"<mujoco><option timestep="{h}"/><default><geom friction=".3"/></default><worldbody>
        <geom type="plane" size="5 5 1"/><body name="top"><freejoint/><geom type="sphere" size="{radius}" pos="0 0 {below}"/>
        <inertial pos="0 0 0" mass="{mass}" diaginertia="{x} {y} {z}"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 {} {half_cos} {half_sin} 0 0" qvel="0 0 0 0 {} {}"/></keyframe></mujoco>"#,
        radius - below * cos,
        150.0 * sin,
        150.0 * cos,
    )
}

/// Angular momentum times the arm from the centre of mass to the contact: the force there has no moment about the arm, and the arm of a
/// round body changes by `w x axis`, across `L`.
fn jellett(s: &Simulation) -> f64 {
    let (radius, below, _) = TOP;
    let pose = pose(s, "top");
    let spin = Vector3::from_column_slice(&s.state.v[3..6]);
    let arm = pose.vector(&(below * Vector3::z())) - radius * Vector3::z();
    pose.vector(&Vector3::from(TOP_INERTIA).component_mul(&spin)).dot(&arm)
}

/// Fails unless the top stands up, never below the floor.
fn check_top(stepper: Stepper, h: f64) {
    let mut s = under_stepper(stepper, &tippe_top(h));
    let first = jellett(&s);
    let what = format!("{stepper:?}, step {h}");
    // Impulses at both ends act at the arm that they have: exact. Others act at one of the arms of a step, or are handed to time
    // stepping.
    let bound = if stepper == Stepper::Rattle { 1e-9 } else { 2.0 * h };
    run(&mut s, 3.0, |s, _| {
        holds(format_args!("{what}, overlap"), overlap_as_posed(s), 1e-9);
        holds(format_args!("{what}, lost"), (jellett(s) / first - 1.0).abs(), bound);
    });
    let upright = pose(&s, "top").rotation[(2, 2)];
    assert!(upright < -0.9, "{what}: {upright}");
}

#[test]
fn a_tippe_top_stands_up_on_the_floor_and_keeps_the_constant_of_jellett() {
    for stepper in STEPPERS {
        [5e-4, 1e-3, 2e-3].into_iter().for_each(|h| check_top(stepper, h));
    }
}

#[test]
#[ignore = "slow: takes some seconds"]
fn a_tippe_top_stands_up_by_forces_alone() {
    [1e-3, 2e-3].into_iter().for_each(|h| check_top(Stepper::EventDriven, h));
}

// N23 (keenon/nimblephysics #143, gama-platform/gama #556): two balls and a wall without loss.

/// A ball of 1 kg that flies at another one at 2 m/s, and that (`x`) at a wall at 1.1 m.
fn two_balls_and_a_wall(h: f64, x: f64) -> String {
    format!(
        r#"<mujoco><option timestep="{h}" gravity="0 0 0"/><custom><numeric name="stiction:restitution" data="1"/></custom><worldbody>
        <geom type="box" size=".1 1 1" pos="1.2 0 0"/>
        <body name="a"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
        <body name="b" pos="{x} 0 0"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 0 1 0 0 0 {x} 0 0 1 0 0 0" qvel="2 0 0 0 0 0 0 0 0 0 0 0"/></keyframe></mujoco>"#
    )
}

#[test]
fn the_ball_that_hits_another_before_a_wall_comes_back_as_fast() {
    // With the other one 0.3 m away and 0.5 m from the wall they meet after 0.15 s, it comes back from the wall after 0.4 s, and is at
    // its place again after 0.65 s. With it at the wall, 0.8 m away, that is all at once after 0.4 s.
    for x in [0.5, 1.0] {
        at_all(&WITH_EVENTS, |stepper, h| {
            let mut s = under_stepper(stepper, &two_balls_and_a_wall(h, x));
            run(&mut s, 1.0, |_, report| holds(format_args!("energy"), (report.energy - 2.0).abs(), 1e-12));
            let what = format!("{stepper:?}, step {h}, from {x}: {:?}", s.state.v);
            holds(format_args!("{what}, speed"), (s.state.v[0] + 2.0).abs().max(s.state.v[6].abs()), 1e-12);
            // Time stepping is late by up to a step.
            let bound = if stepper == Stepper::TimeStepping { 2.001 * h } else { 0.0 };
            for (ball, right) in [("a", -0.4), ("b", x)] {
                holds(format_args!("{what}, {ball}"), (position(&s, ball).x - right).abs(), bound + 1e-12);
            }
        });
    }
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
                    let pressed = normal_force(s, ["box", "tip"]);
                    let what = format_args!(
                        "{stepper:?}, step {h}, armature {armature}, kp {kp}, kv {kv}: {pressed}"
                    );
                    holds(what, (pressed / (0.005 * kp) - 1.0).abs(), 1e-12);
                });
            }
        }
    });
}

// N25 (google-deepmind/dm_control #406): a load on a table that moves as told.

/// What moves along x as told, and a box on it or before it.
fn rail(h: f64, told: &str, mu: f64, place: [f64; 2]) -> String {
    let [x, z] = place;
    format!(
        r#"<mujoco><option timestep="{h}"/><custom><text name="stiction:motion:rail" data="{told}"/></custom>
        <default><geom friction="{mu}"/></default><worldbody><geom type="plane" size="9 9 1" pos="0 0 -.05"/>
        <body name="table"><joint name="rail" type="slide" axis="1 0 0"/>
        <geom type="box" size=".5 .5 .05" mass="10" contype="2" conaffinity="2"/></body>
        <body name="box" pos="{x} 0 {z}"><freejoint/><geom type="box" size=".05 .05 .05" mass="1" contype="3" conaffinity="3"/></body>
        </worldbody></mujoco>"#
    )
}

#[test]
fn a_table_that_speeds_up_along_a_line_takes_its_load_along_by_friction() {
    // x = t^2: 2 m/s^2 of the 4.905 that friction can give.
    at_all(&STEPPERS, |stepper, h| {
        let mut s = under_stepper(stepper, &rail(h, "polynomial 0 0 1", 0.5, [0.0, 0.1]));
        let before = pose_in(&s, "table", "box");
        let what = format!("{stepper:?}, step {h}");
        run(&mut s, 1.0, |s, _| {
            let force = contact_force(s, "box");
            holds(format_args!("{what}, force {force}"), (force - Vector3::new(2.0, 0.0, G)).norm(), 1e-9);
        });
        holds(format_args!("{what}, speed"), (s.state.v[1] - 2.0).abs(), 1e-9);
        // Time stepping moves the load by the speed of the end of each step, which is half a step ahead of the table.
        if stepper == Stepper::Rattle {
            holds(format_args!("{what}, shift"), shift(&before, &pose_in(&s, "table", "box"), 0.05), 1e-9);
            holds(format_args!("{what}, place"), (position(&s, "box").x - 1.0).abs(), 1e-9);
        }
    });
}

#[test]
fn what_a_table_that_speeds_up_pushes_before_it_has_its_speed() {
    // x = 3 t^2, with the box on ice before the table.
    for h in STEPS {
        let mut s = under_stepper(Stepper::Rattle, &rail(h, "polynomial 0 0 3", 0.0, [0.55, 0.0]));
        run(&mut s, 1.0, |_, _| {});
        holds(format_args!("step {h}, speed"), (s.state.v[1] - 6.0).abs(), 1e-9);
        holds(format_args!("step {h}, place"), (position(&s, "box").x - 3.55).abs(), 1e-9);
    }
}

// N31 (godotengine/godot #46604, #16450, #35365): a load on what turns.

/// A box at 0.3 m on a disk that turns at 2 rad/s: prescribed, as told, by a drive, or heavy and free on ice.
fn carried(h: f64, carrier: &str) -> String {
    let hinge = r#"<joint name="turn" axis="0 0 1"/>"#;
    // What the body is, its joint, what else there is, and its state.
    let [word, joint, more, q, v] = match carrier {
        "mocap" => {
            let twist =
                r#"<custom><numeric name="stiction:mocap_velocity:disk" data="0 0 2 0 0 0"/></custom>"#;
            [r#"mocap="true""#, "", twist, "", ""]
        }
        "motion" => {
            ["", hinge, r#"<custom><text name="stiction:motion:turn" data="rate 2"/></custom>"#, "0", "2"]
        }
        "drive" => ["", hinge, r#"<actuator><velocity joint="turn" kv="1000"/></actuator>"#, "0", "2"],
        _ => {
            let ice = r#"<contact><pair geom1="disk" geom2="ice" condim="1"/></contact>"#;
            ["", "<freejoint/>", ice, "0 0 0 1 0 0 0", "0 0 0 0 0 2"]
        }
    };
    let ctrl = if carrier == "drive" { r#"ctrl="2""# } else { "" };
    format!(
        r#"<mujoco><option timestep="{h}"/>{more}<default><geom friction=".9"/></default><worldbody>
        <geom name="ice" type="plane" size="9 9 1" pos="0 0 -.1" contype="0" conaffinity="0"/>
        <body name="disk" {word}>{joint}<geom name="disk" type="cylinder" size="1 .05" pos="0 0 -.05" mass="5000"/></body>
        <body name="box"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body></worldbody>
        <keyframe><key name="start" qpos="{q} .3 0 .05 1 0 0 0" qvel="{v} 0 .6 0 0 0 2" {ctrl}/></keyframe></mujoco>"#
    )
}

#[test]
fn a_load_on_a_disk_that_turns_stays_where_it_is_whatever_turns_the_disk() {
    // 1.2 m/s^2 of the 8.8 that friction can give.
    for carrier in ["mocap", "motion", "drive", "free"] {
        for (h, duration) in [(5e-4, 1.0), (2e-3, 5.0), (1e-2, 10.0)] {
            let mut s = under_stepper(Stepper::Rattle, &carried(h, carrier));
            let before = pose_in(&s, "disk", "box");
            run(&mut s, duration, |_, _| {});
            let after = pose_in(&s, "disk", "box");
            holds(format_args!("{carrier}, step {h}, shift"), shift(&before, &after, 0.05), 1e-9);
            let radius = after.translation.xy().norm();
            holds(format_args!("{carrier}, step {h}, radius"), (radius - 0.3).abs(), 1e-9);
        }
    }
}
