//! Forward dynamics in linear time by the articulated-body algorithm (Featherstone 1983; 2008, table 7.1).
//!
//! A joint with several dofs is released one dof at a time, which is the same as a chain of massless links at one
//! point and needs no small matrix inverse.

use crate::dynamics::crba::composite_inertias;
use crate::dynamics::data::{Data, is_positive};
use crate::dynamics::error::AlgorithmError;
use crate::model::{JointKind, Model, TreeId};
use crate::spatial::{ArticulatedInertia, Force, Motion};
use nalgebra::Vector3;

/// Accelerations of one tree under generalized forces `tau` (both of length nv) and gravity:
/// `acceleration = M^-1 (tau - c)`, armature included. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics) and neither mass matrix nor factor.
///
/// # Errors
/// [`AlgorithmError::NotPositiveDefinite`] with the outermost link that nothing resists.
pub fn forward_dynamics(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    tau: &[f64],
    acceleration: &mut [f64],
) -> Result<(), AlgorithmError> {
    accelerations_under(model, data, tree, model.gravity, tau, acceleration)
}

/// [`forward_dynamics`] under another gravity (m/s^2) than the model's.
///
/// # Errors
/// As there.
pub(crate) fn accelerations_under(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    gravity: Vector3<f64>,
    tau: &[f64],
    acceleration: &mut [f64],
) -> Result<(), AlgorithmError> {
    for i in model.trees[tree].links.clone() {
        data.link_force[i] = data.link_inertia[i].gyroscopic(&data.link_velocity[i].angular);
    }
    let released = |data: &mut Data, i: usize, k: usize| {
        let left = tau[k] - data.dof_axis[k].dot(&data.link_force[i]);
        data.link_force[i] += data.axis_force[k] * (left / data.pivot[k]);
        data.tau_left[k] = left;
    };
    let passed_on = |data: &mut Data, i: usize, parent: usize| {
        let force = data.link_force[i] + data.articulated[i].times(&data.bias_acceleration[i]);
        data.link_force[parent] += force.about(&data.link_offset[i]);
    };
    articulated_inertias(model, data, tree, |_| 0.0, released, passed_on)?;
    let world = Motion::new(Vector3::zeros(), -gravity);
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        let base = link.parent.map_or(world, |p| data.link_acceleration[p.index()]);
        let mut a = base.at(&data.link_offset[i]) + data.bias_acceleration[i];
        for k in link.v..link.v + link.kind.nv() {
            acceleration[k] = (data.tau_left[k] - a.dot(&data.axis_force[k])) / data.pivot[k];
            a += data.dof_axis[k] * acceleration[k];
        }
        data.link_acceleration[i] = a;
    }
    Ok(())
}

/// [`forward_dynamics`] of all trees.
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
/// let q = [std::f64::consts::FRAC_PI_2];
/// dynamics::forward_kinematics_all(&model, &mut data, &q, &[0.0]);
/// let mut acceleration = [0.0];
/// dynamics::forward_dynamics_all(&model, &mut data, &[0.0], &mut acceleration)?;
/// let inertia = 2.0 * (1.0 + 0.4 * 0.1 * 0.1);
/// assert!((acceleration[0].abs() - 2.0 * 9.81 / inertia).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn forward_dynamics_all(
    model: &Model,
    data: &mut Data,
    tau: &[f64],
    acceleration: &mut [f64],
) -> Result<(), AlgorithmError> {
    TreeId::all(&model.trees).try_for_each(|tree| forward_dynamics(model, data, tree, tau, acceleration))
}

/// Inward pass: articulated inertia of every link of a tree, and the force of its unit acceleration and the pivot of every
/// dof, with `armature + added(dof)` on the diagonal of the mass matrix. `released(data, link, dof)` follows each dof,
/// `passed_on(data, link, parent)` each link that is not the root.
#[inline]
pub(crate) fn articulated_inertias(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    added: impl Fn(usize) -> f64,
    mut released: impl FnMut(&mut Data, usize, usize),
    mut passed_on: impl FnMut(&mut Data, usize, usize),
) -> Result<(), AlgorithmError> {
    composite_inertias(model, data, tree);
    for i in model.trees[tree].links.clone() {
        data.articulated[i] = ArticulatedInertia::rigid(&data.link_inertia[i]);
    }
    for i in model.trees[tree].links.clone().rev() {
        let link = &model.links[i];
        for k in (link.v..link.v + link.kind.nv()).rev() {
            release_dof(model, data, k, model.dofs[k].armature + added(k))?;
            released(data, i, k);
        }
        if let Some(p) = link.parent {
            let inertia = data.articulated[i];
            data.articulated[p.index()] += inertia.about(&data.link_offset[i]);
            passed_on(data, i, p.index());
        }
    }
    Ok(())
}

/// Takes the motion along a dof's axis, on which there is the inertia `rotor` besides, out of its link's articulated
/// inertia.
#[inline]
fn release_dof(model: &Model, data: &mut Data, k: usize, rotor: f64) -> Result<(), AlgorithmError> {
    let i = model.dofs[k].link;
    let link = &model.links[i];
    let (inertia, axis) = (&mut data.articulated[i.index()], &data.dof_axis[k]);
    // Every axis is a rotation about the link's origin or a translation: half of the products are zero.
    let (axis_force, resistance, rigid);
    if is_rotation(&link.kind, k - link.v) {
        let s = &axis.angular;
        axis_force = Force::new(inertia.angular * s, inertia.mixed.tr_mul(s));
        resistance = s.dot(&axis_force.angular);
        rigid = s.dot(&(data.composite[i.index()].rotational * s));
    } else {
        let s = &axis.linear;
        axis_force = Force::new(inertia.mixed * s, inertia.linear * s);
        resistance = s.dot(&axis_force.linear);
        rigid = data.composite[i.index()].mass;
    }
    let pivot = resistance + rotor;
    if !is_positive(pivot, rigid + rotor) {
        return Err(AlgorithmError::NotPositiveDefinite { link: link.name.clone(), value: pivot });
    }
    inertia.release(&axis_force, pivot);
    data.axis_force[k] = axis_force;
    data.pivot[k] = pivot;
    Ok(())
}

/// Whether a joint's dof turns the link (about its origin) rather than shifts it.
fn is_rotation(kind: &JointKind, dof: usize) -> bool {
    match kind {
        JointKind::Hinge { .. } | JointKind::Ball => true,
        JointKind::Slide { .. } => false,
        JointKind::Free => dof >= 3,
    }
}
