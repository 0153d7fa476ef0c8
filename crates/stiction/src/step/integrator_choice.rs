//! Stage 3 of a step: which trees take the contact rule, and their free velocity.
//!
//! A tree that nothing touches and nothing will touch within the step is advanced by a rule of order four (see
//! [`crate::dynamics`]); every other tree takes `v_free = v + h M^-1 (tau - c)` and the complementarity problem.
//! Joint damping, springs and the gains of drives are implicit in the latter: `M` becomes `M + h D + h^2 K`. Which
//! rule holds is a function of the state before the solve, and is the same for all trees tied by equalities.

use crate::constraint::equality::Instant;
use crate::constraint::islands::{root, unite};
use crate::constraint::kind::{InverseMass, Present, TOUCHING};
use crate::dynamics;
use crate::dynamics::rigid_body;
use crate::model::Model;
use crate::sim::simulation::Work;
use crate::sim::{SimError, Simulation};
use crate::step::applied_forces::Commands;

/// A row is predicted to close when `gap + CLOSING h u_n < 0`; the quarter above one covers what turning bodies and
/// accelerations within the step add to the linear estimate.
const CLOSING: f64 = 1.25;

/// Explicit Runge-Kutta is accurate while `trace((M + h D + h^2 K)^-1 (h D + h^2 K))`, a bound of its stability
/// number, stays below this.
const STIFF: f64 = 0.5;

impl Simulation {
    /// Decides the rule of each tree; computes mass matrix, factor and free velocity of all that may need them.
    pub(crate) fn choose_rules(&mut self, h: f64) -> Result<(), SimError> {
        let model = self.model.clone();
        self.find_candidates(&model);
        for tree in 0..model.trees.len() {
            if self.work.candidate[tree] {
                self.free_velocity(&model, tree, h)?;
            }
        }
        self.near_velocity(&model, h);
        self.find_near(&model, h);
        for tree in 0..model.trees.len() {
            let set = root(&mut self.work.sets, tree);
            self.work.contact_rule[tree] = self.work.near[set];
        }
        Ok(())
    }

    /// Trees with any row within reach, or that the explicit rule does not serve; and the sets that may interact.
    fn find_candidates(&mut self, model: &Model) {
        let work = &mut self.work;
        work.candidate.fill(false);
        work.sets.clear();
        work.sets.extend(0..model.trees.len());
        let loops = (&self.closures.loops, &self.closures.softness);
        let at = Present::new(model, &self.data, loops, &self.state);
        self.constraints.for_each_that_may_act(&at, |trees, may_act| {
            let mut first = None;
            for tree in trees {
                work.candidate[tree] |= may_act;
                unite(&mut work.sets, *first.get_or_insert(tree), tree);
            }
        });
        for (tree, contents) in model.trees.iter().enumerate() {
            if work.candidate[tree] {
                continue;
            }
            let (rate, position) = (&mut work.rate_gain, &mut work.position_gain);
            self.forces.implicit_gains(model, tree, &self.state, rate, position);
            work.candidate[tree] = contents.dofs.clone().any(|d| rate[d] > 0.0 || position[d] > 0.0);
        }
        // One tree of a set that may need the contact rule takes all of them along.
        work.near.clear();
        work.near.resize(model.trees.len(), false);
        for tree in 0..model.trees.len() {
            let set = root(&mut work.sets, tree);
            work.near[set] |= work.candidate[tree];
        }
        for tree in 0..model.trees.len() {
            work.candidate[tree] = work.near[root(&mut work.sets, tree)];
        }
    }

    /// The velocity by which rows are predicted to close: the free velocity, on the equality constraints.
    fn near_velocity(&mut self, model: &Model, h: f64) {
        let (work, data) = (&mut self.work, &mut self.data);
        work.v_near.copy_from_slice(&work.v_free);
        let candidate = &work.candidate;
        let end = Instant { mocap: &self.state.mocap, time: self.state.time + h };
        self.closures.match_velocities(model, data, end, |t| candidate[t], &mut work.v_near);
        self.closures.loops.extend_rates(&mut work.v_near);
    }

    /// Mass matrix, factor and free velocity of one tree under the contact rule.
    fn free_velocity(&mut self, model: &Model, tree: usize, h: f64) -> Result<(), SimError> {
        let work = &mut self.work;
        let dofs = model.trees[tree].dofs.clone();
        let (state, data) = (&self.state, &mut self.data);
        let loops = &self.closures.loops;
        let commands = Commands::new(state, loops, &self.constraints);
        if model.trees[tree].lone_body {
            self.forces.own_forces(model, data, tree, &commands, &loops.q, &loops.v, &mut work.tau);
            work.added[dofs.clone()].fill(0.0);
            dynamics::factorize_by_size(model, data, tree, &work.added)?;
            rigid_body::midpoint_velocity(
                model,
                data,
                tree,
                h,
                &state.q,
                &state.v,
                &work.tau,
                &mut work.v_free,
            )?;
            work.v_own[dofs.clone()].copy_from_slice(&work.v_free[dofs.clone()]);
            if commands.has_loop_forces(model, tree) {
                // As impulses, like those of the rows: what balances them leaves no velocity at the end of the step.
                work.bias[dofs.clone()].fill(0.0);
                self.forces.add_loop_forces(model, tree, &commands, &mut work.bias);
                dynamics::solve(model, data, tree, &mut work.bias);
                for d in dofs.clone() {
                    work.v_free[d] += h * work.bias[d];
                }
            }
            if self.constraints.loop_joints.has_rotor(model, tree) {
                dynamics::bias_forces(model, data, tree, &mut work.bias);
                let coords = model.trees[tree].coords.clone();
                work.q[coords.clone()].copy_from_slice(&state.q[coords]);
                work.late[dofs.clone()].copy_from_slice(&state.v[dofs.clone()]);
                let (q, v, free, used) = (&mut work.q, &mut work.late, &work.v_own, &work.v_free);
                rigid_body::advance(model, data, tree, h, q, v, &work.tau, free, used, [0.0; 2])?;
                for d in dofs {
                    work.late[d] -= work.v_free[d];
                }
            }
            return Ok(());
        }
        self.forces.smooth_forces(model, data, tree, &commands, &loops.q, &loops.v, &mut work.tau);
        self.forces.implicit_gains(model, tree, state, &mut work.rate_gain, &mut work.position_gain);
        for d in dofs.clone() {
            work.added[d] = h * work.rate_gain[d] + h * h * work.position_gain[d];
        }
        dynamics::factorize_by_size(model, data, tree, &work.added)?;
        dynamics::bias_forces(model, data, tree, &mut work.bias);
        for d in dofs.clone() {
            // The spring's and servo's change over the step, h K v, is part of the implicit rule.
            work.v_free[d] = h * (work.tau[d] - work.bias[d] - h * work.position_gain[d] * state.v[d]);
        }
        dynamics::solve(model, data, tree, &mut work.v_free);
        for d in dofs {
            work.v_free[d] += state.v[d];
        }
        Ok(())
    }

    /// Marks the sets of trees that have a touching or closing row, or cannot take the explicit rule.
    fn find_near(&mut self, model: &Model, h: f64) {
        self.find_stiff(model, h);
        let work = &mut self.work;
        work.near.fill(false);
        for tree in (0..model.trees.len()).filter(|&tree| work.stiffness[tree] > STIFF) {
            let set = root(&mut work.sets, tree);
            work.near[set] = true;
        }
        let loops = (&self.closures.loops, &self.closures.softness);
        let at = Present::new(model, &self.data, loops, &self.state);
        let closes = |gap: f64, rate: f64| gap <= TOUCHING || gap + CLOSING * h * rate < 0.0;
        self.constraints.for_each_that_acts(&at, &work.v_near, closes, |trees| {
            for tree in trees {
                let set = root(&mut work.sets, tree);
                work.near[set] = true;
            }
        });
    }

    /// Whether explicit integration of a tree's dampers, springs and servos would be inaccurate or unstable.
    pub(crate) fn is_stiff(&self, tree: usize) -> bool {
        self.work.stiffness[tree] > STIFF
    }

    /// The stiffness of all candidates.
    fn find_stiff(&mut self, model: &Model, h: f64) {
        self.work.stiffness.fill(0.0);
        for tree in 0..model.trees.len() {
            if !self.work.candidate[tree] {
                continue;
            }
            self.inverse_diagonal(model, tree);
            let work = &mut self.work;
            for dof in model.trees[tree].dofs.clone().filter(|&dof| work.added[dof] > 0.0) {
                work.stiffness[tree] += work.added[dof] * work.inverse_diagonal[dof];
            }
        }
        let Work { stiffness, counted, scratch, .. } = &mut self.work;
        counted.fill(0);
        let mut number = 0;
        let mut mass = InverseMass { model, data: &mut self.data, loops: &self.closures.loops, scratch };
        self.constraints.for_each_stiffness(&mut mass, &self.state.ctrl, h, |trees, added| {
            number += 1;
            for tree in trees {
                if std::mem::replace(&mut counted[tree], number) != number {
                    stiffness[tree] += added;
                }
            }
        });
    }

    /// The diagonal of `(M + h D + h^2 K)^-1` at the dofs of one tree that have something added.
    fn inverse_diagonal(&mut self, model: &Model, tree: usize) {
        let (work, data) = (&mut self.work, &mut self.data);
        let dofs = model.trees[tree].dofs.clone();
        if data.is_recursive(tree) {
            let (mobility, diagonal) = (&mut work.mobility, &mut work.inverse_diagonal);
            return dynamics::mobilities(model, data, tree, mobility, diagonal);
        }
        for dof in dofs.clone().filter(|&dof| work.added[dof] > 0.0) {
            let unit = &mut work.scratch[..dofs.len()];
            unit.fill(0.0);
            unit[dof - dofs.start] = 1.0;
            dynamics::half_solve(model, data, tree, unit);
            work.inverse_diagonal[dof] = unit.iter().map(|y| y * y).sum();
        }
        work.scratch[..dofs.len()].fill(0.0);
    }
}
