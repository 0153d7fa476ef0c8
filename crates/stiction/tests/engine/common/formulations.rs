//! One scene under every formulation.

use stiction::contact::Formulation;
use stiction::scene::mjcf;
use stiction::sim::{Simulation, Stepper};

/// The acceleration stepper, as if it were a formulation: it obeys Coulomb's law, with the exact cone where contacts change.
pub const ACCELERATION: &str = "acceleration";

/// The formulations that obey Coulomb's law to the letter where bodies slide along one line, and the stepper that does.
pub const COULOMB: [&str; 6] =
    ["cone", "stewart-trinkle", "anitescu-potra", "friction-box", "friction-box-fixed-point", ACCELERATION];

/// Those under which friction holds a body for ever.
pub const HOLDING: [&str; 9] = [
    "cone",
    "convex",
    "stewart-trinkle",
    "anitescu-potra",
    "friction-box",
    "friction-box-fixed-point",
    "no-slip",
    "no-slip-paper",
    ACCELERATION,
];

/// Viscosity of a contact point under the viscous formulations (N s/m), unless the scene has one.
pub const VISCOSITY: f64 = 0.5;

/// All formulations, and the acceleration stepper.
pub fn all() -> impl Iterator<Item = &'static str> {
    Formulation::NAMES.into_iter().chain([ACCELERATION])
}

/// A scene under one of them, started from the keyframe `start` if there is one.
pub fn under(name: &str, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    if name == ACCELERATION {
        scene.options.stepper = Some(Stepper::Acceleration);
    } else {
        scene.options.contact_model = Some(name.into());
    }
    if name.starts_with("viscous") {
        scene.options.viscosity.get_or_insert(VISCOSITY);
    }
    Simulation::from_scene(scene).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A scene under a formulation and a stepper, likewise.
pub fn under_by(stepper: Stepper, name: &str, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.stepper = Some(stepper);
    scene.options.contact_model = Some(name.into());
    if name.starts_with("viscous") {
        scene.options.viscosity.get_or_insert(VISCOSITY);
    }
    Simulation::from_scene(scene).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A scene under a stepper, likewise.
pub fn under_stepper(stepper: Stepper, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.stepper = Some(stepper);
    Simulation::from_scene(scene).unwrap_or_else(|e| panic!("{}: {e}", stepper.name()))
}
