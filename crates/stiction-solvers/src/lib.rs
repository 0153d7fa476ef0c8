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

pub mod cones;
#[cfg(feature = "conic")]
pub mod conic;
pub mod dual_active_set;
pub mod io;
mod linalg;
pub mod newton;
pub mod pivoting;
pub mod problem;
#[cfg(feature = "samples")]
pub mod samples;
pub mod select;
pub mod sweeps;

pub use cones::{
    Admm, AdmmSettings, Chain, ChainSettings, ConeInteriorPoint, ConeInteriorPointSettings, MncpPlm,
    MncpPlmSettings, MncpRlm, MncpRlmSettings, Newton, NewtonSettings, Nsgs, NsgsSettings, Ppn, PpnSettings,
    QpSplit, QpSplitSettings,
};
#[cfg(feature = "conic")]
pub use conic::{InteriorPoint, InteriorPointSettings};
pub use dual_active_set::{ActiveSetQp, ActiveSetQpSettings, Ppm, PpmSettings};
pub use newton::{FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings, PlmSettings, RlmSettings};
pub use pivoting::{
    Dantzig, DantzigSettings, Enumeration, EnumerationSettings, Lemke, LemkeSettings, ProximalLemke,
    ProximalSettings,
};
pub use problem::{
    ActiveSet, AnyProblem, BlockRows, BlockSparse, Bounded, BoxLcp, Class, Cone, ConeCertificate, ConeData,
    ConeNcp, ConeScratch, Delassus, FactoredLcp, FrictionLaw, Lcp, Mcp, Mlcp, MlcpBlocks, Piece, Polynomial,
    Problem, QuadraticBlocks, QuadraticProgram, ReducedMlcp, Report, Residual, Smooth, Solution, Solver,
    SolverError, Start, Status,
};
pub use select::{Reduced, Robust, RobustSettings};
pub use sweeps::{Pgs, PgsSettings, PgsSm, PgsSmSettings};

/// The example of the readme is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
