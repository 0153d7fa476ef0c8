//! What the stages of a step work on: the model, its state, and where the state puts bodies, loops and contacts.

use crate::constraint::closure::projection::Closures;
use crate::constraint::equality::Configuration;
use crate::constraint::kind::{Constraints, Present};
use crate::dynamics;
use crate::dynamics::Data;
use crate::model::{BodyId, Model, State, TreeId};
use crate::settings::Settings;
use crate::spatial::Transform;
use crate::step::applied_forces::ForceMap;
use crate::step::slip::Poses;

/// A model at a state. Workspaces of stages are apart.
#[derive(Debug)]
pub(crate) struct System<'a> {
    pub(crate) model: &'a Model,
    pub(crate) settings: &'a Settings,
    /// Time step (s).
    pub(crate) h: f64,
    pub(crate) forces: &'a ForceMap,
    pub(crate) state: &'a mut State,
    /// Kinematics and factors.
    pub(crate) data: &'a mut Data,
    pub(crate) closures: &'a mut Closures,
    pub(crate) constraints: &'a mut Constraints,
}

impl System<'_> {
    /// What constraints depend on, at the poses and velocities of the data.
    pub(crate) fn present(&self) -> Present<'_> {
        let loops = (&self.closures.loops, &self.closures.softness);
        Present::new(self.model, self.data, loops, self.state)
    }

    /// Stage 1: poses and velocities at the present state.
    pub(crate) fn place(&mut self) {
        dynamics::forward_kinematics_all(self.model, self.data, &self.state.q, &self.state.v);
        let at = Configuration { q: &self.state.q, mocap: &self.state.mocap };
        self.closures.loops.locate(self.model, self.data, at);
        self.closures.loops.set_rates(&self.state.v);
    }

    /// Where bodies are there.
    pub(crate) fn poses(&self) -> Poses<'_> {
        Poses { model: self.model, links: &self.data.link_pose, mocap: &self.state.mocap }
    }

    /// Pose of a body there.
    pub(crate) fn body_pose(&self, body: BodyId) -> Transform {
        dynamics::body_motion(self.model, self.data, &self.state.mocap, body).0
    }

    /// Stage 2: contacts there.
    pub(crate) fn find_contacts(&mut self) {
        self.constraints.contacts.finder.find_if_moved(self.model, self.data, self.state, self.h);
    }

    /// Stages 1 and 2.
    pub(crate) fn locate(&mut self) {
        self.place();
        self.find_contacts();
    }

    /// Moves prescribed bodies and time to the end of the step.
    pub(crate) fn advance_prescribed(&mut self) {
        self.state.mocap.iter_mut().for_each(|mocap| mocap.advance(self.h));
        self.state.time += self.h;
    }

    /// Kinetic and potential energy (J).
    pub(crate) fn energy(&self) -> f64 {
        TreeId::all(&self.model.trees)
            .map(|tree| dynamics::potential_energy(self.model, self.data, tree, &self.closures.loops.q))
            .fold(self.kinetic_energy(), |sum, energy| sum + energy)
            + self.constraints.energies(&self.present())[0]
    }

    /// Kinetic energy alone (J).
    pub(crate) fn kinetic_energy(&self) -> f64 {
        TreeId::all(&self.model.trees)
            .map(|tree| dynamics::kinetic_energy(self.model, self.data, tree, &self.state.v))
            .fold(0.0, |sum, energy| sum + energy)
            + self.constraints.energies(&self.present())[1]
    }
}
