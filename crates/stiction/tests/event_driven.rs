//! The event-driven stepper: impacts at their time, series of bounces that end, and energy that never grows.
// Test code, where a panic is a failed test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{contact_force, run, simulate, speed};
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64;
use stiction::scene::mjcf;
use stiction::sim::{SettingsError, SimError, Simulation, Snapshot, StepReport};

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
