//! Solvers of the cone problem of contact, [`ConeNcp`](crate::ConeNcp).
//!
//! | module | method | for |
//! |---|---|---|
//! | [`chain`] | all below in turn | everything: the robust solver |
//! | [`newton`] | Newton on the equations of Alart and Curnier | warm starts |
//! | [`ppn`] | the same inside proximal-point steps | rank-deficient problems from any start |
//! | [`cone_interior_point`] | non-convex interior point | a first guess from nothing |
//!
//! What they share: the problem in its units (`normalized`), the equations (`alart_curnier`), the linear system of a
//! step in impulses (`dense_system`) or velocities (`velocity_system`), the globalization (`search`), the best answer
//! and the work done (`state`).

mod alart_curnier;
mod block_lu;
pub mod chain;
pub mod cone_interior_point;
mod dense_system;
mod minimum_degree;
pub mod newton;
mod normalized;
pub mod ppn;
mod pyramid;
mod search;
mod second_order_cone;
mod short_rows;
mod state;
mod velocity_system;

pub use chain::{Chain, ChainSettings};
pub use cone_interior_point::{ConeInteriorPoint, ConeInteriorPointSettings};
pub use newton::{Newton, NewtonSettings};
pub use ppn::{Ppn, PpnSettings};
