//! The account of the energy: works by cause against what physics says of them, and what is left over.

use crate::common::formulations::{self, HOLDING};
use crate::common::{shipped, simulate, speed};
use nalgebra::{UnitQuaternion, Vector3};
use stiction::report::Work;
use stiction::scene::mjcf;
use stiction::settings::Stepper;
use stiction::sim::Simulation;
use stiction::spatial::Force;

const STEPPERS: [Stepper; 3] = [Stepper::TimeStepping, Stepper::Acceleration, Stepper::EventDriven];

/// A scene with a time step under a stepper.
fn timed(text: &str, h: f64, stepper: Stepper) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.timestep = Some(h);
    scene.options.stepper = Some(stepper);
    Simulation::from_scene(scene).unwrap_or_else(|e| panic!("{e}"))
}

/// Takes steps; each must be solved and its account must close.
fn advance(s: &mut Simulation, steps: usize) -> Work {
    let before = *s.work();
    let mut sum = before;
    for _ in 0..steps {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
        let size: f64 = Work::FIELDS.iter().map(|field| (field.get)(&report.work).abs()).sum();
        let open = report.work.total() - report.certificate.energy_change;
        assert!(open.abs() <= 1e-15 * size, "{open:e} of {:?}", report.work);
        sum += report.work;
    }
    assert_eq!(sum, *s.work(), "the sum is that of the steps");
    let mut done = sum;
    for field in Work::FIELDS {
        *(field.get_mut)(&mut done) -= (field.get)(&before);
    }
    done
}

/// All causes but those named are zero to rounding of energies of this size (J).
fn only(work: &Work, named: &[&str], size: f64) {
    for field in Work::FIELDS.iter().filter(|field| !named.contains(&field.name)) {
        assert!((field.get)(work).abs() <= 1e-12 * size, "{}: {work:?}", field.name);
    }
}

/// Rotations that no axis of the world is a symmetry of.
fn turns() -> [UnitQuaternion<f64>; 3] {
    [[0.0, 0.0, 0.0], [0.4, -1.1, 2.3], [-2.0, 0.7, 0.3]]
        .map(|[r, p, y]| UnitQuaternion::from_euler_angles(r, p, y))
}

/// `a b c` as MJCF has it.
fn words<const N: usize>(numbers: [f64; N]) -> String {
    numbers.map(|x| format!("{x:.17e}")).join(" ")
}

#[test]
fn friction_takes_mu_m_g_cos_times_the_distance_down_an_incline_by_every_stepper_at_any_step_in_any_orientation()
 {
    let (m, g, mu, v0, slope) = (2.0, 9.81, 0.3, 0.7, 0.5f64);
    let (sin, cos) = slope.sin_cos();
    for (turn, stepper, h) in turns().into_iter().flat_map(|turn| {
        STEPPERS.into_iter().flat_map(move |stepper| [1e-4, 1e-3, 0.02].map(|h| (turn, stepper, h)))
    }) {
        let quat = words([turn.w, turn.i, turn.j, turn.k]);
        let along = |x: f64, y: f64, z: f64| (turn * Vector3::new(x, y, z)).into();
        let (start, velocity) = (words::<3>(along(0.0, 0.0, 0.1)), words::<3>(along(v0, 0.0, 0.0)));
        let text = format!(
            r#"<mujoco><option gravity="{}"/><worldbody><geom type="plane" size="0 0 1" quat="{quat}" friction="{mu}"/>
            <body name="block"><freejoint/><geom type="box" size="0.3 0.2 0.1" mass="{m}" friction="{mu}"/></body></worldbody>
            <keyframe><key name="start" qpos="{start} {quat}" qvel="{velocity} 0 0 0"/></keyframe></mujoco>"#,
            words::<3>(along(g * sin, 0.0, -g * cos)),
        );
        let mut s = timed(&text, h, stepper);
        let from = position_of_block(&s);
        let work = advance(&mut s, 25);
        let down = turn * Vector3::x();
        let distance = (position_of_block(&s) - from).dot(&down);
        let speed = Vector3::new(s.state.v[0], s.state.v[1], s.state.v[2]).dot(&down);
        // Time stepping moves bodies with the velocity after, and works are of the mean.
        let half_step = if stepper == Stepper::TimeStepping { 0.5 * h * (speed - v0) } else { 0.0 };
        let friction = -mu * m * g * cos * (distance - half_step);
        let numerical = -m * g * sin * half_step;
        let size = 100.0 * m * g * (distance + 0.1);
        assert!((work.friction - friction).abs() <= 1e-12 * size, "{stepper:?} {h} {work:?} {friction}");
        assert!((work.numerical - numerical).abs() <= 1e-12 * size, "{stepper:?} {h} {work:?} {numerical}");
        only(&work, &["friction", "numerical"], size);
    }
}

fn position_of_block(s: &Simulation) -> Vector3<f64> {
    Vector3::new(s.state.q[0], s.state.q[1], s.state.q[2])
}

#[test]
fn an_impact_takes_half_m_v_squared_times_one_minus_e_squared_whatever_the_law_the_step_and_the_direction() {
    let (m, v) = (1.5, 2.0);
    for turn in turns() {
        for (e, law, stepper) in [0.0, 0.5, 1.0].into_iter().flat_map(|e| {
            [("poisson", STEPPERS[0]), ("newton", STEPPERS[0]), ("poisson", STEPPERS[2])]
                .map(|(law, s)| (e, law, s))
        }) {
            for h in [1e-4, 3e-3, 0.02] {
                let quat = words([turn.w, turn.i, turn.j, turn.k]);
                let at = words::<3>((turn * Vector3::new(0.0, 0.0, 0.11)).into());
                let velocity = words::<3>((turn * Vector3::new(0.0, 0.0, -v)).into());
                let text = format!(
                    r#"<mujoco><option gravity="0 0 0"/><custom><text name="stiction:impact" data="{law}"/>
                    <numeric name="stiction:restitution" data="{e}"/></custom>
                    <worldbody><geom name="floor" type="plane" size="0 0 1" quat="{quat}"/>
                    <body><freejoint/><geom name="ball" size="0.1" mass="{m}"/></body></worldbody>
                    <keyframe><key name="start" qpos="{at} 1 0 0 0" qvel="{velocity} 0 0 0"/></keyframe></mujoco>"#
                );
                let mut s = timed(&text, h, stepper);
                let work = advance(&mut s, (0.02 / h) as usize + 2);
                let expected = -0.5 * m * v * v * (1.0 - e * e);
                assert!((work.impacts - expected).abs() <= 1e-11, "{law} {stepper:?} {e} {h} {work:?}");
                only(&work, &["impacts"], 10.0);
            }
        }
    }
}

#[test]
fn a_grasp_at_rest_does_no_work_at_all_under_any_contact_model_that_holds_it() {
    for name in HOLDING {
        for h in [1e-4, 1e-3, 0.02] {
            let text = shipped("grasp").replace(r#"timestep="0.001""#, &format!(r#"timestep="{h}""#));
            let mut s = formulations::under(name, &text);
            assert_eq!(s.timestep(), h);
            // Twelve contacts that press with 50 N and less, along what motion the tolerance of the solver leaves.
            let (mut most, mut work, mut at_rest) = (1e-12, Work::default(), 0);
            let mut rested = false;
            for _ in 0..60 {
                let report = s.step().unwrap();
                let rests = speed(&s) < 1e-9;
                // At the level of forces there are other answers, in which cubes fall for a step and are caught in the next.
                if rests && rested {
                    most += 600.0 * speed(&s) * h;
                    work += report.work;
                    at_rest += 1;
                }
                rested = rests;
            }
            assert!(at_rest > 50 && most < 1e-7, "{name} {h} {at_rest} {most:e}");
            for field in Work::FIELDS {
                assert!((field.get)(&work).abs() <= most, "{name} {h} {most:e} {work:?}");
            }
        }
    }
}

#[test]
fn a_torque_that_friction_holds_does_no_work_and_takes_none() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="3"/></body></worldbody></mujoco>"#;
    for stepper in STEPPERS {
        let mut s = timed(text, 0.005, stepper);
        let body = s.model().body("box").unwrap();
        s.state.external[body.index()] = Force::new(Vector3::new(0.0, 0.0, 1.5), Vector3::new(2.0, 1.0, 0.0));
        let _ = advance(&mut s, 2);
        only(&advance(&mut s, 100), &[], 1.0);
    }
}

#[test]
fn an_applied_wrench_gives_a_free_body_all_its_energy() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="body"><freejoint/>
        <inertial pos="0.1 -0.2 0.3" mass="2" diaginertia="0.2 0.3 0.4"/></body></worldbody></mujoco>"#;
    let mut s = timed(text, 0.01, STEPPERS[0]);
    s.state.v.copy_from_slice(&[0.1, 0.2, -0.3, 1.0, -2.0, 3.0]);
    s.state.applied.copy_from_slice(&[1.0, 0.0, 0.5, 0.1, -0.3, 0.2]);
    let body = s.model().body("body").unwrap();
    s.state.external[body.index()] = Force::new(Vector3::new(0.3, 0.4, 1.5), Vector3::new(2.0, 1.0, -1.0));
    let work = advance(&mut s, 100);
    assert!(work.applied.abs() > 1.0, "{work:?}");
    only(&work, &["applied"], 100.0);
}

#[test]
fn a_drive_at_constant_speed_gives_what_damper_and_dry_friction_take() {
    let (damping, loss, speed, kv) = (0.4, 0.3, 2.0, 5.0);
    for loss in [0.0, loss] {
        let control = speed + (damping * speed + loss) / kv;
        let text = format!(
            r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body>
            <joint name="a" axis="0 1 0" damping="{damping}" frictionloss="{loss}"/>
            <inertial pos="0.2 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
            <actuator><velocity joint="a" kv="{kv}"/></actuator>
            <keyframe><key name="start" qvel="{speed}" ctrl="{control:.17}"/></keyframe></mujoco>"#
        );
        for h in [1e-4, 1e-3, 0.02] {
            let mut s = timed(&text, h, STEPPERS[0]);
            let work = advance(&mut s, 50);
            let time = 50.0 * h;
            let expected = [-loss * speed * time, -damping * speed * speed * time];
            assert!(
                (work.friction - expected[0]).abs() < 1e-12 && (work.dampers - expected[1]).abs() < 1e-12
            );
            assert!((work.drives + expected[0] + expected[1]).abs() < 1e-12, "{work:?}");
            only(&work, &["friction", "dampers", "drives"], 1.0);
        }
    }
}

#[test]
fn the_damper_of_a_pendulum_takes_the_integral_of_its_power() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody><body><joint axis="0 1 0" damping="0.3"/>
        <inertial pos="0 0 -0.5" mass="1" diaginertia="0.01 0.01 0.01"/></body></worldbody>
        <keyframe><key name="start" qpos="1.5"/></keyframe></mujoco>"#;
    let mut s = timed(text, 1e-3, STEPPERS[0]);
    let mut power = vec![0.0];
    let mut done = Work::default();
    for _ in 0..2000 {
        done += advance(&mut s, 1);
        power.push(-0.3 * s.state.v[0] * s.state.v[0]);
    }
    // Simpson's rule.
    let integral: f64 = power.windows(3).step_by(2).map(|p| 1e-3 / 3.0 * (p[0] + 4.0 * p[1] + p[2])).sum();
    assert!(integral < -1.0 && (done.dampers - integral).abs() < 1e-9, "{done:?} {integral}");
    assert!(done.numerical.abs() < 1e-9, "{done:?}");
    only(&done, &["dampers", "numerical"], 1.0);
}

#[test]
fn a_belt_gives_what_it_adds_to_a_body_and_as_much_again_that_becomes_heat() {
    for stepper in STEPPERS {
        let mut s = timed(&shipped("belt"), 1e-3, stepper);
        let start = s.step().unwrap();
        let work = {
            let mut work = start.work;
            work += advance(&mut s, 1999);
            work
        };
        // From rest to the speed of the belt.
        let kinetic = s.step().unwrap().kinetic_energy;
        assert!(kinetic > 0.1 && (work.friction + kinetic).abs() < 1e-9, "{work:?}");
        assert!((work.prescribed - 2.0 * kinetic).abs() < 1e-9, "{work:?}");
        only(&work, &["friction", "prescribed", "constraints"], 1.0);
        assert!(work.constraints.abs() < 1e-9);
    }
}

#[test]
fn the_removal_of_overlap_does_the_work_of_lifting() {
    let (m, depth) = (3.0, 0.004);
    let text = format!(
        r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 {}"><freejoint/>
        <geom type="box" size="0.2 0.2 0.1" mass="{m}"/></body></worldbody></mujoco>"#,
        0.1 - depth
    );
    let work = advance(&mut simulate(&text), 20);
    assert!((work.projection - m * 9.81 * depth).abs() < 1e-8, "{work:?}");
    only(&work, &["projection"], 1.0);
}

/// A four-bar with a spring, a damper, a rotor and perhaps dry friction (`words`) in the joint that closes it.
fn four_bar(words: &str, custom: &str, velocity: &str) -> String {
    let rod =
        |m: f64, i: f64, at: &str| format!(r#"<inertial pos="{at}" mass="{m}" diaginertia="{i} {i} {i}"/>"#);
    let (short, long) = (rod(0.2, 0.001, "0 0 -0.05"), rod(0.6, 0.005, "0.15 0 0"));
    format!(
        r#"<mujoco><compiler angle="radian"/>
        <custom><text name="stiction:closure:pin" data="hinge far end {words}"/>{custom}</custom><worldbody>
        <body name="crank"><joint name="a" axis="0 1 0" damping="0.003"/>{short}
          <body name="coupler" pos="0 0 -0.1"><joint name="b" axis="0 1 0"/>{long}
            <site name="far" pos="0.3 0 0" zaxis="0 1 0"/></body></body>
        <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{short}
          <site name="end" pos="0 0 -0.1" zaxis="0 1 0"/></body></worldbody>
        <keyframe><key name="start" qpos="0.5 -0.5 0.5" qvel="{velocity}"/></keyframe></mujoco>"#
    )
}

/// Two pendulums with a spring, a damper and a servo along a tendon between them, and a motor; `words` follow its own.
fn tendon(words: &str) -> String {
    let bob = r#"<inertial pos="0 0 -0.3" mass="1" diaginertia="0.02 0.02 0.02"/>"#;
    format!(
        r#"<mujoco><compiler angle="radian"/><worldbody><body><joint name="a" axis="0 1 0" damping="0.01"/>{bob}</body>
        <body pos="1 0 0"><joint name="b" axis="0 1 0"/>{bob}</body></worldbody>
        <tendon><fixed name="t" stiffness="3" damping="0.05" {words}><joint joint="a" coef="1"/>
        <joint joint="b" coef="-0.7"/></fixed></tendon><actuator><position tendon="t" kp="2"/><motor joint="b"/></actuator>
        <keyframe><key name="start" qpos="1 0.2" qvel="1 -2" ctrl="0.3 0.4"/></keyframe></mujoco>"#
    )
}

/// Two links with springs, dampers, a rotor and servos; `words` follow those of the first joint.
fn servos(words: &str) -> String {
    let rod = r#"<inertial pos="0 0 -0.3" mass="1" diaginertia="0.02 0.02 0.02"/>"#;
    format!(
        r#"<mujoco><compiler angle="radian"/><worldbody>
        <body><joint name="a" axis="0 1 0" damping="0.2" stiffness="1" armature="0.01" {words}/>{rod}
        <body pos="0 0 -0.6"><joint name="b" axis="0 1 0" damping="0.1"/>{rod}</body></body></worldbody>
        <actuator><position joint="a" kp="8"/><velocity joint="b" kv="0.5"/></actuator>
        <keyframe><key name="start" qpos="1 0.2" qvel="1 -2" ctrl="0.3 1"/></keyframe></mujoco>"#
    )
}

/// A body that a servo, a spring, a damper and a rotor pull along a slide of a hand that flies and turns; `words` follow theirs.
fn held_by_a_hand(words: &str) -> String {
    format!(
        r#"<mujoco><custom><numeric name="stiction:mocap_velocity:hand" data="0.5 0.1 0 0 0 0.3"/>
        <text name="stiction:closure:rail" data="slide far end armature=0.2 stiffness=20 damping=0.5 {words}"/></custom>
        <worldbody><body name="hand" mocap="true"><site name="far" zaxis="1 0 0"/></body>
        <body pos="0.3 0 0"><freejoint/><inertial pos="0.05 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
        <site name="end" pos="-0.3 0 0" zaxis="1 0 0"/></body></worldbody>
        <actuator><position joint="rail" kp="30"/></actuator><keyframe><key name="start" ctrl="0.2"/></keyframe></mujoco>"#
    )
}

/// A ball thrown along a floor with a spin, which slides and then rolls; not a single cause has a line of its own.
const SPUN_BALL: &str = r#"<mujoco><worldbody><geom type="plane" size="5 5 1" friction="0.3"/><body><freejoint/>
    <geom size="0.1" mass="2" friction="0.3"/></body></worldbody>
    <keyframe><key name="start" qpos="0 0 0.1 1 0 0 0" qvel="3 1 0 5 -20 30"/></keyframe></mujoco>"#;

#[test]
fn what_no_cause_explains_goes_to_zero_with_the_step_in_smooth_motion() {
    // The same with friction in a joint takes the rule of order one.
    let friction = r#"frictionloss="0.1""#;
    let driven = r#"<text name="stiction:motion:a" data="harmonic 0.5 0.4 1.5"/>"#;
    let spring = "damping=0.002 stiffness=0.5 armature=0.001";
    let scenes = [
        (1, four_bar(&format!("{spring} frictionloss=0.01"), "", "4 -4 4")),
        (4, four_bar(spring, "", "4 -4 4")),
        (1, four_bar(&format!("{spring} frictionloss=0.01"), driven, "0 0 0")),
        (4, four_bar(spring, driven, "0 0 0")),
        (1, held_by_a_hand("frictionloss=0.05")),
        (4, held_by_a_hand("")),
        (1, tendon(friction)),
        (4, tendon("")),
        (1, servos(friction)),
        (4, servos("")),
        (1, SPUN_BALL.into()),
    ];
    for (order, text) in scenes {
        let left = |h: f64| {
            let mut s = timed(&text, h, STEPPERS[0]);
            let work = advance(&mut s, (0.4 / h).round() as usize);
            assert!(
                work.constraints.abs() + work.impacts.abs() < 1e-12 || text.contains("stiction:mo"),
                "{work:?}"
            );
            let size: f64 = Work::FIELDS.iter().map(|field| (field.get)(&work).abs()).sum();
            (work.numerical.abs(), size)
        };
        let [(coarse, _), (fine, size)] = [0.004, 0.002].map(left);
        let rounding = 1e-11 * size;
        let factor = if order == 1 { 0.6 } else { 0.2 };
        assert!(fine <= factor * coarse + rounding, "{coarse:e} then {fine:e}: {text}");
        if order == 4 {
            assert!(fine < 1e-6 * size, "{fine:e} of {size} J: {text}");
        }
    }
}

#[test]
fn the_account_is_zero_at_the_start_and_goes_on_from_a_snapshot_bit_for_bit() {
    let mut s = simulate(&shipped("humanoid"));
    for _ in 0..300 {
        let _ = s.step().unwrap();
    }
    let kept = s.snapshot();
    let mut works = Vec::new();
    for _ in 0..2 {
        for _ in 0..100 {
            let _ = s.step().unwrap();
        }
        works.push(*s.work());
        s.restore(&kept).unwrap();
        assert_ne!(works[0], *s.work());
    }
    assert_eq!(works[0], works[1]);
    s.start_over().unwrap();
    assert_eq!(*s.work(), Work::default());
}
