//! The convergence history of a solve: natural maps by iteration number.

use crate::linalg::capacity::reserve_to;
use crate::problem::HistoryEntry;

/// Entries for which memory is reserved before a solve; longer histories grow as they are written.
const LONGEST_RESERVED: usize = 100_000;

/// The history of the last solve; empty where the settings do not ask for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    entries: Vec<HistoryEntry>,
    wanted: bool,
}

impl History {
    /// Forgets the last solve, and reserves memory for `limit` entries if a history is wanted.
    pub(crate) fn restart(&mut self, wanted: bool, limit: usize) {
        self.entries.clear();
        self.wanted = wanted;
        if wanted {
            reserve_to(&mut self.entries, limit.min(LONGEST_RESERVED));
        }
    }

    /// Whether there is a history to write.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Adds an entry if a history is wanted.
    pub(crate) fn record(&mut self, iteration: usize, natural_map: f64) {
        if self.wanted {
            self.entries.push(HistoryEntry { iteration, natural_map });
        }
    }

    /// The entries, in the order of the iterations.
    pub(crate) fn entries(&self) -> &[HistoryEntry] {
        &self.entries
    }
}
