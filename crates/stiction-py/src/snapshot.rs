//! `Snapshot`: everything the future of a simulation depends on.

use crate::error::refuse;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stiction::sim::Snapshot;

/// Everything the future of a simulation depends on: continuing from it gives the same bits, also in another process.
/// Pickles.
#[pyclass(module = "stiction._stiction", name = "Snapshot", frozen)]
pub(crate) struct PySnapshot {
    pub(crate) inner: Snapshot,
}

#[pymethods]
impl PySnapshot {
    /// From bytes that `to_bytes` made, here or by `stiction run --save-state`.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self { inner: Snapshot::from_bytes(bytes).map_err(refuse)? })
    }

    /// As bytes, for a file; `stiction run --load-state` reads them too.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner.to_bytes().map_err(refuse)?))
    }

    /// Time (s).
    #[getter]
    fn time(&self) -> f64 {
        self.inner.state.time
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<PySnapshot>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __eq__(&self, other: &PySnapshot) -> bool {
        self.inner == other.inner
    }

    fn __repr__(&self) -> String {
        format!("<stiction.Snapshot at t = {} s>", self.inner.state.time)
    }
}
