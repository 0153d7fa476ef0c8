//! Kicks: what forces do to velocities at a pose, all at once.
//!
//! Where springs, dampers and drives are soft, a step kicks for half its length at its beginning and for half at its end,
//!
//! ```text
//! V  = v  + h/2 M(q)^-1 f(q, v)
//! v+ = v- + h/2 (M(q+) + h/2 D)^-1 f(q+, v-),
//! ```
//!
//! the second with the dampers' force at its end, so that both together are of order two. Where they are stiff, all acts at the
//! beginning by the implicit rule of [`crate::step::free_velocity`], and nothing at the end.

use crate::dynamics::{self, AlgorithmError};
use crate::model::{Model, TreeId};
use crate::step::applied_forces::Commands;
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;

/// The workspace of the kicks.
#[derive(Debug)]
pub(super) struct Kicks {
    tau: Vec<f64>,
    gravity: Vec<f64>,
    rate_gain: Vec<f64>,
    position_gain: Vec<f64>,
    /// What is added to the diagonal of the mass matrix.
    added: Vec<f64>,
    kick: Vec<f64>,
}

impl Kicks {
    pub(super) fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Self {
            tau: zeros(),
            gravity: zeros(),
            rate_gain: zeros(),
            position_gain: zeros(),
            added: zeros(),
            kick: zeros(),
        }
    }

    /// The first kick of a tree: writes its part of `v` and leaves the factor that impulses of the beginning see.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn at_start(
        &mut self,
        system: &mut System<'_>,
        tree: TreeId,
        stiff: bool,
        free: &FreeVelocity,
        v: &mut [f64],
    ) -> Result<(), AlgorithmError> {
        let contents = &system.model.trees[tree];
        let dofs = contents.dofs.clone();
        if stiff && !contents.lone_body {
            v[dofs.clone()].copy_from_slice(&free.v[dofs]);
            return Ok(());
        }
        self.added[dofs].fill(0.0);
        let duration = if stiff { system.h } else { 0.5 * system.h };
        self.kick(system, tree, duration, v)
    }

    /// The second, and the factor that impulses of the end see.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn at_end(
        &mut self,
        system: &mut System<'_>,
        tree: TreeId,
        stiff: bool,
        v: &mut [f64],
    ) -> Result<(), AlgorithmError> {
        let dofs = system.model.trees[tree].dofs.clone();
        if stiff {
            return self.factorize(system, tree);
        }
        let duration = 0.5 * system.h;
        let (rate, position) = (&mut self.rate_gain, &mut self.position_gain);
        system.forces.implicit_gains(system.model, tree, system.state, |_| true, [rate, position]);
        for d in dofs {
            self.added[d] = duration * rate[d];
        }
        self.kick(system, tree, duration, v)
    }

    /// The factor that impulses see on which no forces act.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn factorize(&mut self, system: &mut System<'_>, tree: TreeId) -> Result<(), AlgorithmError> {
        self.added[system.model.trees[tree].dofs.clone()].fill(0.0);
        dynamics::factorize_by_size(system.model, system.data, tree, &self.added)
    }

    /// Adds what the forces at the present state do in a time (s).
    fn kick(
        &mut self,
        system: &mut System<'_>,
        tree: TreeId,
        duration: f64,
        v: &mut [f64],
    ) -> Result<(), AlgorithmError> {
        let System { model, forces, state, data, closures, constraints, .. } = system;
        let model = *model;
        let dofs = model.trees[tree].dofs.clone();
        let loops = &closures.loops;
        let commands = Commands::new(state, loops, constraints);
        forces.smooth_forces(model, data, tree, &commands, &loops.q, &loops.v, &mut self.tau);
        dynamics::gravity_forces(model, data, tree, &mut self.gravity);
        dynamics::factorize_by_size(model, data, tree, &self.added)?;
        for d in dofs.clone() {
            self.kick[d] = duration * (self.tau[d] - self.gravity[d]);
        }
        dynamics::solve(model, data, tree, &mut self.kick);
        for d in dofs {
            v[d] += self.kick[d];
        }
        Ok(())
    }
}
