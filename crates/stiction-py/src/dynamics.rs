//! Dynamics of a model as functions of its state: one call of the engine's algorithms each.

use crate::arrays::{MatrixLike, VectorLike, rows, vector};
use crate::error::refuse;
use crate::model::PyModel;
use nalgebra::Vector3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::dynamics;
use stiction::dynamics::Data;
use stiction::dynamics::body_motion;
use stiction::model::{Base, BodyId, Model, TreeId};
use stiction::sim::State;

/// Derived quantities at a state; `None` is at rest.
fn kinematics(
    model: &Model,
    qpos: &VectorLike,
    qvel: Option<&VectorLike>,
) -> PyResult<(Data, Vec<f64>, Vec<f64>)> {
    let q = vector("qpos", qpos, model.nq())?;
    let v = qvel.map_or(Ok(vec![0.0; model.nv()]), |v| vector("qvel", v, model.nv()))?;
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &q, &v);
    Ok((data, q, v))
}

/// Mass matrix M (nv x nv; kg, kg m, kg m^2) at the configuration `qpos` (nq), armature included.
#[pyfunction]
pub(crate) fn mass_matrix<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let model = &*model.inner;
    let (mut data, ..) = kinematics(model, &qpos, None)?;
    dynamics::mass_matrix_all(model, &mut data);
    let matrix = dynamics::mass_matrix_dense(model, &data);
    // Symmetric: columns are rows.
    rows(py, matrix.as_slice().to_vec(), [model.nv(), model.nv()])
}

/// Bias forces c(q, v) (nv; N, N m) of `M a + c = tau`: Coriolis, centrifugal, gyroscopic and gravity terms.
#[pyfunction]
pub(crate) fn bias_forces<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
    qvel: VectorLike<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = &*model.inner;
    let (mut data, ..) = kinematics(model, &qpos, Some(&qvel))?;
    let mut bias = vec![0.0; model.nv()];
    dynamics::bias_forces_all(model, &mut data, &mut bias);
    Ok(PyArray1::from_vec(py, bias))
}

/// Generalized forces tau = M a + c (nv; N, N m) that give the accelerations `qacc` (nv).
#[pyfunction]
pub(crate) fn inverse_dynamics<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
    qvel: VectorLike<'py>,
    qacc: VectorLike<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = &*model.inner;
    let (mut data, ..) = kinematics(model, &qpos, Some(&qvel))?;
    let qacc = vector("qacc", &qacc, model.nv())?;
    let mut tau = vec![0.0; model.nv()];
    dynamics::inverse_dynamics_all(model, &mut data, &qacc, &mut tau);
    Ok(PyArray1::from_vec(py, tau))
}

/// Accelerations a = M^-1 (tau - c) (nv) under the generalized forces `tau` (nv; N, N m), without contacts and other
/// constraints.
#[pyfunction]
pub(crate) fn forward_dynamics<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
    qvel: VectorLike<'py>,
    tau: VectorLike<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = &*model.inner;
    let (mut data, ..) = kinematics(model, &qpos, Some(&qvel))?;
    let tau = vector("tau", &tau, model.nv())?;
    let mut acceleration = vec![0.0; model.nv()];
    dynamics::forward_dynamics_all(model, &mut data, &tau, &mut acceleration).map_err(refuse)?;
    Ok(PyArray1::from_vec(py, acceleration))
}

/// Poses of all bodies (the world first) at the configuration `qpos` (nq): positions (bodies x 3; m, world axes) and
/// orientations (bodies x 4; unit quaternions, w first). Mocap bodies are where the scene puts them.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "the pair that Python gets")]
pub(crate) fn forward_kinematics<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let model = &*model.inner;
    let (data, ..) = kinematics(model, &qpos, None)?;
    let mocap = State::new(model).mocap;
    let (mut positions, mut orientations) = (Vec::new(), Vec::new());
    for body in BodyId::all(&model.bodies) {
        let (pose, _) = body_motion(model, &data, &mocap, body);
        positions.extend_from_slice(pose.translation.as_slice());
        orientations.extend(pose.quaternion());
    }
    let bodies = model.bodies.len();
    Ok((rows(py, positions, [bodies, 3])?, rows(py, orientations, [bodies, 4])?))
}

/// Jacobian (6 x nv) of a body at the configuration `qpos` (nq), world axes: three rows of angular velocity (rad/s),
/// three of the velocity (m/s) of its point at `point` (3; m, world), by default of its origin.
#[pyfunction]
#[pyo3(signature = (model, qpos, body, point = None))]
pub(crate) fn jacobian<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
    body: &str,
    point: Option<VectorLike<'py>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let model = &*model.inner;
    let (data, ..) = kinematics(model, &qpos, None)?;
    let index = model.body(body).ok_or_else(|| unknown_body(model, body))?;
    let point = match point {
        Some(point) => Vector3::from_column_slice(&vector("point", &point, 3)?),
        None => body_motion(model, &data, &State::new(model).mocap, index).0.translation,
    };
    let nv = model.nv();
    let jacobian = match model.bodies[index].base {
        Base::Link(link) => dynamics::jacobian(model, &data, link, &point).transpose().as_slice().to_vec(),
        Base::World | Base::Mocap(_) => vec![0.0; 6 * nv],
    };
    rows(py, jacobian, [6, nv])
}

/// Delassus operator G = J M^-1 J^T (n x n) of constraint rows `jacobian` (n x nv) at the configuration `qpos` (nq).
#[pyfunction]
pub(crate) fn delassus<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
    jacobian: MatrixLike<'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let model = &*model.inner;
    let (mut data, ..) = kinematics(model, &qpos, None)?;
    let (n, nv) = (jacobian.count(), model.nv());
    let mut half = crate::arrays::matrix("jacobian", &jacobian, [n, nv])?;
    dynamics::mass_matrix_all(model, &mut data);
    dynamics::factorize_all(model, &mut data, &vec![0.0; nv]).map_err(refuse)?;
    for row in half.chunks_mut(nv.max(1)) {
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            dynamics::half_solve(model, &mut data, tree, &mut row[contents.dofs.clone()]);
        }
    }
    let row = |i: usize| &half[i * nv..(i + 1) * nv];
    let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let operator = entries.map(|(i, j)| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum()).collect();
    rows(py, operator, [n, n])
}

/// The configuration (nq) that is reached from `qpos` (nq) at the constant velocity `qvel` (nv) in `h` seconds.
#[pyfunction]
pub(crate) fn integrate<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos: VectorLike<'py>,
    qvel: VectorLike<'py>,
    h: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = &*model.inner;
    let q = vector("qpos", &qpos, model.nq())?;
    let v = vector("qvel", &qvel, model.nv())?;
    let mut out = q.clone();
    dynamics::integrate_all(model, &q, &v, h, &mut out);
    Ok(PyArray1::from_vec(py, out))
}

/// The constant velocity (nv) that leads from the configuration `qpos_from` (nq) to `qpos_to` (nq) in one second.
#[pyfunction]
pub(crate) fn difference<'py>(
    py: Python<'py>,
    model: &PyModel,
    qpos_from: VectorLike<'py>,
    qpos_to: VectorLike<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = &*model.inner;
    let from = vector("qpos_from", &qpos_from, model.nq())?;
    let to = vector("qpos_to", &qpos_to, model.nq())?;
    let mut out = vec![0.0; model.nv()];
    dynamics::difference_all(model, &from, &to, &mut out);
    Ok(PyArray1::from_vec(py, out))
}

/// An unknown body, with what could be meant.
pub(crate) fn unknown_body(model: &Model, name: &str) -> PyErr {
    let hint = stiction::scene::did_you_mean(name, model.bodies.iter().map(|b| b.name.as_str()));
    refuse(format!("there is no body {name:?}{hint}"))
}
