//! Lemke's complementary pivoting, with a fast path for starts from a known basis.
//!
//! # Problem
//! `0 <= z  perp  w = M z + q >= 0`, `M` any square matrix; meant for the copositive matrices of contact with
//! polyhedral friction.
//!
//! # Method
//! 1. From a basis (or the support of a guess): block principal pivoting for a few rounds. In a simulation the
//!    basis of the last time step is mostly right, and this is all that happens.
//! 2. If that fails: make the basis that came closest the start of a tableau (principal pivot transform) and
//!    follow step 4 from there.
//! 3. Cold, or if that fails too: if `q >= 0`, `z = 0` is the answer. Otherwise start from `w` basic.
//! 4. Let an artificial variable `z0` with covering vector all ones, or another ([`Lemke::with_cover`]), enter; the most
//!    negative row leaves.
//! 5. Let the complement of the variable that just left enter; the ratio test picks the row, of several the one with the
//!    largest pivot.
//! 6. `z0` leaves: a complementary basis. No row blocks: a ray. Too many pivots: the limit. A basis comes back: a cycle.
//! 7. Solve the principal block of the final basis anew by LU with iterative refinement and keep the better of
//!    the tableau's answer and this one.
//! 8. If rounding spoiled the answer, repair it by steps 1 and 2 from the final basis.
//! 9. Only after a failure: repeat step 4 with the lexicographic rule for ties, then on `M + eps I` (equilibrated) with
//!    growing `eps`.
//! 10. Evaluate every candidate on the original data; return the best.
//!
//! # Convergence and failure
//! Ends on every nondegenerate problem and, by the lexicographic rule, on every degenerate one. (The largest pivot comes
//! first because it errs less where unknowns are redundant, see `tableau`: of 101 problems of a grasp with 36 contacts on 14
//! coordinates it solves nine of ten, the lexicographic rule a third.) It solves every
//! problem whose matrix is P, positive semidefinite (if feasible), or copositive with `q . v >= 0` for every
//! `v` that solves the homogeneous problem: among them the Stewart-Trinkle problems whose normal rows have
//! constants `a_n >= 0`. For copositive-plus matrices a ray proves infeasibility; for others a ray proves nothing.
//! Murty's and Fathi's families, whose rows all tie at the start, take `2^n` pivots in lexicographic order, hence the limit.
//!
//! # Cost
//! `2 n^2` operations per pivot, `n` to `2 n` pivots in contact problems: about `2 n^3` cold. A start from the
//! right basis costs `2/3 |a|^3 + 4 n^2`.
//!
//! # References
//! C. E. Lemke, Bimatrix equilibrium points and mathematical programming, Management Science 11 (1965) 681-689.
//! R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 4.4 and 4.9.
//! D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic
//! collisions and Coulomb friction, International Journal for Numerical Methods in Engineering 39 (1996)
//! 2673-2691. K. G. Murty, Computational complexity of complementary pivot methods, Mathematical Programming
//! Study 7 (1978) 61-73. Y. Fathi, Computational complexity of LCPs associated with positive definite symmetric
//! matrices, Mathematical Programming 17 (1979) 335-344.

use serde::{Deserialize, Serialize};

use crate::driver::{self, Incumbent, check_limits, positive};
use crate::linalg::scaling::Scaling;
use crate::pivoting::blocks::block_pivoting::BlockPivoting;
use crate::pivoting::blocks::principal_block::PrincipalBlock;
pub use crate::pivoting::tableaus::tableau::TieRule;
use crate::pivoting::tableaus::tableau::{Data, Goal, PathEnd, Tableau};
use crate::problem::{
    ActiveSet, Lcp, Problem, Report, Residual, Solution, Solver, SolverError, Start, Status,
};

/// What is added to the equilibrated diagonal (about 1) in the retries, one after the other. Large enough that a
/// `z` growing like `1 / eps` along a ray stays far from disguising its residual as rounding.
const REGULARIZATIONS: [f64; 3] = [1e-9, 1e-7, 1e-5];

/// Settings of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LemkeSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`: what
    /// LU with refinement reaches on contact problems with mass ratios to `1e6`, with room to spare.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most pivots of one path. `None`: the larger of 5000 and `50 n`, far above what contact needs (`2 n`) and
    /// still a fraction of a second at `n = 240`.
    pub max_pivots: Option<usize>,
    /// Rounds of block principal pivoting before a start from a basis falls back to Lemke's path. Default 6.
    pub block_rounds: usize,
    /// Which row leaves among ties; the other rule is tried if the path fails. Default [`TieRule::LargestPivot`].
    pub ties: TieRule,
    /// Whether a failed path is tried again on a slightly regularized matrix. Default true.
    pub regularize: bool,
}

impl Default for LemkeSettings {
    fn default() -> LemkeSettings {
        LemkeSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_pivots: None,
            block_rounds: 6,
            ties: TieRule::LargestPivot,
            regularize: true,
        }
    }
}

impl LemkeSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }

    /// The limit on the pivots of one path for a problem of `n` unknowns.
    pub(crate) fn pivot_limit(&self, n: usize) -> usize {
        self.max_pivots.unwrap_or_else(|| n.saturating_mul(50).max(5000))
    }
}

/// Lemke's method with its workspace; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{Lcp, Lemke, LemkeSettings, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
/// let mut solver = Lemke::new(LemkeSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// // A warm start from the answer returns it at once.
/// let again = solver.solve(&problem, Start::Warm, &mut x);
/// assert_eq!((again.status, again.pivots), (Status::Solved, 0));
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    settings: LemkeSettings,
    scaling: Scaling,
    tableau: Tableau,
    block: PrincipalBlock,
    exchanges: BlockPivoting,
    incumbent: Incumbent,
    /// The basis to start from.
    start: ActiveSet,
    /// The basis and the answer under examination.
    trial_set: ActiveSet,
    trial: Solution,
    /// The basis of the best answer so far.
    active: ActiveSet,
    /// The covering vector of the user; empty for ones.
    cover: Vec<f64>,
}

impl Lemke {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: LemkeSettings) -> Result<Lemke, SolverError> {
        settings.validate()?;
        Ok(Lemke { settings, ..Lemke::default() })
    }

    /// The same with a covering vector `d > 0` of step 4, in the units of `w`, for problems of its length; others get ones.
    /// Which solution is found, and whether one is, depends on it.
    ///
    /// # Errors
    /// [`SolverError::Setting`] for an entry that is not finite or not positive.
    pub fn with_cover(mut self, cover: Vec<f64>) -> Result<Lemke, SolverError> {
        cover.iter().try_for_each(|d| positive("cover", *d))?;
        self.cover = cover;
        Ok(self)
    }

    /// The settings.
    pub fn settings(&self) -> &LemkeSettings {
        &self.settings
    }

    /// The basis of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// Reserves every workspace for problems of `n` unknowns.
    fn reserve(&mut self, n: usize) {
        self.scaling.reserve(n);
        self.tableau.reserve(n);
        self.block.reserve(n);
        self.exchanges.reserve(n, self.settings.block_rounds);
    }

    /// Evaluates the guess in `x`. It is the answer if it is certified; otherwise its support is made the start, if it
    /// is better than `z = 0`.
    fn accept_guess(&mut self, problem: &Lcp, x: &mut Solution) {
        let (residual, floor) = problem.assess(&x.z, &mut self.trial.w);
        let (w_unit, z_unit) = problem.scales();
        let solved = residual.certifies(self.settings.tolerance, floor);
        let cold = problem.q().iter().fold(0.0, |worst: f64, q| worst.max(-q * w_unit));
        if solved || residual.natural_map <= cold {
            for (i, (z, w)) in x.z.iter().zip(&self.trial.w).enumerate() {
                self.start.set(i, *z > 0.0 && z * z_unit > w * w_unit);
            }
        }
        if solved {
            x.w.clone_from(&self.trial.w);
            self.active.clone_from(&self.start);
            self.incumbent.adopt((residual, floor));
        }
    }

    /// Steps 1 and 2: from the basis in `self.start`.
    fn resume(&mut self, problem: &Lcp, x: &mut Solution) {
        let outcome = self.exchanges.run(
            problem,
            &mut self.block,
            &self.start,
            self.settings.tolerance,
            self.settings.block_rounds,
            &mut self.trial,
        );
        self.incumbent.iterations += outcome.rounds;
        if let Some(assessment) = outcome.certified {
            self.incumbent.offer(assessment, &self.trial, x);
            self.active.clone_from(self.exchanges.set());
            return;
        }
        self.scaling.update(problem.matrix(), problem.q());
        let data = Data { problem, scaling: &self.scaling, epsilon: 0.0 };
        if self.tableau.start_from(data, self.exchanges.best()).is_ok() {
            let end = self.follow_path(problem, 0.0, TieRule::LargestPivot);
            self.collect(problem, end, 0.0, x);
        }
    }

    /// Steps 3 to 9.
    fn cold(&mut self, problem: &Lcp, x: &mut Solution) -> Status {
        if problem.q().iter().all(|&q| q >= 0.0) {
            self.try_zero(problem, x); // step 3
        }
        self.scaling.update(problem.matrix(), problem.q());
        let mut status = Status::Solved;
        let mut said = false;
        let other = match self.settings.ties {
            TieRule::LargestPivot => TieRule::Lexicographic,
            TieRule::Lexicographic => TieRule::LargestPivot,
        };
        let attempts = [(self.settings.ties, 0.0), (other, 0.0)];
        let regularized = REGULARIZATIONS.map(|epsilon| (TieRule::LargestPivot, epsilon));
        let retries = if self.settings.regularize { &regularized[..] } else { &[] };
        for (rule, epsilon) in attempts.iter().chain(retries) {
            if self.incumbent.is_certified() || self.incumbent.is_out_of_time() {
                break;
            }
            let cover = (self.cover.len() == problem.dim()).then_some(&self.cover[..]);
            self.tableau.start_cold(Data { problem, scaling: &self.scaling, epsilon: *epsilon }, cover);
            let end = self.follow_path(problem, *epsilon, *rule);
            self.collect(problem, end, *epsilon, x);
            if !said {
                // A cycle says something of the rule, not of the problem.
                said = end != PathEnd::Cycle;
                status = match end {
                    PathEnd::Complementary | PathEnd::Lost => Status::NumericalFailure,
                    PathEnd::Ray => Status::Ray,
                    PathEnd::Limit | PathEnd::Time => Status::MaxIterations,
                    PathEnd::Cycle => Status::Stalled,
                };
            }
            if end == PathEnd::Limit {
                break;
            }
            if !self.incumbent.is_certified() && end == PathEnd::Complementary {
                self.start.clone_from(&self.trial_set);
                self.resume(problem, x); // step 8
                if self.incumbent.is_certified() {
                    self.incumbent.regularization = *epsilon;
                }
            }
        }
        // Not when the time is over, unless there is nothing else.
        let nothing = self.incumbent.residual().natural_map.is_infinite();
        if !self.incumbent.is_certified() && (nothing || !self.incumbent.is_out_of_time()) {
            self.try_zero(problem, x);
        }
        status
    }

    /// Offers `z = 0`.
    fn try_zero(&mut self, problem: &Lcp, x: &mut Solution) {
        self.trial.z.fill(0.0);
        self.trial_set.clear();
        self.offer(problem, 0.0, x);
    }

    /// Steps 4 to 6.
    fn follow_path(&mut self, problem: &Lcp, epsilon: f64, rule: TieRule) -> PathEnd {
        if self.tableau.is_feasible() {
            return PathEnd::Complementary;
        }
        let data = Data { problem, scaling: &self.scaling, epsilon };
        let (end, pivots) =
            self.tableau.follow(data, (Goal::Artificial, rule), self.settings.pivot_limit(problem.dim()));
        self.incumbent.pivots += pivots;
        end
    }

    /// Step 7: offers the tableau's answer and, at a complementary basis, the polished one.
    fn collect(&mut self, problem: &Lcp, end: PathEnd, epsilon: f64, x: &mut Solution) {
        self.tableau.extract(&self.scaling, &mut self.trial.z, &mut self.trial_set);
        self.offer(problem, epsilon, x);
        if end == PathEnd::Complementary
            && self.block.solve(problem, &self.trial_set, &mut self.trial).is_ok()
        {
            problem.project(&mut self.trial.z);
            // Within rounding the polished answer wins: its error does not depend on the path.
            let (residual, floor) = problem.assess(&self.trial.z, &mut self.trial.w);
            if residual.natural_map <= floor.min(Residual::LARGEST_FLOOR) {
                self.incumbent.forget();
            }
            self.offer(problem, epsilon, x);
        }
        let ended = self.incumbent.is_certified() || self.incumbent.is_out_of_time();
        if !ended && driver::snap(&mut self.trial.z, |_| [0.0, f64::INFINITY]) {
            self.offer(problem, epsilon, x);
        }
    }

    /// Step 10: keeps the trial in `x` if it is the best so far.
    fn offer(&mut self, problem: &Lcp, epsilon: f64, x: &mut Solution) {
        let assessment = problem.assess(&self.trial.z, &mut self.trial.w);
        if self.incumbent.offer(assessment, &self.trial, x) {
            self.active.clone_from(&self.trial_set);
            self.incumbent.regularization = epsilon;
        }
    }
}

impl Solver<Lcp> for Lemke {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        self.incumbent.open(self.settings.tolerance);
        self.incumbent.limit_time(self.settings.time_limit);
        self.tableau.limit_time(self.incumbent.budget());
        self.block.limit_time(self.incumbent.budget());
        self.reserve(n);
        self.trial.resize(n);
        for set in [&mut self.start, &mut self.trial_set, &mut self.active] {
            set.resize(n);
            set.clear();
        }
        if problem.check_finite().is_err() {
            return driver::refuse(problem, x);
        }
        if driver::take_guess(start, n, x) {
            self.accept_guess(problem, x);
        } else if let Some(basis) = driver::basis(start, n) {
            self.start.clone_from(basis);
            self.start.resize(n); // a deserialized set may carry bits beyond its range
        }
        if !self.incumbent.is_certified() && self.start.count() > 0 {
            self.resume(problem, x);
        }
        if self.incumbent.is_certified() {
            return self.incumbent.report(Status::Solved);
        }
        let status = self.cold(problem, x);
        self.incumbent.report(status)
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
