//! What the acceleration and the event-driven stepper hand back is counted, solved, and passes nothing.

use crate::common::{position, simulate};
use stiction::report::{HandBacks, StepReport};
use stiction::sim::Simulation;

const STEPPERS: [&str; 2] = ["acceleration", "event-driven"];

/// Custom texts that choose a stepper, and a coefficient of restitution if there is one.
fn by(stepper: &str, restitution: f64) -> String {
    let mut text = format!(r#"<text name="stiction:stepper" data="{stepper}"/>"#);
    if restitution > 0.0 {
        text += &format!(r#"<numeric name="stiction:restitution" data="{restitution}"/>"#);
    }
    format!("<custom>{text}</custom>")
}

/// Restitutions that a stepper takes.
fn restitutions(stepper: &str) -> &'static [f64] {
    if stepper == "acceleration" { &[0.0] } else { &[0.0, 0.5, 1.0] }
}

/// Steps for a time. Every step is to be solved, and none adds energy.
fn run(s: &mut Simulation, duration: f64, what: &str) -> (HandBacks, StepReport) {
    let mut sum = HandBacks::default();
    let mut last = None;
    for _ in 0..(duration / s.timestep()).round() as usize {
        let report = s.step().unwrap();
        assert!(report.solved() && report.cut_impacts == 0, "{what}: {report:?}");
        let gain = report.certificate.energy_change;
        assert!(gain <= 1e-9 * report.energy.abs().max(1.0), "{what}: {report:?}");
        assert!(report.certificate.penetration <= 1e-6, "{what}: {report:?}");
        sum += report.hand_backs;
        last = Some(report);
    }
    (sum, last.unwrap())
}

#[test]
fn no_cube_passes_a_plate_thinner_than_itself_at_any_speed() {
    for stepper in STEPPERS {
        for (restitution, speed) in
            restitutions(stepper).iter().flat_map(|e| [1.0, 10.0, 60.0, 200.0, 1000.0].map(|v| (*e, v)))
        {
            let what = format!("{stepper}, {restitution}, {speed} m/s");
            let mut s = simulate(&format!(
                r#"<mujoco><option timestep="0.005" gravity="0 0 0"/>{}<worldbody><geom type="box" size="1 1 0.001"/>
                <body name="cube" pos="0.01 0.02 0.3"><freejoint/><geom type="box" size="0.0025 0.0025 0.0025" mass="0.001"/></body>
                </worldbody><keyframe><key name="start" qpos="0.01 0.02 0.3 1 0 0 0" qvel="0.3 0 -{speed} 0.5 0.2 0"/></keyframe></mujoco>"#,
                by(stepper, restitution)
            ));
            run(&mut s, 0.4 / speed + 0.05, &what);
            assert!(position(&s, "cube").z >= 0.0035 - 1e-6, "{what}: {:?}", s.state.q);
        }
    }
}

#[test]
fn balls_that_fly_at_walls_and_at_each_other_stay_between_them() {
    for stepper in STEPPERS {
        for (restitution, speed) in
            restitutions(stepper).iter().flat_map(|e| [5.0, 200.0, 800.0].map(|v| (*e, v)))
        {
            let what = format!("{stepper}, {restitution}, {speed} m/s");
            let mut s = simulate(&format!(
                r#"<mujoco><option timestep="0.004" gravity="0 0 0"/>{}<worldbody>
                <geom type="box" size="0.001 1 1" pos="-1 0 0"/><geom type="box" size="0.001 1 1" pos="1 0 0"/>
                <body name="a" pos="-.5 0 0"><freejoint/><geom type="sphere" size=".02" mass="1"/></body>
                <body name="b" pos=".3 .003 .001"><freejoint/><geom type="sphere" size=".01" mass=".2"/></body></worldbody>
                <keyframe><key name="start" qpos="-.5 0 0 1 0 0 0 .3 .003 .001 1 0 0 0" qvel="{speed} 0 0 0 0 0 -{} 0 0 0 0 0"/></keyframe>
                </mujoco>"#,
                by(stepper, restitution),
                2.0 * speed
            ));
            for _ in 0..10 {
                run(&mut s, 0.004, &what);
                for ball in ["a", "b"] {
                    let place = position(&s, ball);
                    // Where it is still in front of the walls, it is between them.
                    let beside = place.y.abs() > 1.0 || place.z.abs() > 1.0;
                    assert!(beside || place.x.abs() < 0.99, "{what}: {ball} at {place:?}");
                }
            }
        }
    }
}

/// Balls of 1 kg in a cube of `n` along each edge, some millimetres apart, that fly every which way in a closed box.
fn gas(n: usize, h: f64) -> String {
    let (pitch, half) = (0.11, 0.055 * n as f64);
    let mut walls = String::new();
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        for side in [-1.0, 1.0] {
            let [x, y, z] = axis.map(|a| side * a * half);
            let [nx, ny, nz] = axis.map(|a| -side * a);
            walls +=
                &format!(r#"<geom type="plane" size="9 9 1" pos="{x} {y} {z}" zaxis="{nx} {ny} {nz}"/>"#);
        }
    }
    let (mut bodies, mut velocity) = (String::new(), String::new());
    for i in 0..n * n * n {
        let [x, y, z] = [i % n, i / n % n, i / n / n].map(|k| pitch * (k as f64 + 0.5) - half);
        bodies += &format!(
            r#"<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size=".05" mass="1"/></body>"#
        );
        let phase = i as f64;
        velocity += &format!(
            " {} {} {} 0 0 0",
            8.0 * libm::sin(phase * 1.7),
            8.0 * libm::sin(phase * 2.9),
            8.0 * libm::sin(phase * 4.3)
        );
    }
    format!(
        r#"<mujoco><option timestep="{h}" gravity="0 0 0"/>{}<default><geom friction="0"/></default>
        <worldbody>{walls}{bodies}</worldbody><keyframe><key name="start" qvel="{velocity}"/></keyframe></mujoco>"#,
        by("event-driven", 1.0)
    )
}

#[test]
fn elastic_balls_keep_their_energy_however_many_impacts_a_step_holds() {
    for (n, h, steps) in [(2, 1e-2, 40), (2, 2e-2, 20), (3, 1e-2, 6)] {
        let mut s = simulate(&gas(n, h));
        let before = s.step().unwrap();
        let start = before.energy - before.certificate.energy_change;
        let (handed, report) = run(&mut s, steps as f64 * h, &format!("{n}, {h}"));
        assert!((report.energy / start - 1.0).abs() <= 1e-9, "{n}, {h}: {} of {start}", report.energy);
        println!("{n}, {h}: {:?}", handed.present().collect::<Vec<_>>());
    }
}

#[test]
fn a_disc_that_leans_on_its_rim_with_more_friction_than_forces_allow_falls_by_solved_steps() {
    for stepper in STEPPERS {
        for h in [1e-3, 2e-3, 5e-3] {
            let mut s = simulate(&format!(
                r#"<mujoco><option timestep="{h}"/>{}<default><geom friction="2"/></default><worldbody><geom type="plane" size="9 9 1"/>
                <body name="disc" pos="0 0 {z}" euler="45 0 0"><freejoint/><geom type="cylinder" size="0.1 0.01" mass="1"/></body>
                </worldbody></mujoco>"#,
                by(stepper, 0.0),
                z = 0.11 * 0.5_f64.sqrt()
            ));
            let mut handed = HandBacks::default();
            let (steps, mut unsolved) = ((1.5 / h) as usize, 0);
            for _ in 0..steps {
                let report = s.step().unwrap();
                handed += report.hand_backs;
                unsolved += usize::from(!report.solved());
            }
            let told: Vec<_> = handed.present().collect();
            println!("{stepper}, {h}: {told:?} of {steps}, {unsolved} unsolved");
            assert!(handed.total() > 0 && handed.total() < steps, "{stepper}, {h}: {told:?}");
            assert!(unsolved <= 2, "{stepper}, {h}: {unsolved}");
            // It lies on its face.
            assert!((position(&s, "disc").z - 0.01).abs() < 1e-6, "{stepper}, {h}: {:?}", s.state.q);
        }
    }
}
