//! Gauss-Seidel and splitting methods for the cone problem.

pub mod admm;
pub(crate) mod disk_program;
pub mod nsgs;
pub mod qp_split;

pub use admm::{Admm, AdmmSettings};
pub use nsgs::{Nsgs, NsgsSettings};
pub use qp_split::{QpSplit, QpSplitSettings};
