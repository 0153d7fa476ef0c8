//! The inertia with viscous friction, `M + h R`, in the space of velocities in which `M` is one.
//!
//! # Problem
//! Tangent rows `y_t` with `lambda_t = -d_t u_t`, `u_t = y_t . p + free_t`, where `p` is what all impulses push. With
//! `s = sum d_t free_t y_t` and the push `k` of the other impulses,
//! ```text
//! (I + sum d_t y_t y_t^T) p = k - s
//! ```
//!
//! # Method
//! The triangular `R` with `R^T R = I + sum d_t y_t y_t^T` by rotations, a row `sqrt(d_t) y_t` at a time. No product of rows is
//! formed, so that stiff friction costs half the digits that it would in Cholesky's factor. `m` velocities and `t` rows cost
//! `3 t m^2`.
//!
//! # References
//! G. Golub, C. Van Loan, *Matrix Computations*, 4th edition, 2013, sections 5.1.8 and 6.5.3.

use crate::contact::formulation::normal::dot;

/// The factor `R`, its rows of `m` entries. Allocates nothing for a problem no larger than one seen before.
#[derive(Debug, Default)]
pub(super) struct DampedInertia {
    m: usize,
    factor: Vec<f64>,
    /// The row that is rotated in.
    row: Vec<f64>,
}

impl DampedInertia {
    /// Without friction: one.
    pub(super) fn reset(&mut self, m: usize) {
        self.m = m;
        self.factor.clear();
        self.factor.resize(m * m, 0.0);
        (0..m).for_each(|i| self.factor[i * m + i] = 1.0);
        self.row.clear();
        self.row.resize(m, 0.0);
    }

    /// Adds `d y y^T`; `write` adds a multiple of `y` to a row of zeros.
    pub(super) fn add(&mut self, d: f64, write: impl FnOnce(f64, &mut [f64])) {
        self.row.fill(0.0);
        write(d.sqrt(), &mut self.row);
        for k in 0..self.m {
            let below = self.row[k];
            if below == 0.0 {
                continue;
            }
            let own = &mut self.factor[k * self.m + k..(k + 1) * self.m];
            let length = libm::hypot(own[0], below);
            let (c, s) = (own[0] / length, below / length);
            for (r, x) in own.iter_mut().zip(&mut self.row[k..]) {
                (*r, *x) = (c * *r + s * *x, c * *x - s * *r);
            }
        }
    }

    /// Replaces `b` by the solution of `R^T x = b`.
    pub(super) fn solve_transposed(&self, b: &mut [f64]) {
        for k in 0..self.m {
            let row = &self.factor[k * self.m..(k + 1) * self.m];
            let x = b[k] / row[k];
            b[k] = x;
            if x != 0.0 {
                b[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(b, r)| *b -= r * x);
            }
        }
    }

    /// Replaces `b` by the solution of `R x = b`.
    pub(super) fn solve(&self, b: &mut [f64]) {
        for k in (0..self.m).rev() {
            let row = &self.factor[k * self.m..(k + 1) * self.m];
            b[k] = (b[k] - dot(&row[k + 1..], &b[k + 1..])) / row[k];
        }
    }
}
