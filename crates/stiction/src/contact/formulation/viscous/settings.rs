//! The settings of purely viscous friction, posed for the normal impulses alone (Drumwright 2015, section IV).

use super::{ViscousElimination, ViscousRule};
use crate::contact::formulation::normal::{NormalImpulses, NormalSolver};
use crate::contact::formulation::{FormulationError, IslandSolver};
use crate::model::Law;
use serde::{Deserialize, Serialize};

/// Settings of purely viscous friction as a symmetric problem of one unknown per contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViscousSettings {
    /// Viscosity of every contact point that has friction (N s/m).
    pub viscosity: f64,
    /// Which velocity viscous friction answers.
    pub rule: ViscousRule,
    /// The solver of the normal impulses. It goes on below its tolerance, to 1e-14.
    pub solver: NormalSolver,
}

impl ViscousSettings {
    /// The law of all contacts that have friction.
    pub fn law(&self) -> Law {
        Law::Viscous { viscosity: self.viscosity }
    }

    /// The law that holds at a contact whose own law is `law`.
    pub(crate) fn law_in_force(&self, law: Law) -> Law {
        if law == Law::Frictionless { law } else { self.law() }
    }

    /// Makes the workspace that solves islands.
    ///
    /// # Errors
    /// A setting out of range.
    pub(crate) fn solver(&self) -> Result<Box<dyn IslandSolver>, FormulationError> {
        let value = self.viscosity;
        if !(value.is_finite() && value >= 0.0) {
            let expected = "a number of at least 0";
            return Err(FormulationError::Range { setting: "viscosity", value, expected });
        }
        let inner = Box::new(NormalImpulses::new(&self.solver)?);
        Ok(Box::new(ViscousElimination::new(self.rule, Some(self.law()), inner)))
    }
}
