//! The last few merits of a non-monotone method: a point is accepted if it is better than the worst of them.
//!
//! # References
//! L. Grippo, F. Lampariello, S. Lucidi, *A nonmonotone line search technique for Newton's method*, SIAM Journal on
//! Numerical Analysis 23 (1986) 707-716.

use std::collections::VecDeque;

/// A ring of merits.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeritMemory {
    merits: VecDeque<f64>,
    length: usize,
}

impl MeritMemory {
    /// Reserves the workspace for `length` merits.
    pub(crate) fn reserve(&mut self, length: usize) {
        self.merits.reserve((length + 1).saturating_sub(self.merits.len()));
    }

    /// Forgets all, then remembers `merit`; from now on the last `length` ones (at least one) count.
    pub(crate) fn restart(&mut self, merit: f64, length: usize) {
        self.merits.clear();
        self.merits.push_back(merit);
        self.length = length.max(1);
    }

    /// Remembers `merit` and forgets the oldest beyond the length.
    pub(crate) fn push(&mut self, merit: f64) {
        self.merits.push_back(merit);
        while self.merits.len() > self.length {
            self.merits.pop_front();
        }
    }

    /// What a new merit is compared with.
    pub(crate) fn largest(&self) -> f64 {
        self.merits.iter().copied().fold(0.0, f64::max)
    }

    /// Whether only the last merit counts.
    pub(crate) fn is_monotone(&self) -> bool {
        self.length == 1
    }
}
