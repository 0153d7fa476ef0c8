//! Projected Gauss-Seidel with subspace minimization.
//!
//! # Problem
//! As for [`Pgs`](crate::sweeps::pgs::Pgs): minimize `1/2 z . M z + q . z` over a box, `M` symmetric positive semidefinite.
//!
//! # Method
//! 1. A few sweeps of projected Gauss-Seidel: they find out which indices are at their bounds.
//! 2. Evaluate the residual of `z` on the original data; stop if it is certified.
//! 3. Let `I` be the indices strictly between their bounds. Solve `(M_II + delta D_II) d = -w_I`, `D` the diagonal of `M`:
//!    by a sparse factorization where `M = Y Y^T` with sparse rows `Y` of some long structure, else by
//!    Cholesky's where `I` is small, and by conjugate gradients with the diagonal as preconditioner where it is large.
//! 4. If `z + d` is in the box, take it and go to 1.
//! 5. Otherwise take the projection of `z + t d` with the first of `t = 1, 1/2, 1/4 ...` that lowers the objective, or, when
//!    `t` would be less, go as far as the first bound. (A step that leaves the box at a thousand places has its first bound
//!    almost at once: stopping there only would take a factorization for each.) What reached a bound leaves `I`; go to 3, at
//!    most `subspace_steps` times, then to 1.
//!
//! # Convergence and failure
//! No step raises the objective, and step 1 lowers it unless `z` is a solution; for positive definite `M` the method is
//! finite once the right `I` is found, which takes a few cycles. The increment form of step 3 has no bias from `delta`
//! (1e-12, raised by 100 where the factorization fails on redundant rows). Asymmetric problems are not for this
//! method: the factorization reads the lower triangle; an answer that is not certified is reported as
//! such.
//!
//! # Cost
//! `2 n` per unknown that moves in a sweep, `|I|^3 / 3` per factorization, `2 |I| n` per step of conjugate gradients. For a
//! sparse `Y` with `k` entries `4 k` per sweep and per step, and `b^2 |I|` per factorization of a chain with `b` contacts
//! each way.
//!
//! # References
//! J. L. Morales, J. Nocedal, M. Smelyanskiy, *An algorithm for the fast solution of symmetric linear complementarity
//! problems*, Numerische Mathematik 111 (2008) 251-266; G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of
//! iterative LCP solvers for dry frictional contacts in grasping*, 2010, section III-B.

mod subspace;

use subspace::Subspace;

use serde::{Deserialize, Serialize};

use crate::driver::{check_limits, positive};
use crate::problem::{
    BoxLcp, FactoredLcp, HistoryEntry, Lcp, Report, Solution, Solver, SolverError, Start, Status,
};
use crate::sweeps::coordinate_rows::{Rows, Symmetric, sweep};
use crate::sweeps::run::Run;
/// Cycles without a better answer before the solve gives up.
const PATIENCE: usize = 50;

/// What [`PgsSm`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PgsSmSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`crate::problem::Problem::residual`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Cycles of sweeps and subspace steps at most.
    pub max_iterations: usize,
    /// Sweeps per cycle, `k_PGS`: 3 to 6 in the paper.
    pub sweeps: usize,
    /// Subspace steps per cycle, `k_SM`: 1 to 3 in the paper.
    pub subspace_steps: usize,
    /// Subspaces of more indices are solved by conjugate gradients.
    pub largest_dense: usize,
    /// Whether to keep the natural map of every cycle for [`PgsSm::history`].
    pub history: bool,
}

impl Default for PgsSmSettings {
    fn default() -> PgsSmSettings {
        PgsSmSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 500,
            sweeps: 6,
            subspace_steps: 2,
            largest_dense: 500,
            history: false,
        }
    }
}

impl PgsSmSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        positive("sweeps", self.sweeps as f64)
    }
}

/// Projected Gauss-Seidel with subspace minimization; see the [module](self).
///
/// ```
/// use stiction_solvers::{Lcp, PgsSm, PgsSmSettings, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
/// let mut solver = PgsSm::new(PgsSmSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PgsSm {
    settings: PgsSmSettings,
    run: Run,
    subspace: Subspace,
}

impl PgsSm {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`PgsSmSettings::validate`].
    pub fn new(settings: PgsSmSettings) -> Result<PgsSm, SolverError> {
        settings.validate()?;
        Ok(PgsSm { settings, ..PgsSm::default() })
    }

    /// The convergence history of the last solve, after the sweeps of each cycle; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.run.incumbent.history()
    }

    fn iterate<P: Rows>(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let PgsSmSettings { tolerance, time_limit, max_iterations, history, .. } = self.settings;
        let run = &mut self.run;
        if let Err(report) = run.open(problem, start, x, (tolerance, time_limit), (history, max_iterations)) {
            return report;
        }
        self.subspace.reset(problem, self.settings.largest_dense);
        let (mut least, mut since) = (f64::INFINITY, 0);
        for k in 1..=max_iterations {
            run.incumbent.iterations = k;
            run.start(problem);
            for _ in 0..self.settings.sweeps {
                sweep(problem, 1.0, &mut run.iterate.z, &mut run.state); // step 1
            }
            problem.value(&run.iterate.z, &run.state, &mut run.iterate.w);
            // Step 2. The residual costs as much as a subspace step: only where it may certify, or to keep the best.
            let natural_map = run.natural_map(problem);
            since = if natural_map < least { 0 } else { since + 1 };
            least = least.min(natural_map);
            let over = k == max_iterations || run.incumbent.is_out_of_time();
            if natural_map <= tolerance || since > 0 || history || over {
                run.evaluate(problem, x);
            }
            if over && !run.incumbent.is_certified() {
                break;
            }
            if run.incumbent.is_certified() || since > PATIENCE {
                return run.incumbent.report(Status::Stalled);
            }
            for _ in 0..self.settings.subspace_steps {
                let Run { scales, iterate, state, .. } = run;
                if self.subspace.step(problem, &self.settings, scales, iterate, state) {
                    break;
                }
            }
            if run.natural_map(problem) <= tolerance && run.offer(problem, x).is_certified() {
                return run.incumbent.report(Status::Solved);
            }
        }
        run.incumbent.report(Status::MaxIterations)
    }
}

solve_by_rows!(PgsSm);
