//! Complementarity problems and solvers that certify every answer.
//!
//! A problem is data; a solver is a method with its workspace; the *problem* evaluates the answer. What a solver reports as
//! [`Status::Solved`] has been evaluated on the original data and found within the tolerance, and whatever happens the best
//! answer found comes back with its residual. A second solve of no larger size allocates nothing. The same input gives the
//! same bits.
//!
//! # Quick start
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
//!
//! # Which solver
//! [`Robust`] serves every class and is the one to take when in doubt; [`select::registry::SOLVERS`] lists which solvers
//! serve which classes, also through [`Reduced`].
//!
//! | solver | [`Lcp`] |
//! |---|---|
//! | [`Lemke`] | any matrix; always solves P, feasible PSD, and copositive contact problems |
//! | [`LemkeHowson`] | equilibria of two-person games, `M = [0 A; B^T 0]` and `q < 0` |
//! | [`ProximalLemke`] | the same where the solution is not unique: nearly the least-norm or the nearest one |
//! | [`Dantzig`] | symmetric PSD and P; also [`BoxLcp`] and [`Mlcp`]; reuses the solution of any principal sub-problem |
//! | [`Pgs`], [`PgsSm`] | symmetric PSD; also [`BoxLcp`] and [`FactoredLcp`]; large ones, rough or exact |
//! | [`Enumeration`] | any matrix of up to a dozen rows; proves that there is no solution |
//!
//! | solver | [`FactoredLcp`], [`QuadraticProgram`] |
//! |---|---|
//! | [`Ppm`] | [`FactoredLcp`]: many normal contacts of few velocities, linear in the contacts |
//! | [`ActiveSetQp`] | both: equalities too, and badly conditioned rows |
//!
//! | solver | every [`Bounded`] problem: [`Lcp`], [`BoxLcp`], [`Mlcp`], [`Mcp`] |
//! |---|---|
//! | [`Path`] | any, linear or not: path-search Newton method with restarts |
//! | [`FbRlm`] | smooth or monotone ones from anywhere, by damped Gauss-Newton steps; may end in a local minimum |
//! | [`FbPlm`] | the same with nearly undamped steps and a non-monotone search: mostly fewer of them |
//!
//! | solver | [`ConeNcp`] |
//! |---|---|
//! | [`Chain`] | several of the others in turn: the robust one |
//! | the others | see [`cones`] |
//!
//! # Map
//! A folder imports from those above it in this list only.
//!
//! | folder | what it holds |
//! |---|---|
//! | `linalg` | dense and sparse linear algebra |
//! | [`problem`] | the problem classes, residuals, starts, statuses and reports |
//! | `driver` | start, incumbent, certificate, report and history of every solver |
//! | [`pivoting`] | Lemke, Dantzig, Baraff, enumeration, and adapters for the other linear classes |
//! | [`dual_active_set`] | dual active-set methods on factored problems |
//! | [`sweeps`] | projected Gauss-Seidel |
//! | [`newton`] | path search and Levenberg-Marquardt |
//! | `conic` | the conic library Clarabel (feature `conic`) |
//! | [`cones`] | solvers of the cone problem of contact |
//! | [`io`] | problems from and to files |
//! | [`select`] | solvers by name, and several in turn |
//! | `samples` | contact problems made from a seed (feature `samples`) |

pub mod cones;
#[cfg(feature = "conic")]
pub mod conic;
mod driver;
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
pub use dual_active_set::{ActiveSetQp, ActiveSetQpSettings, DualActiveSetSettings, Ppm, PpmSettings};
pub use linalg::watch::{Progress, Watch, watched};
pub use newton::{FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings, PlmSettings, RlmSettings};
pub use pivoting::{
    Dantzig, DantzigSettings, Enumeration, EnumerationSettings, Lemke, LemkeHowson, LemkeHowsonSettings,
    LemkeSettings, NextIndex, ProximalLemke, ProximalSettings, Reduced, TieRule,
};
pub use problem::{
    ActiveSet, AnyProblem, BlockRows, BlockSparse, Bounded, BoxLcp, Class, Cone, ConeCertificate, ConeData,
    ConeNcp, ConeScratch, Delassus, Differences, FactoredLcp, FrictionLaw, HistoryEntry, Lcp, Mcp, Mlcp,
    MlcpBlocks, Piece, Polynomial, Problem, QuadraticBlocks, QuadraticProgram, ReducedMlcp, Report, Residual,
    Smooth, Solution, Solver, SolverError, Start, Status,
};
pub use select::{
    BoxLcpSolver, ChoiceError, ConeSolver, FactoredLcpSolver, LcpSolver, Robust, RobustSettings,
};
pub use sweeps::{Pgs, PgsSettings, PgsSm, PgsSmSettings};

/// The example of the readme is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
