//! What a configuration violates before any step: overlaps, crossed limits, open loops.

use serde::Serialize;

/// Something that a configuration violates, and by how much.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The two geoms that overlap, or the constraint, by name.
    pub what: String,
    /// By how much, as a length (m): of geoms the deepest of their contacts.
    pub length: f64,
    /// By how much, as an angle (rad).
    pub angle: f64,
}

impl Violation {
    pub(crate) fn new(what: String, length: f64, angle: f64) -> Self {
        Self { what, length, angle }
    }

    /// How far it is from being met, with its unit.
    pub fn amount(&self) -> String {
        match (self.length > 0.0, self.angle > 0.0) {
            (true, true) => format!("{:.3e} m and {:.3e} rad", self.length, self.angle),
            (false, true) => format!("{:.3e} rad", self.angle),
            _ => format!("{:.3e} m", self.length),
        }
    }
}
