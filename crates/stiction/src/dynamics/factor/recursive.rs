//! The factor `M = L^T D L` as recursions over the links, never written down (Rodriguez, Kreutz-Delgado, Jain 1991, *A
//! Spatial Operator Algebra for Manipulator Modeling and Control*, the innovations factorization).
//!
//! Eliminating dof after dof from the leaves to the root is what the articulated-body algorithm does: the pivot of dof
//! k is its articulated inertia `D_k = s_k . U_k` with `U_k = I_k s_k`, and row k of L times a vector is what the force
//! `U_k / D_k` does to the dofs nearer to the root. So a half solve is a sweep inwards that carries a force `f`,
//!
//! ```text
//! y_k = (x_k + s_k . f) / sqrt(D_k),   f <- f - U_k y_k / sqrt(D_k),
//! ```
//!
//! and its transpose is a sweep outwards that carries a motion. Set-up and sweeps cost O(nv), where the explicit factor
//! of a chain costs O(nv^3) and O(nv^2). Both factors are the same numbers up to round-off.

use crate::dynamics::aba::articulated_inertias;
use crate::dynamics::data::Data;
use crate::dynamics::error::AlgorithmError;
use crate::model::{Model, TreeId};
use crate::spatial::{Force, Motion};

/// The factor of `M + diag(added_diagonal)` for one tree, armature included, as recursions: what [`crate::dynamics::factor::explicit::solve`],
/// [`crate::dynamics::factor::explicit::half_solve`] and [`crate::dynamics::factor::explicit::half_solve_transposed`] use until [`crate::dynamics::factor::explicit::factorize`] is called for the tree.
/// `added_diagonal` has length nv. Needs [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics) only.
///
/// # Errors
/// [`AlgorithmError::NotPositiveDefinite`] with the outermost link that nothing resists.
pub fn articulate(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    added_diagonal: &[f64],
) -> Result<(), AlgorithmError> {
    data.recursive[tree.index()] = true;
    let released = |data: &mut Data, _, k: usize| {
        let inverse_root = (1.0 / data.pivot[k]).sqrt();
        data.inverse_root[k] = inverse_root;
        data.gain[k] = data.axis_force[k] * inverse_root;
    };
    articulated_inertias(model, data, tree, |k| added_diagonal[k], released, |_, _, _| ())
}

/// `x <- D^(-1/2) L^(-T) x` for a tree-local `x`. Links beyond the last number that is not zero cost nothing.
pub(crate) fn sweep_inwards(model: &Model, data: &mut Data, tree: TreeId, x: &mut [f64]) {
    let first = model.trees[tree].dofs.start;
    let Some(last) = x.iter().rposition(|x| *x != 0.0) else { return };
    let links = model.trees[tree].links.start..model.dofs[first + last].link.index() + 1;
    data.link_force[links.clone()].fill(Force::zero());
    for i in links.rev() {
        let link = &model.links[i];
        let mut force = data.link_force[i];
        for k in (link.v..link.v + link.kind.nv()).rev() {
            let y = (x[k - first] + data.dof_axis[k].dot(&force)) * data.inverse_root[k];
            force = force - data.gain[k] * y;
            x[k - first] = y;
        }
        if let Some(p) = link.parent {
            data.link_force[p.index()] += force.about(&data.link_offset[i]);
        }
    }
}

/// `x <- L^(-1) D^(-1/2) x` for a tree-local `x`.
pub(crate) fn sweep_outwards(model: &Model, data: &mut Data, tree: TreeId, x: &mut [f64]) {
    let first = model.trees[tree].dofs.start;
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        let base = link.parent.map_or(Motion::zero(), |p| data.sweep_motion[p.index()]);
        let mut motion = base.at(&data.link_offset[i]);
        for k in link.v..link.v + link.kind.nv() {
            let value = (x[k - first] - motion.dot(&data.gain[k])) * data.inverse_root[k];
            motion += data.dof_axis[k] * value;
            x[k - first] = value;
        }
        data.sweep_motion[i] = motion;
    }
}
