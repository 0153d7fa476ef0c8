//! A load report in the making: each note once, however often a reader comes past its place.

use crate::scene::load_report::{LoadReport, ReportEntry};
use std::collections::HashSet;

/// A report in the making.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) report: LoadReport,
    /// For finding repeated entries; never iterated.
    seen: HashSet<ReportEntry>,
    /// Kinds of elements and attributes in the cosmetic part; never iterated.
    cosmetic_seen: HashSet<String>,
    /// Whether parameters of soft constraints have been noted.
    pub(crate) soft_seen: bool,
}

impl Notes {
    /// Adds an entry unless the very same one is there already (a default is read once for every user of it).
    pub(crate) fn add(&mut self, entry: ReportEntry) {
        if self.seen.insert(entry.clone()) {
            self.report.entries.push(entry);
        }
    }

    /// Adds an entry about something without effect on motion, unless there is one of its kind.
    pub(crate) fn add_cosmetic(&mut self, kind: &str, entry: impl FnOnce() -> ReportEntry) {
        if !self.cosmetic_seen.contains(kind) {
            self.cosmetic_seen.insert(kind.to_string());
            self.report.cosmetic.push(entry());
        }
    }
}
