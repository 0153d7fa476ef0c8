//! Nonsmooth Gauss-Seidel: contact after contact, each solved exactly with the newest impulses of the others.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`.
//!
//! # Method
//! 1. The diagonal blocks of the operator, once.
//! 2. For every cell in turn: its velocity without its own impulse, and the exact solution of its own problem (`local`). With
//!    a factored operator `W = Y Y^T` the sums `p = Y^T x` are kept up to date, so that no block of `W` is ever formed.
//! 3. Every few sweeps look at the natural map; stop when it passes.
//!
//! # Convergence and failure
//! Linear, slow for stacks and hopeless for large ratios of masses: among methods that factor nothing the simplest, for rough
//! answers. There is no proof for Coulomb's law.
//!
//! # Cost
//! One product with the operator a sweep.
//!
//! # References
//! F. Jourdan, P. Alart, M. Jean, *A Gauss-Seidel like algorithm to solve frictional contact problems*, Computer Methods in
//! Applied Mechanics and Engineering 155 (1998) 31-47.

use crate::cones::newton::alart_curnier::Block;
use crate::cones::single_contact;
use crate::cones::state::{Limits, State};
use crate::linalg::dense::dot;
use crate::problem::{ConeNcp, Delassus, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status};
use crate::sweeps::PgsSettings;

/// Sweeps between two looks at the natural map, which costs as much as one.
const LOOK_EVERY: usize = 4;

/// What [`Nsgs`] is told: the same as the sweeps over single rows.
pub type NsgsSettings = PgsSettings;

/// Nonsmooth Gauss-Seidel; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    settings: NsgsSettings,
    state: State,
    diagonal: Vec<Block>,
    /// `Y^T S x` of a factored operator.
    sums: Vec<f64>,
    /// Block of the problem that each cell belongs to, and its first row there.
    owner: Vec<[usize; 2]>,
}

impl Nsgs {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`PgsSettings::validate`].
    pub fn new(settings: NsgsSettings) -> Result<Nsgs, SolverError> {
        settings.validate()?;
        Ok(Nsgs { settings, ..Nsgs::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }

    /// Step 1.
    fn prepare(&mut self, problem: &ConeNcp) {
        let p = &self.state.problem;
        self.diagonal.resize(p.cells.len(), [0.0; 9]);
        self.owner.clear();
        let starts = problem.starts();
        let mut block = 0;
        for cell in &p.cells {
            while starts[block + 1] <= cell.row {
                block += 1;
            }
            self.owner.push([block, cell.row - starts[block]]);
        }
        self.sums.clear();
        self.sums.resize(if let Delassus::Factored(y) = problem.delassus() { y.columns } else { 0 }, 0.0);
        for (i, cell) in p.cells.iter().enumerate() {
            let d = cell.dim;
            let mut w = [0.0; 9];
            let [owner, first] = self.owner[i];
            for a in 0..d {
                for b in 0..d {
                    let (r, c) = (cell.row + a, cell.row + b);
                    let entry = match (p.dense(), problem.delassus()) {
                        (Some(w), _) => w[r * p.len() + c],
                        (None, Delassus::Factored(y)) => {
                            p.scale[r] * p.scale[c] * y.entry(owner, first + a, first + b)
                        }
                        (None, Delassus::Sparse(m)) => {
                            p.scale[r] * p.scale[c] * m.entry(owner, first + a, first + b)
                        }
                        (None, Delassus::Dense(w)) => p.scale[r] * p.scale[c] * w[r * p.len() + c],
                    };
                    let soft = if a == b && p.dense().is_none() { p.compliance[r] } else { 0.0 };
                    w[a * d + b] = entry + soft;
                }
            }
            self.diagonal[i] = w;
        }
    }

    /// Step 2.
    fn sweep(&mut self, problem: &ConeNcp) {
        let relaxation = self.settings.relaxation;
        let state = &mut self.state;
        let (p, x) = (&state.problem, &mut state.x);
        if let (None, Delassus::Factored(y)) = (p.dense(), problem.delassus()) {
            self.sums.fill(0.0);
            for (cell, owner) in p.cells.iter().zip(&self.owner) {
                (0..cell.dim).for_each(|a| {
                    let row = cell.row + a;
                    y.add_row(owner[0], owner[1] + a, p.scale[row] * x[row], &mut self.sums);
                });
            }
        }
        for (i, cell) in p.cells.iter().enumerate() {
            let d = cell.dim;
            let w = &self.diagonal[i];
            let [owner, first] = self.owner[i];
            let mut b = [0.0; 3];
            for a in 0..d {
                let row = cell.row + a;
                let velocity = match (p.dense(), problem.delassus()) {
                    (Some(w), _) => dot(&w[row * p.len()..(row + 1) * p.len()], x),
                    (None, Delassus::Factored(y)) => {
                        p.scale[row] * y.row_product(owner, first + a, &self.sums)
                            + p.compliance[row] * x[row]
                    }
                    (None, Delassus::Sparse(m)) => {
                        let scaled = |j: usize| p.scale[j] * x[j];
                        p.scale[row] * m.row_product(owner, first + a, scaled) + p.compliance[row] * x[row]
                    }
                    (None, Delassus::Dense(_)) => 0.0,
                };
                let own = (0..d).map(|c| w[a * d + c] * x[cell.row + c]).sum::<f64>();
                b[a] = velocity + p.q[row] - own;
            }
            let mut before = [0.0; 3];
            before[..d].copy_from_slice(&x[cell.rows()]);
            single_contact::solve(cell, p.associated, w, &b, &mut x[cell.rows()]);
            for a in 0..d {
                let row = cell.row + a;
                x[row] = before[a] + relaxation * (x[row] - before[a]);
                if let (None, Delassus::Factored(y)) = (p.dense(), problem.delassus()) {
                    y.add_row(owner, first + a, p.scale[row] * (x[row] - before[a]), &mut self.sums);
                }
            }
        }
    }
}

impl Solver<ConeNcp> for Nsgs {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let NsgsSettings { tolerance, time_limit, max_iterations, history, .. } = self.settings;
        let limits = Limits::of_descent(tolerance, time_limit, history);
        if let Err(report) = self.state.open_sparse(problem, limits, start, x) {
            return report;
        }
        self.prepare(problem);
        for k in 1..=max_iterations {
            self.sweep(problem);
            self.state.incumbent.iterations = k;
            let over = k == max_iterations || self.state.incumbent.is_out_of_time();
            if (k % LOOK_EVERY == 0 || over) && self.state.look(problem) {
                return self.state.close(problem, Status::Solved, x);
            }
            if over {
                break;
            }
        }
        self.state.close(problem, Status::MaxIterations, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
