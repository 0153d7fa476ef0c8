//! How far constraints are from being met: lengths and angles, which are never compared.

/// Overlap, or the error of bilateral rows: zero or positive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PositionError {
    /// Largest of the lengths (m).
    pub(crate) length: f64,
    /// Largest of the angles (rad).
    pub(crate) angle: f64,
}

impl PositionError {
    pub(crate) fn of_length(length: f64) -> Self {
        Self { length, angle: 0.0 }
    }

    /// An angle (rad) if `angular`, else a length (m).
    pub(crate) fn of(error: f64, angular: bool) -> Self {
        if angular { Self { length: 0.0, angle: error } } else { Self::of_length(error) }
    }

    /// The larger of both lengths, and of both angles. What is not a number stays so.
    pub(crate) fn max(self, other: Self) -> Self {
        Self { length: larger(self.length, other.length), angle: larger(self.angle, other.angle) }
    }

    /// Largest overlap among the gaps of a range's ends.
    pub(crate) fn of_gaps(gaps: impl Iterator<Item = f64>, angular: bool) -> Self {
        Self::of(gaps.fold(0.0, |worst: f64, gap| worst.max(-gap)), angular)
    }

    /// The larger number of the two: what a projection, which has one tolerance for both, works on.
    pub(crate) fn size(self) -> f64 {
        larger(self.length, self.angle)
    }
}

/// The larger of two violations; what is not a number stays so.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
