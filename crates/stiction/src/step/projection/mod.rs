//! Removal of overlap by a position projection: no body gets a velocity against another, so no energy comes from it.
//!
//! # Problem
//! `min 1/2 |d|_M^2` subject to `N d + gap >= 0` for all contacts and limits and `X d + error = 0` for all bilateral
//! rows; then `q <- q (+) d`. Its dual is the complementarity problem `0 <= lambda perp N M^-1 N^T lambda + gap >= 0`.
//!
//! # Method
//! 0. Loops are closed on their own; those that cannot be closed have soft rows from here on.
//! 1. Rows at the present poses: the normal of every contact found, both limits that are near, all equalities. Trees that share
//!    rows are a set.
//!    Rows of overlaps that no displacement in the trust region ([`trust_region`]) removes are left out.
//! 2. Each set with an error above the tolerance is solved; where the projection is infeasible (a body wedged between fixed walls)
//!    the solver's regularised answer is the least-squares one.
//! 3. Move along `d = M^-1 (N^T lambda + X^T mu)`, if that stays within the trust region and leaves a set with no more
//!    overlap than there was. If not the next round has softer rows (Levenberg's method), which shortens `d` first where rows are nearly
//!    dependent.
//! 4. Repeat, since gaps are not linear, while the overlap of a set shrinks, at most [`ROUNDS`] times. What is left is in the
//!    certificate.
//! 5. Bodies that nothing holds keep their common momentum ([`crate::step::momentum`]).
//!
//! With [`Settings::depenetration_speed`](crate::settings::Settings::depenetration_speed) there is one round, whose unilateral
//! rows ask for no more than what that speed gives in a step.

mod sets;
mod trust_region;

use crate::constraint::equality::Instant;
use crate::constraint::islands::RowProblem;
use crate::constraint::kind::Level;
use crate::constraint::position_error::larger;
use crate::constraint::rows::Rows;
use crate::contact::{FormulationError, Polyhedral, PolyhedralSettings};
use crate::dynamics;
use crate::model::{BodyId, Model, TreeId};
use crate::report::MovedBody;
use crate::spatial::Transform;
use crate::step::contact_problem::ContactProblem;
use crate::step::momentum::Momenta;
use crate::step::system::System;
use nalgebra::Vector3;
use sets::Sets;
use trust_region::TrustRegion;

/// Rounds of one step; what is left is taken up by the next step. Most overlaps vanish in one or two; two edges that
/// take turns at being the deepest shrink theirs by a third in each.
const ROUNDS: usize = 20;

/// The workspace of the projection.
#[derive(Debug)]
pub(crate) struct Projection {
    momenta: Momenta,
    sets: Sets,
    trust: TrustRegion,
    solver: Polyhedral,
    zeros: Vec<f64>,
    generalized_displacement: Vec<f64>,
    scratch: Vec<f64>,
    /// Configuration at the beginning of a round (nq), and the coordinates of loops there.
    q_kept: Vec<f64>,
    loops_kept: Vec<f64>,
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
            sets: Sets::new(model),
            trust: TrustRegion::new(model),
            solver: Polyhedral::new(PolyhedralSettings::default())?,
            zeros: zeros(),
            generalized_displacement: zeros(),
            scratch: zeros(),
            q_kept: model.q0.clone(),
            loops_kept: model.loop_q0.clone(),
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
        self.sets.begin(system);
        let rounds = if system.settings.depenetration_speed.is_some() { 1 } else { ROUNDS };
        let mut moved = false;
        for _ in 0..rounds {
            if !self.sets.are_going(system.settings.overlap_tolerance) {
                break;
            }
            if !moved {
                self.keep_poses(system);
                self.momenta.remember(model, system.data, TreeId::all(&model.trees));
                self.momenta.ground_constrained(model, system.constraints);
                moved = true;
            }
            self.momenta.join(model, system.constraints.contacts.finder.contacts.iter());
            self.find_displacement(system, problem);
            self.trust.measure(system, &self.generalized_displacement, &mut self.sets);
            self.sets.stay_within_trust();
            self.displace(system);
            self.sets.settle();
        }
        if moved {
            if self.momenta.gather() {
                let no_field = (0.0, Vector3::zeros());
                self.momenta.restore(model, system.data, no_field, &mut system.state.v);
            }
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

    /// Steps 1 and 2.
    fn find_displacement(&mut self, system: &mut System<'_>, problem: &mut ContactProblem) {
        let (model, settings) = (system.model, system.settings);
        for tree in TreeId::all(&model.trees) {
            // A tree whose matrix is singular here is reported by the step proper.
            let _ = dynamics::factorize_by_size(model, system.data, tree, &self.zeros);
        }
        let ContactProblem { rows, islands, free, memory, .. } = problem;
        rows.clear();
        let farthest = settings.depenetration_speed.map_or(f64::INFINITY, |speed| speed * system.h);
        let level = Level::Displacement { reach: settings.overlap_tolerance, farthest };
        system.constraints.push(rows, &system.present(), level, |_| true);
        rows.sort();
        rows.half_solve(model, system.data);
        self.leave_out_hopeless(system, rows);
        free.clear();
        free.extend_from_slice(&rows.prescribed);
        islands.partition.group(model, rows);
        self.sets.tie(rows, settings.overlap_tolerance);
        self.sets.soften(rows);
        memory.clear();
        memory.resize(rows.blocks.len(), Default::default());
        let mut problem = RowProblem { model, rows, free, before: &[], memory, timestep: 1.0, slack: &[] };
        for island in 0..islands.partition.count() {
            if self.sets.moves_island(&islands.partition, problem.rows, island) {
                let _ = islands.solve(island, &mut problem, &mut self.solver);
            }
        }
        self.generalized_displacement.fill(0.0);
        problem.rows.apply_impulses(
            model,
            system.data,
            &mut self.scratch,
            &mut self.generalized_displacement,
        );
    }

    /// Takes out rows that ask on their own for more than the trust region.
    fn leave_out_hopeless(&mut self, system: &mut System<'_>, rows: &mut Rows) {
        let mut blocks = std::mem::take(&mut rows.blocks);
        blocks.retain(|block| self.trust.can_remove(system, rows, block, &mut self.scratch));
        rows.blocks = blocks;
    }

    /// Step 3.
    fn displace(&mut self, system: &mut System<'_>) {
        self.q_kept.copy_from_slice(&system.state.q);
        self.loops_kept.copy_from_slice(system.closures.loops.coordinates());
        self.try_displacement(system);
        // What is taken back may be in the way of what came near meanwhile.
        while self.sets.refuse(system.model, system.constraints, system.settings.overlap_tolerance) {
            self.try_displacement(system);
        }
    }

    /// Moves each set by its part of the displacement, and measures what error is left.
    fn try_displacement(&mut self, system: &mut System<'_>) {
        let model = system.model;
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            let (q, part) = (&mut system.state.q, self.sets.part(tree));
            if part > 0.0 {
                dynamics::integrate(model, tree, &self.q_kept, &self.generalized_displacement, part, q);
            } else {
                q[contents.coords.clone()].copy_from_slice(&self.q_kept[contents.coords.clone()]);
            }
        }
        system.closures.loops.recall(&self.loops_kept);
        system.locate();
        self.sets.measure(system);
    }
}
