//! What the constructors of this crate refuse, and why.

use thiserror::Error;

/// A problem or a setting that is not well formed.
///
/// Not converging is never an error: it is a [`Status`](crate::Status) in the report.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SolverError {
    /// The matrix does not have one row and one column for every entry of `q`.
    #[error("the matrix has {entries} entries but q has {rows}: {rows} x {rows} = {expected} are needed", expected = rows * rows)]
    Shape {
        /// Number of entries of the matrix.
        entries: usize,
        /// Length of `q`.
        rows: usize,
    },
    /// An entry of the matrix is NaN or infinite.
    #[error("the matrix entry in row {row}, column {column} is {value}: every entry must be finite")]
    NotFiniteMatrix {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The offending value.
        value: f64,
    },
    /// An entry of the constant vector is NaN or infinite.
    #[error("q[{row}] is {value}: every entry must be finite")]
    NotFiniteVector {
        /// Row, from 0.
        row: usize,
        /// The offending value.
        value: f64,
    },
    /// A setting outside its range.
    #[error("the setting {name} is {value}: it must be {requirement}")]
    Setting {
        /// Name of the field.
        name: &'static str,
        /// The offending value.
        value: f64,
        /// What would be accepted.
        requirement: &'static str,
    },
}
