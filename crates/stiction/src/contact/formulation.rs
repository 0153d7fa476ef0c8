//! The formulation of an island: which complementarity problem is posed for its contacts.

use super::{
    ExactCone, ExactConeSettings, GapRule, IslandProblem, IslandReport, Memory, Polyhedral,
    PolyhedralSettings,
};
use crate::scene::SceneOptions;
use crate::suggestion::did_you_mean;
use serde::{Deserialize, Serialize};
use stiction_solvers::FrictionLaw;

/// Which problem is posed for an island of contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Formulation {
    /// The friction cone itself (De Saxce and Feng 1998), or its convex relaxation (Anitescu 2006).
    ExactCone(ExactConeSettings),
    /// Friction cones replaced by pyramids, a linear complementarity problem (Stewart and Trinkle 1996; Anitescu
    /// and Potra 1997).
    Polyhedral(PolyhedralSettings),
}

/// An unknown or unusable formulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormulationError {
    /// No formulation of this name.
    #[error("contact model '{0}' is unknown; available: {available}{hint}", available = Formulation::NAMES.join(", "),
        hint = did_you_mean(.0, Formulation::NAMES))]
    Unknown(String),
    /// The solver does not fit.
    #[error("solver '{solver}' cannot solve contact model '{formulation}'; available: {available}{hint}",
        hint = did_you_mean(solver, [*available]))]
    Solver {
        /// What was asked for.
        solver: String,
        /// The formulation.
        formulation: String,
        /// What fits.
        available: &'static str,
    },
    /// A setting out of range.
    #[error("{0}")]
    Setting(String),
}

impl Default for Formulation {
    fn default() -> Self {
        Formulation::ExactCone(ExactConeSettings::default())
    }
}

impl Formulation {
    /// The names of all formulations.
    pub const NAMES: [&'static str; 4] = ["cone", "convex", "stewart-trinkle", "anitescu-potra"];

    /// The formulation a scene asks for, with the default for what it does not say.
    ///
    /// # Errors
    /// An unknown name, a solver that does not fit, or a setting out of range.
    pub fn of_scene(options: &SceneOptions) -> Result<Self, FormulationError> {
        let mut formulation = match &options.contact_model {
            Some(name) => Self::named(name)?,
            None => Self::default(),
        };
        if let Some(solver) = &options.solver {
            formulation.check_solver(solver)?;
        }
        if let Some(directions) = options.friction_directions {
            match &mut formulation {
                Formulation::Polyhedral(settings) => settings.directions = directions,
                Formulation::ExactCone(_) => {
                    return Err(FormulationError::Setting(format!(
                        "{directions} friction directions: contact model '{}' has no pyramid, its cone is exact",
                        formulation.name()
                    )));
                }
            }
        }
        // A workspace is made to have every setting checked by the one who knows.
        formulation.solver()?;
        Ok(formulation)
    }

    /// The formulation of this name, as the command line and scene files write it.
    pub fn named(name: &str) -> Result<Self, FormulationError> {
        let cone = |law| Formulation::ExactCone(ExactConeSettings { law, ..Default::default() });
        let gap = match name {
            "cone" => return Ok(cone(FrictionLaw::Coulomb)),
            "convex" => return Ok(cone(FrictionLaw::Associated)),
            "stewart-trinkle" => GapRule::StewartTrinkle,
            "anitescu-potra" => GapRule::AnitescuPotra,
            _ => return Err(FormulationError::Unknown(name.into())),
        };
        Ok(Formulation::Polyhedral(PolyhedralSettings { gap, ..Default::default() }))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Formulation::ExactCone(ExactConeSettings { law: FrictionLaw::Coulomb, .. }) => "cone",
            Formulation::ExactCone(ExactConeSettings { law: FrictionLaw::Associated, .. }) => "convex",
            Formulation::Polyhedral(PolyhedralSettings { gap: GapRule::StewartTrinkle, .. }) => {
                "stewart-trinkle"
            }
            Formulation::Polyhedral(PolyhedralSettings { gap: GapRule::AnitescuPotra, .. }) => {
                "anitescu-potra"
            }
        }
    }

    /// The name of the solver it uses.
    pub fn solver_name(&self) -> &'static str {
        match self {
            Formulation::ExactCone(_) => "chain",
            Formulation::Polyhedral(_) => "lemke",
        }
    }

    /// Checks that a solver of this name fits this formulation.
    pub fn check_solver(&self, name: &str) -> Result<(), FormulationError> {
        if name == self.solver_name() {
            return Ok(());
        }
        Err(FormulationError::Solver {
            solver: name.into(),
            formulation: self.name().into(),
            available: self.solver_name(),
        })
    }

    /// How the gap of predicted contacts enters.
    pub fn gap_rule(&self) -> GapRule {
        match self {
            Formulation::ExactCone(_) => GapRule::StewartTrinkle,
            Formulation::Polyhedral(settings) => settings.gap,
        }
    }

    /// Makes the workspace that solves islands in this formulation.
    pub fn solver(&self) -> Result<IslandSolver, FormulationError> {
        match self {
            Formulation::ExactCone(settings) => {
                Ok(IslandSolver::ExactCone(Box::new(ExactCone::new(*settings)?)))
            }
            Formulation::Polyhedral(settings) => {
                Ok(IslandSolver::Polyhedral(Box::new(Polyhedral::new(*settings)?)))
            }
        }
    }
}

/// The workspace behind a [`Formulation`].
#[derive(Debug)]
pub enum IslandSolver {
    /// See [`ExactCone`].
    ExactCone(Box<ExactCone>),
    /// See [`Polyhedral`].
    Polyhedral(Box<Polyhedral>),
}

impl IslandSolver {
    /// Number of rows above which islands may come with a factored operator ([`super::Operator`]).
    pub fn factored_from(&self) -> usize {
        match self {
            IslandSolver::ExactCone(_) => ExactCone::FACTORED_FROM,
            IslandSolver::Polyhedral(_) => usize::MAX,
        }
    }

    /// Solves an island. `memory` holds what is known of each block from the last step and receives what is to be
    /// remembered, the impulses among it (N s).
    pub fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        match self {
            IslandSolver::ExactCone(cone) => cone.solve(island, memory),
            IslandSolver::Polyhedral(polyhedral) => polyhedral.solve(island, memory),
        }
    }
}
