//! The residual of an answer, accumulated index by index: natural map, signs, products and the rounding floor.

use crate::problem::traits::Residual;

/// Collects the worst component of each measure.
#[derive(Default)]
pub(crate) struct ResidualAccumulator {
    residual: Residual,
    magnitude: f64,
    invalid: bool,
}

impl ResidualAccumulator {
    /// One index, already dimensionless; `magnitude` is `(|M||z| + |q|)_i` in the unit of `w`.
    pub(crate) fn add(&mut self, z: f64, w: f64, magnitude: f64) {
        let worst = &mut self.residual;
        worst.natural_map = worst.natural_map.max(z.min(w).abs());
        worst.primal = worst.primal.max(-z);
        worst.dual = worst.dual.max(-w);
        worst.complementarity = worst.complementarity.max((z * w).abs());
        self.magnitude = self.magnitude.max(magnitude);
        // f64::min and f64::max drop NaN; the product does not.
        self.invalid |= (z * w).is_nan() || magnitude.is_nan();
    }

    /// The same for an index with bounds `lower <= z <= upper`, which may be infinite, in the unit of `z`.
    pub(crate) fn add_bounded(&mut self, z: f64, w: f64, [lower, upper]: [f64; 2], magnitude: f64) {
        let projected = (z - w).max(lower).min(upper);
        let worst = &mut self.residual;
        worst.natural_map = worst.natural_map.max((z - projected).abs());
        worst.primal = worst.primal.max(lower - z).max(z - upper);
        // A finite bound may be pushed against; towards an infinite one w has no sign to have.
        let (bound, pushed) = if w > 0.0 { (lower, z - lower) } else { (upper, upper - z) };
        if bound.is_finite() {
            worst.complementarity = worst.complementarity.max((pushed * w).abs());
        } else {
            worst.dual = worst.dual.max(w.abs());
        }
        self.magnitude = self.magnitude.max(magnitude);
        self.invalid |= (z * w).is_nan() || magnitude.is_nan();
    }

    /// The residual, and the rounding floor of its natural map; infinite if a number is NaN.
    pub(crate) fn finish(self) -> (Residual, f64) {
        if self.invalid || !self.magnitude.is_finite() {
            (Residual::INFINITE, f64::INFINITY)
        } else {
            (self.residual, 16.0 * f64::EPSILON * self.magnitude)
        }
    }
}
