//! Solvers by name, default settings, adapters between problem classes, and the robust driver.

pub(crate) mod box_to_lcp;
pub mod choice;
pub(crate) mod defaults;
pub mod lcp_adapter;
pub mod registry;
pub mod robust;
pub(crate) mod settings_text;
pub mod suggestion;

pub use choice::{BoxLcpSolver, ConeSolver, FactoredLcpSolver, LcpSolver};
pub use lcp_adapter::Reduced;
pub use robust::{Robust, RobustSettings};
pub use settings_text::ChoiceError;
