//! The equations of a cone Newton step in the space of impulses, `(P + Q W) dx = b` with `P` and `Q` block diagonal by cells.
//!
//! A cell whose `Q` vanishes (an open contact) has `P = I`, so that its `dx` is `b`; it is taken out. What is left is
//! divided by the largest entry of each row and factored with partial pivoting: the matrix is not symmetric where
//! contacts slide.

use crate::cones::newton::alart_curnier::Block;
use crate::cones::normalized::Normalized;
use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::{dot, largest_abs};
use crate::linalg::lu::{Lu, Singular};

/// The system and its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseSystem {
    /// Rows that are not taken out.
    active: Vec<usize>,
    /// What each of them was multiplied by.
    inverse_size: Vec<f64>,
    /// Columns of the operator's rows of a cell that belong to active rows.
    gathered: Vec<f64>,
    /// The part of `b` that is its own solution.
    known: Vec<f64>,
    reduced: Vec<f64>,
    lu: Lu,
}

impl DenseSystem {
    /// Sets the time that factorizations may take; one that is cut short is singular.
    pub(crate) fn limit_time(&mut self, budget: Budget) {
        self.lu.budget = budget;
    }

    /// Reserves memory for problems of `n` rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.active, n);
        reserve_to(&mut self.inverse_size, n);
        reserve_to(&mut self.known, n);
        reserve_to(&mut self.gathered, 3 * n);
        reserve_to(&mut self.reduced, n);
        self.lu.reserve(n);
    }

    /// Factors the system with the dense operator `w` (row-major, compliance included).
    ///
    /// # Errors
    /// [`Singular`] to working precision.
    pub(crate) fn factor(
        &mut self,
        problem: &Normalized,
        w: &[f64],
        p: &[Block],
        q: &[Block],
    ) -> Result<(), Singular> {
        let n = problem.len();
        self.active.clear();
        for (cell, q) in problem.cells.iter().zip(q) {
            if *q != [0.0; 9] {
                self.active.extend(cell.rows());
            }
        }
        let count = self.active.len();
        self.inverse_size.clear();
        let matrix = self.lu.matrix_mut(count);
        let mut out = matrix.chunks_exact_mut(count.max(1));
        let mut first = 0;
        for (cell, (p, q)) in problem.cells.iter().zip(p.iter().zip(q)) {
            if *q == [0.0; 9] {
                continue;
            }
            let d = cell.dim;
            self.gathered.clear();
            for i in cell.rows() {
                let row = &w[i * n..(i + 1) * n];
                if count == n {
                    self.gathered.extend_from_slice(row);
                } else {
                    self.gathered.extend(self.active.iter().map(|&j| row[j]));
                }
            }
            for a in 0..d {
                let Some(row) = out.next() else { break };
                combine(&self.gathered, &q[a * d..(a + 1) * d], row);
                (0..d).for_each(|b| row[first + b] += p[a * d + b]);
                let largest = largest_abs(row);
                let size = if largest > 0.0 { largest } else { 1.0 };
                let inverse = 1.0 / size;
                row.iter_mut().for_each(|v| *v *= inverse);
                self.inverse_size.push(inverse);
            }
            first += d;
        }
        self.lu.factor()
    }

    /// Replaces `b` by the solution.
    pub(crate) fn solve(&mut self, problem: &Normalized, w: &[f64], q: &[Block], b: &mut [f64]) {
        let n = problem.len();
        self.known.clear();
        self.known.extend_from_slice(b);
        self.active.iter().for_each(|&i| self.known[i] = 0.0);
        let any_known = self.known.iter().any(|v| *v != 0.0);
        self.reduced.clear();
        for (cell, q) in problem.cells.iter().zip(q) {
            if *q == [0.0; 9] {
                continue;
            }
            let d = cell.dim;
            let mut through = [0.0; 3];
            if any_known {
                for (k, i) in cell.rows().enumerate() {
                    through[k] = dot(&w[i * n..(i + 1) * n], &self.known);
                }
            }
            for a in 0..d {
                let moved = (0..d).map(|k| q[a * d + k] * through[k]).sum::<f64>();
                let at = self.reduced.len();
                self.reduced.push((b[cell.row + a] - moved) * self.inverse_size[at]);
            }
        }
        self.lu.solve(&mut self.reduced);
        for (&i, x) in self.active.iter().zip(&self.reduced) {
            b[i] = *x;
        }
    }
}

/// `out = sum_k q_k row_k` over the rows in `rows`.
fn combine(rows: &[f64], q: &[f64], out: &mut [f64]) {
    let n = out.len();
    match *q {
        [q] => out.iter_mut().zip(rows).for_each(|(o, r)| *o = q * r),
        [q0, q1] => {
            let (r0, r1) = rows.split_at(n);
            for j in 0..n {
                out[j] = q0 * r0[j] + q1 * r1[j];
            }
        }
        [q0, q1, q2] => {
            let (r0, rest) = rows.split_at(n);
            let (r1, r2) = rest.split_at(n);
            for j in 0..n {
                out[j] = q0 * r0[j] + (q1 * r1[j] + q2 * r2[j]);
            }
        }
        _ => {}
    }
}
