//! Joints, limits and ropes on which other engines went wrong, with the right answers derived from rigid-body mechanics.
//! (The four-bar that came apart is in `equalities.rs`, the spin about the middle axis in `field_cases.rs`.)

use crate::common::{position, run, simulate, speed};
use nalgebra::{UnitQuaternion, Vector3};
use stiction::sim::Simulation;

const G: f64 = 9.81;

/// A body of this mass whose centre hangs 1 m below a fixed point, on a ball joint or held by a connect.
fn hung(mass: f64, constrained: bool) -> Simulation {
    let inertial = format!(r#"<inertial pos="0 0 -1" mass="{mass}" diaginertia="1e-6 1e-6 1e-6"/>"#);
    let (joint, equality) = if constrained {
        ("<freejoint/>", r#"<equality><connect name="pin" body1="bob" anchor="0 0 0"/></equality>"#)
    } else {
        (r#"<joint type="ball"/>"#, "")
    };
    simulate(&format!(
        r#"<mujoco><option timestep="0.001"/><worldbody><body name="bob" pos="0 0 5">{joint}{inertial}</body></worldbody>
        {equality}</mujoco>"#
    ))
}

/// Velocity of the centre of mass (m/s).
fn center_velocity(s: &Simulation, constrained: bool) -> Vector3<f64> {
    let v = Vector3::from_column_slice(&s.state.v[..3]);
    let orientation = &s.state.q[if constrained { 3 } else { 0 }..][..4];
    let q = nalgebra::Quaternion::new(orientation[0], orientation[1], orientation[2], orientation[3]);
    let turn = UnitQuaternion::from_quaternion(q);
    let arm = Vector3::new(0.0, 0.0, -1.0);
    if constrained {
        let spin = Vector3::from_column_slice(&s.state.v[3..6]);
        v + turn * spin.cross(&arm)
    } else {
        turn * v.cross(&arm)
    }
}

/// Where the point of the body that is held is, away from its place (m).
fn joint_gap(s: &Simulation) -> f64 {
    (position(s, "bob") - Vector3::new(0.0, 0.0, 5.0)).norm()
}

#[test]
fn a_heavy_body_hangs_and_swings_on_a_ball_joint_whichever_way_the_joint_is_made() {
    for mass in [500.0, 1000.0, 1e6] {
        let mut histories = Vec::new();
        for constrained in [false, true] {
            let bound = if constrained { 1e-9 } else { 1e-12 };
            // What the joint carries is, by Newton's law, m (a + g), with a from central differences of the velocity.
            let reaction = |before: Vector3<f64>, after: Vector3<f64>| {
                mass * ((after - before) / 2e-3 + Vector3::z() * G).norm()
            };

            let mut s = hung(mass, constrained);
            run(&mut s, 1.0, |s, _| {
                assert!(joint_gap(s) <= bound, "{mass} {constrained}: {:e}", joint_gap(s));
                assert!(speed(s) <= 1e-9, "{mass} {constrained}: {:e}", speed(s));
            });
            let still = center_velocity(&s, constrained);
            let held = reaction(still, still) / (mass * G);
            assert!((held - 1.0).abs() <= 1e-6, "{held}");

            let mut s = hung(mass, constrained);
            let (sin, cos) = (0.5 * 30f64.to_radians()).sin_cos();
            let start = if constrained { 3 } else { 0 };
            s.state.q[start..start + 4].copy_from_slice(&[cos, 0.0, sin, 0.0]);
            let mut velocities = vec![Vector3::zeros()];
            run(&mut s, 1.0, |s, _| {
                assert!(joint_gap(s) <= bound, "{mass} {constrained}: {:e}", joint_gap(s));
                velocities.push(center_velocity(s, constrained));
            });
            let bottom = (1..velocities.len() - 1)
                .max_by(|&a, &b| velocities[a].norm().total_cmp(&velocities[b].norm()))
                .unwrap();
            let swing = 1.0 - 30f64.to_radians().cos();
            let fastest = velocities[bottom].norm() / (2.0 * G * swing).sqrt();
            assert!((fastest - 1.0).abs() <= 5e-4, "{mass} {constrained}: {fastest}");
            let pulled = reaction(velocities[bottom - 1], velocities[bottom + 1]) / (mass * G);
            assert!((pulled / (1.0 + 2.0 * swing) - 1.0).abs() <= 5e-4, "{mass} {constrained}: {pulled}");
            histories.push(velocities);
        }
        for (a, b) in histories[0].iter().zip(&histories[1]) {
            assert!((a - b).norm() <= 1e-6, "{mass}: {a} {b}");
        }
    }
}

#[test]
fn a_joint_stop_holds_under_a_strong_drive_with_the_torque_of_the_drive() {
    // 100 N m/rad towards 12.217 rad against a stop at 1.5708 rad; a hundred times the gain changes the torque only.
    for gain in [1e2, 1e4] {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.002"/><compiler angle="radian"/><worldbody>
            <body name="rod"><joint name="h" axis="0 0 1" range="0 1.5708"/>
            <geom type="capsule" fromto="0 0 0 0.1 0 0" size=".005" mass="0.1"/></body></worldbody>
            <actuator><position joint="h" kp="{gain}" kv="1"/></actuator></mujoco>"#
        ));
        s.state.ctrl[0] = 12.217;
        let [_, stop] = s.model().links[0].range.unwrap();
        let mut furthest: f64 = 0.0;
        run(&mut s, 5.0, |s, _| furthest = furthest.max(s.state.q[0]));
        assert!(furthest <= stop + 1e-8, "gain {gain}: {furthest}");
        let stops: Vec<_> = s.limit_forces().filter(|stop| stop.force > 0.0).collect();
        assert!(stops.len() == 1 && stops[0].name == "h" && stops[0].upper, "{stops:?}");
        let torque = stops[0].force / (gain * (12.217 - stop));
        assert!((torque - 1.0).abs() <= 1e-4, "gain {gain}: {torque}");
    }
}

#[test]
fn a_ball_joint_stops_at_its_swing_limit_and_rests_there_in_any_direction() {
    // A uniform rod of 2 cm radius.
    let (moment, about) = (1.0 / 12.0 + 1e-4, 2e-4);
    for i in 0..11 {
        // The first as written, then with everything turned.
        let turn = UnitQuaternion::from_scaled_axis(
            Vector3::new(libm::sin(2.0 * f64::from(i)), libm::cos(3.0 * f64::from(i)), 0.4)
                * 0.3
                * f64::from(i),
        );
        let g = turn * Vector3::new(0.0, 0.0, -G);
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.001" gravity="{} {} {}"/><compiler angle="radian"/><worldbody>
            <body name="rod" quat="{} {} {} {}"><joint name="j" type="ball" range="0 0.5"/>
            <inertial pos="0.5 0 0" mass="1" diaginertia="{about} {moment} {moment}"/></body></worldbody></mujoco>"#,
            g.x, g.y, g.z, turn.w, turn.i, turn.j, turn.k
        ));
        let swing = |s: &Simulation| {
            let along = s.data().link_pose[0].rotation.column(0).into_owned();
            let first = turn * Vector3::x();
            2.0 * libm::atan2((along - first).norm(), (along + first).norm())
        };
        let (mut furthest, mut fastest) = (0.0f64, 0.0f64);
        run(&mut s, 3.0, |s, _| {
            furthest = furthest.max(swing(s));
            fastest = fastest.max(speed(s));
        });
        assert!(furthest <= 0.5 + 1e-8, "direction {i}: {furthest}");
        // The last step before the stop is up to one step early.
        let hit = (G * 0.5f64.sin() / (moment + 0.25)).sqrt();
        assert!((fastest / hit - 1.0).abs() < 5e-3, "direction {i}: {fastest} {hit}");
        assert!(speed(&s) <= 1e-8 && (swing(&s) - 0.5).abs() <= 1e-8, "direction {i}: {}", speed(&s));
        let stop = s.limit_forces().next().unwrap();
        let torque = stop.force / (G * 0.5 * 0.5f64.cos());
        assert!((torque - 1.0).abs() <= 1e-4, "direction {i}: {torque}");
    }
}

#[test]
fn a_rope_is_never_longer_than_allowed() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.016666666666666666" gravity="0 -9.81 0"/><worldbody><site name="anchor" pos="0 5 0"/>
        <body name="bob" pos="0 4.9 0"><freejoint/><geom type="sphere" size="0.05" mass="1"/><site name="eye"/></body>
        </worldbody><tendon><spatial name="rope" range="0 1"><site site="anchor"/><site site="eye"/></spatial></tendon>
        </mujoco>"#,
    );
    let (mut longest, mut fastest, mut taut) = (0.0f64, 0.0f64, None);
    for _ in 0..200 {
        let report = s.step().unwrap();
        assert!(report.solved());
        longest = longest.max(5.0 - position(&s, "bob").y);
        fastest = fastest.max(speed(&s));
        if taut.is_none() && s.limit_forces().any(|rope| rope.force > 0.0) {
            taut = Some(report.time);
        }
    }
    assert!(longest <= 1.0 + 1e-6, "{longest}");
    // 0.9 m of free fall take 0.42835 s and reach 4.2021 m/s; steps are a sixtieth of a second.
    let step = 1.0 / 60.0;
    assert!((taut.unwrap() - 0.42835).abs() <= step, "{taut:?}");
    assert!(fastest <= 4.2021 && fastest >= 4.2021 - G * step, "{fastest}");
    assert!((position(&s, "bob").y - 4.0).abs() <= 1e-6 && speed(&s) <= 1e-9);
    let rope = s.limit_forces().next().unwrap();
    assert!(rope.name == "rope" && rope.upper && (rope.force / G - 1.0).abs() <= 1e-6, "{rope:?}");
}
