//! The laws of contact under impulses at both ends of a step, by their exact answers.

use super::restitution::{BETWEEN_WALLS, cradle, falling_cube, flies_at_wall, under_all_by};
use crate::common::formulations::VISCOSITY;
use crate::common::{position, run, shipped, simulate_by, speed};
use stiction::sim::{Simulation, Stepper};

const G: f64 = 9.81;

/// Formulations that obey Coulomb's law to the letter where bodies slide along one line.
const COULOMB: [&str; 5] =
    ["cone", "stewart-trinkle", "anitescu-potra", "friction-box", "friction-box-fixed-point"];

fn by(contact_model: &str, text: &str) -> Simulation {
    simulate_by(Stepper::Rattle, contact_model, text)
}

/// A cube of 0.1 m and 1 kg that slides with a speed along x (m/s), on these joints.
fn cube(speed: f64, joints: &str, start: &str, rest: &str) -> String {
    format!(
        r#"<mujoco><option timestep="0.005"/><default><geom friction="0.5"/></default><worldbody>
        <geom name="floor" type="plane" size="50 50 1"/>
        <body name="cube" pos="0 0 0.05">{joints}<geom name="cube" type="box" size=".05 .05 .05" mass="1"/></body>
        </worldbody><keyframe><key name="start" qpos="{start}" qvel="{speed} {rest}"/></keyframe></mujoco>"#
    )
}

#[test]
fn a_flat_cube_brakes_over_the_exact_distance_under_every_formulation() {
    for model in COULOMB {
        for start in [0.6, 6.0] {
            let text = cube(start, "<freejoint/>", "0 0 0.05 1 0 0 0", "0 0 0 0 0");
            let mut s = by(model, &text);
            run(&mut s, start / (0.5 * G) + 0.1, |_, _| {});
            let distance = position(&s, "cube").x;
            // In the step in which it stops it slides for a part of it.
            let bound = 0.5 * 0.5 * G * 0.005 * 0.005;
            assert!((distance - start * start / G).abs() <= bound, "{model}, {start}: {distance}");
            assert!(speed(&s) <= 1e-8, "{model}: {}", speed(&s));
        }
    }
}

#[test]
fn under_the_convex_law_a_sliding_body_takes_off() {
    // u_n = mu |u_t| whatever opens: with v_x = v - mu lambda and v_z = lambda - g h / 2 per kilogram, v_x = (v - mu g h / 2) / (1 +
    // mu^2) and v_z = mu v_x after the kick at the beginning of a step; at its end nothing touches. On rails, so that it cannot turn.
    let rails = r#"<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>"#;
    let mut s = by("convex", &cube(6.0, rails, "0 0", "0"));
    let report = s.step().unwrap();
    let along = (6.0 - 0.5 * G * 0.0025) / 1.25;
    assert!(report.solved() && (s.state.v[0] - along).abs() <= 1e-9, "{:?}", s.state.v);
    assert!((s.state.v[1] - (0.5 * along - G * 0.0025)).abs() <= 1e-9, "{:?}", s.state.v);
}

#[test]
fn viscous_pads_let_a_capsule_creep_with_its_weight_over_the_viscosity_of_four_points() {
    // m dv/dt = m g - 4 c v for two halves of a step: by the velocity before each, or by that before the first, if it creeps already, and that
    // after the second.
    let mass = 0.045;
    let text = format!(
        r#"<mujoco><option timestep="0.001"/><custom><numeric name="stiction:viscosity" data="{VISCOSITY}"/></custom><worldbody>
        <body name="left" pos="-0.009 0 0"><joint name="left" type="slide" axis="1 0 0"/>
          <geom type="box" size=".005 .015 .015" mass="0.1" contype="2" conaffinity="1"/></body>
        <body name="right" pos="0.009 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
          <geom type="box" size=".005 .015 .015" mass="0.1" contype="2" conaffinity="1"/></body>
        <body name="capsule"><freejoint/><geom type="capsule" size=".004 .02" euler="90 0 0" mass="{mass}"/></body>
        </worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator>
        <keyframe><key name="start" ctrl="12 12"/></keyframe></mujoco>"#
    );
    let (half, gravity) = (2.0 * VISCOSITY * 0.001 / mass, 0.0005 * G);
    for model in ["viscous", "viscous-explicit"] {
        let mut s = by(model, &text);
        let mut exact = 0.0;
        run(&mut s, 0.05, |s, _| {
            let explicit = |v: f64| (1.0 - half) * v + gravity;
            let implicit = |v: f64| (v + gravity) / (1.0 + half);
            exact = match model {
                "viscous" if exact == 0.0 => implicit(implicit(exact)),
                "viscous" => implicit(explicit(exact)),
                _ => explicit(explicit(exact)),
            };
            // The two pads come first.
            let creeps = -s.state.v[4];
            assert!((creeps / exact - 1.0).abs() <= 1e-6, "{model}: {creeps} instead of {exact}");
        });
    }
}

#[test]
fn a_friction_box_rubs_along_each_tangent_as_if_it_were_alone() {
    for model in ["friction-box", "friction-box-fixed-point"] {
        // Sliding at 45 degrees to the tangents: both components are braked by mu g, until the sphere rolls.
        let mut s = by(model, &shipped("sphere_slide"));
        let (mu_g, start) = (0.2 * G, 2.0 * 0.5f64.sqrt());
        s.state.v[0] = start;
        s.state.v[1] = start;
        run(&mut s, 0.2, |s, report| {
            let exact = start - mu_g * report.time;
            assert!((s.state.v[0] - exact).abs() <= 1e-9 && (s.state.v[1] - exact).abs() <= 1e-9, "{model}");
        });
    }
}

#[test]
fn what_loses_its_contact_within_a_step_has_no_friction_from_the_step_before() {
    // An explicit viscous contact rubs whether it presses or not, as long as it touches: once it is open nothing of it is left.
    let text = cube(1.0, "<freejoint/>", "0 0 0.05 1 0 0 0", "0 0.2 0 0 0");
    let text = text.replace(
        "<worldbody>",
        r#"<custom><numeric name="stiction:viscosity" data="5"/></custom><worldbody>"#,
    );
    let mut s = by("viscous-explicit", &text);
    let touched = s.step().unwrap();
    let after = s.state.v[0];
    assert!(touched.solved() && after <= 1.0);
    run(&mut s, 0.02, |s, _| assert_eq!(s.state.v[0], after, "{:?}", s.contact_acts()));
}

/// Runs a check under both impact laws and every formulation that knows them.
fn under_all(text: &str, check: impl FnMut(Simulation, &str)) {
    under_all_by(Stepper::Rattle, text, check);
}

#[test]
fn a_row_of_spheres_sends_off_the_last_whether_they_touch_or_not() {
    // Neither law knows of waves through bodies, but of impacts one after the other, with gaps or without, each of which passes on all of
    // the momentum.
    for gap in [0.0, 0.003] {
        under_all(&cradle(gap), |mut s, what| {
            run(&mut s, 0.2, |_, _| {});
            for (v, wanted) in s.state.v.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
                assert!((v - wanted).abs() < 1e-9, "{what}, {gap}: {:?}", s.state.v);
            }
        });
    }
}

#[test]
fn a_body_between_two_walls_bounces_to_and_fro_within_the_step_until_it_stays() {
    // Away from the one wall is into the other: each impact halves the speed.
    under_all(BETWEEN_WALLS, |mut s, what| {
        let report = s.step().unwrap();
        assert!(report.solved() && report.bounces == report.events, "{what}: {report:?}");
        assert!(report.events >= 39 && report.cut_impacts == 0, "{what}: {report:?}");
        let left = 1.01 * f64::powi(0.5, report.events as i32);
        assert!(s.state.v[0].abs() <= left, "{what}: {}", s.state.v[0]);
    });
}

#[test]
fn what_reaches_a_wall_just_at_the_end_of_a_step_bounces_at_the_beginning_of_the_next() {
    for speed in [1.0, 0.01, 0.001] {
        under_all(&flies_at_wall(speed), |mut s, what| {
            run(&mut s, 2.0, |_, _| {});
            let (x, v) = (s.state.q[0], s.state.v[0]);
            assert!((v + speed).abs() <= 1e-9 * speed, "{what} at {speed} m/s: leaves with {v}");
            assert!((x - 0.8 + 1.2 * speed).abs() <= 1e-9, "{what} at {speed} m/s: {x}");
        });
    }
}

#[test]
fn a_cube_that_falls_flat_on_a_block_of_any_width_comes_back_to_its_height() {
    for width in [0.2, 0.75, 1.2] {
        under_all(&falling_cube(width), |mut s, what| {
            let mut bounces = 0;
            run(&mut s, 4.0, |s, report| {
                let v = &s.state.v;
                bounces += usize::from(report.bounces > 0);
                let apex = s.state.q[2] + v[2] * v[2] / (2.0 * G);
                assert!((apex - 2.5).abs() <= 1e-6, "{what}, {width}: {apex}");
                assert!(v[3..].iter().all(|w| w.abs() <= 1e-9), "{what}, {width}: {v:?}");
            });
            assert_eq!(bounces, 3, "{what}, {width}");
        });
    }
}

#[test]
fn capsules_that_touch_at_their_own_pins_are_never_thrown() {
    // No impulse at a pin moves anything, and beside it only huge ones do: not every step is solved, but what is no answer throws nothing (once
    // it brought 6e7 J).
    let (mut bodies, mut ties) = (String::new(), String::new());
    for i in 0..4 {
        bodies += &format!(
            r#"<body name="link{i}" pos="{} 0 0.5"><freejoint/><geom type="capsule" fromto="-0.08 0 0 0.08 0 0" size="0.02" mass="0.1"/></body>"#,
            0.2 * f64::from(i)
        );
        if i > 0 {
            ties += &format!(r#"<connect body1="link{}" body2="link{i}" anchor="0.1 0 0"/>"#, i - 1);
        }
    }
    let text = format!(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="0.5"/></default><worldbody>
        <geom name="floor" type="plane" size="5 5 1"/>{bodies}</worldbody><equality>{ties}</equality></mujoco>"#
    );
    let mut s = by("cone", &text);
    for i in 0..4 {
        s.state.v[6 * i + 1] = 0.1 * (i as f64 - 1.0) * (i as f64);
    }
    let mut least = f64::INFINITY;
    for _ in 0..200 {
        let report = s.step().unwrap();
        assert!(report.energy <= least + 0.1, "{report:?}");
        least = least.min(report.energy);
    }
}

#[test]
fn boxes_that_fall_against_each_other_rest_where_their_edges_meet_whatever_the_step() {
    // On hinges 0.8 m apart, with their upper edges 0.9 m high: they meet in the middle, symmetrically, and stick there. They come
    // together obliquely to the face that is their contact's normal, so friction must know nothing of the way before they touch.
    for step in [0.001, 0.002, 0.005] {
        let side = |name: &str, x: f64| {
            format!(
                r#"<body name="{name}" pos="{x} 0 0"><joint axis="0 1 0"/>
                <geom type="box" pos="0 0 0.4" size=".1 .05 .5" mass="1"/></body>"#
            )
        };
        let (left, right) = (side("left", -0.4), side("right", 0.4));
        let text = format!(
            r#"<mujoco><option timestep="{step}"/><default><geom friction="1"/></default><worldbody>{left}{right}</worldbody>
            <keyframe><key name="start" qpos="0.1 -0.1"/></keyframe></mujoco>"#
        );
        let mut s = by("cone", &text);
        run(&mut s, 5.0, |_, _| {});
        let [a, b] = [s.state.q[0], s.state.q[1]];
        assert!((a - 0.346865).abs() <= 1e-5 && (b + 0.346865).abs() <= 1e-5, "{step}: {a}, {b}");
        assert!(speed(&s) <= 1e-9, "{step}: {}", speed(&s));
    }
}
