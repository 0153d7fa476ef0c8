//! Stage 3 of a step: the free velocity of trees that may take the contact rule.
//!
//! `v_free = v + h (M + h D + h^2 K)^-1 (tau - c - h K v)`: joint damping `D` and the stiffness `K` of springs and drives act at
//! the end of the step. A lone body takes the velocity of the midpoint rule instead ([`crate::dynamics::rigid_body`]).

use crate::dynamics;
use crate::dynamics::{AlgorithmError, RigidBodyStep};
use crate::model::{Model, TreeId};
use crate::step::applied_forces::Commands;
use crate::step::system::System;

/// The free velocity, and what it is made of. Only the parts of trees that may take the contact rule are of this step.
#[derive(Debug)]
pub(crate) struct FreeVelocity {
    /// Smooth generalized force (nv).
    pub(crate) tau: Vec<f64>,
    /// Velocity without constraint impulses (nv, then those of loops).
    pub(crate) v: Vec<f64>,
    /// That of lone bodies without what acts along joints that close loops (nv).
    pub(crate) own: Vec<f64>,
    /// Velocity of lone bodies with rotors at the end of the step minus the one it uses, without constraint impulses (nv).
    pub(crate) late: Vec<f64>,
    /// What is added to the mass matrix's diagonal, `h D + h^2 K` (nv).
    pub(crate) added: Vec<f64>,
    /// Implicit gains `D` and `K` (nv).
    rate_gain: Vec<f64>,
    position_gain: Vec<f64>,
    bias: Vec<f64>,
    q: Vec<f64>,
}

impl FreeVelocity {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Self {
            tau: zeros(),
            v: vec![0.0; model.nv() + model.loop_nv()],
            own: zeros(),
            late: zeros(),
            added: zeros(),
            rate_gain: zeros(),
            position_gain: zeros(),
            bias: zeros(),
            q: model.q0.clone(),
        }
    }

    /// Whether a tree has dampers, springs or servos that a step treats implicitly.
    pub(crate) fn has_implicit_gains(&mut self, system: &System<'_>, tree: TreeId) -> bool {
        let (model, state) = (system.model, &*system.state);
        let (rate, position) = (&mut self.rate_gain, &mut self.position_gain);
        system.forces.implicit_gains(model, tree, state, |_| true, [rate, position]);
        model.trees[tree].dofs.clone().any(|d| rate[d] > 0.0 || position[d] > 0.0)
    }

    /// Mass matrix, factor and free velocity of one tree.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn find(&mut self, system: &mut System<'_>, tree: TreeId) -> Result<(), AlgorithmError> {
        if system.model.trees[tree].lone_body {
            self.of_lone_body(system, tree)
        } else {
            self.of_tree(system, tree)
        }
    }

    fn of_tree(&mut self, system: &mut System<'_>, tree: TreeId) -> Result<(), AlgorithmError> {
        let System { model, h, forces, state, data, closures, constraints, .. } = system;
        let (model, h) = (*model, *h);
        let commands = Commands::new(state, &closures.loops, constraints);
        let dofs = model.trees[tree].dofs.clone();
        let (rate, position) = (&mut self.rate_gain, &mut self.position_gain);
        let loops = &closures.loops;
        forces.smooth_forces(model, data, tree, &commands, &loops.q, &loops.v, &mut self.tau);
        let counts = |drive: usize| !constraints.limited_drives.is_bounded(drive);
        forces.implicit_gains(model, tree, state, counts, [rate, position]);
        for d in dofs.clone() {
            self.added[d] = h * rate[d] + h * h * position[d];
        }
        dynamics::factorize_by_size(model, data, tree, &self.added)?;
        dynamics::bias_forces(model, data, tree, &mut self.bias);
        for d in dofs.clone() {
            // The spring's and servo's change over the step, h K v, is part of the implicit rule.
            self.v[d] = h * (self.tau[d] - self.bias[d] - h * position[d] * state.v[d]);
        }
        dynamics::solve(model, data, tree, &mut self.v);
        for d in dofs {
            self.v[d] += state.v[d];
        }
        Ok(())
    }

    fn of_lone_body(&mut self, system: &mut System<'_>, tree: TreeId) -> Result<(), AlgorithmError> {
        let System { model, h, forces, state, data, closures, constraints, .. } = system;
        let (model, h) = (*model, *h);
        let commands = Commands::new(state, &closures.loops, constraints);
        let dofs = model.trees[tree].dofs.clone();
        let loops = &closures.loops;
        forces.own_forces(model, data, tree, &commands, &loops.q, &loops.v, &mut self.tau);
        self.added[dofs.clone()].fill(0.0);
        dynamics::factorize_by_size(model, data, tree, &self.added)?;
        let step = RigidBodyStep::new(model, tree, h, &self.tau)?;
        step.midpoint_velocity(&state.q, &state.v, &mut self.v)?;
        self.own[dofs.clone()].copy_from_slice(&self.v[dofs.clone()]);
        if commands.has_loop_forces(model, tree) {
            // As impulses, like those of the rows: what balances them leaves no velocity at the end of the step.
            self.bias[dofs.clone()].fill(0.0);
            forces.add_loop_forces(model, tree, &commands, &mut self.bias);
            dynamics::solve(model, data, tree, &mut self.bias);
            for d in dofs.clone() {
                self.v[d] += h * self.bias[d];
            }
        }
        if constraints.loop_joints.has_rotor(model, tree) {
            dynamics::bias_forces(model, data, tree, &mut self.bias);
            let coords = model.trees[tree].coords.clone();
            self.q[coords.clone()].copy_from_slice(&state.q[coords]);
            self.late[dofs.clone()].copy_from_slice(&state.v[dofs.clone()]);
            step.advance(&mut self.q, &mut self.late, [&self.own, &self.v], [0.0; 2]);
            for d in dofs {
                self.late[d] -= self.v[d];
            }
        }
        Ok(())
    }
}
