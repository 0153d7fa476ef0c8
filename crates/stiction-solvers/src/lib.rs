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
//! | [`Dantzig`] | symmetric PSD and P; also [`BoxLcp`] and [`Mlcp`]; reuses the solution of any principal sub-problem |
//!
//! | solver | [`FactoredLcp`], [`QuadraticProgram`] |
//! |---|---|
//! | [`Ppm`] | [`FactoredLcp`]: many normal contacts of few velocities, linear in the contacts |
//! | [`ActiveSetQp`] | both: equalities too, and badly conditioned rows |
//!
//! [`Robust`] serves every class and is the one to take when in doubt; which solvers serve which classes, also by
//! reduction, is listed in [`registry::SOLVERS`].
//!
//! | solver | every [`Bounded`] problem: [`Lcp`], [`BoxLcp`], [`Mlcp`], [`Mcp`] |
//! |---|---|
//! | [`Path`] | any, linear or not: path-search Newton method with restarts |
//! | [`FbRlm`] | smooth or monotone ones from anywhere, by damped Gauss-Newton steps; may end in a local minimum |
//! | [`FbPlm`] | the same with nearly undamped steps and a non-monotone search: mostly fewer of them |
//!
//! # Map
//! * [`problem`]: what every problem offers; the classes: [`lcp`], [`box_lcp`] (free, one- and two-sided rows), [`mlcp`]
//!   (equations and complementarity), [`mcp`] (nonlinear), [`factored_lcp`] (low rank, never formed),
//!   [`quadratic_program`] (the same with equalities, and the point besides the multipliers), [`cone_ncp`] (friction
//!   cones with their certificate, see [`cone`] and [`delassus`]).
//! * [`solver`]: what every solver offers: starts, statuses, reports; [`active_set`]: the basis a solve can start
//!   from and leaves behind.
//! * [`lemke`]: the method, on top of a compact tableau, a block principal pivoting start and a dense LU of
//!   principal blocks, each in a file of its own.
//! * [`path`]: Newton's method on the normal map, on top of a tableau for bounded variables; [`fb_rlm`] and [`fb_plm`]:
//!   Levenberg-Marquardt methods on the equations of [`fischer_burmeister`].
//! * [`dantzig`]: principal pivoting index by index, on major cycles and an active block in a file of their own;
//!   [`ppm`], [`active_set_qp`]: two ways to do it without the matrix.
//! * [`baraff`]: the same with friction bounded by the normal unknowns.
//! * [`proximal`]: proximal-point steps around Lemke's method, for redundant contacts.
//! * [`robust`]: several methods in turn for each class, with proofs where none succeeds ([`infeasibility`],
//!   [`enumeration`]); [`reduced`]: methods for [`Lcp`]s at work on the other linear classes.
//! * [`registry`]: solvers by name; [`any_problem`], [`io`]: problems of any class, from and to files; [`polynomial`]:
//!   the nonlinear ones among them.
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

mod active_block;
pub mod active_set;
pub mod active_set_qp;
pub mod any_problem;
pub mod baraff;
mod block_pivoting;
mod bounded_tableau;
pub mod box_lcp;
mod cholesky;
pub mod cone;
pub mod cone_ncp;
mod cuthill_mckee;
mod damped_least_squares;
pub mod dantzig;
pub mod delassus;
mod dense;
pub mod enumeration;
mod envelope;
mod equilibrated;
pub mod error;
pub mod factored_lcp;
mod fb_equations;
pub mod fb_plm;
pub mod fb_rlm;
pub mod fischer_burmeister;
mod frame;
mod gauss_seidel;
pub mod infeasibility;
#[cfg(feature = "conic")]
pub mod interior_point;
pub mod io;
mod judge;
pub mod lcp;
mod least_squares;
pub mod lemke;
mod linear;
mod lu;
mod major_cycle;
pub mod mcp;
mod merit_memory;
mod methods;
pub mod mlcp;
pub mod ncp;
mod normal_rows;
pub mod path;
pub mod pgs;
pub mod pgs_sm;
pub mod polynomial;
pub mod ppm;
mod principal_block;
pub mod problem;
mod projected_descent;
mod projected_newton;
pub mod proximal;
pub mod quadratic_program;
pub mod reduced;
mod reduction;
pub mod registry;
mod regular_descent;
mod restarts;
pub mod robust;
mod room;
#[cfg(feature = "samples")]
pub mod samples;
mod scaling;
pub mod solver;
mod sparse_rows;
mod tableau;

pub use active_set::ActiveSet;
pub use active_set_qp::{ActiveSetQp, ActiveSetQpSettings};
pub use any_problem::{AnyProblem, Class};
pub use box_lcp::BoxLcp;
pub use cone::Cone;
pub use cone_ncp::{ConeCertificate, ConeData, ConeNcp, ConeScratch, FrictionLaw};
pub use dantzig::{Dantzig, DantzigSettings};
pub use delassus::{BlockRows, BlockSparse, Delassus, Piece};
pub use enumeration::{Enumeration, EnumerationSettings};
pub use error::SolverError;
pub use factored_lcp::FactoredLcp;
pub use fb_plm::{FbPlm, FbPlmSettings};
pub use fb_rlm::{FbRlm, FbRlmSettings};
#[cfg(feature = "conic")]
pub use interior_point::{InteriorPoint, InteriorPointSettings};
pub use lcp::Lcp;
pub use lemke::{Lemke, LemkeSettings};
pub use mcp::{Mcp, Smooth};
pub use mlcp::{Mlcp, MlcpBlocks, ReducedMlcp};
pub use ncp::{
    Admm, AdmmSettings, Chain, ChainSettings, ConeInteriorPoint, ConeInteriorPointSettings, MncpPlm,
    MncpPlmSettings, MncpRlm, MncpRlmSettings, Newton, NewtonSettings, Nsgs, NsgsSettings, Ppn, PpnSettings,
    QpSplit, QpSplitSettings,
};
pub use path::{Path, PathSettings};
pub use pgs::{Pgs, PgsSettings};
pub use pgs_sm::{PgsSm, PgsSmSettings};
pub use polynomial::Polynomial;
pub use ppm::{Ppm, PpmSettings};
pub use problem::{Bounded, Problem, Residual, Solution};
pub use projected_descent::PlmSettings;
pub use proximal::{ProximalLemke, ProximalSettings};
pub use quadratic_program::{QuadraticBlocks, QuadraticProgram};
pub use reduced::Reduced;
pub use regular_descent::RlmSettings;
pub use robust::{Robust, RobustSettings};
pub use solver::{Report, Solver, Start, Status};
