//! Balls that collide, spin and roll, and wheels that are balls.

use super::{STEPS, WITH_EVENTS, at_all, holds};
use crate::common::formulations::under_stepper;
use crate::common::{STEPPERS, bouncing_by, overlap_as_posed, pose, position, run};
use nalgebra::Vector3;
use std::f64::consts::PI;
use stiction::contact::ImpactLaw;
use stiction::sim::{Simulation, Stepper};

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
