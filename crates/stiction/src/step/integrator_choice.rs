//! Stage 3 of a step: which trees take the contact rule, and their free velocity.
//!
//! A tree that nothing touches and nothing will touch within the step is advanced by a rule of order four (see
//! [`crate::dynamics`]); every other tree takes `v_free = v + h M^-1 (tau - c)` and the complementarity problem.
//! Joint damping, springs and the gains of drives are implicit in the latter: `M` becomes `M + h D + h^2 K`. Which
//! rule holds is a function of the state before the solve, and is the same for all trees tied by equalities.

use crate::constraint::cable::{CableSide, Spanned, cable_trees};
use crate::constraint::closure::joint::limit_gaps;
use crate::constraint::equality::{Instant, equality_trees};
use crate::constraint::islands::{root, unite};
use crate::constraint::limit;
use crate::constraint::limit::{limit_rate, limit_sides};
use crate::constraint::tendon::{row, tendon_sides, tendon_trees};
use crate::dynamics;
use crate::dynamics::RigidBodyStep;
use crate::model::Model;
use crate::sim::{SimError, Simulation};
use crate::step::applied_forces::{Commands, ForceMap};
use nalgebra::Vector3;

/// A gap up to this is a touching contact (m or rad): a thousand times the round-off of positions of a few metres,
/// a thousandth of what any drawing shows.
pub(crate) const TOUCHING: f64 = 1e-9;

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
        for contact in &self.finder.contacts {
            let [a, b] = contact.links.map(|link| link.map(|l| model.links[l].tree));
            for tree in [a, b].into_iter().flatten() {
                work.candidate[tree] = true;
            }
            if let (Some(a), Some(b)) = (a, b) {
                unite(&mut work.sets, a, b);
            }
        }
        for index in 0..model.equalities.len() {
            let mut trees = equality_trees(model, index);
            let Some(first) = trees.next() else { continue };
            trees.for_each(|tree| unite(&mut work.sets, first, tree));
        }
        for tendon in &model.tendons {
            let mut trees = tendon_trees(model, tendon);
            let Some(first) = trees.next() else { continue };
            trees.for_each(|tree| unite(&mut work.sets, first, tree));
        }
        for cable in &model.cables {
            let Some(first) = cable_trees(model, cable).next() else { continue };
            for tree in cable_trees(model, cable) {
                work.candidate[tree] = true;
                unite(&mut work.sets, first, tree);
            }
        }
        for (tree, contents) in model.trees.iter().enumerate() {
            if work.candidate[tree] {
                continue;
            }
            if self.closures.is_open(tree) {
                work.candidate[tree] = true;
                continue;
            }
            self.forces.implicit_gains(
                model,
                tree,
                &self.state,
                &mut work.rate_gain,
                &mut work.position_gain,
            );
            let gains = contents.dofs.clone().any(|d| work.rate_gain[d] > 0.0 || work.position_gain[d] > 0.0);
            let limited = model.links[contents.links.clone()].iter().any(|l| l.range.is_some());
            let loops = &self.closures.loops;
            let tendons = contents.tendons.iter().any(|&tendon| {
                model.tendons[tendon].range.is_some()
                    || self.forces.tendon_gains(model, loops, tendon, &self.state).added_mass(1.0) > 0.0
            });
            let joints = &self.forces.loop_joints;
            let looped = joints.on_tree(tree).iter().any(|&joint| {
                model.loop_joints[joint].range.is_some()
                    || joints.added_mass(model, loops, joint, &self.state, 1.0) > 0.0
            });
            work.candidate[tree] =
                gains || limited || tendons || looped || has_dry_friction(model, &self.forces, tree);
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
        let commands =
            Commands { ctrl: &state.ctrl, applied: &state.applied, external: &state.external, loops };
        if model.trees[tree].lone_body {
            self.forces.own_forces(model, data, tree, &commands, &loops.q, &loops.v, &mut work.tau);
            work.added[dofs.clone()].fill(0.0);
            dynamics::factorize_by_size(model, data, tree, &work.added)?;
            let step = RigidBodyStep::new(model, tree, h, &work.tau)?;
            step.midpoint_velocity(&state.q, &state.v, &mut work.v_free)?;
            work.v_own[dofs.clone()].copy_from_slice(&work.v_free[dofs.clone()]);
            if self.forces.has_loop_forces(model, tree) {
                // As impulses, like those of the rows: what balances them leaves no velocity at the end of the step.
                work.bias[dofs.clone()].fill(0.0);
                self.forces.add_loop_forces(model, tree, &commands, &mut work.bias);
                dynamics::solve(model, data, tree, &mut work.bias);
                for d in dofs.clone() {
                    work.v_free[d] += h * work.bias[d];
                }
            }
            if self.forces.loop_joints.has_rotor(model, tree) {
                dynamics::bias_forces(model, data, tree, &mut work.bias);
                let coords = model.trees[tree].coords.clone();
                work.q[coords.clone()].copy_from_slice(&state.q[coords]);
                work.late[dofs.clone()].copy_from_slice(&state.v[dofs.clone()]);
                let velocities = [work.v_own.as_slice(), &work.v_free];
                step.advance(&mut work.q, &mut work.late, velocities, [0.0; 2]);
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
        self.work.near.clear();
        self.work.near.resize(model.trees.len(), false);
        self.mark_cables(model, h);
        for tree in 0..model.trees.len() {
            if self.work.candidate[tree]
                && (self.closures.is_open(tree)
                    || self.stiff(model, tree, h)
                    || has_dry_friction(model, &self.forces, tree))
            {
                self.mark(tree);
            }
        }
        for i in 0..self.finder.contacts.len() {
            let contact = &self.finder.contacts[i];
            let mut rate = contact.drift.x;
            for (link, sign) in contact.links.iter().zip([-1.0, 1.0]) {
                if let Some(link) = *link {
                    rate += sign * self.point_velocity(link, &contact.point).dot(&contact.frame.column(0));
                }
            }
            if contact.gap <= TOUCHING || contact.gap + CLOSING * h * rate < 0.0 {
                for link in contact.links.into_iter().flatten() {
                    self.mark(model.links[link].tree);
                }
            }
        }
        for link in &model.links {
            for side in limit_sides(link, &self.state.q).into_iter().flatten() {
                let rate = limit_rate(link, &side, &self.work.v_near);
                if side.gap <= TOUCHING || side.gap + CLOSING * h * rate < 0.0 {
                    self.mark(link.tree);
                }
            }
        }
        for joint in &model.loop_joints {
            let closing = |(gap, rate): (f64, f64)| gap <= TOUCHING || gap + CLOSING * h * rate < 0.0;
            if limit_gaps(joint, &self.closures.loops, &self.work.v_near).any(closing) {
                for link in joint.links.into_iter().flatten() {
                    self.mark(model.links[link].tree);
                }
            }
        }
        for tendon in &model.tendons {
            let Some(tree) = tendon_trees(model, tendon).next() else { continue };
            for side in tendon_sides(tendon, &self.closures.loops.q).into_iter().flatten() {
                let rate = side.sign * tendon.path.rate(&self.work.v_near);
                if side.gap <= TOUCHING || side.gap + CLOSING * h * rate < 0.0 {
                    self.mark(tree);
                }
            }
        }
    }

    /// Marks the trees of cables whose limit is reached or will be.
    fn mark_cables(&mut self, model: &Model, h: f64) {
        for cable in &model.cables {
            let now = Spanned { model, data: &self.data, mocap: &self.state.mocap, cable };
            let rate = now.rate(&self.work.v_near);
            let closes =
                |side: &CableSide| side.gap <= TOUCHING || side.gap + CLOSING * h * side.sign * rate < 0.0;
            let Some(tree) = cable_trees(model, cable).next() else { continue };
            if now.sides().iter().flatten().any(closes) {
                self.mark(tree);
            }
        }
    }

    fn mark(&mut self, tree: usize) {
        let set = root(&mut self.work.sets, tree);
        self.work.near[set] = true;
    }

    /// Whether explicit integration of a tree's dampers, springs and servos would be inaccurate or unstable.
    pub(crate) fn stiff(&mut self, model: &Model, tree: usize, h: f64) -> bool {
        let dofs = model.trees[tree].dofs.clone();
        let mut trace = 0.0;
        self.inverse_diagonal(model, tree);
        for dof in dofs {
            if self.work.added[dof] > 0.0 {
                trace += self.work.added[dof] * self.work.inverse_diagonal[dof];
            }
        }
        for &tendon in &model.trees[tree].tendons {
            let loops = &self.closures.loops;
            let added = self.forces.tendon_gains(model, loops, tendon, &self.state).added_mass(h);
            if added > 0.0 {
                // The trace of (M + g w^T w)^-1 g w^T w, by Sherman and Morrison.
                let ratio = added * self.inverse_mass_along(model, || row(&model.tendons[tendon], 1.0));
                trace += ratio / (1.0 + ratio);
            }
        }
        for place in 0..self.forces.loop_joints.on_tree(tree).len() {
            let joint = self.forces.loop_joints.on_tree(tree)[place];
            let loops = &self.closures.loops;
            let added = self.forces.loop_joints.added_mass(model, loops, joint, &self.state, h);
            for dof in model.loop_joints[joint].dofs().filter(|_| added > 0.0) {
                let inverse = self.inverse_mass_along(model, || std::iter::once((dof, 1.0)));
                // With the rotor.
                let ratio = added * inverse / (1.0 + model.loop_joints[joint].armature * inverse);
                trace += ratio / (1.0 + ratio);
            }
        }
        trace > STIFF
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

    /// `w M^-1 w^T` of a row on all velocities (1/kg), with the factors of the trees it spans.
    fn inverse_mass_along<I: Iterator<Item = (usize, f64)>>(
        &mut self,
        model: &Model,
        terms: impl Fn() -> I,
    ) -> f64 {
        let loops = &self.closures.loops;
        let tree_of = |(dof, _): (usize, f64)| model.links[model.dofs[dof].link].tree;
        let mut sum = 0.0;
        for (i, tree) in loops.expand(terms()).map(tree_of).enumerate() {
            if loops.expand(terms()).take(i).any(|term| tree_of(term) == tree) {
                continue;
            }
            let dofs = model.trees[tree].dofs.clone();
            let row = &mut self.work.scratch[..dofs.len()];
            row.fill(0.0);
            for (dof, coefficient) in loops.expand(terms()).filter(|(dof, _)| dofs.contains(dof)) {
                row[dof - dofs.start] += coefficient;
            }
            dynamics::half_solve(model, &mut self.data, tree, row);
            sum += row.iter().map(|y| y * y).sum::<f64>();
            row.fill(0.0);
        }
        sum
    }

    /// Velocity of a link's point at the predicted velocity (m/s, world).
    fn point_velocity(&self, link: usize, point: &Vector3<f64>) -> Vector3<f64> {
        dynamics::point_velocity(&self.model, &self.data, link, point, &self.work.v_near)
    }
}

/// Whether a joint of the tree, or of a loop on it, or a tendon over one, has dry friction.
fn has_dry_friction(model: &Model, forces: &ForceMap, tree: usize) -> bool {
    limit::has_dry_friction(model, tree) || forces.loop_joints.has_dry_friction(model, tree)
}
