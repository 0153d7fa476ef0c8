//! Contacts that close within a step, under impulses at both ends of it.

use crate::common::formulations::under_stepper;
use crate::common::piles::pile;
use stiction::settings::Stepper;
use stiction::sim::Simulation;

const G: f64 = 9.81;

fn simulate(text: &str) -> Simulation {
    under_stepper(Stepper::Rattle, text)
}

#[test]
fn a_ball_rolls_up_a_low_step_by_its_height_and_over_a_flush_seam_as_over_a_plane() {
    for h in [5e-4, 2e-3, 5e-3, 1e-2] {
        for v in [0.3, 2.0, 5.0] {
            for height in [0.0, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5] {
                let mut s = simulate(&format!(
                    r#"<mujoco><option timestep="{h}"/><default><geom friction="0.8"/></default><worldbody>
                    <geom type="box" pos="-5 0 -0.5" size="5 5 0.5"/><geom type="box" pos="5 0 {}" size="5 5 0.5"/>
                    <body pos="-0.5 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody>
                    <keyframe><key name="start" qpos="-0.5 0 0.1 1 0 0 0" qvel="{v} 0 0 0 {} 0"/></keyframe></mujoco>"#,
                    height - 0.5,
                    v / 0.1
                ));
                let mut highest = f64::NEG_INFINITY;
                while s.state.q[0] < 0.2 {
                    let report = s.step().unwrap();
                    assert!(report.solved(), "{h}, {v}, {height}: {report:?}");
                    assert!(report.certificate.penetration <= 1e-9, "{h}, {v}, {height}: {report:?}");
                    highest = highest.max(s.state.q[2] - 0.1);
                }
                // The edge turns what it meets upwards, or pushes for part of one step.
                let upwards = v * f64::sqrt(2.0 * height / 0.1);
                let jump = if height <= 1e-8 { 1e-9 } else { 0.5 * G * h * h };
                let most = height + jump + 0.5 * upwards * upwards / G;
                assert!(highest <= most, "{h}, {v}, {height}: {highest}");
                // An inelastic impact at the edge turns away the part of the velocity along the normal there; what it pushes in part of a
                // step, it pushes back as far as it is ahead.
                let lost = v * height.sqrt() + G * h * v * h / 0.1;
                let lost = if height <= 1e-9 { 1e-8 * v } else { lost };
                assert!((s.state.v[0] - v).abs() <= lost, "{h}, {v}, {height}: {}", s.state.v[0]);
                assert!((s.state.v[4] - s.state.v[0] / 0.1).abs() <= 1e-7 * v / 0.1, "{h}, {v}, {height}");
            }
        }
    }
}

#[test]
fn a_block_slides_and_a_ball_rolls_on_to_what_is_higher_by_less_than_a_fall_within_a_step() {
    for stepper in [Stepper::Rattle, Stepper::TimeStepping] {
        for h in [5e-4, 2e-3, 5e-3, 1.0 / 60.0] {
            let fall = 0.5 * G * h * h;
            for height in [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4] {
                if height > fall.clamp(1e-7, 1e-3 * 0.1) {
                    continue;
                }
                for (block, shape, z) in
                    [(true, "box\" size=\".1 .1 .05", 0.05), (false, "sphere\" size=\".1", 0.1)]
                {
                    // Time stepping pushes a ball before the edge along the way to it.
                    if !block && stepper == Stepper::TimeStepping {
                        continue;
                    }
                    let spin = if block { 0.0 } else { 2.0 / z };
                    let mut s = under_stepper(
                        stepper,
                        &format!(
                            r#"<mujoco><option timestep="{h}"/><default><geom friction="0.2"/></default><worldbody>
                        <geom type="box" pos="-5 0 -0.5" size="5 5 0.5"/><geom type="box" pos="5 0 {}" size="5 5 0.5"/>
                        <body pos="-0.5 0 {z}"><freejoint/><geom type="{shape}" mass="1"/></body></worldbody>
                        <keyframe><key name="start" qpos="-0.5 0 {z} 1 0 0 0" qvel="2 0 0 0 {spin} 0"/></keyframe></mujoco>"#,
                            height - 0.5,
                        ),
                    );
                    let case = format!("{stepper:?}, {h}, {height}, {shape}");
                    let (mut highest, mut t) = (0.0_f64, 0.0);
                    while s.state.q[0] < 0.25 {
                        let report = s.step().unwrap();
                        assert!(report.solved(), "{case}: {report:?}");
                        highest = highest.max(s.state.q[2] - z);
                        t += h;
                    }
                    // The speed of the lift carries on by a quarter of the height at most; the edge turns a ball upwards, or pushes it for
                    // part of one step.
                    let most = if block { 1.25 * height } else { 5.0 * height + fall };
                    assert!(highest <= most + 1e-9, "{case}: {highest}");
                    // What the lift presses rubs, and while it carries on nothing does, for less than a step. A ball may be lifted by
                    // the edge in a part of a step, if by no more than its impact there would take.
                    let lost = if block { 0.2 * (10.0 * height / h).min(G * h) } else { 2.0 * height.sqrt() };
                    let lost = lost + 1e-7;
                    let expected = if block { 2.0 - 0.2 * G * t } else { 2.0 };
                    assert!((s.state.v[0] - expected).abs() <= lost, "{case}: {}, {expected}", s.state.v[0]);
                }
            }
        }
    }
}

#[test]
fn every_step_of_a_random_pile_is_solved_without_overlap() {
    for seed in 1..=6 {
        let mut s = simulate(&pile(seed, 8));
        for _ in 0..1000 {
            let report = s.step().unwrap();
            let c = &report.certificate;
            assert!(report.solved() && c.residual <= 1e-9, "seed {seed}: {report:?}");
            // What may be left of the displacement of a part of a step is faster than that of a whole one.
            assert!(c.penetration <= 1e-9 && c.approach <= 5e-5, "seed {seed}: {report:?}");
            assert!(c.pull <= 1e-4 && c.cone_violation <= 1e-4, "seed {seed}: {report:?}");
            // What the impulse of an impact within the step adds at its beginning, the next steps take back.
            assert!(c.energy_change <= 5e-4 * (1.0 + report.energy.abs()), "seed {seed}: {report:?}");
        }
    }
}

#[test]
fn fast_impacts_on_something_that_slides_settle_in_few_passes() {
    // A rod that slides on its tip drives the other end against a slope: each friction depends on both loads.
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002"/><default><geom friction="0.6"/></default><worldbody>
        <geom type="plane" size="5 5 1"/><geom type="box" pos="0.6 0 0" euler="0 -60 0" size="0.3 1 0.05"/>
        <body pos="0 0 0.25" euler="0 70 10"><freejoint/><geom type="capsule" size="0.04 0.3" mass="3"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 0.25 0.816 0.05 0.571 0.07" qvel="6 0.5 -2 3 -8 1"/></keyframe></mujoco>"#,
    );
    let mut passes = 0;
    for _ in 0..500 {
        let report = s.step().unwrap();
        assert!(report.solved() && report.certificate.penetration <= 1e-9, "{report:?}");
        passes += report.passes;
    }
    assert!(passes <= 500 * 4, "{passes} passes");
}
