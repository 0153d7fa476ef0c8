//! Arrays in and out: lists, single precision and strided arrays are accepted and copied; shapes are checked by name.

use crate::error::refuse;
use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2, PyArrayMethods, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

/// A vector argument.
pub(crate) type VectorLike<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;

/// A matrix argument.
pub(crate) type MatrixLike<'py> = PyArrayLike2<'py, f64, AllowTypeChange>;

/// The numbers of a vector argument, which must be `length`.
pub(crate) fn vector(name: &str, values: &VectorLike, length: usize) -> PyResult<Vec<f64>> {
    let found = values.len();
    if found != length {
        return Err(refuse(format!("{name} has {found} numbers, {length} are needed")));
    }
    Ok(values.as_array().iter().copied().collect())
}

/// The numbers of a vector argument of any length.
pub(crate) fn any_vector(values: &VectorLike) -> Vec<f64> {
    values.as_array().iter().copied().collect()
}

/// The numbers of a matrix argument, row by row, which must have this shape.
pub(crate) fn matrix(name: &str, values: &MatrixLike, shape: [usize; 2]) -> PyResult<Vec<f64>> {
    let found = values.shape();
    if found != shape {
        return Err(refuse(format!(
            "{name} has the shape ({}, {}), ({}, {}) is needed",
            found[0], found[1], shape[0], shape[1]
        )));
    }
    Ok(values.as_array().iter().copied().collect())
}

/// An array of rows.
pub(crate) fn rows<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}
