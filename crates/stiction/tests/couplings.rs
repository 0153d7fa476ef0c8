//! Joints coupled by equalities, and fixed tendons.

mod common;

use common::{run, simulate};
use std::f64::consts::FRAC_PI_2;
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
    assert_eq!(s.state.v, [0.0, 0.0]);
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
    assert_eq!(s.state.v, [0.0]);
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
    let force = common::normal_force(&s, ["floor", "b"]);
    assert!((force - 9.81 * 2.5).abs() < 1e-6, "{force}");
    assert!(common::speed(&s) < 1e-9);
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
