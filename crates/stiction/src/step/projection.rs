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

use crate::constraint::equality::Instant;
use crate::constraint::islands::StepStart;
use crate::constraint::kind::{Level, Present};
use crate::dynamics;
use crate::sim::Simulation;
use crate::sim::profile::Stage;

/// Rounds of one step; what is left is taken up by the next step. Most overlaps vanish in one or two; two edges that
/// take turns at being the deepest shrink theirs by a third in each.
const ROUNDS: usize = 20;

/// A round that leaves more than this part of the overlap has stalled: bodies are wedged.
const STALLED: f64 = 0.9;

impl Simulation {
    /// What constraints depend on, at the poses and velocities of the data.
    pub(crate) fn present(&self) -> Present<'_> {
        let loops = (&self.closures.loops, &self.closures.softness);
        Present::new(&self.model, &self.data, loops, &self.state)
    }

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
            let overlap = self.constraints.worst_reparable(&self.present());
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
                self.momenta.remember(&self.model, &self.data, &self.constraints);
            }
            self.momenta.join(&self.model, &self.constraints.contacts.finder);
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
        if self.constraints.worst_bilateral(&self.present()) > self.settings.overlap_tolerance {
            let (state, data) = (&mut self.state, &mut self.data);
            let now = Instant { mocap: &state.mocap, time: state.time };
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = self.closures.close(&model, data, now, &self.work.zeros, &mut state.q, &state.v);
            self.locate();
        }
        let now = Instant { mocap: &self.state.mocap, time: self.state.time };
        self.closures.survey(&model, &self.data, now);
    }

    fn project_once(&mut self) {
        let model = self.model.clone();
        self.work.zeros.fill(0.0);
        for tree in 0..model.trees.len() {
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = dynamics::factorize_by_size(&model, &mut self.data, tree, &self.work.zeros);
        }
        self.rows.clear();
        let loops = (&self.closures.loops, &self.closures.softness);
        let at = Present::new(&model, &self.data, loops, &self.state);
        let level = Level::Displacement { reach: self.settings.overlap_tolerance };
        self.constraints.push(&mut self.rows, &at, level, |_| true);
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
