//! Jacobian rows of points and directions fixed to links, and forces mapped by their transposes. All walk from a
//! link to its root and touch nothing else.

use crate::dynamics::data::Data;
use crate::model::{LinkId, Model};
use crate::spatial::Force;
use nalgebra::Vector3;

/// The row that maps the tree's generalized velocities to the velocity along `direction` (world axes) of the
/// point of `link` that is now at `point` (world, m). `row` is tree-local (length nv_t) and overwritten. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics).
pub fn point_jacobian(
    model: &Model,
    data: &Data,
    link: LinkId,
    point: &Vector3<f64>,
    direction: &Vector3<f64>,
    row: &mut [f64],
) {
    row.fill(0.0);
    let first = model.trees[model.links[link].tree].dofs.start;
    let mut arm = point - data.link_pose[link.index()].translation;
    let mut next = Some(link);
    while let Some(i) = next {
        let moment = arm.cross(direction);
        let link = &model.links[i];
        for k in link.v..link.v + link.kind.nv() {
            let axis = &data.dof_axis[k];
            row[k - first] = axis.angular.dot(&moment) + axis.linear.dot(direction);
        }
        arm += data.link_offset[i.index()];
        next = link.parent;
    }
}

/// Velocity (m/s, world) of the point of `link` that is now at `point`, at generalized velocities `v` (length nv).
pub fn point_velocity(
    model: &Model,
    data: &Data,
    link: LinkId,
    point: &Vector3<f64>,
    v: &[f64],
) -> Vector3<f64> {
    let mut velocity = Vector3::zeros();
    let mut ancestor = Some(link);
    while let Some(l) = ancestor {
        let offset = point - data.link_pose[l.index()].translation;
        let first = model.links[l].v;
        for dof in first..first + model.links[l].kind.nv() {
            velocity += data.dof_axis[dof].at(&offset).linear * v[dof];
        }
        ancestor = model.links[l].parent;
    }
    velocity
}

/// The row that maps the tree's generalized velocities to the angular velocity of `link` about `direction`
/// (world axes). `row` is tree-local and overwritten.
pub fn angular_jacobian(model: &Model, data: &Data, link: LinkId, direction: &Vector3<f64>, row: &mut [f64]) {
    row.fill(0.0);
    let first = model.trees[model.links[link].tree].dofs.start;
    let mut next = Some(link);
    while let Some(i) = next {
        let link = &model.links[i];
        for k in link.v..link.v + link.kind.nv() {
            row[k - first] = data.dof_axis[k].angular.dot(direction);
        }
        next = link.parent;
    }
}

/// Adds `J^T f` to `tau` (length nv) for a force on `link`, given at the link's origin in world axes.
pub fn add_wrench(model: &Model, data: &Data, link: LinkId, force: &Force, tau: &mut [f64]) {
    let mut force = *force;
    let mut next = Some(link);
    while let Some(i) = next {
        let link = &model.links[i];
        for k in link.v..link.v + link.kind.nv() {
            tau[k] += data.dof_axis[k].dot(&force);
        }
        force = force.about(&data.link_offset[i.index()]);
        next = link.parent;
    }
}
