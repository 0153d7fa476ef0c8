//! The choice of a solver: by name, or several in turn.
//!
//! | file | what it is |
//! |---|---|
//! | `registry` | the solvers by name, with the classes they serve ([`registry::SOLVERS`]) |
//! | `robust` | [`Robust`]: several methods in turn for each class, with a proof where none succeeds |
//! | `defaults` | every solver at its default settings, for a tolerance |
//! | `choice` | a solver with its settings, as text or data: [`LcpSolver`], [`BoxLcpSolver`], [`FactoredLcpSolver`], [`ConeSolver`] |
//! | `settings_text` | the grammar of that text |
//! | `suggestion` | the nearest known name |
//!
//! Uses every folder of solvers, and `io` to write down what could not be solved.

pub mod choice;
pub(crate) mod defaults;
pub mod registry;
pub mod robust;
pub(crate) mod settings_text;
pub mod suggestion;

pub use choice::{BoxLcpSolver, ConeSolver, FactoredLcpSolver, LcpSolver};
pub use robust::{Robust, RobustSettings};
pub use settings_text::ChoiceError;
