//! The problem classes, what every problem offers, and what every solver reports.
//!
//! All classes are instances of one statement: find `z` in a closed convex set `K` such that `-F(z)` is in the normal cone
//! of `K` at `z`; `w = F(z)`. The natural map `z - P_K(z - F(z))` is zero exactly at the solutions, and its largest
//! component, in units of the data, is the residual that decides. The problem evaluates it, never the solver.
//!
//! | class | `K` | `F` |
//! |---|---|---|
//! | [`Lcp`] | `z >= 0` | `M z + q` |
//! | [`BoxLcp`] | `lower <= z <= upper` | `M z + q` |
//! | [`Mlcp`] | free rows first, then `z >= 0` | the same in blocks |
//! | [`FactoredLcp`] | `z >= 0` | `Y Y^T z + q`, the product never formed |
//! | [`QuadraticProgram`] | free rows first, then `z >= 0` | the dual of a strictly convex program |
//! | [`Mcp`] | a box | any smooth function ([`Smooth`]); [`Polynomial`] is one that files can hold |
//! | [`ConeNcp`] | friction cones and the other [`Cone`]s of contact | `W z + q`, `W` a [`Delassus`] operator |
//!
//! | file | what it is |
//! |---|---|
//! | `traits` | [`Problem`], [`Bounded`], [`Solution`], [`Residual`] |
//! | `report` | [`Solver`], [`Start`], [`Status`], [`Report`], [`HistoryEntry`] |
//! | `residual` | the residual accumulated index by index, with its rounding floor |
//! | `active_set` | [`ActiveSet`]: a basis, to start from |
//! | `checks`, `error` | what constructors refuse |
//! | `any_problem` | [`AnyProblem`]: a problem whose class is known at run time |
//! | `linear/`, `smooth/`, `cones/` | the classes, one file each |
//!
//! # References
//! F. Facchinei, J.-S. Pang, *Finite-Dimensional Variational Inequalities and Complementarity Problems*, 2003, section 1.5.

pub mod active_set;
pub mod any_problem;
pub(crate) mod checks;
pub mod cones;
pub mod error;
pub mod linear;
pub mod report;
pub(crate) mod residual;
pub mod smooth;
pub mod traits;

pub use active_set::ActiveSet;
pub use any_problem::{AnyProblem, Class};
pub use cones::{
    BlockRows, BlockSparse, Cone, ConeCertificate, ConeData, ConeNcp, ConeScratch, Delassus, FrictionLaw,
    Piece,
};
pub use error::SolverError;
pub use linear::{
    BoxLcp, FactoredLcp, Lcp, Mlcp, MlcpBlocks, QuadraticBlocks, QuadraticProgram, ReducedMlcp,
};
pub use report::{HistoryEntry, Report, Solver, Start, Status};
pub use smooth::{Differences, Mcp, Polynomial, Smooth};
pub use traits::{Bounded, Problem, Residual, Solution};
