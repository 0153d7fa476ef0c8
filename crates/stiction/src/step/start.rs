//! The state at the beginning of a step, to which a step that fails goes back.

use crate::model::{Mocap, State};

/// What a step changes of a state, as it was before.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepStart {
    pub(crate) q: Box<[f64]>,
    pub(crate) v: Box<[f64]>,
    mocap: Box<[Mocap]>,
    time: f64,
}

impl StepStart {
    /// Keeps a state.
    pub(crate) fn keep(&mut self, state: &State) {
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
        self.mocap.clone_from(&state.mocap);
        self.time = state.time;
    }

    /// Puts what was kept back.
    pub(crate) fn restore(&self, state: &mut State) {
        state.q.clone_from(&self.q);
        state.v.clone_from(&self.v);
        state.mocap.clone_from(&self.mocap);
        state.time = self.time;
    }
}
