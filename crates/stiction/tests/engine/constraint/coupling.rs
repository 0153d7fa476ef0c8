//! Joints coupled by equalities, and fixed tendons.

use crate::common::{run, simulate};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::FRAC_PI_2;
use stiction::dynamics;
use stiction::model::TreeId;
use stiction::sim::Simulation;

/// Two fingers of 0.1 kg on slides, the second `k` times the first plus 0.01 m: in one tree each.
fn fingers(k: f64) -> String {
    format!(
        r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
        <body name="one"><joint name="lead" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body>
        <body name="two" pos="0 1 0"><joint name="mimic" type="slide" axis="1 0 0"/>
        <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body></worldbody>
        <equality><joint name="follow" joint1="mimic" joint2="lead" polycoef="0.01 {k}"/></equality></mujoco>"#
    )
}

#[test]
fn a_mimicking_finger_follows_and_its_mass_counts_with_the_square_of_the_ratio() {
    for k in [1.0, -1.0, 0.5] {
        let mut s = simulate(&fingers(k));
        s.state.q.copy_from_slice(&[0.0, 0.01]);
        s.state.applied[0] = 1.0;
        let h = s.timestep();
        run(&mut s, 0.5, |_, report| assert!(report.certificate.bilateral <= 1e-12, "{report:?}"));
        let acceleration = s.state.v[0] / (s.step_number() as f64 * h);
        let expected = 1.0 / (0.1 + k * k * 0.1);
        assert!((acceleration - expected).abs() <= 1e-12 * expected, "{acceleration} {expected}");
        assert!((s.state.q[1] - k * s.state.q[0] - 0.01).abs() <= 1e-12);
    }
}

#[test]
fn a_finger_that_starts_off_its_place_is_brought_there_at_once() {
    let mut s = simulate(&fingers(2.0));
    let report = s.step().unwrap();
    assert!(report.certificate.bilateral <= 1e-12, "{report:?}");
    // The nearest place in the metric of the masses, without a speed from it.
    assert!((s.state.q[1] - 2.0 * s.state.q[0] - 0.01).abs() <= 1e-12);
    assert!((s.state.q[0] + 0.004).abs() <= 1e-12, "{:?}", s.state.q);
    assert_eq!(*s.state.v, [0.0, 0.0]);
}

/// A pendulum whose angle moves a slide by a polynomial: in one tree (the slide carries another hinge) or two.
fn cam(timestep: f64, polynomial: &str) -> String {
    format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="{timestep}"/><worldbody>
        <body name="crank"><joint name="turn" axis="0 1 0"/><inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.02 0.03"/></body>
        <body name="follower" pos="0 1 0"><joint name="rise" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="0.7" diaginertia="0.01 0.01 0.01"/></body></worldbody>
        <equality><joint name="cam" joint1="rise" joint2="turn" polycoef="{polynomial}"/></equality></mujoco>"#
    )
}

#[test]
fn a_curved_coupling_keeps_energy_and_stays_closed() {
    let mut s = simulate(&cam(2.5e-4, "0 0.1 0.2 -0.05 0.01"));
    let energy = s.step().unwrap().energy;
    let (mut gap, mut drift) = (0.0f64, 0.0f64);
    run(&mut s, 2.0, |_, report| {
        gap = gap.max(report.certificate.bilateral);
        drift = drift.max((report.energy - energy).abs());
    });
    assert!(s.state.q[0].abs() > 0.5, "it swings: {:?}", s.state.q);
    assert!(gap <= 1e-12 && drift <= 1e-11, "gap {gap}, energy {drift}");
}

#[test]
fn a_curved_coupling_converges_with_order_four() {
    let ends = [16e-3, 8e-3, 4e-3, 2e-3].map(|h: f64| {
        let mut s = simulate(&cam(h, "0 0.1 0.2 -0.05 0.01"));
        for _ in 0..(0.48 / h).round() as usize {
            let _ = s.step().unwrap();
        }
        s.state.q[0]
    });
    let differences: Vec<f64> = ends.windows(2).map(|e| (e[0] - e[1]).abs()).collect();
    let orders: Vec<f64> = differences.windows(2).map(|d| (d[0] / d[1]).log2()).collect();
    assert!(orders[1] >= 3.8, "{orders:?}");
}

#[test]
fn hinges_coupled_one_to_n_turn_as_gears_whether_in_one_tree_or_in_two() {
    // Wheels about their centres; the big one has n^2 of its moment seen at the small one.
    let wheel = |name: &str, moment: f64, inside: &str| {
        format!(
            r#"<body name="{name}" pos="1 0 0"><joint name="{name}" axis="0 1 0" ref="0.3"/>
            <inertial pos="0 0 0" mass="2" diaginertia="{moment} {moment} {moment}"/>{inside}</body>"#
        )
    };
    let scene = |bodies: &str| {
        format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="0 0 0"/><worldbody>{bodies}</worldbody>
            <equality><joint joint1="fast" joint2="slow" polycoef="0 -5"/></equality></mujoco>"#
        )
    };
    let mut s = simulate(&scene(&(wheel("slow", 0.5, "") + &wheel("fast", 0.01, ""))));
    s.state.applied[0] = 0.4;
    run(&mut s, 1.0, |_, report| assert!(report.certificate.bilateral <= 1e-12));
    let acceleration = 0.4 / (0.5 + 25.0 * 0.01);
    assert!((s.state.v[0] - acceleration).abs() < 1e-12 && (s.state.v[1] + 5.0 * acceleration).abs() < 1e-12);
    assert!((s.state.q[0] - 0.3 - 0.5 * acceleration).abs() < 1e-12, "{:?}", s.state.q);

    // In one tree the second turns against the first: its angle in the world is the sum.
    let mut s = simulate(&scene(&wheel("slow", 0.5, &wheel("fast", 0.01, ""))));
    s.state.applied[0] = 0.4;
    run(&mut s, 1.0, |_, report| assert!(report.certificate.bilateral <= 1e-12));
    // The second's centre goes round the first at 1 m.
    let acceleration = 0.4 / (0.5 + 2.0 * 1.0 + 0.01 * 16.0);
    assert!((s.state.v[0] - acceleration).abs() < 1e-10, "{:?} {acceleration}", s.state.v);
}

#[test]
fn a_coupling_with_one_joint_holds_it_at_its_place() {
    let mut s = simulate(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody><body name="rod"><joint name="j" axis="0 1 0" ref="0.2"/>
        <inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.02 0.03"/></body></worldbody>
        <equality><joint joint1="j" polycoef="0.1"/></equality></mujoco>"#,
    );
    run(&mut s, 0.2, |s, _| assert!((s.state.q[0] - 0.3).abs() <= 1e-12, "{:?}", s.state.q));
    assert_eq!(*s.state.v, [0.0]);
}

#[test]
fn a_coupled_finger_presses_on_the_floor_with_the_force_the_ratio_asks_for() {
    // The lead hangs free in the air, heavy; the mimic stands on the floor and bears its share through the coupling.
    let text = r#"<mujoco><option timestep="0.001"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
        <body name="one" pos="0 0 1"><joint name="lead" type="slide" axis="0 0 1"/><geom name="a" type="sphere" size="0.05" mass="3"/></body>
        <body name="two" pos="1 0 0.1"><joint name="mimic" type="slide" axis="0 0 1"/><geom name="b" type="sphere" size="0.1" mass="1"/></body>
        </worldbody><equality><joint joint1="mimic" joint2="lead" polycoef="0 2"/></equality></mujoco>"#;
    let mut s = simulate(text);
    run(&mut s, 0.5, |_, report| {
        let c = &report.certificate;
        assert!(c.bilateral <= 1e-9 && c.residual <= 1e-9 && c.penetration <= 1e-9, "{report:?}");
    });
    // Virtual work: N 2 dx = 9.81 (3 dx + 1 * 2 dx).
    let force = crate::common::normal_force(&s, ["floor", "b"]);
    assert!((force - 9.81 * 2.5).abs() < 1e-6, "{force}");
    assert!(crate::common::speed(&s) < 1e-9);
}

#[test]
fn the_order_in_which_coupled_bodies_are_written_changes_no_bit() {
    let body = |name: &str, x: f64| {
        format!(
            r#"<body name="{name}" pos="{x} 0 1"><joint name="{name}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03" mass="{}"/></body>"#,
            1.0 + x
        )
    };
    let hash = |order: [usize; 3], ties: [usize; 2]| {
        let bodies: String = order.iter().map(|&i| body(["a", "b", "c"][i], i as f64)).collect();
        let tie = [
            r#"<joint name="p" joint1="a" joint2="b" polycoef="0 0.7 0.2"/>"#,
            r#"<joint name="q" joint1="c" joint2="b" polycoef="0.1 -1.3"/>"#,
        ];
        let ties: String = ties.iter().map(|&i| tie[i]).collect();
        let mut s = simulate(&format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1" pos="0 0 0.8"/>{bodies}</worldbody><equality>{ties}</equality></mujoco>"#
        ));
        for _ in 0..500 {
            let _ = s.step().unwrap();
        }
        s.state_hash()
    };
    let first = hash([0, 1, 2], [0, 1]);
    assert_eq!(first, hash([2, 0, 1], [1, 0]));
    assert_eq!(first, hash([1, 2, 0], [0, 1]));
}

#[test]
fn contradictory_couplings_share_their_error_and_say_so() {
    let text = fingers(1.0).replace(
        "</equality>",
        r#"<joint name="other" joint1="mimic" joint2="lead" polycoef="0.03 1"/></equality>"#,
    );
    let mut s: Simulation = simulate(&text);
    for _ in 0..100 {
        let report = s.step().unwrap();
        assert!((report.certificate.bilateral - 0.01).abs() < 1e-4, "{report:?}");
    }
    assert!(s.state.q.iter().all(|q| q.abs() < FRAC_PI_2));
}

/// Sliders of 1 kg and 2 kg, each a tree, and a tendon of length q1 + 3 q2 with the given attributes.
fn sliders(timestep: f64, tendon: &str, rest: &str) -> String {
    let body = |name: &str, mass: f64, y: f64| {
        format!(
            r#"<body name="{name}" pos="0 {y} 0"><joint name="{name}" type="slide" axis="1 0 0"/>
            <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body>"#
        )
    };
    format!(
        r#"<mujoco><option timestep="{timestep}" gravity="0 0 0"/><worldbody>{}{}</worldbody>
        <tendon><fixed name="t" {tendon}><joint joint="a" coef="1"/><joint joint="b" coef="3"/></fixed></tendon>{rest}</mujoco>"#,
        body("a", 1.0, 0.0),
        body("b", 2.0, 1.0)
    )
}

/// `w M^-1 w^T` of that tendon: 1/1 + 9/2.
const INVERSE_MASS: f64 = 5.5;

#[test]
fn a_tendon_limit_stops_joints_in_two_trees_with_impulses_in_the_ratio_of_their_weights() {
    for (range, side) in [("-9 0.5", 1.0), ("-0.5 9", -1.0)] {
        let mut s = simulate(&sliders(1e-3, &format!(r#"range="{range}""#), ""));
        let v = [0.7 * side, 0.3 * side];
        s.state.v.copy_from_slice(&v);
        let mut beyond = 0.0f64;
        run(&mut s, 1.0, |s, report| {
            beyond = beyond.max(side * (s.state.q[0] + 3.0 * s.state.q[1]) - 0.5);
            assert!(report.certificate.penetration <= 1e-9 && report.certificate.residual <= 1e-12);
        });
        assert!(beyond <= 1e-9, "{beyond}");
        let (da, db) = (s.state.v[0] - v[0], 2.0 * (s.state.v[1] - v[1]));
        assert!((db - 3.0 * da).abs() < 1e-12 && da * side < 0.0, "{da} {db}");
        assert!((s.state.v[0] + 3.0 * s.state.v[1]).abs() < 1e-12, "plastic: {:?}", s.state.v);
    }
}

/// Zero crossings of the length per second, from below.
fn frequency(s: &mut Simulation, duration: f64) -> f64 {
    let (mut crossings, mut before, mut time) = (Vec::new(), f64::NAN, 0.0);
    run(s, duration, |s, report| {
        let length = s.state.q[0] + 3.0 * s.state.q[1];
        if before < 0.0 && length >= 0.0 {
            crossings.push(time + (report.time - time) * before / (before - length));
        }
        (before, time) = (length, report.time);
    });
    (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0])
}

#[test]
fn a_tendon_spring_swings_with_its_frequency_and_keeps_energy() {
    let mut s = simulate(&sliders(1e-3, r#"stiffness="8""#, ""));
    s.state.q[0] = 0.1;
    let energy = s.step().unwrap().energy;
    assert!((energy - 0.5 * 8.0 * 0.01).abs() < 1e-12, "{energy}");
    let expected = (8.0 * INVERSE_MASS).sqrt() / std::f64::consts::TAU;
    let found = frequency(&mut s, 20.0);
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    let drift = s.step().unwrap().energy - energy;
    assert!(drift.abs() < 1e-9, "{drift}");
}

#[test]
fn a_slack_tendon_does_not_pull_and_a_stretched_one_pulls_from_the_end_of_the_slack() {
    let mut s = simulate(&sliders(1e-3, r#"stiffness="8" springlength="-0.2 0.3""#, ""));
    s.state.q[0] = 0.25;
    run(&mut s, 0.1, |s, report| assert!(*s.state.v == [0.0, 0.0] && report.energy == 0.0));
    s.state.q[0] = 0.5;
    let report = s.step().unwrap();
    assert!((report.energy - 0.5 * 8.0 * 0.04).abs() < 1e-9, "{report:?}");
    assert!((s.state.v[0] + 1e-3 * 8.0 * 0.2).abs() < 1e-7 && s.state.v[1] < 0.0, "{:?}", s.state.v);
    s.state.q[0] = -0.4;
    s.state.v.fill(0.0);
    let _ = s.step().unwrap();
    assert!((s.state.v[0] - 1e-3 * 8.0 * 0.2).abs() < 1e-7, "{:?}", s.state.v);
}

#[test]
fn a_spring_of_a_tendon_is_relaxed_where_those_of_its_joints_are() {
    let text =
        sliders(1e-3, r#"stiffness="8""#, "").replace(r#"name="a" type"#, r#"name="a" springref="0.4" type"#);
    assert_eq!(simulate(&text).model().tendons[0].spring_range, [0.4, 0.4]);
}

#[test]
fn stiff_springs_and_dampers_of_a_tendon_follow_the_implicit_rule_exactly() {
    // M + (h d + h^2 k) w^T w by hand, which is how a stiff joint in the same place would move.
    let (h, k, d) = (1e-3, 1e6, 2e3);
    let mut s = simulate(&sliders(h, &format!(r#"stiffness="{k}" damping="{d}""#), ""));
    s.state.q[0] = 0.1;
    s.state.v[1] = 0.2;
    for _ in 0..50 {
        let (length, rate) = (s.state.q[0] + 3.0 * s.state.q[1], s.state.v[0] + 3.0 * s.state.v[1]);
        let slide = 3.0 * s.state.v[0] / 2.0 - s.state.v[1];
        let added = h * d + h * h * k;
        // The rate along the tendon obeys a scalar equation with the mass 1 / (w M^-1 w^T).
        let expected = (rate - h * k * length * INVERSE_MASS) / (1.0 + added * INVERSE_MASS);
        let _ = s.step().unwrap();
        let found = s.state.v[0] + 3.0 * s.state.v[1];
        assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
        // What the tendon cannot do: momentum across its row stays.
        assert!((3.0 * s.state.v[0] / 2.0 - s.state.v[1] - slide).abs() < 1e-9);
    }
    assert!(crate::common::speed(&s).is_finite());
}

#[test]
fn a_position_servo_on_a_tendon_brings_its_length_to_the_control() {
    let servo = r#"<actuator><position name="p" tendon="t" gear="2" kp="4e4" kv="400"/></actuator>"#;
    let mut s = simulate(&sliders(2e-3, "", servo));
    s.state.ctrl[0] = 0.8;
    run(&mut s, 3.0, |_, _| {});
    let length = s.state.q[0] + 3.0 * s.state.q[1];
    assert!((2.0 * length - 0.8).abs() < 1e-9, "{length}");
    // From rest the joints move in the ratio of weight over mass.
    assert!((s.state.q[1] - 1.5 * s.state.q[0]).abs() < 1e-9, "{:?}", s.state.q);
}

#[test]
fn dry_friction_of_a_tendon_holds_below_its_bound_and_slides_above() {
    let mut s = simulate(&sliders(1e-3, r#"frictionloss="2""#, ""));
    // Forces along the row's direction: w f with f below the bound.
    s.state.applied.copy_from_slice(&[1.9, 5.7]);
    run(&mut s, 0.5, |_, report| assert!(report.certificate.cone_violation <= 1e-9));
    assert!(crate::common::speed(&s) < 1e-12, "{:?}", s.state.v);
    s.state.applied.copy_from_slice(&[2.5, 7.5]);
    run(&mut s, 0.5, |_, report| assert!(report.certificate.cone_violation <= 1e-9));
    assert!(
        (s.state.v[0] - 0.5 * 0.5).abs() < 1e-9 && (s.state.v[1] - 0.5 * 0.75).abs() < 1e-9,
        "{:?}",
        s.state.v
    );
    // Across the row nothing holds.
    let mut s = simulate(&sliders(1e-3, r#"frictionloss="2""#, ""));
    s.state.applied.copy_from_slice(&[3.0, -1.0]);
    run(&mut s, 0.1, |_, _| {});
    assert!(s.state.v[0] > 0.1, "{:?}", s.state.v);
}

#[test]
fn a_motor_on_a_tendon_pulls_each_joint_with_its_weight() {
    let mut s =
        simulate(&sliders(1e-3, "", r#"<actuator><motor name="m" tendon="t" gear="0.5"/></actuator>"#));
    s.state.ctrl[0] = 4.0;
    run(&mut s, 0.5, |_, _| {});
    assert!((s.state.v[0] - 1.0).abs() < 1e-12 && (s.state.v[1] - 1.5).abs() < 1e-12, "{:?}", s.state.v);
}

#[test]
fn coupled_tendons_keep_their_ratio() {
    let rest = r#"<tendon><fixed name="u"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>
        <equality><tendon name="e" tendon1="u" tendon2="t" polycoef="0 0.5 0.1"/></equality>"#;
    let mut s = simulate(&sliders(1e-3, "", rest));
    s.state.applied[0] = 1.0;
    run(&mut s, 1.0, |s, report| {
        assert!(report.certificate.bilateral <= 1e-12, "{report:?}");
        let (t, u) = (s.state.q[0] + 3.0 * s.state.q[1], s.state.q[0] - s.state.q[1]);
        assert!((u - 0.5 * t - 0.1 * t * t).abs() <= 1e-12);
    });
    assert!(s.state.q[0] > 0.1, "{:?}", s.state.q);
}

#[test]
fn a_tendon_over_one_joint_is_that_joint() {
    // Servo, spring, damping, limit and friction on the joint, or on a tendon of weight one: the same motion.
    let scene = |joint: &str, rest: &str| {
        format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody><body><joint name="j" axis="0 1 0" {joint}/>
            <inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.02 0.03"/></body></worldbody>{rest}</mujoco>"#
        )
    };
    for what in [
        r#"stiffness="30" damping="1""#,
        r#"stiffness="3e5" damping="10""#,
        r#"range="-2 0.3""#,
        r#"frictionloss="1""#,
        r#"range="-2 0.3" frictionloss="1" stiffness="10" damping="0.2""#,
    ] {
        let tendon =
            format!(r#"<tendon><fixed name="t" {what}><joint joint="j" coef="1"/></fixed></tendon>"#);
        let (mut joint, mut tendon) = (simulate(&scene(what, "")), simulate(&scene("", &tendon)));
        for _ in 0..1500 {
            let (a, b) = (joint.step().unwrap(), tendon.step().unwrap());
            let difference = (joint.state.q[0] - tendon.state.q[0]).abs();
            assert!(difference < 1e-9, "{what}: {difference} at {}", a.time);
            assert!(
                (a.energy - b.energy).abs() < 1e-8 * a.energy.abs().max(1.0),
                "{what}: {} {}",
                a.energy,
                b.energy
            );
        }
    }
}

/// A hand with two fingers on different branches, closed by a tendon servo on a ball that it holds up.
const HAND: &str = r#"<mujoco><compiler angle="radian"/><option timestep="0.002"/><worldbody>
    <body name="palm" pos="0 0 1"><joint name="lift" type="slide" axis="0 0 1" damping="50" stiffness="1e5"/>
      <geom type="box" size="0.1 0.05 0.02" mass="1"/>
      <body name="left" pos="-0.06 0 -0.1"><joint name="l" type="slide" axis="1 0 0"/><geom name="left" type="box" size="0.01 0.05 0.06" mass="0.2" friction="1"/></body>
      <body name="right" pos="0.06 0 -0.1"><joint name="r" type="slide" axis="-1 0 0"/><geom name="right" type="box" size="0.01 0.05 0.06" mass="0.2" friction="1"/></body></body>
    <body name="ball" pos="0 0 0.9"><freejoint/><geom name="ball" type="box" size="0.04 0.04 0.04" mass="0.3" friction="1"/></body></worldbody>
    <tendon><fixed name="grasp" range="0 0.5"><joint joint="l" coef="0.5"/><joint joint="r" coef="0.5"/></fixed>
    <fixed name="even"><joint joint="l" coef="0.5"/><joint joint="r" coef="-0.5"/></fixed></tendon>
    <equality><tendon name="even" tendon1="even"/></equality>
    <actuator><position name="grip" tendon="grasp" kp="2000" kv="20"/></actuator></mujoco>"#;

#[test]
fn two_fingers_on_one_tendon_hold_a_box_with_equal_forces() {
    let mut s = simulate(HAND);
    s.state.ctrl[0] = 0.03;
    run(&mut s, 2.0, |_, report| {
        let c = &report.certificate;
        assert!(c.residual <= 1e-9 && c.bilateral <= 1e-9 && c.penetration <= 1e-6, "{report:?}");
    });
    // Each finger gets half of the servo's force: kp (ctrl - length) / 2 with the fingers 0.01 m in.
    let [left, right] = ["left", "right"].map(|finger| crate::common::normal_force(&s, [finger, "ball"]));
    assert!((left - 20.0).abs() < 1e-3 && (right - 20.0).abs() < 1e-3, "{left} {right}");
    assert!((crate::common::contact_force(&s, "ball").z - 0.3 * 9.81).abs() < 1e-6);
    assert!(crate::common::speed(&s) < 1e-6, "{}", crate::common::speed(&s));
}

#[test]
fn a_snapshot_of_a_hand_on_tendons_continues_with_the_same_bits() {
    let mut s = simulate(HAND);
    s.state.ctrl[0] = 0.03;
    for steps in [20, 300] {
        for _ in 0..steps {
            let _ = s.step().unwrap();
        }
        let bytes = s.snapshot().to_bytes().unwrap();
        let mut other = simulate(HAND);
        other.restore(&stiction::sim::Snapshot::from_bytes(&bytes).unwrap()).unwrap();
        for _ in 0..100 {
            let _ = (s.step().unwrap(), other.step().unwrap());
            assert_eq!(s.state_hash(), other.state_hash());
        }
    }
}

#[test]
fn the_order_in_which_tendons_and_what_they_span_are_written_changes_no_bit() {
    let bodies = ["a", "b", "c"].map(|name| {
        format!(
            r#"<body name="{name}" pos="{} 0 1"><joint name="{name}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03" mass="0.7"/></body>"#,
            name.as_bytes()[0]
        )
    });
    let tendons = [
        r#"<fixed name="p" stiffness="20" damping="0.1" range="-0.5 0.5">JOINTS</fixed>"#,
        r#"<fixed name="q" frictionloss="0.2"><joint joint="b" coef="0.3"/><joint joint="c" coef="0.4"/></fixed>"#,
    ];
    let joints =
        ["a", "b", "c"].map(|name| format!(r#"<joint joint="{name}" coef="0.{}"/>"#, name.as_bytes()[0]));
    let hash = |order: [usize; 3], two: [usize; 2]| {
        let pick = |from: &[String; 3]| order.iter().map(|&i| from[i].as_str()).collect::<String>();
        let tendons: String = two.iter().map(|&i| tendons[i]).collect();
        let mut s = simulate(&format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1" pos="0 0 0.8"/>{}</worldbody><tendon>{}</tendon></mujoco>"#,
            pick(&bodies),
            tendons.replace("JOINTS", &pick(&joints))
        ));
        for _ in 0..500 {
            let _ = s.step().unwrap();
        }
        s.state_hash()
    };
    let first = hash([0, 1, 2], [0, 1]);
    assert_eq!(first, hash([2, 0, 1], [1, 0]));
    assert_eq!(first, hash([1, 2, 0], [0, 1]));
}

/// A wrist with two fingers, one of two links: the tendon over both spans branches. It is stiff, and a drive pulls on it.
const BRANCHED_HAND: &str = r#"<mujoco><compiler angle="radian"/><option timestep="0.005"/><worldbody>
    <body name="palm" pos="0 0 1"><joint name="wrist" axis="0 1 0"/><inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.02 0.01"/>
      <body name="left" pos="-0.1 0 -0.2"><joint name="left" axis="0 1 0"/><inertial pos="0 0 -0.1" mass="0.2" diaginertia="1e-3 1e-3 1e-4"/>
        <body name="tip" pos="0 0 -0.2"><joint name="tip" axis="0 1 0"/><inertial pos="0 0 -0.05" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body></body>
      <body name="right" pos="0.1 0 -0.2"><joint name="right" axis="0 1 0"/><inertial pos="0 0 -0.1" mass="0.3" diaginertia="1e-3 1e-3 1e-4"/></body>
    </body>BODIES</worldbody>
    <tendon><fixed name="grip" stiffness="900" damping="3"><joint joint="left" coef="0.5"/><joint joint="tip" coef="0.8"/>
    <joint joint="right" coef="-0.7"/>JOINTS</fixed></tendon>
    <actuator><position tendon="grip" kp="400" kv="2" gear="1.5"/></actuator></mujoco>"#;

#[test]
fn the_implicit_rule_is_that_of_the_dense_matrices_whatever_branches_and_trees_a_tendon_spans() {
    let own = r#"<body name="own"><joint name="own" type="slide"/><inertial pos="0 0 0" mass="0.4" diaginertia="1 1 1"/></body>"#;
    for (bodies, joints) in [("", ""), (own, r#"<joint joint="own" coef="2"/>"#)] {
        let mut s = simulate(&BRANCHED_HAND.replace("BODIES", bodies).replace("JOINTS", joints));
        let model = s.model().clone();
        let (n, h) = (model.nv(), s.timestep());
        let weights = &model.tendons[0].path;
        for state in 0..5 {
            for k in 0..n {
                let phase = (state * n + k) as f64;
                s.state.q[k] = 0.6 * (1.7 * phase).sin();
                s.state.v[k] = (2.3 * phase).cos();
            }
            s.state.ctrl[0] = 0.2;
            let (q, v) = (s.state.q.clone(), DVector::from_column_slice(&s.state.v));
            let mut data = dynamics::Data::new(&model);
            dynamics::forward_kinematics_all(&model, &mut data, &q, v.as_slice());
            dynamics::mass_matrix_all(&model, &mut data);
            let mut mass = DMatrix::zeros(n, n);
            for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
                let (first, width) = (contents.dofs.start, contents.dofs.len());
                let block = &data.mass_matrix[data.tree_block(&model, tree)];
                for (i, j) in (0..width).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                    mass[(first + i, first + j)] = block[i * width + j];
                    mass[(first + j, first + i)] = block[i * width + j];
                }
            }
            let mut bias = vec![0.0; n];
            dynamics::bias_forces_all(&model, &mut data, &mut bias);
            let mut w = DVector::zeros(n);
            weights.terms.iter().for_each(|term| w[term.dof] = term.coefficient);
            let (stiffness, damping) = (900.0 + 2.25 * 400.0, 3.0 + 2.25 * 2.0);
            let (length, rate) = (weights.value(&q), w.dot(&v));
            let force =
                -900.0 * length - 3.0 * rate + 1.5 * (400.0 * (0.2 - 1.5 * length) - 2.0 * 1.5 * rate);
            let implicit = &mass + &w * w.transpose() * (h * damping + h * h * stiffness);
            let right = (&w * (force - h * stiffness * rate) - DVector::from_vec(bias)) * h;
            let expected = &v + implicit.lu().solve(&right).unwrap();

            let report = s.step().unwrap();
            assert_eq!(report.rows, 1, "the tendon is too stiff for the free rule");
            let found = DVector::from_column_slice(&s.state.v);
            assert!((&found - &expected).amax() < 1e-11 * expected.amax(), "{found} {expected}");
        }
    }
}

/// Rate of the length of the tendon of [`sliders`].
fn length_rate(s: &Simulation) -> f64 {
    s.state.v[0] + 3.0 * s.state.v[1]
}

#[test]
fn a_damper_takes_speed_at_the_rate_of_its_control() {
    // r' = -kv c gear^2 r w M^-1 w^T for the rate r of the length: by the free rule while soft, by the implicit one when stiff.
    let damper = r#"<actuator><damper tendon="t" kv="3" ctrlrange="0 2" gear="2"/></actuator>"#;
    let mut s = simulate(&sliders(1e-3, "", damper));
    s.state.v.copy_from_slice(&[0.4, 0.2]);
    s.state.ctrl[0] = 0.1;
    run(&mut s, 1.0, |_, _| {});
    let rate: f64 = 3.0 * 0.1 * 4.0 * INVERSE_MASS;
    assert!((length_rate(&s) - (-rate).exp()).abs() < 1e-11, "{:?}", s.state.v);

    let mut s = simulate(&sliders(0.1, "", damper));
    s.state.v.copy_from_slice(&[0.4, 0.2]);
    s.state.ctrl[0] = 5.0; // clamped to 2
    let _ = s.step().unwrap();
    let expected = 1.0 / (1.0 + 0.1 * 3.0 * 2.0 * 4.0 * INVERSE_MASS);
    assert!((length_rate(&s) - expected).abs() < 1e-14, "{:?}", s.state.v);
}

#[test]
fn tendons_coupled_by_a_polynomial_keep_energy_and_the_coupling() {
    let text = |timestep: f64| {
        format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="{timestep}"/><worldbody>
            <body name="arm"><joint name="arm" axis="0 1 0"/><inertial pos="0.4 0 0" mass="1" diaginertia="0.02 0.02 0.02"/>
              <body name="hand" pos="0.5 0 0"><joint name="hand" axis="0 1 0"/><inertial pos="0.2 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/></body></body>
            <body name="lift" pos="0 1 0"><joint name="lift" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="0.8" diaginertia="1 1 1"/></body>
            </worldbody><tendon><fixed name="x"><joint joint="arm" coef="1"/><joint joint="hand" coef="0.5"/></fixed>
            <fixed name="y"><joint joint="lift" coef="2"/><joint joint="hand" coef="0.1"/></fixed></tendon>
            <equality><tendon tendon1="y" tendon2="x" polycoef="0 0.3 0.4 -0.2 0.05"/></equality></mujoco>"#
        )
    };
    let mut s = simulate(&text(2.5e-4));
    let energy = s.step().unwrap().energy;
    let (mut gap, mut drift) = (0.0f64, 0.0f64);
    run(&mut s, 1.0, |_, report| {
        gap = gap.max(report.certificate.bilateral);
        drift = drift.max((report.energy - energy).abs());
    });
    assert!(gap <= 1e-12 && drift <= 1e-9, "gap {gap}, energy {drift}");
    let ends = [8e-3, 4e-3, 2e-3].map(|h: f64| {
        let mut s = simulate(&text(h));
        for _ in 0..(0.4 / h).round() as usize {
            let _ = s.step().unwrap();
        }
        s.state.q[0]
    });
    let order = ((ends[0] - ends[1]) / (ends[1] - ends[2])).abs().log2();
    assert!(order >= 3.7, "{order}");
}

#[test]
fn the_order_of_bodies_and_tendons_changes_no_bit_of_what_spans_four_trees() {
    let body = |i: usize| {
        let name = ["a", "b", "c", "d"][i];
        let (x, mass) = (i as f64, 1.0 + 0.37 * i as f64);
        format!(
            r#"<body name="{name}" pos="{x} 0 1"><joint name="{name}" axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03" mass="{mass}"/></body>"#
        )
    };
    let tendon = |i: usize| {
        let (name, attributes) = [
            ("p", r#"stiffness="300" damping="0.7""#),
            ("q", r#"range="-0.2 0.5" frictionloss="0.3""#),
            ("r", r#"stiffness="90000""#),
        ][i];
        let joints: String = [("c", 0.3), ("a", 1.1), ("d", -0.7), ("b", 0.9)]
            .iter()
            .enumerate()
            .map(|(k, (joint, w))| format!(r#"<joint joint="{joint}" coef="{}"/>"#, w + 0.1 * (i * k) as f64))
            .collect();
        format!(r#"<fixed name="{name}" {attributes}>{joints}</fixed>"#)
    };
    let hash = |bodies: [usize; 4], tendons: [usize; 3]| {
        let bodies: String = bodies.into_iter().map(body).collect();
        let tendons: String = tendons.into_iter().map(tendon).collect();
        let mut s = simulate(&format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1" pos="0 0 0.8"/>{bodies}</worldbody><tendon>{tendons}</tendon>
            <equality><tendon tendon1="q" tendon2="p" polycoef="0 0.4 0.2"/></equality>
            <actuator><position name="m" tendon="p" kp="20"/><motor name="n" tendon="q"/></actuator></mujoco>"#
        ));
        let drives = ["m", "n"].map(|name| s.model().actuator(name).unwrap());
        for step in 0..500 {
            s.state.ctrl[drives[0].index()] = (0.02 * step as f64).sin();
            s.state.ctrl[drives[1].index()] = (0.03 * step as f64).cos();
            let _ = s.step().unwrap();
        }
        s.state_hash()
    };
    let first = hash([0, 1, 2, 3], [0, 1, 2]);
    assert_eq!(first, hash([3, 1, 0, 2], [2, 0, 1]));
    assert_eq!(first, hash([2, 0, 3, 1], [1, 2, 0]));
}
