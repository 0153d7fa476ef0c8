//! What the constructors of this crate refuse, and why.

use thiserror::Error;

use crate::linalg::cholesky::NotPositiveDefinite;

/// A problem or a setting that is not well formed.
///
/// Not converging is never an error: it is a [`Status`](crate::problem::report::Status) in the report.
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
    /// A vector has the wrong length.
    #[error("{what} has {given} entries where {needed} are needed")]
    Length {
        /// Name of the vector.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The right length.
        needed: usize,
    },
    /// Bounds that are NaN, infinite on the wrong side, or crossed.
    #[error(
        "the bounds of index {index} are {lower} and {upper}: the lower must be a number at most the upper"
    )]
    Bounds {
        /// Index, from 0.
        index: usize,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// A matrix that must be symmetric positive definite is not.
    #[error("the matrix {what} is not positive definite: pivot {pivot} is {value}")]
    NotPositiveDefinite {
        /// Name of the matrix.
        what: &'static str,
        /// Row of the pivot, from 0.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// A block that must be regular has no reliable inverse.
    #[error("the block {what} is singular: without its inverse the problem cannot be reduced; keep it mixed")]
    SingularBlock {
        /// Name of the block.
        what: &'static str,
    },
    /// A block of a cone problem has a number out of range.
    #[error("block {block}: {what}, not {value}")]
    Cone {
        /// Number of the block, from 0.
        block: usize,
        /// What would be right.
        what: &'static str,
        /// The offending value.
        value: f64,
    },
    /// The structure of a sparse operator is not consistent.
    #[error("the operator does not fit the problem: {what}")]
    Structure {
        /// What would be right.
        what: &'static str,
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

impl SolverError {
    /// The error that names the matrix whose factorization failed.
    pub(crate) fn not_positive_definite(what: &'static str, failure: NotPositiveDefinite) -> SolverError {
        let NotPositiveDefinite { pivot, value } = failure;
        SolverError::NotPositiveDefinite { what, pivot, value }
    }
}
