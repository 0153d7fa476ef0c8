//! What moving supports carry: belts, tables and disks.

use super::{G, STEPS, at_all, holds};
use crate::common::formulations::under_stepper;
use crate::common::{STEPPERS, contact_force, pose_in, position, run, shift};
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;
use stiction::dynamics;
use stiction::dynamics::Data;
use stiction::model::TreeId;
use stiction::sim::{Simulation, Stepper};

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

/// A clamp of two pads on a palm that closes on a box off its axis, all of it spinning free in space.
fn spinning_clamp(h: f64, rate: f64) -> String {
    format!(
        r#"<mujoco><option timestep="{h}" gravity="0 0 0"/><default><geom friction=".8"/></default><worldbody>
        <body name="palm"><freejoint/><geom type="box" size=".1 .1 .02" mass="2" contype="0" conaffinity="0"/>
        <body pos=".3 .06 0"><joint name="left" type="slide" axis="0 -1 0"/><geom type="box" size=".03 .01 .03" mass=".2"/></body>
        <body pos=".3 -.06 0"><joint name="right" type="slide" axis="0 1 0"/><geom type="box" size=".03 .01 .03" mass=".2"/></body></body>
        <body name="box" pos=".3 0 0"><freejoint/><geom type="box" size=".02 .05 .02" mass=".1"/></body></worldbody>
        <equality><joint joint1="left" joint2="right"/></equality>
        <actuator><motor joint="left"/><motor joint="right"/></actuator>
        <keyframe><key name="start" ctrl="20 20" qpos="0 0 0 1 0 0 0 0 0 .3 0 0 1 0 0 0"
        qvel="0 0 0 0 0 {rate} 0 0 0 {} 0 0 0 {rate}"/></keyframe></mujoco>"#,
        0.3 * rate
    )
}

#[test]
fn a_clamp_that_spins_free_in_space_keeps_its_box_and_both_momenta() {
    for h in [5e-4, 2e-3, 1e-2] {
        let mut s = under_stepper(Stepper::Rattle, &spinning_clamp(h, 4.0));
        let before = pose_in(&s, "palm", "box");
        let start = momentum_and_angular_momentum(&s);
        run(&mut s, 5.0, |_, _| {});
        holds(format_args!("step {h}, shift"), shift(&before, &pose_in(&s, "palm", "box"), 0.05), 1e-9);
        let end = momentum_and_angular_momentum(&s);
        for (name, start, end) in [("momentum", start[0], end[0]), ("angular momentum", start[1], end[1])] {
            holds(format_args!("step {h}, {name}"), (end - start).norm() / start.norm(), 1e-9);
        }
    }
}

/// Of all that moves, the latter about the origin.
fn momentum_and_angular_momentum(s: &Simulation) -> [Vector3<f64>; 2] {
    let model = s.model();
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &s.state.q, &s.state.v);
    let trees = || TreeId::all(&model.trees);
    let linear = trees().map(|tree| dynamics::linear_momentum(model, &data, tree)).sum();
    [linear, trees().map(|tree| dynamics::angular_momentum(model, &data, tree)).sum()]
}
