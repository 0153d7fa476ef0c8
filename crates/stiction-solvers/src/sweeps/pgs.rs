//! Projected Gauss-Seidel with over-relaxation.
//!
//! # Problem
//! `l <= z <= u`, `w = M z + q`, `w_i >= 0` at the lower bound, `<= 0` at the upper, `= 0` between, with a symmetric
//! positive semidefinite `M`: equivalently, minimize `1/2 z . M z + q . z` over the box.
//!
//! # Method
//! 1. Project the start on the box.
//! 2. For every `i` in turn: `z_i <- mid(l_i, z_i - omega w_i / M_ii, u_i)` with the `w_i` of the newest `z`. (Arechavaleta
//!    and others print the sum over `j < i` only; it runs over the whole row.)
//! 3. When the largest change of a sweep, in the problem's units, is near the tolerance, judge `z` on the original data;
//!    stop if it passes. Judge every sixteenth sweep in any case and keep the best.
//!
//! # Convergence and failure
//! Every step lowers the objective; for positive definite `M` and `0 < omega < 2` the sweeps converge linearly (Cryer), with
//! a rate near 1 for ill-conditioned problems: mass ratios, long chains. Rows without a positive diagonal are left where
//! they are. For other matrices it is a heuristic; an answer that does not pass is reported as
//! [`Status::MaxIterations`].
//!
//! # Cost
//! `2 n^2` per sweep, of a symmetric matrix `2 n` for each unknown that moves, `4 n m` for a factored problem of `m` columns.
//!
//! # References
//! C. W. Cryer, *The solution of a quadratic programming problem using systematic overrelaxation*, SIAM Journal on Control
//! 9 (1971) 385-392; G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of iterative LCP solvers for dry
//! frictional contacts in grasping*, 2010, equation (3).

use serde::{Deserialize, Serialize};

use crate::linalg::capacity::make_room;
use crate::problem::{
    BoxLcp, FactoredLcp, Lcp, Report, Residual, Solution, Solver, SolverError, Start, Status,
};
use crate::sweeps::coordinate_rows::{Rows, Symmetric, sweep};

/// Sweeps between two judgements at most.
const JUDGE_EVERY: usize = 16;

/// Judgements that a history has room for ahead of need.
const LONGEST_HISTORY: usize = 100_000;

/// What [`Pgs`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PgsSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`crate::problem::Problem::residual`]).
    pub tolerance: f64,
    /// Sweeps at most.
    pub max_iterations: usize,
    /// Relaxation factor, between 0 and 2.
    pub relaxation: f64,
    /// Whether to keep the residual of every judgement for [`Pgs::history`].
    pub history: bool,
}

impl Default for PgsSettings {
    fn default() -> PgsSettings {
        PgsSettings { tolerance: 1e-10, max_iterations: 10_000, relaxation: 1.0, history: false }
    }
}

impl PgsSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        positive("tolerance", self.tolerance)?;
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            let requirement = "greater than 0 and less than 2";
            return Err(SolverError::Setting { name: "relaxation", value: self.relaxation, requirement });
        }
        Ok(())
    }
}

/// Refuses settings that are not positive finite numbers.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), SolverError> {
    let requirement = "a finite number greater than 0";
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(SolverError::Setting { name, value, requirement })
    }
}

/// Projected Gauss-Seidel; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    settings: PgsSettings,
    run: Run,
}

impl Pgs {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`PgsSettings::validate`].
    pub fn new(settings: PgsSettings) -> Result<Pgs, SolverError> {
        settings.validate()?;
        Ok(Pgs { settings, run: Run::default() })
    }

    /// The natural maps of the last solve's judgements, if the settings ask for them.
    pub fn history(&self) -> &[f64] {
        &self.run.history
    }

    fn iterate<P: Rows>(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let PgsSettings { tolerance, max_iterations, relaxation, history } = self.settings;
        let run = &mut self.run;
        run.expect(history, max_iterations / JUDGE_EVERY);
        if let Some(report) = run.begin(problem, start, x, tolerance, history) {
            return report;
        }
        let near = tolerance / run.scales.0;
        problem.start(&x.z, &x.w, &mut run.state);
        for k in 1..=max_iterations {
            let change = sweep(problem, relaxation, &mut x.z, &mut run.state);
            if change <= near || k % JUDGE_EVERY == 0 || k == max_iterations {
                if run.judge(problem, x, tolerance, history) {
                    return run.report(Status::Solved, k, x);
                }
                if change == 0.0 {
                    return run.report(Status::Stalled, k, x);
                }
                problem.start(&x.z, &x.w, &mut run.state);
            }
        }
        run.report(Status::MaxIterations, max_iterations, x)
    }
}

impl Solver<Lcp> for Pgs {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        match Symmetric::new(problem) {
            Some(symmetric) => self.iterate(&symmetric, start, x),
            None => self.iterate(problem, start, x),
        }
    }
}

impl Solver<BoxLcp> for Pgs {
    fn solve(&mut self, problem: &BoxLcp, start: Start, x: &mut Solution) -> Report {
        match Symmetric::new(problem) {
            Some(symmetric) => self.iterate(&symmetric, start, x),
            None => self.iterate(problem, start, x),
        }
    }
}

impl Solver<FactoredLcp> for Pgs {
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        self.iterate(problem, start, x)
    }
}

/// What an iterative solve keeps: memory, the best answer and its judgement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) state: Vec<f64>,
    pub(crate) history: Vec<f64>,
    /// Factors from `w` and `z` to dimensionless numbers.
    pub(crate) scales: (f64, f64),
    best: Vec<f64>,
    best_w: Vec<f64>,
    best_residual: Residual,
}

impl Run {
    /// Makes room for a history of about so many judgements.
    pub(crate) fn expect(&mut self, history: bool, judgements: usize) {
        if history {
            make_room(&mut self.history, judgements.min(LONGEST_HISTORY) + 3);
        }
    }

    /// Puts the start into `x.z`, judged; a report if that ends the solve.
    pub(crate) fn begin<P: Rows>(
        &mut self,
        problem: &P,
        start: Start,
        x: &mut Solution,
        tolerance: f64,
        history: bool,
    ) -> Option<Report> {
        let n = problem.dim();
        self.history.clear();
        self.best.clear();
        self.best.resize(n, 0.0);
        self.best_w.clear();
        self.best_w.resize(n, 0.0);
        self.best_residual = Residual::INFINITE;
        let warm = matches!(start, Start::Warm) && x.z.len() == n && x.z.iter().all(|z| z.is_finite());
        x.resize(n);
        if !problem.is_finite() {
            x.z.fill(0.0);
            x.w.fill(0.0);
            return Some(self.report(Status::NumericalFailure, 0, x));
        }
        self.scales = problem.scales();
        if warm && self.judge(problem, x, tolerance, history) {
            return Some(self.report(Status::Solved, 0, x));
        }
        // Zero is the start without a guess, or with one that is worse.
        let guess = self.best_residual;
        x.z.fill(0.0);
        problem.project(&mut x.z);
        self.evaluate(problem, x);
        // Judged only if that may end the solve, or if there is something to compare it with.
        let judge = warm || history || self.natural_map(problem, x) <= tolerance;
        if judge && self.judge(problem, x, tolerance, history) {
            return Some(self.report(Status::Solved, 0, x));
        }
        if warm && guess.natural_map <= self.best_residual.natural_map {
            x.z.copy_from_slice(&self.best);
            problem.project(&mut x.z);
            self.evaluate(problem, x);
        }
        None
    }

    /// Writes `x.w = M x.z + q`.
    fn evaluate<P: Rows>(&mut self, problem: &P, x: &mut Solution) {
        problem.multiply(&x.z, &mut x.w, &mut self.state);
        x.w.iter_mut().zip(problem.constant()).for_each(|(w, q)| *w += q);
    }

    /// The natural map of `x.z` and `x.w`, at a fraction of the cost of a judgement.
    pub(crate) fn natural_map<P: Rows>(&self, problem: &P, x: &Solution) -> f64 {
        let (w_unit, z_unit) = self.scales;
        let mut worst: f64 = 0.0;
        for (i, (z, w)) in x.z.iter().zip(&x.w).enumerate() {
            let [lower, upper] = problem.bounds(i);
            let [lower, upper] = [lower * z_unit, upper * z_unit];
            let z = z * z_unit;
            worst = worst.max((z - (z - w * w_unit).max(lower).min(upper)).abs());
        }
        worst
    }

    /// Judges `x.z`, keeps it if it is the best so far, and says whether it passes.
    pub(crate) fn judge<P: Rows>(
        &mut self,
        problem: &P,
        x: &mut Solution,
        tolerance: f64,
        history: bool,
    ) -> bool {
        let (residual, floor) = problem.judge(&x.z, &mut x.w, &mut self.state);
        if history {
            self.history.push(residual.natural_map);
        }
        if residual.natural_map < self.best_residual.natural_map {
            self.best.copy_from_slice(&x.z);
            self.best_w.copy_from_slice(&x.w);
            self.best_residual = residual;
        }
        residual.certifies(tolerance, floor)
    }

    /// Puts the best answer into `x` and reports.
    pub(crate) fn report(&self, status: Status, iterations: usize, x: &mut Solution) -> Report {
        if self.best_residual.natural_map.is_finite() {
            x.z.copy_from_slice(&self.best);
            x.w.copy_from_slice(&self.best_w);
        }
        Report { status, iterations, pivots: 0, residual: self.best_residual, regularization: 0.0 }
    }
}
