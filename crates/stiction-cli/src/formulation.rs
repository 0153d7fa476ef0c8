//! What the command line says about the contact problem.

use stiction::contact::ImpactLaw;
use stiction::settings::{Options, Stepper};

/// What the command line says about the contact problem.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FormulationArgs {
    /// Contact model: cone, convex, stewart-trinkle, anitescu-potra, frictionless, viscous, viscous-explicit,
    /// friction-box, friction-box-fixed-point, no-slip, no-slip-paper [default: the scene's, else cone]
    #[arg(long, value_name = "MODEL")]
    contact: Option<String>,
    /// Solver of the contact problems, with settings after its name: 'nsgs max_iterations=200' [default: the scene's, else
    /// the contact model's own]
    #[arg(long, value_name = "NAME [SETTING=VALUE ...]")]
    solver: Option<String>,
    /// Stepper: time-stepping, acceleration, event-driven [default: the scene's, else time-stepping]
    #[arg(long, value_name = "NAME")]
    stepper: Option<Stepper>,
    /// How restitution acts: poisson, newton [default: the scene's, else poisson]
    #[arg(long, value_name = "LAW")]
    impact: Option<ImpactLaw>,
    /// Coefficient of restitution of all contacts, 0 to 1 [default: the scene's]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    restitution: Option<f64>,
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
    /// The same as options.
    pub(crate) fn options(&self) -> Options {
        Options {
            contact_model: self.contact.clone(),
            solver: self.solver.clone(),
            stepper: self.stepper,
            impact: self.impact,
            restitution: self.restitution,
            friction_directions: self.directions,
            viscosity: self.viscosity,
            compliance: self.compliance,
            ..Options::default()
        }
    }
}
