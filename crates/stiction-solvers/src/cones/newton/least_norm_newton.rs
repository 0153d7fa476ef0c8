//! Newton's method on the equations of Alart and Curnier with the solution of least norm in every step.
//!
//! # Problem
//! `F(x, y) = 0` with `y = W' x + q'` ([`alart_curnier`](crate::cones::newton::alart_curnier)), whose derivative
//! `A = I - D + D W'` is singular where impulses are not unique: a box on four corners.
//!
//! # Method
//! 1. `A x+ = A x - F` at the closed cells, the others zero: of its solutions the one of least norm
//!    ([`low_rank`](crate::linalg::low_rank)).
//! 2. Refinement: what rounding has left of it, by the same factors.
//! 3. Leave as soon as the natural map passes.
//!
//! # Convergence and failure
//! While modes stay (open, stick, slip) the equations are linear but for the direction of sliding: one step, to rounding, also of
//! nearly singular problems on which a weight of the norm converges slowly. Where modes change it may cycle; then it ends after a few
//! steps.
//!
//! # Cost
//! `2 n r^2` operations a step, with the rank `r` of the `n` closed rows.

use crate::cones::newton::alart_curnier::{derivative, equations};
use crate::cones::state::{Outcome, State};
use crate::linalg::capacity::{reserve_to, resize_unset};
use crate::linalg::dense::dot;
use crate::linalg::low_rank::LowRank;
use crate::problem::ConeNcp;

/// Rows above which equations in velocities, sparse by trees, are the faster ones.
const LARGEST: usize = 240;

/// Steps at most.
const STEPS: usize = 4;

/// A velocity up to this part of the largest free one may be none.
const RESTS: f64 = 1e-9;

/// Refinements of a step.
const REFINEMENTS: usize = 2;

/// The workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeastNormNewton {
    factors: LowRank,
    /// `W'`, where the state has it in factors.
    operator: Vec<f64>,
    /// Rows of the closed cells, and their equations.
    active: Vec<usize>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    left: Vec<f64>,
    answer: Vec<f64>,
    change: Vec<f64>,
    f: Vec<f64>,
}

impl LeastNormNewton {
    /// Reserves memory for problems of `n` rows.
    pub(crate) fn resize(&mut self, n: usize) {
        if n > LARGEST {
            return;
        }
        reserve_to(&mut self.active, n);
        reserve_to(&mut self.operator, n * n);
        reserve_to(&mut self.matrix, n * n);
        for list in [&mut self.right, &mut self.left, &mut self.answer, &mut self.change, &mut self.f] {
            reserve_to(list, n);
        }
        resize_unset(&mut self.f, n);
        self.factors.reserve(n);
    }

    /// Runs the method from the start of the state.
    pub(crate) fn run(&mut self, state: &mut State, problem: &ConeNcp) -> Outcome {
        if state.start.len() > LARGEST {
            return Outcome::Exhausted;
        }
        state.x.copy_from_slice(&state.start);
        if state.problem.dense().is_none() {
            state.problem.write_dense(problem, &mut self.operator, &mut self.matrix);
        }
        for _ in 0..STEPS {
            if state.look(problem) {
                return Outcome::Passed;
            }
            if !state.may_factor() {
                return Outcome::OutOfBudget;
            }
            if !self.step(state) {
                return Outcome::Exhausted;
            }
            state.incumbent.iterations += 1;
        }
        // Where data contradict each other by rounding nothing better is to be had.
        if state.look(problem) || state.is_good() { Outcome::Passed } else { Outcome::Exhausted }
    }

    /// Whether every closed cell is inside the set of its impulses and every open one moves: the answer is then of least norm among all,
    /// not only among those with its modes.
    pub(crate) fn is_of_least_norm(state: &State) -> bool {
        let moves = |rows: &[f64]| rows.iter().any(|y| y.abs() > RESTS);
        state.problem.cells.iter().zip(&state.derivative).all(|(cell, slope)| {
            let y = &state.y[cell.rows()];
            let held = (0..cell.dim).all(|a| slope[a * (cell.dim + 1)] == 1.0);
            held || moves(if slope[0] == 1.0 { &y[1..] } else { y })
        })
    }

    /// Steps 1 and 2 from the point of the state, whose velocities are computed; whether there is a solution.
    fn step(&mut self, state: &mut State) -> bool {
        self.linearize(state);
        state.incumbent.pivots += 1;
        let n = self.active.len();
        if !self.factors.factor(n, &self.matrix) {
            return false;
        }
        for list in [&mut self.answer, &mut self.change, &mut self.left] {
            resize_unset(list, n);
        }
        self.factors.solve(&self.right, &mut self.answer);
        for _ in 0..REFINEMENTS {
            for i in 0..n {
                self.left[i] = self.right[i] - dot(&self.matrix[i * n..(i + 1) * n], &self.answer);
            }
            self.factors.solve(&self.left, &mut self.change);
            self.answer.iter_mut().zip(&self.change).for_each(|(x, change)| *x += change);
        }
        state.x.fill(0.0);
        self.active.iter().zip(&self.answer).for_each(|(&i, x)| state.x[i] = *x);
        self.answer.iter().all(|x| x.is_finite())
    }

    /// The equations of step 1 of the closed cells.
    fn linearize(&mut self, state: &mut State) {
        let State { problem, x, y, derivative: slopes, .. } = state;
        let n = x.len();
        let operator = problem.dense().unwrap_or(&self.operator);
        equations(&problem.cells, problem.associated, x, y, 1.0, &mut self.f);
        derivative(&problem.cells, problem.associated, x, y, 1.0, slopes);
        self.active.clear();
        let closed = |slope: &[f64; 9]| *slope != [0.0; 9];
        for (cell, _) in problem.cells.iter().zip(slopes.iter()).filter(|(_, slope)| closed(slope)) {
            self.active.extend(cell.rows());
        }
        self.matrix.clear();
        self.right.clear();
        for (cell, slope) in problem.cells.iter().zip(slopes.iter()).filter(|(_, slope)| closed(slope)) {
            let d = cell.dim;
            for a in 0..d {
                let begin = self.matrix.len();
                self.matrix.resize(begin + self.active.len(), 0.0);
                let row = &mut self.matrix[begin..];
                let mut right = x[cell.row + a] - self.f[cell.row + a];
                for b in 0..d {
                    let (part, i) = (slope[a * d + b], cell.row + b);
                    right += part * (y[i] - problem.q[i] - x[i]);
                    if part != 0.0 {
                        let line = &operator[i * n..(i + 1) * n];
                        row.iter_mut().zip(&self.active).for_each(|(v, &j)| *v += part * line[j]);
                    }
                }
                let first = self.active.partition_point(|&i| i < cell.row);
                row[first + a] += 1.0;
                (0..d).for_each(|b| row[first + b] -= slope[a * d + b]);
                self.right.push(right);
            }
        }
    }
}
