//! Solvers of the cone problem of contact, [`ConeNcp`](crate::ConeNcp).
//!
//! | module | method | for |
//! |---|---|---|
//! | [`chain`] | all below in turn | everything: the robust solver |
//! | [`newton`] | Newton on the equations of Alart and Curnier | warm starts |
//! | [`ppn`] | the same inside proximal-point steps | rank-deficient problems from any start |
//! | [`cone_interior_point`] | non-convex interior point | a first guess from nothing |
//! | [`nsgs`] | Gauss-Seidel with exact contacts | rough answers without factorization |
//! | [`admm`] | alternating directions | moderate accuracy with few factorizations |
//! | [`mncp_rlm`], [`mncp_plm`] | Levenberg-Marquardt on the equations of Mylapilli and Jain | comparison |
//! | [`qp_split`] | a normal and a friction program in turn | little friction, comparison |
//!
//! What they share: the problem in its units (`normalized`), the equations (`alart_curnier`), the linear system of a
//! step in impulses (`dense_system`) or velocities (`velocity_system`), the globalization (`search`), the best answer
//! and the work done (`state`).

pub mod admm;
mod alart_curnier;
mod block_lu;
pub mod chain;
pub mod cone_interior_point;
#[cfg(feature = "conic")]
mod conic;
mod dense_system;
mod disk_program;
mod local;
mod minimum_degree;
mod mncp;
pub mod mncp_plm;
pub mod mncp_rlm;
pub mod newton;
mod normalized;
pub mod nsgs;
pub mod ppn;
mod pyramid;
pub mod qp_split;
mod search;
mod second_order_cone;
mod short_rows;
mod state;
mod velocity_system;

pub use admm::{Admm, AdmmSettings};
pub use chain::{Chain, ChainSettings};
pub use cone_interior_point::{ConeInteriorPoint, ConeInteriorPointSettings};
pub use mncp_plm::{MncpPlm, MncpPlmSettings};
pub use mncp_rlm::{MncpRlm, MncpRlmSettings};
pub use newton::{Newton, NewtonSettings};
pub use nsgs::{Nsgs, NsgsSettings};
pub use ppn::{Ppn, PpnSettings};
pub use qp_split::{QpSplit, QpSplitSettings};
