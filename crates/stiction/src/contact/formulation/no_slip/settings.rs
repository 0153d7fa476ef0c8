//! The settings of the formulation without slip.

use crate::contact::formulation::normal::NormalSolver;
use serde::{Deserialize, Serialize};

/// Settings of the formulation without slip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoSlipSettings {
    /// Whether contacts that do not press are released; as published they are not.
    pub releasing: bool,
    /// Rounds of releasing and holding at most.
    pub max_rounds: usize,
    /// The solver of the normal impulses. It goes on below its tolerance, to 1e-14.
    pub solver: NormalSolver,
}

impl Default for NoSlipSettings {
    fn default() -> Self {
        Self { releasing: true, max_rounds: 100, solver: NormalSolver::default() }
    }
}
