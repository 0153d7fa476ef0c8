//! Pivoting methods for linear complementarity problems.

pub(crate) mod active_block;
pub mod baraff;
pub(crate) mod block_pivoting;
pub(crate) mod bounded_tableau;
pub mod dantzig;
pub(crate) mod dictionary;
pub mod enumeration;
pub mod infeasibility;
pub mod lemke;
pub(crate) mod major_cycle;
pub(crate) mod principal_block;
pub mod proximal_lemke;
pub(crate) mod tableau;

pub use dantzig::{Dantzig, DantzigSettings};
pub use enumeration::{Enumeration, EnumerationSettings};
pub use lemke::{Lemke, LemkeSettings};
pub use proximal_lemke::{ProximalLemke, ProximalSettings};
