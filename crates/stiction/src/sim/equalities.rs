//! Equality constraints as bilateral rows `X`, and what the rows aim at: of displacements, velocities or accelerations.
//!
//! With `phi(q, t)` the position error, `X qdot + dphi/dt` is its rate and `X qddot + gamma` its second derivative,
//! where `gamma` is what is left of the relative acceleration of the two bodies when all joint accelerations are zero:
//! velocity products, and the centripetal acceleration of a prescribed rotation.

use crate::algorithm::Data;
use crate::model::{Base, EqualityKind, Model};
use crate::sim::Mocap;
use crate::sim::contacts::base_motion;
use crate::sim::rows::{BlockKey, Rows};
use crate::spatial::{Motion, Transform, quaternion_logarithm};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

/// Position error of an equality (second minus first, world axes): of the point (m), and of the orientation as a
/// rotation vector (rad).
struct EqualityError {
    points: [Vector3<f64>; 2],
    position: Vector3<f64>,
    orientation: Option<Vector3<f64>>,
    bases: [(Transform, Motion); 2],
}

impl EqualityError {
    fn new(model: &Model, data: &Data, mocap: &[Mocap], index: usize) -> Self {
        let equality = &model.equalities[index];
        let bases = equality.bodies.map(|b| base_motion(model, data, mocap, b));
        let (points, orientation) = match &equality.kind {
            EqualityKind::Connect { anchors } => ([0, 1].map(|i| bases[i].0.point(&anchors[i])), None),
            EqualityKind::Weld { frames } => {
                let [first, second] = [0, 1].map(|i| bases[i].0 * frames[i]);
                let turn = Rotation3::from_matrix_unchecked(second.rotation * first.rotation.transpose());
                // By way of the quaternion: the trace of the matrix knows small angles to 1e-8 only.
                let turn = UnitQuaternion::from_rotation_matrix(&turn);
                let rotation = quaternion_logarithm(&[turn.w, turn.i, turn.j, turn.k]);
                ([first.translation, second.translation], Some(rotation))
            }
        };
        Self { points, position: points[1] - points[0], orientation, bases }
    }

    /// The one point at which both bodies take the impulse.
    fn midpoint(&self) -> Vector3<f64> {
        0.5 * (self.points[0] + self.points[1])
    }

    /// Largest component (m or rad).
    fn size(&self) -> f64 {
        self.position.amax().max(self.orientation.map_or(0.0, |o| o.amax()))
    }

    /// Prescribed motion of the second body minus the first at the midpoint.
    fn prescribed(&self, model: &Model, bodies: &[usize; 2]) -> Motion {
        let [first, second] = [0, 1].map(|i| match model.bodies[bodies[i]].base {
            Base::Mocap(_) => self.bases[i].1.at(&(self.midpoint() - self.bases[i].0.translation)),
            _ => Motion::zero(),
        });
        second - first
    }

    /// Acceleration of the second body's point minus the first's at zero joint acceleration; the link accelerations
    /// in `data` must be those of [`crate::algorithm::bias_forces`].
    fn convective(&self, model: &Model, data: &Data, bodies: &[usize; 2]) -> Motion {
        let [first, second] = [0, 1].map(|i| {
            let (pose, velocity) = &self.bases[i];
            let origin = match model.bodies[bodies[i]].base {
                Base::World => return Motion::zero(),
                // The prescribed twist is constant within a step: the origin moves straight.
                Base::Mocap(_) => Motion::zero(),
                Base::Link(link) => {
                    data.link_acceleration[link] + Motion::new(Vector3::zeros(), model.gravity)
                }
            };
            let arm = self.points[i] - pose.translation;
            let spin = velocity.angular;
            origin.at(&arm) + Motion::new(Vector3::zeros(), spin.cross(&spin.cross(&arm)))
        });
        second - first
    }
}

/// Position error of one equality (m or rad).
pub(crate) fn position_error(model: &Model, data: &Data, mocap: &[Mocap], index: usize) -> f64 {
    EqualityError::new(model, data, mocap, index).size()
}

/// Largest position error of all equalities (m or rad).
pub(crate) fn worst_error(model: &Model, data: &Data, mocap: &[Mocap]) -> f64 {
    (0..model.equalities.len()).fold(0.0, |worst: f64, i| worst.max(position_error(model, data, mocap, i)))
}

/// What the rows are applied to, and so what they add to `X x`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// Displacements: the position error.
    Displacement,
    /// Velocities: the prescribed rate, and `gain` (1/s) times the position error.
    Velocity { gain: f64 },
    /// Accelerations: the convective part `gamma`. Needs [`crate::algorithm::bias_forces`] of the trees.
    Acceleration,
}

/// Adds the rows of an equality.
pub(crate) fn push_equality(
    rows: &mut Rows,
    model: &Model,
    data: &Data,
    mocap: &[Mocap],
    index: usize,
    rank: u32,
    level: Level,
) {
    let bodies = &model.equalities[index].bodies;
    let error = EqualityError::new(model, data, mocap, index);
    let offset = |gain: f64| Motion::new(error.orientation.unwrap_or_default(), error.position) * gain;
    let target = match level {
        Level::Displacement => offset(1.0),
        Level::Velocity { gain } => offset(gain) + error.prescribed(model, bodies),
        Level::Acceleration => error.convective(model, data, bodies),
    };
    let mut values = [0.0; 6];
    values[..3].copy_from_slice(target.linear.as_slice());
    values[3..].copy_from_slice(target.angular.as_slice());
    let count = if error.orientation.is_some() { 6 } else { 3 };
    let links = bodies.map(|b| match model.bodies[b].base {
        Base::Link(link) => Some(link),
        _ => None,
    });
    rows.push_bilateral(model, data, BlockKey::equality(rank), links, &error.midpoint(), &values[..count]);
}

/// Trees of the links that an equality ties.
pub(crate) fn equality_trees(model: &Model, index: usize) -> [Option<usize>; 2] {
    model.equalities[index].bodies.map(|b| match model.bodies[b].base {
        Base::Link(link) => Some(model.links[link].tree),
        _ => None,
    })
}
