//! Which velocity viscous friction answers.

use serde::{Deserialize, Serialize};

/// Which velocity viscous friction answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViscousRule {
    /// That after the step: stable for any step and coefficient.
    #[default]
    Implicit,
    /// That before the step, as published: accurate to first order, unstable beyond `h c = 2 m` or so.
    Explicit,
}
