//! Contact with friction by turns: a quadratic program for the normal impulses, one for friction.
//!
//! # Problem
//! [`ConeNcp`] in units of its own (`normalized.rs`); `N` are the normal rows of contacts and all rows of other kinds, `T` the
//! tangential rows.
//!
//! # Method
//! From the impulses `x` of the start:
//! 1. *Normal program*, friction known: `0 <= x_n  perp  (W' x + q')_n >= 0`, and the laws of the other kinds, for `x_N` at fixed
//!    `x_T`; Dantzig's method, from the active set of the turn before. Under the associated law normal rows have, instead
//!    of `y_n`, `y_n - mu |y_t|` with the velocity of the turn before.
//! 2. *Friction program*, normal impulses known: `min 1/2 x_T . W'_TT x_T + (q'_T + W'_TN x_N) . x_T`, `|x_t| <= mu x_n` for every
//!    contact (free where a contact without slip is active), over exact disks (`disk_program.rs`), to a thousandth of the error
//!    it begins with. NT10 take a polygon, and put both programs in velocities.
//! 3. Look at the natural map of the whole; go to 1 unless it passes. The best answer is kept.
//!
//! # Convergence and failure
//! A fixed-point iteration on the normal impulses: each program is convex and solved, but nothing says that the turns
//! approach each other. The error falls by a factor of the order of `mu` times the coupling of tangential and normal motion
//! a turn: of the 54 public problems 31 take at most 20 turns, and 50 at most 1000, to 1e-9. Strong friction, wedged or
//! stacked bodies make it slow, or let it run in circles. It then ends at the cap with the best answer
//! ([`Status::MaxIterations`]), or, when a turn changes nothing any more, as [`Status::Stalled`].
//! [`crate::cones::chain`] is the robust solver.
//!
//! # Cost
//! A factorization of the active normal rows and some of the tangential rows of closed contacts a turn, on a dense matrix
//! whatever the form of the operator. Problems of more than 2048 rows are not attempted: [`Status::MaxIterations`] at the
//! start.
//!
//! # References
//! B. D. Nguyen, J. C. Trinkle, *dvc3D: a three dimensional physical simulation tool for rigid bodies with contacts and
//! Coulomb friction*, 2010, section 5 (NT10). D. M. Kaufman, S. Sueda, D. L. James, D. K. Pai, *Staggered projections for
//! frictional contact in multibody systems*, ACM Transactions on Graphics 27 (2008) 164.

use serde::{Deserialize, Serialize};

use crate::cones::normalized::{Cell, Law, Normalized};
use crate::cones::splitting::disk_program::{Disk, DiskProgram};
use crate::cones::state::{Limits, State};
use crate::driver::check_limits;
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::dot;
use crate::linalg::watch;
use crate::pivoting::Dantzig;
use crate::problem::cones::cone::tangent_norm;
use crate::problem::{
    ActiveSet, BoxLcp, ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status,
};

/// Part of the friction program's natural map at the start of a turn that may be left: the next turn goes on from there.
const REST: f64 = 1e-3;

/// What [`QpSplit`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QpSplitSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]). Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Turns at most. Default 1000.
    pub max_iterations: usize,
    /// Whether to keep the natural map of every turn for [`QpSplit::history`]. Default false.
    pub history: bool,
}

impl Default for QpSplitSettings {
    fn default() -> QpSplitSettings {
        QpSplitSettings { tolerance: 1e-10, time_limit: None, max_iterations: 1000, history: false }
    }
}

impl QpSplitSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }
}

/// The method with its workspace; see the [module](self). `iterations` of the report counts turns, `pivots` those of the
/// normal programs.
#[derive(Clone, Debug, Default)]
pub struct QpSplit {
    settings: QpSplitSettings,
    state: State,
    normal: NormalProgram,
    friction: FrictionProgram,
    before: Vec<f64>,
}

impl QpSplit {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`QpSplitSettings::validate`].
    pub fn new(settings: QpSplitSettings) -> Result<QpSplit, SolverError> {
        settings.validate()?;
        Ok(QpSplit { settings, ..QpSplit::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }

    fn run(&mut self, problem: &ConeNcp) -> Status {
        let Self { settings, state, normal, friction, before } = self;
        normal.load(&state.problem);
        friction.load(&state.problem);
        for _ in 0..settings.max_iterations {
            if state.incumbent.is_out_of_time() {
                break;
            }
            state.incumbent.iterations += 1;
            normal.limit_time(state.incumbent.budget().left());
            before.clone_from(&state.x);
            watch::aside(|| {
                normal.solve(&state.problem, &mut state.x, &state.y); // step 1
                friction.solve(&state.problem, &mut state.x); // step 2
            });
            if state.look(problem) {
                return Status::Solved; // step 3
            }
            if *before == state.x {
                return Status::Stalled;
            }
            if !state.x.iter().all(|x| x.is_finite()) {
                return Status::NumericalFailure;
            }
        }
        Status::MaxIterations
    }
}

impl Solver<ConeNcp> for QpSplit {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let limits =
            Limits::of_descent(self.settings.tolerance, self.settings.time_limit, self.settings.history);
        if let Err(report) = self.state.open_dense(problem, limits, start, x) {
            return report;
        }
        let status = self.run(problem);
        self.state.incumbent.pivots = self.normal.pivots;
        self.state.close(problem, status, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

/// Step 1.
#[derive(Clone, Debug, Default)]
struct NormalProgram {
    /// The rows `N` with their cells.
    rows: Vec<Cell>,
    program: BoxLcp,
    dantzig: Dantzig,
    active: ActiveSet,
    answer: Solution,
    pivots: usize,
}

impl NormalProgram {
    fn limit_time(&mut self, seconds: Option<f64>) {
        Solver::<BoxLcp>::limit_time(&mut self.dantzig, seconds);
    }

    fn load(&mut self, problem: &Normalized) {
        self.pivots = 0;
        self.rows.clear();
        self.rows.extend(&problem.cells);
        self.program.resize(self.rows.len());
        self.active.resize(self.rows.len());
        self.active.clear();
        let Some(w) = problem.dense() else { return };
        let n = problem.len();
        for (cell, out) in
            self.rows.iter().zip(self.program.matrix_mut().chunks_exact_mut(self.rows.len().max(1)))
        {
            let row = &w[cell.row * n..(cell.row + 1) * n];
            out.iter_mut().zip(&self.rows).for_each(|(out, other)| *out = row[other.row]);
        }
        for (i, cell) in self.rows.iter().enumerate() {
            let [lower, upper] = match cell.law {
                Law::Free => [f64::NEG_INFINITY, f64::INFINITY],
                Law::Nonnegative | Law::Coulomb { .. } | Law::NoSlip => [0.0, f64::INFINITY],
                Law::Interval { lower, upper } => [lower, upper],
            };
            // The cell's own bounds are in order.
            let _ = self.program.set_bounds(i, lower, upper);
        }
    }

    /// Replaces the rows `N` of `x`; `y` are the velocities of the turn before.
    fn solve(&mut self, problem: &Normalized, x: &mut [f64], y: &[f64]) {
        let Some(w) = problem.dense() else { return };
        let n = problem.len();
        self.rows.iter().for_each(|cell| x[cell.row] = 0.0);
        for (cell, q) in self.rows.iter().zip(self.program.q_mut()) {
            *q = problem.q[cell.row] + dot(&w[cell.row * n..(cell.row + 1) * n], x);
            if let (Law::Coulomb { mu }, true) = (cell.law, problem.associated) {
                *q -= mu * tangent_norm(&y[cell.rows()]);
            }
        }
        let report = self.dantzig.solve(&self.program, Start::Basis(&self.active), &mut self.answer);
        self.pivots += report.pivots;
        self.active.clone_from(self.dantzig.active_set());
        self.rows.iter().zip(&self.answer.z).for_each(|(cell, z)| x[cell.row] = *z);
    }
}

/// Step 2.
#[derive(Clone, Debug, Default)]
struct FrictionProgram {
    program: DiskProgram,
    /// The tangential rows of closed contacts.
    rows: Vec<usize>,
    /// The forces that keep friction in its disks, row by row of the problem.
    forces: Vec<f64>,
}

impl FrictionProgram {
    fn load(&mut self, problem: &Normalized) {
        self.forces.clear();
        self.forces.resize(problem.len(), 0.0);
        let tangential = problem.cells.iter().map(|cell| cell.dim - 1).sum();
        reserve_to(&mut self.rows, tangential);
        self.program.reserve(tangential);
    }

    /// Replaces the rows `T` of `x`.
    fn solve(&mut self, problem: &Normalized, x: &mut [f64]) {
        let Some(w) = problem.dense() else { return };
        let n = problem.len();
        let Self { program, rows, forces } = self;
        rows.clear();
        program.disks.clear();
        program.x.clear();
        program.m.clear();
        for cell in &problem.cells {
            let radius = match cell.law {
                Law::Coulomb { mu } => mu * x[cell.row],
                Law::NoSlip if x[cell.row] > 0.0 => f64::INFINITY,
                _ => 0.0,
            };
            let tangents = cell.row + 1..cell.row + cell.dim;
            if radius > 0.0 {
                program.disks.push(Disk { row: rows.len(), dim: cell.dim - 1, radius });
                rows.extend(tangents.clone());
                program.x.extend_from_slice(&x[tangents.clone()]);
                program.m.extend_from_slice(&forces[tangents.clone()]);
            } else {
                forces[tangents.clone()].fill(0.0);
            }
            x[tangents].fill(0.0);
        }
        program.h.clear();
        program.c.clear();
        for &i in &*rows {
            let row = &w[i * n..(i + 1) * n];
            program.h.extend(rows.iter().map(|&j| row[j]));
            program.c.push(problem.q[i] + dot(row, x));
        }
        program.solve(REST);
        for (&i, (t, m)) in rows.iter().zip(program.x.iter().zip(&program.m)) {
            (x[i], forces[i]) = (*t, *m);
        }
    }
}
