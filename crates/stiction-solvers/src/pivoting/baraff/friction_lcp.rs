//! The problem: normal forces and, bounded by them, friction.
//!
//! The bounds of the friction indices follow the normal force they belong to, so that the residual is that of a box whose sides
//! are what the answer makes them.

use crate::linalg::dense::{dot, dot_and_magnitude};
use crate::problem::residual::{Assessed, Dense};
use crate::problem::{Problem, Residual, Solution};

/// The law of an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IndexLaw {
    /// `0 <= z  perp  w >= 0`.
    Normal,
    /// `|z| <= mu z_n`, against `w`.
    Friction {
        /// Its normal index.
        normal: usize,
        /// Coefficient, finite and at least 0.
        mu: f64,
    },
}

/// A linear complementarity problem with friction; see the [module documentation](self).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionLcp {
    /// `n * n` entries, row-major.
    pub matrix: Vec<f64>,
    /// The constant vector.
    pub q: Vec<f64>,
    /// The law of each index.
    pub laws: Vec<IndexLaw>,
}

impl FrictionLcp {
    /// Makes this the problem without matrix and vector for the present laws; capacity is kept.
    pub fn clear_data(&mut self) {
        let n = self.laws.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.q.clear();
        self.q.resize(n, 0.0);
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        let n = self.q.len();
        &self.matrix[i * n..(i + 1) * n]
    }

    /// Bound of a friction index; infinite for a normal one.
    pub(super) fn bound(&self, i: usize, z: &[f64]) -> f64 {
        match self.laws[i] {
            IndexLaw::Normal => f64::INFINITY,
            IndexLaw::Friction { normal, mu } => mu * z[normal].max(0.0),
        }
    }

    pub(super) fn assess(&self, z: &[f64]) -> (Residual, f64) {
        let n = self.q.len();
        let known = self.laws.iter().all(|law| match law {
            IndexLaw::Normal => true,
            IndexLaw::Friction { normal, mu } => {
                self.laws.get(*normal) == Some(&IndexLaw::Normal) && *mu >= 0.0 && mu.is_finite()
            }
        });
        if z.len() != n || self.matrix.len() != n * n || self.laws.len() != n || !known {
            return (Residual::INFINITE, f64::INFINITY);
        }
        let mut assessed = Assessed::begin();
        for i in 0..n {
            let (sum, magnitude) = dot_and_magnitude(self.row(i), z);
            assessed.push(sum + self.q[i], self.q[i], magnitude);
        }
        assessed.finish(&Dense(&self.matrix), z, |i| match self.laws[i] {
            IndexLaw::Normal => [0.0, f64::INFINITY],
            IndexLaw::Friction { .. } => [-self.bound(i, z), self.bound(i, z)],
        })
    }
}

impl Problem for FrictionLcp {
    fn dim(&self) -> usize {
        self.q.len()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        for i in 0..self.q.len() {
            w[i] = dot(self.row(i), z) + self.q[i];
        }
    }

    /// The set depends on `z` itself: normals first, then friction within what they allow.
    fn project(&self, z: &mut [f64]) {
        for i in 0..z.len() {
            if self.laws[i] == IndexLaw::Normal {
                z[i] = z[i].max(0.0);
            }
        }
        for i in 0..z.len() {
            let bound = self.bound(i, z);
            if self.laws[i] != IndexLaw::Normal {
                z[i] = z[i].clamp(-bound, bound);
            }
        }
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.assess(&x.z).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.assess(&x.z).1
    }
}
