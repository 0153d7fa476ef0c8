//! What the command line says about the contact problem.

use crate::names;
use stiction::contact::ImpactLaw;
use stiction::settings::{Options, Stepper};

/// What the command line says about the contact problem.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FormulationArgs {
    /// Contact model: cone, convex, stewart-trinkle, anitescu-potra, frictionless, viscous, viscous-explicit,
    /// friction-box, friction-box-fixed-point, no-slip, no-slip-paper [default: the scene's, else cone]
    #[arg(long, value_name = "MODEL", value_parser = names::contact_models(), hide_possible_values = true)]
    contact: Option<String>,
    /// Solver of the contact problems, with settings after its name: 'nsgs max_iterations=200' [default: the scene's, else
    /// the contact model's own]
    #[arg(long, value_name = "NAME [SETTING=VALUE ...]", value_parser = names::contact_solvers(), hide_possible_values = true)]
    solver: Option<String>,
    #[arg(long, value_name = "NAME", value_parser = names::steppers(), hide_possible_values = true, help = names::stepper_help())]
    stepper: Option<Stepper>,
    /// How restitution acts: poisson, newton [default: the scene's, else poisson]
    #[arg(long, value_name = "LAW", value_parser = names::impact_laws(), hide_possible_values = true)]
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
    /// Approaches up to this speed in m/s do not bounce [default: the scene's, else 0]
    #[arg(long, value_name = "SPEED", allow_negative_numbers = true)]
    impact_threshold: Option<f64>,
    /// Part of a bilateral position error that a step removes through velocities, 0 to 1 [default: the scene's, else 0]
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    baumgarte: Option<f64>,
    /// Overlap or bilateral error in m or rad above which a step begins with a position projection [default: the scene's,
    /// else 1e-9]
    #[arg(long, value_name = "ERROR", allow_negative_numbers = true)]
    overlap_tolerance: Option<f64>,
    /// Speed in m/s (rad/s of limits that are angles) at which overlap is removed [default: the scene's, else all at once]
    #[arg(long, value_name = "SPEED", allow_negative_numbers = true)]
    depenetration_speed: Option<f64>,
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
            impact_threshold: self.impact_threshold,
            baumgarte: self.baumgarte,
            overlap_tolerance: self.overlap_tolerance,
            depenetration_speed: self.depenetration_speed,
            ..Options::default()
        }
    }
}
