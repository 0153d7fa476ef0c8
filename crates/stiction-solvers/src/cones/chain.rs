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
//! | least norm | carried impulses | start | 6 steps | as Newton |
//! | Newton | that failed | start | 6 steps | while modes stay 0 to 2 steps are enough, and a few when some change; more means that it cycles |
//! | proximal point | Newton failed | start | weight 1e-3, 15 steps, 12 centres | stays near impulses that are nearly right; the weight falls to its least, 1e-10, in four good centres, and three times as many leave room for rejections |
//! | interior point | cold | nothing | 100 steps | takes 10 to 30, and notices itself when it stalls |
//! | proximal point | after the interior point | best | weight 1e-2, 15 steps, 30 centres | the interior point ends at 1e-7 or so where contacts slide; a weight between warm and cold keeps that |
//! | pyramids | neither solved it | best | 4, then 12 directions, 4 turns each | linear problems find the modes where Newton's method cycles; 12 directions are nearer the cone and cost more |
//! | restarts | still unsolved | nothing | weight 1: 15, then 40 steps; weight 10: 30 steps; 60 centres | with a weight of 1, the size of `W'`, the first centre is well conditioned from anywhere; longer runs for many changes of mode, the larger weight for centres that a run does not reach |
//! | last | all failed | best | weight 1e-2, 60 steps, 400 centres | nothing is left to save work for |
//!
//! Islands of more than 100 contacts have no pyramids, and a proximal-point run *from nothing* of at most 120 factorizations:
//! twice what nine cold problems in ten need in all. It comes before the interior point where the operator is dense, since it
//! factors only contacts that are closed. Restarts bring little there, so they come after the long run from the best point.
//!
//! # Least norm
//! A box on four corners has many impulses that do the same. Of those that give the same velocities the one of least norm
//! `sum_c tr(W_cc) / d_c |r_c|^2` over the contacts `c` of `d_c` rows is wanted (`|x|^2` in the units of `normalized`): it is
//! unique where the operator is monotone, continuous in the data, and remembers nothing of earlier steps. Corners that
//! pull at each other would be carried on for ever otherwise. It is found in two steps:
//! 1. Newton's method on Tikhonov's regularization with the weight `eps = 1e-8`, whose answer is that one but for about `eps`;
//! 2. steps back to the problem itself with the factorization there is, which move nothing within the kernel of `W'`.
//!
//! From carried impulses this comes first. After another stage it begins at its answer, and the term `mu |u_t|` of Coulomb's law
//! is held at the velocities of that: what is left is monotone, and its answers are the impulses with the same velocities, from
//! which the least is wanted; under Coulomb's law itself others can be answers with other velocities, and what is held must
//! not fall for them. If Newton's method fails there, it goes along the weights 1e-2, 1e-4, 1e-6 and 1e-8, all in at most 60
//! factorizations. What passes, has less norm and the same velocities is taken. Where a weight fails, the answer is that of the
//! last one (49 problems in 50 reach the least norm to 1e-4, the others are some percent off).
//!
//! Impulses that press against each other raise the rounding floor as they like. So a floor above 1e-6 excuses only an answer of
//! at most ten times the least norm: after a stage that ends at rounding the search for that one follows at once. The answer with a
//! weight has at most the least norm of those without (while the sliding is held, the problem is monotone), so it shows whether
//! the norm is needed, even where masses 1e8 apart leave no way back from the weight to the problem itself.
//!
//! At the end, an answer within the tolerance but not yet within the target gets up to 3 steps of Newton's method, which
//! doubles the digits in each.
//!
//! # Convergence and failure
//! It solved every one of the public and generated contact problems it was tried on to 1e-9 or the rounding floor. What
//! has no solution ends as [`Status::Stalled`](crate::problem::Status::Stalled) with the best point seen, what takes more than the
//! budget as [`Status::MaxIterations`](crate::problem::Status::MaxIterations). Real-time users set
//! [`ChainSettings::max_factorizations`].
//!
//! # Cost
//! Warm: none to two factorizations while modes stay. Cold: 17 in the median, below 60 for nine problems in ten.
//!
//! # References
//! Those of its stages.

use serde::{Deserialize, Serialize};

use crate::cones::interior::cone_interior_point::InteriorPath;
use crate::cones::newton::damped_newton::{Centre, NewtonEnd, Parameters, length};
use crate::cones::newton::newton_solver::{WEIGHT, warm_stage};
use crate::cones::newton::proximal::{ProximalPoint, Run};
use crate::cones::pyramid::Pyramids;
use crate::cones::state::{Limits, Outcome, State, status_of};
use crate::driver::{check_limits, positive};
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start};

/// Cells above which an island is large.
const LARGE: usize = 100;

/// Factorizations of a large island's proximal-point run from nothing.
const LARGE_BUDGET: usize = 120;

/// Factorizations of the search for impulses of less norm.
const SMALLER_BUDGET: usize = 60;

/// Weights of the norm on the way to the least one.
const WEIGHTS: [f64; 4] = [1e-2, 1e-4, 1e-6, WEIGHT];

/// Impulses of at most this many times the least norm are what the data ask for.
const NEEDED: f64 = 10.0;

/// Steps of the interior point.
const INTERIOR_STEPS: usize = 100;

/// Turns of the pyramids.
const PYRAMID_ROUNDS: usize = 4;

/// Newton steps from carried impulses.
const WARM_STEPS: usize = 6;

/// Where a proximal-point run begins.
#[derive(Clone, Copy, Debug)]
enum From {
    Start,
    Nothing,
    Best,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    LeastNorm,
    Newton,
    Interior,
    Proximal(From, Run),
    /// Rounds of pyramids with so many directions.
    Pyramids(usize),
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

const INTERIOR: Step = step(Stage::Interior, Method::Interior);
const FINISH: Step = step(Stage::Interior, proximal(From::Best, 1e-2, 15, 30));
const LAST: Step = step(Stage::Last, proximal(From::Best, 1e-2, 60, 400));
const FROM_NOTHING: Step =
    Step { stage: Stage::Nothing, method: proximal(From::Nothing, 1.0, 15, 60), budget: LARGE_BUDGET };
const RESTARTS: [Step; 3] = [
    step(Stage::Restarts, proximal(From::Nothing, 1.0, 15, 60)),
    step(Stage::Restarts, proximal(From::Nothing, 1.0, 40, 60)),
    step(Stage::Restarts, proximal(From::Nothing, 10.0, 30, 60)),
];

/// From carried impulses.
const WARM: [Step; 3] = [
    step(Stage::LeastNorm, Method::LeastNorm),
    step(Stage::Newton, Method::Newton),
    step(Stage::Warm, proximal(From::Start, 1e-3, 15, 12)),
];

/// From impulses with pyramids.
const WARM_OF_PYRAMIDS: [Step; 2] =
    [step(Stage::Pyramids, Method::Newton), step(Stage::Pyramids, proximal(From::Start, 1e-3, 15, 12))];

const PYRAMIDS: [Step; 2] =
    [step(Stage::Pyramids, Method::Pyramids(4)), step(Stage::Pyramids, Method::Pyramids(12))];

/// From nothing.
const COLD: [Step; 8] =
    [INTERIOR, FINISH, PYRAMIDS[0], PYRAMIDS[1], RESTARTS[0], RESTARTS[1], RESTARTS[2], LAST];

/// From nothing, with a large dense operator: the proximal-point method factors closed contacts only, the interior
/// point all.
const LARGE_DENSE: [Step; 7] = [FROM_NOTHING, INTERIOR, FINISH, LAST, RESTARTS[1], RESTARTS[2], LAST];

/// From nothing, with a large sparse operator: open contacts cost little.
const LARGE_SPARSE: [Step; 7] = [INTERIOR, FINISH, FROM_NOTHING, LAST, RESTARTS[1], RESTARTS[2], LAST];

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
    state: State,
    proximal: ProximalPoint,
    interior: InteriorPath,
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
            Method::Interior => return self.interior.run(state, problem, INTERIOR_STEPS),
            Method::Pyramids(directions) => return self.cut_to_pyramids(problem, directions),
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
    fn cut_to_pyramids(&mut self, problem: &ConeNcp, directions: usize) -> Outcome {
        self.state.return_to_best();
        for _ in 0..PYRAMID_ROUNDS {
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

    fn run(&mut self, problem: &ConeNcp) -> Outcome {
        if self.state.is_warm() {
            let outcome = self.follow(problem, &WARM);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        let large = self.state.problem.cells.len() > LARGE;
        match (large, self.state.problem.dense()) {
            (false, _) => self.follow(problem, &COLD),
            (true, Some(_)) => self.follow(problem, &LARGE_DENSE),
            (true, None) => self.follow(problem, &LARGE_SPARSE),
        }
    }

    /// From the point of the state to the answer of least norm, with the last factorization of Newton's method where
    /// that is the last.
    fn reach_least_norm(&mut self, problem: &ConeNcp) -> Outcome {
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: WARM_STEPS, allowance: 3 };
        match self.regularize(problem, how) {
            NewtonEnd::OutOfBudget => Outcome::OutOfBudget,
            NewtonEnd::Solved(_) if self.proximal.newton.refine(&mut self.state, problem, how) => {
                Outcome::Passed
            }
            _ => Outcome::Exhausted,
        }
    }

    /// Tikhonov's regularization of some weight. The norm of its answer is at most the least norm of the problem.
    fn regularize(&mut self, problem: &ConeNcp, how: Parameters) -> NewtonEnd {
        let end = self.proximal.newton.run(&mut self.state, problem, Centre::Zero, how);
        if matches!(end, NewtonEnd::Solved(_)) {
            self.least_norm = self.least_norm.max(length(&self.state.x));
        }
        end
    }

    /// The same along decreasing weights of the norm.
    fn descend_to_least_norm(&mut self, problem: &ConeNcp) -> Outcome {
        let mut reached = None;
        for eps in WEIGHTS {
            let how = Parameters { eps, rho: 1.0 / (eps * (1.0 + eps)).sqrt(), cap: 15, allowance: 3 };
            match self.regularize(problem, how) {
                NewtonEnd::OutOfBudget => return Outcome::OutOfBudget,
                NewtonEnd::Solved(_) => reached = Some(how),
                _ => break,
            }
        }
        let Some(how) = reached else { return Outcome::Exhausted };
        if self.proximal.newton.refine(&mut self.state, problem, how) {
            return Outcome::Passed;
        }
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: WARM_STEPS, allowance: 1 };
        self.proximal.newton.run(&mut self.state, problem, Centre::Point, how);
        if self.state.prefer_point(problem) { Outcome::Passed } else { Outcome::Exhausted }
    }

    /// From the answer that is set aside to that of least norm with the same velocities.
    fn look_for_least(&mut self, problem: &ConeNcp) -> Outcome {
        let whole = self.state.limit_within(SMALLER_BUDGET);
        self.proximal.newton.hold_sliding(&self.state);
        let mut outcome = self.reach_least_norm(problem);
        if outcome == Outcome::Exhausted {
            self.state.x.copy_from_slice(&self.state.start);
            outcome = self.descend_to_least_norm(problem);
        }
        self.proximal.newton.release_sliding();
        self.state.limit(whole);
        outcome
    }

    /// Of impulses that press against each other the least are those that just hold: the weight makes what they hold creep, and
    /// creeping is an answer too. From slightly larger normal impulses Newton's method finds that it sticks.
    fn stop_what_creeps(&mut self, problem: &ConeNcp) {
        if !self.state.is_good() || !self.state.creeps(problem) {
            return;
        }
        let aside = self.state.set_aside(problem);
        self.state.press_what_creeps();
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: POLISH_STEPS, allowance: 1 };
        self.proximal.newton.run(&mut self.state, problem, Centre::Point, how);
        if !self.state.point_passes(problem) || self.state.creeps(problem) {
            self.state.take_back(aside);
        }
    }

    /// Looks for an answer of less norm and the same velocities.
    fn shrink(&mut self, problem: &ConeNcp) {
        if !self.state.is_good() || self.is_least {
            return;
        }
        let aside = self.state.set_aside(problem);
        let outcome = self.look_for_least(problem);
        if outcome != Outcome::Passed || !self.state.is_less_than_aside(problem) {
            self.state.take_back(aside);
        }
    }

    /// Whether the best answer is one up to rounding: if its norm is at most ten times the least, or that of least norm is.
    fn settle(&mut self, problem: &ConeNcp) -> bool {
        let aside = self.state.set_aside(problem);
        self.state.excuse_as_least(true);
        self.least_norm = 0.0;
        let outcome = self.look_for_least(problem);
        self.is_least = outcome == Outcome::Passed || self.state.norm_aside() <= NEEDED * self.least_norm;
        self.state.excuse_as_least(self.is_least);
        if outcome != Outcome::Passed {
            self.state.take_back(aside);
        }
        self.is_least && self.state.judge_best()
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
        (self.stage, self.is_least) = (Stage::Start, false);
        if let Err(report) = self.state.open(
            problem,
            Limits { tolerance, time_limit, target, max_factorizations, history },
            start,
            x,
        ) {
            return report;
        }
        self.proximal.resize(self.state.x.len());
        let outcome = self.run(problem);
        self.shrink(problem);
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
}
