//! From the names on the command line and in the scene to a contact model: the command line wins.

use crate::error::CliError;
use stiction::contact::{Formulation, FormulationError};
use stiction::scene::{SceneOptions, did_you_mean};

/// Names of the contact models and solvers, for suggestions.
const MODELS: [&str; 2] = ["stewart-trinkle", "anitescu-potra"];
const SOLVERS: [&str; 1] = ["lemke"];

/// What the command line says about the contact problem.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FormulationArgs {
    /// Contact model: stewart-trinkle or anitescu-potra [default: the scene's, else stewart-trinkle]
    #[arg(long, value_name = "MODEL")]
    contact: Option<String>,
    /// Solver of the contact problems [default: the scene's, else the contact model's own]
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// Number of friction directions of a polyhedral contact model, even [default: the scene's, else 4]
    #[arg(long, value_name = "K")]
    directions: Option<usize>,
}

impl FormulationArgs {
    /// The contact model for a scene.
    pub(crate) fn choose(&self, scene: &SceneOptions) -> Result<Formulation, CliError> {
        let mut formulation = match self.contact.as_ref().or(scene.contact_model.as_ref()) {
            Some(name) => Formulation::named(name).map_err(|error| hint(error, name, &MODELS))?,
            None => Formulation::default(),
        };
        if let Some(solver) = self.solver.as_ref().or(scene.solver.as_ref()) {
            formulation.check_solver(solver).map_err(|error| hint(error, solver, &SOLVERS))?;
        }
        if let Some(directions) = self.directions.or(scene.friction_directions) {
            match &mut formulation {
                Formulation::Polyhedral(settings) => settings.directions = directions,
            }
        }
        // A workspace is made to have every setting checked by the one who knows.
        formulation.solver()?;
        Ok(formulation)
    }
}

/// The error with the name that was probably meant.
fn hint(error: FormulationError, name: &str, known: &[&str]) -> CliError {
    CliError::Usage(format!("{error}{}", did_you_mean(name, known.iter().copied())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suggested_name_is_accepted() {
        for name in MODELS {
            assert_eq!(Formulation::named(name).unwrap().name(), name);
        }
        for name in SOLVERS {
            Formulation::default().check_solver(name).unwrap();
        }
    }
}
