//! Dual active-set methods for contacts without friction: factored problems and quadratic programs.

pub mod goldfarb_idnani;
pub(crate) mod normal_rows;
pub mod ppm;

pub use goldfarb_idnani::{ActiveSetQp, ActiveSetQpSettings};
pub use ppm::{Ppm, PpmSettings};
