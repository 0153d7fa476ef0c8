//! Measuring solvers: every solver on every problem that it serves.
//!
//! A solve counts as solved by what the problem certifies: the natural map's scaled residual
//! `max_i |min(z_i, w_i)|` (with projections onto boxes and cones in place of the minimum), never by what the solver says.
//! Times are the shortest of several solves from nothing, on one core.
//!
//! | file | |
//! |---|---|
//! | [`outcome`] | one timed solve |
//! | [`suite`] | all solvers on all problem files of a folder |
//! | [`profile`] | performance profiles (Dolan and More 2002) of such a suite |
//! | [`cones`] | solvers of exact friction cones on public and generated contact problems, and in motions |

pub mod cones;
pub mod outcome;
pub mod profile;
pub mod suite;

pub use outcome::{Outcome, solve, status_name};
