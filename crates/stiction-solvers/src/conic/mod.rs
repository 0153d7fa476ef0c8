//! The interior-point method of the conic library.

pub mod interior_point;

pub use interior_point::{InteriorPoint, InteriorPointSettings};
