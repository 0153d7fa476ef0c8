//! The mass matrix of all trees and the Jacobian of a link as dense matrices, for users; the algorithms work on blocks and
//! single rows.

use crate::dynamics::data::Data;
use crate::dynamics::jacobian::{angular_jacobian, point_jacobian};
use crate::model::{LinkId, Model, TreeId};
use nalgebra::{DMatrix, Vector3};

/// The symmetric mass matrix M (nv x nv; kg, kg m, kg m^2) of all trees, armature included. Needs
/// [`mass_matrix_all`](crate::dynamics::mass_matrix_all).
///
/// ```
/// # use stiction::{dynamics, model::*, geometry::Shape};
/// # use nalgebra::Vector3;
/// let mut builder = ModelBuilder::new("slide");
/// let cart = BodySpec {
///     joints: vec![JointSpec::slide(Vector3::x())],
///     geoms: vec![GeomSpec { mass: Some(2.0), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) }],
///     ..BodySpec::default()
/// };
/// builder.add_body(BodyHandle::WORLD, cart)?;
/// let model = builder.build()?;
///
/// let mut data = dynamics::Data::new(&model);
/// dynamics::forward_kinematics_all(&model, &mut data, &model.q0, &[0.0]);
/// dynamics::mass_matrix_all(&model, &mut data);
/// assert_eq!(dynamics::mass_matrix_dense(&model, &data)[(0, 0)], 2.0);
/// # Ok::<(), ModelError>(())
/// ```
pub fn mass_matrix_dense(model: &Model, data: &Data) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(model.nv(), model.nv());
    for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
        let (first, n) = (contents.dofs.start, contents.dofs.len());
        let block = &data.mass_matrix[data.tree_block(model, tree)];
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            full[(first + i, first + j)] = block[i * n + j];
            full[(first + j, first + i)] = block[i * n + j];
        }
    }
    full
}

/// The Jacobian (6 x nv, world axes) of a link: three rows of angular velocity (rad/s), three of the velocity (m/s) of its
/// point that is now at `point` (world, m). Needs [`forward_kinematics_all`](crate::dynamics::forward_kinematics_all).
///
/// ```
/// # use stiction::{dynamics, model::*, geometry::Shape};
/// # use nalgebra::Vector3;
/// let mut builder = ModelBuilder::new("hinge");
/// let arm = BodySpec {
///     joints: vec![JointSpec::hinge(Vector3::z())],
///     geoms: vec![GeomSpec::new(Shape::Sphere { radius: 0.1 })],
///     ..BodySpec::default()
/// };
/// builder.add_body(BodyHandle::WORLD, arm)?;
/// let model = builder.build()?;
///
/// let mut data = dynamics::Data::new(&model);
/// dynamics::forward_kinematics_all(&model, &mut data, &model.q0, &[0.0]);
/// let jacobian = dynamics::jacobian(&model, &data, LinkId::new(0), &Vector3::new(0.5, 0.0, 0.0));
/// assert_eq!(jacobian.as_slice(), [0.0, 0.0, 1.0, 0.0, 0.5, 0.0]);
/// # Ok::<(), ModelError>(())
/// ```
pub fn jacobian(model: &Model, data: &Data, link: LinkId, point: &Vector3<f64>) -> DMatrix<f64> {
    let dofs = model.trees[model.links[link].tree].dofs.clone();
    let mut full = DMatrix::zeros(6, model.nv());
    let mut row = vec![0.0; dofs.len()];
    for axis in 0..3 {
        let direction = Vector3::ith(axis, 1.0);
        angular_jacobian(model, data, link, &direction, &mut row);
        dofs.clone().zip(&row).for_each(|(dof, entry)| full[(axis, dof)] = *entry);
        point_jacobian(model, data, link, point, &direction, &mut row);
        dofs.clone().zip(&row).for_each(|(dof, entry)| full[(3 + axis, dof)] = *entry);
    }
    full
}
