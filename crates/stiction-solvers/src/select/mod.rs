//! The choice of a solver: by name, or several in turn.
//!
//! | file | what it is |
//! |---|---|
//! | `registry` | the solvers by name, with the classes they serve ([`registry::SOLVERS`]) |
//! | `robust` | [`Robust`]: several methods in turn for each class, with a proof where none succeeds |
//! | `defaults` | every solver at its default settings, for a tolerance |
//!
//! Uses every folder of solvers, and `io` to write down what could not be solved.

pub(crate) mod defaults;
pub mod registry;
pub mod robust;

pub use robust::{Robust, RobustSettings};
