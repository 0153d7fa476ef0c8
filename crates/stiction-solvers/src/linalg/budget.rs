//! The time a solve may take, and whether somebody ends it: long loops ask between two pivots, factorizations or sweeps.
//!
//! Without a limit no clock is read, and nobody asked without a [`watch`], so that such a solve depends on nothing but its data.

use std::time::{Duration, Instant};

use super::watch;

/// When a solve has to end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    end: Option<Instant>,
    watched: bool,
}

impl Budget {
    /// A budget of so many seconds from now; without end for `None`, or for more seconds than the clock can count. It is also
    /// over when who watches the solve, if anybody does now, ends it.
    pub(crate) fn from_now(seconds: Option<f64>) -> Budget {
        let end = seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok())
            .and_then(|time| Instant::now().checked_add(time));
        Budget { end, watched: watch::is_watched() }
    }

    /// Whether the time is over, or the solve has been ended.
    pub(crate) fn is_spent(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || self.is_interrupted()
    }

    /// Whether the solve has been ended by who watches it.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.watched && watch::is_interrupted()
    }

    /// What is left (s); `None` without an end.
    pub(crate) fn left(&self) -> Option<f64> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_after_its_time_and_none_never_does() {
        assert!(Budget::from_now(Some(0.0)).is_spent());
        let hour = Budget::from_now(Some(3600.0));
        assert!(!hour.is_spent() && hour.left().is_some_and(|left| left > 3000.0 && left <= 3600.0));
        for endless in [None, Some(f64::INFINITY), Some(1e300)] {
            let budget = Budget::from_now(endless);
            assert!(!budget.is_spent() && budget.left().is_none());
        }
    }
}
