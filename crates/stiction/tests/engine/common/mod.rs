//! Helpers shared by the behaviour tests.
pub mod allocator;
pub mod bad_files;
pub mod formulations;
pub mod piles;
pub mod sources;
pub mod trees;

use nalgebra::Vector3;
use stiction::contact::ImpactLaw;
use stiction::dynamics::{self, Data};
use stiction::report::StepReport;
use stiction::scene::mjcf;
use stiction::sim::{Simulation, Stepper};
use stiction::spatial::Transform;

/// A simulation of a scene given as MJCF text, started from the keyframe `start` if there is one.
pub fn simulate(text: &str) -> Simulation {
    let scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    Simulation::from_scene(scene).unwrap()
}

/// The same under a contact model.
pub fn simulate_under(contact_model: &str, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.contact_model = Some(contact_model.into());
    Simulation::from_scene(scene).unwrap()
}

/// The same under a stepper.
pub fn simulate_by(stepper: Stepper, contact_model: &str, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.stepper = Some(stepper);
    scene.options.contact_model = Some(contact_model.into());
    Simulation::from_scene(scene).unwrap()
}

/// The same with an impact law.
pub fn bouncing_by(stepper: Stepper, text: &str, contact_model: &str, law: ImpactLaw) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.stepper = Some(stepper);
    scene.options.contact_model = Some(contact_model.into());
    scene.options.impact = Some(law);
    Simulation::from_scene(scene).unwrap()
}

/// The same with a solver of its.
pub fn simulate_with(contact_model: &str, solver: &str, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    scene.options.contact_model = Some(contact_model.into());
    scene.options.solver = Some(solver.into());
    Simulation::from_scene(scene).unwrap()
}

/// A shipped scene.
pub fn shipped(name: &str) -> String {
    let path = format!("{}/../../scenes/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Steps for a time, checking that every step is solved, and returns the worst residual.
pub fn run(
    simulation: &mut Simulation,
    duration: f64,
    mut each: impl FnMut(&Simulation, &StepReport),
) -> f64 {
    let steps = (duration / simulation.timestep()).round() as usize;
    let mut residual: f64 = 0.0;
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        assert!(report.solved(), "step {}: {:?}", report.step, report);
        residual = residual.max(report.certificate.residual);
        each(simulation, &report);
    }
    residual
}

/// Part of the kinetic energy that contacts may bring in a step, however exactly they are solved: the impulses at its beginning work
/// against the curvature of what rolls and turns, those at its end take the same back but for the angle by which bodies turn in
/// between. That is of second order, few steps bring anything, and it does not add up.
pub const CONTACTS_BRING: f64 = 1e-3;

/// Energy (J) that contacts may bring in this step, under the stepper of a simulation.
pub fn contacts_may_bring(simulation: &Simulation, report: &StepReport) -> f64 {
    let part = if simulation.settings().stepper == Stepper::Rattle { CONTACTS_BRING } else { 1e-12 };
    part * (1.0 + report.kinetic_energy)
}

/// Speed (m/s) at which contacts may be left to approach, under the stepper of a simulation: where impulses act at both ends, a part
/// of the overlap that is tolerated, in a step.
pub fn approach_left(simulation: &Simulation) -> f64 {
    let settings = simulation.settings();
    let of_step = settings.overlap_tolerance / simulation.timestep();
    if settings.stepper == Stepper::Rattle { of_step } else { 1e-8 }
}

/// The steppers that take every scene and every formulation.
pub const STEPPERS: [Stepper; 2] = [Stepper::TimeStepping, Stepper::Rattle];

/// Deepest overlap (m) of the contacts of the last step at the poses for which they were posed: what the removal of overlap
/// has left. The certificate's penetration is that before the removal.
pub fn overlap_as_posed(simulation: &Simulation) -> f64 {
    simulation.contact_forces().iter().fold(0.0, |worst, force| worst.max(-force.contact.gap))
}

/// Position of a body's origin in the world, from the state.
pub fn position(simulation: &Simulation, body: &str) -> Vector3<f64> {
    let model = simulation.model();
    let body = model.body(body).unwrap();
    match model.bodies[body].base {
        stiction::model::Base::Link(link) => {
            simulation.data().link_pose[link.index()].point(&model.bodies[body].pose.translation)
        }
        _ => model.bodies[body].pose.translation,
    }
}

/// Pose of a body in the world, from the state.
pub fn pose(s: &Simulation, body: &str) -> Transform {
    let model = s.model();
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &s.state.q, &s.state.v);
    dynamics::body_motion(model, &data, &s.state.mocap, model.body(body).unwrap()).0
}

/// Pose of a body in the axes of another.
pub fn pose_in(s: &Simulation, frame: &str, body: &str) -> Transform {
    pose(s, frame).inverse() * pose(s, body)
}

/// How far the second pose is from the first, with turns as lengths of an arm.
pub fn shift(before: &Transform, after: &Transform, arm: f64) -> f64 {
    (after.translation - before.translation).norm() + arm * before.angle_to(after)
}

/// Largest generalized speed.
pub fn speed(simulation: &Simulation) -> f64 {
    simulation.state.v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Sum of the contact forces on a body (N, world).
pub fn contact_force(simulation: &Simulation, body: &str) -> Vector3<f64> {
    let model = simulation.model();
    let body = model.body(body).unwrap();
    simulation.contact_forces().iter().fold(Vector3::zeros(), |sum, c| {
        let [first, second] = c.contact.geoms.map(|g| model.geoms[g].body == body);
        sum + c.force * (f64::from(u8::from(second)) - f64::from(u8::from(first)))
    })
}

/// Total normal force between two geoms (N).
pub fn normal_force(simulation: &Simulation, geoms: [&str; 2]) -> f64 {
    let model = simulation.model();
    let pair = geoms.map(|g| model.geom(g).unwrap());
    simulation
        .contact_forces()
        .iter()
        .filter(|c| c.contact.geoms == pair || c.contact.geoms == [pair[1], pair[0]])
        .map(|c| c.impulse.x / simulation.timestep())
        .sum()
}

/// The rod of Painleve at 45 degrees, 1 m long and 1 kg, leaning to the right; it moves to the right at `speed` (m/s).
pub fn painleve_rod(mu: f64, speed: f64) -> String {
    let (reach, radius) = (0.5 * std::f64::consts::FRAC_1_SQRT_2, 1e-4);
    format!(
        r#"<mujoco><option timestep="1e-4"/><worldbody><geom name="floor" type="plane" size="5 5 1" friction="{mu}"/>
        <body name="rod" pos="0 0 {reach}"><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="{i} {i} {i}"/>
        <geom name="tip" type="sphere" size="{radius}" pos="-{reach} 0 {z}" friction="{mu}"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 {reach} 1 0 0 0" qvel="{speed} 0 0 0 0 0"/></keyframe></mujoco>"#,
        i = 0.25 / 3.0,
        z = radius - reach,
    )
}
