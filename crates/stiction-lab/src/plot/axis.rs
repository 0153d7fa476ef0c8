//! Axes: from numbers to places, and the round numbers beside them.

/// What equal distances on an axis mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences. The axis is at least so long: differences far below are no news.
    Linear {
        /// Least length, in the axis' unit.
        at_least: f64,
    },
    /// Equal ratios, whole decades. Numbers below the floor are drawn on it; without one (0) they are left out.
    Log {
        /// Least number, in the axis' unit.
        floor: f64,
    },
}

impl Scale {
    /// A linear axis as long as its numbers need.
    pub const LINEAR: Scale = Scale::Linear { at_least: 0.0 };
    /// A logarithmic axis of the positive numbers.
    pub const LOG: Scale = Scale::Log { floor: 0.0 };

    /// Where a number is on the axis, in its own measure; none if it is not on it.
    pub(super) fn measure(self, value: f64) -> Option<f64> {
        let measure = match self {
            Scale::Linear { .. } => value,
            Scale::Log { floor } => value.max(floor).log10(),
        };
        // The logarithm of zero is infinite, that of a negative number is not a number.
        measure.is_finite().then_some(measure)
    }
}

/// Numbers that a linear axis has about, and that a logarithmic one has at most.
const TICKS: f64 = 6.0;

/// An axis from low to high, in the measure of its scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// Around these measures, of which there is at least one.
    pub(super) fn around(scale: Scale, measures: impl Iterator<Item = f64> + Clone) -> Axis {
        let low = measures.clone().fold(f64::INFINITY, f64::min);
        let high = measures.fold(f64::NEG_INFINITY, f64::max);
        match scale {
            Scale::Linear { at_least } => {
                // Ticks below the rounding of the values would be all the same.
                let span = at_least.max(1e-9 * low.abs().max(high.abs())).max(f64::MIN_POSITIVE);
                if high - low > span {
                    return Axis { scale, low, high };
                }
                let (middle, half) = (0.5 * (low + high), 0.5 * span);
                Axis { scale, low: middle - half, high: middle + half }
            }
            Scale::Log { .. } => {
                let low = low.floor();
                Axis { scale, low, high: high.ceil().max(low + 1.0) }
            }
        }
    }

    /// The share of the axis below a measure, 0 to 1.
    pub(super) fn share(self, measure: f64) -> f64 {
        (measure - self.low) / (self.high - self.low)
    }

    /// Measures with the texts beside them.
    pub(super) fn ticks(self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear { .. } => self.round_numbers(),
            Scale::Log { .. } => self.decades(),
        }
    }

    fn round_numbers(self) -> Vec<(f64, String)> {
        let raw = (self.high - self.low) / TICKS;
        let decade = 10_f64.powf(raw.log10().floor());
        let step = decade * [1.0, 2.0, 5.0].into_iter().find(|m| m * decade >= raw).unwrap_or(10.0);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).max(0.0) as usize;
        let ticks = (0..=count).map(|k| (first + k as f64) * step);
        ticks.map(|tick| (tick, format!("{tick:.digits$}"))).collect()
    }

    /// Powers of ten, every other or fewer where there are many.
    fn decades(self) -> Vec<(f64, String)> {
        let (low, high) = (self.low as i32, self.high as i32);
        let stride = (high - low) / TICKS as i32 + 1;
        let name = |decade: i32| {
            if (0..=4).contains(&decade) {
                format!("{}", 10_i32.pow(decade as u32))
            } else {
                format!("1e{decade}")
            }
        };
        (low..=high).step_by(stride.max(1) as usize).map(|decade| (f64::from(decade), name(decade))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(low: f64, high: f64) -> Axis {
        Axis { scale: Scale::LINEAR, low, high }
    }

    #[test]
    fn ticks_are_round_and_on_the_axis() {
        let texts = |axis: Axis| axis.ticks().into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(texts(linear(0.0, 20.0)), ["0", "5", "10", "15", "20"]);
        assert_eq!(texts(linear(-0.031, 0.052)), ["-0.02", "0.00", "0.02", "0.04"]);
        assert_eq!(texts(Axis { scale: Scale::LOG, low: -1.0, high: 2.0 }), ["1e-1", "1", "10", "100"]);
        assert_eq!(texts(Axis { scale: Scale::LOG, low: -16.0, high: 0.0 }).len(), 6);
    }

    #[test]
    fn numbers_that_hardly_differ_have_a_linear_axis_around_them_and_one_decade_on_a_logarithmic_one() {
        let Axis { low, high, .. } = Axis::around(Scale::Linear { at_least: 2.0 }, [2.0, 2.0].into_iter());
        assert_eq!([low, high], [1.0, 3.0]);
        let Axis { low, high, .. } = Axis::around(Scale::LOG, [1.0, 1.0].into_iter());
        assert_eq!([low, high], [1.0, 2.0]);
    }

    #[test]
    fn what_is_not_positive_is_not_on_a_logarithmic_axis_unless_it_has_a_floor() {
        assert_eq!(Scale::LOG.measure(0.0), None);
        assert_eq!(Scale::LOG.measure(-1.0), None);
        assert_eq!(Scale::Log { floor: 1e-3 }.measure(0.0), Some(-3.0));
        assert_eq!(Scale::LINEAR.measure(f64::NAN), None);
    }
}
