//! Stage 3 of a step: which trees take the contact rule.
//!
//! A tree that nothing touches and nothing will touch within the step is advanced by a rule of order four (the *free rule*; see
//! [`crate::dynamics`]); every other tree takes the *contact rule*, the free velocity of [`crate::step::free_velocity`] and the
//! complementarity problem. Which rule holds is a function of the state before the solve, and is the same for all trees tied by
//! equalities.

use crate::constraint::equality::Instant;
use crate::constraint::islands::{root, unite};
use crate::constraint::kind::{InverseMass, TOUCHING};
use crate::constraint::limited_drive::Expected;
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Model, TreeId};
use crate::spatial::Mobility;
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;

/// A row is predicted to close when `gap + CLOSING h u_n < 0`; the quarter above one covers what turning bodies and
/// accelerations within the step add to the linear estimate.
pub(crate) const CLOSING: f64 = 1.25;

/// Explicit Runge-Kutta is accurate while `trace((M + h D + h^2 K)^-1 (h D + h^2 K))`, a bound of its stability
/// number, stays below this.
pub(crate) const STIFF: f64 = 0.5;

/// The choice, and the workspace for it; all lists are by tree but where they say.
#[derive(Debug)]
pub(crate) struct IntegratorChoice {
    /// Whether the tree takes the contact rule.
    pub(crate) contact_rule: Vec<bool>,
    /// Union-find forest of the trees that may touch, or are tied.
    pub(crate) sets: Vec<usize>,
    /// Whether the tree may take the contact rule.
    candidate: Vec<bool>,
    /// Whether one tree of the set, by its root, takes the contact rule or may.
    marked: Vec<bool>,
    /// Whether drives of the tree may reach limits, and whether its free velocity changes with that.
    limiting: Vec<bool>,
    changed: Vec<bool>,
    /// The free velocity on the equality constraints, by which rows are predicted to close (nv, then those of loops).
    predicted: Vec<f64>,
    /// How stiff explicit integration would be, and the last constraint that was counted in it.
    stiffness: Vec<f64>,
    counted: Vec<usize>,
    /// Whether any constraint adds to it.
    by_constraints: Vec<bool>,
    /// The diagonal of the inverse mass matrix (nv), and mobilities of the links of long trees (links).
    inverse_diagonal: Vec<f64>,
    mobility: Vec<Mobility>,
    /// All zeros (nv).
    scratch: Vec<f64>,
}

impl IntegratorChoice {
    pub(crate) fn new(model: &Model) -> Self {
        let (trees, zeros) = (model.trees.len(), || vec![0.0; model.nv()]);
        Self {
            contact_rule: vec![false; trees],
            sets: Vec::with_capacity(trees),
            candidate: vec![false; trees],
            marked: vec![false; trees],
            limiting: vec![false; trees],
            changed: vec![false; trees],
            predicted: vec![0.0; model.nv() + model.loop_nv()],
            stiffness: vec![0.0; trees],
            counted: vec![0; trees],
            by_constraints: vec![false; trees],
            inverse_diagonal: zeros(),
            mobility: vec![Mobility::zero(); model.links.len()],
            scratch: zeros(),
        }
    }

    /// Decides the rule of each tree; computes mass matrix, factor and free velocity of all that may need them.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn choose(
        &mut self,
        system: &mut System<'_>,
        free: &mut FreeVelocity,
    ) -> Result<(), AlgorithmError> {
        let System { model, h, state, closures, constraints, .. } = system;
        let (loops, ctrl) = (&closures.loops, &state.ctrl[..]);
        constraints.limited_drives.begin(Expected { model, loops, ctrl, h: *h, v: &loops.v });
        self.find_candidates(system, free);
        for tree in TreeId::all(&system.model.trees) {
            if self.candidate[tree.index()] {
                free.find(system, tree)?;
            }
        }
        self.predict(system, &free.v);
        self.mark_near(system);
        self.limit_drives(system, free)?;
        self.find_stiffness(system, &free.added);
        self.mark_where_stiff();
        for tree in 0..self.contact_rule.len() {
            self.contact_rule[tree] = self.marked[root(&mut self.sets, tree)];
        }
        Ok(())
    }

    /// The velocities by which rows are predicted to close (nv, then those of loops).
    pub(crate) fn predicted(&self) -> &[f64] {
        &self.predicted
    }

    /// Whether explicit integration of a tree's dampers, springs and servos would be inaccurate or unstable.
    pub(crate) fn is_stiff(&self, tree: TreeId) -> bool {
        self.stiffness[tree.index()] > STIFF
    }

    /// Whether constraints have a part in what makes a tree stiff: tendons, equalities, drives at the limits of their forces.
    pub(crate) fn is_stiff_by_constraints(&self, tree: TreeId) -> bool {
        self.is_stiff(tree) && self.by_constraints[tree.index()]
    }

    /// How stiff explicit integration of a step would be at most: the trace of `M^-1 (h D + h^2 K)`, where the factor in `data` is that of `M`.
    pub(crate) fn explicit_stiffness(
        &mut self,
        model: &Model,
        data: &mut Data,
        tree: TreeId,
        added: &[f64],
    ) -> f64 {
        self.find_inverse_diagonal(model, data, tree, added);
        let dofs = model.trees[tree].dofs.clone().filter(|&dof| added[dof] > 0.0);
        dofs.map(|dof| added[dof] * self.inverse_diagonal[dof]).sum()
    }

    /// Marks the trees of sets that are stiff, or in which a joint that closes a loop has a rotor.
    pub(crate) fn mark_stiff(&mut self, system: &System<'_>, stiff: &mut [bool]) {
        let Self { marked, sets, stiffness, .. } = self;
        marked.fill(false);
        for (tree, stiffness) in TreeId::all(&system.model.trees).zip(&*stiffness) {
            let rotor = system.constraints.loop_joints.has_rotor(system.model, tree);
            marked[root(sets, tree.index())] |= *stiffness > STIFF || rotor;
        }
        for (tree, stiff) in stiff.iter_mut().enumerate() {
            *stiff = marked[root(sets, tree)];
        }
    }

    /// Takes the sets of two trees under the contact rule, as one, at the beginning of a step that is taken again.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn join(
        &mut self,
        system: &mut System<'_>,
        free: &mut FreeVelocity,
        first: TreeId,
        second: TreeId,
    ) -> Result<(), AlgorithmError> {
        unite(&mut self.sets, first.index(), second.index());
        let set = root(&mut self.sets, first.index());
        for tree in TreeId::all(&system.model.trees) {
            self.contact_rule[tree.index()] |= root(&mut self.sets, tree.index()) == set;
            // All of them: factors are as whoever has tried the step left them.
            if self.contact_rule[tree.index()] {
                free.find(system, tree)?;
            }
        }
        Ok(())
    }

    /// Trees with any row within reach, or that the explicit rule does not serve; and the sets that may interact.
    fn find_candidates(&mut self, system: &System<'_>, free: &mut FreeVelocity) {
        let Self { candidate, sets, marked, .. } = self;
        candidate.fill(false);
        sets.clear();
        sets.extend(0..candidate.len());
        system.constraints.for_each_that_may_act(&system.present(), |trees, may_act| {
            let mut first = None;
            for tree in trees.map(TreeId::index) {
                candidate[tree] |= may_act;
                unite(sets, *first.get_or_insert(tree), tree);
            }
        });
        for (tree, candidate) in TreeId::all(&system.model.trees).zip(&mut *candidate) {
            *candidate = *candidate || free.has_implicit_gains(system, tree);
        }
        // One tree of a set that may need the contact rule takes all of them along.
        marked.fill(false);
        for (tree, candidate) in candidate.iter().enumerate() {
            marked[root(sets, tree)] |= candidate;
        }
        for (tree, candidate) in candidate.iter_mut().enumerate() {
            *candidate = marked[root(sets, tree)];
        }
    }

    /// The free velocity on the equality constraints.
    fn predict(&mut self, system: &mut System<'_>, free: &[f64]) {
        let System { model, h, state, data, closures, .. } = system;
        let model = *model;
        self.predicted.copy_from_slice(free);
        let candidate = &self.candidate;
        let end = Instant { mocap: &state.mocap, time: state.time + *h };
        closures.match_velocities(model, data, end, |tree| candidate[tree.index()], &mut self.predicted);
        closures.loops.extend_rates(&mut self.predicted);
    }

    /// How drives act that have limits: those of sets in which one reaches or leaves a limit, or in which something else acts.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    fn limit_drives(
        &mut self,
        system: &mut System<'_>,
        free: &mut FreeVelocity,
    ) -> Result<(), AlgorithmError> {
        let Self { marked, limiting, changed, sets, predicted, .. } = self;
        let System { model, h, state, closures, constraints, .. } = system;
        let drives = &mut constraints.limited_drives;
        let (loops, ctrl) = (&closures.loops, &state.ctrl[..]);
        let expected = Expected { model, loops, ctrl, h: *h, v: &*predicted };
        limiting.clone_from(marked);
        drives.for_each_refuted(expected, |tree| limiting[root(sets, tree.index())] = true);
        // Now by set, so that nothing has to be sought.
        for tree in 0..changed.len() {
            changed[tree] = limiting[root(sets, tree)];
        }
        limiting.copy_from_slice(changed);
        changed.fill(false);
        drives.bound(expected, |tree| limiting[tree.index()], |tree| changed[tree.index()] = true);
        for tree in TreeId::all(&system.model.trees).filter(|tree| self.changed[tree.index()]) {
            free.find(system, tree)?;
        }
        Ok(())
    }

    /// Marks the sets of trees that cannot take the explicit rule.
    fn mark_where_stiff(&mut self) {
        let Self { marked, sets, stiffness, .. } = self;
        for (tree, _) in stiffness.iter().enumerate().filter(|(_, stiffness)| **stiffness > STIFF) {
            marked[root(sets, tree)] = true;
        }
    }

    /// Marks the sets of trees that have a touching or closing row.
    fn mark_near(&mut self, system: &System<'_>) {
        let Self { marked, sets, predicted, .. } = self;
        marked.fill(false);
        let h = system.h;
        let closes = |gap: f64, rate: f64| gap <= TOUCHING || gap + CLOSING * h * rate < 0.0;
        system.constraints.for_each_that_acts(&system.present(), predicted, closes, |trees| {
            for tree in trees {
                marked[root(sets, tree.index())] = true;
            }
        });
    }

    /// The stiffness of all candidates; `added` is what the implicit rule adds to the diagonal of the mass matrix.
    fn find_stiffness(&mut self, system: &mut System<'_>, added: &[f64]) {
        let System { model, h, state, data, closures, constraints, .. } = system;
        let model = *model;
        self.stiffness.fill(0.0);
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            if self.candidate[tree.index()] {
                self.find_inverse_diagonal(model, data, tree, added);
                for dof in contents.dofs.clone().filter(|&dof| added[dof] > 0.0) {
                    self.stiffness[tree.index()] += added[dof] * self.inverse_diagonal[dof];
                }
            }
        }
        let Self { stiffness, counted, by_constraints, scratch, .. } = self;
        counted.fill(0);
        by_constraints.fill(false);
        let mut number = 0;
        let mut mass = InverseMass { model, data, loops: &closures.loops, scratch };
        constraints.for_each_stiffness(&mut mass, &state.ctrl, *h, |trees, of_constraint| {
            number += 1;
            for tree in trees {
                if std::mem::replace(&mut counted[tree.index()], number) != number {
                    stiffness[tree.index()] += of_constraint;
                    by_constraints[tree.index()] |= of_constraint > 0.0;
                }
            }
        });
    }

    /// The diagonal of `(M + h D + h^2 K)^-1` at the dofs of one tree that have something added.
    fn find_inverse_diagonal(&mut self, model: &Model, data: &mut Data, tree: TreeId, added: &[f64]) {
        let dofs = model.trees[tree].dofs.clone();
        if data.is_recursive(tree) {
            let (mobility, diagonal) = (&mut self.mobility, &mut self.inverse_diagonal);
            return dynamics::mobilities(model, data, tree, mobility, diagonal);
        }
        for dof in dofs.clone().filter(|&dof| added[dof] > 0.0) {
            let unit = &mut self.scratch[..dofs.len()];
            unit.fill(0.0);
            unit[dof - dofs.start] = 1.0;
            dynamics::half_solve(model, data, tree, unit);
            self.inverse_diagonal[dof] = unit.iter().map(|y| y * y).sum();
        }
        self.scratch[..dofs.len()].fill(0.0);
    }
}
