//! Settings as Python gives them: names where names do, whole formulations where every setting counts.

use crate::error::refuse;
use pyo3::prelude::*;
use serde::Serialize;
use stiction::contact::{
    ExactConeSettings, Formulation, FrictionBoxSettings, ImpactLaw, NoSlipSettings, PolyhedralSettings,
};
use stiction::settings::{Options, Settings, Stepper};

/// The engine's settings for a scene, from the JSON text that `stiction.Settings` writes: options of the engine by name.
pub(crate) fn settings(text: &str, scene: &Options) -> PyResult<Settings> {
    let user: Options = serde_json::from_str(text).map_err(|error| refuse(sentence(&error)))?;
    let settings = Settings::for_scene(&user, scene).map_err(refuse)?;
    settings.validate().map_err(refuse)?;
    Ok(settings)
}

/// What is wrong with a setting, without the place in a text that the user did not write.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    format!("settings: {}", text.split(" at line ").next().unwrap_or_default())
}

/// The engine's defaults as JSON, for holding the Python classes against them: `settings` and `formulations`.
#[pyfunction]
pub(crate) fn default_settings() -> PyResult<String> {
    #[derive(Serialize)]
    struct Defaults {
        settings: Settings,
        options: Options,
        formulations: [Formulation; 4],
        names: [&'static str; Formulation::NAMES.len()],
        steppers: [&'static str; Stepper::NAMES.len()],
        impacts: [&'static str; ImpactLaw::NAMES.len()],
    }
    let defaults = Defaults {
        settings: Settings::default(),
        options: Options::default(),
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
