//! The dual active-set method of Goldfarb and Idnani for convex quadratic programs.
//!
//! # Problem
//! `min 1/2 v^T G v + g^T v` subject to `E v + e = 0`, `N v + a >= 0` ([`QuadraticProgram`]), `G` positive definite; or
//! the program behind a [`FactoredLcp`]. In coordinates in which `G` is the identity: the `p` of least length with `y_i . p
//! + q_i = 0` or `>= 0`.
//!
//! # Method
//! 1. Start from `p = 0` without active rows. Activate the equalities, in order, by the dual method (`method`, on an
//!    `orthogonal_factor`).
//! 2. If a set of active inequalities is known: activate those that do not depend on others, solve for the multipliers of
//!    all, and deactivate the most negative until none is.
//! 3. Take the row `i` that is violated most and activate it by the dual method. None: `p` is the answer.
//! 4. With all rows satisfied, correct `z_a` once by what the active rows are off, and evaluate the answer.
//!
//! # Convergence and failure
//! Every row that becomes active lets the objective grow, and `p` is the least point for the active rows all along: no active
//! set repeats, and the method ends, degenerate or not. *Infeasible* comes with multipliers `lambda` (nonnegative for
//! inequalities) for which `Y^T lambda` is rounding and `lambda . q < 0` ([`ActiveSetQp::certificate`]). `Q` stays
//! orthogonal to rounding, whereas the products of rows, which [`Ppm`](super::Ppm) works with, square the condition: this is
//! the method for badly conditioned rows.
//!
//! # Cost
//! `2 n m` for step 3, `2 m^2` to resolve a row, up to `6 m^2` to activate or deactivate it.
//!
//! # References
//! D. Goldfarb, A. Idnani, *A numerically stable dual method for solving strictly convex quadratic programs*, Mathematical
//! Programming 27 (1983) 1-33.

use super::method::{DualActiveSet, DualActiveSetSettings, Entry};
use super::orthogonal_factor::OrthogonalFactor;
use crate::problem::{
    ActiveSet, FactoredLcp, HistoryEntry, QuadraticProgram, Report, Solution, Solver, SolverError, Start,
    Status,
};

/// Settings of [`ActiveSetQp`].
pub type ActiveSetQpSettings = DualActiveSetSettings;

/// Goldfarb's and Idnani's method with its workspace; see the [module documentation](self).
///
/// `iterations` of the report counts the rows taken up, `pivots` the changes of the active set.
#[derive(Clone, Debug, Default)]
pub struct ActiveSetQp {
    method: DualActiveSet<OrthogonalFactor>,
}

impl ActiveSetQp {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// See [`DualActiveSetSettings::validate`].
    pub fn new(settings: ActiveSetQpSettings) -> Result<ActiveSetQp, SolverError> {
        Ok(ActiveSetQp { method: DualActiveSet::new(settings)? })
    }

    /// The settings.
    pub fn settings(&self) -> &ActiveSetQpSettings {
        &self.method.settings
    }

    /// The active rows of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.method.answer
    }

    /// After [`Status::Infeasible`]: the multipliers, one a row, that prove it; otherwise empty.
    pub fn certificate(&self) -> &[f64] {
        &self.method.certificate
    }

    /// The convergence history of the last solve, an entry for every iteration; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.method.incumbent.history()
    }

    fn run(&mut self, problem: &FactoredLcp, free: usize, start: Start, x: &mut Solution) -> Report {
        self.method.solve(problem, free, start, x, iterate)
    }
}

/// Steps 1 to 4. Returns what the end says of the problem, should the answer not be certified.
fn iterate(method: &mut DualActiveSet<OrthogonalFactor>, problem: &FactoredLcp, set: &ActiveSet) -> Status {
    let limit = method.limit();
    let mut doubtful = false;
    for i in 0..method.rows.free() {
        match method.activate(i) {
            Entry::Active | Entry::Redundant => {}
            Entry::Contradiction => return Status::Infeasible,
            Entry::Unclear => doubtful = true,
        }
    }
    if set.count() > 0 {
        start_from(method, set);
    }
    method.record(problem);
    while let Some(i) = method.rows.most_violated(&method.p, &method.active, false) {
        if method.incumbent.iterations == limit || method.incumbent.is_out_of_time() {
            return Status::MaxIterations;
        }
        method.incumbent.iterations += 1;
        match method.activate(i) {
            Entry::Active => {}
            Entry::Contradiction => return Status::Infeasible,
            Entry::Redundant | Entry::Unclear => {
                // Given up: most_violated passes over it from now on.
                method.active[i] = true;
                doubtful = true;
            }
        }
        method.record(problem);
    }
    method.update_point();
    method.correct();
    if doubtful { Status::NumericalFailure } else { Status::Stalled }
}

/// Step 2.
fn start_from(method: &mut DualActiveSet<OrthogonalFactor>, set: &ActiveSet) {
    method.start_from(set);
    method.update_point();
    method.correct();
    method.correct();
    while let Some(at) = method.most_negative() {
        method.remove(at);
        method.update_point();
        method.correct();
    }
    method.forget_pivots();
}

impl Solver<FactoredLcp> for ActiveSetQp {
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem, 0, start, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn certificate(&self) -> &[f64] {
        self.certificate()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.method.settings.time_limit = seconds;
    }
}

impl Solver<QuadraticProgram> for ActiveSetQp {
    fn solve(&mut self, problem: &QuadraticProgram, start: Start, x: &mut Solution) -> Report {
        self.run(problem.dual(), problem.equalities(), start, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn certificate(&self) -> &[f64] {
        self.certificate()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.method.settings.time_limit = seconds;
    }
}
