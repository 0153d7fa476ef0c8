//! The simulation: a model, a state and everything a step works with.

use crate::constraint::closure::projection::Closures;
use crate::constraint::contact::Contacts;
use crate::constraint::kind::Constraints;
use crate::contact::detection::ContactFinder;
use crate::contact::{FormulationError, IslandSolver};
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Keyframe, Mocap, Model, State};
use crate::report::{StepReport, Work};
use crate::scene::Scene;
use crate::settings::{Options, Settings, SettingsError, Stepper};
use crate::sim::snapshot::Snapshot;
use crate::step::StepError;
use crate::step::applied_forces::ForceMap;
use crate::step::clock::{Clock, StageTimes};
use crate::step::contact_problem::StepMemory;
use crate::step::system::System;
use crate::step::time_stepping::step;
use crate::step::workspace::Workspace;
use std::sync::{Arc, OnceLock};

/// Why a simulation cannot be made or a step cannot be taken. The state is then the one before the step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The contact model cannot be used as asked.
    #[error(transparent)]
    Formulation(#[from] FormulationError),
    /// The dynamics have no answer at this configuration.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// A number that is not finite was found where it was born.
    #[error("step {step}: {quantity} of '{element}' is {value}; the state before the step is kept")]
    NotFinite {
        /// Number of the step (0 is the first).
        step: u64,
        /// What is not finite.
        quantity: &'static str,
        /// Body, joint or actuator.
        element: String,
        /// The value.
        value: f64,
        /// The state before the step.
        dump: Box<Snapshot>,
    },
    /// Equalities that no configuration near the present one meets.
    #[error(
        "equality '{equality}' stays open by {error:.3e} (m or rad): the bodies cannot be brought together from where \
         they start, or it contradicts another"
    )]
    CannotAssemble {
        /// The worst one.
        equality: String,
        /// Its position error (m or rad).
        error: f64,
    },
    /// A state vector of the wrong length.
    #[error("{quantity} has {found} numbers, this model needs {expected}")]
    Shape {
        /// Which vector.
        quantity: &'static str,
        /// Given length.
        found: usize,
        /// Needed length.
        expected: usize,
    },
    /// A snapshot of another model.
    #[error(
        "the snapshot is of another model (fingerprint {found:016x}) than this one ({expected:016x}), though of equal size; \
         load the model it was taken of"
    )]
    OtherModel {
        /// Fingerprint of the snapshot's model.
        found: u64,
        /// Fingerprint of this simulation's.
        expected: u64,
    },
}

/// The parts of a simulation that a step works on.
pub(crate) type Parts<'a> = (System<'a>, &'a mut Workspace, &'a mut StepMemory, &'a mut Clock);

/// A scene in motion.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) model: Arc<Model>,
    /// The model's, once a snapshot has asked for it.
    pub(crate) fingerprint: OnceLock<u64>,
    /// The state; set it freely between steps. What is not part of it is where the next solve starts: see
    /// [`Simulation::forget_warm_start`].
    pub state: State,
    pub(crate) settings: Settings,
    pub(crate) data: Data,
    pub(crate) constraints: Constraints,
    pub(crate) closures: Closures,
    pub(crate) forces: ForceMap,
    /// What the formulation remembers of each block.
    pub(crate) memory: StepMemory,
    pub(crate) step_number: u64,
    /// By what the energy changed in all steps.
    pub(crate) done: Work,
    pub(crate) work: Workspace,
    pub(crate) clock: Clock,
}

impl Simulation {
    /// A simulation at the model's reference configuration, at rest.
    ///
    /// # Errors
    /// Settings out of range, or a contact model that cannot be used.
    pub fn new(model: Arc<Model>, settings: Settings) -> Result<Self, SimError> {
        settings.validate()?;
        settings.formulation.check_laws(model.laws())?;
        if settings.restitution.map_or(model.has_restitution(), |restitution| restitution > 0.0) {
            settings.formulation.check_impact(settings.impact)?;
        }
        let mut finder =
            ContactFinder::new(&model, settings.restitution, settings.timestep.unwrap_or(model.timestep));
        finder.chains = settings.stepper == Stepper::EventDriven;
        let constraints = Constraints { contacts: Contacts { finder }, ..Constraints::new(&model) };
        Ok(Self {
            state: State::new(&model),
            data: Data::new(&model),
            closures: Closures::new(&model, &constraints),
            forces: ForceMap::new(&model),
            memory: StepMemory::default(),
            step_number: 0,
            done: Work::default(),
            work: Workspace::new(&model, &settings)?,
            clock: Clock::default(),
            constraints,
            settings,
            fingerprint: OnceLock::new(),
            model,
        })
    }

    /// A simulation of a scene as the file asks for it, at the keyframe [`Simulation::START`] if there is one.
    ///
    /// # Errors
    /// As [`Simulation::new`], and a contact model or solver of the scene that there is not.
    pub fn from_scene(scene: Scene) -> Result<Self, SimError> {
        let settings = Settings::for_scene(&Options::default(), &scene.options)?;
        let mut simulation = Self::new(Arc::new(scene.model), settings)?;
        simulation.start_over()?;
        Ok(simulation)
    }

    /// Goes back to where the scene starts: to the keyframe [`Simulation::START`], or if there is none to the reference
    /// configuration, at rest. Everything a simulation remembers is forgotten.
    pub fn start_over(&mut self) -> Result<(), SimError> {
        let model = self.model.clone();
        match model.keyframe(Self::START) {
            Some(key) => self.reset_to(key),
            None => {
                self.forget();
                Ok(())
            }
        }
    }

    /// Name of the keyframe at which a scene starts unless another is asked for.
    pub const START: &str = "start";

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Has islands solved by another solver than the settings' formulation makes, from the next step on. Which laws hold,
    /// and what the certificate judges, remains with the formulation.
    pub fn set_island_solver(&mut self, solver: Box<dyn IslandSolver>) {
        self.work.problem.solver = solver;
    }

    /// Time step (s).
    pub fn timestep(&self) -> f64 {
        self.settings.timestep.unwrap_or(self.model.timestep)
    }

    /// Derived quantities: poses and velocities at the end of the last step, factors of some moment within it.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Starts from a keyframe: configuration, velocity, controls, mocap poses and time; forgets all warm starts.
    pub fn reset_to(&mut self, key: &Keyframe) -> Result<(), SimError> {
        let checks = [
            ("qpos", key.q.len(), self.model.nq()),
            ("qvel", key.v.len(), self.model.nv()),
            ("loop_q", key.loop_q.len(), self.model.loop_q0.len()),
            ("ctrl", key.ctrl.len(), self.model.actuators.len()),
            ("mocap", key.mocap.len(), self.model.mocap_poses.len()),
        ];
        check_lengths(&checks)?;
        self.forget();
        self.state.time = key.time;
        self.state.q.copy_from_slice(&key.q);
        self.state.v.copy_from_slice(&key.v);
        self.state.loop_q.copy_from_slice(&key.loop_q);
        self.state.ctrl.copy_from_slice(&key.ctrl);
        for (mocap, pose) in self.state.mocap.iter_mut().zip(&key.mocap) {
            *mocap = Mocap::new(pose, mocap.velocity);
        }
        Ok(())
    }

    /// Refuses a state of another model, whose vectors have other lengths.
    pub(crate) fn check_shape(&self) -> Result<(), SimError> {
        let (state, model) = (&self.state, &self.model);
        check_lengths(&[
            ("qpos", state.q.len(), model.nq()),
            ("qvel", state.v.len(), model.nv()),
            ("loop_q", state.loop_q.len(), model.loop_q0.len()),
            ("ctrl", state.ctrl.len(), model.actuators.len()),
            ("mocap", state.mocap.len(), model.mocap_poses.len()),
            ("applied force", state.applied.len(), model.nv()),
            ("external wrench", state.external.len(), model.bodies.len()),
        ])
    }

    /// Goes to the reference configuration, at rest, as a new simulation is.
    fn forget(&mut self) {
        self.state = State::new(&self.model);
        self.memory = StepMemory::default();
        self.clear_readout();
        self.step_number = 0;
        self.done = Work::default();
    }

    /// Forgets the impulses of the last step, from which the next one would start its solves. The next steps are then a function of
    /// the state alone, to the bit, as those of a new simulation in that state: for who writes configuration, velocity and
    /// time by hand and repeats runs. (A [`Snapshot`] holds the warm start; keyframes and [`Simulation::start_over`] forget it.) Answers
    /// that are unique change by no more than the solver's tolerance.
    pub fn forget_warm_start(&mut self) {
        self.memory.last.clear();
    }

    /// By what the energy changed in all steps since the start, or since that of the run that a snapshot is of (J). Whoever writes the
    /// state between steps changes the energy too, which is in no step's account.
    pub fn work(&self) -> &Work {
        &self.done
    }

    /// Number of steps taken.
    pub fn step_number(&self) -> u64 {
        self.step_number
    }

    /// Measures the stages of all steps from now on, beginning with zero, at some ten-millionths of a second a step.
    pub fn measure_stages(&mut self) {
        self.clock = Clock::started();
    }

    /// The times since [`Simulation::measure_stages`]; zero if nobody asked.
    pub fn stage_times(&self) -> StageTimes {
        self.clock.times()
    }

    /// What stages work on, their workspaces, what is remembered from step to step, and the clock.
    pub(crate) fn parts(&mut self) -> Parts<'_> {
        let h = self.timestep();
        let system = System {
            model: &self.model,
            settings: &self.settings,
            h,
            forces: &self.forces,
            state: &mut self.state,
            data: &mut self.data,
            closures: &mut self.closures,
            constraints: &mut self.constraints,
        };
        (system, &mut self.work, &mut self.memory, &mut self.clock)
    }

    /// Takes one step of [`Simulation::timestep`] seconds and reports on it.
    ///
    /// An unsolved contact problem is not an error: the best answer found is used and the report says so.
    ///
    /// # Errors
    /// A number that is not finite (in the commands or born in the step), or a singular mass matrix. The state is
    /// then the one before the step.
    pub fn step(&mut self) -> Result<StepReport, SimError> {
        self.check_shape()?;
        self.work.start.keep(&self.state);
        self.check_commands()?;
        self.closures.loops.recall(&self.state.loop_q);
        let h = self.timestep();
        self.state.mocap.iter_mut().for_each(|mocap| mocap.begin_step(h));
        let stepped = self.take_step().and_then(|report| self.check_state().map(|()| report));
        let report = stepped.inspect_err(|_| self.work.start.restore(&mut self.state))?;
        self.state.mocap.iter_mut().for_each(Mocap::end_step);
        self.state.loop_q.copy_from_slice(self.closures.loops.coordinates());
        self.memory.advance();
        self.step_number += 1;
        self.done += report.work;
        Ok(report)
    }

    fn take_step(&mut self) -> Result<StepReport, SimError> {
        let number = self.step_number;
        let (mut system, work, memory, clock) = self.parts();
        let report = step(&mut system, memory, work, clock)?;
        Ok(StepReport { step: number, ..report })
    }
}

impl From<StepError> for SimError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Settings(error) => SimError::Settings(error),
            StepError::Formulation(error) => SimError::Formulation(error),
        }
    }
}

/// Refuses the first vector, by name, whose length is not the one expected.
fn check_lengths(checks: &[(&'static str, usize, usize)]) -> Result<(), SimError> {
    match checks.iter().find(|(_, found, expected)| found != expected) {
        Some(&(quantity, found, expected)) => Err(SimError::Shape { quantity, found, expected }),
        None => Ok(()),
    }
}
