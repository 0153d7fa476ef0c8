//! What the reader did beyond taking the scene at its word.
//!
//! Rigid contact shares a file format with engines that model other things. Nothing a scene says is dropped in
//! silence: what has no meaning here, what had to be guessed and what was put right is listed with its place.

use crate::scene::place::Place;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of note an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntryKind {
    /// Worked out from other parts of the scene.
    Inferred,
    /// Not given; a default that matters was taken.
    Defaulted,
    /// Present in the file, without effect on the simulation.
    Ignored,
    /// Put right, with what was changed.
    Repaired,
    /// Taken as written, but probably not what was meant.
    Warning,
}

impl EntryKind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Inferred => "inferred",
            EntryKind::Defaulted => "defaulted",
            EntryKind::Ignored => "ignored",
            EntryKind::Repaired => "repaired",
            EntryKind::Warning => "warning",
        }
    }
}

/// One note of a [`LoadReport`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReportEntry {
    /// Kind.
    pub kind: EntryKind,
    /// The attribute (its value, or its name if that is not known), or the element's tag.
    #[serde(flatten)]
    pub place: Place,
    /// The element and its name, as in `geom "floor"`.
    pub element: String,
    /// The attribute, when one is meant.
    pub attribute: Option<String>,
    /// What was done and why.
    pub message: String,
}

impl fmt::Display for ReportEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.kind.name(), self.element)?;
        if let Some(attribute) = &self.attribute {
            write!(f, ", {attribute}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Everything the reader inferred, defaulted, ignored or repaired, in the order of its reading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LoadReport {
    /// The entries, each once.
    pub entries: Vec<ReportEntry>,
    /// What has no effect on motion in any simulator: looks, marks, bookkeeping. One entry per kind of element or
    /// attribute, where it is first met.
    #[serde(default)]
    pub cosmetic: Vec<ReportEntry>,
}

impl LoadReport {
    /// Whether the scene was taken exactly as written, as far as motion is concerned.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
