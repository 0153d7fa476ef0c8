//! What a step refuses: commands and states that are not finite, by name.

use crate::sim::{SimError, Simulation};

impl Simulation {
    /// Refuses commands and a state that are not finite.
    pub(crate) fn check_commands(&self) -> Result<(), SimError> {
        let model = &*self.model;
        let state = &self.state;
        let dof_name = |i: usize| model.links[model.dofs[i].link].name.clone();
        for (i, &x) in state.ctrl.iter().enumerate() {
            self.check(x, "control", || model.actuators[i].name.clone())?;
        }
        for (i, &x) in state.applied.iter().enumerate() {
            self.check(x, "applied force", || dof_name(i))?;
        }
        for (i, f) in state.external.iter().enumerate() {
            self.check(f.linear.sum() + f.angular.sum(), "external wrench", || model.bodies[i].name.clone())?;
        }
        for (i, m) in state.mocap.iter().enumerate() {
            let sum = m.position.sum() + m.velocity.linear.sum() + m.velocity.angular.sum();
            self.check(sum + m.orientation.iter().sum::<f64>(), "prescribed motion", || {
                model.bodies[model.mocap_bodies[i]].name.clone()
            })?;
        }
        self.check_state()
    }

    /// Refuses a configuration or velocity that is not finite, naming the body.
    pub(crate) fn check_state(&self) -> Result<(), SimError> {
        let model = &*self.model;
        for link in &model.links {
            let body = || model.bodies[link.body].name.clone();
            for &x in &self.state.q[link.q..link.q + link.kind.nq()] {
                self.check(x, "configuration", body)?;
            }
            for &x in &self.state.v[link.v..link.v + link.kind.nv()] {
                self.check(x, "velocity", body)?;
            }
        }
        Ok(())
    }

    fn check(
        &self,
        value: f64,
        quantity: &'static str,
        element: impl Fn() -> String,
    ) -> Result<(), SimError> {
        if value.is_finite() {
            return Ok(());
        }
        Err(SimError::NotFinite {
            step: self.step_number,
            quantity,
            element: element(),
            value,
            dump: Box::new(self.snapshot_before()),
        })
    }
}
