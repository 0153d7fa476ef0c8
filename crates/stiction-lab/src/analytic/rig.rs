//! A scene under test: made from MJCF text, stepped, and asked for what acts on its bodies.

use nalgebra::Vector3;
use stiction::contact::FormulationError;
use stiction::model::{Base, BodyId, LinkId, Model};
use stiction::report::StepReport;
use stiction::scene::{SceneError, mjcf};
use stiction::sim::{SimError, Simulation};

/// Why a case cannot be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// Its scene does not load.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Its contact model is unknown.
    #[error(transparent)]
    Formulation(#[from] FormulationError),
    /// It cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The dynamics have no answer.
    #[error(transparent)]
    Algorithm(#[from] stiction::dynamics::AlgorithmError),
    /// A step was not solved.
    #[error("unsolved step at t = {time} s ({status})")]
    Unsolved {
        /// When (s).
        time: f64,
        /// How it ended.
        status: String,
    },
    /// The scene lacks something the case needs.
    #[error("the scene has no {0}")]
    Missing(String),
    /// Something that should have happened did not.
    #[error("{0}")]
    Never(String),
}

/// A simulation with readers for what the cases measure.
pub struct Rig {
    /// The simulation.
    pub sim: Simulation,
}

/// One contact as seen from a body.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Where (m, world).
    pub point: Vector3<f64>,
    /// Normal part of the force on the body (N, world).
    pub normal: Vector3<f64>,
    /// Friction part of the force on the body (N, world).
    pub friction: Vector3<f64>,
}

/// What the contacts do to a body together.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Sum of the normal forces (N, world).
    pub normal: Vector3<f64>,
    /// Sum of the friction forces (N, world).
    pub friction: Vector3<f64>,
    /// Centre of pressure: mean of the contact points, weighted with the normal forces (m, world).
    pub center: Vector3<f64>,
}

impl Load {
    /// Whole force (N, world).
    pub fn force(&self) -> Vector3<f64> {
        self.normal + self.friction
    }
}

impl Rig {
    /// The scene of an MJCF text, simulated as it says, at its keyframe `start` if there is one.
    pub fn new(name: &str, text: &str) -> Result<Self, CaseError> {
        Self::with_timestep(name, text, None)
    }

    /// Likewise with another time step (s).
    pub fn with_timestep(name: &str, text: &str, timestep: Option<f64>) -> Result<Self, CaseError> {
        let mut scene = mjcf::parse(text, &format!("{name}.xml"))?;
        scene.model.timestep = timestep.unwrap_or(scene.model.timestep);
        let sim = Simulation::from_scene(scene)?;
        Ok(Self { sim })
    }

    /// The model of the scene.
    pub fn model(&self) -> &Model {
        self.sim.model()
    }

    /// Takes a step; one that is not solved is an error.
    pub fn step(&mut self) -> Result<StepReport, CaseError> {
        let report = self.sim.step()?;
        if report.solved() {
            return Ok(report);
        }
        Err(CaseError::Unsolved { time: report.time, status: format!("{:?}", report.status) })
    }

    /// Takes steps for `seconds`, looking at each.
    pub fn run(&mut self, seconds: f64, mut look: impl FnMut(&Self, &StepReport)) -> Result<(), CaseError> {
        for _ in 0..self.steps_in(seconds) {
            let report = self.step()?;
            look(self, &report);
        }
        Ok(())
    }

    /// Number of steps in this time.
    pub fn steps_in(&self, seconds: f64) -> u64 {
        (seconds / self.sim.timestep()).round() as u64
    }

    /// A body.
    pub fn body(&self, name: &str) -> Result<BodyId, CaseError> {
        self.model().body(name).ok_or_else(|| CaseError::Missing(format!("body '{name}'")))
    }

    /// The bodies on free joints.
    pub fn free_bodies(&self) -> Vec<BodyId> {
        let model = self.model();
        let trees = model.trees.iter().filter(|tree| tree.lone_body);
        trees.map(|tree| model.links[tree.links.start].body).collect()
    }

    /// The only body on a free joint.
    pub fn free_body(&self) -> Result<BodyId, CaseError> {
        match self.free_bodies()[..] {
            [body] => Ok(body),
            _ => Err(CaseError::Missing("single free body".into())),
        }
    }

    /// The link a body is fixed to.
    fn link(&self, body: BodyId) -> Option<LinkId> {
        match self.model().bodies[body].base {
            Base::Link(link) => Some(link),
            _ => None,
        }
    }

    /// Position of a free body (m, world).
    pub fn position(&self, body: BodyId) -> Vector3<f64> {
        self.three(body, |link| link.q, &self.sim.state.q)
    }

    /// Velocity of a free body's origin (m/s, world).
    pub fn velocity(&self, body: BodyId) -> Vector3<f64> {
        self.three(body, |link| link.v, &self.sim.state.v)
    }

    /// Angular velocity of a free body (rad/s, body axes).
    pub fn spin(&self, body: BodyId) -> Vector3<f64> {
        self.three(body, |link| link.v + 3, &self.sim.state.v)
    }

    /// Three consecutive numbers of a body's link; zeros for the world.
    fn three(
        &self,
        body: BodyId,
        first: impl Fn(&stiction::model::Link) -> usize,
        numbers: &[f64],
    ) -> Vector3<f64> {
        let Some(link) = self.link(body) else { return Vector3::zeros() };
        let first = first(&self.model().links[link]);
        Vector3::from_column_slice(&numbers[first..first + 3])
    }

    /// The contacts of a body in the last step.
    pub fn touches(&self, body: BodyId) -> Vec<Touch> {
        let model = self.model();
        let mut touches = Vec::new();
        for contact in self.sim.contact_forces() {
            let bodies = contact.contact.geoms.map(|g| model.geoms[g].body);
            let sign = match bodies.map(|b| b == body) {
                [true, false] => -1.0,
                [false, true] => 1.0,
                _ => continue,
            };
            let force = contact.force * sign;
            let axis = contact.contact.frame.column(0).into_owned();
            let normal = axis * axis.dot(&force);
            touches.push(Touch { point: contact.contact.point, normal, friction: force - normal });
        }
        touches
    }

    /// The sum of a body's contacts in the last step.
    pub fn load(&self, body: BodyId) -> Load {
        let mut load =
            Load { normal: Vector3::zeros(), friction: Vector3::zeros(), center: Vector3::zeros() };
        let mut weight = 0.0;
        for touch in self.touches(body) {
            load.normal += touch.normal;
            load.friction += touch.friction;
            load.center += touch.point * touch.normal.norm();
            weight += touch.normal.norm();
        }
        load.center /= weight;
        load
    }

    /// Vertical forces between the pairs of bodies that touch, lowest pair first (N).
    pub fn interface_loads(&self) -> Vec<f64> {
        let model = self.model();
        let mut pairs: Vec<([BodyId; 2], f64, f64)> = Vec::new();
        for contact in self.sim.contact_forces() {
            let bodies = contact.contact.geoms.map(|g| model.geoms[g].body);
            let (force, height) = (contact.force.z, contact.contact.point.z);
            match pairs.iter_mut().find(|p| p.0 == bodies) {
                Some(pair) => pair.1 += force,
                None => pairs.push((bodies, force, height)),
            }
        }
        pairs.sort_by(|a, b| a.2.total_cmp(&b.2));
        pairs.into_iter().map(|p| p.1.abs()).collect()
    }
}
