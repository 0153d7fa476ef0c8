//! Mechanisms: how many freedoms equalities leave, which of their rows are redundant, and assembly from an inexact start.
//!
//! The *mobility* is the number of generalized velocities minus the rank of the rows `X` of all equalities at a configuration. A
//! row that depends on others, in the order of names, is *redundant*: it is left out of every problem, so motion is determined but
//! the forces are not shared out between it and the others. In a plane mechanism hinges that close loops are redundant by three
//! rows; at a singular configuration the rank may drop for a moment.

use serde::{Deserialize, Serialize};

/// What equalities leave free, at a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mobility {
    /// Generalized velocities.
    pub freedoms: usize,
    /// Rows of all equalities.
    pub rows: usize,
    /// Rank of the rows.
    pub rank: usize,
    /// Equalities with redundant rows, in the order of names, and how many.
    pub redundant: Vec<(String, usize)>,
}

impl Mobility {
    /// Freedoms that are left.
    pub fn mobility(&self) -> usize {
        self.freedoms - self.rank
    }
}

/// How a mechanism was assembled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Assembled {
    /// Largest position error before (m or rad).
    pub before: f64,
    /// Largest position error now (m or rad).
    pub after: f64,
    /// Largest distance that the origin of a link has moved (m).
    pub distance: f64,
    /// Largest angle that a link has turned (rad).
    pub angle: f64,
}
