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
use crate::constraint::islands::RowProblem;
use crate::constraint::kind::Level;
use crate::constraint::position_error::larger;
use crate::contact::{FormulationError, Polyhedral, PolyhedralSettings};
use crate::dynamics;
use crate::model::{BodyId, Model, TreeId};
use crate::report::MovedBody;
use crate::spatial::Transform;
use crate::step::contact_problem::ContactProblem;
use crate::step::momentum::Momenta;
use crate::step::system::System;

/// Rounds of one step; what is left is taken up by the next step. Most overlaps vanish in one or two; two edges that
/// take turns at being the deepest shrink theirs by a third in each.
const ROUNDS: usize = 20;

/// A round that leaves more than this part of the overlap has stalled: bodies are wedged.
const STALLED: f64 = 0.9;

/// The workspace of the projection.
#[derive(Debug)]
pub(crate) struct Projection {
    momenta: Momenta,
    solver: Polyhedral,
    zeros: Vec<f64>,
    generalized_displacement: Vec<f64>,
    scratch: Vec<f64>,
    /// Configuration of the least overlap (nq, then the coordinates of loops), and of the trees that have been moved (nq).
    least_overlap: Vec<f64>,
    q: Vec<f64>,
    /// Poses of all bodies before, once something is moved.
    poses: Vec<Transform>,
    /// The bodies that were moved, in their order.
    pub(crate) moved: Vec<MovedBody>,
}

/// The farthest that a projection moved a body, and the farthest that it turned one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Displacement {
    /// Of a body's origin (m), and the body.
    pub(crate) length: f64,
    pub(crate) farthest: Option<BodyId>,
    /// (rad)
    pub(crate) angle: f64,
}

impl Projection {
    pub(crate) fn new(model: &Model) -> Result<Self, FormulationError> {
        let zeros = || vec![0.0; model.nv()];
        Ok(Self {
            momenta: Momenta::new(model),
            solver: Polyhedral::new(PolyhedralSettings::default())?,
            zeros: zeros(),
            generalized_displacement: zeros(),
            scratch: zeros(),
            least_overlap: [model.q0.as_slice(), &model.loop_q0].concat(),
            q: model.q0.clone(),
            poses: Vec::new(),
            moved: Vec::with_capacity(model.bodies.len()),
        })
    }

    /// Brings overlap and bilateral errors below the tolerance. Needs poses and contacts at the present state and
    /// leaves them so; writes rows and impulses of `problem`. Returns how far that moved bodies.
    pub(crate) fn project(&mut self, system: &mut System<'_>, problem: &mut ContactProblem) -> Displacement {
        let model = system.model;
        self.poses.clear();
        self.moved.clear();
        self.close_at_start(system);
        // Compared over two rounds, since the deepest place may first move to where a round did not look.
        let mut last_two = [f64::INFINITY; 2];
        let mut least = f64::INFINITY;
        let mut moved = false;
        for round in 0..=ROUNDS {
            let overlap = system.constraints.worst_reparable(&system.present()).size();
            if overlap < least {
                least = overlap;
                self.least_overlap.copy_from_slice(&system.closures.loops.q);
            }
            let done = overlap <= system.settings.overlap_tolerance;
            // NaN is no progress.
            let going = overlap <= STALLED * last_two[0] && round < ROUNDS;
            if done || !going {
                break;
            }
            last_two = [last_two[1], overlap];
            if round == 0 {
                self.keep_poses(system);
                self.momenta.remember(model, system.data, system.constraints);
            }
            self.momenta.join(model, &system.constraints.contacts.finder);
            self.project_once(system, problem);
            moved = true;
            system.locate();
        }
        // Wedged bodies may have been thrown about: the state of the least overlap is what the rounds are good for.
        let (least, loops) = self.least_overlap.split_at(model.nq());
        if *system.state.q != *least {
            system.state.q.copy_from_slice(least);
            system.closures.loops.recall(loops);
            system.locate();
        }
        if moved {
            self.momenta.restore(model, system.data, &mut system.state.v);
            dynamics::forward_kinematics_all(model, system.data, &system.state.q, &system.state.v);
        }
        self.displacement(system)
    }

    /// Keeps the poses of all bodies, unless those of before are kept already.
    fn keep_poses(&mut self, system: &System<'_>) {
        if self.poses.is_empty() {
            self.poses.extend(BodyId::all(&system.model.bodies).map(|body| system.body_pose(body)));
        }
    }

    /// How far bodies are from where they were when their poses were kept; lists those that are elsewhere.
    fn displacement(&mut self, system: &System<'_>) -> Displacement {
        let mut worst = Displacement::default();
        for (body, before) in BodyId::all(&system.model.bodies).zip(&self.poses) {
            let now = system.body_pose(body);
            if now == *before {
                continue;
            }
            self.moved.push(MovedBody::new(body, now));
            let length = (now.translation - before.translation).norm();
            if length > worst.length || length.is_nan() {
                (worst.length, worst.farthest) = (length, Some(body));
            }
            worst.angle = larger(worst.angle, before.angle_to(&now));
        }
        worst
    }

    /// Closes loops that someone opened since the last step, and finds those that cannot be closed.
    fn close_at_start(&mut self, system: &mut System<'_>) {
        if system.constraints.worst_bilateral(&system.present()).size() > system.settings.overlap_tolerance {
            self.keep_poses(system);
            let System { model, state, data, closures, .. } = system;
            let now = Instant { mocap: &state.mocap, time: state.time };
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = closures.close(model, data, now, &self.zeros, &mut state.q, &state.v);
            system.locate();
        }
        let now = Instant { mocap: &system.state.mocap, time: system.state.time };
        system.closures.survey(system.model, system.data, now);
    }

    /// Steps 1 to 3.
    fn project_once(&mut self, system: &mut System<'_>, problem: &mut ContactProblem) {
        let model = system.model;
        for tree in TreeId::all(&model.trees) {
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = dynamics::factorize_by_size(model, system.data, tree, &self.zeros);
        }
        let ContactProblem { rows, islands, free, memory, .. } = problem;
        rows.clear();
        let level = Level::Displacement { reach: system.settings.overlap_tolerance };
        system.constraints.push(rows, &system.present(), level, |_| true);
        rows.sort();
        rows.half_solve(model, system.data);
        free.clear();
        free.extend_from_slice(&rows.prescribed);
        islands.partition.group(model, rows);
        memory.clear();
        memory.resize(rows.blocks.len(), Default::default());
        let mut problem = RowProblem { model, rows, free, before: &[], memory, timestep: 1.0 };
        for island in 0..islands.partition.count() {
            let _ = islands.solve(island, &mut problem, &mut self.solver);
        }
        self.generalized_displacement.fill(0.0);
        problem.rows.apply_impulses(
            model,
            system.data,
            &mut self.scratch,
            &mut self.generalized_displacement,
        );
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            let q = &mut system.state.q;
            dynamics::integrate(model, tree, q, &self.generalized_displacement, 1.0, &mut self.q);
            let coords = contents.coords.clone();
            q[coords.clone()].copy_from_slice(&self.q[coords]);
        }
    }
}
