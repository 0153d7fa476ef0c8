//! The simulation: a model, a state and everything a step works with.

use crate::constraint::closure::projection::Closures;
use crate::constraint::contact::Contacts;
use crate::constraint::islands::Islands;
use crate::constraint::kind::Constraints;
use crate::constraint::rows::{BlockKey, Rows};
use crate::contact::detection::ContactFinder;
use crate::contact::{
    Formulation, FormulationError, Impacts, IslandSolver, Memory, Polyhedral, PolyhedralSettings,
};
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Keyframe, Mocap, Model, State};
use crate::report::{ContactForce, PairForce};
use crate::scene::Scene;
use crate::sim::snapshot::Snapshot;
use crate::spatial::Mobility;
use crate::step::acceleration::AccelerationLevel;
use crate::step::applied_forces::ForceMap;
use crate::step::momentum::Momenta;
use crate::step::{Settings, SettingsError, Stepper};
use std::sync::Arc;

/// Why a simulation cannot be made or a step cannot be taken. The state is then the one before the step.
#[derive(Debug, thiserror::Error)]
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
    /// Of each tree, how stiff explicit integration would be, and the last constraint counted in it: stage 3.
    pub(crate) stiffness: Vec<f64>,
    pub(crate) counted: Vec<usize>,
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
            stiffness: vec![0.0; model.trees.len()],
            counted: vec![0; model.trees.len()],
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
    pub(crate) constraints: Constraints,
    pub(crate) rows: Rows,
    pub(crate) islands: Islands,
    pub(crate) closures: Closures,
    pub(crate) momenta: Momenta,
    pub(crate) solver: IslandSolver,
    pub(crate) projector: IslandSolver,
    pub(crate) forces: ForceMap,
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
        let solver = settings.formulation.solver()?;
        let projector = IslandSolver::Polyhedral(Box::new(Polyhedral::new(PolyhedralSettings::default())?));
        let mut finder = ContactFinder::new(&model, settings.restitution);
        finder.chains = settings.stepper == Stepper::EventDriven;
        let constraints = Constraints { contacts: Contacts { finder }, ..Constraints::new(&model) };
        let acceleration = AccelerationLevel::of(&model, &settings, &constraints)?;
        Ok(Self {
            state: State::new(&model),
            data: Data::new(&model),
            rows: Rows::default(),
            islands: Islands::with_impacts(Impacts::new(settings.impact, settings.impact_threshold)),
            closures: Closures::new(&model, &constraints),
            constraints,
            momenta: Momenta::new(&model),
            solver,
            projector,
            forces: ForceMap::new(&model),
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
        let formulation = Formulation::of_scene(&scene.options)?;
        let stepper = scene.options.stepper.unwrap_or_default();
        let impact = scene.options.impact.unwrap_or_default();
        let settings = Settings { formulation, stepper, impact, ..Settings::default() };
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
        for (quantity, found, expected) in checks {
            if found != expected {
                return Err(SimError::Shape { quantity, found, expected });
            }
        }
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
