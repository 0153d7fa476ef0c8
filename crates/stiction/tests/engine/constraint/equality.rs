//! Trees tied by equality constraints: loops, pins and welds.

use super::rod;
use crate::common::{position, run, simulate};
use nalgebra::Vector3;
use stiction::model::TreeId;
use stiction::sim::Simulation;

const GRAVITY: f64 = 9.81;

/// The four-bar of google-deepmind/mujoco issue 172: a parallelogram of uniform rods in the plane y = 0. Crank and
/// rocker have 0.1 m and 0.2 kg, the coupler 0.3 m and 0.6 kg. At q = 0 crank and rocker hang straight down.
/// Hinges and one connect, which closes the loop with three rows of which the plane needs two.
fn four_bar(timestep: f64, floor: &str) -> String {
    let (crank, coupler, rocker) = (rod(0.2, 0.1, "z"), rod(0.6, 0.3, "x"), rod(0.2, 0.1, "z"));
    let geom = |body: &str, to: &str| {
        if floor.is_empty() {
            return String::new();
        }
        format!(
            r#"<geom name="{body}" type="capsule" fromto="0 0 0 {to}" size="0.01" contype="2" conaffinity="1"/>"#
        )
    };
    format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="{timestep}" gravity="0 0 -{GRAVITY}"/><worldbody>{floor}
        <body name="crank"><joint name="a" axis="0 1 0"/>{crank}
          <body name="coupler" pos="0 0 -0.1"><joint name="b" axis="0 1 0"/>{coupler}{}</body></body>
        <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{rocker}</body></worldbody>
        <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.3 0 0"/></equality></mujoco>"#,
        geom("coupler", "0.3 0 0"),
    )
}

/// The same with every body free: the ground pins are two connects each on their axis, the others one or two.
fn free_four_bar(timestep: f64) -> String {
    let (crank, coupler, rocker) = (rod(0.2, 0.1, "z"), rod(0.6, 0.3, "x"), rod(0.2, 0.1, "z"));
    let mut connects = String::new();
    let pins = [
        ("crank", "world", "0 {} 0"),
        ("rocker", "world", "0 {} 0"),
        ("crank", "coupler", "0 {} -0.1"),
        ("coupler", "rocker", "0.3 {} 0"),
    ];
    for (number, (first, second, anchor)) in pins.iter().enumerate() {
        for side in ["0.02", "-0.03"] {
            let anchor = anchor.replace("{}", side);
            connects.push_str(&format!(
                r#"<connect name="pin{number}{side}" body1="{first}" body2="{second}" anchor="{anchor}"/>"#
            ));
        }
    }
    format!(
        r#"<mujoco><option timestep="{timestep}" gravity="0 0 -{GRAVITY}"/><worldbody>
        <body name="crank"><freejoint/>{crank}</body>
        <body name="coupler" pos="0 0 -0.1"><freejoint/>{coupler}</body>
        <body name="rocker" pos="0.3 0 0"><freejoint/>{rocker}</body></worldbody>
        <equality>{connects}</equality></mujoco>"#
    )
}

/// Turns the crank of the four-bar with hinges to an angle (rad), closed.
fn turn_crank(s: &mut Simulation, angle: f64) {
    s.state.q.copy_from_slice(&[angle, -angle, angle]);
}

/// The same for the one with free bodies.
fn turn_free_crank(s: &mut Simulation, angle: f64) {
    let turn = [(0.5 * angle).cos(), 0.0, (0.5 * angle).sin(), 0.0];
    let pin = [-0.1 * angle.sin(), 0.0, -0.1 * angle.cos()];
    s.state.q[0..3].copy_from_slice(&[0.0; 3]);
    s.state.q[3..7].copy_from_slice(&turn);
    s.state.q[7..10].copy_from_slice(&pin);
    s.state.q[10..14].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    s.state.q[14..17].copy_from_slice(&[0.3, 0.0, 0.0]);
    s.state.q[17..21].copy_from_slice(&turn);
}

/// Crank angle of the one with free bodies.
fn free_crank(s: &Simulation) -> f64 {
    2.0 * s.state.q[5].atan2(s.state.q[3])
}

#[test]
fn a_four_bar_swings_with_its_period_and_neither_opens_nor_drifts_in_energy() {
    let mut s = simulate(&four_bar(1e-3, ""));
    turn_crank(&mut s, 60f64.to_radians());
    let (mut gap, mut crossings, mut fastest, mut energies) = (0.0f64, Vec::new(), 0.0f64, Vec::new());
    let (mut time, mut angle) = (0.0, s.state.q[0]);
    run(&mut s, 100.0, |s, report| {
        gap = gap.max(report.certificate.bilateral);
        fastest = fastest.max(s.state.v[0].abs());
        energies.push(report.energy);
        if angle > 0.0 && s.state.q[0] <= 0.0 {
            crossings.push(time + (report.time - time) * angle / (angle - s.state.q[0]));
        }
        (time, angle) = (report.time, s.state.q[0]);
    });
    assert!(gap <= 1e-9, "loop gap {gap}");
    let periods = (crossings.len() - 1) as f64;
    let period = (crossings[crossings.len() - 1] - crossings[0]) / periods;
    assert!((period / 0.651815 - 1.0).abs() < 5e-4, "period {period}");
    // 1/2 (2/3 m1 + m2) a^2 w^2 = (m1 + m2) g a (1 - cos 60).
    let bottom = (0.8 * GRAVITY / (0.1 * (0.4 / 3.0 + 0.6))).sqrt();
    assert!((fastest / bottom - 1.0).abs() < 1e-4, "{fastest} {bottom}");
    let window = 6518;
    let mean = |e: &[f64]| e.iter().sum::<f64>() / e.len() as f64;
    let (first, last) = (mean(&energies[..window]), mean(&energies[energies.len() - window..]));
    let swing = 0.8 * GRAVITY * 0.1 * 0.5;
    assert!((last - first).abs() <= 1e-4 * swing, "energy drift {} of {swing}", last - first);
}

#[test]
fn a_four_bar_turned_in_space_with_gravity_moves_as_before() {
    // Axes that are not those of the world: none of the loop's rows is zero, the three of them have rank two.
    let turn = nalgebra::UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1);
    let (g, q) = (turn * Vector3::new(0.0, 0.0, -GRAVITY), turn.quaternion().coords);
    let text = four_bar(1e-3, "")
        .replace(&format!("0 0 -{GRAVITY}"), &format!("{} {} {}", g.x, g.y, g.z))
        .replace(
            "<worldbody>",
            &format!(r#"<worldbody><body name="frame" pos="5 -3 8" quat="{} {} {} {}">"#, q.w, q.x, q.y, q.z),
        )
        .replace("</worldbody>", "</body></worldbody>");
    let (mut plain, mut turned) = (simulate(&four_bar(1e-3, "")), simulate(&text));
    for s in [&mut plain, &mut turned] {
        turn_crank(s, 60f64.to_radians());
    }
    for _ in 0..3000 {
        let _ = plain.step().unwrap();
        let report = turned.step().unwrap();
        assert!(report.certificate.bilateral <= 1e-12, "{:?}", report.certificate);
        let difference = (plain.state.q[0] - turned.state.q[0]).abs();
        assert!(difference < 1e-9, "{difference} at {}", report.time);
    }
}

#[test]
fn a_four_bar_of_free_bodies_moves_as_the_one_with_hinges() {
    let (mut hinged, mut free) = (simulate(&four_bar(1e-3, "")), simulate(&free_four_bar(1e-3)));
    turn_crank(&mut hinged, 60f64.to_radians());
    turn_free_crank(&mut free, 60f64.to_radians());
    let (mut gap, mut worst) = (0.0f64, 0.0f64);
    for _ in 0..1000 {
        let _ = hinged.step().unwrap();
        gap = gap.max(free.step().unwrap().certificate.bilateral);
        worst = worst.max((free_crank(&free) - hinged.state.q[0]).abs());
        worst = worst.max((position(&free, "coupler") - position(&hinged, "coupler")).amax());
    }
    assert!(gap <= 1e-9, "{gap}");
    assert!(worst <= 1e-6, "{worst}");
}

#[test]
fn a_driven_four_bar_stays_closed() {
    // 50 rad/s between +-80 degrees by a strong velocity servo.
    let text = four_bar(1e-3, "")
        .replace("</mujoco>", r#"<actuator><velocity name="m" joint="a" kv="10"/></actuator></mujoco>"#);
    let mut s = simulate(&text);
    let mut direction = 1.0;
    let (mut gap, mut turns, mut fastest) = (0.0f64, 0, 0.0f64);
    for _ in 0..2000 {
        // The servo turns round within a degree.
        if direction * s.state.q[0] > 75f64.to_radians() {
            (direction, turns) = (-direction, turns + 1);
        }
        s.state.ctrl[0] = 50.0 * direction;
        gap = gap.max(s.step().unwrap().certificate.bilateral);
        fastest = fastest.max(s.state.v[0].abs());
        assert!(s.state.q[0].abs() < 80f64.to_radians());
    }
    assert!(turns >= 20 && fastest > 49.0, "{turns} {fastest}");
    assert!(gap <= 1e-9, "{gap}");
}

#[test]
fn without_contact_a_loop_converges_with_order_four() {
    type Scene = (fn(f64) -> String, fn(&mut Simulation, f64));
    let scenes: [Scene; 2] = [(|h| four_bar(h, ""), turn_crank), (free_four_bar, turn_free_crank)];
    for (text, turn) in scenes {
        // From steps that resolve the oscillation to where round-off is still far below.
        let ends = [8e-3, 4e-3, 2e-3, 1e-3].map(|h: f64| {
            let mut s = simulate(&text(h));
            turn(&mut s, 60f64.to_radians());
            for _ in 0..(0.4 / h).round() as usize {
                let _ = s.step().unwrap();
            }
            position(&s, "coupler")
        });
        let differences: Vec<f64> = ends.windows(2).map(|e| (e[0] - e[1]).norm()).collect();
        let orders: Vec<f64> = differences.windows(2).map(|d| (d[0] / d[1]).log2()).collect();
        assert!(orders[1] >= 3.8, "orders {orders:?}");
    }
}

#[test]
fn a_four_bar_cut_in_its_coupler_and_welded_moves_as_the_one_cut_at_a_pin() {
    // Six rows of rank three.
    let half = |from: f64| {
        let moment = 0.3 * 0.15 * 0.15 / 12.0;
        format!(r#"<inertial pos="{from} 0 0" mass="0.3" diaginertia="1e-6 {moment} {moment}"/>"#)
    };
    let rod = rod(0.2, 0.1, "z");
    let mut welded = simulate(&format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="0 0 -{GRAVITY}"/><worldbody>
        <body name="crank"><joint name="a" axis="0 1 0"/>{rod}
          <body name="left" pos="0 0 -0.1"><joint name="b" axis="0 1 0"/>{}</body></body>
        <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{rod}
          <body name="right" pos="0 0 -0.1"><joint name="d" axis="0 1 0"/>{}</body></body></worldbody>
        <equality><weld name="cut" body1="left" body2="right"/></equality></mujoco>"#,
        half(0.075),
        half(-0.075),
    ));
    let mut pinned = simulate(&four_bar(1e-3, ""));
    let angle = 60f64.to_radians();
    turn_crank(&mut pinned, angle);
    welded.state.q.copy_from_slice(&[angle, -angle, angle, -angle]);
    for _ in 0..2000 {
        let _ = pinned.step().unwrap();
        let report = welded.step().unwrap();
        assert!(report.certificate.bilateral <= 1e-12, "{:?}", report.certificate);
        assert!((welded.state.q[0] - pinned.state.q[0]).abs() < 1e-9, "at {}", report.time);
    }
}

const HINGE_PENDULUM: &str = r#"<mujoco><option timestep="0.001"/><worldbody>
    <body name="bob" pos="0 0 0"><joint axis="0 1 0"/>
    <inertial pos="1 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody></mujoco>"#;

#[test]
fn a_pendulum_by_hinge_and_by_connects_agree() {
    let mut hinged = simulate(HINGE_PENDULUM);
    let mut tied = simulate(
        r#"<mujoco><option timestep="0.001"/><worldbody>
        <body name="bob"><freejoint/><inertial pos="1 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
        <equality><connect name="p" body1="bob" anchor="0 0.1 0"/><connect name="q" body1="bob" anchor="0 -0.1 0"/>
        </equality></mujoco>"#,
    );
    let energy = tied.step().unwrap().energy;
    let _ = hinged.step().unwrap();
    for _ in 0..2000 {
        let _ = hinged.step().unwrap();
        let report = tied.step().unwrap();
        assert!(report.certificate.bilateral <= 1e-12, "{:?}", report.certificate);
        assert!((report.energy - energy).abs() < 1e-9, "{}", report.energy - energy);
        let angle = 2.0 * tied.state.q[5].atan2(tied.state.q[3]);
        assert!((angle - hinged.state.q[0]).abs() < 1e-9, "{angle} {}", hinged.state.q[0]);
    }
}

#[test]
fn a_redundant_second_connect_changes_nothing() {
    let text = |extra: &str| {
        format!(
            r#"<mujoco><option timestep="0.001"/><worldbody><body name="bob" pos="0.3 0.2 1"><freejoint/>
            <inertial pos="0.1 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
            <equality><connect name="p" body1="bob" anchor="-0.2 0.1 0.3"/>{extra}</equality></mujoco>"#
        )
    };
    let mut one = simulate(&text(""));
    let mut two = simulate(&text(r#"<connect name="q" body1="bob" anchor="-0.2 0.1 0.3"/>"#));
    for _ in 0..2000 {
        let _ = one.step().unwrap();
        let report = two.step().unwrap();
        assert!(report.certificate.bilateral <= 1e-12, "{:?}", report.certificate);
    }
    let difference = one.state.q.iter().zip(&two.state.q).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(difference < 1e-10, "{difference}");
}

#[test]
fn a_connect_on_the_axis_of_a_hinge_is_redundant_and_changes_nothing() {
    // Far from the world's origin, so that the row is round-off and not zero.
    let text = |extra: &str| {
        format!(
            r#"<mujoco><option timestep="0.001"/><worldbody><body name="rod" pos="3.3 -7.1 5.7" euler="11 22 33">
            <joint axis="0.3 1 0.2"/><inertial pos="0.1 0 0.2" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
            <equality>{extra}</equality></mujoco>"#
        )
    };
    let mut one = simulate(&text(""));
    let mut two = simulate(&text(r#"<connect name="q" body1="rod" anchor="0 0 0"/>"#));
    let mut three = simulate(&text(r#"<connect name="q" body1="rod" anchor="0.15 0.5 0.1"/>"#));
    for _ in 0..1000 {
        for s in [&mut one, &mut two, &mut three] {
            assert!(s.step().unwrap().certificate.bilateral <= 1e-12);
        }
        for s in [&two, &three] {
            assert!((one.state.q[0] - s.state.q[0]).abs() < 1e-9, "{:?} {:?}", one.state.q, s.state.q);
        }
    }
}

/// Momenta of all trees: linear, and angular about the world's origin.
fn momenta(s: &Simulation) -> (Vector3<f64>, Vector3<f64>) {
    let (model, data) = (s.model(), s.data());
    TreeId::all(&model.trees).fold((Vector3::zeros(), Vector3::zeros()), |(p, l), tree| {
        (
            p + stiction::dynamics::linear_momentum(model, data, tree),
            l + stiction::dynamics::angular_momentum(model, data, tree),
        )
    })
}

#[test]
fn two_welded_free_bodies_move_as_one_rigid_body() {
    let mut pair = simulate(
        r#"<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
        <body name="a"><freejoint/><inertial pos="0.1 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body>
        <body name="b" pos="0.5 0.2 0.1" euler="30 40 50"><freejoint/>
          <inertial pos="0 0 0.1" mass="2" diaginertia="0.05 0.02 0.04"/></body></worldbody>
        <equality><weld name="w" body1="a" body2="b"/></equality></mujoco>"#,
    );
    let mut one = simulate(
        r#"<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
        <body name="a"><freejoint/><inertial pos="0.1 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
          <body name="b" pos="0.5 0.2 0.1" euler="30 40 50">
          <inertial pos="0 0 0.1" mass="2" diaginertia="0.05 0.02 0.04"/></body></body></worldbody></mujoco>"#,
    );
    // One rigid motion, in each body's own axes.
    let (linear, spin) = (Vector3::new(0.3, -0.2, 0.1), Vector3::new(2.0, -1.5, 1.0));
    let b = spin.cross(&Vector3::new(0.5, 0.2, 0.1)) + linear;
    let [w, x, y, z] = [0, 1, 2, 3].map(|i| pair.state.q[10 + i]);
    let orientation = nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    let spin_b = orientation.inverse_transform_vector(&spin);
    pair.state.v[..3].copy_from_slice(linear.as_slice());
    pair.state.v[3..6].copy_from_slice(spin.as_slice());
    pair.state.v[6..9].copy_from_slice(b.as_slice());
    pair.state.v[9..12].copy_from_slice(spin_b.as_slice());
    one.state.v[..3].copy_from_slice(linear.as_slice());
    one.state.v[3..6].copy_from_slice(spin.as_slice());
    let (first, _) = (pair.step().unwrap(), one.step().unwrap());
    let start = momenta(&pair);
    let (mut dp, mut dl, mut de, mut gap, mut apart) = (0.0f64, 0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for _ in 0..1000 {
        let report = pair.step().unwrap();
        let _ = one.step().unwrap();
        let now = momenta(&pair);
        dp = dp.max((now.0 - start.0).norm());
        dl = dl.max((now.1 - start.1).norm());
        de = de.max((report.energy - first.energy).abs());
        gap = gap.max(report.certificate.bilateral);
        apart = apart.max((position(&pair, "a") - position(&one, "a")).norm());
    }
    assert!(gap <= 1e-12, "{gap}");
    assert!(dp <= 1e-9 && dl <= 1e-9 && de <= 1e-9, "{dp} {dl} {de}");
    assert!(apart <= 1e-8, "{apart}");
}

#[test]
fn a_body_welded_to_the_world_or_to_a_moving_prescribed_body_moves_with_it() {
    let twist = "0.3 -0.7 1.1 0.2 -0.1 0.05";
    let text = |partner: &str, kind: &str| {
        format!(
            r#"<mujoco><option timestep="0.002"/><worldbody>
            <body name="hand" mocap="true" pos="0.1 0.2 0.3"/>
            <body name="held" pos="0.5 0.2 0.1" euler="30 40 50"><freejoint/>
              <inertial pos="0 0 0.1" mass="2" diaginertia="0.05 0.02 0.04"/></body></worldbody>
            <equality><{kind} name="w" body1="{partner}" body2="held" {}/></equality>
            <custom><numeric name="stiction:mocap_velocity:hand" data="{twist}"/></custom></mujoco>"#,
            if kind == "connect" { r#"anchor="0.4 0 0""# } else { "" }
        )
    };
    for partner in ["world", "hand"] {
        let mut s = simulate(&text(partner, "weld"));
        let hand = s.state.mocap[0].pose();
        let held = Vector3::new(0.5, 0.2, 0.1);
        run(&mut s, 2.0, |s, report| {
            assert!(report.certificate.bilateral <= 1e-12, "{partner}: {:?}", report.certificate);
            let right = if partner == "world" {
                held
            } else {
                s.state.mocap[0].pose().point(&hand.inverse_point(&held))
            };
            assert!((position(s, "held") - right).norm() < 1e-11, "{partner}");
        });
        let spin = Vector3::new(s.state.v[3], s.state.v[4], s.state.v[5]).norm();
        let right = if partner == "world" { 0.0 } else { Vector3::new(0.3, -0.7, 1.1).norm() };
        assert!((spin - right).abs() < 1e-10, "{partner}: {spin}");
        let mut s = simulate(&text(partner, "connect"));
        run(&mut s, 2.0, |_, report| {
            assert!(report.certificate.bilateral <= 1e-12, "{partner}: {:?}", report.certificate);
        });
    }
}

#[test]
fn a_body_hung_on_a_turning_prescribed_body_converges_with_order_four() {
    // The convective part of the prescribed rotation decides the order.
    let end = |h: f64| {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="{h}"/><worldbody><body name="hand" mocap="true"/>
            <body name="bob" pos="0.5 0 -0.4"><freejoint/>
              <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
            <equality><connect name="p" body1="hand" body2="bob" anchor="0.5 0 0"/></equality>
            <custom><numeric name="stiction:mocap_velocity:hand" data="0 0.5 3 0.1 0 0"/></custom></mujoco>"#
        ));
        // Moving with the hand at the start: no impulsive beginning.
        let spin = Vector3::new(0.0, 0.5, 3.0);
        let v = spin.cross(&Vector3::new(0.5, 0.0, -0.4)) + Vector3::new(0.1, 0.0, 0.0);
        s.state.v[..3].copy_from_slice(v.as_slice());
        s.state.v[3..6].copy_from_slice(spin.as_slice());
        for _ in 0..(0.8 / h).round() as usize {
            let _ = s.step().unwrap();
        }
        position(&s, "bob")
    };
    let ends = [2e-2, 1e-2, 5e-3, 2.5e-3].map(end);
    let differences: Vec<f64> = ends.windows(2).map(|e| (e[0] - e[1]).norm()).collect();
    let orders: Vec<f64> = differences.windows(2).map(|d| (d[0] / d[1]).log2()).collect();
    assert!(orders[1] >= 3.8, "{orders:?}");
}

#[test]
fn contradictory_equalities_are_reported_and_give_finite_numbers() {
    for (first, second) in [
        (
            r#"<connect name="p" body1="bob" anchor="0 0 0"/>"#,
            r#"<connect name="q" body1="post" body2="bob" anchor="0.02 0 0"/>"#,
        ),
        (
            r#"<weld name="p" body1="bob"/>"#,
            r#"<weld name="q" body1="post" body2="bob" relpose="0.02 0 0 0.9 0.1 0 0"/>"#,
        ),
    ] {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.001"/><worldbody><body name="post" mocap="true"/>
            <body name="bob"><freejoint/><inertial pos="0 0 -0.3" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody>
            <equality>{first}{second}</equality></mujoco>"#
        ));
        // The second was built closed: move the post so that both cannot hold.
        s.state.mocap[0].position.x = 0.05;
        let mut least = f64::INFINITY;
        for _ in 0..500 {
            let report = s.step().unwrap();
            least = least.min(report.certificate.bilateral);
            assert!(report.energy.is_finite() && s.state.q.iter().all(|x| x.abs() < 10.0), "{:?}", s.state.q);
        }
        assert!(least > 1e-3, "{least}");
    }
}

#[test]
fn a_four_bar_that_rests_on_the_floor_is_solved_and_closed() {
    let floor = r#"<geom name="floor" type="plane" size="5 5 1" pos="0 0 -0.09" friction="0.5"/>"#;
    let mut s = simulate(&four_bar(1e-3, floor));
    turn_crank(&mut s, 60f64.to_radians());
    let (mut gap, mut contacts) = (0.0f64, 0);
    run(&mut s, 3.0, |_, report| {
        gap = gap.max(report.certificate.bilateral);
        contacts = report.contacts;
        assert!(report.certificate.residual <= 1e-9, "{report:?}");
        assert!(report.certificate.penetration <= 1e-6, "{report:?}");
    });
    assert!(contacts >= 2 && crate::common::speed(&s) < 1e-6, "{contacts} {}", crate::common::speed(&s));
    assert!(gap <= 1e-9, "{gap}");
    // The coupler, a capsule of radius 0.01 m, lies on the floor.
    assert!((position(&s, "coupler").z + 0.08).abs() < 1e-6, "{}", position(&s, "coupler"));
    // Held at rest, crank and rocker lean on the floor through the coupler: the floor bears a part of the weight.
    assert!(crate::common::contact_force(&s, "coupler").z > 0.0);
}

#[test]
fn a_velocity_against_the_equalities_is_brought_onto_them_like_an_impact() {
    // A bob on a pin gets a speed along the string: all of it is lost; across it: all of it is kept.
    let text = r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
        <body name="bob" pos="0 0 -1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/></body>
        </worldbody><equality><connect name="p" body1="bob" anchor="0 0 1"/></equality></mujoco>"#;
    let mut s = simulate(text);
    s.state.v[2] = -3.0;
    assert!(s.step().unwrap().kinetic_energy < 1e-18);
    s.state.v[0] = 3.0;
    let energy = s.step().unwrap().kinetic_energy;
    assert!((energy - 4.5).abs() < 1e-6, "{energy}");
}

#[test]
fn the_order_in_which_tied_bodies_are_written_changes_no_bit() {
    let bodies = [
        r#"<body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body>"#,
        r#"<body name="b" pos="0.5 0.1 0"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.02 0.03 0.04"/></body>"#,
        r#"<body name="c" pos="1 0 0.2"><freejoint/><inertial pos="0 0 0" mass="3" diaginertia="0.02 0.03 0.04"/></body>"#,
    ];
    let ties = [
        r#"<connect name="x" body1="a" body2="b" anchor="0.2 0 0"/>"#,
        r#"<connect name="y" body1="b" body2="c" anchor="0.2 0 0"/>"#,
        r#"<connect name="z" body1="a" anchor="0 0.1 0"/>"#,
    ];
    let hash = |order: [usize; 3]| {
        let bodies: String = order.iter().map(|&i| bodies[i]).collect();
        let ties: String = order.iter().map(|&i| ties[i]).collect();
        let mut s = simulate(&format!(
            r#"<mujoco><worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"#
        ));
        for _ in 0..500 {
            let _ = s.step().unwrap();
        }
        s.state_hash()
    };
    let first = hash([0, 1, 2]);
    assert_eq!(first, hash([2, 0, 1]));
    assert_eq!(first, hash([1, 2, 0]));
}

#[test]
fn a_set_of_tied_bodies_moves_the_same_whatever_else_is_in_the_scene() {
    let other = r#"<body name="other" pos="0 3 0"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#;
    let run = |other: &str, tie: &str| {
        let text = four_bar(1e-3, "")
            .replace("</worldbody>", &format!("{other}</worldbody>"))
            .replace("</equality>", &format!("{tie}</equality>"));
        let mut s = simulate(&text);
        s.state.q[..3].copy_from_slice(&[1.0, -1.0, 1.0]);
        for _ in 0..500 {
            let _ = s.step().unwrap();
        }
        s.state.q[..3].iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let alone = run("", "");
    assert_eq!(alone, run(other, r#"<connect name="again" body1="other" anchor="0.3 0 0"/>"#));
}

/// A row of capsules of 0.2 m, each tied to the next by a connect.
fn chain(count: usize, anchored: bool, floor: &str) -> String {
    let mut bodies = String::new();
    let mut ties = String::new();
    for i in 0..count {
        bodies.push_str(&format!(
            r#"<body name="link{i}" pos="{} 0 0.5"><freejoint/>
            <geom type="capsule" fromto="-0.07 0 0 0.07 0 0" size="0.02" mass="0.1" contype="2" conaffinity="1"/></body>"#,
            0.2 * i as f64
        ));
        if i > 0 {
            ties.push_str(&format!(
                r#"<connect name="tie{i}" body1="link{}" body2="link{i}" anchor="0.1 0 0"/>"#,
                i - 1
            ));
        }
    }
    if anchored {
        ties.push_str(r#"<connect name="anchor" body1="link0" anchor="-0.1 0 0"/>"#);
    }
    format!(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="0.5"/></default>
        <worldbody>{floor}{bodies}</worldbody><equality>{ties}</equality></mujoco>"#
    )
}

#[test]
fn a_chain_of_free_bodies_swings_with_its_energy() {
    let mut s = simulate(&chain(6, true, ""));
    let energy = s.step().unwrap().energy;
    let (mut gap, mut drift) = (0.0f64, 0.0f64);
    run(&mut s, 2.0, |_, report| {
        gap = gap.max(report.certificate.bilateral);
        drift = drift.max((report.energy - energy).abs());
    });
    assert!(gap <= 1e-12, "{gap}");
    assert!(drift <= 1e-5, "{drift}");
}

#[test]
fn a_chain_that_falls_on_the_floor_stays_together_and_comes_to_rest() {
    let floor = r#"<geom name="floor" type="plane" size="5 5 1"/>"#;
    // Boxes: capsules would roll on for ever.
    let boxes = r#"type="box" size="0.07 0.02 0.015""#;
    let text =
        chain(5, false, floor).replace(r#"type="capsule" fromto="-0.07 0 0 0.07 0 0" size="0.02""#, boxes);
    assert!(text.contains(boxes));
    let mut s = simulate(&text);
    // Thrown so that it bends and slides.
    for i in 0..5 {
        s.state.v[6 * i] = 0.5;
        s.state.v[6 * i + 1] = 0.2 * (i as f64 - 2.0) * (i as f64);
    }
    let (mut gap, mut overlap, mut contacts) = (0.0f64, 0.0f64, 0);
    run(&mut s, 4.0, |_, report| {
        let c = &report.certificate;
        gap = gap.max(c.bilateral);
        overlap = overlap.max(c.penetration);
        contacts = contacts.max(report.contacts);
        assert!(c.residual <= 1e-9, "{report:?}");
        assert!(c.contact_work <= 1e-12 * (1.0 + report.kinetic_energy), "{report:?}");
    });
    assert!(contacts >= 5);
    assert!(gap <= 1e-9 && overlap <= 1e-6, "{gap} {overlap}");
    assert!(crate::common::speed(&s) < 1e-6, "{}", crate::common::speed(&s));
}

#[test]
fn contacts_at_the_very_point_of_a_pin_are_solved() {
    // The capsules touch each other where they are tied: no impulse there changes anything.
    let floor = r#"<geom name="floor" type="plane" size="5 5 1"/>"#;
    let text = chain(4, false, floor)
        .replace("-0.07 0 0 0.07 0 0", "-0.08 0 0 0.08 0 0")
        .replace(r#" contype="2" conaffinity="1""#, "");
    let mut s = simulate(&text);
    for i in 0..4 {
        s.state.v[6 * i + 1] = 0.1 * (i as f64 - 1.0) * (i as f64);
    }
    let (mut gap, mut contacts) = (0.0f64, 0);
    run(&mut s, 2.0, |_, report| {
        gap = gap.max(report.certificate.bilateral);
        contacts = contacts.max(report.contacts);
        assert!(report.certificate.residual <= 1e-9, "{report:?}");
        assert!(report.certificate.energy_change <= 1e-12, "{report:?}");
    });
    assert!(gap <= 1e-9 && contacts >= 7, "{gap} {contacts}");
}

#[test]
fn two_rods_between_posts_that_move_too_far_apart_stay_finite_and_say_so() {
    // The elbow straightens, which is a singular configuration, and then no configuration is left.
    let mut s = simulate(
        r#"<mujoco><option timestep="0.001"/><worldbody><body name="post" mocap="true" pos="0.9 0 0"/>
        <body name="a"><freejoint/><inertial pos="0.2 0 0.1" mass="1" diaginertia="0.02 0.03 0.04"/></body>
        <body name="b" pos="0.45 0 0.2"><freejoint/><inertial pos="0.2 0 -0.1" mass="1" diaginertia="0.02 0.03 0.04"/></body>
        </worldbody><equality><connect name="p" body1="a" anchor="0 0 0"/>
        <connect name="q" body1="a" body2="b" anchor="0.45 0 0.2"/>
        <connect name="r" body1="post" body2="b" anchor="0 0 0"/></equality>
        <custom><numeric name="stiction:mocap_velocity:post" data="0 0 0 0.2 0 0"/></custom></mujoco>"#,
    );
    let length = 2.0 * (0.45f64 * 0.45 + 0.04).sqrt();
    let mut fastest = 0.0f64;
    for _ in 0..1000 {
        let report = s.step().unwrap();
        let distance = s.state.mocap[0].position.x;
        fastest = fastest.max(crate::common::speed(&s));
        if distance < length - 1e-3 {
            assert!(report.certificate.bilateral <= 1e-9, "{distance}: {:?}", report.certificate);
        } else if distance > length + 1e-3 {
            assert!(report.certificate.bilateral > 1e-4, "{distance}: {:?}", report.certificate);
        }
        assert!(report.energy.is_finite() && s.state.q.iter().all(|q| q.is_finite()));
    }
    // 0.2 m/s of the post are 15 m/s of the elbow in the last step before it is straight.
    assert!(fastest < 30.0, "{fastest}");
}

#[test]
fn a_four_bar_goes_through_its_flat_configuration_closed() {
    // Where all rods lie on one line the loop has two ways on; either is right, an open loop is not.
    let mut s = simulate(&four_bar(1e-3, ""));
    turn_crank(&mut s, 60f64.to_radians());
    s.state.v.copy_from_slice(&[30.0, -30.0, 30.0]);
    let mut gap = 0.0f64;
    let energy = s.step().unwrap().energy;
    let mut drift = 0.0f64;
    for _ in 0..3000 {
        let report = s.step().unwrap();
        gap = gap.max(report.certificate.bilateral);
        drift = drift.max((report.energy - energy).abs() / energy);
    }
    assert!(gap <= 1e-9, "{gap}");
    assert!(drift <= 1e-8, "{drift}");
}

#[test]
fn a_snapshot_of_a_loop_continues_with_the_same_bits() {
    let floor = r#"<geom name="floor" type="plane" size="5 5 1"/>"#;
    let text = chain(5, false, floor);
    let mut s = simulate(&text);
    // In free fall, under the free rule; and when a part of it lies on the floor.
    for steps in [100, 400] {
        for _ in 0..steps {
            let _ = s.step().unwrap();
        }
        let bytes = s.snapshot().to_bytes().unwrap();
        let mut other = simulate(&text);
        other.restore(&stiction::sim::Snapshot::from_bytes(&bytes).unwrap()).unwrap();
        for _ in 0..200 {
            let _ = (s.step().unwrap(), other.step().unwrap());
            assert_eq!(s.state_hash(), other.state_hash());
        }
    }
}
