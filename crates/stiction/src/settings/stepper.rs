//! The choice of a stepper.

use super::SettingsError;
use crate::contact::Formulation;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How a step gets from one state to the next where there are contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stepper {
    /// Impulses and velocities (Stewart and Trinkle 1996): first order, whatever happens within the step.
    TimeStepping,
    /// Forces and accelerations by the classic Runge-Kutta rule while contacts persist (Drumwright 2015, section IV):
    /// fourth order. Sets of bodies whose contacts change, or in which anything but contacts acts, take the step as by `Rattle`.
    Acceleration,
    /// As `Acceleration` between impacts, which are located in time to rounding and solved there, with restitution: several
    /// in a step where there are. A set that has no such sequence of events takes the step as by `Rattle`.
    EventDriven,
    /// Contact impulses at both ends of a step, and inertia alone in between (RATTLE with complementarity): second order
    /// while contacts persist; what sticks stays where it is on whatever moves. Where constraints contradict each other, first order.
    #[default]
    Rattle,
}

impl Stepper {
    /// The names, as the command line and scene files write them.
    pub const NAMES: [&'static str; 4] = ["time-stepping", "acceleration", "event-driven", "rattle"];

    /// The stepper of a scene for which nobody has chosen one: `Rattle`, but where it does less than time stepping does. The bounds of
    /// friction boxes come from an earlier step, and what does not slip at all has loads that are not determined: neither leaves passes
    /// anything to settle on. Baumgarte's stabilisation is a way of time stepping.
    pub fn where_none_is_chosen(formulation: &Formulation, baumgarte: f64) -> Self {
        match formulation {
            Formulation::FrictionBox(_) | Formulation::NoSlip(_) => Stepper::TimeStepping,
            _ if baumgarte > 0.0 => Stepper::TimeStepping,
            _ => Stepper::Rattle,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        Stepper::NAMES[*self as usize]
    }
}

impl FromStr for Stepper {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Stepper, SettingsError> {
        match text {
            "time-stepping" => Ok(Stepper::TimeStepping),
            "acceleration" => Ok(Stepper::Acceleration),
            "event-driven" => Ok(Stepper::EventDriven),
            "rattle" => Ok(Stepper::Rattle),
            _ => Err(SettingsError::UnknownStepper(text.into())),
        }
    }
}
