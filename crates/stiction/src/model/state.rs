//! The state of a scene: what moves, and what the user commands.

use super::Model;
use crate::spatial::{Force, Motion, Transform};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// A body with prescribed motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mocap {
    /// Position of the body's origin (m, world).
    pub position: Vector3<f64>,
    /// Orientation as a unit quaternion `[w, x, y, z]`.
    pub orientation: [f64; 4],
    /// Angular velocity and velocity of the origin, world axes (rad/s, m/s); constant until changed.
    pub velocity: Motion,
}

impl Mocap {
    /// At a pose, moving with an angular velocity and a velocity of its origin.
    pub(crate) fn new(pose: &Transform, velocity: Motion) -> Self {
        Self { position: pose.translation, orientation: pose.quaternion(), velocity }
    }

    /// Pose in the world.
    pub fn pose(&self) -> Transform {
        Transform::new(self.position, &self.rotation())
    }

    fn rotation(&self) -> UnitQuaternion<f64> {
        let [w, x, y, z] = self.orientation;
        UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
    }

    /// Moves on for `h` seconds.
    pub(crate) fn advance(&mut self, h: f64) {
        self.position += self.velocity.linear * h;
        let turn = self.velocity.angular * h;
        let angle = turn.norm();
        if angle > 0.0 {
            let half = turn * (libm::sin(0.5 * angle) / angle);
            let turn = Quaternion::new(libm::cos(0.5 * angle), half.x, half.y, half.z);
            let q = (turn * self.rotation().into_inner()).normalize();
            self.orientation = [q.w, q.i, q.j, q.k];
        }
    }
}

/// Everything that changes in a scene, besides what a step remembers for speed.
///
/// Its vectors are as long as the model asks for, from [`State::new`] on: they are boxed slices, whose numbers may be set and
/// whose lengths may not.
///
/// ```compile_fail,E0599
/// # let model = stiction::ModelBuilder::new("empty").build()?;
/// let mut state = stiction::State::new(&model);
/// state.q.truncate(3);
/// # Ok::<(), stiction::ModelError>(())
/// ```
///
/// (A vector of another length can take the whole place of one, and the state of another model that of a state: a step then
/// refuses it.)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Configuration (nq), laid out as MuJoCo's `qpos`.
    pub q: Box<[f64]>,
    /// Generalized velocity (nv), laid out as MuJoCo's `qvel`.
    pub v: Box<[f64]>,
    /// Coordinates of the joints that close loops, as they follow from `q`: those of the last step, from which the next ones
    /// are found and whole turns are counted.
    pub loop_q: Box<[f64]>,
    /// Controls of the actuators.
    pub ctrl: Box<[f64]>,
    /// Bodies with prescribed motion.
    pub mocap: Box<[Mocap]>,
    /// Applied generalized force (nv; N, N m).
    pub applied: Box<[f64]>,
    /// Applied wrench per body: moment about and force at its centre of mass, world axes (N m, N).
    pub external: Box<[Force]>,
}

impl State {
    /// The state at zero joint displacement, at rest.
    pub fn new(model: &Model) -> Self {
        let mocap = model
            .mocap_poses
            .iter()
            .zip(&model.mocap_velocities)
            .map(|(pose, [angular, linear])| Mocap::new(pose, Motion::new(*angular, *linear)))
            .collect();
        Self {
            time: 0.0,
            q: model.q0.as_slice().into(),
            v: zeros(model.nv()),
            loop_q: model.loop_q0.as_slice().into(),
            ctrl: zeros(model.actuators.len()),
            mocap,
            applied: zeros(model.nv()),
            external: vec![Force::zero(); model.bodies.len()].into(),
        }
    }
}

fn zeros(length: usize) -> Box<[f64]> {
    vec![0.0; length].into()
}
