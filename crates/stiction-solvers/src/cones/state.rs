//! What the Newton methods of the cone problem share: the problem in its units, the point they are at, the best answer
//! so far, and the work done.

use crate::cones::newton::alart_curnier::Block;
use crate::cones::newton::damped_newton::length;
use crate::cones::normalized::{Cell, Law, Normalized, passes};
use crate::cones::system::dense_system::DenseSystem;
use crate::cones::system::velocity_system::VelocitySystem;
use crate::driver::{self, Incumbent};
use crate::linalg::dense::largest_abs;
use crate::linalg::lu::Singular;
use crate::problem::cone::tangent_norm;
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

/// How good the best answer was when it was set aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aside {
    least: f64,
    floor: f64,
    passed: bool,
    good: bool,
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
    /// Begins a solve at the start, unless it passes. `Err`: it is over already, with this report.
    pub(crate) fn open(
        &mut self,
        problem: &ConeNcp,
        limits: Limits,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        self.open_as(problem, limits, is_dense(problem), start, x)
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
            let budget = Limits { max_factorizations: 0, ..limits };
            self.open_as(problem, budget, false, start, x)?;
            return Err(self.close(problem, Status::MaxIterations, x));
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
        self.least = f64::INFINITY;
        self.is_seen = false;
        (self.passed, self.good) = (false, false);
    }

    fn resize(&mut self, n: usize) {
        let cells = self.problem.cells.len();
        self.seen.resize(n, 0.0);
        for list in [
            &mut self.x,
            &mut self.y,
            &mut self.size,
            &mut self.start,
            &mut self.best,
            &mut self.velocity_aside,
            &mut self.trial,
        ] {
            list.resize(n, 0.0);
        }
        for list in [&mut self.derivative, &mut self.p, &mut self.q] {
            list.resize(cells, [0.0; 9]);
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
        self.incumbent.record(e);
        if e < self.least && floor.is_finite() {
            (self.least, self.least_floor) = (e, floor);
            self.best.copy_from_slice(&self.x);
            self.passed = self.passes(e, self.target, floor);
            self.good = self.passes(e, self.tolerance, floor);
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

    /// Whether the natural map of the best answer is all rounding, more of it than excuses an answer of any norm, but not than
    /// excuses that of least norm.
    pub(crate) fn needs_least_norm(&self) -> bool {
        self.least > self.tolerance
            && self.least <= 0.5 * self.least_floor
            && (Residual::LARGEST_FLOOR..=Residual::LARGEST_FLOOR_OF_LEAST_NORM).contains(&self.least_floor)
    }

    /// Whether answers may be excused as the one of least norm is.
    pub(crate) fn excuse_as_least(&mut self, least: bool) {
        self.incumbent.largest_floor =
            if least { Residual::LARGEST_FLOOR_OF_LEAST_NORM } else { Residual::LARGEST_FLOOR };
    }

    /// Sets the best answer aside, where the start was, goes there, and lets methods look for a better one. Returns how good
    /// it is.
    pub(crate) fn set_aside(&mut self, problem: &ConeNcp) -> Aside {
        self.start.copy_from_slice(&self.best);
        let best = std::mem::take(&mut self.best);
        self.move_to(problem, &best);
        self.best = best;
        self.velocity_aside.copy_from_slice(&self.y);
        self.rounding_aside = f64::EPSILON * self.size.iter().fold(0.0, |most: f64, size| most.max(*size));
        let aside =
            Aside { least: self.least, floor: self.least_floor, passed: self.passed, good: self.good };
        (self.least, self.passed, self.good) = (f64::INFINITY, false, false);
        self.forget();
        aside
    }

    /// Sliding velocities of the answer that was set aside below this are rounding.
    pub(crate) fn sliding_in_doubt(&self) -> f64 {
        64.0 * self.rounding_aside
    }

    /// Whether the point itself passes the target, whatever the best answer does.
    pub(crate) fn point_passes(&mut self, problem: &ConeNcp) -> bool {
        self.look(problem);
        self.passes(self.natural_map.0, self.target, self.natural_map.1)
    }

    /// Makes the point the best answer if it is within the tolerance, though another may have a smaller natural map.
    pub(crate) fn prefer_point(&mut self, problem: &ConeNcp) -> bool {
        self.passed = self.point_passes(problem);
        let (e, floor) = self.natural_map;
        self.good = self.passes(e, self.tolerance, floor);
        if self.good {
            self.best.copy_from_slice(&self.x);
            (self.least, self.least_floor) = (e, floor);
        }
        self.good
    }

    /// Whether the best answer has less norm than the one that was set aside, and the same velocities.
    pub(crate) fn is_less_than_aside(&mut self, problem: &ConeNcp) -> bool {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        if square(&self.best) >= (1.0 - LESS) * square(&self.start) {
            return false;
        }
        self.return_to_best();
        self.look(problem);
        let apart = self.y.iter().zip(&self.velocity_aside).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max) <= ALIKE * largest_abs(&self.problem.q) + self.sliding_in_doubt()
    }

    /// Whether a contact of the best answer slides at no more than a weight of the norm makes of sticking.
    pub(crate) fn creeps(&mut self, problem: &ConeNcp) -> bool {
        self.return_to_best();
        self.look(problem);
        let (x, y) = (&self.x, &self.y);
        self.problem.cells.iter().any(|cell| creeping(cell, x, y))
    }

    /// Presses the contacts of the point that creep a little more.
    pub(crate) fn press_what_creeps(&mut self) {
        for cell in &self.problem.cells {
            if creeping(cell, &self.x, &self.y) {
                self.x[cell.row] *= 1.0 + 2.0 * CREEP;
            }
        }
        self.forget();
    }

    /// Norm of the answer that was set aside.
    pub(crate) fn norm_aside(&self) -> f64 {
        length(&self.start)
    }

    /// Whether the best answer passes by what is excused now.
    pub(crate) fn judge_best(&mut self) -> bool {
        self.passed = self.passes(self.least, self.target, self.least_floor);
        self.good = self.passes(self.least, self.tolerance, self.least_floor);
        self.good
    }

    /// Makes the answer that was set aside the best again.
    pub(crate) fn take_back(&mut self, aside: Aside) {
        self.best.copy_from_slice(&self.start);
        (self.least, self.least_floor) = (aside.least, aside.floor);
        (self.passed, self.good) = (aside.passed, aside.good);
        self.forget();
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

/// Velocities are the same to this part of the largest free one.
const ALIKE: f64 = 1e-6;

/// Sliding up to this part of the largest free velocity, and friction within this part of its bound, may be sticking.
const CREEP: f64 = 1e-6;

/// Sliding up to this part of the largest free velocity is rounding.
const STILL: f64 = 1e-14;

fn creeping(cell: &Cell, x: &[f64], y: &[f64]) -> bool {
    let Law::Coulomb { mu } = cell.law else { return false };
    let sliding = tangent_norm(&y[cell.rows()]);
    let bound = mu * x[cell.row];
    sliding > STILL
        && sliding <= CREEP
        && tangent_norm(&x[cell.rows()]) >= (1.0 - CREEP) * bound
        && bound > 0.0
}

/// A square norm is less by more than this part.
const LESS: f64 = 1e-9;

/// Entries of a history for which memory is reserved; longer ones grow in the first solve.
const SHORT_HISTORY: usize = 64;

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
