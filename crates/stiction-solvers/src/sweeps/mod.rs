//! Projected Gauss-Seidel methods: one unknown at a time.
//!
//! Minimize `1/2 z . M z + q . z` over a box, `M` symmetric positive semidefinite: every `z_i` in turn goes to
//! `mid(l_i, z_i - omega w_i / M_ii, u_i)`.
//!
//! | file | what it is |
//! |---|---|
//! | `pgs` | [`Pgs`]: the sweeps alone, with over-relaxation |
//! | `pgs_sm` | [`PgsSm`]: sweeps find the bounds, a subspace step solves for the unknowns between them |
//! | `run` | iterate, incumbent and start of a solve; used by `conic` as well |
//! | `coordinate_rows` | a problem one row at a time: dense, symmetric, factored |
//!
//! # References
//! C. W. Cryer, *The solution of a quadratic programming problem using systematic overrelaxation*, SIAM Journal on Control 9
//! (1971) 385-392. G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of iterative LCP solvers for dry frictional
//! contacts in grasping*, 2010.

pub(crate) mod coordinate_rows;
pub mod pgs;
pub mod pgs_sm;
pub(crate) mod run;

pub use pgs::{Pgs, PgsSettings};
pub use pgs_sm::{PgsSm, PgsSmSettings};
