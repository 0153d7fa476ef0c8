//! A start from pyramids: the friction cones cut to pyramids make a linear problem that Lemke's method solves whatever the
//! coefficients of friction.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`. Newton methods lose their way where many contacts of large friction hold few
//! bodies; pivoting does not, and finds out which contacts are open, stick and slide.
//!
//! # Method
//! 1. Every Coulomb cell gets a normal impulse, impulses along `k` directions that span the tangent plane, and the
//!    multiplier of the bound on their sum (Stewart and Trinkle); other cells stay as they are. A contact without slip
//!    counts as one of friction 1000.
//! 2. The first direction of a cell opposes the sliding velocity at the point of the state: where contacts slide as that
//!    says, the pyramid is as good as the cone.
//! 3. Lemke's method; its impulses are the next point of the state.
//!
//! # Convergence and failure
//! The pyramid's problem has a solution and Lemke's method finds it when the operator is positive semidefinite and all
//! biases are feasible. Its answer is off by the pyramid's error, and repeating the steps turns the directions along.
//!
//! # Cost
//! A dense problem of `(k + 2)` unknowns per contact, its pivots about that many or a few times more: cubic in the number of
//! contacts, so that islands of more than [`MOST_ROWS`] rows are left out.
//!
//! # References
//! D. Stewart, J. Trinkle, *An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb
//! friction*, International Journal for Numerical Methods in Engineering 39 (1996) 2673-2691.

use crate::cones::normalized::{Cell, Law};
use crate::cones::state::State;
use crate::linalg::dense::dot;
use crate::linalg::watch;
use crate::pivoting::{Lemke, LemkeSettings, Reduced};
use crate::problem::cones::cone::tangent_norm;
use crate::problem::{BoxLcp, ConeNcp, Solution, Solver, Start, Status};

/// Most rows of a problem that is cut to pyramids: 80 contacts, a second or so.
pub(crate) const MOST_ROWS: usize = 240;

/// Natural map to which the linear problem is solved.
const TOLERANCE: f64 = 1e-10;

/// A tangential velocity below this (in units of the largest) has no direction.
const RESTING: f64 = 1e-9;

/// An impulse of the linear problem: the vector it multiplies in the rows of its cell.
#[derive(Clone, Copy, Debug)]
struct Column {
    row: usize,
    dim: usize,
    axis: [f64; 3],
}

/// The linear problem and its solver.
#[derive(Debug, Default)]
pub(crate) struct Pyramids {
    lcp: BoxLcp,
    lemke: Option<Reduced<Lemke>>,
    solution: Solution,
    columns: Vec<Column>,
    dense: Vec<f64>,
    image: Vec<f64>,
}

impl Pyramids {
    /// Moves the state to the impulses of the problem with pyramids of `k` directions; whether there are any.
    pub(crate) fn guess(&mut self, state: &mut State, problem: &ConeNcp, k: usize) -> bool {
        if state.x.len() > MOST_ROWS {
            return false;
        }
        self.choose_columns(state, k);
        self.assemble(state, problem);
        if self.lemke.is_none() {
            self.lemke = Reduced::new(TOLERANCE, |tolerance| {
                Lemke::new(LemkeSettings { tolerance, ..LemkeSettings::default() })
            })
            .ok();
        }
        let Some(lemke) = &mut self.lemke else { return false };
        Solver::<BoxLcp>::limit_time(lemke, state.incumbent.budget().left());
        let report = watch::aside(|| lemke.solve(&self.lcp, Start::Cold, &mut self.solution));
        if report.status == Status::Solved {
            state.x.fill(0.0);
            for (column, z) in self.columns.iter().zip(&self.solution.z) {
                for k in 0..column.dim {
                    state.x[column.row + k] += column.axis[k] * z;
                }
            }
        }
        report.status == Status::Solved
    }

    /// Steps 1 and 2.
    fn choose_columns(&mut self, state: &State, k: usize) {
        self.columns.clear();
        for cell in &state.problem.cells {
            let mut push = |axis: [f64; 3]| {
                self.columns.push(Column { row: cell.row, dim: cell.dim, axis });
            };
            push([1.0, 0.0, 0.0]);
            let Some(_) = friction(cell) else { continue };
            if cell.dim == 2 {
                push([0.0, 1.0, 0.0]);
                push([0.0, -1.0, 0.0]);
                continue;
            }
            let y = &state.y[cell.rows()];
            let speed = tangent_norm(y);
            let first = if speed > RESTING { [-y[1] / speed, -y[2] / speed] } else { [1.0, 0.0] };
            for j in 0..k {
                let angle = 2.0 * std::f64::consts::PI * j as f64 / k as f64;
                let (c, s) = (libm::cos(angle), libm::sin(angle));
                push([0.0, c * first[0] - s * first[1], s * first[0] + c * first[1]]);
            }
        }
    }

    fn assemble(&mut self, state: &State, problem: &ConeNcp) {
        let n = state.x.len();
        state.problem.write_dense(problem, &mut self.dense, &mut Vec::new());
        let impulses = self.columns.len();
        let rubbing = state.problem.cells.iter().filter(|cell| friction(cell).is_some()).count();
        let size = impulses + rubbing;
        self.lcp.resize(size);
        self.lcp.matrix_mut().fill(0.0);
        self.lcp.q_mut().fill(0.0);
        self.image.resize(n, 0.0);
        for (j, column) in self.columns.iter().enumerate() {
            let mut padded = [0.0; 3];
            padded[..column.dim].copy_from_slice(&column.axis[..column.dim]);
            for (i, row) in self.dense.chunks_exact(n).enumerate() {
                self.image[i] = dot(&row[column.row..column.row + column.dim], &padded[..column.dim]);
            }
            let matrix = self.lcp.matrix_mut();
            for (i, other) in self.columns.iter().enumerate() {
                matrix[i * size + j] = along(other, &self.image);
            }
            self.lcp.q_mut()[j] = along(column, &state.problem.q);
        }
        self.bound(state, size, impulses);
    }

    /// Bounds of the impulses, and the rows of the multipliers.
    fn bound(&mut self, state: &State, size: usize, impulses: usize) {
        let (mut column, mut multiplier) = (0, impulses);
        for cell in &state.problem.cells {
            let (lower, upper) = match cell.law {
                Law::Free => (f64::NEG_INFINITY, f64::INFINITY),
                Law::Interval { lower, upper } => (lower, upper),
                _ => (0.0, f64::INFINITY),
            };
            // Bounds of a problem that was accepted are in order.
            let _ = self.lcp.set_bounds(column, lower, upper);
            let normal = column;
            column += 1;
            let Some(mu) = friction(cell) else { continue };
            self.lcp.matrix_mut()[multiplier * size + normal] = mu;
            while self.columns.get(column).is_some_and(|c| c.row == cell.row) {
                let matrix = self.lcp.matrix_mut();
                matrix[column * size + multiplier] = 1.0;
                matrix[multiplier * size + column] = -1.0;
                let _ = self.lcp.set_bounds(column, 0.0, f64::INFINITY);
                column += 1;
            }
            let _ = self.lcp.set_bounds(multiplier, 0.0, f64::INFINITY);
            multiplier += 1;
        }
    }
}

/// The coefficient of friction of a cell that has tangential impulses.
fn friction(cell: &Cell) -> Option<f64> {
    cell.friction().filter(|mu| *mu > 0.0)
}

fn along(column: &Column, vector: &[f64]) -> f64 {
    (0..column.dim).map(|k| column.axis[k] * vector[column.row + k]).sum()
}
