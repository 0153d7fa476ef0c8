//! What is held on something that moves stays held, what sweeps is braked, what strikes passes the blow on: under impulses at both ends of
//! a step (`rattle`).
//!
//! A load on what moves needs the force `m (a - g)`, which is known where the motion is; and it must not shift, which the certificate tells and
//! poses show.

use super::rig::{CaseError, Rig};
use super::{Case, Check};
use nalgebra::Vector3;
use stiction::dynamics::{self, Data};
use stiction::report::StepReport;
use stiction::spatial::Transform;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "turntable",
        about: "a box on a table that turns, ten times; and on one that turns faster and faster",
        run: turntable,
    },
    Case {
        name: "turning_gripper",
        about: "a box in a gripper on an arm that turns once a second",
        run: turning_gripper,
    },
    Case { name: "carried_load", about: "a box on a palm that moves off with 1 m/s^2", run: carried_load },
    Case {
        name: "shaken_table",
        about: "a box on a table shaken with 90 % of what friction holds",
        run: shaken_table,
    },
    Case {
        name: "sweeping_arm",
        about: "an arm that sweeps its tip over a floor with viscous friction",
        run: sweeping_arm,
    },
    Case {
        name: "seam",
        about: "a ball that rolls and a block that slides over the seams of flush blocks",
        run: seam,
    },
    Case {
        name: "chain_of_balls",
        about: "a ball that strikes a row of four equal ones without loss",
        run: chain_of_balls,
    },
];

const GRAVITY: f64 = 9.81;

/// A scene in steps of 10 ms with impulses at both ends, with what stands before the world, in it, and after it.
fn scene(custom: &str, world: &str, rest: &str) -> String {
    format!(
        r#"<mujoco><option timestep="0.01"/><custom><text name="stiction:stepper" data="rattle"/>{custom}</custom>
        <worldbody>{world}</worldbody>{rest}</mujoco>"#
    )
}

/// Pose of a body in the axes of another.
fn pose_in(rig: &Rig, frame: &str, body: &str) -> Result<Transform, CaseError> {
    let (frame, body) = (rig.body(frame)?, rig.body(body)?);
    let (model, state) = (rig.model(), &rig.sim.state);
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &state.q, &state.v);
    let [frame, body] = [frame, body].map(|body| dynamics::body_motion(model, &data, &state.mocap, body).0);
    Ok(frame.inverse() * body)
}

/// How far a body has shifted on what holds it, with turns as lengths of its size (m).
fn shift(before: &Transform, after: &Transform, size: f64) -> f64 {
    (after.translation - before.translation).norm() + size * before.angle_to(after)
}

/// The largest shift that steps told of their sticking contacts.
fn told(largest: &mut f64) -> impl FnMut(&Rig, &StepReport) {
    move |_, report| *largest = largest.max(report.certificate.sticking_shift)
}

/// A box of 0.1 m, 0.3 m from the axis of a table, and how fast the table turns.
fn on_table(motion: &str, rate: f64, friction: f64) -> String {
    scene(
        &format!(r#"<text name="stiction:motion:spin" data="{motion}"/>"#),
        &format!(
            r#"<body name="table"><joint name="spin" type="hinge" axis="0 0 1"/>
            <geom type="cylinder" size="0.6 0.02" mass="10" friction="{friction}"/></body>
            <body name="box" pos="0.3 0 0.07"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1" friction="{friction}"/></body>"#
        ),
        &format!(
            r#"<keyframe><key name="start" qpos="0 .3 0 .07 1 0 0 0" qvel="{rate} 0 {} 0 0 0 {rate}"/></keyframe>"#,
            0.3 * rate
        ),
    )
}

fn turntable() -> Result<Vec<Check>, CaseError> {
    let (rate, radius) = (2.0, 0.3);
    let mut rig = Rig::new("turntable", &on_table("rate 2", rate, 0.9))?;
    let body = rig.body("box")?;
    let before = pose_in(&rig, "table", "box")?;
    let mut largest = 0.0;
    rig.run(31.41, told(&mut largest))?;
    let friction = rig.load(body).friction.norm();
    let shifted = shift(&before, &pose_in(&rig, "table", "box")?, 0.05);

    // mu g = r sqrt(w^4 + a^2), with the angular acceleration a.
    let (mu, acceleration) = (0.5_f64, 0.5);
    let onset = ((mu * GRAVITY / radius).powi(2) - acceleration * acceleration).powf(0.25);
    let mut faster = Rig::new("turntable", &on_table("polynomial 0 0 0.25", 0.0, mu))?;
    let before = pose_in(&faster, "table", "box")?;
    while faster.sim.state.time < 10.0 && shift(&before, &pose_in(&faster, "table", "box")?, 0.0) <= 1e-8 {
        faster.step()?;
    }
    Ok(vec![
        Check::zero("shift of the box in ten turns (m)", shifted, 1e-9),
        Check::zero("largest shift that the certificate tells (m)", largest, 1e-9),
        Check::relative("friction on the box (N)", radius * rate * rate, friction, 1e-4),
        Check::relative("rate at which it slips (rad/s)", onset, faster.sim.state.v[0], 2e-3),
    ])
}

fn turning_gripper() -> Result<Vec<Check>, CaseError> {
    let rate = std::f64::consts::TAU;
    let text = scene(
        "",
        r#"<body name="arm"><joint name="turn" type="hinge" axis="0 0 1"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .25 0 0" mass="2" contype="0" conaffinity="0"/>
        <body pos=".3 .06 0"><joint name="left" type="slide" axis="0 -1 0"/><geom type="box" size=".03 .01 .03" mass=".2"/></body>
        <body pos=".3 -.06 0"><joint name="right" type="slide" axis="0 1 0"/><geom type="box" size=".03 .01 .03" mass=".2"/></body></body>
        <body name="box" pos=".3 0 0"><freejoint/><geom type="box" size=".02 .05 .02" mass=".1"/></body>"#,
        &format!(
            r#"<equality><joint joint1="left" joint2="right"/></equality>
            <actuator><motor joint="left"/><motor joint="right"/></actuator>
            <keyframe><key name="start" ctrl="20 20" qpos="0 0 0 .3 0 0 1 0 0 0" qvel="{rate} 0 0 0 {} 0 0 0 {rate}"/></keyframe>"#,
            0.3 * rate
        ),
    );
    let mut rig = Rig::new("turning_gripper", &text)?;
    let body = rig.body("box")?;
    let before = pose_in(&rig, "arm", "box")?;
    let mut largest = 0.0;
    rig.run(3.0, told(&mut largest))?;
    let shifted = shift(&before, &pose_in(&rig, "arm", "box")?, 0.05);
    // Before the arm has turned any slower; gravity is across, what keeps the box on its circle along.
    let needed = 0.1 * f64::hypot(0.3 * rate * rate, GRAVITY);
    Ok(vec![
        Check::zero("shift of the box in three turns (m)", shifted, 1e-9),
        Check::zero("largest shift that the certificate tells (m)", largest, 1e-9),
        Check::relative("force on the box (N)", needed, rig.load(body).force().norm(), 1e-3),
    ])
}

/// A box of 1 kg on a plate that moves along x as a function of time.
fn on_plate(motion: &str, speed: f64) -> String {
    scene(
        &format!(r#"<text name="stiction:motion:push" data="{motion}"/>"#),
        r#"<body name="plate"><joint name="push" type="slide" axis="1 0 0"/>
        <geom type="box" size="0.3 0.3 0.02" mass="5" friction="0.5"/></body>
        <body name="box" pos="0 0 0.04"><freejoint/><geom type="box" size="0.1 0.1 0.02" mass="1" friction="0.5"/></body>"#,
        &format!(
            r#"<keyframe><key name="start" qpos="0 0 0 .04 1 0 0 0" qvel="{speed} {speed} 0 0 0 0 0"/></keyframe>"#
        ),
    )
}

fn carried_load() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new("carried_load", &on_plate("polynomial 0 0 0.5", 0.0))?;
    let body = rig.body("box")?;
    let before = pose_in(&rig, "plate", "box")?;
    rig.run(2.0, |_, _| ())?;
    let shifted = shift(&before, &pose_in(&rig, "plate", "box")?, 0.1);
    Ok(vec![
        Check::zero("shift of the box in 2 s (m)", shifted, 1e-9),
        Check::absolute("its speed (m/s)", 2.0, rig.velocity(body).norm(), 1e-9),
        Check::absolute("friction that takes it along (N)", 1.0, rig.load(body).friction.norm(), 1e-8),
    ])
}

fn shaken_table() -> Result<Vec<Check>, CaseError> {
    // a sin(w t) with a w^2 = 0.9 mu g.
    let (mu, frequency) = (0.5, 3.0_f64);
    let rate = std::f64::consts::TAU * frequency;
    let amplitude = 0.9 * mu * GRAVITY / (rate * rate);
    let motion = format!("harmonic 0 {amplitude} {frequency}");
    let mut rig = Rig::new("shaken_table", &on_plate(&motion, amplitude * rate))?;
    let body = rig.body("box")?;
    let before = pose_in(&rig, "plate", "box")?;
    let (mut most, mut largest) = (0.0_f64, 0.0_f64);
    rig.run(5.0, |rig, report| {
        most = most.max(rig.load(body).friction.norm());
        largest = largest.max(report.certificate.sticking_shift);
    })?;
    let shifted = shift(&before, &pose_in(&rig, "plate", "box")?, 0.1);
    Ok(vec![
        Check::zero("shift of the box in 15 swings (m)", shifted, 1e-9),
        Check::zero("largest shift that the certificate tells (m)", largest, 1e-9),
        Check::relative("largest friction on it (N)", 0.9 * mu * GRAVITY, most, 1e-2),
    ])
}

fn sweeping_arm() -> Result<Vec<Check>, CaseError> {
    // The tip presses by its weight, and is braked by c times its speed: I w' = -c r^2 w.
    let (rate, reach, viscosity, mass, post): (f64, f64, f64, f64, f64) = (2.0, 0.4, 0.5, 0.5, 0.05);
    let text = scene(
        &format!(r#"<text name="stiction:law" data="viscous {viscosity}"/>"#),
        &format!(
            r#"<geom name="floor" type="plane" size="9 9 1"/>
            <body name="post" pos="0 0 0.3"><joint name="turn" type="hinge" axis="0 0 1"/>
              <inertial pos="0 0 0" mass="1" diaginertia="{post} {post} {post}"/>
              <body name="arm"><joint name="lift" type="hinge" axis="0 1 0"/>
                <inertial pos="{reach} 0 -0.28" mass="{mass}" diaginertia="1e-4 1e-4 1e-4"/>
                <geom name="tip" type="sphere" pos="{reach} 0 -0.28" size="0.02"/></body></body>"#
        ),
        &format!(r#"<keyframe><key name="start" qvel="{rate} 0"/></keyframe>"#),
    );
    let mut rig = Rig::new("sweeping_arm", &text)?;
    rig.run(1.0, |_, _| ())?;
    let inertia = post + mass * reach * reach + 1e-4;
    let exact = rate * (-viscosity * reach * reach / inertia).exp();
    Ok(vec![
        Check::relative("its rate after 1 s (rad/s)", exact, rig.sim.state.v[0], 1e-4),
        Check::zero("rise of its tip (rad)", rig.sim.state.q[1].abs(), 1e-9),
    ])
}

fn seam() -> Result<Vec<Check>, CaseError> {
    let text = scene(
        "",
        r#"<geom type="box" size="0.5 0.5 0.1" pos="0 0 -0.1" friction="0.2"/>
        <geom type="box" size="0.5 0.5 0.1" pos="1 0 -0.1" friction="0.2"/>
        <geom type="box" size="0.5 0.5 0.1" pos="2 0 -0.1" friction="0.2"/>
        <body name="ball" pos="0 0.2 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.2"/></body>
        <body name="block" pos="0 -0.2 0.02"><freejoint/><geom type="box" size="0.1 0.1 0.02" mass="1" friction="0.2"/></body>"#,
        r#"<keyframe><key name="start" qpos="0 .2 .1 1 0 0 0 0 -.2 .02 1 0 0 0"
        qvel="1.5 0 0 0 15 0 2 0 0 0 0 0"/></keyframe>"#,
    );
    let mut rig = Rig::new("seam", &text)?;
    let (ball, block) = (rig.body("ball")?, rig.body("block")?);
    let mut hop = 0.0_f64;
    rig.run(1.2, |rig, _| hop = hop.max((rig.position(ball).z - 0.1).abs()))?;
    let way = 2.0 * 2.0 / (2.0 * 0.2 * GRAVITY);
    Ok(vec![
        Check::absolute("the ball's speed (m/s)", 1.5, rig.velocity(ball).norm(), 1e-9),
        Check::zero("its height over the blocks (m)", hop, 1e-9),
        Check::absolute("the block stops after (m)", way, rig.position(block).x, 1e-4),
        Check::zero("and to the side (m)", (rig.position(block).y + 0.2).abs(), 1e-9),
    ])
}

fn chain_of_balls() -> Result<Vec<Check>, CaseError> {
    let balls: String = (0..5)
        .map(|k| {
            let x = if k == 0 { -0.35 } else { 0.1 * f64::from(k) };
            format!(
                r#"<body name="b{k}" pos="{x} 0 0"><freejoint/><geom type="sphere" size="0.05" mass="1" friction="0"/></body>"#
            )
        })
        .collect();
    let still = " 0 0 0 0 0 0".repeat(4);
    let places: String = (1..5).map(|k| format!(" {} 0 0 1 0 0 0", 0.1 * f64::from(k))).collect();
    let text = scene(
        r#"<numeric name="stiction:restitution" data="1"/>"#,
        &balls,
        &format!(
            r#"<keyframe><key name="start" qpos="-.35 0 0 1 0 0 0{places}" qvel="2 0 0 0 0 0{still}"/></keyframe>"#
        ),
    )
    .replace(r#"timestep="0.01""#, r#"timestep="0.01" gravity="0 0 0""#);
    let mut rig = Rig::new("chain_of_balls", &text)?;
    rig.run(0.5, |_, _| ())?;
    let speed = |rig: &Rig, k: usize| rig.body(&format!("b{k}")).map(|body| rig.velocity(body));
    let mut others = 0.0_f64;
    for k in 0..4 {
        others = others.max(speed(&rig, k)?.norm());
    }
    let last = speed(&rig, 4)?;
    Ok(vec![
        Check::absolute("speed of the last ball (m/s)", 2.0, last.dot(&Vector3::x()), 1e-9),
        Check::zero("speed of any other (m/s)", others, 1e-9),
    ])
}
