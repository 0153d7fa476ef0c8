//! Projected Gauss-Seidel methods.

pub(crate) mod coordinate_rows;
pub mod pgs;
pub mod pgs_sm;
pub(crate) mod run;

pub use pgs::{Pgs, PgsSettings};
pub use pgs_sm::{PgsSm, PgsSmSettings};
