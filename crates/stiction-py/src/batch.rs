//! Many simulations at once, on threads that do not need the interpreter.

use crate::arrays::{MatrixLike, matrix, rows};
use crate::choice;
use crate::error::refuse;
use crate::model::PyModel;
use crate::signals::attended;
use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArray3, PyArrayLike3, PyArrayMethods, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use stiction::sim;
use stiction::sim::{Batch, RolloutPlan};

/// What the environments of a rollout did: arrays of batch x steps rows, NaN after an error.
#[pyclass(module = "stiction._stiction", name = "Rollout", frozen, get_all)]
pub(crate) struct PyRollout {
    /// Time after each step (batch x steps; s).
    time: Py<PyArray2<f64>>,
    /// Configurations after each step (batch x steps x nq).
    qpos: Py<PyArray3<f64>>,
    /// Generalized velocities after each step (batch x steps x nv).
    qvel: Py<PyArray3<f64>>,
    /// Total energy after each step (batch x steps; J).
    energy: Py<PyArray2<f64>>,
    /// Certified residual of each step (batch x steps; dimensionless).
    residual: Py<PyArray2<f64>>,
    /// Islands not solved to tolerance in each step (batch x steps).
    unsolved: Py<PyArray2<i64>>,
    /// Why an environment stopped, one entry an environment; None where it did not.
    errors: Vec<Option<String>>,
}

#[pymethods]
impl PyRollout {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "one an attribute")]
    fn new(
        time: Py<PyArray2<f64>>,
        qpos: Py<PyArray3<f64>>,
        qvel: Py<PyArray3<f64>>,
        energy: Py<PyArray2<f64>>,
        residual: Py<PyArray2<f64>>,
        unsolved: Py<PyArray2<i64>>,
        errors: Vec<Option<String>>,
    ) -> Self {
        Self { time, qpos, qvel, energy, residual, unsolved, errors }
    }

    fn __repr__(&self) -> String {
        let failed = self.errors.iter().flatten().count();
        format!("<stiction.Rollout of {} environments, {failed} of them failed>", self.errors.len())
    }

    #[allow(clippy::type_complexity, reason = "the attributes in their order")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let parts = (
            self.time.clone_ref(py),
            self.qpos.clone_ref(py),
            self.qvel.clone_ref(py),
            self.energy.clone_ref(py),
            self.residual.clone_ref(py),
            self.unsolved.clone_ref(py),
            self.errors.clone(),
        );
        Ok((py.get_type::<PyRollout>().into_any(), parts.into_pyobject(py)?.into_any()))
    }
}

/// Simulates `steps` steps of every environment; `qpos` (batch x nq), `qvel` (batch x nv), `ctrl` (batch x steps x nu).
#[pyfunction]
#[pyo3(signature = (model, settings, steps, qpos, qvel, ctrl, threads))]
#[allow(clippy::too_many_arguments, reason = "the Python function in front of it names them")]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    model: &PyModel,
    settings: &str,
    steps: usize,
    qpos: MatrixLike<'py>,
    qvel: MatrixLike<'py>,
    ctrl: Option<PyArrayLike3<'py, f64, AllowTypeChange>>,
    threads: usize,
) -> PyResult<PyRollout> {
    let settings = choice::settings(settings, &model.options)?;
    let model = &model.inner;
    let (batch, nq, nv) = (qpos.count(), model.nq(), model.nv());
    let qpos = matrix("qpos", &qpos, [batch, nq])?;
    let qvel = matrix("qvel", &qvel, [batch, nv])?;
    let ctrl: Option<Vec<f64>> = match &ctrl {
        None => None,
        Some(ctrl) if ctrl.shape() == [batch, steps, model.actuators.len()] => {
            Some(ctrl.as_array().iter().copied().collect())
        }
        Some(ctrl) => {
            let (found, nu) = (ctrl.shape(), model.actuators.len());
            return Err(refuse(format!("ctrl has the shape {found:?}, [{batch}, {steps}, {nu}] is needed")));
        }
    };
    let plan = RolloutPlan { batch, steps, qpos: &qpos, qvel: &qvel, ctrl: ctrl.as_deref() };
    let done =
        attended(py, |stop| sim::rollout_until(model, &settings, &plan, threads, stop))?.map_err(refuse)?;
    let cube = |values: Vec<f64>, width: usize| -> PyResult<Py<PyArray3<f64>>> {
        Ok(PyArray1::from_vec(py, values).reshape([batch, steps, width])?.unbind())
    };
    let table =
        |values: Vec<f64>| -> PyResult<Py<PyArray2<f64>>> { Ok(rows(py, values, [batch, steps])?.unbind()) };
    Ok(PyRollout {
        time: table(done.time)?,
        qpos: cube(done.qpos, nq)?,
        qvel: cube(done.qvel, nv)?,
        energy: table(done.energy)?,
        residual: table(done.residual)?,
        unsolved: PyArray1::from_vec(py, done.unsolved).reshape([batch, steps])?.unbind(),
        errors: done.errors,
    })
}

/// Simulations of one model that are advanced together on threads; what vector environments are made of.
#[pyclass(module = "stiction._stiction", name = "Batch")]
pub(crate) struct PyBatch {
    batch: Mutex<Batch>,
    sizes: [usize; 3],
}

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (model, settings, count, threads))]
    fn new(model: &PyModel, settings: &str, count: usize, threads: usize) -> PyResult<Self> {
        let settings = choice::settings(settings, &model.options)?;
        let batch = Batch::new(&model.inner, &settings, count, threads).map_err(refuse)?;
        let sizes = [model.inner.nq(), model.inner.nv(), model.inner.actuators.len()];
        Ok(Self { batch: Mutex::new(batch), sizes })
    }

    /// Number of simulations.
    fn __len__(&mut self) -> usize {
        self.inner().simulations.len()
    }

    /// Configurations (batch x nq), a copy.
    #[getter]
    fn qpos<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.inner().simulations.iter().flat_map(|s| s.state.q.iter().copied()).collect();
        let count = self.inner().simulations.len();
        rows(py, values, [count, self.sizes[0]])
    }

    /// Generalized velocities (batch x nv), a copy.
    #[getter]
    fn qvel<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.inner().simulations.iter().flat_map(|s| s.state.v.iter().copied()).collect();
        let count = self.inner().simulations.len();
        rows(py, values, [count, self.sizes[1]])
    }

    /// Times (batch; s), a copy.
    #[getter]
    fn time<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.inner().simulations.iter().map(|s| s.state.time).collect())
    }

    /// Puts one simulation at the scene's start, then at `qpos` (nq) and `qvel` (nv) where they are given.
    #[pyo3(signature = (index, qpos = None, qvel = None))]
    fn reset(
        &mut self,
        index: usize,
        qpos: Option<crate::arrays::VectorLike>,
        qvel: Option<crate::arrays::VectorLike>,
    ) -> PyResult<()> {
        let [nq, nv, _] = self.sizes;
        let count = self.inner().simulations.len();
        let simulation = self
            .inner()
            .simulations
            .get_mut(index)
            .ok_or_else(|| refuse(format!("environment {index} of {count}: they are counted from 0")))?;
        simulation.start_over().map_err(refuse)?;
        if let Some(qpos) = qpos {
            simulation.state.q.copy_from_slice(&crate::arrays::vector("qpos", &qpos, nq)?);
        }
        if let Some(qvel) = qvel {
            simulation.state.v.copy_from_slice(&crate::arrays::vector("qvel", &qvel, nv)?);
        }
        Ok(())
    }

    /// Takes `steps` steps of every simulation under the controls `ctrl` (batch x nu), without the interpreter lock.
    /// Returns for each how many islands its last step left unsolved and, if it failed, why.
    fn step(&mut self, py: Python, ctrl: MatrixLike, steps: usize) -> PyResult<Vec<(usize, Option<String>)>> {
        let nu = self.sizes[2];
        let batch = self.inner();
        let ctrl = matrix("ctrl", &ctrl, [batch.simulations.len(), nu])?;
        for (i, simulation) in batch.simulations.iter_mut().enumerate() {
            simulation.state.ctrl.copy_from_slice(&ctrl[i * nu..(i + 1) * nu]);
        }
        // One step cannot be stopped within: environments that are stepped often need no thread that listens.
        let reports = match steps {
            0 | 1 => py.detach(|| batch.step(steps)),
            _ => attended(py, |stop| batch.step_until(steps, stop))?,
        }
        .map_err(refuse)?;
        let outcome = reports.into_iter().map(|report| match report {
            Some(Ok(report)) => (report.unsolved, None),
            Some(Err(error)) => (0, Some(error.to_string())),
            None => (0, None),
        });
        Ok(outcome.collect())
    }
}

impl PyBatch {
    fn inner(&mut self) -> &mut Batch {
        self.batch.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
