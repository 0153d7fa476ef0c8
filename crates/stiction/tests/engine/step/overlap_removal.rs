//! The removal of overlap moves bodies by as little as it takes, never by more than they are large, and says so.

use crate::common::{position, simulate, simulate_by, speed};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::PI;
use std::sync::Arc;
use stiction::report::StepReport;
use stiction::scene::mjcf;
use stiction::settings::Options;
use stiction::sim::{Settings, Simulation, Stepper};

const SEEDS: u64 = 100;

/// Deepest violation of the present configuration (m or rad).
fn deepest(s: &mut Simulation) -> f64 {
    s.violations().unwrap().iter().fold(0.0, |worst: f64, v| worst.max(v.length).max(v.angle))
}

fn closes(report: &StepReport) -> bool {
    let change = report.certificate.energy_change;
    (report.work.total() - change).abs() <= 1e-12 * (1.0 + report.energy.abs() + change.abs())
}

fn simulate_with_options(text: &str, options: &Options) -> Simulation {
    let scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings::for_scene(options, &scene.options).unwrap();
    Simulation::new(Arc::new(scene.model), settings).unwrap()
}

/// A box of 4 cm times `scale` turned at random between two fixed hulls that are too near to each other for it.
fn jammed(rng: &mut Pcg64, scale: f64) -> String {
    let random = |rng: &mut Pcg64| Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0));
    let turn = UnitQuaternion::from_scaled_axis(random(rng));
    let (at, gap) = (random(rng) * 0.01 * scale, rng.random_range(0.005..0.03) * scale);
    let hull = |sign: f64, rng: &mut Pcg64| {
        let points = (0..12).map(|_| {
            let p = random(rng).component_mul(&Vector3::new(0.02, 0.06, 0.06)) * scale;
            let p = p + Vector3::x() * sign * (0.02 * scale + 0.5 * gap);
            format!("{} {} {}", p.x, p.y, p.z)
        });
        points.collect::<Vec<_>>().join(" ")
    };
    let [left, right] = [hull(-1.0, rng), hull(1.0, rng)];
    format!(
        r#"<mujoco><option timestep="0.002"/><asset><mesh name="left" vertex="{left}"/><mesh name="right" vertex="{right}"/></asset>
        <worldbody><body name="jaws"><geom type="mesh" mesh="left" pos="{} 0 0"/><geom type="mesh" mesh="right" pos="{} 0 0"/></body>
        <body name="box" pos="{} {} {}" quat="{} {} {} {}"><freejoint/>
        <geom type="box" size="{h} {h} {h}" mass="0.1"/></body></worldbody></mujoco>"#,
        -0.02 * scale,
        0.02 * scale,
        at.x,
        at.y,
        at.z,
        turn.w,
        turn.i,
        turn.j,
        turn.k,
        h = 0.02 * scale
    )
}

#[test]
fn a_box_jammed_between_two_hulls_is_not_thrown_and_its_overlap_does_not_grow() {
    for scale in [1e-3, 1.0, 1e3] {
        let mut rng = Pcg64::seed_from_u64(17);
        for seed in 0..SEEDS {
            // Contacts of time stepping have the gaps at the beginning, after the removal.
            let mut s = simulate_by(Stepper::TimeStepping, "cone", &jammed(&mut rng, scale));
            let diameter = 2.0 * 0.02 * scale * 3.0_f64.sqrt();
            for _ in 0..3 {
                let overlap = deepest(&mut s);
                let report = s.step().unwrap();
                let moved = report.certificate.projection;
                // The contact points within the trust region, and half a turn about them.
                assert!(moved <= overlap + (1.0 + PI) * diameter, "{scale} {seed}: {moved}");
                assert!(report.certificate.projection_angular <= PI + 1e-9, "{scale} {seed}");
                let left = s.contact_forces().iter().fold(0.0, |deepest: f64, c| deepest.max(-c.contact.gap));
                assert!(left <= overlap.max(1e-9) * (1.0 + 1e-9), "{scale} {seed}: {overlap} -> {left}");
                assert!(closes(&report), "{scale} {seed}: {report:?}");
                assert!((moved > 0.0) == report.projected_body.is_some());
            }
        }
    }
}

/// A chain of six links that stands, folded at random, in a wall.
fn chain_in_a_wall(rng: &mut Pcg64) -> (String, Vec<f64>) {
    let mut bodies = String::new();
    for link in 0..6 {
        let axis = ["1 0 0", "0 1 0", "0 0 1"][rng.random_range(0..3)];
        bodies += &format!(
            r#"<body name="l{link}" pos="0 0 0.1"><joint name="j{link}" axis="{axis}" range="-2 2"/>
            <geom type="capsule" fromto="0 0 0.02 0 0 0.08" size="0.015"/>"#
        );
    }
    bodies += &"</body>".repeat(6);
    let angles = (0..6).map(|_| rng.random_range(-3.0..3.0)).collect();
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.002"/><worldbody>
        <geom name="wall" type="box" size="0.2 2 2" pos="0.25 0 0"/>{bodies}</worldbody></mujoco>"#
    );
    (text, angles)
}

#[test]
fn no_joint_of_a_chain_in_a_wall_turns_by_more_than_half_a_turn_and_what_it_is_beyond_its_range() {
    let mut rng = Pcg64::seed_from_u64(3);
    for seed in 0..SEEDS {
        let (text, angles) = chain_in_a_wall(&mut rng);
        let mut s = simulate(&text);
        s.state.q.copy_from_slice(&angles);
        for _ in 0..3 {
            let (before, overlap) = (s.state.q.to_vec(), deepest(&mut s));
            s.state.v.fill(0.0);
            let report = s.step().unwrap();
            for (before, now) in before.iter().zip(&s.state.q) {
                let bound = PI + (before.abs() - 2.0).max(0.0);
                // A step of motion is small against it.
                assert!((now - before).abs() <= bound + 0.05, "{seed}: {before} -> {now}");
            }
            let left = s.contact_forces().iter().fold(0.0, |deepest: f64, c| deepest.max(-c.contact.gap));
            assert!(left <= overlap.max(1e-9) * (1.0 + 1e-9), "{seed}: {overlap} -> {left}");
            assert!(closes(&report), "{seed}: {report:?}");
        }
    }
}

#[test]
fn an_overlap_that_no_motion_of_the_joint_removes_moves_nothing_and_keeps_nothing_else_from_coming_free() {
    // The link turns about its own axis in the socket that it overlaps; its rows are round-off.
    let mut rng = Pcg64::seed_from_u64(5);
    for seed in 0..SEEDS {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| rng.random_range(-3.0..3.0)));
        let depth = rng.random_range(0.001..0.04);
        let text = format!(
            r#"<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
            <body name="base" pos="0 0 3" quat="{} {} {} {}"><geom type="sphere" size="0.05"/>
            <body name="root"><geom type="sphere" size="0.001" contype="0" conaffinity="0" mass="1"/>
            <body name="link" pos="0 0 0.1"><joint axis="0 0 1"/><geom type="sphere" size="{}" mass="1"/>
            <geom type="box" size="0.02 0.01 0.01" pos="0.02 0 0.1" mass="0.1"/></body></body></body>
            <geom type="plane" size="1 1 1"/>
            <body name="ball" pos="1 0 0.09"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
            </worldbody></mujoco>"#,
            turn.w,
            turn.i,
            turn.j,
            turn.k,
            0.05 + depth
        );
        let mut s = simulate(&text);
        let report = s.step().unwrap();
        assert!(s.state.q[0].abs() < 1e-9, "{seed}: {:?}", s.state.q);
        assert!((position(&s, "ball").z - 0.1).abs() < 1e-9, "{seed}");
        assert!((report.certificate.penetration - depth).abs() < 1e-9, "{seed}: {report:?}");
        assert_eq!(report.certificate.projection_angular, 0.0);
    }
}

#[test]
fn an_arm_whose_loop_cannot_be_closed_turns_by_half_a_turn_at_most_and_says_how_far_it_is_open() {
    let mut rng = Pcg64::seed_from_u64(11);
    for seed in 0..SEEDS {
        let reach = rng.random_range(2.1..5.0);
        let angle: f64 = rng.random_range(-3.0..3.0);
        let [q0, q1] = [(); 2].map(|()| rng.random_range(-3.0..3.0));
        let text = format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 0 0"/><worldbody>
            <body name="upper"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" contype="0" conaffinity="0"/>
            <body name="lower" pos="1 0 0"><joint axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" contype="0" conaffinity="0"/></body></body>
            <body name="goal" mocap="true" pos="{} 0 {}"/></worldbody>
            <custom><text name="stiction:closure:pin" data="ball mark tip"/></custom></mujoco>"#,
            reach * angle.cos(),
            reach * angle.sin()
        )
        .replace(r#"</body></body>"#, r#"<site name="tip" pos="1 0 0"/></body></body>"#)
        .replace(r#"/></worldbody>"#, r#"><site name="mark"/></body></worldbody>"#);
        let mut s = simulate(&text);
        s.state.q.copy_from_slice(&[q0, q1]);
        for _ in 0..5 {
            let before = s.state.q.to_vec();
            let report = s.step().unwrap();
            for (before, now) in before.iter().zip(&s.state.q) {
                // Closed at the beginning and at the end of the step, half a turn and the error at most each time.
                assert!((now - before).abs() <= 2.0 * (PI + reach + 2.0), "{seed}: {before} -> {now}");
            }
            let tip = s.data().link_pose[1].point(&Vector3::x());
            let open = (tip - Vector3::new(reach * angle.cos(), 0.0, reach * angle.sin())).amax();
            assert!((report.certificate.bilateral - open).abs() < 1e-9, "{seed}: {report:?}");
            assert!(closes(&report), "{seed}: {report:?}");
        }
    }
}

#[test]
fn at_a_speed_overlap_comes_out_linearly_and_no_body_gets_a_velocity() {
    for scale in [1e-3, 1.0, 1e3] {
        for h in [1e-4, 2e-3, 2e-2] {
            let (radius, depth) = (0.1 * scale, 0.02 * scale);
            let text = format!(
                r#"<mujoco><option timestep="{h}"/><worldbody><geom type="plane" size="1 1 1"/>
                <body name="ball" pos="0 0 {}"><freejoint/><geom type="sphere" size="{radius}" mass="1"/></body>
                </worldbody></mujoco>"#,
                radius - depth
            );
            // Out in twenty steps.
            let rate = depth / (20.0 * h);
            let options = Options { depenetration_speed: Some(rate), ..Options::default() };
            let mut s = simulate_with_options(&text, &options);
            for step in 1..=30 {
                let report = s.step().unwrap();
                let left = (depth - f64::from(step) * rate * h).max(0.0);
                let found = radius - position(&s, "ball").z;
                assert!((found - left).abs() <= 1e-9 + 1e-9 * depth, "{scale} {h} {step}: {found} {left}");
                assert!((report.certificate.penetration - left).abs() <= 1e-9 + 1e-9 * depth);
                assert!(speed(&s) < 1e-9 * scale.max(1.0), "{scale} {h}: {:?}", s.state.v);
            }
        }
    }
}

#[test]
fn without_speed_an_overlap_stays_and_at_once_it_goes() {
    let text = r#"<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 0 0"/><worldbody>
        <body><joint axis="0 1 0" range="-0.5 0.5"/><geom size="0.1" pos="1 0 0" mass="1"/></body></worldbody></mujoco>"#;
    for (chosen, expected) in [(Some(0.0), 0.9), (Some(10.0), 0.88), (None, 0.5)] {
        let options = Options { depenetration_speed: chosen, ..Options::default() };
        let mut s = simulate_with_options(text, &options);
        s.state.q[0] = 0.9;
        s.step().unwrap();
        assert!((s.state.q[0] - expected).abs() < 1e-9, "{chosen:?}: {}", s.state.q[0]);
        assert_eq!(s.state.v[0], 0.0);
    }
    let refused = Settings { depenetration_speed: Some(-1.0), ..Settings::default() }.validate().unwrap_err();
    assert!(refused.to_string().contains("depenetration_speed is -1"), "{refused}");
}

#[test]
fn the_energy_of_velocities_that_a_weld_forbids_is_said_once_whatever_the_rule() {
    // Two balls of a kilogram that fly apart at v each; with a third they also press on a floor, so that the contact rule has them.
    for (scale, contact) in [(1e-3, false), (1.0, false), (1e3, false), (1.0, true)] {
        let text = format!(
            r#"<mujoco><option timestep="0.002" gravity="0 0 {}"/><worldbody><geom type="plane" size="1 1 1" friction="0"/>
            <body name="a" pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
            <body name="b" pos="1 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody>
            <equality><weld body1="a" body2="b"/></equality></mujoco>"#,
            if contact { -9.81 } else { 0.0 }
        );
        let text =
            if contact { text } else { text.replace("0 0 0.1\"", "0 0 9\"").replace("1 0 0.1\"", "1 0 9\"") };
        let mut s = simulate(&text);
        s.state.v[0] = -scale;
        s.state.v[6] = scale;
        let report = s.step().unwrap();
        // Where they press friction has its share, to the overlap that is tolerated.
        let share = if contact { 1e-6 } else { 1e-9 };
        assert!(
            (report.work.velocity_projection + scale * scale).abs() <= share * scale * scale,
            "{:?}",
            report.work
        );
        assert!(closes(&report));
        let next = s.step().unwrap();
        assert_eq!(next.work.velocity_projection, 0.0, "{:?}", next.work);
    }
}
