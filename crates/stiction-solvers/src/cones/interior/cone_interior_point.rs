//! A primal-dual interior-point method for contact with Coulomb's law, which is not convex.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`. Cones are brought to `mu = 1` by `T = diag(1 / sqrt mu, sqrt mu, sqrt
//! mu)`: `x = T x^`, `y^ = T y`. The unknowns are `x^` and `v`, both inside the cone, with
//!
//! `v = y^ + |y^_t|_d e_n`,  `x^ o v = 0`,  where `|s|_d = s^2 / sqrt(s^2 + (0.1 d)^2)`
//!
//! smooths De Saxce's correction (left out under the associated law). Nonnegative rows have `v = y`, `x v = 0`; intervals
//! `y = v_l - v_u`, `(x - lower) v_l = (upper - x) v_u = 0`; free rows `y = 0`. Tangents of contacts without slip are free:
//! the answer sticks contacts that are not active, which is a guess for other methods. Each kind of cell is a type of its
//! own in `barrier`.
//!
//! # Method
//! 1. `d` is the least square root of the mean gap `x . v` so far: the smoothing goes to zero with the gap, or the
//!    residual would stall.
//! 2. With the scaling `N` of Nesterov and Todd and the derivative `G` of the correction, factor
//!    `N^-1 (G W + N^2 + 1e-10 I)`: near the boundary `N^2` alone is singular to working precision.
//! 3. Predictor: the step to zero gap. Its length `alpha` gives the centring `sigma = max((1 - alpha)^3, 1e-8)`.
//! 4. Corrector: the step to the gap `sigma` with Mehrotra's second-order term. Go `max(0.99, 1 - sqrt gap)` of the way to the
//!    boundary, `x` and `v` alike.
//! 5. The answer at every step is the projection of `x`; the best is kept.
//!
//! # Convergence and failure
//! From nothing it comes near a solution in 10 to 30 steps, whatever the mass ratios and the number of contacts. It is not a
//! method for the last digits: where contacts slide, `x` and `v` both lie on the boundary, and the natural map stops
//! at 1e-7 or so. It ends when 25 steps have not improved the natural map by a tenth.
//!
//! # Cost
//! One factorization of all rows a step.
//!
//! # References
//! S. Mehrotra, *On the implementation of a primal-dual interior point method*, SIAM Journal on Optimization 2 (1992)
//! 575-601; V. Acary, P. Armand, H. Minh Nguyen, M. Shpakovych, *Second-order cone programming for frictional contact
//! mechanics using interior point algorithm*, 2024.

use serde::{Deserialize, Serialize};

use super::barrier::{AnyBarrier, Barrier};
use super::parts::{Part, Parts};
use crate::cones::state::{Limits, Outcome, State, status_of};
use crate::driver::check_limits;
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start};

/// Steps without a natural map a tenth better after which the method has stalled.
const PATIENCE: usize = 25;

/// Smoothing of the correction against the square root of the gap.
const SMOOTHING: f64 = 0.1;

/// Least centring.
const LEAST_CENTRING: f64 = 1e-8;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct InteriorPath {
    parts: Parts,
}

impl InteriorPath {
    /// Runs the method from its own start, at most `cap` steps.
    pub(crate) fn run(&mut self, state: &mut State, problem: &ConeNcp, cap: usize) -> Outcome {
        self.begin(state);
        let degree = self.parts.degree();
        let mut width = f64::INFINITY;
        let (mut reference, mut waited) = (f64::INFINITY, 0);
        for _ in 0..cap {
            if state.look_at_projection(problem) {
                return Outcome::Passed;
            }
            waited += 1;
            if state.least < 0.9 * reference {
                (reference, waited) = (state.least, 0);
            }
            if waited > PATIENCE {
                return Outcome::Exhausted;
            }
            if !state.may_factor() {
                return Outcome::OutOfBudget;
            }
            let gap = self.parts.gap(degree);
            if !(gap.is_finite() && gap >= 0.0) {
                return Outcome::Exhausted;
            }
            width = width.min(gap.sqrt()); // step 1
            let smoothing = (!state.problem.associated).then_some(SMOOTHING * width);
            if !self.parts.linearize(state, smoothing) || state.factor(problem).is_err() {
                return Outcome::Exhausted; // step 2
            }
            state.incumbent.iterations += 1;
            self.parts.find_step(state, 0.0, false); // step 3
            let sigma = (1.0 - self.parts.largest_step()).powi(3).max(LEAST_CENTRING);
            self.parts.find_step(state, sigma * gap, true); // step 4
            let fraction = (1.0 - gap.sqrt()).max(0.99);
            let largest = self.parts.largest_step();
            let alpha = if largest < 1.0 { fraction * largest } else { 1.0_f64.min(fraction) };
            if !alpha.is_finite() || !self.parts.has_step() {
                return Outcome::Exhausted;
            }
            self.parts.advance(alpha, state);
        }
        let passed = state.look_at_projection(problem);
        if passed { Outcome::Passed } else { Outcome::Exhausted }
    }

    fn begin(&mut self, state: &mut State) {
        self.parts.load(state, AnyBarrier::of);
        let sizes = self.parts.list.iter().map(|part| part.barrier.size(&state.problem.q[part.rows.clone()]));
        let size = sizes.fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        for Part { rows, barrier } in &mut self.parts.list {
            barrier.begin(size, &mut state.x[rows.clone()]);
        }
    }
}

/// What [`ConeInteriorPoint`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConeInteriorPointSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`](crate::problem::Status::TimeLimit)). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Steps, which are factorizations, at most.
    pub max_iterations: usize,
    /// Whether to keep the natural map of every step for [`ConeInteriorPoint::history`].
    pub history: bool,
}

impl Default for ConeInteriorPointSettings {
    fn default() -> ConeInteriorPointSettings {
        ConeInteriorPointSettings { tolerance: 1e-10, time_limit: None, max_iterations: 100, history: false }
    }
}

impl ConeInteriorPointSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }
}

/// The interior-point method; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ConeInteriorPoint {
    settings: ConeInteriorPointSettings,
    state: State,
    method: InteriorPath,
}

impl ConeInteriorPoint {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`ConeInteriorPointSettings::validate`].
    pub fn new(settings: ConeInteriorPointSettings) -> Result<ConeInteriorPoint, SolverError> {
        settings.validate()?;
        Ok(ConeInteriorPoint { settings, ..ConeInteriorPoint::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }
}

impl Solver<ConeNcp> for ConeInteriorPoint {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let ConeInteriorPointSettings { tolerance, time_limit, max_iterations, history } = self.settings;
        let limits =
            Limits { tolerance, time_limit, target: tolerance, max_factorizations: max_iterations, history };
        if let Err(report) = self.state.open(problem, limits, start, x) {
            return report;
        }
        let outcome = self.method.run(&mut self.state, problem, max_iterations);
        self.state.close(problem, status_of(outcome), x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
