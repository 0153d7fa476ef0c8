//! The law of a contact: how its impulse answers its relative velocity.

use serde::{Deserialize, Serialize};

/// The law of one contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// No tangential impulse.
    Frictionless,
    /// Dry friction: the tangential impulse is at most `mu` times the normal impulse and opposes sliding.
    Coulomb {
        /// Coefficient of friction.
        mu: f64,
    },
}
