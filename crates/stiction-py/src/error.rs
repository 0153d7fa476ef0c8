//! One exception for everything that is wrong with what the caller gave: a `ValueError`, as NumPy and SciPy raise.

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};
use std::fmt::Display;
use stiction_solvers::io::printable_lines;

create_exception!(
    stiction._stiction,
    StictionError,
    PyValueError,
    "What was asked for cannot be done: a file, a setting or an array is wrong. The message says which, its value, and \
     what would be right. Not converging is no error: it is in the report."
);

/// The exception with the message of an error, in which nothing moves a terminal.
pub(crate) fn refuse(error: impl Display) -> PyErr {
    StictionError::new_err(printable_lines(&error.to_string()).into_owned())
}
