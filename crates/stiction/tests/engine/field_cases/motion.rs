//! Scenes on which other engines went wrong, with the right answers derived from rigid-body mechanics.

use crate::common::{contact_force, normal_force, position, run, simulate, speed};
use nalgebra::Vector3;
use stiction::spatial::Force;

const G: f64 = 9.81;

#[test]
fn a_cube_pressed_to_a_wall_inside_its_friction_cone_rests_for_ever() {
    // 20 N through the centre, mu 1: friction 9.81 N, centre of pressure 24.525 mm below the centre.
    let mut s = simulate(
        r#"<mujoco><option timestep="0.01"/><worldbody>
        <geom name="wall" type="plane" zaxis="-1 0 0" size="1 1 1"/>
        <body name="cube" pos="-0.05 0 1"><freejoint/><geom name="cube" type="box" size=".05 .05 .05" mass="1"/></body>
        </worldbody></mujoco>"#,
    );
    let cube = s.model().body("cube").unwrap();
    s.state.external[cube.index()] = Force::new(Vector3::zeros(), Vector3::new(20.0, 0.0, 0.0));
    let mut worst: f64 = 0.0;
    run(&mut s, 60.0, |s, _| worst = worst.max(speed(s)));
    assert!(worst <= 1e-9, "speed {worst}");
    let force = contact_force(&s, "cube");
    assert!((force.z - G).abs() < 1e-4 * G && (force.x + 20.0).abs() < 2e-3, "{force}");
    let center = s.contact_forces().iter().map(|c| c.contact.point.z * c.impulse.x).sum::<f64>()
        / s.contact_forces().iter().map(|c| c.impulse.x).sum::<f64>();
    assert!((center - (1.0 - 0.05 * G / 20.0)).abs() < 1e-4 * 0.024525, "centre of pressure {center}");
}

#[test]
fn a_pull_below_the_friction_limit_moves_nothing_and_one_above_it_slides() {
    let pulled = |force: f64| {
        let mut s = simulate(
            r#"<mujoco><option timestep="0.002"/><worldbody>
            <geom type="plane" size="1 1 1" friction="0.5"/>
            <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" friction="0.5"/></body>
            </worldbody></mujoco>"#,
        );
        let body = s.model().body("box").unwrap();
        // At floor height: moment -0.1 z x F about the centre.
        s.state.external[body.index()] =
            Force::new(Vector3::new(0.0, -0.1 * force, 0.0), Vector3::new(force, 0.0, 0.0));
        run(&mut s, 10.0, |_, _| {});
        position(&s, "box").x
    };
    for force in [4.9, 4.9045] {
        assert!(pulled(force).abs() <= 1e-9, "{force} N moved {}", pulled(force));
    }
    let moved = pulled(4.91);
    assert!((moved - 0.25).abs() <= 0.0025, "{moved}");
}

#[test]
fn a_heavy_box_rests_on_a_light_one_at_any_mass_ratio() {
    for ratio in [1e2, 1e3, 1e4, 1e6] {
        for drop in [0.0, 0.1] {
            let mut s = simulate(&format!(
                r#"<mujoco><option timestep="0.005"/><default><geom friction="0.5"/></default><worldbody>
                <geom name="floor" type="plane" size="1 1 1"/>
                <body name="light" pos="0 0 {}"><freejoint/><geom name="light" type="box" size=".25 .25 .25" mass="1"/></body>
                <body name="heavy" pos="0 0 {}"><freejoint/><geom name="heavy" type="box" size=".25 .25 .25" mass="{ratio}"/></body>
                </worldbody></mujoco>"#,
                0.25 + drop,
                0.75 + 2.0 * drop,
            ));
            let mut overlap: f64 = 0.0;
            let mut resting: f64 = 0.0;
            run(&mut s, 30.0, |s, report| {
                overlap = overlap.max(report.certificate.penetration);
                if report.time > 5.0 {
                    resting = resting.max(speed(s));
                }
            });
            assert!(overlap <= 1e-5, "ratio {ratio}, drop {drop}: overlap {overlap}");
            assert!(resting <= 1e-8, "ratio {ratio}, drop {drop}: speed {resting}");
            let upper = normal_force(&s, ["light", "heavy"]);
            let lower = normal_force(&s, ["floor", "light"]);
            assert!((upper / (ratio * G) - 1.0).abs() < 1e-6, "ratio {ratio}: {upper}");
            assert!((lower / ((ratio + 1.0) * G) - 1.0).abs() < 1e-6, "ratio {ratio}: {lower}");
            assert!((position(&s, "heavy").z - 0.75).abs() < 1e-5);
        }
    }
}

#[test]
fn five_boxes_stand_for_ten_minutes_without_sleeping() {
    for gap in [0.0, 0.005] {
        let bodies: String = (0..5)
            .map(|i| {
                let z = 0.5 + i as f64 + gap * (i as f64 + 1.0);
                format!(
                    r#"<body name="b{i}" pos="0 0 {z}"><freejoint/><geom name="b{i}" type="box" size=".5 .5 .5" mass="1"/></body>"#
                )
            })
            .collect();
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.016666666666666666"/><default><geom friction="0.4"/></default>
            <worldbody><geom name="floor" type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>"#
        ));
        run(&mut s, 1.0, |_, _| {});
        let settled = position(&s, "b4");
        let mut worst: f64 = 0.0;
        run(&mut s, 600.0, |s, _| worst = worst.max((position(s, "b4") - settled).norm()));
        assert!(worst <= 1e-6, "gap {gap}: moved {worst}");
        for i in 0..5 {
            let below = if i == 0 { "floor".to_string() } else { format!("b{}", i - 1) };
            let load = normal_force(&s, [&below, &format!("b{i}")]);
            assert!((load - (5 - i) as f64 * G).abs() <= 1e-6, "gap {gap}: interface {i} carries {load}");
        }
    }
}

#[test]
fn forces_on_a_slope_balance_the_weight_at_the_right_place() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.016666666666666666"/><worldbody>
        <body name="slope" euler="0 20 0"><geom name="slope" type="plane" size="2 2 1" friction="0.8"/>
        </body>
        <body name="block" pos="0.034202014332566873 0 0.093969262078590838" euler="0 20 0"><freejoint/>
        <geom name="block" type="box" size=".1 .1 .1" mass="1" friction="0.8"/></body>
        </worldbody></mujoco>"#,
    );
    run(&mut s, 1.0, |_, _| {});
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let force = contact_force(&s, "block");
    assert!((force - Vector3::new(0.0, 0.0, G)).norm() < 1e-6, "{force}");
    let normal = Vector3::new(sin, 0.0, cos);
    let downhill = Vector3::new(cos, 0.0, -sin);
    assert!((force.dot(&normal) - 9.21838).abs() < 1e-4 * 9.2);
    assert!((force.dot(&downhill) + 3.35522).abs() < 1e-4 * 3.4);
    let total: f64 = s.contact_forces().iter().map(|c| c.impulse.x).sum();
    let center = s
        .contact_forces()
        .iter()
        .fold(Vector3::zeros(), |sum, c| sum + c.contact.point * (c.impulse.x / total));
    let along = (center - position(&s, "block")).dot(&downhill);
    assert!((along - 0.036397).abs() < 1e-4 * 0.0364 + 1e-6, "centre of pressure {along}");
    for c in s.contact_forces() {
        assert!((c.force - c.contact.frame * c.impulse / s.timestep()).norm() < 1e-12);
    }
}

#[test]
fn a_box_spinning_about_its_middle_axis_reverses_on_time_and_keeps_energy_and_momentum() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
        <body name="box"><freejoint/><geom type="box" size=".05 .2 .45" mass="10"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 0 1 0 0 0" qvel="0 0 0 0.05 5 0.05"/></keyframe></mujoco>"#,
    );
    let inertia =
        Vector3::new(10.0 / 12.0 * (0.16 + 0.81), 10.0 / 12.0 * (0.01 + 0.81), 10.0 / 12.0 * (0.01 + 0.16));
    let momentum = |s: &stiction::sim::Simulation| {
        let w = Vector3::new(s.state.v[3], s.state.v[4], s.state.v[5]);
        s.data().link_pose[0].vector(&inertia.component_mul(&w))
    };
    let energy = |s: &stiction::sim::Simulation| {
        0.5 * (0..3).map(|i| inertia[i] * s.state.v[3 + i] * s.state.v[3 + i]).sum::<f64>()
    };
    let mut crossings = Vec::new();
    let start = momentum_at_start(&inertia);
    let mut last = (0.0, 5.0);
    run(&mut s, 60.0, |s, report| {
        let rate = s.state.v[4];
        if rate.signum() != f64::signum(last.1) {
            crossings.push(last.0 + (report.time - last.0) * last.1 / (last.1 - rate));
        }
        last = (report.time, rate);
        assert!((energy(s) / 8.542854 - 1.0).abs() < 1e-6, "energy {}", energy(s));
        assert!((momentum(s) - start).norm() < 1e-9 * 3.416913, "momentum at {}", report.time);
    });
    assert!(crossings.len() >= 17);
    for (i, t) in crossings.iter().enumerate() {
        let exact = 1.346434 + 3.389454 * i as f64;
        assert!((t / exact - 1.0).abs() < 1e-3, "crossing {i} at {t}, exact {exact}");
    }
}

fn momentum_at_start(inertia: &Vector3<f64>) -> Vector3<f64> {
    inertia.component_mul(&Vector3::new(0.05, 5.0, 0.05))
}
