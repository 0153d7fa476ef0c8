//! Interior-point methods for the cone problem.
//!
//! # Equations
//! Impulses `x` and slacks `v`, both inside their cones, with `v = y(x)` (corrected by De Saxce where contacts slide) and
//! `x o v = tau e`, whose solutions for `tau -> 0` lead to one of the cone problem.
//!
//! # Files
//! | file | what it is |
//! |---|---|
//! | [`cone_interior_point`] | the method under Coulomb's law: a predictor and a corrector a step |
//! | `sliding_path` | the same with the sliding speed as an unknown, for large islands |
//! | `parts` | all cells of a problem with a step, which both share |
//! | `barrier` | what they ask of a cell, and the kinds of cell, one a file; the algebra of the second-order cone |
//! | `conic` | the associated law through the library Clarabel, Coulomb's law by a fixed point (feature `conic`) |
//!
//! # References
//! Y. Nesterov, M. Todd, *Self-scaled barriers and interior-point methods for convex programming*, Mathematics of Operations
//! Research 22 (1997) 1-42; V. Acary, P. Armand, H. Minh Nguyen, M. Shpakovych, *Second-order cone programming for
//! frictional contact mechanics using interior point algorithm*, 2024.

mod barrier;
pub mod cone_interior_point;
#[cfg(feature = "conic")]
pub(crate) mod conic;
mod parts;
pub(crate) mod sliding_path;

pub use cone_interior_point::{ConeInteriorPoint, ConeInteriorPointSettings};
