//! The principal pivoting method of Cottle and Dantzig, which builds a solution index by index.
//!
//! # Problem
//! `l <= z <= u`, `w = M z + q`, `w_i >= 0` at the lower bound, `w_i <= 0` at the upper, `w_i = 0` between; a linear
//! complementarity problem has `l = 0` and no upper bound. `M` is symmetric positive semidefinite, or a P-matrix.
//!
//! # Method
//! 1. Equilibrate, and start at the point of the box nearest to zero with no index active, or from the basic solution
//!    of a known active set (a solved sub-problem's, say), less the indices that are beyond a bound there.
//! 2. Take the most violated index (the driving variable), or the first violated one ([`NextIndex`]).
//! 3. Drive it until it is complementary; those that are complementary already stay so (a major cycle, see `major_cycle.rs`).
//! 4. Until all are complementary, go to 2.
//! 5. Correct the active unknowns on the original data (iterative refinement), evaluate the answer there.
//! 6. Without success: move the constants a little, so that nothing ties, and go through steps 1 to 4; from the active set at
//!    the end go on with the constants as they are. So up to three times.
//!
//! # Convergence and failure
//! For a P-matrix the method ends with the solution. For a symmetric positive semidefinite one it ends with a solution,
//! or with a ray that proves that there is none; the active block is always regular, however singular the matrix. A
//! solved principal sub-problem of `k` unknowns leaves at most `n - k` indices that may be violated, and a major cycle loses
//! none, so a start from it takes at most `n - k` major cycles (Loomis and Balkcom, theorem 1). For other matrices there is
//! no promise: an active block may become singular (*stalled*) or nothing stop an index (*ray*). Such an index is given up,
//! the others are still served, and only the certificate decides what the answer is worth.
//!
//! # Cost
//! Some `2 n (|a| + n)` operations a pivot and `4 n^2` a major cycle with symmetric `M`, with another `2/3 |a|^3` a pivot. The
//! number of pivots is about twice that of major cycles on contact problems, and up to exponential on made-up ones.
//!
//! # References
//! R. W. Cottle, G. B. Dantzig, *Complementary pivot theory of mathematical programming*, Linear Algebra and its Applications
//! 1 (1968) 103-125. R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992, section 4.2.
//! D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994, 23-34, section 4.2.
//! A. Loomis, D. Balkcom, *Computation reuse for rigid-body dynamics*, IEEE International Conference on Robotics and
//! Automation 2006, section II.

use serde::{Deserialize, Serialize};

use crate::driver::{self, Incumbent, check_limits};
pub use crate::pivoting::major_cycle::NextIndex;
use crate::pivoting::major_cycle::{CycleEnd, Pivoting};
use crate::problem::checks::check_finite;
use crate::problem::linear::dense_linear::Linear;
use crate::problem::{
    ActiveSet, BoxLcp, HistoryEntry, Lcp, Mlcp, Report, Residual, Solution, Solver, SolverError, Start,
    Status,
};

/// At most so many corrections of the answer: the second repeats the first where the block is regular.
const REFINEMENTS: usize = 2;

/// Step 6: how far the constants are moved (equilibrated, relative to the largest): beyond the rounding of a tie.
const PERTURBATIONS: [f64; 3] = [1e-8, 1e-6, 1e-10];

/// Pivots of one major cycle in the first attempt, in multiples of the unknowns and beyond: among ties the least-index rule may go
/// through exponentially many active sets.
const PATIENCE: usize = 4;
const LEAST_PATIENCE: usize = 100;

/// How often all indices are checked once more after every one has been made complementary: rounding may have cost some.
const CHECKS: usize = 2;

/// Settings of [`Dantzig`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DantzigSettings {
    /// Largest natural map (dimensionless) that counts as solved. Default `1e-10`, as for [`Lemke`](crate::pivoting::lemke::Lemke).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most pivots, and most major cycles. `None`: the larger of 5000 and `50 n`, far above the `2 n` that contact needs,
    /// enough for the exponential families of Murty and Fathi up to 12 unknowns. A matrix that is not of the method's
    /// classes may need all of them, each with a new LU factorization.
    pub max_pivots: Option<usize>,
    /// Which index is driven next. Default [`NextIndex::MostViolated`].
    pub next: NextIndex,
    /// Whether the natural map is recorded after every major cycle, which costs `2 n^2` each. Default false.
    pub history: bool,
}

impl Default for DantzigSettings {
    fn default() -> DantzigSettings {
        DantzigSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_pivots: None,
            next: NextIndex::MostViolated,
            history: false,
        }
    }
}

/// The principal pivoting method with its workspace; see the [module documentation](self).
///
/// `iterations` of the report counts major cycles, `pivots` the changes of the active set.
///
/// ```
/// use stiction_solvers::{Dantzig, DantzigSettings, Lcp, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
/// let mut solver = Dantzig::new(DantzigSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// // A solved sub-problem is a start: here the answer itself, so that no pivot is left.
/// let basis = solver.active_set().clone();
/// assert_eq!(solver.solve(&problem, Start::Basis(&basis), &mut x).pivots, 0);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Dantzig {
    settings: DantzigSettings,
    pivoting: Pivoting,
    start: ActiveSet,
    active: ActiveSet,
    trial: Solution,
    trial_set: ActiveSet,
    incumbent: Incumbent,
}

impl Dantzig {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn new(settings: DantzigSettings) -> Result<Dantzig, SolverError> {
        check_limits(settings.tolerance, settings.time_limit)?;
        Ok(Dantzig { settings, ..Dantzig::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &DantzigSettings {
        &self.settings
    }

    /// The active indices of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// The convergence history of the last solve, an entry for every major cycle; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.incumbent.history()
    }

    fn run(&mut self, problem: &impl Linear, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        let limit = self.settings.max_pivots.unwrap_or_else(|| n.saturating_mul(50).max(5000));
        self.incumbent.open(self.settings.tolerance);
        self.incumbent.limit_time(self.settings.time_limit);
        self.pivoting.limit_time(self.incumbent.budget());
        self.incumbent.keep_history(self.settings.history, limit);
        self.trial.resize(n);
        for set in [&mut self.start, &mut self.active, &mut self.trial_set] {
            set.resize(n);
            set.clear();
        }
        if check_finite(problem.matrix(), problem.constant()).is_err() {
            return driver::refuse(problem, x);
        }
        let warm = driver::take_guess(start, n, x) && self.keep_guess(problem, x);
        if self.incumbent.is_certified() {
            return self.incumbent.report(Status::Solved);
        }
        if !warm {
            x.z.fill(0.0);
            x.w.fill(0.0);
        }
        self.pivoting.load(problem); // step 1
        if let Some(basis) = driver::basis(start, n) {
            self.start.clone_from(basis);
            self.start.resize(n); // a deserialized set may carry bits beyond its range
            self.pivoting.start_from(&self.start, None);
        } else if warm {
            self.pivoting.start_from(&self.active, Some(&x.z));
        } else {
            self.pivoting.start_from(&self.start, None);
        }
        let (mut end, cycled) = self.cycle(problem, limit, PATIENCE * n + LEAST_PATIENCE); // steps 2 to 4
        self.collect(problem, x); // step 5
        if end != Status::Infeasible && (cycled || self.pivoting.is_symmetric()) {
            end = self.perturbed(problem, limit, x).unwrap_or(end); // step 6
        }
        if !self.incumbent.is_certified() {
            self.trial.z.fill(0.0);
            problem.project(&mut self.trial.z);
            self.trial_set.clear();
            self.offer_trial(problem, x);
        }
        self.incumbent.report(end)
    }

    /// Keeps the guess in `x`, with its active set, as the best answer so far. False if zero is better.
    fn keep_guess(&mut self, problem: &impl Linear, x: &mut Solution) -> bool {
        self.trial.z.fill(0.0);
        problem.project(&mut self.trial.z);
        let zero = problem.assess(&self.trial.z, &mut self.trial.w).0.natural_map;
        let (w_unit, z_unit) = problem.units();
        let assessment = problem.assess(&x.z, &mut x.w);
        if assessment.0.natural_map > zero || assessment.0 == Residual::INFINITE {
            return false;
        }
        // Active is what is further from its bounds than w_i is from zero.
        for (i, (z, w)) in x.z.iter().zip(&x.w).enumerate() {
            let [lower, upper] = problem.bounds(i);
            self.active.set(i, (z - lower).min(upper - z) * z_unit > w.abs() * w_unit);
        }
        self.incumbent.adopt(assessment);
        true
    }

    /// Step 6. Returns the status of the last attempt, if there was any.
    fn perturbed(&mut self, problem: &impl Linear, limit: usize, x: &mut Solution) -> Option<Status> {
        let mut status = None;
        for size in PERTURBATIONS {
            let spent = self.incumbent.pivots >= limit || self.incumbent.is_out_of_time();
            if self.incumbent.is_certified() || spent {
                break;
            }
            self.pivoting.perturb(problem, size);
            self.start.clear();
            self.pivoting.start_from(&self.start, None);
            let _ = self.cycle(problem, limit, limit);
            self.pivoting.active_set(&mut self.start);
            self.pivoting.perturb(problem, 0.0);
            self.pivoting.start_from(&self.start, None);
            let (end, _) = self.cycle(problem, limit, limit);
            self.collect(problem, x);
            status = Some(end);
            if end == Status::Infeasible {
                break;
            }
        }
        status
    }

    /// Steps 2 to 4, until `limit` pivots have been done in the solve, or `patience` pivots in a major cycle. Returns what the
    /// end says of the problem, should the answer not be certified, and whether an active set came back or patience ended.
    fn cycle(&mut self, problem: &impl Linear, limit: usize, patience: usize) -> (Status, bool) {
        let before = self.incumbent.pivots;
        let left = limit.saturating_sub(before);
        let mut cycled = false;
        let mut status = Status::Stalled;
        let mut checks = 0;
        loop {
            let next = self.settings.next;
            let chosen = match self.pivoting.choose(next, false) {
                None if checks < CHECKS => {
                    checks += 1;
                    self.pivoting.choose(next, true)
                }
                chosen => chosen,
            };
            let Some((d, grows)) = chosen else { break };
            if self.incumbent.iterations >= limit || self.incumbent.is_out_of_time() {
                status = Status::MaxIterations;
                break;
            }
            let longest = self.pivoting.pivots.saturating_add(patience);
            let end = self.pivoting.drive(d, grows, left.min(longest));
            self.incumbent.iterations += 1;
            self.record(problem);
            match end {
                CycleEnd::Complementary => {}
                CycleEnd::Ray { proof: true } => {
                    status = Status::Infeasible;
                    break;
                }
                CycleEnd::Limit => {
                    status = Status::MaxIterations;
                    cycled = longest < left;
                    break;
                }
                CycleEnd::Ray { proof: false } => {
                    status = Status::Ray;
                    self.pivoting.give_up(d);
                }
                CycleEnd::Singular => break,
                CycleEnd::Cycle => {
                    cycled = true;
                    break;
                }
            }
        }
        self.incumbent.pivots = before + self.pivoting.pivots;
        (status, cycled)
    }

    fn record(&mut self, problem: &impl Linear) {
        if self.incumbent.keeps_history() {
            self.pivoting.extract(problem, &mut self.trial.z, &mut self.trial_set);
            let (residual, _) = problem.assess(&self.trial.z, &mut self.trial.w);
            self.incumbent.record(residual.natural_map, &self.trial.z);
        }
    }

    /// Step 5.
    fn collect(&mut self, problem: &impl Linear, x: &mut Solution) {
        self.pivoting.extract(problem, &mut self.trial.z, &mut self.trial_set);
        let (mut residual, mut floor) = problem.assess(&self.trial.z, &mut self.trial.w);
        for _ in 0..REFINEMENTS {
            if residual.natural_map <= floor / 4.0 {
                break;
            }
            self.offer((residual, floor), x);
            self.pivoting.correct(&mut self.trial.z, &self.trial.w);
            (residual, floor) = problem.assess(&self.trial.z, &mut self.trial.w);
        }
        problem.project(&mut self.trial.z);
        self.offer_trial(problem, x);
        if !self.incumbent.is_certified() && driver::snap(&mut self.trial.z, |i| problem.bounds(i)) {
            self.offer_trial(problem, x);
        }
    }

    /// Evaluates the trial and keeps it in `x` if it is the best so far.
    fn offer_trial(&mut self, problem: &impl Linear, x: &mut Solution) {
        let assessment = problem.assess(&self.trial.z, &mut self.trial.w);
        self.offer(assessment, x);
    }

    /// Keeps the trial, with its active set, if it is the best so far.
    fn offer(&mut self, assessment: (Residual, f64), x: &mut Solution) {
        if self.incumbent.offer(assessment, &self.trial, x) {
            self.active.clone_from(&self.trial_set);
        }
    }
}

impl Solver<Lcp> for Dantzig {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem, start, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

impl Solver<BoxLcp> for Dantzig {
    fn solve(&mut self, problem: &BoxLcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem, start, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

impl Solver<Mlcp> for Dantzig {
    fn solve(&mut self, problem: &Mlcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem.as_box_lcp(), start, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
