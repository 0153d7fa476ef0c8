//! What every solver does around its method: take up the start, keep the best answer, certify it, report.
//!
//! A method proposes candidates `z`. The *problem* evaluates each on its original data: `w = F(z)`, the natural map
//! `z - P_K(z - F(z))`, and the part of it that rounding alone can cause (the floor). The driver ranks them:
//!
//! 1. A candidate is *certified* if its natural map is at most the tolerance, or at most the floor
//!    ([`Residual::certifies`](crate::problem::Residual::certifies)).
//! 2. Certified candidates come before others; among equals the lesser natural map wins.
//! 3. What is returned is the best candidate, with its residual: [`Status::Solved`](crate::problem::Status::Solved) if and
//!    only if it is certified, otherwise what the end of the method says of the problem. (Baraff's method, which is no
//!    [`Solver`](crate::problem::Solver), reports its halts even then: its caller goes on from the modes, not from the answer.)
//!
//! | file | what it is |
//! |---|---|
//! | `start` | the guess or basis a solve is given, and the refusal of data that are not finite |
//! | `incumbent` | [`Incumbent`]: the best candidate so far, the work done, the report |
//! | `history` | [`History`]: natural maps by iteration number |
//! | `snap` | unknowns a rounding away from a bound put there |
//! | `settings` | the checks that constructors of solvers share |
//!
//! Called by the solvers of `pivoting`, `dual_active_set`, `sweeps`, `newton`, `conic`, `cones` and `select`; calls
//! `problem` only.

mod history;
mod incumbent;
mod settings;
mod snap;
mod start;

pub(crate) use history::History;
pub(crate) use incumbent::Incumbent;
pub(crate) use settings::{check_between, check_limits, check_tolerance, positive};
pub(crate) use snap::snap;
pub(crate) use start::{basis, refuse, take_guess};
