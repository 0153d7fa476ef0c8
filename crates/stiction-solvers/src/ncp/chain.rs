//! The robust solver of the cone problem: Newton's method from carried impulses, an interior point from nothing, the
//! proximal-point method to finish both.
//!
//! # Problem
//! [`ConeNcp`].
//!
//! # Method
//! Each stage ends the solve as soon as the natural map passes.
//! 1. Look at the start.
//! 2. From carried impulses: at most 6 steps of Newton's method ([`super::newton`]), then proximal-point Newton
//!    ([`super::ppn`]) from the same impulses.
//! 3. *Islands of more than 100 contacts*: proximal-point Newton from nothing, capped at 120 factorizations; it factors only
//!    contacts that are closed.
//! 4. Interior point ([`super::cone_interior_point`]) until it stalls, then proximal-point Newton from its best point.
//! 5. Large islands: go on from the best point, where restarts bring nothing.
//! 6. Proximal-point Newton from nothing, with other weights and more steps per centre, three times.
//! 7. Last, a long run from the best point of all.
//! 8. An answer within the tolerance but not yet the aim gets up to three steps of Newton's method.
//!
//! # Convergence and failure
//! It solved every one of the public and generated contact problems it was tried on to 1e-9 or the rounding floor. What
//! has no solution ends as [`Status::Stalled`](crate::Status::Stalled) with the best point seen, what takes more than the
//! budget as [`Status::MaxIterations`](crate::Status::MaxIterations). Real-time users set
//! [`ChainSettings::max_factorizations`].
//!
//! # Cost
//! Warm: none to two factorizations while modes stay. Cold: 17 in the median, below 60 for nine problems in ten.
//!
//! # References
//! Those of its stages.

use serde::{Deserialize, Serialize};

use super::cone_interior_point::InteriorPath;
use super::newton::{WEIGHT, warm_stage};
use super::ppn::{ProximalPoint, Run};
use super::search::Search;
use super::state::{Limits, Outcome, State, status_of};
use crate::cone_ncp::ConeNcp;
use crate::error::SolverError;
use crate::pgs::positive;
use crate::problem::Solution;
use crate::solver::{Report, Solver, Start};

/// Cells above which an island is large.
const LARGE: usize = 100;

/// Factorizations of stage 3.
const LARGE_BUDGET: usize = 120;

/// Steps of the interior point.
const INTERIOR_STEPS: usize = 100;

/// Newton steps from the tolerance to the aim.
const POLISH_STEPS: usize = 3;

/// What [`Chain`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Natural map to aim for, at most the tolerance: an answer within the tolerance gets a few more Newton steps towards
    /// the aim. Answers between the two count as solved. Time stepping wants it small: what is left moves bodies that
    /// should rest.
    pub aim: f64,
    /// Factorizations at most.
    pub max_factorizations: usize,
    /// Whether to keep the natural map of every step for [`Chain::history`].
    pub history: bool,
}

impl Default for ChainSettings {
    fn default() -> ChainSettings {
        ChainSettings { tolerance: 1e-10, aim: 1e-10, max_factorizations: 20_000, history: false }
    }
}

impl ChainSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        positive("tolerance", self.tolerance)?;
        positive("aim", self.aim)
    }
}

/// The stage that a solve ended in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The start passed.
    #[default]
    Start,
    /// Newton's method from carried impulses.
    Newton,
    /// Proximal-point Newton from carried impulses.
    Warm,
    /// Proximal-point Newton of a large island from nothing.
    Large,
    /// Interior point and proximal-point Newton.
    Interior,
    /// Other weights.
    Restarts,
    /// The long run from the best point.
    Last,
}

/// The robust solver; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Chain {
    settings: ChainSettings,
    state: State,
    proximal: ProximalPoint,
    interior: InteriorPath,
    stage: Stage,
}

impl Chain {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`ChainSettings::validate`].
    pub fn new(settings: ChainSettings) -> Result<Chain, SolverError> {
        settings.validate()?;
        Ok(Chain { settings, ..Chain::default() })
    }

    /// The stage that the last solve ended in.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The natural maps of the last solve, if the settings ask for them.
    pub fn history(&self) -> &[f64] {
        &self.state.history
    }

    fn run(&mut self, problem: &ConeNcp) -> Outcome {
        let large = self.state.problem.cells.len() > LARGE;
        if self.state.is_warm() {
            self.stage = Stage::Newton;
            let how = Search { eps: WEIGHT, rho: 1.0, cap: 6, allowance: 1 };
            let outcome = warm_stage(&mut self.proximal.newton, &mut self.state, problem, how);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
            self.stage = Stage::Warm;
            self.state.x.copy_from_slice(&self.state.start);
            let outcome = self.proximal(problem, Run { weight: 1e-3, cap: 15, centres: 12 });
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        if large {
            self.stage = Stage::Large;
            let outcome = self.within(LARGE_BUDGET, |chain| {
                chain.from_nothing(problem, Run { weight: 1.0, cap: 15, centres: 60 })
            });
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        self.stage = Stage::Interior;
        let outcome = self.interior.run(&mut self.state, problem, INTERIOR_STEPS);
        if outcome != Outcome::Exhausted {
            return outcome;
        }
        let outcome = self.from_best(problem, Run { weight: 1e-2, cap: 15, centres: 30 });
        if outcome != Outcome::Exhausted {
            return outcome;
        }
        let last = Run { weight: 1e-2, cap: 60, centres: 400 };
        if large {
            self.stage = Stage::Last;
            let outcome = self.from_best(problem, last);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        self.stage = Stage::Restarts;
        for run in [
            Run { weight: 1.0, cap: 15, centres: 60 },
            Run { weight: 1.0, cap: 40, centres: 60 },
            Run { weight: 10.0, cap: 30, centres: 60 },
        ] {
            let outcome = self.from_nothing(problem, run);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        self.stage = Stage::Last;
        self.from_best(problem, last)
    }

    /// Stage 8.
    fn polish(&mut self, problem: &ConeNcp) {
        if self.state.is_good() && !self.state.has_passed() {
            self.state.return_to_best();
            let how = Search { eps: WEIGHT, rho: 1.0, cap: POLISH_STEPS, allowance: 1 };
            self.proximal.newton.search(&mut self.state, problem, None, how);
        }
    }

    /// Runs a stage with at most `count` factorizations of the budget.
    fn within(&mut self, count: usize, stage: impl FnOnce(&mut Chain) -> Outcome) -> Outcome {
        let whole = self.state.limit(self.state.factorizations.saturating_add(count));
        let outcome = stage(self);
        self.state.limit(whole);
        match outcome {
            Outcome::OutOfBudget if self.state.may_factor() => Outcome::Exhausted,
            other => other,
        }
    }

    fn from_nothing(&mut self, problem: &ConeNcp, run: Run) -> Outcome {
        self.state.x.fill(0.0);
        self.proximal(problem, run)
    }

    fn from_best(&mut self, problem: &ConeNcp, run: Run) -> Outcome {
        self.state.return_to_best();
        self.proximal(problem, run)
    }

    fn proximal(&mut self, problem: &ConeNcp, run: Run) -> Outcome {
        self.proximal.run(&mut self.state, problem, run)
    }
}

impl Solver<ConeNcp> for Chain {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let ChainSettings { tolerance, aim, max_factorizations, history } = self.settings;
        self.stage = Stage::Start;
        if let Err(report) =
            self.state.open(problem, Limits { tolerance, aim, max_factorizations, history }, start, x)
        {
            return report;
        }
        self.proximal.resize(self.state.x.len());
        let outcome = self.run(problem);
        self.polish(problem);
        self.state.close(problem, status_of(outcome), x)
    }
}
