//! The rows of a factored problem, each of length about one, and the search for the row that is violated most.
//!
//! With `p = Y^T z` a factored problem reads: the impulses push along the rows `y_i`, and each row wants `w_i = y_i . p +
//! q_i >= 0` (the first `free` rows: `w_i = 0`). Rows are scaled by powers of two, which changes neither which rows are active nor
//! a single rounding, so that `w_i` is a distance in the space of `p`, in the unit of the largest `q_i`.

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::{dot, dot_and_magnitude, largest_abs};
use crate::linalg::scaling::power_of_two;
use crate::problem::FactoredLcp;

/// `w_i` within this multiple of its terms is zero: some ten times its rounding.
const NOISE: f64 = 1e-13;

/// A combination of rows proves that there is no solution if every point that it does not refute is at least so many times
/// as far as the largest scaled constant.
const FAR: f64 = 1e8;

/// The scaled rows of one problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct NormalRows {
    m: usize,
    free: usize,
    rows: Vec<f64>,
    q: Vec<f64>,
    /// `z_i = scale_i unit zhat_i`.
    scale: Vec<f64>,
    unit: f64,
}

impl NormalRows {
    /// Takes a problem whose first `free` unknowns are free.
    pub(crate) fn load(&mut self, problem: &FactoredLcp, free: usize) {
        let (n, m) = (problem.q().len(), problem.columns());
        (self.m, self.free) = (m, free);
        for (vector, size) in [(&mut self.rows, n * m), (&mut self.q, n), (&mut self.scale, n)] {
            vector.clear();
            reserve_to(vector, size);
        }
        for (i, q) in problem.q().iter().enumerate() {
            let row = problem.row(i);
            let largest = largest_abs(row);
            let length = largest * row.iter().map(|y| (y / largest) * (y / largest)).sum::<f64>().sqrt();
            let scale = if largest > 0.0 { power_of_two(1.0 / length) } else { 1.0 };
            self.rows.extend(row.iter().map(|y| scale * y));
            self.q.push(scale * q);
            self.scale.push(scale);
        }
        let largest = largest_abs(&self.q);
        self.unit = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        self.q.iter_mut().for_each(|q| *q /= self.unit);
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.q.len()
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.m
    }

    /// Number of leading rows whose multiplier is free.
    pub(crate) fn free(&self) -> usize {
        self.free
    }

    /// Row `i`.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.m..(i + 1) * self.m]
    }

    /// `w_i` at `p`, and what is zero for it.
    pub(crate) fn value(&self, i: usize, p: &[f64]) -> (f64, f64) {
        let (sum, magnitude) = dot_and_magnitude(self.row(i), p);
        (sum + self.q[i], NOISE * (magnitude + self.q[i].abs()))
    }

    /// Adds `step` times row `i` to `p`.
    pub(crate) fn push(&self, i: usize, step: f64, p: &mut [f64]) {
        p.iter_mut().zip(self.row(i)).for_each(|(p, y)| *p += step * y);
    }

    /// The inequality row with the most negative `w_i` at `p` (the least index of equals; with `first` the least index of
    /// all that are violated), if there is one beyond noise among those not `active`.
    pub(crate) fn most_violated(&self, p: &[f64], active: &[bool], first: bool) -> Option<usize> {
        let mut worst = (0.0, None);
        for i in self.free..self.len() {
            // The plain product first: most rows are not violated.
            if active[i] || dot(self.row(i), p) + self.q[i] >= worst.0 {
                continue;
            }
            let (w, noise) = self.value(i, p);
            if w < -noise && w < worst.0 {
                worst = (w, Some(i));
                if first {
                    break;
                }
            }
        }
        worst.1
    }

    /// Whether `sum_i lambda_i w_i < 0` at every point within reach, for the given rows and multipliers (positive, or of
    /// free rows): then the rows contradict each other. With `s = sum_i lambda_i y_i` that sum is `s . p + lambda . q`.
    pub(crate) fn contradict(&self, multipliers: impl Iterator<Item = (usize, f64)>, s: &mut [f64]) -> bool {
        s.fill(0.0);
        let (mut sum, mut size) = (0.0, 0.0);
        for (i, lambda) in multipliers {
            if i >= self.free && lambda < 0.0 {
                return false;
            }
            self.push(i, lambda, s);
            sum += lambda * self.q[i];
            size += (lambda * self.q[i]).abs();
        }
        let left = dot(s, s).sqrt();
        sum < 0.0 && -sum > 1e-10 * size && -sum > FAR * left
    }

    /// Multiplier of row `i` in the units of the problem.
    pub(crate) fn impulse(&self, i: usize, z: f64) -> f64 {
        z * self.scale[i] * self.unit
    }
}
