//! Interior-point methods for the cone problem.

pub mod cone_interior_point;
#[cfg(feature = "conic")]
pub(crate) mod conic;
pub(crate) mod second_order_cone;

pub use cone_interior_point::{ConeInteriorPoint, ConeInteriorPointSettings};
