//! The step: from a state to the next, by stages.

pub(crate) mod acceleration;
pub(crate) mod applied_forces;
pub(crate) mod bounce;
pub(crate) mod event_driven;
pub(crate) mod free_rule;
pub(crate) mod integrator_choice;
pub(crate) mod momentum;
pub(crate) mod projection;
pub(crate) mod settings;
pub(crate) mod time_stepping;

pub use settings::{Settings, SettingsError, Stepper};
