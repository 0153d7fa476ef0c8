//! A scalar complementary pair, `x v = 0` with both nonnegative.

/// The pair with its step. The pair of a bound that is not there is infinitely far from it: `x` is infinite, `v` zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    pub(super) x: f64,
    pub(super) v: f64,
    dx: f64,
    dv: f64,
    /// `dv + v / x dx` of the current right side.
    target: f64,
}

impl Pair {
    pub(super) fn new(x: f64, v: f64) -> Pair {
        Pair { x, v, ..Pair::default() }
    }

    /// The pair with `x - v = z` and `x v = gap`.
    pub(super) fn centred(z: f64, gap: f64) -> Pair {
        let larger = 0.5 * (z.abs() + (z * z + 4.0 * gap).sqrt());
        let smaller = gap / larger;
        if z >= 0.0 { Pair::new(larger, smaller) } else { Pair::new(smaller, larger) }
    }

    fn exists(&self) -> bool {
        self.x.is_finite()
    }

    pub(super) fn gap(&self) -> f64 {
        if self.exists() { self.x * self.v } else { 0.0 }
    }

    /// The square of the scaling.
    pub(super) fn ratio(&self) -> f64 {
        self.v / self.x
    }

    /// The right side for a gap of `sigma_gap`, with the product of the last step if `second_order`.
    pub(super) fn target(&mut self, sigma_gap: f64, second_order: bool) -> f64 {
        let correction = if second_order { self.dx * self.dv } else { 0.0 };
        let target = (sigma_gap - correction) / self.x - self.v;
        self.target = if self.exists() { target } else { 0.0 };
        self.target
    }

    /// Takes the step of `x` and finds that of `v`.
    pub(super) fn take(&mut self, dx: f64) {
        self.dx = dx;
        self.dv = self.target - self.ratio() * dx;
    }

    /// The largest step at most 1 that keeps both nonnegative.
    pub(super) fn largest_step(&self) -> f64 {
        let to_zero = |x: f64, dx: f64| if dx < 0.0 { (-x / dx).min(1.0) } else { 1.0 };
        if self.exists() { to_zero(self.x, self.dx).min(to_zero(self.v, self.dv)) } else { 1.0 }
    }

    /// Its product, `alpha` times the step on; `None` where one is not positive there, and infinite if there is no pair.
    pub(super) fn product(&self, alpha: f64) -> Option<f64> {
        let (x, v) = (self.x + alpha * self.dx, self.v + alpha * self.dv);
        if self.exists() { (x > 0.0 && v > 0.0).then_some(x * v) } else { Some(f64::INFINITY) }
    }

    pub(super) fn advance(&mut self, alpha: f64) {
        if self.exists() {
            self.x += alpha * self.dx;
            self.v += alpha * self.dv;
        }
    }
}
