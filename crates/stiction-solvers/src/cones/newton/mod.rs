//! Newton methods on the equations of Alart and Curnier.

pub(crate) mod alart_curnier;
pub mod damped;
pub mod proximal;
pub(crate) mod search;

pub use damped::{Newton, NewtonSettings};
pub use proximal::{Ppn, PpnSettings};
