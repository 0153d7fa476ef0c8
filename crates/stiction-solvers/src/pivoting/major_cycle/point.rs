//! The point that the cycles move: how it is set up from a problem or a basis, kept true to the data, and read.

use super::{NOISE, Pivoting};
use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::{Square, dot_and_magnitude, largest_abs};
use crate::linalg::scaling::Scaling;
use crate::pivoting::blocks::active_block::Dependent;
use crate::pivoting::tableaus::cycle_watch::scramble;
use crate::problem::ActiveSet;
use crate::problem::linear::dense_linear::Linear;

/// Mirrored entries (equilibrated, so about 1) that differ by less are equal; refinement on the data absorbs it.
const SYMMETRIC: f64 = 1e-12;

/// An active `z_i` beyond a bound by less than this multiple of the largest is there by rounding.
const BEYOND: f64 = 1e-10;

impl Pivoting {
    /// Takes a problem; the point is the one nearest to zero in its box, and no index is active.
    pub(crate) fn load(&mut self, problem: &impl Linear) {
        let n = problem.dim();
        self.n = n;
        self.scaling.reserve(n);
        self.scaling.update(problem.matrix(), problem.constant());
        let Scaling { r, c, scale, .. } = &self.scaling;
        self.matrix.clear();
        reserve_to(&mut self.matrix, n * n);
        for (row, r) in problem.matrix().chunks_exact(n.max(1)).zip(r) {
            self.matrix.extend(row.iter().zip(c).map(|(m, c)| r * m * c));
        }
        self.q.clear();
        self.q.extend(problem.constant().iter().zip(r).map(|(q, r)| r * q / scale));
        self.bounds.clear();
        self.bounds.extend(c.iter().enumerate().map(|(i, c)| problem.bounds(i).map(|b| b / (c * scale))));
        self.symmetric = *r == *c && Square { n, entries: &self.matrix }.is_symmetric(SYMMETRIC);
        for vector in [&mut self.w, &mut self.noise, &mut self.dz, &mut self.dw] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        reserve_to(&mut self.column, n);
        self.pivots = 0;
        self.restart();
    }

    /// Sets the time that cycles may take.
    pub(crate) fn limit_time(&mut self, budget: Budget) {
        self.budget = budget;
        self.block.limit_time(budget);
    }

    /// Back to the point nearest to zero, and no active index.
    pub(super) fn restart(&mut self) {
        self.z.clear();
        self.z.extend(self.bounds.iter().map(|&[lower, upper]| 0f64.max(lower).min(upper)));
        self.block.reset(self.n, self.symmetric);
        for flags in [&mut self.active, &mut self.complementary, &mut self.given_up] {
            flags.clear();
            flags.resize(self.n, false);
        }
    }

    /// Moves the constants by `size` (of the largest of them) times numbers between 1 and 2 that have nothing to do with each
    /// other, so that no two events of a cycle come at the same time: `w_i` up where `z_i` has a lower bound, down where it
    /// has only an upper one. A feasible problem stays feasible. Zero takes them back.
    pub(crate) fn perturb(&mut self, problem: &impl Linear, size: f64) {
        let Scaling { r, scale, .. } = &self.scaling;
        for (i, q) in self.q.iter_mut().enumerate() {
            let [lower, upper] = self.bounds[i];
            let inwards = if lower.is_finite() {
                1.0
            } else if upper.is_finite() {
                -1.0
            } else {
                0.0
            };
            let number = 1.0 + (scramble(i as u64) >> 11) as f64 / (1u64 << 53) as f64;
            *q = r[i] * problem.constant()[i] / scale + size * inwards * number;
        }
    }

    /// Whether the matrix is symmetric.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Writes the active indices.
    pub(crate) fn active_set(&self, set: &mut ActiveSet) {
        set.clear();
        self.block.indices().iter().for_each(|&i| set.set(i, true));
    }

    /// Starts from the basic solution of `set`; the inactive stand where `z` (in the units of the problem) has them, if
    /// given, else nearest to zero. An index that depends on others is left out, and so are those beyond a bound
    /// ([`Pivoting::settle`]): what remains solves its principal sub-problem. A solved sub-problem's own active set
    /// remains as it is.
    pub(crate) fn start_from(&mut self, set: &ActiveSet, z: Option<&[f64]>) {
        self.restart();
        if let Some(z) = z {
            let Scaling { c, scale, .. } = &self.scaling;
            for (i, z) in z.iter().enumerate() {
                let [lower, upper] = self.bounds[i];
                self.z[i] = (z / (c[i] * scale)).max(lower).min(upper);
            }
        }
        for i in set.iter() {
            let matrix = Square { n: self.n, entries: &self.matrix };
            self.active[i] = self.block.enter(matrix, i).is_ok();
        }
        if self.settle().is_err() {
            self.restart();
        }
        self.pivots = 0;
        self.complementary.fill(false);
    }

    /// Computes the point of the active set anew. An index whose `z_i` is beyond a bound by more than rounding leaves, round
    /// after round, until none is.
    pub(super) fn settle(&mut self) -> Result<(), Dependent> {
        loop {
            self.refresh();
            let beyond = BEYOND * largest_abs(&self.z);
            let mut within = true;
            for at in (0..self.block.indices().len()).rev() {
                let i = self.block.indices()[at];
                let [lower, upper] = self.bounds[i];
                let inside = self.z[i].max(lower).min(upper);
                if (self.z[i] - inside).abs() > beyond {
                    within = false;
                    self.leave(at, inside)?;
                    self.complementary[i] = false;
                }
            }
            if within {
                return Ok(());
            }
        }
    }

    /// Corrects `z_a` from the problem and evaluates `w` anew.
    pub(super) fn refresh(&mut self) {
        self.evaluate();
        if !self.block.indices().is_empty() {
            self.column.clear();
            self.column.extend(self.block.indices().iter().map(|&i| self.w[i]));
            self.block.solve(&mut self.column);
            for (&i, step) in self.block.indices().iter().zip(&self.column) {
                self.z[i] -= step;
            }
            self.evaluate();
        }
        self.block.indices().iter().for_each(|&i| self.w[i] = 0.0);
    }

    /// `w = M z + q` and its noise.
    pub(super) fn evaluate(&mut self) {
        let rows = self.matrix.chunks_exact(self.n.max(1));
        for (i, row) in rows.enumerate() {
            let (sum, magnitude) = dot_and_magnitude(row, &self.z);
            self.w[i] = sum + self.q[i];
            self.noise[i] = NOISE * (magnitude + self.q[i].abs());
        }
    }

    /// Writes the point, in the units of the problem, and the active set.
    pub(crate) fn extract(&self, problem: &impl Linear, z: &mut [f64], set: &mut ActiveSet) {
        let Scaling { c, scale, .. } = &self.scaling;
        for (i, z) in z.iter_mut().enumerate() {
            let [lower, upper] = self.bounds[i];
            // A bound is met exactly, not through two scalings.
            *z = match self.z[i] {
                at if at == lower => problem.bounds(i)[0],
                at if at == upper => problem.bounds(i)[1],
                at => at * c[i] * scale,
            };
        }
        self.active_set(set);
    }

    /// One step of iterative refinement on the data of the problem: corrects the active `z` by what `w`, evaluated from
    /// them, is off.
    pub(crate) fn correct(&mut self, z: &mut [f64], w: &[f64]) {
        let Scaling { r, c, scale, .. } = &self.scaling;
        self.column.clear();
        self.column.extend(self.block.indices().iter().map(|&i| r[i] * w[i] / scale));
        self.block.solve(&mut self.column);
        for (&i, step) in self.block.indices().iter().zip(&self.column) {
            z[i] -= step * c[i] * scale;
        }
    }
}
