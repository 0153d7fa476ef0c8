//! Motion without contact: the classic fourth-order Runge-Kutta rule on the joints' groups.
//!
//! With `R(t) = R0 exp(theta(t))` the rotation vector of a joint obeys
//!
//! ```text
//! theta' = dexp^-1(theta) w = w + 1/2 theta x w + 1/12 theta x (theta x w) + O(theta^4),
//! ```
//!
//! w being the angular velocity in the joint's child axes (the signs belong to this, right, trivialisation). The
//! classic rule is applied to (theta, v); cutting the series after the written terms keeps order four.
//!
//! # References
//! H. Munthe-Kaas, *High order Runge-Kutta methods on manifolds*, Appl. Numer. Math. 29 (1999); A. Iserles,
//! H. Munthe-Kaas, S. P. Nørsett, A. Zanna, *Lie-group methods*, Acta Numerica 9 (2000), algorithm 3.1.

use crate::dynamics::aba::accelerations_under;
use crate::dynamics::data::{Data, Stages};
use crate::dynamics::error::AlgorithmError;
use crate::dynamics::integrate;
use crate::dynamics::kinematics::forward_kinematics;
use crate::model::{JointKind, Model, TreeId};
use nalgebra::Vector3;

/// What acts on a tree in a stage: `forces(data, q, v, tau)` adds the generalized forces besides gravity to `tau`.
pub type StageForces<'a> = dyn FnMut(&Data, &[f64], &[f64], &mut [f64]) + 'a;

/// A stage of the classic rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RungeKuttaStage {
    /// When it is, as a part of the step.
    pub fraction: f64,
    /// Sixths of the step for which it counts.
    pub sixths: f64,
}

/// The stages, in their order.
pub(crate) const STAGES: [RungeKuttaStage; 4] = [
    RungeKuttaStage { fraction: 0.0, sixths: 1.0 },
    RungeKuttaStage { fraction: 0.5, sixths: 2.0 },
    RungeKuttaStage { fraction: 0.5, sixths: 2.0 },
    RungeKuttaStage { fraction: 1.0, sixths: 1.0 },
];

/// How trees accelerate in a stage: `accelerations(data, stage, q, v, out)` writes the trees' ranges of `out`, after
/// [`forward_kinematics`] at `q` and `v`.
pub type StageAccelerations<'a> =
    dyn FnMut(&mut Data, RungeKuttaStage, &[f64], &[f64], &mut [f64]) -> Result<(), AlgorithmError> + 'a;

/// Moves one tree by a step `h` (s) in place.
///
/// `forces(data, q, v, tau)` adds the generalized forces of a stage (everything but gravity) to the tree's range
/// of `tau`, which is zero when it is called, after [`forward_kinematics`] of the stage. Slices have full length.
/// On return `data` holds the kinematics of the last stage, not of the new state.
///
/// # Errors
/// Those of [`forward_dynamics`](crate::dynamics::forward_dynamics); `q` and `v` are then unchanged.
pub fn runge_kutta_step(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    h: f64,
    q: &mut [f64],
    v: &mut [f64],
    forces: &mut StageForces<'_>,
) -> Result<(), AlgorithmError> {
    step_under(model, data, tree, h, (q, v), model.gravity, forces)
}

/// [`runge_kutta_step`] under another gravity (m/s^2) than the model's.
///
/// # Errors
/// As there.
fn step_under(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    h: f64,
    (q, v): (&mut [f64], &mut [f64]),
    gravity: Vector3<f64>,
    forces: &mut StageForces<'_>,
) -> Result<(), AlgorithmError> {
    let dofs = model.trees[tree].dofs.clone();
    let mut tau = std::mem::take(&mut data.stages.tau);
    let result =
        coupled_runge_kutta_step(model, data, &[tree], h, q, v, &mut |data, _, q, v, acceleration| {
            tau[dofs.clone()].fill(0.0);
            forces(data, q, v, &mut tau);
            accelerations_under(model, data, tree, gravity, &tau, acceleration)
        });
    data.stages.tau = tau;
    result
}

/// Moves one tree by a step `h` (s) in place with nothing acting on it, not even gravity: by its inertia alone.
/// On return `data` holds the kinematics of the last stage, not of the new state.
///
/// # Errors
/// Those of [`forward_dynamics`](crate::dynamics::forward_dynamics); `q` and `v` are then unchanged.
pub(crate) fn coast(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    h: f64,
    q: &mut [f64],
    v: &mut [f64],
) -> Result<(), AlgorithmError> {
    step_under(model, data, tree, h, (q, v), Vector3::zeros(), &mut |_, _, _, _| {})
}

/// Moves several trees together by a step `h` (s) in place: all are in the same stage when `accelerations` is
/// called, so that it may let them act on one another. Slices have full length. On return `data` holds the
/// kinematics of the last stage, not of the new state.
///
/// # Errors
/// Those of `accelerations`; `q` and `v` are then unchanged.
pub fn coupled_runge_kutta_step(
    model: &Model,
    data: &mut Data,
    trees: &[TreeId],
    h: f64,
    q: &mut [f64],
    v: &mut [f64],
    accelerations: &mut StageAccelerations<'_>,
) -> Result<(), AlgorithmError> {
    // The stages leave `data` while the algorithms work on it; moving vectors allocates nothing.
    let mut stages = std::mem::take(&mut data.stages);
    let result = run_stages(model, data, trees, h, q, v, accelerations, &mut stages);
    if result.is_ok() {
        for contents in trees.iter().map(|&t| &model.trees[t]) {
            q[contents.coords.clone()].copy_from_slice(&stages.q[contents.coords.clone()]);
            for k in contents.dofs.clone() {
                v[k] += h / 6.0 * stages.acceleration_sum[k];
            }
        }
    }
    data.stages = stages;
    result
}

/// The four stages; the new configuration ends up in `s.q`, the weighted acceleration in `s.acceleration_sum`.
#[allow(clippy::too_many_arguments)]
fn run_stages(
    model: &Model,
    data: &mut Data,
    trees: &[TreeId],
    h: f64,
    q: &[f64],
    v: &[f64],
    accelerations: &mut StageAccelerations<'_>,
    s: &mut Stages,
) -> Result<(), AlgorithmError> {
    for &tree in trees {
        for k in model.trees[tree].dofs.clone() {
            (s.slope[k], s.acceleration[k]) = (0.0, 0.0);
            (s.slope_sum[k], s.acceleration_sum[k]) = (0.0, 0.0);
        }
    }
    for stage in STAGES {
        let RungeKuttaStage { fraction, sixths: weight } = stage;
        for &tree in trees {
            for k in model.trees[tree].dofs.clone() {
                s.displacement[k] = fraction * h * s.slope[k];
                s.v[k] = v[k] + fraction * h * s.acceleration[k];
            }
            integrate(model, tree, q, &s.displacement, 1.0, &mut s.q);
            forward_kinematics(model, data, tree, &s.q, &s.v);
        }
        accelerations(data, stage, &s.q, &s.v, &mut s.acceleration)?;
        for &tree in trees {
            chart_velocity(model, tree, &s.displacement, &s.v, &mut s.slope);
            for k in model.trees[tree].dofs.clone() {
                s.slope_sum[k] += weight * s.slope[k];
                s.acceleration_sum[k] += weight * s.acceleration[k];
            }
        }
    }
    for &tree in trees {
        integrate(model, tree, q, &s.slope_sum, h / 6.0, &mut s.q);
    }
    Ok(())
}

/// Rate of the exponential coordinates `displacement` for the generalized velocity `v`.
fn chart_velocity(model: &Model, tree: TreeId, displacement: &[f64], v: &[f64], out: &mut [f64]) {
    for link in &model.links[model.trees[tree].links.clone()] {
        let b = link.v;
        match link.kind {
            JointKind::Hinge { .. } | JointKind::Slide { .. } => out[b] = v[b],
            JointKind::Ball => inverse_dexp(b, displacement, v, out),
            JointKind::Free => {
                out[b..b + 3].copy_from_slice(&v[b..b + 3]);
                inverse_dexp(b + 3, displacement, v, out);
            }
        }
    }
}

/// `w + 1/2 theta x w + 1/12 theta x (theta x w)` for the three entries from `b`.
fn inverse_dexp(b: usize, displacement: &[f64], v: &[f64], out: &mut [f64]) {
    let theta = Vector3::new(displacement[b], displacement[b + 1], displacement[b + 2]);
    let w = Vector3::new(v[b], v[b + 1], v[b + 2]);
    let once = theta.cross(&w);
    let rate = w + once * 0.5 + theta.cross(&once) / 12.0;
    out[b..b + 3].copy_from_slice(rate.as_slice());
}
