//! Every contact formulation with every solver that it takes, under every stepper: steps are taken or refused, and no number is lost.

use crate::common::formulations::VISCOSITY;
use crate::common::shipped;
use stiction::contact::Formulation;
use stiction::report::Certificate;
use stiction::scene::{Scene, mjcf};
use stiction::sim::{Simulation, Stepper};

/// Shipped scenes with contacts of all kinds: held by friction alone, a falling figure, sliding, driven, about to land.
const SCENES: [&str; 5] = ["grasp", "humanoid", "incline", "belt", "drop_stack"];
/// Steps of each.
const STEPS: usize = 4;

fn scene(text: &str, formulation: &str, solver: &str, stepper: Stepper) -> Scene {
    let mut scene = mjcf::parse(text, "scene.xml").unwrap();
    scene.options.contact_model = Some(formulation.into());
    scene.options.solver = Some(solver.into());
    scene.options.stepper = Some(stepper);
    scene.options.viscosity = Some(VISCOSITY);
    scene
}

/// Whether steps were taken; what is refused says what would do.
fn takes_steps(scene: Scene, what: &str) -> bool {
    let mut simulation = match Simulation::from_scene(scene) {
        Ok(simulation) => simulation,
        Err(refusal) => {
            let said = refusal.to_string();
            assert!(said.contains("does not do") && said.contains("use "), "{what}: {said}");
            return false;
        }
    };
    for _ in 0..STEPS {
        let report = simulation.step().unwrap_or_else(|e| panic!("{what}: {e}"));
        let certificate = &report.certificate;
        assert!(
            Certificate::FIELDS.iter().all(|field| !(field.get)(certificate).is_nan()),
            "{what}: {report:?}"
        );
        // Impulses at both ends are judged by what bodies do, however well the last pass was solved.
        let most = if simulation.settings().stepper == Stepper::Rattle { 1e-4 } else { 1e-6 };
        assert!(!report.solved() || certificate.residual <= most, "{what}: {report:?}");
        assert!(!report.solved() || certificate.penetration <= 1e-6, "{what}: {report:?}");
        let state = &simulation.state;
        assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()), "{what}: {report:?}");
    }
    true
}

#[test]
fn every_formulation_takes_steps_with_every_solver_under_every_stepper_or_says_what_would_do() {
    let texts = SCENES.map(shipped);
    let mut taken = 0;
    for name in Formulation::NAMES {
        for solver in Formulation::named(name).unwrap().solvers() {
            for stepper in
                [Stepper::TimeStepping, Stepper::Rattle, Stepper::Acceleration, Stepper::EventDriven]
            {
                for (text, of) in texts.iter().zip(SCENES) {
                    let what = format!("{of}, {name}, {solver}, {}", stepper.name());
                    let takes = takes_steps(scene(text, name, solver, stepper), &what);
                    assert!(takes || stepper != Stepper::TimeStepping, "{what} is refused");
                    taken += usize::from(takes);
                }
            }
        }
    }
    assert!(taken >= 1200, "{taken} combinations take steps");
}
