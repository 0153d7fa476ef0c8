//! One throw, simulated, and what it says.

use std::sync::Arc;

use serde::Serialize;
use stiction::contact::Formulation;
use stiction::scene::{Scene, mjcf};
use stiction::sim::{Settings, Simulation, Stepper};

use super::closed_form::{Pyramid, SPEED, velocity};
use crate::error::LabError;
use crate::papers::mj14::Scheme;

/// Simulated time (s).
const DURATION: f64 = 0.6;

/// The sphere rolls when its contact slips by less (m/s).
const ROLLS: f64 = 1e-9;

/// Runs of a throw, of which the fastest counts.
const REPEATS: usize = 5;

const SCENE: &str = include_str!("../../../../../../scenes/sphere_slide.xml");

/// A solver and how its directions lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Throw {
    pub(super) scheme: Scheme,
    pub(super) directions: usize,
    pub(super) aligned: bool,
    /// From the x axis, which is the first direction unless they are aligned (rad).
    pub(super) angle: f64,
}

/// The motion at the end of a step, in axes along the throw, to its left, and up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) time: f64,
    /// m/s
    pub(super) velocity: [f64; 2],
    /// Angular velocity about the axes along and to the left (rad/s).
    pub(super) spin: [f64; 2],
    /// Friction in the step (N).
    pub(super) friction: [f64; 2],
    /// Difference of the velocity from the closed form of the directions as they are (m/s).
    pub(super) error_of_model: f64,
}

/// What came of a throw.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    pub(super) scheme: &'static str,
    pub(super) contact: &'static str,
    pub(super) solver: &'static str,
    /// None under the exact cone.
    pub(super) directions: Option<usize>,
    pub(super) aligned: bool,
    pub(super) angle_degrees: f64,
    pub(super) variables: usize,
    /// End of the first step without slip (s).
    pub(super) slides_until: Option<f64>,
    /// Along the throw and to its left, at the end (m/s).
    pub(super) velocity: [f64; 2],
    /// Largest difference from the round cone's closed form, along and to the left (m/s).
    pub(super) error: [f64; 2],
    /// Largest difference from the closed form of the directions as they are (m/s).
    pub(super) error_of_model: f64,
    pub(super) worst_residual: f64,
    pub(super) unsolved: usize,
    pub(super) iterations: f64,
    /// Of the fastest run, by step (us): all of it, and posing and solving the problem.
    pub(super) step_us: f64,
    pub(super) solve_us: f64,
    #[serde(skip)]
    pub(super) history: Vec<Moment>,
}

impl Throw {
    /// Simulates.
    pub(super) fn measure(&self) -> Result<Measured, LabError> {
        let scene = mjcf::parse(SCENE, "sphere_slide.xml")?;
        let formulation = self.scheme.formulation(self.directions, self.aligned)?;
        let mut measured = self.run(&scene, &formulation)?;
        for _ in 1..REPEATS {
            let again = self.run(&scene, &formulation)?;
            measured.step_us = measured.step_us.min(again.step_us);
            measured.solve_us = measured.solve_us.min(again.solve_us);
        }
        Ok(measured)
    }

    fn run(&self, scene: &Scene, formulation: &Formulation) -> Result<Measured, LabError> {
        // The paper's rule.
        let stepper = Stepper::TimeStepping;
        let settings = Settings { formulation: formulation.clone(), stepper, ..Default::default() };
        let mut simulation = Simulation::new(Arc::new(scene.model.clone()), settings)?;
        if let Some(key) = scene.model.keyframe(Simulation::START) {
            simulation.reset_to(key)?;
        }
        let (sin, cos) = self.angle.sin_cos();
        simulation.state.v[..2].copy_from_slice(&[SPEED * cos, SPEED * sin]);
        let turned = |x: f64, y: f64| [x * cos + y * sin, y * cos - x * sin];
        let pyramid =
            (self.scheme.pyramid && !self.aligned).then(|| Pyramid::new(self.directions, self.angle));
        let mut measured = self.nothing_yet(formulation);
        let steps = (DURATION / simulation.timestep()).round() as usize;
        simulation.measure_stages();
        for _ in 0..steps {
            let report = simulation.step().map_err(|error| LabError::Stopped(error.to_string()))?;
            let motion = simulation.data().link_velocity[0];
            let (v, w) = (motion.linear, motion.angular);
            let mut moment = Moment {
                time: report.time,
                velocity: turned(v.x, v.y),
                spin: turned(w.x, w.y),
                friction: [0.0; 2],
                error_of_model: 0.0,
            };
            if let Some(force) = simulation.contact_forces().first() {
                // The ball is the first geom in name order; it takes the opposite of what the floor takes.
                moment.friction = turned(-force.force.x, -force.force.y);
                if force.velocity.y.hypot(force.velocity.z) < ROLLS {
                    measured.slides_until.get_or_insert(report.time);
                }
            }
            let [along, left] = moment.velocity;
            let exact = velocity(moment.time);
            let model = pyramid.map_or([exact, 0.0], |pyramid| pyramid.velocity(moment.time));
            measured.error[0] = measured.error[0].max((along - exact).abs());
            measured.error[1] = measured.error[1].max(left.abs());
            moment.error_of_model = (along - model[0]).hypot(left - model[1]);
            measured.error_of_model = measured.error_of_model.max(moment.error_of_model);
            measured.variables = measured.variables.max(report.variables);
            measured.worst_residual = measured.worst_residual.max(report.certificate.residual);
            measured.unsolved += usize::from(!report.solved());
            measured.iterations += report.iterations as f64 / steps as f64;
            measured.velocity = moment.velocity;
            measured.history.push(moment);
        }
        let times = simulation.stage_times();
        measured.step_us = 1e6 * times.total() / steps as f64;
        measured.solve_us = 1e6 * times.solve / steps as f64;
        Ok(measured)
    }

    fn nothing_yet(&self, formulation: &Formulation) -> Measured {
        Measured {
            scheme: self.scheme.name,
            contact: formulation.name(),
            solver: self.scheme.solver,
            directions: self.scheme.pyramid.then_some(self.directions),
            aligned: self.scheme.pyramid && self.aligned,
            angle_degrees: self.angle.to_degrees(),
            variables: 0,
            slides_until: None,
            velocity: [0.0; 2],
            error: [0.0; 2],
            error_of_model: 0.0,
            worst_residual: 0.0,
            unsolved: 0,
            iterations: 0.0,
            step_us: 0.0,
            solve_us: 0.0,
            history: Vec::new(),
        }
    }
}
