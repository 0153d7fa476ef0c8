//! What the Newton methods of the cone problem share: the problem in its units, the point they are at, the best answer
//! so far, and the work done.

mod aside;

use crate::cones::newton::alart_curnier::Block;
use crate::cones::normalized::{Normalized, passes};
use crate::cones::system::dense_system::DenseSystem;
use crate::cones::system::velocity_system::VelocitySystem;
use crate::driver::{self, Incumbent};
use crate::linalg::capacity::resize_unset;
use crate::linalg::lu::Singular;
use crate::problem::{
    ConeNcp, ConeScratch, Delassus, HistoryEntry, Report, Residual, Solution, Start, Status,
};

/// How a stage of a method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The best answer passes.
    Passed,
    /// The stage has nothing more to offer.
    Exhausted,
    /// No factorization is left.
    OutOfBudget,
}

/// A solve in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) problem: Normalized,
    dense: DenseSystem,
    sparse: VelocitySystem,
    /// The point.
    pub(crate) x: Vec<f64>,
    /// Its velocities `W' x + q'`.
    pub(crate) y: Vec<f64>,
    size: Vec<f64>,
    /// The point that [`State::look`] was at last, whose velocities `y` are.
    seen: Vec<f64>,
    is_seen: bool,
    /// Its natural map and rounding floor.
    natural_map: (f64, f64),
    /// Where the solve began.
    pub(crate) start: Vec<f64>,
    best: Vec<f64>,
    /// Velocities of the answer that was set aside.
    velocity_aside: Vec<f64>,
    /// One rounding of their terms.
    rounding_aside: f64,
    /// Natural map of the best answer in the unit of the certificate.
    pub(crate) least: f64,
    /// Its rounding floor.
    least_floor: f64,
    passed: bool,
    /// Whether the best answer passes the tolerance, if not the target.
    good: bool,
    tolerance: f64,
    target: f64,
    /// The answer on the original data, and the work done: `pivots` are factorizations.
    pub(crate) incumbent: Incumbent,
    budget: usize,
    /// Blocks of the linear system: derivative, `P`, `Q`.
    pub(crate) derivative: Vec<Block>,
    pub(crate) p: Vec<Block>,
    pub(crate) q: Vec<Block>,
    trial: Vec<f64>,
    scratch: ConeScratch,
}

/// What every solver built on [`State`] is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Natural map of a solved problem.
    pub(crate) tolerance: f64,
    /// Most time of the solve (s).
    pub(crate) time_limit: Option<f64>,
    /// Natural map, at most the tolerance, at which a method stops improving an answer.
    pub(crate) target: f64,
    pub(crate) max_factorizations: usize,
    pub(crate) history: bool,
}

impl Limits {
    /// For methods that count their own steps and have no target beyond the tolerance.
    pub(crate) fn of_descent(tolerance: f64, time_limit: Option<f64>, history: bool) -> Limits {
        Limits { tolerance, time_limit, target: tolerance, max_factorizations: usize::MAX, history }
    }
}

impl State {
    /// Begins a solve at the start, unless it passes. `Err`: it is over already, with this report; a problem whose matrix
    /// would be filled to more than [`LARGEST_FILLED`] rows is not attempted.
    pub(crate) fn open(
        &mut self,
        problem: &ConeNcp,
        limits: Limits,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        let dense = is_dense(problem);
        let filled = dense && !matches!(problem.delassus(), Delassus::Dense(_));
        if filled && problem.q().len() > LARGEST_FILLED {
            return self.open_too_large(problem, limits, start, x);
        }
        self.open_as(problem, limits, dense, start, x)
    }

    /// Judges the start and ends there.
    fn open_too_large(
        &mut self,
        problem: &ConeNcp,
        limits: Limits,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        let budget = Limits { max_factorizations: 0, ..limits };
        self.open_as(problem, budget, false, start, x)?;
        Err(self.close(problem, Status::MaxIterations, x))
    }

    /// The same for a method that needs the dense operator: a problem of more than [`LARGEST_DENSE`] rows is not
    /// attempted.
    pub(crate) fn open_dense(
        &mut self,
        problem: &ConeNcp,
        limits: Limits,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        if problem.q().len() > LARGEST_DENSE {
            return self.open_too_large(problem, limits, start, x);
        }
        self.open_as(problem, limits, true, start, x)
    }

    /// The same for a method that factors nothing: the operator stays as it is.
    pub(crate) fn open_sparse(
        &mut self,
        problem: &ConeNcp,
        limits: Limits,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        let dense = matches!(problem.delassus(), Delassus::Dense(_));
        self.open_as(problem, limits, dense, start, x)
    }

    fn open_as(
        &mut self,
        problem: &ConeNcp,
        limits: Limits,
        dense: bool,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        let n = problem.q().len();
        self.clear(limits);
        let warm = driver::take_guess(start, n, x);
        if !warm {
            x.z.fill(0.0);
        }
        let (residual, floor) = problem.assess(&x.z, &mut x.w, &mut self.scratch);
        if residual.certifies(self.target, floor) {
            self.incumbent.adopt((residual, floor));
            return Err(self.incumbent.report(Status::Solved));
        }
        let loaded = self.problem.load(problem, dense);
        let finite = loaded && residual != Residual::INFINITE;
        if !loaded {
            x.z.fill(0.0);
            let _ = problem.assess(&x.z, &mut x.w, &mut self.scratch);
            return Err(self.incumbent.report(Status::NumericalFailure));
        }
        self.resize(n);
        self.start.fill(0.0);
        if warm && finite {
            self.problem.unknowns(&x.z, &mut self.start);
        }
        self.x.copy_from_slice(&self.start);
        if self.is_warm() && !self.is_better_than_nothing(problem) {
            self.start.fill(0.0);
            self.x.fill(0.0);
        }
        if self.look(problem) { Err(self.close(problem, Status::Solved, x)) } else { Ok(()) }
    }

    fn clear(&mut self, limits: Limits) {
        self.incumbent.open(limits.tolerance);
        self.incumbent.limit_time(limits.time_limit);
        self.dense.limit_time(self.incumbent.budget());
        self.incumbent.keep_history(limits.history, SHORT_HISTORY);
        (self.tolerance, self.target) = (limits.tolerance, limits.target.min(limits.tolerance));
        self.budget = limits.max_factorizations;
        (self.least, self.least_floor) = (f64::INFINITY, 0.0);
        self.is_seen = false;
        (self.passed, self.good) = (false, false);
    }

    fn resize(&mut self, n: usize) {
        let cells = self.problem.cells.len();
        for list in [
            &mut self.seen,
            &mut self.x,
            &mut self.y,
            &mut self.size,
            &mut self.start,
            &mut self.best,
            &mut self.velocity_aside,
            &mut self.trial,
        ] {
            resize_unset(list, n);
        }
        for list in [&mut self.derivative, &mut self.p, &mut self.q] {
            list.resize(cells, [0.0; 9]);
            if cfg!(debug_assertions) {
                list.fill([f64::NAN; 9]);
            }
        }
        if self.problem.dense().is_some() {
            self.dense.reserve(n);
        }
    }

    /// Whether the natural map of the start is less than that of no impulses.
    fn is_better_than_nothing(&mut self, problem: &ConeNcp) -> bool {
        self.look(problem);
        self.trial.fill(0.0);
        let nothing = self.problem.natural_map(&self.trial, &self.problem.q, &self.trial).0;
        self.least <= nothing
    }

    /// Whether the solve began at something other than zero.
    pub(crate) fn is_warm(&self) -> bool {
        self.start.iter().any(|x| *x != 0.0)
    }

    /// Moves the point to `x` and computes its velocities.
    pub(crate) fn move_to(&mut self, problem: &ConeNcp, x: &[f64]) {
        self.x.copy_from_slice(x);
        self.problem.velocity(problem, &self.x, &mut self.y, &mut self.size);
    }

    /// Computes the velocities of the point and its natural map, remembers it if it is the best, and says whether it
    /// passes. A point that is not finite has an infinite natural map.
    pub(crate) fn look(&mut self, problem: &ConeNcp) -> bool {
        if self.is_seen && self.seen == self.x {
            return self.passed;
        }
        self.seen.copy_from_slice(&self.x);
        self.is_seen = true;
        self.problem.velocity(problem, &self.x, &mut self.y, &mut self.size);
        let (e, floor) = self.problem.natural_map(&self.x, &self.y, &self.size);
        self.natural_map = (e, floor);
        self.incumbent.record(e, &[]);
        if uncertain(e, floor) < uncertain(self.least, self.least_floor) && floor.is_finite() {
            (self.least, self.least_floor) = (e, floor);
            self.best.copy_from_slice(&self.x);
            self.assess_best();
        }
        self.passed
    }

    /// The same at the projection of the point; the point stays, its velocities are computed.
    pub(crate) fn look_at_projection(&mut self, problem: &ConeNcp) -> bool {
        self.trial.copy_from_slice(&self.x);
        self.problem.project(&mut self.x);
        let passed = self.look(problem);
        self.x.copy_from_slice(&self.trial);
        if !passed {
            self.problem.velocity(problem, &self.x, &mut self.y, &mut self.size);
        }
        self.forget();
        passed
    }

    /// Natural map of the point looked at last.
    pub(crate) fn natural_map_seen(&self) -> f64 {
        self.natural_map.0
    }

    /// Whether the best answer is within the tolerance, so that a method need not restart to come nearer its target.
    pub(crate) fn is_good(&self) -> bool {
        self.good
    }

    /// Whether it is also within the target.
    pub(crate) fn has_passed(&self) -> bool {
        self.passed
    }

    fn passes(&self, natural_map: f64, tolerance: f64, floor: f64) -> bool {
        passes(natural_map, tolerance, floor, self.incumbent.largest_floor)
    }

    /// The velocities are no longer those that [`State::look`] computed.
    pub(crate) fn forget(&mut self) {
        self.is_seen = false;
    }

    /// Goes back to the best answer so far.
    pub(crate) fn return_to_best(&mut self) {
        if self.least.is_finite() {
            self.x.copy_from_slice(&self.best);
        } else {
            self.x.fill(0.0);
        }
    }

    /// Allows at most this many factorizations from here on, and returns how many were allowed in all.
    pub(crate) fn limit_within(&mut self, count: usize) -> usize {
        self.limit(self.budget.min(self.incumbent.pivots.saturating_add(count)))
    }

    /// Allows this many factorizations in all, and returns how many were allowed.
    pub(crate) fn limit(&mut self, budget: usize) -> usize {
        std::mem::replace(&mut self.budget, budget)
    }

    /// Whether a factorization may be done: there are some left, and there is time.
    pub(crate) fn may_factor(&self) -> bool {
        self.incumbent.pivots < self.budget && !self.incumbent.is_out_of_time()
    }

    /// Factors `P + Q W` of the blocks in [`State::p`] and [`State::q`].
    ///
    /// # Errors
    /// [`Singular`] to working precision.
    pub(crate) fn factor(&mut self, problem: &ConeNcp) -> Result<(), Singular> {
        self.incumbent.pivots += 1;
        if let Some(w) = self.problem.dense() {
            return self.dense.factor(&self.problem, w, &self.p, &self.q);
        }
        let Delassus::Factored(rows) = problem.delassus() else { return Err(Singular) };
        self.soften();
        self.sparse.analyse(rows);
        self.sparse.factor(rows, &self.problem.scale, &self.problem.starts, &self.p, &self.q)
    }

    /// Adds the compliance, which the factored operator does not have, to `P`.
    fn soften(&mut self) {
        for (cell, (p, q)) in self.problem.cells.iter().zip(self.p.iter_mut().zip(&self.q)) {
            for b in 0..cell.dim {
                let compliance = self.problem.compliance[cell.row + b];
                (0..cell.dim).for_each(|a| p[a * cell.dim + b] += q[a * cell.dim + b] * compliance);
            }
        }
    }

    /// Replaces `b` by the solution of the factored system.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        match self.problem.dense() {
            Some(w) => self.dense.solve(&self.problem, w, &self.q, b),
            None => {
                self.trial.copy_from_slice(b);
                self.sparse.solve(&self.trial, b);
            }
        }
    }

    /// Ends a solve: writes the best answer, certified on the original data. `status` is what is said of an answer that
    /// is not solved.
    pub(crate) fn close(&mut self, problem: &ConeNcp, status: Status, x: &mut Solution) -> Report {
        self.return_to_best();
        self.problem.impulses(&self.x, &mut x.z);
        self.incumbent.adopt(problem.assess(&x.z, &mut x.w, &mut self.scratch));
        self.incumbent.report(status)
    }

    /// The convergence history of the last solve: a natural map in the unit of the certificate for every point looked at.
    pub(crate) fn history(&self) -> &[HistoryEntry] {
        self.incumbent.history()
    }
}

/// The natural map that an answer can be relied on to have: rounding that is too much to be excused may hide as much more. So
/// impulses that run away do not hide a better answer.
fn uncertain(natural_map: f64, floor: f64) -> f64 {
    if floor > Residual::LARGEST_FLOOR { natural_map + floor } else { natural_map }
}

/// Entries of a history for which memory is reserved; longer ones grow in the first solve.
const SHORT_HISTORY: usize = 64;

/// Most rows of a matrix that is filled although the problem has fewer entries: 537 MB.
pub const LARGEST_FILLED: usize = 8192;

/// Largest number of rows for methods on dense matrices that have to be factored as a whole: some seconds a step.
pub(crate) const LARGEST_DENSE: usize = 2048;

/// Rows up to which a factored operator is multiplied out unless it has few columns: dense loops are then faster.
const SMALL: usize = 60;

/// Columns per row below which equations in velocities are much the smaller ones.
const FEW_COLUMNS: f64 = 0.6;

/// Whether steps are solved for impulses with a dense matrix. Only `W = Y Y^T` gives equations in velocities.
fn is_dense(problem: &ConeNcp) -> bool {
    match problem.delassus() {
        Delassus::Dense(_) | Delassus::Sparse(_) => true,
        Delassus::Factored(rows) => {
            let n = problem.q().len();
            n <= SMALL && rows.columns as f64 >= FEW_COLUMNS * n as f64
        }
    }
}

/// The status of a solve whose last stage ended so.
pub(crate) fn status_of(outcome: Outcome) -> Status {
    match outcome {
        Outcome::Passed => Status::Solved,
        Outcome::Exhausted => Status::Stalled,
        Outcome::OutOfBudget => Status::MaxIterations,
    }
}
