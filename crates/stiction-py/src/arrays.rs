//! Arrays in and out: lists, single precision and strided arrays are accepted and copied; shapes are checked by name.

use crate::error::refuse;
use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2, PyArrayMethods, PyUntypedArrayMethods,
};
use pyo3::Borrowed;
use pyo3::prelude::*;

/// A vector argument.
pub(crate) struct VectorLike<'py>(PyArrayLike1<'py, f64, AllowTypeChange>);

/// A matrix argument.
pub(crate) struct MatrixLike<'py>(PyArrayLike2<'py, f64, AllowTypeChange>);

impl MatrixLike<'_> {
    /// Number of rows.
    pub(crate) fn count(&self) -> usize {
        self.0.shape()[0]
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.0.shape()[1]
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for VectorLike<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(real(&given)?.extract()?))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for MatrixLike<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(real(&given)?.extract()?))
    }
}

/// The argument as an array, if that holds real numbers and all of them count: NumPy would drop imaginary parts and masks, and make
/// numbers of dates.
#[pyfunction]
#[pyo3(name = "real_numbers")]
pub(crate) fn real<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    if given.is_instance(&py.import("numpy.ma")?.getattr("MaskedArray")?)? {
        return Err(refuse("a masked array has places without a number: say which by its method filled"));
    }
    let array = py.import("numpy")?.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !["b", "i", "u", "f"].contains(&kind.as_str()) {
        let dtype = array.getattr("dtype")?.str()?;
        return Err(refuse(format!("an array of type {dtype} does not hold real numbers")));
    }
    Ok(array)
}

/// The numbers of a vector argument, which must be `length`.
pub(crate) fn vector(name: &str, values: &VectorLike, length: usize) -> PyResult<Vec<f64>> {
    let found = values.0.len();
    if found != length {
        return Err(refuse(format!("{name} has {found} numbers, {length} are needed")));
    }
    Ok(any_vector(values))
}

/// The numbers of a vector argument of any length.
pub(crate) fn any_vector(values: &VectorLike) -> Vec<f64> {
    values.0.as_array().iter().copied().collect()
}

/// The numbers of a matrix argument, row by row, which must have this shape.
pub(crate) fn matrix(name: &str, values: &MatrixLike, shape: [usize; 2]) -> PyResult<Vec<f64>> {
    let found = values.0.shape();
    if found != shape {
        return Err(refuse(format!(
            "{name} has the shape ({}, {}), ({}, {}) is needed",
            found[0], found[1], shape[0], shape[1]
        )));
    }
    Ok(values.0.as_array().iter().copied().collect())
}

/// An array of rows.
pub(crate) fn rows<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}
