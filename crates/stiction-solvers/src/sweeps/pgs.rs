//! Projected Gauss-Seidel with over-relaxation.
//!
//! # Problem
//! `l <= z <= u`, `w = M z + q`, `w_i >= 0` at the lower bound, `<= 0` at the upper, `= 0` between, with a symmetric
//! positive semidefinite `M`: equivalently, minimize `1/2 z . M z + q . z` over the box.
//!
//! # Method
//! 1. Project the start on the box.
//! 2. For every `i` in turn: `z_i <- mid(l_i, z_i - omega w_i / M_ii, u_i)` with the `w_i` of the newest `z`. (Arechavaleta
//!    and others print the sum over `j < i` only; it runs over the whole row.)
//! 3. When the largest change of a sweep, in the problem's units, is near the tolerance, evaluate the residual of `z` on the
//!    original data; stop if it is certified. Evaluate it every sixteenth sweep in any case and keep the best `z`.
//!
//! # Convergence and failure
//! Every step lowers the objective; for positive definite `M` and `0 < omega < 2` the sweeps converge linearly (Cryer), with
//! a rate near 1 for ill-conditioned problems: mass ratios, long chains. Rows without a positive diagonal are left where
//! they are. For other matrices it is a heuristic; an answer that is not certified is
//! reported as [`Status::MaxIterations`].
//!
//! # Cost
//! `2 n^2` per sweep, of a symmetric matrix `2 n` for each unknown that moves, `4 n m` for a factored problem of `m` columns.
//!
//! # References
//! C. W. Cryer, *The solution of a quadratic programming problem using systematic overrelaxation*, SIAM Journal on Control
//! 9 (1971) 385-392; G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of iterative LCP solvers for dry
//! frictional contacts in grasping*, 2010, equation (3).

use serde::{Deserialize, Serialize};

use crate::driver::{check_between, check_limits};
use crate::problem::{
    BoxLcp, FactoredLcp, HistoryEntry, Lcp, Report, Solution, Solver, SolverError, Start, Status,
};
use crate::sweeps::coordinate_rows::{Rows, Symmetric, sweep};
use crate::sweeps::run::Run;

/// Sweeps between two evaluations of the residual at most.
const EVALUATE_EVERY: usize = 16;

/// What [`Pgs`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PgsSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`crate::problem::Problem::residual`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Sweeps at most.
    pub max_iterations: usize,
    /// Relaxation factor, between 0 and 2.
    pub relaxation: f64,
    /// Whether to keep the natural map of every evaluation for [`Pgs::history`].
    pub history: bool,
}

impl Default for PgsSettings {
    fn default() -> PgsSettings {
        PgsSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 10_000,
            relaxation: 1.0,
            history: false,
        }
    }
}

impl PgsSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        check_between("relaxation", self.relaxation, [0.0, 2.0], "greater than 0 and less than 2")
    }
}

/// Projected Gauss-Seidel; see the [module](self).
///
/// ```
/// use stiction_solvers::{Lcp, Pgs, PgsSettings, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
/// let mut solver = Pgs::new(PgsSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    settings: PgsSettings,
    run: Run,
}

impl Pgs {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`PgsSettings::validate`].
    pub fn new(settings: PgsSettings) -> Result<Pgs, SolverError> {
        settings.validate()?;
        Ok(Pgs { settings, run: Run::default() })
    }

    /// The convergence history of the last solve, see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.run.incumbent.history()
    }

    fn iterate<P: Rows>(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let PgsSettings { tolerance, time_limit, max_iterations, relaxation, history } = self.settings;
        let run = &mut self.run;
        let entries = max_iterations / EVALUATE_EVERY;
        if let Err(report) = run.open(problem, start, x, (tolerance, time_limit), (history, entries)) {
            return report;
        }
        let near = tolerance / run.scales.0;
        run.start(problem);
        for k in 1..=max_iterations {
            run.incumbent.iterations = k;
            let change = sweep(problem, relaxation, &mut run.iterate.z, &mut run.state); // step 2
            let over = k == max_iterations || run.incumbent.is_out_of_time();
            if change <= near || k % EVALUATE_EVERY == 0 || over {
                run.evaluate(problem, x); // step 3
                if run.incumbent.is_certified() || change == 0.0 {
                    return run.incumbent.report(Status::Stalled);
                }
                if over {
                    break;
                }
                run.start(problem);
            }
        }
        run.incumbent.report(Status::MaxIterations)
    }
}

solve_by_rows!(Pgs);
