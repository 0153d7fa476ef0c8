//! What a scene, the command line or a program says about how to simulate, and how these become one choice.

use super::{Settings, Stepper};
use crate::contact::{Formulation, FormulationChoice, FormulationError, ImpactLaw};
use serde::{Deserialize, Serialize};

/// How a scene wishes to be simulated, or a user wishes it; `None` where nothing is said.
///
/// Scenes (`stiction:` entries), the command line and Python all fill one of these, and [`Settings::for_scene`] makes
/// settings of two.
///
/// ```
/// use stiction::settings::{Options, Settings};
///
/// let scene = Options { contact_model: Some("convex".into()), compliance: Some(1e-4), ..Options::default() };
/// let user = Options { solver: Some("nsgs max_iterations=200".into()), ..Options::default() };
/// let settings = Settings::for_scene(&user, &scene)?;
/// assert_eq!(settings.formulation.name(), "convex");
/// assert_eq!(settings.formulation.solver_text(), "nsgs max_iterations=200");
/// # Ok::<(), stiction::contact::FormulationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Time step (s).
    pub timestep: Option<f64>,
    /// Name of the contact model.
    pub contact_model: Option<String>,
    /// The solver, with its settings: see [`stiction_solvers::select::choice`].
    pub solver: Option<String>,
    /// Number of directions that span the friction polygon: 4 or a larger even number.
    pub friction_directions: Option<usize>,
    /// Viscosity of each contact point (N s/m), for the viscous contact models.
    pub viscosity: Option<f64>,
    /// Compliance of contacts (velocity per impulse, 1/kg), at least 0.
    pub compliance: Option<f64>,
    /// All settings of a formulation, in place of the contact model's name and of what belongs to it.
    pub formulation: Option<Formulation>,
    /// How steps are taken.
    pub stepper: Option<Stepper>,
    /// How restitution acts.
    pub impact: Option<ImpactLaw>,
    /// See [`Settings::impact_threshold`] (m/s).
    pub impact_threshold: Option<f64>,
    /// See [`Settings::restitution`].
    pub restitution: Option<f64>,
    /// See [`Settings::baumgarte`].
    pub baumgarte: Option<f64>,
    /// See [`Settings::overlap_tolerance`] (m or rad).
    pub overlap_tolerance: Option<f64>,
    /// See [`Settings::depenetration_speed`] (m/s).
    pub depenetration_speed: Option<f64>,
    /// How long to simulate (s), positive.
    pub duration: Option<f64>,
}

impl Options {
    /// These, and where they say nothing what `other` says.
    #[must_use]
    pub fn or(&self, other: &Options) -> Options {
        let (a, b) = (self, other);
        Options {
            timestep: a.timestep.or(b.timestep),
            contact_model: a.contact_model.as_ref().or(b.contact_model.as_ref()).cloned(),
            solver: a.solver.as_ref().or(b.solver.as_ref()).cloned(),
            friction_directions: a.friction_directions.or(b.friction_directions),
            viscosity: a.viscosity.or(b.viscosity),
            compliance: a.compliance.or(b.compliance),
            formulation: a.formulation.as_ref().or(b.formulation.as_ref()).cloned(),
            stepper: a.stepper.or(b.stepper),
            impact: a.impact.or(b.impact),
            impact_threshold: a.impact_threshold.or(b.impact_threshold),
            restitution: a.restitution.or(b.restitution),
            baumgarte: a.baumgarte.or(b.baumgarte),
            overlap_tolerance: a.overlap_tolerance.or(b.overlap_tolerance),
            depenetration_speed: a.depenetration_speed.or(b.depenetration_speed),
            duration: a.duration.or(b.duration),
        }
    }

    /// The formulation they ask for, with the default for what they do not say.
    ///
    /// # Errors
    /// An unknown name, a solver that does not fit, or a setting out of range.
    pub fn formulation(&self) -> Result<Formulation, FormulationError> {
        if let Some(formulation) = &self.formulation {
            formulation.solver()?;
            return Ok(formulation.clone());
        }
        FormulationChoice {
            name: self.contact_model.as_deref(),
            solver: self.solver.as_deref(),
            friction_directions: self.friction_directions,
            viscosity: self.viscosity,
            compliance: self.compliance,
        }
        .formulation()
    }
}

impl Settings {
    /// The settings for a scene: what the user says, where the user says nothing what the scene says, where neither does the
    /// default.
    ///
    /// # Errors
    /// A formulation that there is not, see [`Options::formulation`].
    pub fn for_scene(user: &Options, scene: &Options) -> Result<Settings, FormulationError> {
        let options = user.or(scene);
        let default = Settings::default();
        let formulation = options.formulation()?;
        let baumgarte = options.baumgarte.unwrap_or(default.baumgarte);
        let stepper =
            options.stepper.unwrap_or_else(|| Stepper::where_none_is_chosen(&formulation, baumgarte));
        Ok(Settings {
            timestep: options.timestep,
            formulation,
            stepper,
            impact: options.impact.unwrap_or(default.impact),
            impact_threshold: options.impact_threshold.unwrap_or(default.impact_threshold),
            restitution: options.restitution,
            baumgarte,
            overlap_tolerance: options.overlap_tolerance.unwrap_or(default.overlap_tolerance),
            depenetration_speed: options.depenetration_speed,
        })
    }
}
