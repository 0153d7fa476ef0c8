//! A contact without slip: the normal impulse is nonnegative, the tangential ones are free, as if the contact were active.

use super::pair::Pair;
use super::{Barrier, Block, Products, REGULARIZATION};

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sticking {
    normal: Pair,
    /// `v - y_n`.
    defect: f64,
    /// What the velocities lack.
    lack: [f64; 3],
}

impl Barrier for Sticking {
    fn degree(&self) -> f64 {
        1.0
    }

    fn begin(&mut self, size: f64, x: &mut [f64]) {
        self.normal = Pair::new(1.0, size);
        x.fill(0.0);
        x[0] = self.normal.x;
    }

    fn gap(&self) -> f64 {
        self.normal.gap()
    }

    fn linearize(&mut self, y: &[f64], _: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        let d = y.len();
        for (k, y) in y.iter().enumerate() {
            (p[k * (d + 1)], q[k * (d + 1)]) = (REGULARIZATION, 1.0);
            self.lack[k] = -y;
        }
        p[0] += self.normal.ratio();
        self.defect = self.normal.v - y[0];
        Some(())
    }

    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        b.copy_from_slice(&self.lack[..b.len()]);
        b[0] = self.normal.target(sigma_gap, second_order) + self.defect;
    }

    fn take(&mut self, step: &[f64]) {
        self.normal.take(step[0]);
    }

    fn largest_step(&self) -> f64 {
        self.normal.largest_step()
    }

    fn advance(&mut self, alpha: f64, step: &[f64], x: &mut [f64]) {
        self.normal.advance(alpha);
        x[0] = self.normal.x;
        x[1..].iter_mut().zip(&step[1..]).for_each(|(x, step)| *x += alpha * step);
    }

    fn begin_centred(&mut self, z: &[f64], gap: f64, x: &mut [f64]) {
        self.normal = Pair::centred(z[0], gap);
        x.fill(0.0);
        x[0] = self.normal.x;
    }

    fn products(&self, alpha: f64) -> Option<Products> {
        self.normal.product(alpha).map(Products::of)
    }
}
