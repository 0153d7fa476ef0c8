//! The Levenberg-Marquardt methods RLM and PLM on a square system of equations.

pub(crate) mod damped_step;
pub(crate) mod equations;
pub(crate) mod least_squares;
pub(crate) mod projected;
pub(crate) mod regular;
