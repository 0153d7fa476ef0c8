//! A smooth motion of trees: the classic Runge-Kutta rule with the forces of persistent contacts.
//!
//! Runge-Kutta rules keep what is linear in their unknowns. Linear momentum is not where the centre of mass is off the origin of a free
//! joint, nor is angular momentum; sets on which nothing but gravity acts from outside get back what the rule loses of both
//! ([`crate::step::momentum`]).

use super::{AccelerationLevel, Moment};
use crate::dynamics;
use crate::dynamics::AlgorithmError;
use crate::model::TreeId;
use crate::step::applied_forces::Commands;
use crate::step::system::System;

/// When a motion begins, counted from the step's beginning, and how long it lasts (s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) begin: f64,
    pub(crate) duration: f64,
}

impl AccelerationLevel {
    /// Remembers the momenta of the trees that will be moved; needs their kinematics, and the contacts of the motion.
    pub(crate) fn remember_momenta(&mut self, system: &System<'_>) {
        let System { model, data, forces, state, closures, constraints, .. } = system;
        let commands = Commands::new(state, &closures.loops, constraints);
        self.momenta.remember(model, data, self.trees.iter().copied());
        for &tree in &self.trees {
            if !forces.is_isolated(model, tree, &commands) || commands.has_loop_forces(model, tree) {
                self.momenta.ground(tree);
            }
        }
        self.momenta.join(model, self.contacts.iter().map(|persistent| &persistent.contact));
        self.isolated = self.momenta.gather();
    }

    /// Moves `trees`, which are those of the level, from the state in the workspace, whose momenta are remembered; ends with the kinematics there.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn move_smoothly(
        &mut self,
        system: &mut System<'_>,
        trees: &[TreeId],
        span: Span,
    ) -> Result<(), AlgorithmError> {
        let System { model, h, forces, state, data, closures, constraints, .. } = system;
        let Span { begin, duration } = span;
        let (mut q, mut v) = (std::mem::take(&mut self.q), std::mem::take(&mut self.v));
        let commands = Commands::new(state, &closures.loops, constraints);
        let moved = dynamics::coupled_runge_kutta_step(
            model,
            data,
            trees,
            duration,
            &mut q,
            &mut v,
            &mut |data, stage, q, v, out| {
                let now = Moment { begin, duration, stage, timestep: *h };
                self.accelerate(model, data, forces, &commands, &state.mocap, now, q, v, out)
            },
        );
        self.move_to(model, data, &q, &v, 0.0);
        if self.isolated && moved.is_ok() {
            self.momenta.restore(model, data, (duration, model.gravity), &mut v);
            self.move_to(model, data, &q, &v, 0.0);
        }
        (self.q, self.v) = (q, v);
        moved
    }
}
