//! Newton's method on the equations of Alart and Curnier: what a warm start wants.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`.
//!
//! # Method
//! One run (`damped_newton`) from the start with `rho = 1` and a proximal term of `1e-8` in the derivative: enough to
//! make sticking faces of rank-deficient problems regular.
//!
//! # Convergence and failure
//! From the impulses of the step before, 0 to 2 steps while modes stay, a few when some change. From nothing it fails on
//! one contact problem in five: it cycles between modes. Use [`crate::cones::chain`] there.
//!
//! # Cost
//! One factorization of the closed contacts a step; none if the start passes.
//!
//! # References
//! See `alart_curnier`.

use serde::{Deserialize, Serialize};

use crate::cones::newton::damped_newton::{Centre, DampedNewton, NewtonEnd, Parameters};
use crate::cones::state::{Limits, Outcome, State, status_of};
use crate::driver::{check_limits, positive};
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start};

/// Weight of the proximal term about the start (dimensionless).
pub(crate) const WEIGHT: f64 = 1e-8;

/// What [`Newton`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewtonSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`](crate::problem::Status::TimeLimit)). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Steps, which are factorizations, at most.
    pub max_iterations: usize,
    /// Steps without descent that are allowed.
    pub allowance: usize,
    /// Whether to keep the natural map of every step for [`Newton::history`].
    pub history: bool,
}

impl Default for NewtonSettings {
    fn default() -> NewtonSettings {
        NewtonSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 100,
            allowance: 8,
            history: false,
        }
    }
}

impl NewtonSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        positive("allowance", self.allowance as f64)
    }
}

/// Newton's method; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Newton {
    settings: NewtonSettings,
    state: State,
    newton: DampedNewton,
}

impl Newton {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`NewtonSettings::validate`].
    pub fn new(settings: NewtonSettings) -> Result<Newton, SolverError> {
        settings.validate()?;
        Ok(Newton { settings, ..Newton::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }
}

impl Solver<ConeNcp> for Newton {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let NewtonSettings { tolerance, time_limit, max_iterations, allowance, history } = self.settings;
        let limits =
            Limits { tolerance, time_limit, target: tolerance, max_factorizations: max_iterations, history };
        let state = &mut self.state;
        if let Err(report) = state.open(problem, limits, start, x) {
            return report;
        }
        self.newton.resize(state.x.len());
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: max_iterations, allowance };
        let outcome = warm_stage(&mut self.newton, state, problem, how);
        state.close(problem, status_of(outcome), x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

/// A run from the start of the state.
pub(crate) fn warm_stage(
    newton: &mut DampedNewton,
    state: &mut State,
    problem: &ConeNcp,
    how: Parameters,
) -> Outcome {
    state.x.copy_from_slice(&state.start);
    match newton.run(state, problem, Centre::Point, how) {
        NewtonEnd::Passed => Outcome::Passed,
        NewtonEnd::OutOfBudget => Outcome::OutOfBudget,
        _ if state.is_good() => Outcome::Passed,
        NewtonEnd::Solved(_) | NewtonEnd::Failed => Outcome::Exhausted,
    }
}
