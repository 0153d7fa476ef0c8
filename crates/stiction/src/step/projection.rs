//! Removal of overlap by a position projection: no body gets a velocity against another, so no energy comes from it.
//!
//! # Problem
//! `min 1/2 |d|_M^2` subject to `N d + gap >= 0` for all contacts and limits and `X d + error = 0` for all bilateral
//! rows; then `q <- q (+) d`. Its dual is the complementarity problem `0 <= lambda perp N M^-1 N^T lambda + gap >= 0`.
//!
//! # Method
//! 0. Loops are closed on their own; those that cannot be closed have soft rows from here on.
//! 1. Rows at the present poses: the normal of every contact found, both limits that are near, all equalities.
//! 2. Solve island by island; where the projection is infeasible (a body wedged between fixed walls) the solver's
//!    regularised answer is the least-squares one.
//! 3. Move along `d = M^-1 (N^T lambda + X^T mu)`.
//! 4. Repeat, since gaps are not linear, while the overlap shrinks, at most [`ROUNDS`] times; keep the configuration with
//!    the least overlap.
//! 5. Bodies that nothing holds keep their common momentum ([`crate::step::momentum`]).

use crate::constraint::equality::{Instant, Level, Located};
use crate::constraint::islands::StepStart;
use crate::constraint::{cable, equality, limit, tendon};
use crate::dynamics;
use crate::sim::Simulation;
use crate::sim::profile::Stage;

/// Rounds of one step; what is left is taken up by the next step. Most overlaps vanish in one or two; two edges that
/// take turns at being the deepest shrink theirs by a third in each.
const ROUNDS: usize = 20;

/// A round that leaves more than this part of the overlap has stalled: bodies are wedged.
const STALLED: f64 = 0.9;

impl Simulation {
    /// Brings overlap and bilateral errors below the tolerance. Needs poses and contacts at the present state and
    /// leaves them so.
    pub(crate) fn project_positions(&mut self) {
        let clock = std::mem::take(&mut self.islands.clock);
        self.remove_overlap();
        self.islands.clock = clock;
        self.islands.clock.lap(Stage::Overlap);
    }

    fn remove_overlap(&mut self) {
        self.close_at_start();
        // Compared over two rounds, since the deepest place may first move to where a round did not look.
        let mut last_two = [f64::INFINITY; 2];
        let mut least = f64::INFINITY;
        let mut moved = false;
        for round in 0..=ROUNDS {
            let overlap = self.worst_overlap();
            if overlap < least {
                least = overlap;
                self.work.least_overlap.copy_from_slice(&self.state.q);
            }
            let done = overlap <= self.settings.overlap_tolerance;
            // NaN is no progress.
            let going = overlap <= STALLED * last_two[0] && round < ROUNDS;
            if done || !going {
                break;
            }
            last_two = [last_two[1], overlap];
            if round == 0 {
                self.momenta.remember(&self.model, &self.data);
            }
            self.momenta.join(&self.model, &self.finder);
            self.project_once();
            moved = true;
            self.locate();
        }
        // Wedged bodies may have been thrown about: the state of the least overlap is what the rounds are good for.
        if self.state.q != self.work.least_overlap {
            self.state.q.copy_from_slice(&self.work.least_overlap);
            self.locate();
        }
        if moved {
            let model = self.model.clone();
            self.momenta.restore(&model, &self.data, &mut self.state.v);
            dynamics::forward_kinematics_all(&model, &mut self.data, &self.state.q, &self.state.v);
        }
    }

    /// Closes loops that someone opened since the last step, and finds those that cannot be closed.
    fn close_at_start(&mut self) {
        let model = self.model.clone();
        let (state, data) = (&mut self.state, &mut self.data);
        let now = Instant { mocap: &state.mocap, time: state.time };
        let at = now.with(&self.closures.loops);
        if equality::worst_error(&model, data, at) > self.settings.overlap_tolerance {
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = self.closures.close(&model, data, now, &self.work.zeros, &mut state.q, &state.v);
            self.locate();
        }
        let now = Instant { mocap: &self.state.mocap, time: self.state.time };
        self.closures.survey(&model, &self.data, now);
    }

    /// Deepest overlap, worst crossed limit and worst bilateral error of what can be closed (m or rad).
    fn worst_overlap(&self) -> f64 {
        let model = &*self.model;
        let contacts = self.finder.contacts.iter().fold(0.0, |worst: f64, c| worst.max(-c.gap));
        let loops = &self.closures.loops;
        let limits = limit::worst_violation(model, &loops.q);
        let at = Located { loops, mocap: &self.state.mocap, time: self.state.time };
        let cables = cable::worst_violation(model, &self.data, &self.state.mocap);
        let bilateral = (0..model.equalities.len())
            .filter(|&i| self.closures.softness(i) == 0.0)
            .map(|i| equality::position_error(model, &self.data, at, i))
            .fold(0.0, f64::max);
        contacts.max(limits).max(cables).max(bilateral)
    }

    fn project_once(&mut self) {
        let model = self.model.clone();
        self.work.zeros.fill(0.0);
        for tree in 0..model.trees.len() {
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = dynamics::factorize_by_size(&model, &mut self.data, tree, &self.work.zeros);
        }
        self.rows.clear();
        for (i, contact) in self.finder.contacts.iter().enumerate() {
            self.rows.push_normal(&model, &self.data, i, contact, contact.gap);
        }
        for (i, link) in model.links.iter().enumerate() {
            for side in limit::limit_sides(link, &self.state.q).into_iter().flatten() {
                if side.gap <= self.settings.overlap_tolerance {
                    limit::push_limit(&mut self.rows, &model, i, self.joint_ranks[i], &side, side.gap);
                }
            }
        }
        let (loops, tolerance) = (&self.closures.loops, self.settings.overlap_tolerance);
        for joint in self.forces.loop_joints.in_order() {
            let crossed = |gap| (gap <= tolerance).then_some(gap);
            self.forces.loop_joints.push_limits(&mut self.rows, &model, loops, joint, crossed);
        }
        for (i, tendon) in model.tendons.iter().enumerate() {
            for side in tendon::tendon_sides(tendon, &loops.q).into_iter().flatten() {
                if side.gap <= self.settings.overlap_tolerance {
                    let rank = self.tendon_ranks[i];
                    tendon::push_tendon_limit(&mut self.rows, &model, loops, tendon, rank, &side, side.gap);
                }
            }
        }
        for (i, cable) in cable::spanned(&model, &self.data, &self.state.mocap).enumerate() {
            for side in cable.sides().into_iter().flatten() {
                if side.gap <= self.settings.overlap_tolerance {
                    cable.push(&mut self.rows, self.cable_ranks[i], &side, side.gap);
                }
            }
        }
        // Displacements have no prescribed part.
        self.rows.prescribed.fill(0.0);
        for i in 0..model.equalities.len() {
            equality::push_equality(
                &mut self.rows,
                &model,
                &self.data,
                Located { loops, mocap: &self.state.mocap, time: self.state.time },
                i,
                self.equality_ranks[i],
                Level::Displacement,
            );
            self.rows.soften(self.closures.softness(i));
        }
        self.rows.sort();
        self.rows.half_solve(&model, &mut self.data);
        self.work.free.clear();
        self.work.free.extend_from_slice(&self.rows.prescribed);
        self.islands.group(&model, &self.rows);
        self.work.memory.clear();
        self.work.memory.resize(self.rows.blocks.len(), Default::default());
        for i in 0..self.islands.count() {
            let _ = self.islands.solve(
                i,
                &model,
                &mut self.rows,
                &mut self.work.free,
                StepStart { before: &[], timestep: 1.0 },
                &mut self.projector,
                &mut self.work.memory,
            );
        }
        self.work.displacement.fill(0.0);
        self.rows.apply_impulses(&model, &mut self.data, &mut self.work.scratch, &mut self.work.displacement);
        for tree in 0..model.trees.len() {
            let q = &mut self.work.q;
            dynamics::integrate(&model, tree, &self.state.q, &self.work.displacement, 1.0, q);
            let coords = model.trees[tree].coords.clone();
            self.state.q[coords.clone()].copy_from_slice(&q[coords]);
        }
    }
}
