//! The robust solver of the cone problem: Newton's method from carried impulses, an interior point from nothing, the
//! proximal-point method to finish both; impulses of least norm where they are not unique.
//!
//! # Problem
//! [`ConeNcp`].
//!
//! # Method
//! The stages of a plan in turn; each ends the solve as soon as the natural map passes. First the start is evaluated: if
//! its natural map is worse than that of no impulses, it is forgotten. Weights are those of the proximal term, in units in
//! which a diagonal block of `W'` is about 1; steps are at most so many per centre, centres at most so many.
//!
//! | stage | when | from | budget | why |
//! |---|---|---|---|---|
//! | modes | carried impulses | start | 4 steps | where modes stay one step is exact, as least norm or not |
//! | least norm | that failed | start | 6 steps | as Newton |
//! | Newton | that failed | start | 6 steps | while modes stay 0 to 2 steps are enough, and a few when some change; more means that it cycles |
//! | proximal point | Newton failed | start | weight 1e-3, 15 steps, 12 centres | stays near impulses that are nearly right; the weight falls to its least, 1e-10, in four good centres, and three times as many leave room for rejections |
//! | interior point | cold | nothing | 100 steps | takes 10 to 30, and notices itself when it stalls |
//! | proximal point | after the interior point | best | weight 1e-2, 15 steps, 30 centres | the interior point ends at 1e-7 or so where contacts slide; a weight between warm and cold keeps that |
//! | Newton | neither solved it | nothing | 60 steps | where impulses of the interior point ran away, small ones may still be near |
//! | restart | still unsolved | nothing | weight 1: 15 steps, 60 centres | with a weight of 1, the size of `W'`, the first centre is well conditioned from anywhere |
//! | pyramids | still unsolved | best | 4, then 12 directions, 4 turns each | linear problems find the modes where Newton's method cycles; 12 directions are nearer the cone and cost more |
//! | restarts | still unsolved | nothing | weight 1: 40 steps; weight 10: 30 steps; 60 centres | longer runs for many changes of mode, the larger weight for centres that a run does not reach |
//! | last | all failed | best | weight 1e-2, 60 steps, 400 centres; then pyramids of 8 directions, 8 turns | nothing is left to save work for |
//!
//! Islands of more than 100 contacts have no pyramids, and a proximal-point run *from nothing* of at most 120 factorizations:
//! twice what nine cold problems in ten need in all. It comes before the interior point where the operator is dense, since it
//! factors only contacts that are closed. Where it is sparse and there is friction they have other
//! stages. Most of their redundant contacts carry nothing, and methods that guess modes from there flip them for thousands of steps:
//!
//! | stage | from | budget | why |
//! |---|---|---|---|
//! | modes | start | 4 steps | as above |
//! | Newton | start | weight 1e-5, 12 steps | the weight keeps impulses near those that are carried along directions in which nothing holds them |
//! | interior points with sliding speeds | nothing | 60 steps each, weights of friction 100, 1000, 10 | their answers lie in the middle of the solutions; the path of one weight may fold back where that of another does not |
//! | proximal point | after each | weight 1e-3, 40 factorizations | finishes them |
//! | interior point, proximal point | nothing, after the first | as above | its path is another one |
//!
//! At the end, an answer within the tolerance but not yet within the target gets up to 3 steps of Newton's method, which
//! doubles the digits in each.
//!
//! # Least norm
//! Where impulses are not unique those of least norm are wanted, and no contact is to creep: see `chain/least_norm.rs`.
//!
//! # Convergence and failure
//! It solved every one of the public contact problems it was tried on to 1e-9 or the rounding floor, and of random ones with
//! coefficients of friction to 3 and masses 1e6 apart 999 in 1000. What
//! has no solution ends as [`Status::Stalled`](crate::problem::Status::Stalled) with the best point seen, what takes more than the
//! budget as [`Status::MaxIterations`](crate::problem::Status::MaxIterations). Real-time users set
//! [`ChainSettings::max_factorizations`].
//!
//! # Cost
//! Warm: none to two factorizations while modes stay. Cold: 17 in the median, below 60 for nine problems in ten.
//!
//! # References
//! Those of its stages.

mod least_norm;

use serde::{Deserialize, Serialize};

use crate::cones::interior::cone_interior_point::InteriorPath;
use crate::cones::interior::sliding_path::SlidingPath;
use crate::cones::newton::damped_newton::{Centre, Parameters};
use crate::cones::newton::least_norm_newton::LeastNormNewton;
use crate::cones::newton::newton_solver::{WEIGHT, warm_stage};
use crate::cones::newton::proximal::{ProximalPoint, Run};
use crate::cones::normalized::Law;
use crate::cones::pyramid::Pyramids;
use crate::cones::state::{Limits, Outcome, State, status_of};
use crate::driver::{check_limits, positive};
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start};

/// Cells above which an island is large.
const LARGE: usize = 100;

/// Factorizations of a large island's proximal-point run from nothing.
const LARGE_BUDGET: usize = 120;

/// Steps of the interior point.
const INTERIOR_STEPS: usize = 100;

/// Steps of the one with sliding speeds.
const SLIDING_STEPS: usize = 60;

/// Newton steps from carried impulses.
const WARM_STEPS: usize = 6;

/// Weight of the proximal term in the derivative, and steps, of Newton's method from carried impulses of a large island.
const LARGE_WEIGHT: f64 = 1e-5;
const LARGE_WARM_STEPS: usize = 12;

/// Where a proximal-point run begins.
#[derive(Clone, Copy, Debug)]
enum From {
    Start,
    Nothing,
    Best,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    /// Equations of the modes of the start.
    Modes,
    LeastNorm,
    Newton,
    /// With a weight that keeps it near the start.
    DampedNewton,
    /// From nothing, so many steps.
    ColdNewton(usize),
    Interior,
    /// With the sliding speed as an unknown of this weight.
    SlidingPath(f64),
    Proximal(From, Run),
    /// Pyramids with so many directions, so many rounds.
    Pyramids(usize, usize),
}

/// A step of a plan.
#[derive(Clone, Copy, Debug)]
struct Step {
    stage: Stage,
    method: Method,
    budget: usize,
}

const fn step(stage: Stage, method: Method) -> Step {
    Step { stage, method, budget: usize::MAX }
}

const fn proximal(from: From, weight: f64, cap: usize, centres: usize) -> Method {
    Method::Proximal(from, Run { weight, cap, centres })
}

const fn sliding(theta: f64) -> Step {
    step(Stage::Interior, Method::SlidingPath(theta))
}

const INTERIOR: Step = step(Stage::Interior, Method::Interior);
const FINISH: Step = step(Stage::Interior, proximal(From::Best, 1e-2, 15, 30));
/// After an interior point with sliding speeds.
const SHORT_FINISH: Step =
    Step { stage: Stage::Interior, method: proximal(From::Best, 1e-3, 15, 30), budget: 40 };
const NEWTON: Step = step(Stage::Nothing, Method::ColdNewton(60));
const LAST: Step = step(Stage::Last, proximal(From::Best, 1e-2, 60, 400));
const FROM_NOTHING: Step =
    Step { stage: Stage::Nothing, method: proximal(From::Nothing, 1.0, 15, 60), budget: LARGE_BUDGET };
const RESTARTS: [Step; 3] = [
    step(Stage::Restarts, proximal(From::Nothing, 1.0, 15, 60)),
    step(Stage::Restarts, proximal(From::Nothing, 1.0, 40, 60)),
    step(Stage::Restarts, proximal(From::Nothing, 10.0, 30, 60)),
];

/// From carried impulses.
const WARM: [Step; 4] = [
    step(Stage::LeastNorm, Method::Modes),
    step(Stage::LeastNorm, Method::LeastNorm),
    step(Stage::Newton, Method::Newton),
    step(Stage::Warm, proximal(From::Start, 1e-3, 15, 12)),
];

/// From carried impulses, for a large sparse operator.
const LARGE_WARM: [Step; 2] =
    [step(Stage::LeastNorm, Method::Modes), step(Stage::Newton, Method::DampedNewton)];

/// From impulses with pyramids.
const WARM_OF_PYRAMIDS: [Step; 2] =
    [step(Stage::Pyramids, Method::Newton), step(Stage::Pyramids, proximal(From::Start, 1e-3, 15, 12))];

const PYRAMIDS: [Step; 3] = [
    step(Stage::Pyramids, Method::Pyramids(4, 4)),
    step(Stage::Pyramids, Method::Pyramids(12, 4)),
    step(Stage::Pyramids, Method::Pyramids(8, 8)),
];

/// From nothing.
const COLD: [Step; 10] = [
    INTERIOR,
    FINISH,
    NEWTON,
    RESTARTS[0],
    PYRAMIDS[0],
    PYRAMIDS[1],
    RESTARTS[1],
    RESTARTS[2],
    LAST,
    PYRAMIDS[2],
];

/// From nothing, with a large dense operator: the proximal-point method factors closed contacts only, the interior
/// point all.
const LARGE_DENSE: [Step; 8] =
    [FROM_NOTHING, INTERIOR, FINISH, NEWTON, RESTARTS[0], RESTARTS[1], RESTARTS[2], LAST];

/// From nothing, with a large sparse operator: open contacts cost little.
const LARGE_SPARSE: [Step; 8] =
    [INTERIOR, FINISH, NEWTON, FROM_NOTHING, RESTARTS[0], RESTARTS[1], RESTARTS[2], LAST];

/// The same with friction.
const LARGE_SLIDING: [Step; 14] = [
    sliding(100.0),
    SHORT_FINISH,
    INTERIOR,
    FINISH,
    sliding(1000.0),
    SHORT_FINISH,
    sliding(10.0),
    SHORT_FINISH,
    NEWTON,
    FROM_NOTHING,
    RESTARTS[0],
    RESTARTS[1],
    RESTARTS[2],
    LAST,
];

/// Newton steps from the tolerance to the target.
const POLISH_STEPS: usize = 3;

/// What [`Chain`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`](crate::problem::Status::TimeLimit)). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Target of the natural map, at most the tolerance: an answer within the tolerance gets a few more Newton steps towards
    /// it. Answers between the two count as solved. Time stepping wants it small: what is left moves bodies that
    /// should rest.
    pub target: f64,
    /// Factorizations at most.
    pub max_factorizations: usize,
    /// Whether to keep the natural map of every step for [`Chain::history`].
    pub history: bool,
}

impl Default for ChainSettings {
    fn default() -> ChainSettings {
        ChainSettings {
            tolerance: 1e-10,
            time_limit: None,
            target: 1e-10,
            max_factorizations: 20_000,
            history: false,
        }
    }
}

impl ChainSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        positive("target", self.target)
    }
}

/// The stage that a solve ended in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The start passed.
    #[default]
    Start,
    /// Newton's method from carried impulses to those of least norm.
    LeastNorm,
    /// Newton's method from carried impulses.
    Newton,
    /// Proximal-point Newton from carried impulses.
    Warm,
    /// Interior point and proximal-point Newton.
    Interior,
    /// Proximal-point Newton of a large island from nothing.
    Nothing,
    /// Newton's method from impulses with pyramids in place of cones.
    Pyramids,
    /// Other weights.
    Restarts,
    /// The long run from the best point.
    Last,
}

/// The robust solver; see the [module](self).
#[derive(Debug, Default)]
pub struct Chain {
    settings: ChainSettings,
    most_iterations: Option<usize>,
    accepted: Option<f64>,
    state: State,
    modes: LeastNormNewton,
    proximal: ProximalPoint,
    interior: InteriorPath,
    sliding: SlidingPath,
    pyramids: Pyramids,
    stage: Stage,
    /// Whether the answer is already that of least norm.
    is_least: bool,
    /// No answer with the velocities held has less norm than this.
    least_norm: f64,
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

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }

    /// Takes the steps of a plan until one has an answer.
    fn follow(&mut self, problem: &ConeNcp, plan: &[Step]) -> Outcome {
        for step in plan {
            self.stage = step.stage;
            let whole = self.state.limit_within(step.budget);
            let outcome = self.take(problem, step.method);
            self.state.limit(whole);
            let exhausted = outcome == Outcome::OutOfBudget && self.state.may_factor();
            if outcome != Outcome::Exhausted && !exhausted {
                return outcome;
            }
            if self.state.needs_least_norm() && self.settle(problem) {
                return Outcome::Passed;
            }
        }
        Outcome::Exhausted
    }

    fn take(&mut self, problem: &ConeNcp, method: Method) -> Outcome {
        let state = &mut self.state;
        match method {
            Method::Modes => {
                let outcome = self.modes.run(state, problem);
                self.is_least = outcome == Outcome::Passed && LeastNormNewton::is_of_least_norm(state);
                return outcome;
            }
            Method::LeastNorm => {
                state.x.copy_from_slice(&state.start);
                let outcome = self.reach_least_norm(problem);
                self.is_least = outcome == Outcome::Passed;
                return outcome;
            }
            Method::Newton => {
                let how = Parameters { eps: WEIGHT, rho: 1.0, cap: WARM_STEPS, allowance: 1 };
                return warm_stage(&mut self.proximal.newton, state, problem, how);
            }
            Method::DampedNewton => {
                let how = Parameters { eps: LARGE_WEIGHT, rho: 1.0, cap: LARGE_WARM_STEPS, allowance: 2 };
                return warm_stage(&mut self.proximal.newton, state, problem, how);
            }
            Method::ColdNewton(cap) => {
                state.start.fill(0.0);
                let how = Parameters { eps: WEIGHT, rho: 1.0, cap, allowance: 8 };
                return warm_stage(&mut self.proximal.newton, state, problem, how);
            }
            Method::Interior => return self.interior.run(state, problem, INTERIOR_STEPS),
            Method::SlidingPath(theta) => {
                return self.sliding.run(state, &mut self.proximal, problem, theta, SLIDING_STEPS);
            }
            Method::Pyramids(directions, rounds) => {
                return self.cut_to_pyramids(problem, directions, rounds);
            }
            Method::Proximal(From::Start, _) => state.x.copy_from_slice(&state.start),
            Method::Proximal(From::Nothing, _) => state.x.fill(0.0),
            Method::Proximal(From::Best, _) => state.return_to_best(),
        }
        match method {
            Method::Proximal(_, run) => self.proximal.run(state, problem, run),
            _ => Outcome::Exhausted,
        }
    }

    /// From the answer of the linear problem with pyramids to that with cones; the next round turns the pyramids to where
    /// contacts slide in the last.
    fn cut_to_pyramids(&mut self, problem: &ConeNcp, directions: usize, rounds: usize) -> Outcome {
        self.state.return_to_best();
        for _ in 0..rounds {
            if self.state.look(problem) {
                return Outcome::Passed;
            }
            if !self.pyramids.guess(&mut self.state, problem, directions) {
                return Outcome::Exhausted;
            }
            self.state.start.copy_from_slice(&self.state.x);
            let outcome = self.follow(problem, &WARM_OF_PYRAMIDS);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
            self.state.x.copy_from_slice(&self.state.start);
        }
        Outcome::Exhausted
    }

    /// Whether the methods for large islands with friction and a sparse operator serve the problem.
    fn is_large_with_friction(&self) -> bool {
        let has_friction = |law| matches!(law, Law::Coulomb { mu } if mu > 0.0);
        let problem = &self.state.problem;
        problem.cells.len() > LARGE
            && problem.dense().is_none()
            && !problem.associated
            && problem.cells.iter().any(|cell| has_friction(cell.law))
    }

    fn run(&mut self, problem: &ConeNcp) -> Outcome {
        let large = self.state.problem.cells.len() > LARGE;
        if self.state.is_warm() {
            let sparse = self.state.problem.dense().is_none();
            let outcome =
                if large && sparse { self.follow(problem, &LARGE_WARM) } else { self.follow(problem, &WARM) };
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        match (large, self.state.problem.dense()) {
            _ if self.is_large_with_friction() => self.follow(problem, &LARGE_SLIDING),
            (false, _) => self.follow(problem, &COLD),
            (true, Some(_)) => self.follow(problem, &LARGE_DENSE),
            (true, None) => self.follow(problem, &LARGE_SPARSE),
        }
    }

    /// From the tolerance towards the target.
    fn polish(&mut self, problem: &ConeNcp) {
        if self.state.is_good() && !self.state.has_passed() {
            self.state.return_to_best();
            let how = Parameters { eps: WEIGHT, rho: 1.0, cap: POLISH_STEPS, allowance: 1 };
            self.proximal.newton.run(&mut self.state, problem, Centre::Point, how);
        }
    }
}

impl Solver<ConeNcp> for Chain {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let ChainSettings { tolerance, time_limit, target, max_factorizations, history } = self.settings;
        let max_factorizations =
            self.most_iterations.map_or(max_factorizations, |most| most.min(max_factorizations));
        let tolerance = self.accepted.unwrap_or(tolerance);
        (self.stage, self.is_least) = (Stage::Start, false);
        if let Err(report) = self.state.open(
            problem,
            Limits { tolerance, time_limit, target, max_factorizations, history },
            start,
            x,
        ) {
            return report;
        }
        self.modes.resize(self.state.x.len());
        self.proximal.resize(self.state.x.len());
        let outcome = self.run(problem);
        if !self.is_large_with_friction() || self.state.has_self_stress() {
            self.shrink(problem);
        }
        self.stop_what_creeps(problem);
        self.polish(problem);
        self.state.close(problem, status_of(outcome), x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }

    fn limit_iterations(&mut self, iterations: Option<usize>) {
        self.most_iterations = iterations;
    }

    fn accept(&mut self, tolerance: Option<f64>) {
        self.accepted = tolerance;
    }
}
