//! The simulation: a model, a state and everything a step works with.

use crate::constraint::closure::projection::Closures;
use crate::constraint::islands::Islands;
use crate::constraint::limit::{joint_ranks, name_ranks};
use crate::constraint::rows::{BlockKey, Rows};
use crate::contact::detection::ContactFinder;
use crate::contact::{FormulationError, Impacts, IslandSolver, Memory, Polyhedral, PolyhedralSettings};
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Keyframe, Model};
use crate::model::{Mocap, State};
use crate::report::{ContactForce, PairForce};
use crate::scene::Scene;
use crate::settings::{Options, Settings, SettingsError, Stepper};
use crate::sim::snapshot::Snapshot;
use crate::spatial::Mobility;
use crate::step::acceleration::AccelerationLevel;
use crate::step::applied_forces::ForceMap;
use crate::step::momentum::Momenta;
use std::sync::Arc;

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
}

/// Scratch vectors of a step, each overwritten by the stage named.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Smooth generalized force (nv): stage 3.
    pub(crate) tau: Vec<f64>,
    /// Bias forces, then right-hand side (nv): stage 3.
    pub(crate) bias: Vec<f64>,
    /// Implicit rate and position gains (nv): stage 3.
    pub(crate) rate_gain: Vec<f64>,
    pub(crate) position_gain: Vec<f64>,
    /// What is added to the mass matrix's diagonal (nv): stage 3.
    pub(crate) added: Vec<f64>,
    /// The diagonal of the inverse of the sum (nv), and mobilities of the links of long trees: stage 3.
    pub(crate) inverse_diagonal: Vec<f64>,
    pub(crate) mobility: Vec<Mobility>,
    /// Velocity without and with constraint impulses (nv, then those of loops): stages 3 and 6.
    pub(crate) v_free: Vec<f64>,
    pub(crate) v_plus: Vec<f64>,
    /// `v_free` of tied trees brought onto their equalities (likewise): stage 3.
    pub(crate) v_near: Vec<f64>,
    /// Free velocity of lone bodies without what acts along joints that close loops (nv): stage 3.
    pub(crate) v_own: Vec<f64>,
    /// Velocity of lone bodies with rotors at the end of the step minus the one it uses, without constraint impulses (nv):
    /// stage 3.
    pub(crate) late: Vec<f64>,
    /// Row velocities without and with constraint impulses (rows): stages 4 and 8.
    pub(crate) free: Vec<f64>,
    /// Row velocities at the beginning of the step, if the formulation asks.
    pub(crate) before: Vec<f64>,
    pub(crate) rates: Vec<f64>,
    /// Islands in which something bounces: stage 5.
    pub(crate) bounced: Vec<usize>,
    /// Part of the step that each tree still moves with its velocity before the bounce: after stage 6.
    pub(crate) delay: Vec<f64>,
    /// Velocity with which trees are moved, and, while it is sought, that of no bounce at all (as long as `v_plus`); its row
    /// velocities.
    pub(crate) moved: Vec<f64>,
    pub(crate) moved_rates: Vec<f64>,
    /// Whether each tree takes the contact rule, and the sets of trees that may touch: stage 3.
    pub(crate) contact_rule: Vec<bool>,
    pub(crate) candidate: Vec<bool>,
    pub(crate) near: Vec<bool>,
    pub(crate) sets: Vec<usize>,
    /// Tied trees under the free rule, and the prescribed motions in a stage of it: stage 7.
    pub(crate) tied: Vec<usize>,
    pub(crate) mocap: Vec<Mocap>,
    /// Memory of each block: stage 5.
    pub(crate) memory: Vec<Memory>,
    /// Position projection.
    pub(crate) displacement: Vec<f64>,
    pub(crate) zeros: Vec<f64>,
    /// Configuration of the least overlap in the rounds of a projection (nq): before stage 3.
    pub(crate) least_overlap: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) q_before: Vec<f64>,
    pub(crate) v_before: Vec<f64>,
    pub(crate) mocap_before: Vec<Mocap>,
    pub(crate) time_before: f64,
}

impl Work {
    fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        let with_loops = || vec![0.0; model.nv() + model.loop_nv()];
        let no = || vec![false; model.trees.len()];
        Self {
            tau: zeros(),
            bias: zeros(),
            rate_gain: zeros(),
            position_gain: zeros(),
            added: zeros(),
            inverse_diagonal: zeros(),
            mobility: vec![Mobility::zero(); model.links.len()],
            v_free: with_loops(),
            v_own: zeros(),
            late: zeros(),
            v_plus: with_loops(),
            v_near: with_loops(),
            contact_rule: no(),
            candidate: no(),
            near: no(),
            delay: vec![0.0; model.trees.len()],
            moved: with_loops(),
            displacement: zeros(),
            zeros: zeros(),
            least_overlap: vec![0.0; model.nq()],
            scratch: zeros(),
            q: model.q0.clone(),
            ..Default::default()
        }
    }
}

/// A scene in motion.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) model: Arc<Model>,
    /// The state; set it freely between steps.
    pub state: State,
    pub(crate) settings: Settings,
    pub(crate) data: Data,
    pub(crate) finder: ContactFinder,
    pub(crate) rows: Rows,
    pub(crate) islands: Islands,
    pub(crate) closures: Closures,
    pub(crate) momenta: Momenta,
    pub(crate) solver: Box<dyn IslandSolver>,
    pub(crate) projector: Polyhedral,
    pub(crate) forces: ForceMap,
    pub(crate) joint_ranks: Vec<u32>,
    pub(crate) equality_ranks: Vec<u32>,
    pub(crate) tendon_ranks: Vec<u32>,
    pub(crate) cable_ranks: Vec<u32>,
    /// What the formulation remembers of each block, by key: the last step's.
    pub(crate) memory: Vec<(BlockKey, Memory)>,
    /// The present step's, which replaces it when the step succeeds.
    pub(crate) next_memory: Vec<(BlockKey, Memory)>,
    pub(crate) contact_forces: Vec<ContactForce>,
    pub(crate) contact_pairs: Vec<PairForce>,
    pub(crate) step_number: u64,
    pub(crate) work: Work,
    /// What the acceleration stepper works with, if it is asked for.
    pub(crate) acceleration: Option<Box<AccelerationLevel>>,
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
        let acceleration = AccelerationLevel::of(&model, &settings)?;
        let solver = settings.formulation.solver()?;
        let projector = Polyhedral::new(PolyhedralSettings::default())?;
        let mut finder = ContactFinder::new(&model, settings.restitution);
        finder.chains = settings.stepper == Stepper::EventDriven;
        let joint_ranks = joint_ranks(&model);
        let equality_ranks = name_ranks(model.equalities.iter().map(|e| e.name.as_str()));
        let forces = ForceMap::new(&model);
        Ok(Self {
            state: State::new(&model),
            data: Data::new(&model),
            finder,
            rows: Rows::default(),
            islands: Islands::with_impacts(Impacts::new(settings.impact, settings.impact_threshold)),
            closures: Closures::new(&model, &equality_ranks, &forces.loop_joints),
            momenta: Momenta::new(&model),
            solver,
            projector,
            forces,
            joint_ranks,
            equality_ranks,
            cable_ranks: name_ranks(model.cables.iter().map(|c| c.name.as_str())),
            tendon_ranks: name_ranks(model.tendons.iter().map(|t| t.name.as_str())),
            memory: Vec::new(),
            next_memory: Vec::new(),
            contact_forces: Vec::new(),
            contact_pairs: Vec::new(),
            step_number: 0,
            work: Work::new(&model),
            acceleration,
            settings,
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
        self.solver = solver;
    }

    /// Time step (s).
    pub fn timestep(&self) -> f64 {
        self.settings.timestep.unwrap_or(self.model.timestep)
    }

    /// Derived quantities: poses, velocities and factors at the beginning of the last step.
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
        self.memory.clear();
        self.clear_readout();
        self.step_number = 0;
    }

    /// Number of steps taken.
    pub fn step_number(&self) -> u64 {
        self.step_number
    }
}

/// Refuses the first vector, by name, whose length is not the one expected.
fn check_lengths(checks: &[(&'static str, usize, usize)]) -> Result<(), SimError> {
    match checks.iter().find(|(_, found, expected)| found != expected) {
        Some(&(quantity, found, expected)) => Err(SimError::Shape { quantity, found, expected }),
        None => Ok(()),
    }
}
