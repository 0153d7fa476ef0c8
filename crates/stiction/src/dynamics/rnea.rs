//! Inverse dynamics by the recursive Newton-Euler algorithm (Luh, Walker, Paul 1980; Featherstone 2008, table 5.1).

use crate::dynamics::data::Data;
use crate::model::Model;
use crate::spatial::Motion;
use nalgebra::Vector3;

/// Generalized forces that cause `acceleration` (length nv) in one tree: `out = M a + c`, where c contains
/// Coriolis, centrifugal, gyroscopic and gravity terms and M the armature. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics).
pub fn inverse_dynamics(model: &Model, data: &mut Data, tree: usize, acceleration: &[f64], out: &mut [f64]) {
    link_accelerations(model, data, tree, Some(acceleration));
    forces_of_accelerations(model, data, tree);
    project_on_joints(model, data, tree, out);
    for k in model.trees[tree].dofs.clone() {
        out[k] += model.dofs[k].armature * acceleration[k];
    }
}

/// The bias c of one tree: [`inverse_dynamics`] without joint acceleration.
pub fn bias_forces(model: &Model, data: &mut Data, tree: usize, out: &mut [f64]) {
    link_accelerations(model, data, tree, None);
    forces_of_accelerations(model, data, tree);
    project_on_joints(model, data, tree, out);
}

/// [`inverse_dynamics`] of all trees.
pub fn inverse_dynamics_all(model: &Model, data: &mut Data, acceleration: &[f64], out: &mut [f64]) {
    for tree in 0..model.trees.len() {
        inverse_dynamics(model, data, tree, acceleration, out);
    }
}

/// [`bias_forces`] of all trees.
pub fn bias_forces_all(model: &Model, data: &mut Data, out: &mut [f64]) {
    for tree in 0..model.trees.len() {
        bias_forces(model, data, tree, out);
    }
}

/// Outward pass: accelerations of the links against free fall. An accelerated world does what gravity does.
pub(crate) fn link_accelerations(model: &Model, data: &mut Data, tree: usize, acceleration: Option<&[f64]>) {
    let world = Motion::new(Vector3::zeros(), -model.gravity);
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        let base = link.parent.map_or(world, |p| data.link_acceleration[p]);
        let mut a = base.at(&data.link_offset[i]) + data.bias_acceleration[i];
        if let Some(acceleration) = acceleration {
            for k in link.v..link.v + link.kind.nv() {
                a += data.dof_axis[k] * acceleration[k];
            }
        }
        data.link_acceleration[i] = a;
    }
}

/// Newton's and Euler's equations of every link: `link_force = I a + velocity terms`.
pub(crate) fn forces_of_accelerations(model: &Model, data: &mut Data, tree: usize) {
    for i in model.trees[tree].links.clone() {
        let inertia = &data.link_inertia[i];
        data.link_force[i] =
            inertia.times(&data.link_acceleration[i]) + inertia.gyroscopic(&data.link_velocity[i].angular);
    }
}

/// Inward pass: what each joint transmits, projected on its axes.
fn project_on_joints(model: &Model, data: &mut Data, tree: usize, out: &mut [f64]) {
    for i in model.trees[tree].links.clone().rev() {
        let link = &model.links[i];
        let force = data.link_force[i];
        for k in link.v..link.v + link.kind.nv() {
            out[k] = data.dof_axis[k].dot(&force);
        }
        if let Some(p) = link.parent {
            data.link_force[p] += force.about(&data.link_offset[i]);
        }
    }
}
