//! Complementarity problems and solvers that certify every answer.
//!
//! A problem is data; a solver is a method with its workspace; the *problem* judges the answer. What a solver
//! reports as [`Status::Solved`] has been evaluated on the original data and found within the tolerance, and
//! whatever happens the best answer found comes back with its residual.
//!
//! | solver | [`Lcp`] |
//! |---|---|
//! | [`Lemke`] | any matrix; always solves P, feasible PSD, and copositive contact problems |
//! | [`ProximalLemke`] | the same where the solution is not unique: nearly the least-norm or the nearest one |
//!
//! | solver | every [`Bounded`] problem: [`Lcp`], [`BoxLcp`], [`Mlcp`], [`Mcp`] |
//! |---|---|
//! | [`Path`] | any, linear or not: path-search Newton method with restarts |
//! | [`FbRlm`] | smooth or monotone ones from anywhere, by damped Gauss-Newton steps; may end in a local minimum |
//! | [`FbPlm`] | the same with nearly undamped steps and a non-monotone search: mostly fewer of them |
//!
//! # Map
//! * [`problem`]: what every problem offers; the classes: [`lcp`], [`box_lcp`] (free, one- and two-sided rows), [`mlcp`]
//!   (equations and complementarity), [`mcp`] (nonlinear), [`factored_lcp`] (low rank, never formed).
//! * [`solver`]: what every solver offers: starts, statuses, reports; [`active_set`]: the basis a solve can start
//!   from and leaves behind.
//! * [`lemke`]: the method, on top of a compact tableau, a block principal pivoting start and a dense LU of
//!   principal blocks, each in a file of its own.
//! * [`path`]: Newton's method on the normal map, on top of a tableau for bounded variables; [`fb_rlm`] and [`fb_plm`]:
//!   Levenberg-Marquardt methods on the equations of [`fischer_burmeister`].
//! * [`proximal`]: proximal-point steps around it, for redundant contacts.
//! * [`error`]: what constructors refuse.
//!
//! A second solve of no larger size allocates nothing. The same input gives the same bits.
//!
//! # Example
//! ```
//! use stiction_solvers::{Lcp, Lemke, LemkeSettings, Solution, Solver, Start, Status};
//!
//! // 0 <= z  perp  [2 1; 1 2] z + (-5, -6) >= 0
//! let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
//! let mut lemke = Lemke::new(LemkeSettings::default())?;
//! let mut x = Solution::default();
//! let report = lemke.solve(&problem, Start::Cold, &mut x);
//! assert_eq!(report.status, Status::Solved);
//! assert!((x.z[0] - 4.0 / 3.0).abs() < 1e-12 && (x.z[1] - 7.0 / 3.0).abs() < 1e-12);
//! let basis = lemke.active_set().clone();
//! assert_eq!(lemke.solve(&problem, Start::Basis(&basis), &mut x).pivots, 0);
//! # Ok::<(), stiction_solvers::SolverError>(())
//! ```

pub mod active_set;
mod block_pivoting;
mod bounded_tableau;
pub mod box_lcp;
mod cholesky;
mod damped_least_squares;
mod dense;
mod equilibrated;
pub mod error;
pub mod factored_lcp;
mod fb_equations;
pub mod fb_plm;
pub mod fb_rlm;
pub mod fischer_burmeister;
mod frame;
mod judge;
pub mod lcp;
pub mod lemke;
mod lu;
pub mod mcp;
mod merit_memory;
pub mod mlcp;
pub mod path;
mod principal_block;
pub mod problem;
mod projected_newton;
pub mod proximal;
mod room;
mod scaling;
pub mod solver;
mod tableau;

pub use active_set::ActiveSet;
pub use box_lcp::BoxLcp;
pub use error::SolverError;
pub use factored_lcp::FactoredLcp;
pub use fb_plm::{FbPlm, FbPlmSettings};
pub use fb_rlm::{FbRlm, FbRlmSettings};
pub use lcp::Lcp;
pub use lemke::{Lemke, LemkeSettings};
pub use mcp::{Mcp, Smooth};
pub use mlcp::{Mlcp, MlcpBlocks, ReducedMlcp};
pub use path::{Path, PathSettings};
pub use problem::{Bounded, Problem, Residual, Solution};
pub use proximal::{ProximalLemke, ProximalSettings};
pub use solver::{Report, Solver, Start, Status};
