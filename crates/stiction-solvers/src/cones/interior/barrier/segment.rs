//! A row whose impulse is between bounds, of which one may be infinite.

use super::pair::Pair;
use super::{Barrier, Block, Products, REGULARIZATION};

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    lower: f64,
    upper: f64,
    /// `(x - lower, v_l)` and `(upper - x, v_u)`.
    sides: [Pair; 2],
    /// `v_l - v_u - y`.
    defect: f64,
}

impl Segment {
    /// An impulse between these bounds.
    pub(super) fn between(lower: f64, upper: f64) -> Segment {
        Segment { lower, upper, sides: [Pair::default(); 2], defect: 0.0 }
    }

    fn write(&self, x: &mut [f64]) {
        x[0] =
            if self.lower.is_finite() { self.lower + self.sides[0].x } else { self.upper - self.sides[1].x };
    }
}

impl Barrier for Segment {
    fn degree(&self) -> f64 {
        f64::from(u8::from(self.lower.is_finite())) + f64::from(u8::from(self.upper.is_finite()))
    }

    fn begin(&mut self, size: f64, x: &mut [f64]) {
        let both = self.lower.is_finite() && self.upper.is_finite();
        let half = if both { 0.5 * (self.upper - self.lower) } else { 1.0 };
        let side = |bound: f64| {
            if bound.is_finite() { Pair::new(half, size) } else { Pair::new(f64::INFINITY, 0.0) }
        };
        self.sides = [side(self.lower), side(self.upper)];
        self.write(x);
    }

    fn gap(&self) -> f64 {
        self.sides[0].gap() + self.sides[1].gap()
    }

    fn linearize(&mut self, y: &[f64], _: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        let [lower, upper] = &self.sides;
        (p[0], q[0]) = (lower.ratio() + upper.ratio() + REGULARIZATION, 1.0);
        self.defect = lower.v - upper.v - y[0];
        Some(())
    }

    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        let [lower, upper] = &mut self.sides;
        b[0] = lower.target(sigma_gap, second_order) - upper.target(sigma_gap, second_order) + self.defect;
    }

    fn take(&mut self, step: &[f64]) {
        self.sides[0].take(step[0]);
        self.sides[1].take(-step[0]);
    }

    fn largest_step(&self) -> f64 {
        self.sides[0].largest_step().min(self.sides[1].largest_step())
    }

    fn advance(&mut self, alpha: f64, _: &[f64], x: &mut [f64]) {
        self.sides.iter_mut().for_each(|side| side.advance(alpha));
        self.write(x);
    }

    fn products(&self, alpha: f64) -> Option<Products> {
        let [lower, upper] = &self.sides;
        Some(Products::of(lower.product(alpha)?).and(Products::of(upper.product(alpha)?)))
    }
}
