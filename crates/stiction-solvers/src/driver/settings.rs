//! Checks of settings that the constructors of solvers share.

use crate::problem::SolverError;

/// Checks a tolerance of the natural map (dimensionless).
///
/// # Errors
/// [`SolverError::Setting`] unless `0 <= value < 1`.
pub(crate) fn check_tolerance(value: f64) -> Result<(), SolverError> {
    check("tolerance", value, (0.0..1.0).contains(&value), "at least 0 and below 1")
}

/// Checks the two settings that every solver has: the tolerance, and the time of a solve (s), if it is limited.
///
/// # Errors
/// [`SolverError::Setting`] for the tolerance as [`check_tolerance`], and for a time that is negative or NaN.
pub(crate) fn check_limits(tolerance: f64, time_limit: Option<f64>) -> Result<(), SolverError> {
    check_tolerance(tolerance)?;
    let seconds = time_limit.unwrap_or(0.0);
    check("time_limit", seconds, seconds >= 0.0, "a number of seconds, at least 0")
}

/// Checks a setting that must be a positive finite number.
///
/// # Errors
/// [`SolverError::Setting`] if it is not.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), SolverError> {
    check(name, value, value.is_finite() && value > 0.0, "a finite number greater than 0")
}

/// Checks a setting that must lie strictly between two numbers, which `requirement` tells.
///
/// # Errors
/// [`SolverError::Setting`] if it does not.
pub(crate) fn check_between(
    name: &'static str,
    value: f64,
    [low, high]: [f64; 2],
    requirement: &'static str,
) -> Result<(), SolverError> {
    check(name, value, value > low && value < high, requirement)
}

fn check(name: &'static str, value: f64, holds: bool, requirement: &'static str) -> Result<(), SolverError> {
    if holds { Ok(()) } else { Err(SolverError::Setting { name, value, requirement }) }
}
