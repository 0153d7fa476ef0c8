//! What a joint transmits: a heavy body on a ball joint, hanging and swinging.

use super::rig::{CaseError, Rig};
use super::{Case, Check};
use nalgebra::Vector3;
use stiction::dynamics;
use stiction::dynamics::Data;
use stiction::model::TreeId;
use stiction::spatial::Force;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "hanging_joint",
        about: "a body of 1000 kg hanging on a ball joint: the joint carries its weight",
        run: hanging,
    },
    Case {
        name: "swinging_joint",
        about: "the same released at 30 degrees: speed and joint force at the lowest point",
        run: swinging,
    },
];

const GRAVITY: f64 = 9.81;
const MASS: f64 = 1000.0;

/// A body of 1000 kg, its centre 1 m below a ball joint, with hardly any inertia of its own.
const SCENE: &str = r#"<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <body name="load">
      <joint name="hook" type="ball"/>
      <inertial pos="0 0 -1" mass="1000" diaginertia="1e-6 1e-6 1e-6"/>
    </body>
  </worldbody>
</mujoco>"#;

/// Force that the joint transmits to the body at the present state (N, world).
fn joint_force(rig: &Rig) -> Result<Vector3<f64>, CaseError> {
    let (model, state) = (rig.model(), &rig.sim.state);
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &state.q, &state.v);
    let tree = TreeId::new(0);
    let mut acceleration = vec![0.0; model.nv()];
    dynamics::forward_dynamics(model, &mut data, tree, &vec![0.0; model.nv()], &mut acceleration)?;
    let mut reactions = vec![Force::zero(); model.links.len()];
    let external = reactions.clone();
    dynamics::joint_reactions(model, &mut data, tree, &acceleration, &external, &mut reactions);
    let load = rig.body("load")?;
    let link = model.links.iter().position(|link| link.body == load);
    link.map(|link| reactions[link].linear).ok_or_else(|| CaseError::Missing("joint on 'load'".into()))
}

fn hanging() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new("hanging_joint", SCENE)?;
    rig.run(1.0, |_, _| ())?;
    let force = joint_force(&rig)?;
    let speed = Vector3::from_column_slice(&rig.sim.state.v[..3]).norm();
    Ok(vec![
        Check::relative("vertical joint force (N)", MASS * GRAVITY, force.z, 1e-9),
        Check::zero("horizontal joint force (N)", force.xy().norm(), 1e-6),
        Check::zero("spin after 1 s (rad/s)", speed, 1e-12),
    ])
}

fn swinging() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new("swinging_joint", SCENE)?;
    // Turned by 30 degrees about y: half the angle in the quaternion.
    let half = std::f64::consts::PI / 12.0;
    rig.sim.state.q.copy_from_slice(&[half.cos(), 0.0, half.sin(), 0.0]);
    let (mut speed, mut force) = (0.0_f64, Ok(Vector3::zeros()));
    // Longer than a quarter of the period of 2.04 s, shorter than half.
    rig.run(0.8, |rig, _| {
        // The centre is 1 m from the joint.
        let now = Vector3::from_column_slice(&rig.sim.state.v[..3]).norm();
        if now > speed {
            speed = now;
            force = joint_force(rig);
        }
    })?;
    let drop = 1.0 - std::f64::consts::FRAC_PI_6.cos();
    Ok(vec![
        Check::relative("speed at the lowest point (m/s)", (2.0 * GRAVITY * drop).sqrt(), speed, 5e-4),
        Check::relative(
            "joint force at the lowest point (N)",
            MASS * GRAVITY * (1.0 + 2.0 * drop),
            force?.norm(),
            5e-4,
        ),
    ])
}
