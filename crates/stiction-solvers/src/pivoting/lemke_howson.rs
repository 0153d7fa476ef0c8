//! The method of Lemke and Howson: equilibria of games of two persons.
//!
//! # Problem
//! `0 <= z  perp  w = M z + q >= 0` with `M = [0 A; B^T 0]` and `q < 0`, in any order of the unknowns. With `z = (x, y)` and
//! rows divided by `-q_i` it says that `A y >= 1` and `B^T x >= 1` with complementarity, which for costs `A` of the first and
//! `B` of the second player is: `x / |x|` and `y / |y|` are an equilibrium in mixed strategies. Conversely an equilibrium
//! `(p, r)` with costs `p . A r > 0` and `p . B r > 0` is the solution `x = p / (p . B r)`, `y = r / (p . A r)`.
//!
//! With a covering vector of ones Lemke's path ends on a ray at once: after `z0` no row blocks the first unknown of the one
//! player until the other has entered.
//!
//! # Method
//! 1. Find the two players: two unknowns with an entry between them belong to different ones.
//! 2. Map the costs of each to gains between 1 and 2; equilibria stay what they are. In gains `A', B'` they are the
//!    solutions other than zero of `0 <= z  perp  1 - [0 A'; B'^T 0] z >= 0`, a problem that starts feasible at zero.
//! 3. For every label `k` in turn (a pure strategy), a few pivots each, then many: let `z_k` enter and follow the path until
//!    `k` is complementary again.
//! 4. Scale the strategies back, and solve the block of their supports anew on the original data.
//! 5. Certify on the original data. An equilibrium that is no solution (costs not positive) leads on to the next label.
//! 6. Other problems are left to [`Lemke`].
//!
//! # Convergence and failure
//! A path from zero never ends on a ray, since gains are positive; degenerate games need the order of ties, which is first
//! the largest pivot, then lexicographic. Paths may be exponentially long (Savani and von Stengel): hence few pivots for
//! every label before many for any. Every game has an equilibrium, but the problem need not have a solution where costs
//! are not positive.
//!
//! # Cost
//! At most `2 n^2` operations a pivot, half of that for the zero blocks; random games take some dozens to hundreds of pivots.
//!
//! # References
//! C. E. Lemke, J. T. Howson, *Equilibrium points of bimatrix games*, Journal of the Society for Industrial and Applied
//! Mathematics 12 (1964) 413-423. R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992, sections
//! 1.2 and 4.4. R. Savani, B. von Stengel, *Hard-to-solve bimatrix games*, Econometrica 74 (2006) 397-429.

use serde::{Deserialize, Serialize};

use crate::driver::{self, Incumbent, check_limits};
use crate::linalg::scaling::Scaling;
use crate::pivoting::blocks::principal_block::PrincipalBlock;
use crate::pivoting::lemke::{Lemke, LemkeSettings};
use crate::pivoting::tableaus::tableau::{Data, Goal, PathEnd, Tableau, TieRule};
use crate::problem::{ActiveSet, Lcp, Problem, Report, Solution, Solver, SolverError, Start, Status};

/// Step 3: pivots for each label in the first round, as a multiple of `n` and at least, and their growth from round to round.
const FIRST: usize = 4;
const LEAST: usize = 100;
const GROWTH: usize = 16;

/// Settings of [`LemkeHowson`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LemkeHowsonSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most pivots of one path. `None`: the larger of 5000 and `50 n`.
    pub max_pivots: Option<usize>,
}

impl Default for LemkeHowsonSettings {
    fn default() -> LemkeHowsonSettings {
        LemkeHowsonSettings { tolerance: 1e-10, time_limit: None, max_pivots: None }
    }
}

/// The players of a game: which unknowns are the first one's.
#[derive(Clone, Debug, Default)]
struct Players {
    first: Vec<bool>,
    known: Vec<bool>,
    queue: Vec<usize>,
}

impl Players {
    /// Step 1. False if the problem is no game with two players.
    fn find(&mut self, problem: &Lcp) -> bool {
        let n = problem.q().len();
        let matrix = problem.matrix();
        if n < 2 || problem.q().iter().any(|q| *q >= 0.0) || (0..n).any(|i| matrix[i * n + i] != 0.0) {
            return false;
        }
        for flags in [&mut self.first, &mut self.known] {
            flags.clear();
            flags.resize(n, false);
        }
        self.queue.clear();
        for start in 0..n {
            if self.known[start] {
                continue;
            }
            (self.known[start], self.first[start]) = (true, true);
            self.queue.push(start);
            while let Some(i) = self.queue.pop() {
                for j in 0..n {
                    if matrix[i * n + j] == 0.0 && matrix[j * n + i] == 0.0 {
                        continue;
                    }
                    if !self.known[j] {
                        (self.known[j], self.first[j]) = (true, !self.first[i]);
                        self.queue.push(j);
                    } else if self.first[j] == self.first[i] {
                        return false;
                    }
                }
            }
        }
        self.first.contains(&false)
    }
}

/// The method with its workspace; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{Lcp, LemkeHowson, LemkeHowsonSettings, Solution, Solver, Start, Status};
/// // Matching pennies with costs 1 and 3: both play either side as often.
/// let m = vec![0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 3.0, 1.0, 3.0, 1.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0];
/// let problem = Lcp::new(m, vec![-1.0; 4])?;
/// let mut x = Solution::default();
/// let mut solver = LemkeHowson::new(LemkeHowsonSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!(x.z.iter().all(|z| (z - 0.25).abs() < 1e-12));
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LemkeHowson {
    settings: LemkeHowsonSettings,
    lemke: Lemke,
    players: Players,
    /// Step 2: the problem in gains.
    gains: Lcp,
    scaling: Scaling,
    tableau: Tableau,
    block: PrincipalBlock,
    incumbent: Incumbent,
    trial: Solution,
    trial_set: ActiveSet,
    active: ActiveSet,
}

impl LemkeHowson {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: LemkeHowsonSettings) -> Result<LemkeHowson, SolverError> {
        check_limits(settings.tolerance, settings.time_limit)?;
        let LemkeHowsonSettings { tolerance, max_pivots, .. } = settings;
        let lemke = Lemke::new(LemkeSettings { tolerance, max_pivots, ..LemkeSettings::default() })?;
        Ok(LemkeHowson { settings, lemke, ..LemkeHowson::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &LemkeHowsonSettings {
        &self.settings
    }

    /// The basis of the last answer.
    pub fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// Whether the method is for this problem; others it leaves to [`Lemke`].
    pub fn is_for(problem: &Lcp) -> bool {
        Players::default().find(problem)
    }

    /// The end of the path of label `k`, which is no more than a certified equilibrium if the report says so; `x` is ignored at
    /// the start. For the study of games: [`Solver::solve`] tries all labels.
    ///
    /// The status is [`Status::NumericalFailure`] for a problem that is no game, or has no label `k`.
    pub fn solve_from_label(&mut self, problem: &Lcp, k: usize, x: &mut Solution) -> Report {
        self.open(problem, x);
        if k >= problem.dim() || problem.check_finite().is_err() || !self.players.find(problem) {
            return driver::refuse(problem, x);
        }
        self.prepare(problem);
        self.try_zero(problem, x);
        let end = self.label(problem, k, self.lemke.settings().pivot_limit(problem.dim()), x);
        self.incumbent.report(status_of(end))
    }

    fn open(&mut self, problem: &Lcp, x: &mut Solution) {
        let n = problem.dim();
        self.incumbent.open(self.settings.tolerance);
        self.incumbent.limit_time(self.settings.time_limit);
        let budget = self.incumbent.budget();
        self.tableau.limit_time(budget);
        self.block.limit_time(budget);
        x.resize(n);
        self.trial.resize(n);
        for set in [&mut self.trial_set, &mut self.active] {
            set.resize(n);
            set.clear();
        }
    }

    /// Step 2.
    fn prepare(&mut self, problem: &Lcp) {
        let n = problem.dim();
        self.tableau.reserve(n);
        self.block.reserve(n);
        self.scaling.reserve(n);
        self.gains.resize(n);
        for of_first in [true, false] {
            let first = &self.players.first;
            let cost = |i: usize, j: usize| problem.row(i)[j] / -problem.q()[i];
            let own = |i: &usize| first[*i] == of_first;
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for i in (0..n).filter(own) {
                for j in (0..n).filter(|j| !own(j)) {
                    (least, most) = (least.min(cost(i, j)), most.max(cost(i, j)));
                }
            }
            let range = if most > least { most - least } else { 1.0 };
            for i in (0..n).filter(own) {
                for j in 0..n {
                    let gain = if own(&j) { 0.0 } else { 1.0 + (most - cost(i, j)) / range };
                    self.gains.matrix_mut()[i * n + j] = -gain;
                }
            }
        }
        self.gains.q_mut().fill(1.0);
        self.scaling.update(self.gains.matrix(), self.gains.q());
    }

    /// Steps 3 to 5.
    fn labels(&mut self, problem: &Lcp, x: &mut Solution) -> Status {
        let n = problem.dim();
        let last = self.lemke.settings().pivot_limit(n);
        let mut limit = (FIRST * n).max(LEAST).min(last);
        let mut status = Status::Stalled;
        loop {
            let mut cut = false;
            for k in 0..n {
                let end = self.label(problem, k, limit, x);
                cut |= end == PathEnd::Limit;
                if self.incumbent.is_certified() || self.incumbent.is_out_of_time() {
                    return status_of(end);
                }
                status = status_of(end);
            }
            if !cut || limit == last {
                return status;
            }
            limit = limit.saturating_mul(GROWTH).min(last);
        }
    }

    /// The path of a label, and what it leads to.
    fn label(&mut self, problem: &Lcp, k: usize, limit: usize, x: &mut Solution) -> PathEnd {
        let mut end = PathEnd::Lost;
        for rule in [TieRule::LargestPivot, TieRule::Lexicographic] {
            let data = Data { problem: &self.gains, scaling: &self.scaling, epsilon: 0.0 };
            self.tableau.start_at_zero(data);
            let (reached, pivots) = self.tableau.follow(data, (Goal::Label(k), rule), limit);
            self.incumbent.pivots += pivots;
            end = reached;
            if end == PathEnd::Complementary {
                self.collect(problem, x);
            }
            if self.incumbent.is_certified() || matches!(end, PathEnd::Limit | PathEnd::Time) {
                break;
            }
        }
        end
    }

    /// Step 4.
    fn collect(&mut self, problem: &Lcp, x: &mut Solution) {
        self.tableau.extract(&self.scaling, &mut self.trial.z, &mut self.trial_set);
        let first = &self.players.first;
        for of_first in [true, false] {
            // With z_own all zero except at a mixed strategy, the least cost of the other player's choices sets its size.
            let own = |i: &usize| first[*i] == of_first;
            let cost = (0..problem.dim()).filter(|i| !own(i)).map(|i| {
                let row = problem.row(i).iter().zip(&self.trial.z).enumerate();
                row.filter(|(j, _)| own(j)).map(|(_, (m, z))| m * z).sum::<f64>() / -problem.q()[i]
            });
            let least = cost.fold(f64::INFINITY, f64::min);
            if least.is_nan() || least <= 0.0 {
                return;
            }
            let size = 1.0 / least;
            let mine = self.trial.z.iter_mut().enumerate().filter(|(i, _)| first[*i] == of_first);
            mine.for_each(|(_, z)| *z *= size);
        }
        self.offer(problem, x);
        if self.block.solve(problem, &self.trial_set, &mut self.trial).is_ok() {
            problem.project(&mut self.trial.z);
            self.offer(problem, x);
        }
    }

    fn offer(&mut self, problem: &Lcp, x: &mut Solution) {
        let assessment = problem.assess(&self.trial.z, &mut self.trial.w);
        if self.incumbent.offer(assessment, &self.trial, x) {
            self.active.clone_from(&self.trial_set);
        }
    }

    fn try_zero(&mut self, problem: &Lcp, x: &mut Solution) {
        self.trial.z.fill(0.0);
        self.trial_set.clear();
        self.offer(problem, x);
    }
}

/// What the end of the last path says of a problem that is not solved.
fn status_of(end: PathEnd) -> Status {
    match end {
        PathEnd::Limit | PathEnd::Time => Status::MaxIterations,
        PathEnd::Complementary => Status::Stalled,
        PathEnd::Ray | PathEnd::Cycle | PathEnd::Lost => Status::NumericalFailure,
    }
}

impl Solver<Lcp> for LemkeHowson {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        let guess = driver::take_guess(start, n, x);
        self.open(problem, x);
        if problem.check_finite().is_err() {
            return driver::refuse(problem, x);
        }
        if !self.players.find(problem) {
            self.lemke.limit_time(self.settings.time_limit);
            let report = self.lemke.solve(problem, start, x); // step 6
            self.active.clone_from(self.lemke.active_set());
            return report;
        }
        if guess {
            self.incumbent.adopt(problem.assess(&x.z, &mut x.w));
            (0..n).for_each(|i| self.active.set(i, x.z[i] > 0.0));
        }
        if self.incumbent.is_certified() {
            return self.incumbent.report(Status::Solved);
        }
        self.prepare(problem);
        self.try_zero(problem, x);
        let end = self.labels(problem, x);
        self.incumbent.report(end)
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
