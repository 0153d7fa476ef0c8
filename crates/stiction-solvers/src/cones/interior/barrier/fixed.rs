//! A row whose impulse is given.

use super::{Barrier, Block, Products};

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    value: f64,
}

impl Fixed {
    /// An impulse of this value.
    pub(super) fn at(value: f64) -> Fixed {
        Fixed { value }
    }
}

impl Barrier for Fixed {
    fn degree(&self) -> f64 {
        0.0
    }

    fn begin(&mut self, _: f64, x: &mut [f64]) {
        x[0] = self.value;
    }

    fn gap(&self) -> f64 {
        0.0
    }

    fn linearize(&mut self, _: &[f64], _: Option<f64>, p: &mut Block, _: &mut Block) -> Option<()> {
        p[0] = 1.0;
        Some(())
    }

    fn target(&mut self, _: f64, _: bool, b: &mut [f64]) {
        b[0] = 0.0;
    }

    fn take(&mut self, _: &[f64]) {}

    fn largest_step(&self) -> f64 {
        1.0
    }

    fn advance(&mut self, _: f64, _: &[f64], x: &mut [f64]) {
        x[0] = self.value;
    }

    fn products(&self, _: f64) -> Option<Products> {
        Some(Products::NONE)
    }
}
