//! What is refused of a formulation.

use super::Formulation;
use crate::contact::impact::ImpactLaw;
use crate::model::Law;
use crate::suggestion::did_you_mean;
use stiction_solvers::{ChoiceError, SolverError};

/// An unknown or unusable formulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormulationError {
    /// No formulation of this name.
    #[error("contact model '{0}' is unknown; available: {available}{hint}", available = Formulation::NAMES.join(", "),
        hint = did_you_mean(.0, Formulation::NAMES))]
    Unknown(String),
    /// The solver does not fit.
    #[error("solver '{solver}' cannot solve contact model '{formulation}'; available: {list}{hint}",
        list = available.join(", "), hint = did_you_mean(solver, available.iter().copied()))]
    Solver {
        /// What was asked for.
        solver: String,
        /// The formulation.
        formulation: &'static str,
        /// What fits.
        available: Vec<&'static str>,
    },
    /// The solver has no such setting, or not of this kind.
    #[error(transparent)]
    SolverText(ChoiceError),
    /// A setting of the solver is out of range.
    #[error("solver '{solver}': {error}")]
    SolverSetting {
        /// The solver.
        solver: &'static str,
        /// What it refuses.
        error: SolverError,
    },
    /// A setting of the formulation is out of range.
    #[error("{setting} {value}: {expected} is needed")]
    Range {
        /// What is set.
        setting: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A setting that the formulation does not have.
    #[error("{setting}: contact model '{formulation}' has {why}")]
    NotApplicable {
        /// What was set, with its value.
        setting: String,
        /// The formulation.
        formulation: &'static str,
        /// What it has instead.
        why: &'static str,
    },
    /// A viscous formulation without its coefficient.
    #[error(
        "contact model '{formulation}' needs the coefficient of viscosity of each contact point (N s/m): stiction:viscosity in \
         the scene, or --viscosity"
    )]
    NoViscosity {
        /// The formulation.
        formulation: &'static str,
    },
    /// A law that the formulation cannot express.
    #[error("contact model '{formulation}' cannot express the law '{law}'; these can: {}", .available.join(", "))]
    Law {
        /// The law.
        law: Law,
        /// The formulation.
        formulation: &'static str,
        /// What can.
        available: Vec<&'static str>,
    },
    /// An impact law that the formulation cannot express.
    #[error(
        "contact model '{formulation}' cannot express restitution by the impact law '{law}'; use the impact law 'newton', or one of: \
        {}", .available.join(", ")
    )]
    Impact {
        /// The law.
        law: ImpactLaw,
        /// The formulation.
        formulation: &'static str,
        /// What can.
        available: Vec<&'static str>,
    },
    /// Poisson's impact law with compliant contacts.
    #[error(
        "compliance {0}: restitution by the impact law 'poisson' needs rigid contacts; use the impact law 'newton'"
    )]
    CompliantImpact(f64),
}

impl FormulationError {
    /// A solver's text that is refused for a formulation.
    pub(super) fn of_choice(formulation: &'static str, error: ChoiceError) -> Self {
        match error {
            ChoiceError::Unknown { name: solver, available } => {
                Self::Solver { solver, formulation, available }
            }
            other => Self::SolverText(other),
        }
    }

    /// Whether it is about the choice of the solver.
    pub fn is_about_the_solver(&self) -> bool {
        matches!(self, Self::Solver { .. } | Self::SolverText(_) | Self::SolverSetting { .. })
    }
}
