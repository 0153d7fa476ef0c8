//! The state at the beginning of a step, to which a step that fails goes back.

use crate::model::{Mocap, State, Tree};

/// What a step changes of a state, as it was before.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepStart {
    pub(crate) q: Box<[f64]>,
    pub(crate) v: Box<[f64]>,
    pub(crate) mocap: Box<[Mocap]>,
    pub(crate) time: f64,
    /// Coordinates of loops.
    pub(crate) loop_q: Box<[f64]>,
    /// Coordinates and velocities when overlap was removed, at which constraint rows are posed; none before a first step.
    posed: Option<[Box<[f64]>; 2]>,
}

impl StepStart {
    /// Keeps a state.
    pub(crate) fn keep(&mut self, state: &State) {
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
        self.mocap.clone_from(&state.mocap);
        self.time = state.time;
        self.loop_q.clone_from(&state.loop_q);
    }

    /// Keeps what another has kept of the state.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.mocap.clone_from(&other.mocap);
        self.loop_q.clone_from(&other.loop_q);
        self.time = other.time;
    }

    /// Keeps where the rows of the step are posed.
    pub(crate) fn pose(&mut self, state: &State) {
        let [q, v] = self.posed.get_or_insert_with(Default::default);
        q.clone_from(&state.q);
        v.clone_from(&state.v);
    }

    /// Forgets it.
    pub(crate) fn forget_pose(&mut self) {
        self.posed = None;
    }

    /// Coordinates and velocities with which the rows of the last step were posed.
    pub(crate) fn posed(&self) -> Option<(&[f64], &[f64])> {
        self.posed.as_ref().map(|[q, v]| (&q[..], &v[..]))
    }

    /// Puts what was kept of the coordinates and velocities of a tree back.
    pub(crate) fn restore_tree(&self, tree: &Tree, state: &mut State) {
        let (coords, dofs) = (tree.coords.clone(), tree.dofs.clone());
        state.q[coords.clone()].copy_from_slice(&self.q[coords]);
        state.v[dofs.clone()].copy_from_slice(&self.v[dofs]);
    }

    /// Puts what was kept back.
    pub(crate) fn restore(&self, state: &mut State) {
        state.q.clone_from(&self.q);
        state.v.clone_from(&self.v);
        state.mocap.clone_from(&self.mocap);
        state.time = self.time;
        state.loop_q.clone_from(&self.loop_q);
    }
}
