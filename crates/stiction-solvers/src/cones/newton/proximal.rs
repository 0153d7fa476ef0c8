//! Proximal-point Newton: exact on rank-deficient problems, without bias.
//!
//! # Problem
//! [`ConeNcp`]. Contact problems are usually rank deficient (four corners of a box), so that the equations of Newton's
//! method are singular. A fixed regularization `W + eps I` would bias the answer by about `eps`; a proximal term whose
//! centre moves does not.
//!
//! # Method
//! From the centre `c` (the start) and the weight `eps`, in the units of `normalized`:
//! 1. Solve the problem with `y + eps (x - c)` in place of `y` by Newton's method (`damped_newton`) with
//!    `rho = 1 / sqrt(eps (1 + eps))`, tightly. Leave as soon as the true natural map passes.
//! 2. Solved: the answer is the next centre, and `eps` falls, by 100 after at most 2 steps, by 10 after at most 5, by
//!    `sqrt 10` after more.
//! 3. Not solved: the answer is thrown away, `eps` grows by 2.5 and does not soon fall below that again.
//!
//! # Convergence and failure
//! Fast on nearly all contact problems, including mass ratios of 1e8 and friction coefficients of 1e3; there is no
//! proof for Coulomb's law (the operator is not monotone). From `r = 0` it nearly returns the impulses of least norm, from
//! carried ones the nearest to them.
//!
//! # Cost
//! Some 20 factorizations from nothing in the median, 0 to 3 from the impulses of the step before.
//!
//! # References
//! R. T. Rockafellar, *Monotone operators and the proximal point algorithm*, SIAM Journal on Control and Optimization 14
//! (1976) 877-898; `alart_curnier` for the equations.

use serde::{Deserialize, Serialize};

use crate::cones::newton::damped_newton::{Centre, DampedNewton, NewtonEnd, Parameters};
use crate::cones::state::{Limits, Outcome, State, status_of};
use crate::driver::{check_limits, positive};
use crate::linalg::capacity::resize_unset;
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start};

/// Smallest proximal weight: with less, faces of sticking contacts are singular to working precision.
const LEAST_WEIGHT: f64 = 1e-10;

/// Largest proximal weight: with more, a step hardly leaves its centre.
const LARGEST_WEIGHT: f64 = 100.0;

/// One run of the method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// First weight.
    pub(crate) weight: f64,
    /// Newton steps per centre.
    pub(crate) cap: usize,
    /// Centres.
    pub(crate) centres: usize,
}

/// The method with its workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProximalPoint {
    pub(crate) newton: DampedNewton,
    centre: Vec<f64>,
}

impl ProximalPoint {
    /// Reserves memory for problems of `n` rows.
    pub(crate) fn resize(&mut self, n: usize) {
        self.newton.resize(n);
        resize_unset(&mut self.centre, n);
    }

    /// Runs the method from the point of the state.
    pub(crate) fn run(&mut self, state: &mut State, problem: &ConeNcp, how: Run) -> Outcome {
        self.centre.copy_from_slice(&state.x);
        let (mut eps, mut least_eps) = (how.weight, 0.0_f64);
        for _ in 0..how.centres {
            state.x.copy_from_slice(&self.centre);
            let rho = 1.0 / (eps * (1.0 + eps)).sqrt();
            let parameters = Parameters { eps, rho, cap: how.cap, allowance: 3 };
            match self.newton.run(state, problem, Centre::Fixed(&self.centre), parameters) {
                NewtonEnd::Passed => return Outcome::Passed,
                NewtonEnd::OutOfBudget => return Outcome::OutOfBudget,
                _ if state.is_good() => return Outcome::Passed,
                NewtonEnd::Solved(steps) => {
                    self.centre.copy_from_slice(&state.x);
                    eps *= match steps {
                        0..=2 => 0.01,
                        3..=5 => 0.1,
                        _ => 0.316,
                    };
                    eps = eps.max(LEAST_WEIGHT).max(least_eps);
                    least_eps *= 0.6;
                }
                NewtonEnd::Failed => {
                    eps = (2.5 * eps).min(LARGEST_WEIGHT);
                    least_eps = eps;
                }
            }
        }
        Outcome::Exhausted
    }
}

/// What [`Ppn`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PpnSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`](crate::problem::Status::TimeLimit)). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Factorizations at most.
    pub max_factorizations: usize,
    /// First weight of the proximal term from nothing (dimensionless); a tenth of a percent of it from a warm start.
    pub weight: f64,
    /// Centres at most.
    pub centres: usize,
    /// Newton steps per centre at most.
    pub steps_per_centre: usize,
    /// Whether to keep the natural map of every step for [`Ppn::history`].
    pub history: bool,
}

impl Default for PpnSettings {
    fn default() -> PpnSettings {
        PpnSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_factorizations: 1000,
            weight: 1.0,
            centres: 60,
            steps_per_centre: 15,
            history: false,
        }
    }
}

impl PpnSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        positive("weight", self.weight)
    }
}

/// The proximal-point Newton method; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Ppn {
    settings: PpnSettings,
    state: State,
    method: ProximalPoint,
}

impl Ppn {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`PpnSettings::validate`].
    pub fn new(settings: PpnSettings) -> Result<Ppn, SolverError> {
        settings.validate()?;
        Ok(Ppn { settings, ..Ppn::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }
}

impl Solver<ConeNcp> for Ppn {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let PpnSettings {
            tolerance,
            time_limit,
            max_factorizations,
            weight,
            centres,
            steps_per_centre,
            history,
        } = self.settings;
        let state = &mut self.state;
        if let Err(report) = state.open(
            problem,
            Limits { tolerance, time_limit, target: tolerance, max_factorizations, history },
            start,
            x,
        ) {
            return report;
        }
        self.method.resize(state.x.len());
        let weight = if state.is_warm() { 1e-3 * weight } else { weight };
        let outcome = self.method.run(state, problem, Run { weight, cap: steps_per_centre, centres });
        state.close(problem, status_of(outcome), x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
