//! Inverse dynamics by the recursive Newton-Euler algorithm (Luh, Walker, Paul 1980; Featherstone 2008, table 5.1).

use crate::dynamics::data::Data;
use crate::model::{Model, TreeId};
use crate::spatial::Motion;
use nalgebra::Vector3;

/// Generalized forces that cause `acceleration` (length nv) in one tree: `out = M a + c`, where c contains
/// Coriolis, centrifugal, gyroscopic and gravity terms and M the armature. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics).
pub fn inverse_dynamics(model: &Model, data: &mut Data, tree: TreeId, acceleration: &[f64], out: &mut [f64]) {
    link_accelerations(model, data, tree, Some(acceleration));
    forces_of_accelerations(model, data, tree);
    project_on_joints(model, data, tree, out);
    for k in model.trees[tree].dofs.clone() {
        out[k] += model.dofs[k].armature * acceleration[k];
    }
}

/// The bias c of one tree: [`inverse_dynamics`] without joint acceleration.
pub fn bias_forces(model: &Model, data: &mut Data, tree: TreeId, out: &mut [f64]) {
    link_accelerations(model, data, tree, None);
    forces_of_accelerations(model, data, tree);
    project_on_joints(model, data, tree, out);
}

/// The part of [`bias_forces`] that is gravity's: the bias of the tree at rest. Needs poses.
pub fn gravity_forces(model: &Model, data: &mut Data, tree: TreeId, out: &mut [f64]) {
    let falling = Motion::new(Vector3::zeros(), -model.gravity);
    for i in model.trees[tree].links.clone() {
        data.link_force[i] = data.link_inertia[i].times(&falling);
    }
    project_on_joints(model, data, tree, out);
}

/// [`inverse_dynamics`] of all trees.
///
/// ```
/// # use stiction::{dynamics, model::*, geometry::Shape};
/// # use nalgebra::Vector3;
/// # let mut builder = ModelBuilder::new("pendulum");
/// # let bob = BodySpec {
/// #     pose: stiction::Transform::from_translation(-Vector3::z()),
/// #     joints: vec![JointSpec { position: Vector3::z(), ..JointSpec::hinge(Vector3::y()) }],
/// #     geoms: vec![GeomSpec { mass: Some(2.0), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) }],
/// #     ..BodySpec::default()
/// # };
/// # builder.add_body(BodyHandle::WORLD, bob)?;
/// # let model = builder.build()?;
/// // A pendulum of 1 m with a bob of 2 kg and 0.1 m radius, model.
/// let mut data = dynamics::Data::new(&model);
/// let (q, v) = ([std::f64::consts::FRAC_PI_2], [0.0]);
/// dynamics::forward_kinematics_all(&model, &mut data, &q, &v);
/// let mut torque = [0.0];
/// dynamics::inverse_dynamics_all(&model, &mut data, &[0.0], &mut torque);
/// assert!((torque[0].abs() - 2.0 * 9.81).abs() < 1e-12); // what holds it out horizontally
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inverse_dynamics_all(model: &Model, data: &mut Data, acceleration: &[f64], out: &mut [f64]) {
    for tree in TreeId::all(&model.trees) {
        inverse_dynamics(model, data, tree, acceleration, out);
    }
}

/// [`bias_forces`] of all trees.
pub fn bias_forces_all(model: &Model, data: &mut Data, out: &mut [f64]) {
    for tree in TreeId::all(&model.trees) {
        bias_forces(model, data, tree, out);
    }
}

/// Outward pass: accelerations of the links against free fall. An accelerated world does what gravity does.
pub(crate) fn link_accelerations(model: &Model, data: &mut Data, tree: TreeId, acceleration: Option<&[f64]>) {
    let world = Motion::new(Vector3::zeros(), -model.gravity);
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        let base = link.parent.map_or(world, |p| data.link_acceleration[p.index()]);
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
pub(crate) fn forces_of_accelerations(model: &Model, data: &mut Data, tree: TreeId) {
    for i in model.trees[tree].links.clone() {
        let inertia = &data.link_inertia[i];
        data.link_force[i] =
            inertia.times(&data.link_acceleration[i]) + inertia.gyroscopic(&data.link_velocity[i].angular);
    }
}

/// Inward pass: what each joint transmits, projected on its axes.
fn project_on_joints(model: &Model, data: &mut Data, tree: TreeId, out: &mut [f64]) {
    for i in model.trees[tree].links.clone().rev() {
        let link = &model.links[i];
        let force = data.link_force[i];
        for k in link.v..link.v + link.kind.nv() {
            out[k] = data.dof_axis[k].dot(&force);
        }
        if let Some(p) = link.parent {
            data.link_force[p.index()] += force.about(&data.link_offset[i]);
        }
    }
}
