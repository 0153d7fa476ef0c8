//! Solvers of the cone problem of contact, [`ConeNcp`](crate::ConeNcp).
//!
//! | module | method | for |
//! |---|---|---|
//! | [`chain`] | all below in turn | everything: the robust solver |
//! | [`newton`] | Newton on the equations of Alart and Curnier | warm starts |
//! | [`ppn`] | the same inside proximal-point steps | rank-deficient problems from any start |
//! | [`cone_interior_point`] | non-convex interior point | a first guess from nothing |

mod alart_curnier;
pub mod chain;
pub mod cone_interior_point;
mod linear_system;
pub mod newton;
mod normalized;
pub mod ppn;
mod search;
mod second_order_cone;
mod state;

pub use chain::{Chain, ChainSettings};
pub use cone_interior_point::{ConeInteriorPoint, ConeInteriorPointSettings};
pub use newton::{Newton, NewtonSettings};
pub use ppn::{Ppn, PpnSettings};
