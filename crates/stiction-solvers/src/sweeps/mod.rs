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

/// Lets a method that has `iterate`, on any [`Rows`](coordinate_rows::Rows), and `history` solve all classes of problems that
/// have rows. A dense matrix that is symmetric is taken as such, which makes a visit cheaper.
macro_rules! solve_by_rows {
    ($Method:ty) => {
        solve_by_rows!($Method, Lcp, dense);
        solve_by_rows!($Method, BoxLcp, dense);
        solve_by_rows!($Method, FactoredLcp, factored);
    };
    ($Method:ty, $Problem:ty, $form:ident) => {
        impl Solver<$Problem> for $Method {
            fn solve(&mut self, problem: &$Problem, start: Start, x: &mut Solution) -> Report {
                solve_by_rows!(@$form self, problem, start, x)
            }

            fn history(&self) -> &[HistoryEntry] {
                self.history()
            }

            fn limit_time(&mut self, seconds: Option<f64>) {
                self.settings.time_limit = seconds;
            }
        }
    };
    (@dense $self:ident, $problem:ident, $start:ident, $x:ident) => {
        match Symmetric::new($problem) {
            Some(symmetric) => $self.iterate(&symmetric, $start, $x),
            None => $self.iterate($problem, $start, $x),
        }
    };
    (@factored $self:ident, $problem:ident, $start:ident, $x:ident) => {
        $self.iterate($problem, $start, $x)
    };
}

pub(crate) mod coordinate_rows;
pub mod pgs;
pub mod pgs_sm;
pub(crate) mod run;

pub use pgs::{Pgs, PgsSettings};
pub use pgs_sm::{PgsSm, PgsSmSettings};
