//! Checks of data that the constructors of problems share.

use crate::linalg::dense::all_finite;
use crate::problem::error::SolverError;

/// Names the first entry of a row-major matrix or vector that is not finite.
pub(crate) fn check_finite(matrix: &[f64], q: &[f64]) -> Result<(), SolverError> {
    if all_finite(matrix) && all_finite(q) {
        return Ok(());
    }
    if let Some(at) = matrix.iter().position(|v| !v.is_finite()) {
        let n = q.len().max(1);
        return Err(SolverError::NotFiniteMatrix { row: at / n, column: at % n, value: matrix[at] });
    }
    match q.iter().position(|v| !v.is_finite()) {
        Some(row) => Err(SolverError::NotFiniteVector { row, value: q[row] }),
        None => Ok(()),
    }
}
