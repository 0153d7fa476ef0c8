//! Settings of a simulation, and how they come about.
//!
//! | file | what | used by |
//! |---|---|---|
//! | this one | [`Settings`]: every choice made | `sim` |
//! | `options` | [`Options`]: what a scene or a user says; [`Settings::for_scene`]: user over scene over default | `scene`, `sim`, the command line, Python |
//! | `stepper` | [`Stepper`] by name | both |

mod options;
mod stepper;

pub use options::Options;
pub use stepper::Stepper;

use crate::contact::{Formulation, ImpactLaw};
use crate::suggestion::did_you_mean;
use serde::{Deserialize, Serialize};

/// How a scene is simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Time step (s); `None`: the scene's.
    pub timestep: Option<f64>,
    /// The contact problem that is posed.
    pub formulation: Formulation,
    /// How a step is taken.
    #[serde(default)]
    pub stepper: Stepper,
    /// How restitution acts. (Limits of joints are inelastic.)
    #[serde(default)]
    pub impact: ImpactLaw,
    /// Approaches up to this speed (m/s) do not bounce. With 0 only those are left out that the applied forces could have
    /// brought about within one step.
    #[serde(default)]
    pub impact_threshold: f64,
    /// Coefficient of restitution of all contacts, 0 to 1, in place of the model's.
    #[serde(default)]
    pub restitution: Option<f64>,
    /// Fraction of a bilateral position error that one step removes through velocities (Baumgarte's zeta, 0 to 1;
    /// Arechavaleta et al. 2010, eq. 10). With 0 the position projection alone keeps joints closed, which adds no
    /// energy. Errors above 1e-6 (m or rad) that the projection leaves belong to constraints that contradict each other, and get none of it.
    pub baumgarte: f64,
    /// Overlap (m or rad) and bilateral error (m or rad) above which a step begins with a position projection.
    pub overlap_tolerance: f64,
    /// Speed (m/s, and rad/s of limits that are angles) at which overlap is removed, at least 0; `None`: all of it at the beginning
    /// of the step. With it a start whose bodies overlap is left as it is and comes apart bit by bit, without getting a velocity.
    #[serde(default)]
    pub depenetration_speed: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        // The projection starts well above the round-off of positions (1e-15 m at one metre) and well below
        // anything a user would see.
        Self {
            timestep: None,
            formulation: Formulation::default(),
            stepper: Stepper::default(),
            impact: ImpactLaw::default(),
            impact_threshold: 0.0,
            restitution: None,
            baumgarte: 0.0,
            overlap_tolerance: 1e-9,
            depenetration_speed: None,
        }
    }
}

/// A setting out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The named setting.
    #[error("setting {name} is {value}: it must be {expected}")]
    Range {
        /// Name of the field.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// No stepper of this name.
    #[error("stepper '{0}' is unknown; available: {available}{hint}", available = Stepper::NAMES.join(", "),
        hint = did_you_mean(.0, Stepper::NAMES))]
    UnknownStepper(String),
    /// Something that the stepper does not do.
    #[error("stepper '{stepper}' does not do {what}; use 'time-stepping'")]
    Stepper {
        /// The stepper.
        stepper: &'static str,
        /// What it does not do, by name.
        what: String,
    },
}

impl Settings {
    /// Checks every field.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = |name, value: f64, good: bool, expected| {
            if good { Ok(()) } else { Err(SettingsError::Range { name, value, expected }) }
        };
        if let Some(h) = self.timestep {
            check("timestep", h, h.is_finite() && h > 0.0, "positive (s)")?;
        }
        let threshold = self.impact_threshold;
        check("impact_threshold", threshold, threshold.is_finite() && threshold >= 0.0, "at least 0 (m/s)")?;
        if let Some(e) = self.restitution {
            check("restitution", e, (0.0..=1.0).contains(&e), "from 0 (inelastic) to 1 (elastic)")?;
        }
        check("baumgarte", self.baumgarte, (0.0..=1.0).contains(&self.baumgarte), "from 0 to 1")?;
        if let Some(speed) = self.depenetration_speed {
            check("depenetration_speed", speed, speed.is_finite() && speed >= 0.0, "at least 0 (m/s)")?;
        }
        let tolerance = self.overlap_tolerance;
        check("overlap_tolerance", tolerance, tolerance.is_finite() && tolerance > 0.0, "positive (m)")
    }
}
