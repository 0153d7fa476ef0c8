//! The principal pivoting method of Cottle and Dantzig, which builds a solution index by index.
//!
//! # Problem
//! `l <= z <= u`, `w = M z + q`, `w_i >= 0` at the lower bound, `w_i <= 0` at the upper, `w_i = 0` between; a linear
//! complementarity problem has `l = 0` and no upper bound. `M` is symmetric positive semidefinite, or a P-matrix.
//!
//! # Method
//! 1. Equilibrate, and start at the point of the box nearest to zero with no index active, or from the basic solution
//!    of a known active set (a solved sub-problem's, say), less the indices that are beyond a bound there.
//! 2. Take the index that is furthest from obeying its law.
//! 3. Drive it until it obeys; those that obey already go on doing so (a major cycle, see `major_cycle.rs`).
//! 4. Until all obey, go to 2.
//! 5. Correct the active unknowns on the original data (iterative refinement), judge the answer there.
//!
//! # Convergence and failure
//! For a P-matrix the method ends with the solution. For a symmetric positive semidefinite one it ends with a solution,
//! or with a ray that proves that there is none; the active block is always regular, however singular the matrix. A
//! solved principal sub-problem of `k` unknowns leaves at most `n - k` indices that may not obey, and a major cycle loses
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

use crate::pivoting::major_cycle::{CycleEnd, Pivoting};
use crate::problem::box_lcp::check_finite;
use crate::problem::dense_linear::Linear;
use crate::problem::{
    ActiveSet, BoxLcp, Lcp, Mlcp, Report, Residual, Solution, Solver, SolverError, Start, Status,
};

/// At most so many corrections of the answer: the second repeats the first where the block is regular.
const REFINEMENTS: usize = 2;

/// How often all indices are looked at once more after every one has been made to obey: rounding may have cost some.
const LOOKS: usize = 2;

/// Settings of [`Dantzig`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DantzigSettings {
    /// Largest natural map (dimensionless) that counts as solved. Default `1e-10`, as for [`Lemke`](crate::pivoting::lemke::Lemke).
    pub tolerance: f64,
    /// Most pivots, and most major cycles. `None`: the larger of 5000 and `50 n`, far above the `2 n` that contact needs,
    /// enough for the exponential families of Murty and Fathi up to 12 unknowns. A matrix that is not of the method's
    /// classes may need all of them, each with a new LU factorization.
    pub max_pivots: Option<usize>,
    /// Whether the natural map is recorded after every major cycle, which costs `2 n^2` each. Default false.
    pub history: bool,
}

impl Default for DantzigSettings {
    fn default() -> DantzigSettings {
        DantzigSettings { tolerance: 1e-10, max_pivots: None, history: false }
    }
}

/// The principal pivoting method with its workspace; see the [module documentation](self).
///
/// `iterations` of the report counts major cycles, `pivots` the changes of the active set.
#[derive(Clone, Debug, Default)]
pub struct Dantzig {
    settings: DantzigSettings,
    pivoting: Pivoting,
    start: ActiveSet,
    active: ActiveSet,
    trial: Solution,
    trial_set: ActiveSet,
    history: Vec<f64>,
}

impl Dantzig {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn new(settings: DantzigSettings) -> Result<Dantzig, SolverError> {
        check_tolerance(settings.tolerance)?;
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

    /// The natural map after each major cycle of the last solve, if [`DantzigSettings::history`] asks for it.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    fn run(&mut self, problem: &impl Linear, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        let mut report = Report {
            status: Status::NumericalFailure,
            iterations: 0,
            pivots: 0,
            residual: Residual::INFINITE,
            regularization: 0.0,
        };
        self.history.clear();
        self.trial.resize(n);
        for set in [&mut self.start, &mut self.active, &mut self.trial_set] {
            set.resize(n);
            set.clear();
        }
        if check_finite(problem.matrix(), problem.constant()).is_err() {
            x.resize(n);
            x.z.fill(0.0);
            problem.project(&mut x.z);
            x.w.fill(0.0);
            return report;
        }
        let guess = matches!(start, Start::Warm) && x.z.len() == n;
        x.resize(n);
        let warm = guess && self.keep_guess(problem, x, &mut report);
        if report.status == Status::Solved {
            return report;
        }
        if report.residual == Residual::INFINITE {
            x.z.fill(0.0);
            x.w.fill(0.0);
        }
        self.pivoting.load(problem); // step 1
        match start {
            Start::Basis(set) if set.len() == n => {
                self.start.clone_from(set);
                self.start.resize(n);
                self.pivoting.start_from(&self.start, None);
            }
            _ if warm => self.pivoting.start_from(&self.active, Some(&x.z)),
            _ => self.pivoting.start_from(&self.start, None),
        }
        let end = self.cycle(problem, &mut report); // steps 2 to 4
        self.collect(problem, x, &mut report); // step 5
        if report.status != Status::Solved {
            self.trial.z.fill(0.0);
            problem.project(&mut self.trial.z);
            self.trial_set.clear();
            self.judge(problem, x, &mut report);
        }
        if report.status != Status::Solved {
            report.status = end;
        }
        report
    }

    /// Judges the guess in `x` and keeps it, with its active set, as the best answer so far. False if zero is better.
    fn keep_guess(&mut self, problem: &impl Linear, x: &mut Solution, report: &mut Report) -> bool {
        self.trial.z.fill(0.0);
        problem.project(&mut self.trial.z);
        let zero = problem.judge_into(&self.trial.z, &mut self.trial.w).0.natural_map;
        self.trial.z.copy_from_slice(&x.z);
        let (w_unit, z_unit) = problem.units();
        let (residual, _) = problem.judge_into(&x.z, &mut x.w);
        if residual.natural_map > zero || residual == Residual::INFINITE {
            return false;
        }
        // Active is what is further from its bounds than w_i is from zero.
        for (i, (z, w)) in x.z.iter().zip(&x.w).enumerate() {
            let [lower, upper] = problem.bounds(i);
            self.trial_set.set(i, (z - lower).min(upper - z) * z_unit > w.abs() * w_unit);
        }
        self.judge(problem, x, report);
        true
    }

    /// Steps 2 to 4. Returns what the end says of the problem, should the answer not be certified.
    fn cycle(&mut self, problem: &impl Linear, report: &mut Report) -> Status {
        let limit = self.settings.max_pivots.unwrap_or_else(|| problem.dim().saturating_mul(50).max(5000));
        let mut status = Status::Stalled;
        let mut looks = 0;
        loop {
            let chosen = match self.pivoting.choose(false) {
                None if looks < LOOKS => {
                    looks += 1;
                    self.pivoting.choose(true)
                }
                chosen => chosen,
            };
            let Some((d, grows)) = chosen else { break };
            if report.iterations >= limit {
                status = Status::MaxIterations;
                break;
            }
            let end = self.pivoting.drive(d, grows, limit);
            report.iterations += 1;
            self.record(problem);
            match end {
                CycleEnd::Obeys => {}
                CycleEnd::Ray { proof: true } => {
                    status = Status::Infeasible;
                    break;
                }
                CycleEnd::Limit => {
                    status = Status::MaxIterations;
                    break;
                }
                CycleEnd::Ray { proof: false } => {
                    status = Status::Ray;
                    self.pivoting.give_up(d);
                }
                CycleEnd::Singular => break,
            }
        }
        report.pivots = self.pivoting.pivots;
        status
    }

    fn record(&mut self, problem: &impl Linear) {
        if self.settings.history {
            self.pivoting.extract(problem, &mut self.trial.z, &mut self.trial_set);
            let (residual, _) = problem.judge_into(&self.trial.z, &mut self.trial.w);
            self.history.push(residual.natural_map);
        }
    }

    /// Step 5.
    fn collect(&mut self, problem: &impl Linear, x: &mut Solution, report: &mut Report) {
        self.pivoting.extract(problem, &mut self.trial.z, &mut self.trial_set);
        let mut verdict = problem.judge_into(&self.trial.z, &mut self.trial.w);
        for _ in 0..REFINEMENTS {
            if verdict.0.natural_map <= verdict.1 / 4.0 {
                break;
            }
            // The best so far waits in x; the next trial is made from this one.
            self.judge(problem, x, report);
            self.pivoting.correct(&mut self.trial.z, &self.trial.w);
            verdict = problem.judge_into(&self.trial.z, &mut self.trial.w);
        }
        problem.project(&mut self.trial.z);
        self.judge(problem, x, report);
    }

    /// Keeps the trial in `x` if it is the best so far.
    fn judge(&mut self, problem: &impl Linear, x: &mut Solution, report: &mut Report) {
        let (residual, floor) = problem.judge_into(&self.trial.z, &mut self.trial.w);
        if residual.natural_map < report.residual.natural_map {
            x.z.copy_from_slice(&self.trial.z);
            x.w.copy_from_slice(&self.trial.w);
            self.active.clone_from(&self.trial_set);
            report.residual = residual;
            if residual.certifies(self.settings.tolerance, floor) {
                report.status = Status::Solved;
            }
        }
    }
}

/// Refuses a tolerance outside `[0, 1)`.
pub(crate) fn check_tolerance(value: f64) -> Result<(), SolverError> {
    if (0.0..1.0).contains(&value) {
        Ok(())
    } else {
        Err(SolverError::Setting { name: "tolerance", value, requirement: "at least 0 and below 1" })
    }
}

impl Solver<Lcp> for Dantzig {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem, start, x)
    }
}

impl Solver<BoxLcp> for Dantzig {
    fn solve(&mut self, problem: &BoxLcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem, start, x)
    }
}

impl Solver<Mlcp> for Dantzig {
    fn solve(&mut self, problem: &Mlcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem.as_box_lcp(), start, x)
    }
}
