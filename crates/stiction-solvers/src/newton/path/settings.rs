//! The settings of [`Path`](super::Path) and their defaults.

use serde::{Deserialize, Serialize};

use super::REGULARIZATIONS;
use crate::driver::check_limits;
use crate::problem::SolverError;

/// Settings of [`Path`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most Newton points of one attempt. Default 100.
    pub max_iterations: usize,
    /// Most pivots of one path. `None`: the larger of 5000 and `50 n`.
    pub max_pivots: Option<usize>,
    /// Rounds of the crash; 0 leaves it out. Default 20.
    pub crash_rounds: usize,
    /// Merits that the non-monotone stabilization looks back on; 1 is monotone. Default 10.
    pub memory: usize,
    /// Newton points accepted on trial, one after the other. Default 5.
    pub watchdog: usize,
    /// Further attempts from other points. Default 8.
    pub restarts: usize,
    /// Keep the natural map of every Newton point. Default false.
    pub history: bool,
}

impl Default for PathSettings {
    fn default() -> PathSettings {
        PathSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 100,
            max_pivots: None,
            crash_rounds: 20,
            memory: 10,
            watchdog: 5,
            restarts: 8,
            history: false,
        }
    }
}

impl PathSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }

    /// Most entries of the history: a Newton point and a searched one each iteration, and the covered paths.
    pub(super) fn history_limit(&self) -> usize {
        let points = self.max_iterations.saturating_mul(2);
        self.restarts.saturating_add(1).saturating_mul(points).saturating_add(REGULARIZATIONS.len())
    }

    /// The limit on the pivots of one path for a problem of `n` unknowns.
    pub(super) fn pivot_limit(&self, n: usize) -> usize {
        self.max_pivots.unwrap_or_else(|| n.saturating_mul(50).max(5000))
    }
}
