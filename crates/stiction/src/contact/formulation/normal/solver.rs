//! The choice of a solver of normal impulses, whose problems are of low rank or have bounds.

use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter};
use std::str::FromStr;
use stiction_solvers::{BoxLcpSolver, ChoiceError, DantzigSettings, FactoredLcpSolver};

/// A solver of the problem of normal impulses, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NormalSolver {
    /// Takes the factor `Y` of the problem's matrix `Y Y^T`; where joints have friction, [`NormalSolver::bounded`] steps in.
    Factored(FactoredLcpSolver),
    /// Takes the matrix and bounds.
    Bounded(BoxLcpSolver),
}

impl Default for NormalSolver {
    fn default() -> Self {
        Self::Factored(FactoredLcpSolver::default())
    }
}

impl NormalSolver {
    /// The names.
    pub fn names() -> Vec<&'static str> {
        let factored = FactoredLcpSolver::NAMES;
        let bounded = BoxLcpSolver::NAMES.iter().filter(|name| !factored.contains(name));
        factored.iter().chain(bounded).copied().collect()
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Factored(solver) => solver.name(),
            Self::Bounded(solver) => solver.name(),
        }
    }

    /// Largest natural map of an answer that counts as solved (dimensionless).
    pub fn tolerance(&self) -> f64 {
        match self {
            Self::Factored(solver) => solver.tolerance(),
            Self::Bounded(solver) => solver.tolerance(),
        }
    }

    /// What solves problems with bounds: the same solver, or Dantzig's where it has none.
    pub fn bounded(&self) -> BoxLcpSolver {
        match self {
            Self::Factored(solver) => solver.to_string().parse().unwrap_or_else(|_| {
                let dantzig = DantzigSettings { tolerance: solver.tolerance(), ..Default::default() };
                BoxLcpSolver::Dantzig(dantzig)
            }),
            Self::Bounded(solver) => solver.clone(),
        }
    }
}

impl FromStr for NormalSolver {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text.parse() {
            Ok(solver) => return Ok(Self::Factored(solver)),
            Err(ChoiceError::Unknown { .. }) => {}
            Err(other) => return Err(other),
        }
        text.parse().map(Self::Bounded).map_err(|error| match error {
            ChoiceError::Unknown { name, .. } => ChoiceError::Unknown { name, available: Self::names() },
            other => other,
        })
    }
}

impl Display for NormalSolver {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Factored(solver) => solver.fmt(f),
            Self::Bounded(solver) => solver.fmt(f),
        }
    }
}

impl TryFrom<String> for NormalSolver {
    type Error = ChoiceError;

    fn try_from(text: String) -> Result<Self, ChoiceError> {
        text.parse()
    }
}

impl From<NormalSolver> for String {
    fn from(solver: NormalSolver) -> String {
        solver.to_string()
    }
}
