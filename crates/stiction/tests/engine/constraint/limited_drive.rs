//! Drives whose force has limits: the force of the end of a step, within its range, under every stepper and formulation.

use crate::common::formulations;
use crate::common::normal_force;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;
use stiction::scene::mjcf;
use stiction::settings::{Options, Stepper};
use stiction::sim::{Settings, Simulation};

const STEPPERS: [Stepper; 4] =
    [Stepper::TimeStepping, Stepper::Rattle, Stepper::EventDriven, Stepper::Acceleration];

const STEPS: [f64; 7] = [1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2];

fn simulate(text: &str, stepper: Stepper, timestep: f64) -> Simulation {
    let scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    let options = Options { stepper: Some(stepper), timestep: Some(timestep), ..Options::default() };
    let settings = Settings::for_scene(&options, &scene.options).unwrap();
    let mut simulation = Simulation::new(Arc::new(scene.model), settings).unwrap();
    simulation.start_over().unwrap();
    simulation
}

/// A wheel about the vertical with a drive.
fn wheel(inertia: f64, drive: &str) -> String {
    format!(
        r#"<mujoco><worldbody><body name="wheel"><joint name="axle" type="hinge" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/></body></worldbody>
        <actuator>{drive}</actuator></mujoco>"#
    )
}

fn velocity_drive(kv: f64, limit: f64) -> String {
    format!(r#"<velocity name="drive" joint="axle" kv="{kv}" forcerange="-{limit} {limit}"/>"#)
}

/// Takes a step that is solved and whose works add up.
fn step(s: &mut Simulation) {
    let report = s.step().unwrap();
    let change = report.certificate.energy_change;
    let size = 1.0 + report.energy.abs();
    assert!(report.solved(), "{report:?}");
    assert!((report.work.total() - change).abs() <= 1e-9 * size, "{report:?}");
    assert!(report.certificate.cone_violation <= 1e-6, "{report:?}");
    assert!(report.certificate.cone_violation_angular <= 1e-6, "{report:?}");
}

#[test]
fn a_wheel_driven_at_the_limit_speeds_up_evenly_and_keeps_the_speed_asked_for() {
    // 10 N m turn 0.01 kg m^2 by 1000 rad/s^2.
    for stepper in STEPPERS {
        for h in STEPS {
            for kv in [1.0, 5.0, 50.0, 1e3, 1e6] {
                let mut s = simulate(&wheel(0.01, &velocity_drive(kv, 10.0)), stepper, h);
                s.state.ctrl[0] = 5.0;
                for n in 1..=(0.4 / h).ceil().max(60.0) as usize {
                    step(&mut s);
                    let (speed, even) = (s.state.v[0], 1e3 * h * n as f64);
                    assert!(speed <= 5.0 + 1e-9, "{stepper:?}, {h}, kv {kv}, step {n}: {speed}");
                    // As long as the drive asks for more than it may have.
                    if kv * (5.0 - even) > 10.0 {
                        assert!((speed - even).abs() < 1e-9, "{stepper:?}, {h}, kv {kv}, step {n}: {speed}");
                    }
                }
                assert!((s.state.v[0] - 5.0).abs() < 1e-9, "{stepper:?}, {h}, kv {kv}: {}", s.state.v[0]);
            }
        }
    }
}

/// The root of an increasing function.
fn root(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high): (f64, f64) = (-1e6, 1e6);
    // Down to neighbours, however near to zero.
    for _ in 0..1100 {
        let middle = 0.5 * (low + high);
        *if f(middle) > 0.0 { &mut high } else { &mut low } = middle;
    }
    0.5 * (low + high)
}

#[test]
fn a_stiff_servo_within_limits_has_the_force_of_the_end_of_the_step_and_comes_to_rest_at_its_target() {
    let mut random = Pcg64::seed_from_u64(17);
    for case in 0..100 {
        let mut power = |low: f64, high: f64| 10f64.powf(random.random_range(low..high));
        let (inertia, limit, h) = (power(-3.0, 3.0), power(-2.0, 2.0), power(-4.0, -1.7));
        // Stiff: by damping alone, so that it is so in any state.
        let kv = inertia / h * power(0.5, 3.0);
        let kp = kv * power(0.0, 0.5);
        let target = 10.0 * limit / inertia * h * h * power(0.0, 1.0);
        let drive = format!(
            r#"<general name="drive" joint="axle" biastype="affine" gainprm="{kp}" biasprm="0 -{kp} -{kv}" forcerange="-{limit} {limit}"/>"#
        );
        for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
            let mut s = simulate(&wheel(inertia, &drive), stepper, h);
            s.state.ctrl[0] = target;
            for n in 0..400 {
                let (q, v) = (s.state.q[0], s.state.v[0]);
                let force = |w: f64| (kp * (target - q - h * w) - kv * w).clamp(-limit, limit);
                let exact = root(|w| inertia * (w - v) - h * force(w));
                step(&mut s);
                let size = h * limit / inertia + v.abs();
                let off = (s.state.v[0] - exact).abs();
                assert!(
                    off < 1e-9 * size,
                    "{stepper:?}, case {case}, step {n}: {} and {exact}",
                    s.state.v[0]
                );
                assert!(s.transmitted().actuators[0].abs() <= limit * (1.0 + 1e-9));
                // Under impulses at both ends it is read out to order two.
                if stepper == Stepper::Rattle {
                    continue;
                }
                let (found, right) = (s.transmitted().actuators[0], force(exact));
                // The gain takes what is left of the velocity a thousandfold.
                assert!(
                    (found - right).abs() < 1e-4 * limit,
                    "{stepper:?}, case {case}, step {n}: {found} and {right}"
                );
            }
        }
    }
}

#[test]
fn a_servo_at_its_limits_settles_under_every_stepper() {
    let mut random = Pcg64::seed_from_u64(18);
    for case in 0..100 {
        let mut power = |low: f64, high: f64| 10f64.powf(random.random_range(low..high));
        let (inertia, limit, h, rate) =
            (power(-3.0, 1.0), power(0.0, 2.0), power(-4.0, -1.7), power(1.0, 3.0));
        // Critically damped or more, from soft to stiff.
        let (kp, kv) = (inertia * rate * rate, 2.0 * inertia * rate * power(0.0, 0.1));
        let target = 2.0 * limit / kp;
        let gear: f64 = if case % 2 == 0 { 1.0 } else { -2.0 };
        let drive = format!(
            r#"<general name="drive" joint="axle" gear="{gear}" biastype="affine" gainprm="{kp}" biasprm="0 -{kp} -{kv}" forcerange="-{limit} {limit}"/>"#
        );
        for stepper in STEPPERS {
            let mut s = simulate(&wheel(inertia, &drive), stepper, h);
            s.state.ctrl[0] = target;
            let most = gear.abs() * limit / inertia * h;
            for _ in 0..((60.0 / rate / h).ceil() as usize + 100) {
                let before = s.state.v[0];
                step(&mut s);
                assert!((s.state.v[0] - before).abs() <= most * (1.0 + 1e-9), "{stepper:?}, case {case}");
            }
            let left = [s.state.q[0] * gear - target, s.state.v[0] / rate];
            assert!(left.iter().all(|x| x.abs() < 1e-9 * target), "{stepper:?}, case {case}: {left:?}");
        }
    }
}

#[test]
fn a_drive_on_a_tendon_keeps_the_speed_asked_for() {
    let two = r#"<worldbody>
        <body name="a"><joint name="a" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
        <body name="b"><joint name="b" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body>
        </worldbody>"#;
    let tendon = format!(
        r#"<mujoco>{two}<tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/></fixed></tendon>
        <actuator><velocity name="drive" tendon="t" kv="1e4" forcerange="-10 10"/></actuator></mujoco>"#
    );
    for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
        for h in STEPS {
            let mut s = simulate(&tendon, stepper, h);
            s.state.ctrl[0] = 2.0;
            // 1/1 + 4/3 per kg along the tendon: the force of 10 N takes it to 2 m/s in 86 ms.
            for n in 1..=(0.3 / h) as usize {
                step(&mut s);
                let (rate, even) = (s.state.v[0] - 2.0 * s.state.v[1], 70.0 / 3.0 * h * n as f64);
                let exact = if even < 1.99 { even } else { 2.0 };
                let near = even > 1.9 && even < 2.2 + 70.0 * h;
                assert!(
                    near || (rate - exact).abs() < 1e-9,
                    "{stepper:?}, {h}, step {n}: {rate} and {exact}"
                );
            }
        }
    }
}

#[test]
fn a_driven_finger_presses_with_the_limit_of_its_drive_and_hits_with_no_more() {
    let text = r#"<mujoco><worldbody><geom name="wall" type="box" pos="0.15 0 0" size="0.05 1 1"/>
        <body name="finger"><joint name="axle" type="slide" axis="1 0 0"/><geom name="finger" type="sphere" size="0.05" mass="0.5"/></body>
        </worldbody><actuator><velocity name="drive" joint="axle" kv="1e4" forcerange="-8 8"/></actuator></mujoco>"#;
    for stepper in STEPPERS {
        for h in [1e-3, 5e-3, 2e-2] {
            let mut s = simulate(text, stepper, h);
            s.state.ctrl[0] = 0.5;
            for _ in 0..(0.5 / h) as usize {
                step(&mut s);
            }
            assert!(s.state.v[0].abs() < 1e-9, "{stepper:?}, {h}: {}", s.state.v[0]);
            assert!((s.state.q[0] - 0.05).abs() < 1e-9, "{stepper:?}, {h}: {}", s.state.q[0]);
            let force = normal_force(&s, ["wall", "finger"]);
            assert!((force - 8.0).abs() < 1e-6, "{stepper:?}, {h}: {force}");
            assert!((s.transmitted().actuators[0] - 8.0).abs() < 1e-6);
            // Back again.
            s.state.ctrl[0] = -0.5;
            for _ in 0..(0.2 / h) as usize {
                step(&mut s);
            }
            assert!((s.state.v[0] + 0.5).abs() < 1e-9, "{stepper:?}, {h}: {}", s.state.v[0]);
        }
    }
}

#[test]
fn limits_of_drives_hold_under_every_formulation() {
    // A cart driven over the floor, with a box on it: the drive reaches its target while the box is carried along.
    let text = r#"<mujoco><option timestep="0.005"/><worldbody>
        <body name="cart"><joint name="axle" type="slide" axis="1 0 0"/><geom name="cart" type="box" size="0.5 0.5 0.05" mass="2" friction="1"/></body>
        <body name="box" pos="0 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.05" mass="1" friction="1"/></body>
        </worldbody><actuator><velocity name="drive" joint="axle" kv="1e4" forcerange="-6 3"/></actuator>
        <keyframe><key name="start" ctrl="0.3025"/></keyframe></mujoco>"#;
    for name in formulations::HOLDING {
        let mut s = formulations::under(name, text);
        let mut exact = 0.0;
        for n in 1..=200 {
            assert!(s.step().unwrap().solved());
            // Both together are 3 kg.
            exact = (exact + 0.005f64).min((exact * 3.0 / 0.005 + 1e4 * 0.3025) / (3.0 / 0.005 + 1e4));
            for v in [s.state.v[0], s.state.v[1]] {
                assert!((v - exact).abs() < 1e-7, "{name}, step {n}: {v} and {exact}");
            }
        }
    }
}

#[test]
fn two_joints_at_their_limits_know_of_each_other() {
    let text = r#"<mujoco><option gravity="0 -9.81 0"/><worldbody>
        <body name="upper"><joint name="shoulder" axis="0 0 1" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="2"/>
        <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/></body></body>
        </worldbody><actuator>
        <general name="s" joint="shoulder" biastype="affine" gainprm="4000" biasprm="0 -4000 -400" forcerange="-30 30"/>
        <general name="e" joint="elbow" biastype="affine" gainprm="3000" biasprm="0 -3000 -300" forcerange="-5 5"/>
        </actuator></mujoco>"#;
    for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
        for h in [5e-4, 2e-3, 1e-2] {
            let mut s = simulate(text, stepper, h);
            s.state.ctrl.copy_from_slice(&[1.0, -0.7]);
            for n in 0..(3.0 / h) as usize {
                step(&mut s);
                let forces = s.transmitted().actuators;
                assert!(
                    forces[0].abs() <= 30.0 + 1e-6 && forces[1].abs() <= 5.0 + 1e-6,
                    "step {n}: {forces:?}"
                );
            }
            // The weight bends the servos by little, and nothing swings.
            assert!(s.state.v.iter().all(|v| v.abs() < 1e-9), "{stepper:?}, {h}: {:?}", s.state.v);
            assert!(
                (s.state.q[0] - 1.0).abs() < 5e-3 && (s.state.q[1] + 0.7).abs() < 2e-3,
                "{:?}",
                s.state.q
            );
        }
    }
}

#[test]
fn a_drive_on_a_joint_that_closes_a_loop_keeps_the_speed_asked_for() {
    // In redundant coordinates the wheel is a free body, and its axle closes a loop.
    for (stepper, order) in [(Stepper::TimeStepping, 0.0), (Stepper::Rattle, 1.0)] {
        for h in STEPS {
            for kv in [50.0, 1e5] {
                let scene = mjcf::parse(&wheel(0.01, &velocity_drive(kv, 10.0)), "test.xml").unwrap();
                let options = Options { stepper: Some(stepper), timestep: Some(h), ..Options::default() };
                let settings = Settings::for_scene(&options, &scene.options).unwrap();
                let mut s = Simulation::new(Arc::new(scene.model.redundant().unwrap()), settings).unwrap();
                s.state.ctrl[0] = 5.0;
                // Impulses at both ends leave an error of order four in redundant coordinates: 3e-9 at 2 ms, 3e-5 at 20 ms.
                let loose = 1e-9 + order * 500.0 * h.powi(4);
                for n in 1..=(0.1 / h).ceil().max(30.0) as usize {
                    step(&mut s);
                    let (speed, even) = (s.state.v[5], 1e3 * h * n as f64);
                    assert!(speed <= 5.0 + loose, "{stepper:?}, {h}, kv {kv}, step {n}: {speed}");
                    if kv * (5.0 - even) > 10.0 {
                        assert!((speed - even).abs() < 1e-9, "{stepper:?}, {h}, kv {kv}, step {n}: {speed}");
                    }
                }
                assert!((s.state.v[5] - 5.0).abs() < loose, "{stepper:?}, {h}, kv {kv}: {}", s.state.v[5]);
            }
        }
    }
}
