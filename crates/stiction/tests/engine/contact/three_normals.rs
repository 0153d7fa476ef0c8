//! Contacts with normals along all three axes at every point, as in section VII-A of Drumwright's *Rapidly computable viscous
//! friction and no-slip rigid contact models* (2015): two cubes between two grippers, twelve points a face, 108 contacts of
//! bodies that have 14 velocities.

use crate::common::{run, simulate_by};
use std::fmt::Write;
use stiction::sim::Stepper;

/// Radius of the spheres on the rim of a face (m).
const RADIUS: f64 = 0.05;

/// Corners and thirds of the edges of a face (m).
fn rim() -> impl Iterator<Item = (f64, f64)> {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    (0..12).map(move |k| {
        let ((a, b), (c, d)) = (corners[k / 3], corners[(k / 3 + 1) % 4]);
        let t = (k % 3) as f64 / 3.0;
        (a + t * (c - a), b + t * (d - b))
    })
}

/// Cubes of 1 m in a row, each with spheres that touch the face of the next one and two plates there, of which each holds the
/// sphere from the side. Everything moves at the start.
fn grasp(mu: f64, timestep: f64) -> String {
    let mut bodies = String::new();
    for (k, name) in ["left", "first", "second", "right"].into_iter().enumerate() {
        let x = k as f64 - 1.5;
        let gripper = format!(r#"<joint name="{name}" type="slide" axis="1 0 0"/>"#);
        let joint = if k % 3 == 0 { &gripper } else { "<freejoint/>" };
        let (touches, is_touched) = (1 << k, (1 << k) >> 1);
        let _ = write!(
            bodies,
            r#"<body pos="{x} 0 0">{joint}<inertial pos="0 0 0" mass="1" diaginertia="0.16 0.17 0.18"/>
            <geom type="box" size="0.5 0.5 0.5" contype="0" conaffinity="{is_touched}"/>"#
        );
        for (y, z) in rim() {
            if k > 0 {
                let (x, out) = (-0.5 - RADIUS, RADIUS + 0.01);
                let (beside, above) = (y - out.copysign(y), z - out.copysign(z));
                for (y, z) in [(beside, z), (y, above)] {
                    let _ = write!(
                        bodies,
                        r#"<geom type="box" size="{RADIUS} 0.01 0.01" pos="{x} {y} {z}" contype="0" conaffinity="{is_touched}"/>"#
                    );
                }
            }
            if k < 3 {
                let x = 0.5 - RADIUS;
                let _ = write!(
                    bodies,
                    r#"<geom type="sphere" size="{RADIUS}" pos="{x} {y} {z}" contype="{touches}" conaffinity="0"/>"#
                );
            }
        }
        bodies += "</body>";
    }
    format!(
        r#"<mujoco><option timestep="{timestep}"/><default><geom friction="{mu}"/></default><worldbody>{bodies}</worldbody>
        <actuator><motor joint="left"/><motor joint="right"/></actuator>
        <keyframe><key name="start" ctrl="20 -20"
          qvel="0.3  0.1 -0.2 0.3 0.5 -0.4 0.2  -0.1 0.3 0.2 -0.6 0.3 0.1  -0.3"/></keyframe></mujoco>"#
    )
}

#[test]
fn three_normals_a_point_are_solved_in_every_step_whatever_the_friction() {
    for (mu, timestep) in [(1.0, 0.01), (100.0, 0.01), (100.0, 0.001), (1000.0, 0.001)] {
        // One problem in a step; passes of impulses at both ends solve many, of as many factorizations.
        let mut s = simulate_by(Stepper::TimeStepping, "cone", &grasp(mu, timestep));
        let mut most = 0;
        run(&mut s, 60.0 * timestep, |_, report| {
            assert_eq!(report.contacts, 108);
            most = most.max(report.pivots);
        });
        assert!(most < 2_000, "mu {mu}, {timestep} s: {most} factorizations");
    }
}
