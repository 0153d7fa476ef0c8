//! Solvers of the cone problem of contact, [`ConeNcp`](crate::problem::ConeNcp).
//!
//! # Equations
//! Impulses `r` and velocities `u = W r + q`. For a contact under Coulomb's law
//!
//! `|r_t| <= mu r_n`, and `u + mu |u_t| e_n` in the dual cone, complementary to `r`
//!
//! (De Saxce); other rows are free, one-sided or between bounds. The accuracy of an answer is its natural map `r - Pi(r - u)`.
//!
//! # Files
//! | module | method | for |
//! |---|---|---|
//! | [`chain`] | all below in turn | everything: the robust solver |
//! | [`newton`] | Newton on the equations of Alart and Curnier; the same inside proximal-point steps | warm starts; rank-deficient problems from any start |
//! | [`interior`] | non-convex interior point | a first guess from nothing |
//! | [`splitting`] | Gauss-Seidel with exact contacts; alternating directions; a normal and a friction program in turn | rough answers without factorization; comparison |
//! | [`mncp`] | Levenberg-Marquardt on the equations of Mylapilli and Jain | comparison |
//!
//! What they share, from the top down: `state`, a solve in progress (the point, the best answer so far, the work done);
//! [`system`], the linear system of a step in impulses or velocities; `single_contact`, the exact solution of one contact;
//! `pyramid`, a guess from the linear problem with pyramids in place of cones; `normalized`, the problem in its units.
//!
//! # References
//! V. Acary, M. Bremond, O. Huber, *On solving contact problems with Coulomb friction: formulations and numerical
//! comparisons*, 2018; G. De Saxce, Z.-Q. Feng, *The bipotential method: a constructive approach to design the complete
//! contact law with friction and improved numerical algorithms*, Mathematical and Computer Modelling 28 (1998) 225-245.

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
pub use state::LARGEST_FILLED;
