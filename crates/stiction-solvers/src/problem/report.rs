//! What every solver offers: one call, a start, a status that means something, a report.

use serde::{Deserialize, Serialize};

use crate::problem::active_set::ActiveSet;
use crate::problem::traits::{Problem, Residual, Solution};

/// Where a solve begins.
///
/// ```
/// use stiction_solvers::{ActiveSet, Lcp, Lemke, LemkeSettings, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![1.0, 0.0, 0.0, 1.0], vec![-1.0, 1.0])?;
/// let mut solver = Lemke::new(LemkeSettings::default())?;
/// let mut basis = ActiveSet::new(2);
/// basis.set(0, true);
/// let mut x = Solution::default();
/// let report = solver.solve(&problem, Start::Basis(&basis), &mut x);
/// assert_eq!((report.status, report.iterations, report.pivots), (Status::Solved, 0, 0));
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub enum Start<'a> {
    /// From nothing; the solution passed in is ignored.
    #[default]
    Cold,
    /// From the solution passed in. An exact one is returned at once; one worse than `z = 0` is dropped.
    Warm,
    /// From a complementary basis, say the [`ActiveSet`] of the previous time step or of a solved sub-problem.
    /// A set of another length than the problem's is ignored.
    Basis(&'a ActiveSet),
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Status {
    /// The answer is certified on the original data: natural map within the tolerance, or within rounding.
    Solved,
    /// A limit on iterations or pivots stopped the solve.
    MaxIterations,
    /// The time allowed was over; see [`Solver::limit_time`].
    TimeLimit,
    /// Who watched the solve ended it; see [`watched`](crate::watched).
    Interrupted,
    /// A pivoting method ran off along a ray. For copositive-plus matrices this proves that the problem is
    /// infeasible; for others the method does not know.
    Ray,
    /// The problem has no solution, and the solver has a proof.
    Infeasible,
    /// No progress any more, short of the tolerance.
    Stalled,
    /// NaN or infinite data, or rounding beyond repair.
    NumericalFailure,
}

/// What a solve did, and how good its answer is.
///
/// How the solve got there is the *convergence history*, one form for all iterative solvers: [`Solver::history`] gives a
/// [`HistoryEntry`] for every iteration at which the natural map of the iterate was computed, with the number of the
/// iteration as [`Report::iterations`] counts them (0 at the start). It is empty unless the solver's settings ask for it by
/// `history: true`, and belongs to the last solve. Its memory is reused: it does not allocate in a second solve of no
/// larger size.
#[must_use = "a solver that did not reach its tolerance says so only here"]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How the solve ended.
    pub status: Status,
    /// Iterations of an iterative method, rounds of a block method.
    pub iterations: usize,
    /// Pivots of a pivoting method.
    pub pivots: usize,
    /// Residual of the returned answer, recomputed from it on the original problem.
    pub residual: Residual,
    /// The multiple of the (scaled) identity that was added to reach the answer; 0 if none.
    pub regularization: f64,
}

impl Report {
    /// The report on a problem whose data are not finite: no work was done, and there is no answer.
    pub const NOT_FINITE: Report = Report {
        status: Status::NumericalFailure,
        iterations: 0,
        pivots: 0,
        residual: Residual::INFINITE,
        regularization: 0.0,
    };
}

/// One entry of a convergence history; see [`Report`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Number of the iteration; 0 is the start.
    pub iteration: usize,
    /// Natural map of the iterate (dimensionless).
    pub natural_map: f64,
}

/// A method for problems of class `P`.
pub trait Solver<P: Problem + ?Sized> {
    /// Solves `problem` from `start`; the best answer found is left in `x`, of the problem's size whatever
    /// the status.
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report;

    /// The convergence history of the last solve, see [`Report`]; empty for methods that do not iterate, and where the
    /// settings do not ask for it.
    fn history(&self) -> &[HistoryEntry] {
        &[]
    }

    /// After [`Status::Infeasible`], of methods that can tell it: the multipliers `y` (n) that prove that the problem has no feasible
    /// point, `y >= 0`, `M^T y <= 0` up to rounding and `q . y < 0`, in the units of the problem; then no `z >= 0` has `w = M z + q >= 0`, because
    /// `y . w = z . M^T y + q . y < 0`. Otherwise empty.
    fn certificate(&self) -> &[f64] {
        &[]
    }

    /// Gives every later solve so many seconds at most; `None` takes the limit away. It is the setting `time_limit`, which
    /// every solver of this crate has: the clock is read between pivots, factorizations or sweeps, and when the time is
    /// over the best answer so far is returned, certified if it is good enough and with [`Status::TimeLimit`] if not. A solve
    /// without a limit reads no clock. Solvers that cannot be interrupted ignore it.
    fn limit_time(&mut self, seconds: Option<f64>) {
        let _ = seconds;
    }

    /// Gives every later solve so many steps of its method (factorizations, as [`Report::iterations`] counts them) at most, if that is
    /// less than its settings say; `None` takes the limit away. For those who have another way out where a solve takes long. Solvers
    /// that are never long ignore it.
    fn limit_iterations(&mut self, iterations: Option<usize>) {
        let _ = iterations;
    }

    /// Counts every later answer whose natural map is at most this as solved, in place of the solver's own tolerance; `None` is its own.
    /// For those whose large problems mean less by a digit than small ones. Solvers may ignore it.
    fn accept(&mut self, tolerance: Option<f64>) {
        let _ = tolerance;
    }
}
