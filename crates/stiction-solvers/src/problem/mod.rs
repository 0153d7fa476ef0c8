//! The problem classes, what every problem offers, and what every solver reports.

pub mod active_set;
pub mod any_problem;
pub mod box_lcp;
pub mod cone;
pub mod cone_ncp;
pub mod delassus;
pub(crate) mod dense_linear;
pub mod error;
pub mod factored_lcp;
pub mod lcp;
pub mod mcp;
pub mod mlcp;
pub mod polynomial;
pub mod quadratic_program;
pub mod report;
pub(crate) mod residual;
pub mod traits;

pub use active_set::ActiveSet;
pub use any_problem::{AnyProblem, Class};
pub use box_lcp::BoxLcp;
pub use cone::Cone;
pub use cone_ncp::{ConeCertificate, ConeData, ConeNcp, ConeScratch, FrictionLaw};
pub use delassus::{BlockRows, BlockSparse, Delassus, Piece};
pub use error::SolverError;
pub use factored_lcp::FactoredLcp;
pub use lcp::Lcp;
pub use mcp::{Mcp, Smooth};
pub use mlcp::{Mlcp, MlcpBlocks, ReducedMlcp};
pub use polynomial::Polynomial;
pub use quadratic_program::{QuadraticBlocks, QuadraticProgram};
pub use report::{HistoryEntry, Report, Solver, Start, Status};
pub use traits::{Bounded, Problem, Residual, Solution};
