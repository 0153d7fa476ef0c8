//! Solvers by name, default settings, adapters between problem classes, and the robust driver.

pub(crate) mod box_to_lcp;
pub(crate) mod defaults;
pub mod lcp_adapter;
pub mod registry;
pub mod robust;

pub use lcp_adapter::Reduced;
pub use robust::{Robust, RobustSettings};
