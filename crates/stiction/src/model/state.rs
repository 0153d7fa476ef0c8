//! The state of a scene: what moves, and what the user commands.

use super::Model;
use crate::spatial::{
    Force, Motion, Transform, quaternion_conjugate, quaternion_logarithm, quaternion_product,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// A body with prescribed motion.
///
/// Who writes its pose before a step moves it there within the step: its velocity is then the mean one of that move, so that it takes
/// along what it holds. A body whose pose nobody writes goes on with [`Mocap::velocity`]. To put it somewhere else without a move, there is
/// [`Mocap::teleport`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mocap {
    /// Position of the body's origin (m, world).
    pub position: Vector3<f64>,
    /// Orientation as a unit quaternion `[w, x, y, z]`.
    pub orientation: [f64; 4],
    /// Angular velocity and velocity of the origin, world axes (rad/s, m/s), in steps before which the pose was not written; constant until
    /// changed.
    pub velocity: Motion,
    /// Between steps where the last one left it; within a step that moves it to a written pose, that pose.
    other_end: (Vector3<f64>, [f64; 4]),
    /// The velocity of the last move to a written pose, if the last step was one.
    moved: Option<Motion>,
}

impl Mocap {
    /// At a pose, moving with an angular velocity and a velocity of its origin (world axes; rad/s, m/s).
    pub fn new(pose: &Transform, velocity: Motion) -> Self {
        let (position, orientation) = (pose.translation, pose.quaternion());
        Self { position, orientation, velocity, other_end: (position, orientation), moved: None }
    }

    /// Pose in the world.
    pub fn pose(&self) -> Transform {
        Transform::new(self.position, &self.rotation())
    }

    /// Moves it to a pose within the next step, by the shortest turn. The same as writing position and orientation.
    pub fn move_to(&mut self, pose: &Transform) {
        (self.position, self.orientation) = (pose.translation, pose.quaternion());
    }

    /// Puts it at a pose at once: what it held stays where it is.
    pub fn teleport(&mut self, pose: &Transform) {
        *self = Self::new(pose, self.velocity);
    }

    /// Angular velocity and velocity of the origin that it has in the present step, or had in the last one: that of a move to a written
    /// pose, or else [`Mocap::velocity`].
    pub fn motion(&self) -> Motion {
        self.moved.unwrap_or(self.velocity)
    }

    /// Begins a step of `h` seconds: a written pose becomes where it ends, and its velocity the mean one on the way there.
    pub(crate) fn begin_step(&mut self, h: f64) {
        self.moved = None;
        if (self.position, self.orientation) == self.other_end {
            return;
        }
        let (goal, start) = ((self.position, self.orientation), self.other_end);
        let turn = quaternion_product(&goal.1, &quaternion_conjugate(&start.1));
        self.moved = Some(Motion::new(quaternion_logarithm(&turn) / h, (goal.0 - start.0) / h));
        (self.position, self.orientation) = start;
        self.other_end = goal;
    }

    /// Ends a step: at the written pose, to the bit.
    pub(crate) fn end_step(&mut self) {
        if self.moved.is_some() {
            (self.position, self.orientation) = self.other_end;
        } else {
            self.other_end = (self.position, self.orientation);
        }
    }

    fn rotation(&self) -> UnitQuaternion<f64> {
        let [w, x, y, z] = self.orientation;
        UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
    }

    /// Whether it is where another is and moves as that does.
    pub(crate) fn moves_like(&self, other: &Self) -> bool {
        let of = |mocap: &Self| (mocap.position, mocap.orientation, mocap.motion());
        of(self) == of(other)
    }

    /// Moves on for `h` seconds.
    pub(crate) fn advance(&mut self, h: f64) {
        let motion = self.motion();
        self.position += motion.linear * h;
        let turn = motion.angular * h;
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
