//! Springs and viscous damping of joints and tendons.

use crate::dynamics::integrate::rotation_between;
use crate::model::{JointKind, Link, Model, Tendon, Term, TreeId};
use nalgebra::Vector3;

/// Adds the forces of the springs and dampers of one tree's joints, and of the tendons over them, to `out_add`
/// (length nv). A tendon over several trees needs `q` and `v` of all of them.
///
/// Hinge and slide: `-k (q - spring_reference)`. Ball: -k times the rotation vector from `q0`; it is the gradient
/// of half k times the squared angle. Free: the same, and -k times the displacement from `q0`. Damping: `-d v`.
/// Tendon: `-k stretch - d rate` times each joint's coefficient.
pub fn passive_forces(model: &Model, tree: TreeId, q: &[f64], v: &[f64], out_add: &mut [f64]) {
    for link in &model.links[model.trees[tree].links.clone()] {
        if link.stiffness != 0.0 {
            let (displacement, n) = spring_displacement(model, link, q);
            for k in 0..n {
                out_add[link.v + k] -= link.stiffness * displacement[k];
            }
        }
        for k in link.v..link.v + link.kind.nv() {
            out_add[k] -= model.dofs[k].damping * v[k];
        }
    }
    for tendon in model.trees[tree].tendons.iter().map(|&t| &model.tendons[t]) {
        if tendon.stiffness != 0.0 || tendon.damping != 0.0 {
            pull(model, tree, tendon, tension(tendon, q, v), out_add);
        }
    }
}

/// Force of a tendon's spring and damper, positive where it lengthens it (N or N m).
pub(crate) fn tension(tendon: &Tendon, q: &[f64], v: &[f64]) -> f64 {
    let stretch = tendon.stretch(tendon.path.value(q));
    -tendon.stiffness * stretch - tendon.damping * tendon.path.rate(v)
}

/// Adds the generalized forces on one tree of a force that lengthens a tendon to `out_add` (length nv), but for those in joints
/// that close loops.
pub fn pull(model: &Model, tree: TreeId, tendon: &Tendon, force: f64, out_add: &mut [f64]) {
    let own = |term: &&Term| term.dof < model.nv() && model.links[term.link].tree == tree;
    for term in tendon.path.terms.iter().filter(own) {
        out_add[term.dof] += term.coefficient * force;
    }
}

/// [`passive_forces`] of all trees.
pub fn passive_forces_all(model: &Model, q: &[f64], v: &[f64], out_add: &mut [f64]) {
    for tree in TreeId::all(&model.trees) {
        passive_forces(model, tree, q, v, out_add);
    }
}

/// How far a joint is from where its spring is relaxed, as a generalized displacement and its length.
pub(crate) fn spring_displacement(model: &Model, link: &Link, q: &[f64]) -> ([f64; 6], usize) {
    let a = link.q;
    let rotation = |a: usize| rotation_between(&model.q0[a..a + 4], &q[a..a + 4]);
    match link.kind {
        JointKind::Hinge { .. } | JointKind::Slide { .. } => {
            ([q[a] - link.spring_reference, 0.0, 0.0, 0.0, 0.0, 0.0], 1)
        }
        JointKind::Ball => {
            let r = rotation(a);
            ([r.x, r.y, r.z, 0.0, 0.0, 0.0], 3)
        }
        JointKind::Free => {
            let d = Vector3::new(q[a] - model.q0[a], q[a + 1] - model.q0[a + 1], q[a + 2] - model.q0[a + 2]);
            let r = rotation(a + 3);
            ([d.x, d.y, d.z, r.x, r.y, r.z], 6)
        }
    }
}
