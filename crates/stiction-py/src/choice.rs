//! Settings as Python gives them: names where names do, whole formulations where every setting counts.

use crate::error::refuse;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use stiction::contact::{
    ExactConeSettings, Formulation, FrictionBoxSettings, ImpactLaw, NoSlipSettings, PolyhedralSettings,
};
use stiction::scene::SceneOptions;
use stiction::sim::{Settings, Stepper};

/// What `stiction.Settings` says; `None` where it leaves the choice to the scene or the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Choice {
    timestep: Option<f64>,
    /// Name of a contact model.
    contact: Option<String>,
    /// All settings of a formulation, in place of the name and what goes with it.
    formulation: Option<Formulation>,
    solver: Option<String>,
    stepper: Option<String>,
    friction_directions: Option<usize>,
    viscosity: Option<f64>,
    compliance: Option<f64>,
    impact: Option<String>,
    impact_threshold: Option<f64>,
    restitution: Option<f64>,
    baumgarte: Option<f64>,
    overlap_tolerance: Option<f64>,
}

impl Choice {
    /// From the JSON text that the Python class writes.
    pub(crate) fn parse(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map_err(|e| refuse(format!("settings: {e}")))
    }

    /// The engine's settings for a scene.
    pub(crate) fn settings(&self, scene: &SceneOptions) -> PyResult<Settings> {
        let default = Settings::default();
        let formulation = match &self.formulation {
            Some(formulation) => formulation.clone(),
            None => self.named_formulation(scene)?,
        };
        let stepper = match &self.stepper {
            Some(name) => name.parse::<Stepper>().map_err(refuse)?,
            None => scene.stepper.unwrap_or_default(),
        };
        let impact = match &self.impact {
            Some(name) => name.parse::<ImpactLaw>().map_err(refuse)?,
            None => scene.impact.unwrap_or_default(),
        };
        let settings = Settings {
            timestep: self.timestep,
            formulation,
            stepper,
            impact,
            impact_threshold: self.impact_threshold.unwrap_or(default.impact_threshold),
            restitution: self.restitution,
            baumgarte: self.baumgarte.unwrap_or(default.baumgarte),
            overlap_tolerance: self.overlap_tolerance.unwrap_or(default.overlap_tolerance),
        };
        settings.validate().map_err(refuse)?;
        Ok(settings)
    }

    /// The formulation by names, those of Python before those of the scene.
    fn named_formulation(&self, scene: &SceneOptions) -> PyResult<Formulation> {
        let options = SceneOptions {
            contact_model: self.contact.clone().or_else(|| scene.contact_model.clone()),
            solver: self.solver.clone().or_else(|| scene.solver.clone()),
            friction_directions: self.friction_directions.or(scene.friction_directions),
            viscosity: self.viscosity.or(scene.viscosity),
            compliance: self.compliance.or(scene.compliance),
            ..scene.clone()
        };
        Formulation::of_scene(&options).map_err(refuse)
    }
}

/// The engine's defaults as JSON, for holding the Python classes against them: `settings` and `formulations`.
#[pyfunction]
pub(crate) fn default_settings() -> PyResult<String> {
    #[derive(Serialize)]
    struct Defaults {
        settings: Settings,
        choice: Choice,
        formulations: [Formulation; 4],
        names: [&'static str; Formulation::NAMES.len()],
        steppers: [&'static str; Stepper::NAMES.len()],
        impacts: [&'static str; ImpactLaw::NAMES.len()],
    }
    let defaults = Defaults {
        settings: Settings::default(),
        choice: Choice::default(),
        formulations: [
            Formulation::ExactCone(ExactConeSettings::default()),
            Formulation::Polyhedral(PolyhedralSettings::default()),
            Formulation::FrictionBox(FrictionBoxSettings::default()),
            Formulation::NoSlip(NoSlipSettings::default()),
        ],
        names: Formulation::NAMES,
        steppers: Stepper::NAMES,
        impacts: ImpactLaw::NAMES,
    };
    serde_json::to_string(&defaults).map_err(refuse)
}
