//! Problems with a smooth map in a box.
//!
//! [`mcp`] holds any function that has a Jacobian ([`Smooth`]); [`polynomial`] is one that files can hold, [`differences`] takes the
//! Jacobian from values.

pub mod differences;
pub mod mcp;
pub mod polynomial;

pub use differences::Differences;
pub use mcp::{Mcp, Smooth};
pub use polynomial::Polynomial;
