//! Two cubes held between two grippers, as a scene of the engine.
//!
//! Four cubes of 1 m and 1 kg stand in a row along x, faces touching. The outer two are the grippers: each slides along x
//! only and is pushed inwards. Gravity pulls the inner two down. The blocks have six velocities each and the grippers one: 14.
//!
//! The paper has twelve contacts a face pair. The engine's box against a box gives the four corners; so the right face of
//! each cube is twelve small spheres on its rim, corners and thirds of the edges, that touch the box of the next cube. The
//! engine finds these contacts as any others, each with the normal of the face.

use std::fmt::Write;

use nalgebra::{UnitQuaternion, Vector3};
use stiction::model::Base;
use stiction::sim::Simulation;

/// Time step (s).
pub(super) const STEP: f64 = 0.01;
/// Contacts of the scene.
pub(super) const CONTACTS: usize = 36;
/// Force on each gripper (N): twice the weight of the blocks, and some more.
const SQUEEZE: f64 = 20.0;
/// Radius of a sphere (m).
const RADIUS: f64 = 0.05;
/// The cubes from left to right; the outer two are the grippers.
const CUBES: [&str; 4] = ["left", "first", "second", "right"];

/// The scene in MJCF. Contacts are in the order of their spheres' names; `order` gives the numbers of these, face by face
/// and around each rim.
pub(super) fn mjcf(order: &[usize; CONTACTS]) -> String {
    let mut text = format!(
        r#"<mujoco>
  <option timestep="{STEP}" gravity="0 0 -9.81"/>
  <default>
    <geom friction="100"/>
    <default class="cube"><geom type="box" size="0.5 0.5 0.5" contype="0" conaffinity="1"/></default>
    <default class="rim"><geom type="sphere" size="{RADIUS}" contype="1" conaffinity="0"/></default>
  </default>
  <worldbody>
"#
    );
    for (k, name) in CUBES.into_iter().enumerate() {
        let x = k as f64 - 1.5;
        let joint = match name {
            "left" | "right" => format!(r#"<joint name="{name}" type="slide" axis="1 0 0"/>"#),
            _ => "<freejoint/>".into(),
        };
        let inertia = 1.0 / 6.0;
        let _ = writeln!(
            text,
            r#"    <body name="{name}" pos="{x} 0 0">{joint}
      <inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/>
      <geom name="{name}" class="cube"/>"#
        );
        if name != "right" {
            for ([y, z], number) in rim().into_iter().zip(&order[12 * k..]) {
                let x = 0.5 - RADIUS;
                let _ =
                    writeln!(text, r#"      <geom name="rim{number:02}" class="rim" pos="{x} {y} {z}"/>"#);
            }
        }
        text += "    </body>\n";
    }
    let actuators = ["left", "right"].map(|name| format!(r#"<motor name="{name}" joint="{name}"/>"#));
    let _ = write!(
        text,
        r#"  </worldbody>
  <actuator>{}</actuator>
  <keyframe><key name="start" ctrl="{SQUEEZE} -{SQUEEZE}"/></keyframe>
</mujoco>"#,
        actuators.concat()
    );
    text
}

/// Corners and thirds of the edges of a face, around its rim.
fn rim() -> [[f64; 2]; 12] {
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    std::array::from_fn(|k| {
        let ([a, b], [c, d]) = (corners[k / 3], corners[(k / 3 + 1) % 4]);
        let t = (k % 3) as f64 / 3.0;
        [a + t * (c - a), b + t * (d - b)]
    })
}

/// The numbers of the spheres as they come.
pub(super) fn in_order() -> [usize; CONTACTS] {
    std::array::from_fn(|k| k)
}

/// The numbers in a random order (Fisher-Yates, by a linear congruential generator).
pub(super) fn shuffled(seed: u64) -> [usize; CONTACTS] {
    let mut order = in_order();
    let mut state = seed;
    for i in (1..CONTACTS).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The upper bits are the random ones.
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

/// The farthest that a corner of a block has gone from where it began (m).
pub(super) fn drift(simulation: &Simulation) -> f64 {
    let model = simulation.model();
    let mut worst = 0.0_f64;
    for (k, name) in CUBES.into_iter().enumerate().filter(|(_, name)| !["left", "right"].contains(name)) {
        let Some(Base::Link(link)) = model.body(name).map(|body| model.bodies[body].base) else { continue };
        let q = &simulation.state.q[model.links[link].q..];
        let position = Vector3::new(q[0], q[1], q[2]);
        let turn = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(q[3], q[4], q[5], q[6]));
        let start = Vector3::new(k as f64 - 1.5, 0.0, 0.0);
        for corner in 0..8 {
            let sign = |axis: usize| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
            let corner = Vector3::new(sign(0), sign(1), sign(2));
            let distance = (position + turn * corner - start - corner).norm();
            // A NaN is as far as can be.
            worst = if distance.is_nan() { f64::INFINITY } else { worst.max(distance) };
        }
    }
    worst
}
