//! Solvers of the cone problem of contact, [`ConeNcp`](crate::problem::ConeNcp).
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

pub mod chain;
pub mod interior;
pub mod mncp;
pub mod newton;
pub(crate) mod normalized;
pub(crate) mod pyramid;
pub(crate) mod single_contact;
pub mod splitting;
pub(crate) mod state;
pub mod system;

pub use chain::{Chain, ChainSettings};
pub use interior::{ConeInteriorPoint, ConeInteriorPointSettings};
pub use mncp::{MncpPlm, MncpPlmSettings};
pub use mncp::{MncpRlm, MncpRlmSettings};
pub use newton::{Newton, NewtonSettings};
pub use newton::{Ppn, PpnSettings};
pub use splitting::{Admm, AdmmSettings};
pub use splitting::{Nsgs, NsgsSettings};
pub use splitting::{QpSplit, QpSplitSettings};
