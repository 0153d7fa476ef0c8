//! Values that have names: taken as they are, so that the engine's own errors say what is wrong with them, and known to the
//! completions of shells.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;
use stiction::contact::{Formulation, ImpactLaw};
use stiction::settings::Stepper;
use stiction_lab::analytic;
use stiction_solvers::Class;
use stiction_solvers::select::registry::SOLVERS;

/// Any text; these complete.
#[derive(Clone, Debug)]
pub(crate) struct Named(Vec<&'static str>);

impl TypedValueParser for Named {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

/// Contact models.
pub(crate) fn contact_models() -> Named {
    Named(Formulation::NAMES.to_vec())
}

/// Solvers of any contact model.
pub(crate) fn contact_solvers() -> Named {
    let formulations = Formulation::NAMES.iter().filter_map(|name| Formulation::named(name).ok());
    let mut names: Vec<_> = formulations.flat_map(|formulation| formulation.solvers()).collect();
    names.sort_unstable();
    names.dedup();
    Named(names)
}

/// Solvers of problems of any class, and all of them.
pub(crate) fn problem_solvers() -> Named {
    Named(SOLVERS.iter().map(|entry| entry.name).chain(["all"]).collect())
}

/// Solvers of friction cones, and all of them.
pub(crate) fn cone_solvers() -> Named {
    let serving = SOLVERS.iter().filter(|entry| entry.serves(Class::ConeNcp));
    Named(serving.map(|entry| entry.name).chain(["all"]).collect())
}

/// Scenes with known answers.
pub(crate) fn verified() -> Named {
    Named(analytic::cases().iter().map(|case| case.name).collect())
}

/// Steppers.
pub(crate) fn steppers() -> impl TypedValueParser<Value = Stepper> {
    Named(Stepper::NAMES.to_vec()).try_map(|name| name.parse())
}

/// What the option that chooses a stepper says.
pub(crate) fn stepper_help() -> String {
    format!(
        "Stepper: {} [default: the scene's, else {}]",
        Stepper::NAMES.join(", "),
        Stepper::default().name()
    )
}

/// Impact laws.
pub(crate) fn impact_laws() -> impl TypedValueParser<Value = ImpactLaw> {
    Named(ImpactLaw::NAMES.to_vec()).try_map(|name| name.parse())
}
