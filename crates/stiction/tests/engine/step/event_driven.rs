//! The event-driven stepper: impacts at their time, series of bounces that end, and energy that never grows.

use crate::common::{contact_force, run, shipped, simulate, speed};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;
use stiction::contact::{Formulation, ImpactLaw};
use stiction::scene::mjcf;
use stiction::sim::{Settings, SettingsError, SimError, Simulation, Snapshot, Stepper};

const G: f64 = 9.81;

/// A scene under the event-driven stepper, with a coefficient of restitution.
fn scene(option: &str, e: f64, rest: &str) -> String {
    format!(
        r#"<mujoco><option {option}/><custom><text name="stiction:stepper" data="event-driven"/>
        <numeric name="stiction:restitution" data="{e}"/></custom>{rest}</mujoco>"#
    )
}

fn falling_ball(e: f64) -> Simulation {
    simulate(&scene(
        "timestep=\"0.004166666666666667\"",
        e,
        r#"<worldbody><geom type="plane" size="5 5 1"/>
        <body name="ball" pos="0 0 10.1"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody>"#,
    ))
}

/// Time of the last impact and height of the flight that a ball is on.
fn flight(s: &Simulation) -> (f64, f64) {
    let (z, v) = (s.state.q[2] - 0.1, s.state.v[2]);
    let from_below = (v * v + 2.0 * G * z).sqrt();
    (s.state.time - (from_below - v) / G, z + v * v / (2.0 * G))
}

#[test]
fn a_ball_comes_back_to_ten_metres_and_hits_every_two_roots_of_twice_the_height_over_gravity() {
    let mut s = falling_ball(1.0);
    let first = (2.0 * 10.0 / G).sqrt();
    let mut impacts = 0;
    run(&mut s, 30.0, |s, report| {
        impacts += report.bounces;
        let (time, apex) = flight(s);
        assert!((apex - 10.0).abs() <= 1e-8, "{apex} after {impacts}");
        if impacts > 0 {
            let exact = first * (2 * impacts - 1) as f64;
            assert!((time - exact).abs() <= 1e-9, "impact {impacts} at {time} instead of {exact}");
        }
    });
    assert_eq!(impacts, 11);
}

#[test]
fn each_apex_is_the_square_of_the_restitution_times_the_last() {
    let mut s = falling_ball(0.8);
    let mut apexes: Vec<f64> = vec![10.0];
    run(&mut s, 13.0, |s, report| {
        if report.bounces > 0 {
            apexes.push(flight(s).1);
        }
    });
    assert!(apexes.len() > 10, "{apexes:?}");
    for pair in apexes[..=10].windows(2) {
        assert!((pair[1] / pair[0] - 0.64).abs() <= 1e-8, "{apexes:?}");
    }
}

#[test]
fn a_cube_that_falls_flat_turns_round_without_spin_whatever_it_falls_on() {
    for width in [0.2, 0.4, 0.75, 0.9, 1.0, 1.2] {
        let half = width / 2.0;
        let mut s = simulate(&scene(
            "timestep=\"0.004166666666666667\"",
            1.0,
            &format!(
                r#"<worldbody><geom name="block" type="box" size="{half} {half} .5" pos="0 0 -.5"/>
                <body name="cube" pos="0 0 2.5"><freejoint/><geom type="box" size=".5 .5 .5" mass="1"/></body></worldbody>"#
            ),
        ));
        let mut bounces = 0;
        run(&mut s, 4.0, |s, report| {
            let v = &s.state.v;
            bounces += usize::from(report.bounces > 0);
            // 2 m and 6.2642 m/s, at the impact, follow from this.
            let apex = s.state.q[2] - 0.5 + v[2] * v[2] / (2.0 * G);
            assert!((apex - 2.0).abs() <= 1e-9, "width {width}: {apex}");
            assert!(v[3..].iter().all(|w| w.abs() <= 1e-9), "width {width}: {v:?}");
        });
        assert_eq!(bounces, 3, "width {width}");
    }
}

#[test]
fn a_ball_leaves_a_wall_as_fast_as_it_came_and_is_where_it_should_be_however_slow() {
    for speed in [1.0, 0.01, 0.001] {
        let x = 0.8 - 0.8 * speed;
        let mut s = simulate(&scene(
            "timestep=\"0.004166666666666667\" gravity=\"0 0 0\"",
            1.0,
            &format!(
                r#"<worldbody><geom type="box" size=".1 1 1" pos="1.1 0 0"/>
                <body pos="{x} 0 0"><freejoint/><geom type="sphere" size=".2" mass="1"/></body></worldbody>
                <keyframe><key name="start" qpos="{x} 0 0 1 0 0 0" qvel="{speed} 0 0 0 0 0"/></keyframe>"#
            ),
        ));
        run(&mut s, 2.0, |_, _| {});
        assert!((s.state.v[0] + speed).abs() <= 1e-9 * speed, "{}", s.state.v[0]);
        assert!((s.state.q[0] - (0.8 - 1.2 * speed)).abs() <= 1e-11, "{}", s.state.q[0]);
    }
}

#[test]
fn a_series_of_bounces_ends_within_the_step_in_which_it_should_whatever_was_written_first() {
    let floor = r#"<geom name="floor" type="box" size="5 5 .5" pos="0 0 -.5"/>"#;
    let cube = r#"<body name="cube" pos="0 0 1.5"><freejoint/><geom name="cube" type="box" size=".5 .5 .5" mass="1"/></body>"#;
    // The series lasts sqrt(2 h / g) (1 + e) / (1 - e).
    let end = (2.0_f64 / 150.0).sqrt() * 3.0;
    let mut hashes = Vec::new();
    for world in [[floor, cube].concat(), [cube, floor].concat()] {
        let option = "timestep=\"0.016666666666666666\" gravity=\"0 0 -150\"";
        let mut s = simulate(&scene(option, 0.5, &format!("<worldbody>{world}</worldbody>")));
        let mut found = Vec::new();
        run(&mut s, 1.0, |s, report| {
            found.push(s.state_hash());
            let v = speed(s);
            if report.time < end {
                assert!(v > 0.01, "{v} m/s at {} s", report.time);
            } else {
                assert!(v <= 1e-9 && (s.state.q[2] - 0.5).abs() <= 1e-9, "{v} m/s at {} s", report.time);
            }
        });
        assert!((contact_force(&s, "cube").z - 150.0).abs() < 1e-6);
        hashes.push(found);
    }
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn where_a_ball_is_after_a_bounce_changes_by_minus_the_restitution_times_where_it_started() {
    // z(1 s) = r + e (5 T - (z0 - r)), without gravity.
    for e in [1.0, 0.5] {
        let end = |start: f64| {
            let mut s = simulate(&scene(
                "timestep=\"0.01\" gravity=\"0 0 0\"",
                e,
                &format!(
                    r#"<worldbody><geom type="plane" size="5 5 1"/>
                    <body><freejoint/><geom type="sphere" size=".5" mass="1"/></body></worldbody>
                    <keyframe><key name="start" qpos="0 0 {start} 1 0 0 0" qvel="0 0 -5 0 0 0"/></keyframe>"#
                ),
            ));
            run(&mut s, 1.0, |_, _| {});
            assert!((s.state.q[2] - (0.5 + e * (5.5 - start))).abs() <= 1e-9, "{start}: {}", s.state.q[2]);
            s.state.q[2]
        };
        let starts: Vec<f64> = (0..200).map(|i| 2.9 + 0.1 * f64::from(i) / 199.0).collect();
        let ends: Vec<f64> = starts.iter().map(|&start| end(start)).collect();
        for (starts, ends) in starts.windows(2).zip(ends.windows(2)) {
            let slope = (ends[1] - ends[0]) / (starts[1] - starts[0]);
            assert!((slope + e).abs() <= 1e-6, "{slope} at {}", starts[0]);
        }
    }
}

#[test]
fn spheres_that_touch_part_as_one_and_spheres_apart_pass_the_momentum_on_within_one_step() {
    for law in ["poisson", "newton"] {
        for (gap, velocities) in [(0.0, [-0.6, 0.4, 0.4, 0.4, 0.4]), (0.003, [0.0, 0.0, 0.0, 0.0, 1.0])] {
            let balls: String = (0..5)
                .map(|i| {
                    let x = (0.2 + gap) * f64::from(i) - if i == 0 { 0.0505 } else { 0.0 };
                    format!(
                        r#"<body name="b{i}" pos="{x} 0 0"><joint type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>"#
                    )
                })
                .collect();
            let text = scene(
                "timestep=\"0.1\" gravity=\"0 0 0\"",
                1.0,
                &format!(
                    r#"<worldbody>{balls}</worldbody><keyframe><key name="start" qvel="1 0 0 0 0"/></keyframe>"#
                ),
            );
            let mut scene = mjcf::parse(&text, "test.xml").unwrap();
            scene.options.impact = Some(law.parse::<ImpactLaw>().unwrap());
            let mut s = Simulation::from_scene(scene).unwrap();
            let report = s.step().unwrap();
            assert_eq!(report.bounces, if gap == 0.0 { 1 } else { 4 }, "{law}, gap {gap}");
            for (v, wanted) in s.state.v.iter().zip(velocities) {
                assert!((v - wanted).abs() < 1e-9, "{law}, gap {gap}: {:?}", s.state.v);
            }
        }
    }
}

#[test]
fn a_rod_lands_on_one_end_slides_on_it_and_comes_to_rest_on_both() {
    // Length and mass 1, I = 1/12. The impact of the lower end stops that end: with the impulse v / (1 + 3 cos^2), which does
    // the work v^2 / 2 / (1 + 3 cos^2). Until the other end hits nothing else takes energy.
    let (angle, drop, radius) = (30.0_f64.to_radians(), 0.2, 0.01);
    let height = 0.5 * angle.sin() + radius + drop;
    let inertia = 1.0 / 12.0;
    let mut s = simulate(&scene(
        "timestep=\"0.005\"",
        0.0,
        &format!(
            r#"<default><geom friction="0"/></default><worldbody><geom type="plane" size="5 5 1"/>
            <body name="rod" pos="0 0 {height}"><freejoint/>
            <inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/>
            <geom size="{radius}" pos="-.5 0 0"/><geom size="{radius}" pos=".5 0 0"/></body></worldbody>
            <keyframe><key name="start" qpos="0 0 {height} {} 0 {} 0"/></keyframe>"#,
            (0.5 * angle).cos(),
            (0.5 * angle).sin(),
        ),
    ));
    let first = (2.0 * drop / G).sqrt();
    let between = G * height - G * drop / (1.0 + 3.0 * angle.cos().powi(2));
    let mut sliding = 0;
    run(&mut s, 1.0, |s, report| {
        if report.time < first {
            assert!((report.energy - G * height).abs() < 1e-12, "{report:?}");
        } else if s.state.q[2] > radius + 1e-6 {
            sliding += 1;
            assert!((report.energy - between).abs() < 1e-8, "{} {between}", report.energy);
        }
        assert!(report.certificate.penetration < 1e-8, "{report:?}");
    });
    assert!(sliding >= 5, "{sliding}");
    assert!(speed(&s) < 1e-9 && (s.state.q[2] - radius).abs() < 1e-8, "{:?}", s.state);
    assert!((contact_force(&s, "rod").z - G).abs() < 1e-6);
}

#[test]
fn an_impact_in_the_middle_of_a_step_slides_or_rolls_as_coulombs_law_says() {
    // As at the beginning of a step: friction takes mu (1 + e) of the normal speed, or 2/7 of the tangential one.
    let (e, down, along) = (0.6, 3.0, 4.0);
    for mu in [0.1, 0.5] {
        let mut s = simulate(&scene(
            "timestep=\"0.01\" gravity=\"0 0 0\"",
            e,
            &format!(
                r#"<default><geom friction="{mu}"/></default><worldbody><geom type="plane" size="5 5 1"/>
                <body name="ball"><freejoint/><geom size=".1" mass="2"/></body></worldbody>
                <keyframe><key name="start" qpos="0 0 .112 1 0 0 0" qvel="{along} 0 {} 0 0 0"/></keyframe>"#,
                -down
            ),
        ));
        let report = s.step().unwrap();
        let slowed = along - (mu * (1.0 + e) * down).min(along * 2.0 / 7.0);
        assert!(report.solved() && report.bounces == 1, "{report:?}");
        assert!((s.state.v[0] - slowed).abs() < 1e-6 && (s.state.v[2] - e * down).abs() < 1e-9);
        let (before, after) = (0.004, 0.006);
        assert!((s.state.q[0] - along * before - s.state.v[0] * after).abs() < 1e-9, "{}", s.state.q[0]);
        assert!((s.state.q[2] - 0.1 - e * down * after).abs() < 1e-9, "{}", s.state.q[2]);
        // The impulse is reported as a force over the step.
        let force = contact_force(&s, "ball");
        assert!((force.z * 0.01 - 2.0 * (1.0 + e) * down).abs() < 1e-6, "{force:?}");
    }
}

#[test]
#[ignore = "slow: takes some seconds"]
fn no_random_drop_gains_energy() {
    const DROPS: usize = 2000;
    let shapes = [
        r#"type="box" size=".1 .2 .15""#,
        r#"type="capsule" size=".08 .2""#,
        r#"type="sphere" size=".15""#,
        r#"type="cylinder" size=".12 .1""#,
    ];
    let mut random = Pcg64::seed_from_u64(8);
    // Steps of this stepper, and those that it leaves to impulses at both ends, with the steps after them. A body that turns by the angle a
    // in such a step and parts from the floor may keep a part of its energy, of the order of a^2, that these have added: here up to 0.1.
    let mut worst = [f64::NEG_INFINITY; 2];
    let (mut steps, mut left, mut bounces) = (0, 0, 0);
    let kinds = shapes.into_iter().flat_map(|shape| [0.0, 0.3, 0.7, 1.0].map(|e| (shape, e)));
    for ((shape, e), mu) in kinds.flat_map(|kind| [0.0, 0.4].map(|mu| (kind, mu))) {
        let mut s = simulate(&scene(
            "timestep=\"0.005\"",
            e,
            &format!(
                r#"<default><geom friction="{mu}"/></default><worldbody><geom type="plane" size="5 5 1"/>
                <body><freejoint/><geom {shape} mass="1"/></body></worldbody>"#
            ),
        ));
        for _ in 0..DROPS.div_ceil(32) {
            s.start_over().unwrap();
            s.state.q[2] = random.random_range(0.3..0.6);
            let turn: [f64; 4] = std::array::from_fn(|_| random.random_range(-1.0..1.0));
            let size = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
            s.state.q[3..7].copy_from_slice(&turn.map(|x| x / size));
            s.state.v.iter_mut().for_each(|v| *v = random.random_range(-2.0..2.0));
            let mut before = false;
            for _ in 0..100 {
                let report = s.step().unwrap();
                let now = report.rows > 0;
                let handed_back = usize::from(now || before);
                before = now;
                steps += 1;
                left += usize::from(now);
                bounces += report.bounces;
                let gain = report.certificate.energy_change;
                worst[handed_back] = worst[handed_back].max(gain);
            }
        }
    }
    println!("{bounces} bounces; {left} of {steps} steps handed back; largest gains {worst:?} J");
    assert!(bounces > DROPS && left * 5 < steps, "{bounces} bounces, {left} of {steps} steps left");
    assert!(worst[0] <= 1e-6 && worst[1] <= 2e-4, "{worst:?}");
}

#[test]
fn a_snapshot_between_bounces_continues_with_the_same_bits() {
    let mut s = simulate(&bouncing());
    run(&mut s, 1.0, |_, _| {});
    let bytes = s.snapshot().to_bytes().unwrap();
    let mut hashes = Vec::new();
    run(&mut s, 1.0, |s, _| hashes.push(s.state_hash()));
    let mut other = simulate(&bouncing());
    other.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
    let mut continued = Vec::new();
    run(&mut other, 1.0, |s, _| continued.push(s.state_hash()));
    assert_eq!(hashes, continued);
}

/// The shipped scene of bouncing balls and a cradle under this stepper.
fn bouncing() -> String {
    shipped("bounce").replace("<custom>", r#"<custom><text name="stiction:stepper" data="event-driven"/>"#)
}

#[test]
fn what_the_stepper_does_not_do_is_refused_by_name() {
    let text =
        r#"<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;
    let model = Arc::new(mjcf::parse(text, "test.xml").unwrap().model);
    let formulation = Formulation::named("friction-box").unwrap();
    let settings = Settings { stepper: Stepper::EventDriven, formulation, ..Settings::default() };
    let error = Simulation::new(model, settings).unwrap_err();
    assert!(matches!(error, SimError::Settings(SettingsError::Stepper { .. })));
    let message = error.to_string();
    assert!(
        message.contains("'event-driven'") && message.contains("contact model 'friction-box'"),
        "{message}"
    );
}
