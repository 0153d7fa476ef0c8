//! Moving a configuration along a generalized velocity on the joints' groups, and the inverse.

use crate::model::{JointKind, Model, TreeId};
use crate::spatial::{
    quaternion_conjugate, quaternion_exponential, quaternion_from, quaternion_logarithm,
    quaternion_normalized, quaternion_product,
};
use nalgebra::Vector3;

/// `q_out = q (+) h v` for one tree: the pose after moving for a time `h` (s) with constant generalized velocity.
/// Positions add, orientations turn by the exponential of the body-axes angular velocity and are normalised.
pub fn integrate(model: &Model, tree: TreeId, q: &[f64], v: &[f64], h: f64, q_out: &mut [f64]) {
    for link in &model.links[model.trees[tree].links.clone()] {
        let (a, b) = (link.q, link.v);
        match link.kind {
            JointKind::Hinge { .. } | JointKind::Slide { .. } => q_out[a] = q[a] + h * v[b],
            JointKind::Ball => turn(&q[a..a + 4], &v[b..b + 3], h, &mut q_out[a..a + 4]),
            JointKind::Free => {
                for k in 0..3 {
                    q_out[a + k] = q[a + k] + h * v[b + k];
                }
                turn(&q[a + 3..a + 7], &v[b + 3..b + 6], h, &mut q_out[a + 3..a + 7]);
            }
        }
    }
}

/// [`integrate`] of all trees.
pub fn integrate_all(model: &Model, q: &[f64], v: &[f64], h: f64, q_out: &mut [f64]) {
    for tree in TreeId::all(&model.trees) {
        integrate(model, tree, q, v, h, q_out);
    }
}

/// The generalized velocity that leads from `q_from` to `q_to` in one second, the shorter way round, for one
/// tree: the inverse of [`integrate`] with h = 1 while no orientation turns by more than half a turn.
pub fn difference(model: &Model, tree: TreeId, q_from: &[f64], q_to: &[f64], out: &mut [f64]) {
    for link in &model.links[model.trees[tree].links.clone()] {
        let (a, b) = (link.q, link.v);
        match link.kind {
            JointKind::Hinge { .. } | JointKind::Slide { .. } => out[b] = q_to[a] - q_from[a],
            JointKind::Ball => {
                let rotation = rotation_between(&q_from[a..a + 4], &q_to[a..a + 4]);
                out[b..b + 3].copy_from_slice(rotation.as_slice());
            }
            JointKind::Free => {
                for k in 0..3 {
                    out[b + k] = q_to[a + k] - q_from[a + k];
                }
                let rotation = rotation_between(&q_from[a + 3..a + 7], &q_to[a + 3..a + 7]);
                out[b + 3..b + 6].copy_from_slice(rotation.as_slice());
            }
        }
    }
}

/// [`difference`] of all trees.
///
/// ```
/// # use stiction::{dynamics, model::*, geometry::Shape};
/// # let mut builder = ModelBuilder::new("ball");
/// # let geoms = vec![GeomSpec::new(Shape::Sphere { radius: 0.1 })];
/// # let ball = BodySpec { joints: vec![JointSpec::free()], geoms, ..BodySpec::default() };
/// # builder.add_body(BodyHandle::WORLD, ball)?;
/// # let model = builder.build()?;
/// // A free body: seven coordinates, six velocities.
/// let v = [1.0, 0.0, 0.0, 0.0, 0.5, 0.0];
/// let mut q = model.q0.clone();
/// dynamics::integrate_all(&model, &model.q0, &v, 1.0, &mut q);
/// let mut back = [0.0; 6];
/// dynamics::difference_all(&model, &model.q0, &q, &mut back);
/// assert!(v.iter().zip(back).all(|(v, back)| (v - back).abs() < 1e-15));
/// # Ok::<(), ModelError>(())
/// ```
pub fn difference_all(model: &Model, q_from: &[f64], q_to: &[f64], out: &mut [f64]) {
    for tree in TreeId::all(&model.trees) {
        difference(model, tree, q_from, q_to, out);
    }
}

/// Rotation vector from one orientation to another, in the axes of the first (and of the second).
pub(crate) fn rotation_between(from: &[f64], to: &[f64]) -> Vector3<f64> {
    let inverse = quaternion_conjugate(&quaternion_from(from));
    quaternion_logarithm(&quaternion_product(&inverse, &quaternion_from(to)))
}

/// An orientation after a time `h` with constant angular velocity in body axes.
fn turn(q: &[f64], angular_velocity: &[f64], h: f64, out: &mut [f64]) {
    let w = Vector3::new(angular_velocity[0], angular_velocity[1], angular_velocity[2]);
    let turned = quaternion_product(&quaternion_from(q), &quaternion_exponential(&(w * h)));
    out.copy_from_slice(&quaternion_normalized(&turned));
}
