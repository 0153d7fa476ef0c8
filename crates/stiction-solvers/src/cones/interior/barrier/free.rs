//! A row whose impulse is free: `y = 0`.

use super::{Barrier, Block, Products, REGULARIZATION};

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Free {
    /// What the velocity lacks.
    target: f64,
}

impl Barrier for Free {
    fn degree(&self) -> f64 {
        0.0
    }

    fn begin(&mut self, _: f64, x: &mut [f64]) {
        x[0] = 0.0;
    }

    fn gap(&self) -> f64 {
        0.0
    }

    fn linearize(&mut self, y: &[f64], _: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        (p[0], q[0]) = (REGULARIZATION, 1.0);
        self.target = -y[0];
        Some(())
    }

    fn target(&mut self, _: f64, _: bool, b: &mut [f64]) {
        b[0] = self.target;
    }

    fn take(&mut self, _: &[f64]) {}

    fn largest_step(&self) -> f64 {
        1.0
    }

    fn advance(&mut self, alpha: f64, step: &[f64], x: &mut [f64]) {
        x[0] += alpha * step[0];
    }

    fn products(&self, _: f64) -> Option<Products> {
        Some(Products::NONE)
    }
}
