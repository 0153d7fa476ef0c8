//! From the names on the command line and in the scene to a contact model: the command line wins.

use crate::error::CliError;
use stiction::contact::Formulation;
use stiction::scene::SceneOptions;

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
        let options = SceneOptions {
            contact_model: self.contact.clone().or_else(|| scene.contact_model.clone()),
            solver: self.solver.clone().or_else(|| scene.solver.clone()),
            friction_directions: self.directions.or(scene.friction_directions),
            ..scene.clone()
        };
        Ok(Formulation::of_scene(&options)?)
    }
}
