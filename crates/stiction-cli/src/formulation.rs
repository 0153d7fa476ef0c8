//! From the names on the command line and in the scene to a contact model: the command line wins.

use crate::error::CliError;
use stiction::contact::{Formulation, ImpactLaw};
use stiction::scene::SceneOptions;
use stiction::sim::Stepper;

/// What the command line says about the contact problem.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FormulationArgs {
    /// Contact model: cone, convex, stewart-trinkle, anitescu-potra, frictionless, viscous, viscous-explicit,
    /// friction-box, friction-box-fixed-point, no-slip, no-slip-paper [default: the scene's, else cone]
    #[arg(long, value_name = "MODEL")]
    contact: Option<String>,
    /// Solver of the contact problems [default: the scene's, else the contact model's own]
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// Stepper: time-stepping, acceleration, event-driven [default: the scene's, else time-stepping]
    #[arg(long, value_name = "NAME")]
    stepper: Option<Stepper>,
    /// How restitution acts: poisson, newton [default: the scene's, else poisson]
    #[arg(long, value_name = "LAW")]
    impact: Option<ImpactLaw>,
    /// Coefficient of restitution of all contacts, 0 to 1 [default: the scene's]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) restitution: Option<f64>,
    /// Number of friction directions of a polyhedral contact model, even [default: the scene's, else 4]
    #[arg(long, value_name = "K")]
    directions: Option<usize>,
    /// Viscosity of each contact point in N s/m, for the viscous contact models [default: the scene's]
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    viscosity: Option<f64>,
    /// Compliance of contacts in 1/kg [default: the scene's, else 0]
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    compliance: Option<f64>,
}

impl FormulationArgs {
    /// The contact model for a scene.
    pub(crate) fn choose(&self, scene: &SceneOptions) -> Result<Formulation, CliError> {
        let options = SceneOptions {
            contact_model: self.contact.clone().or_else(|| scene.contact_model.clone()),
            solver: self.solver.clone().or_else(|| scene.solver.clone()),
            friction_directions: self.directions.or(scene.friction_directions),
            viscosity: self.viscosity.or(scene.viscosity),
            compliance: self.compliance.or(scene.compliance),
            ..scene.clone()
        };
        Ok(Formulation::of_scene(&options)?)
    }

    /// The impact law for a scene.
    pub(crate) fn impact(&self, scene: &SceneOptions) -> ImpactLaw {
        self.impact.or(scene.impact).unwrap_or_default()
    }

    /// The stepper for a scene.
    pub(crate) fn stepper(&self, scene: &SceneOptions) -> Stepper {
        self.stepper.or(scene.stepper).unwrap_or_default()
    }
}
