//! The Levenberg-Marquardt methods on the Fischer-Burmeister equations: [`FbRlm`] and [`FbPlm`].
//!
//! # Problem
//! Any [`Bounded`] problem, free, one-sided and two-sided rows: `minimize psi(z) = phi(z) . phi(z) / 2` (PLM: over the
//! box), whose zeros are the solutions ([`crate::newton::fischer_burmeister`]).
//!
//! # Method
//! 1. Equilibrate the problem.
//! 2. Descend on `psi` by algorithm RLM or PLM of MJ14 (`levenberg_marquardt`) until a point is certified
//!    on the original data (in `paper` mode until `psi < 1e-30`).
//! 3. Restart elsewhere, at most `restarts` times, if that was a local minimum (`restarts.rs`); a nonlinear problem also from the best
//!    answer in the units of that.
//! 4. Polish the answer by Newton steps on its face (not in `paper` mode).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi`. For P0 matrices (all monotone problems) and a bounded solution set such a
//! point is a solution, quadratically approached where `J` is regular, by PLM usually fast where contacts are redundant
//! too, thanks to its nearly shortest steps; otherwise it may be a local minimum that solves nothing:
//! [`Status::Stalled`]. Where `F` is not defined RLM refuses the step and raises the damping, PLM's search goes back.
//!
//! # Cost
//! `2 n^3` operations a step; RLM, a third of them again with every change of the damping alone. Five to thirty steps.
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, 2014, eq. 23-25 and algorithms RLM and PLM (MJ14).

use crate::driver;
use crate::newton::fb_equations::FbEquations;
use crate::newton::levenberg_marquardt::{Descent, DescentSettings, Plm, PlmSettings, Rlm, RlmSettings};
use crate::newton::newton_driver::NewtonDriver;
use crate::newton::projected_newton::ProjectedNewton;
use crate::problem::{
    ActiveSet, Bounded, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status,
};

/// The regular method: damped Gauss-Newton steps from anywhere.
///
/// ```
/// use stiction_solvers::{FbRlm, FbRlmSettings, Lcp, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
///
/// let mut solver = FbRlm::new(FbRlmSettings { history: true, ..FbRlmSettings::default() })?;
/// let report = solver.solve(&problem, Start::Cold, &mut x);
/// assert_eq!(report.status, Status::Solved);
/// let last = solver.history().last().map(|entry| entry.natural_map);
/// assert!(last.is_some_and(|natural_map| natural_map <= 1e-10));
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
pub type FbRlm = FbDescent<Rlm>;

/// Settings of [`FbRlm`].
pub type FbRlmSettings = RlmSettings;

/// The projected method: nearly undamped steps and a non-monotone search.
pub type FbPlm = FbDescent<Plm>;

/// Settings of [`FbPlm`].
pub type FbPlmSettings = PlmSettings;

/// A descent on the Fischer-Burmeister equations with its workspace; see the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct FbDescent<D: Descent> {
    settings: D::Settings,
    driver: NewtonDriver,
    newton: ProjectedNewton,
    descent: D,
}

impl<D: Descent> FbDescent<D> {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: D::Settings) -> Result<FbDescent<D>, SolverError> {
        settings.validate()?;
        Ok(FbDescent { settings, ..FbDescent::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &D::Settings {
        &self.settings
    }

    /// The basic indices of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        self.driver.active_set()
    }

    /// The convergence history of the last solve, an entry for every step; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.driver.incumbent.history()
    }
}

impl<D: Descent, P: Bounded> Solver<P> for FbDescent<D> {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let Self { settings, driver, newton, descent } = self;
        let limits = settings.limits();
        newton.reserve(problem.dim());
        descent.reserve(problem.dim(), settings);
        let steps = limits.restarts.saturating_add(1).saturating_mul(limits.max_iterations);
        if let Err(report) =
            driver.open(problem, (limits.tolerance, limits.time_limit), (limits.history, steps), start, x)
        {
            return report;
        }
        if let Some(basis) = driver::basis(start, problem.dim()) {
            newton.start_from((problem, driver, x), basis);
            if driver.is_done() {
                return driver.close(problem, Status::Solved, x);
            }
        }
        let mut status = Status::Stalled;
        for attempt in 0..=limits.restarts {
            let from = std::mem::take(&mut driver.start);
            let end = descent.run(&mut FbEquations::new(problem, driver, x), &from, settings); // step 2
            driver.start = from;
            if attempt == 0 {
                status = end;
            }
            if driver.incumbent.is_certified() || driver.is_over() || attempt == limits.restarts {
                break;
            }
            driver.restart(problem, attempt, x); // step 3
        }
        if !limits.paper && !driver.incumbent.is_out_of_time() {
            newton.polish((problem, driver, x), &descent.here().z); // step 4
        }
        driver.close(problem, status, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.limit_time(seconds);
    }
}
