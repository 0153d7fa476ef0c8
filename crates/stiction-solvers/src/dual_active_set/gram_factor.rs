//! The Cholesky factor of the products of the active rows, `Y_a Y_a^T = L L^T`.
//!
//! # Method
//! The products know `|s|^2` to `eps` only, and `|s|` to `1e-8`. So `r` and the new row `l` of the factor, `L l = Y_a y_i` and
//! `L^T r = l`, are corrected once by the products of the active rows with the rest `s` (corrected seminormal equations),
//! after which `|s|` itself is right to some `eps`.
//!
//! # Cost
//! With `k` active rows of `m` columns: `8 k m + 4 k^2` to resolve a row, nothing to append it, `3 k^2` at most to remove one.
//!
//! # References
//! A. Bjorck, *Stability analysis of the method of seminormal equations for linear least squares problems*, Linear Algebra
//! and its Applications 88/89 (1987) 31-48.

use super::factor::Factor;
use super::normal_rows::NormalRows;
use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;

/// A row (of length about one) depends on the active ones if `|s|` is below this multiple of `1 + |r|`. The products of
/// rows have the square of this for a pivot: near enough to `eps` that corrections of the solution still gain two
/// digits each.
const DEPENDENT: f64 = 1e-7;

/// See the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct GramFactor {
    factor: Cholesky,
    /// Of the row just resolved: its row of the factor, its rest `s`, and the products of that with the active rows.
    l: Vec<f64>,
    s: Vec<f64>,
    products: Vec<f64>,
    /// `|s|`.
    length: f64,
}

impl Factor for GramFactor {
    fn restart(&mut self, m: usize) {
        self.factor.clear();
        self.factor.reserve(m + 1);
        for vector in [&mut self.products, &mut self.l, &mut self.s] {
            vector.clear();
            reserve_to(vector, m + 2);
        }
    }

    fn resolve(&mut self, rows: &NormalRows, active: &[usize], i: usize, r: &mut Vec<f64>) -> f64 {
        let row = rows.row(i);
        self.l.clear();
        self.l.resize(active.len(), 0.0);
        r.clear();
        r.resize(active.len(), 0.0);
        self.s.clear();
        self.s.extend_from_slice(row);
        for _ in 0..2 {
            self.products.clear();
            self.products.extend(active.iter().map(|&j| dot(rows.row(j), &self.s)));
            self.factor.solve_lower(&mut self.products);
            self.l.iter_mut().zip(&self.products).for_each(|(l, step)| *l += step);
            self.factor.solve_upper(&mut self.products);
            r.iter_mut().zip(&self.products).for_each(|(r, step)| *r += step);
            self.s.copy_from_slice(row);
            for (&j, r) in active.iter().zip(&*r) {
                rows.push(j, -r, &mut self.s);
            }
        }
        self.length = dot(&self.s, &self.s).sqrt();
        if self.length > DEPENDENT * (1.0 + dot(r, r).sqrt()) { self.length * self.length } else { 0.0 }
    }

    fn move_point(&self, _: f64, _: &mut [f64]) -> bool {
        false // a row counts as dependent up to 1e-7: what is left of it must not be lost
    }

    fn append(&mut self) {
        self.l.push(self.length);
        self.factor.push(&self.l);
    }

    fn remove(&mut self, at: usize) {
        self.factor.remove(at);
    }

    fn solve(&self, b: &mut [f64]) {
        self.factor.solve(b);
    }
}
