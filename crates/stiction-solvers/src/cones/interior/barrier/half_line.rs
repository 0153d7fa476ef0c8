//! A cell whose first impulse is nonnegative and whose other ones vanish: one-sided rows, and contacts without friction.

use super::pair::Pair;
use super::{Barrier, Block, Products, REGULARIZATION};

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HalfLine {
    pair: Pair,
    /// `v - y`.
    defect: f64,
}

impl HalfLine {
    fn write(&self, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = self.pair.x;
    }
}

impl Barrier for HalfLine {
    fn degree(&self) -> f64 {
        1.0
    }

    fn begin(&mut self, size: f64, x: &mut [f64]) {
        self.pair = Pair::new(1.0, size);
        self.write(x);
    }

    fn gap(&self) -> f64 {
        self.pair.gap()
    }

    fn linearize(&mut self, y: &[f64], _: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        let d = y.len();
        (0..d).for_each(|k| p[k * (d + 1)] = 1.0);
        (p[0], q[0]) = (self.pair.ratio() + REGULARIZATION, 1.0);
        self.defect = self.pair.v - y[0];
        Some(())
    }

    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        b.fill(0.0);
        b[0] = self.pair.target(sigma_gap, second_order) + self.defect;
    }

    fn take(&mut self, step: &[f64]) {
        self.pair.take(step[0]);
    }

    fn largest_step(&self) -> f64 {
        self.pair.largest_step()
    }

    fn advance(&mut self, alpha: f64, _: &[f64], x: &mut [f64]) {
        self.pair.advance(alpha);
        self.write(x);
    }

    fn begin_centred(&mut self, z: &[f64], gap: f64, x: &mut [f64]) {
        self.pair = Pair::centred(z[0], gap);
        self.write(x);
    }

    fn products(&self, alpha: f64) -> Option<Products> {
        self.pair.product(alpha).map(Products::of)
    }
}
