//! Loop closures: what keeps trees on the manifold of their equality constraints.
//!
//! Trees tied by equalities or tendons, directly or through others, form a *set*. On a set the rows `X` of its equalities act in
//! the same way on displacements, velocities and accelerations `x`: the nearest `x` in the metric of the mass matrix
//! with `X x + b = 0` is `x - M^-1 X^T (X M^-1 X^T)^-1 (X x + b)` (Gauss's principle; Drumwright 2015), where
//! dependent rows are left out. A set that cannot be closed (contradictory equalities, an arm pulled beyond its reach)
//! is *open*: it takes the contact rule and its rows give way, which bounds the velocities near a singular
//! configuration.
//!
//! # References
//! E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration* (2006), section IV.4 (projection methods);
//! E. Eich, *Convergence results for a coordinate projection method applied to mechanical systems with algebraic
//! constraints*, SIAM J. Numer. Anal. 30 (1993).

use crate::constraint::closure::coordinates::Loops;
use crate::constraint::closure::joint::push_rotor;
use crate::constraint::equality::{Configuration, Instant, position_error, push_equality};
use crate::constraint::islands::{Islands, root, unite};
use crate::constraint::kind::{Constraint, Constraints, Level, StepAhead};
use crate::constraint::position_error::larger;
use crate::constraint::rows::{RowBlock, Rows};
use crate::constraint::softness::{OPEN, Softness};
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data};
use crate::model::{Base, BodyId, Closure, EqualityKind, Model, TreeId};

use std::f64::consts::PI;

/// A set is closed when no position error exceeds this (m or rad): a hundred times the round-off of positions of a
/// few metres.
const CLOSED: f64 = 1e-13;

/// Newton steps of one projection. From the error of a step of order four one does, from that of order one two or
/// three.
const ROUNDS: usize = 6;

/// Rows that move against their prescription by more than this (m/s or rad/s) at the beginning of a step were set in
/// motion by someone, or come from a step under the contact rule.
const MATCHED: f64 = 1e-10;

/// How far a joint may be shifted as a loop is closed, against its error and the size of all links: there and back, and as far again
/// along the other axes.
const WAY: f64 = 4.0;

/// Softness of the rows of an open set: they are met to a thousandth of what is asked of them.
const SOFT: f64 = 1e-3;

/// An equality in the order of names.
#[derive(Clone, Copy, Debug)]
struct Tie {
    rank: u32,
    equality: usize,
    set: usize,
}

/// The sets of tied trees and the workspace for them. Keeps its capacity.
#[derive(Debug)]
pub(crate) struct Closures {
    /// The joints that close loops: at the poses and velocities of the beginning of the step, or where this works.
    pub(crate) loops: Loops,
    ties: Vec<Tie>,
    /// Loop-closing joints with a rotor, in the order of names, and their sets.
    rotors: Vec<(usize, usize)>,
    /// Set of each tree: the least tree of it.
    set: Vec<usize>,
    /// Whether each tree is tied by an equality, or to another by a tendon.
    tied: Vec<bool>,
    rows: Rows,
    islands: Islands,
    /// `X x + b`, per row.
    free: Vec<f64>,
    scratch: Vec<f64>,
    displacement: Vec<f64>,
    /// Configuration before a Newton step (nq), and the coordinates of loops there.
    q_kept: Vec<f64>,
    loops_kept: Vec<f64>,
    /// Sets at work, and their position errors (per tree number).
    active: Vec<bool>,
    errors: Vec<f64>,
    errors_kept: Vec<f64>,
    /// Of each set the error when it began to be closed, how much of the trust region a Newton step takes, and how much those before it
    /// took (see [`Closures::trust`]).
    errors_begun: Vec<f64>,
    length: Vec<f64>,
    spent: Vec<f64>,
    /// Length of all links and anchors together (m).
    size: f64,
    /// Softness of the sets' rows, as of the last survey.
    pub(crate) softness: Softness,
}

impl Closures {
    pub(crate) fn new(model: &Model, constraints: &Constraints) -> Self {
        let trees = model.trees.len();
        let mut set: Vec<usize> = (0..trees).collect();
        let mut tied = vec![false; trees];
        constraints.for_each_coupling(model, |coupled, _| {
            let mut first = None;
            for tree in coupled.map(TreeId::index) {
                tied[tree] = true;
                unite(&mut set, *first.get_or_insert(tree), tree);
            }
        });
        for tree in 0..trees {
            set[tree] = root(&mut set, tree);
        }
        let (equalities, joints) = (&constraints.equalities, &constraints.loop_joints);
        let set_of = |equality| equalities.trees(model, equality).next().map(|tree| set[tree.index()]);
        let set_of_equality: Vec<_> = (0..model.equalities.len()).map(set_of).collect();
        let tie = |(equality, set): (usize, &Option<usize>)| {
            Some(Tie { rank: equalities.ranks[equality], equality, set: (*set)? })
        };
        let mut ties: Vec<Tie> = set_of_equality.iter().enumerate().filter_map(tie).collect();
        ties.sort_by_key(|tie| tie.rank);
        let rotors = joints.in_order().filter(|&joint| model.loop_joints[joint].armature > 0.0);
        let rotors = rotors
            .filter_map(|joint| {
                let link = model.loop_joints[joint].links.into_iter().flatten().next()?;
                Some((joint, set[model.links[link].tree.index()]))
            })
            .collect();
        Self {
            loops: Loops::new(model),
            ties,
            rotors,
            set,
            tied,
            rows: Rows::default(),
            islands: Islands::default(),
            free: Vec::new(),
            scratch: vec![0.0; model.nv()],
            displacement: vec![0.0; model.nv()],
            q_kept: model.q0.clone(),
            loops_kept: model.loop_q0.clone(),
            active: vec![false; trees],
            errors: vec![0.0; trees],
            errors_kept: vec![0.0; trees],
            errors_begun: vec![0.0; trees],
            length: vec![0.0; trees],
            spent: vec![0.0; trees],
            size: size(model),
            softness: Softness { of_set: vec![0.0; trees], set: set_of_equality },
        }
    }

    /// Whether an equality ties this tree, or a tendon to another, so that they have to be advanced together.
    pub(crate) fn is_tied(&self, tree: TreeId) -> bool {
        self.tied[tree.index()]
    }

    /// Whether a tree is in a set that cannot be closed, as of the last survey.
    pub(crate) fn is_open(&self, tree: TreeId) -> bool {
        self.softness.of_set[self.set[tree.index()]] > 0.0
    }

    /// Finds the sets that could not be closed. Needs kinematics and the loops there.
    pub(crate) fn survey(&mut self, model: &Model, data: &Data, now: Instant<'_>) {
        self.activate(|_| true);
        self.measure(model, data, now);
        for (softness, error) in self.softness.of_set.iter_mut().zip(&self.errors) {
            *softness = if *error <= OPEN { 0.0 } else { SOFT };
        }
    }

    /// Brings the accelerations of the sets of the given trees onto the second derivative of the constraints. Needs
    /// kinematics, factors and [`dynamics::bias_forces`] of the trees, and the loops there with their rates.
    pub(crate) fn constrain(
        &mut self,
        model: &Model,
        data: &mut Data,
        now: Instant<'_>,
        of: impl Fn(TreeId) -> bool,
        acceleration: &mut [f64],
    ) {
        self.activate(of);
        self.loops.accelerate(model, data, now.mocap);
        self.push(model, data, now, Level::Acceleration);
        for &(joint, set) in &self.rotors {
            if self.active[set] {
                push_rotor(&mut self.rows, model, &self.loops, joint, None);
            }
        }
        self.correct(model, data, acceleration);
    }

    /// The power of the forces with which [`Closures::constrain`] has just done so, at the velocities `v` (W): of equalities that
    /// nothing prescribes, and of those that a prescribed body or a function of time moves.
    pub(crate) fn power(&mut self, model: &Model, v: &[f64]) -> [f64; 2] {
        self.rows.velocities(model, v, &mut self.free);
        let mut power = [0.0; 2];
        let mut blocks = self.rows.blocks.iter();
        for tie in self.ties.iter().filter(|tie| self.active[tie.set]) {
            let Some(block) = blocks.next() else { break };
            let of_block = &mut power[usize::from(is_prescribed(model, tie.equality))];
            for row in block.row..block.row + block.count {
                *of_block += self.rows.impulse[row] * (self.free[row] - self.rows.prescribed[row]);
            }
        }
        power[1] += self.rotors_of_prescribed(model, blocks);
        power
    }

    /// What prescribed bodies do by way of rotors, whose blocks these are; the rest of what rotors take is their kinetic energy.
    fn rotors_of_prescribed<'a>(&self, model: &Model, blocks: impl Iterator<Item = &'a RowBlock>) -> f64 {
        let rotors = self.rotors.iter().filter(|(_, set)| self.active[*set]);
        let dofs = rotors.flat_map(|(joint, _)| model.loop_joints[*joint].dofs());
        let drift = |dof: usize| self.loops.drift_of(std::iter::once((dof, 1.0)));
        blocks.zip(dofs).map(|(block, dof)| -self.rows.impulse[block.row] * drift(dof)).sum()
    }

    /// The work of the impulses with which [`Closures::match_velocities`] has just done so (J): relative to what is prescribed,
    /// and of that.
    pub(crate) fn matching_work(&self, model: &Model) -> [f64; 2] {
        let rotors = self.rows.blocks.iter().filter(|block| block.compliance > 0.0);
        let mut work = [0.0, self.rotors_of_prescribed(model, rotors)];
        for block in self.rows.blocks.iter().filter(|block| block.compliance == 0.0) {
            for row in block.row..block.row + block.count {
                let impulse = self.rows.impulse[row];
                work[0] += 0.5 * impulse * self.free[row];
                work[1] -= impulse * self.rows.prescribed[row];
            }
        }
        work
    }

    /// Brings the velocities of the sets of the given trees onto the constraints' rate, as far as they give way
    /// (see [`Closures::survey`]). Needs kinematics, the loops there, and factors.
    pub(crate) fn match_velocities(
        &mut self,
        model: &Model,
        data: &mut Data,
        now: Instant<'_>,
        of: impl Fn(TreeId) -> bool,
        v: &mut [f64],
    ) {
        self.activate(of);
        self.push(model, data, now, Level::Velocity(StepAhead::NONE));
        for &(joint, set) in &self.rotors {
            if self.active[set] {
                push_rotor(&mut self.rows, model, &self.loops, joint, Some(v));
            }
        }
        self.correct(model, data, v);
    }

    /// By how much the velocities `v` miss what [`Closures::match_velocities`] has just brought them onto: each row of the equalities,
    /// whether it is the rate of an angle, and its error (m/s or rad/s).
    pub(crate) fn velocity_errors(&mut self, model: &Model, v: &[f64]) -> impl Iterator<Item = (bool, f64)> {
        self.rows.velocities(model, v, &mut self.free);
        let (rows, free) = (&self.rows, &self.free);
        rows.blocks.iter().filter(|block| block.compliance == 0.0).flat_map(move |block| {
            let given = rows.compliances(model, block);
            (0..block.count.min(6)).map(move |r| {
                let row = block.row + r;
                (block.is_angular(r), free[row] + given[r] * rows.impulse[row])
            })
        })
    }

    /// Whether the velocities of the sets of the given trees meet the constraints' rate. Needs kinematics and the loops there.
    pub(crate) fn velocities_match(
        &mut self,
        model: &Model,
        data: &Data,
        now: Instant<'_>,
        of: impl Fn(TreeId) -> bool,
        v: &[f64],
    ) -> bool {
        self.activate(of);
        self.push(model, data, now, Level::Velocity(StepAhead::NONE));
        self.rows.velocities(model, v, &mut self.free);
        self.free.iter().all(|rate| rate.abs() <= MATCHED)
    }

    /// Closes all sets that are open by Newton's method: moves `q` along `M^-1 X^T`, set by set, until the position
    /// errors are round-off or grow no smaller. `added_diagonal` is added to the mass matrices.
    ///
    /// Writes kinematics (at `q` and `v`), the loops there, and factors of all tied trees.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn close(
        &mut self,
        model: &Model,
        data: &mut Data,
        now: Instant<'_>,
        added_diagonal: &[f64],
        q: &mut [f64],
        v: &[f64],
    ) -> Result<(), AlgorithmError> {
        for tree in TreeId::all(&model.trees).filter(|&t| self.tied[t.index()]) {
            dynamics::forward_kinematics(model, data, tree, q, v);
            dynamics::factorize_by_size(model, data, tree, added_diagonal)?;
        }
        self.activate(|_| true);
        self.softness.of_set.fill(0.0);
        self.spent.fill(0.0);
        self.loops.locate(model, data, Configuration { q, mocap: now.mocap });
        self.measure(model, data, now);
        self.errors_begun.copy_from_slice(&self.errors);
        for _ in 0..ROUNDS {
            for set in 0..self.active.len() {
                self.active[set] &= self.errors[set] > CLOSED;
            }
            if !self.active.contains(&true) {
                break;
            }
            self.newton_step(model, data, now, q, v);
        }
        Ok(())
    }

    /// One step of all active sets. A set that it does not bring nearer is put back and gets soft rows for another
    /// attempt (Levenberg's method); after two it is left.
    fn newton_step(&mut self, model: &Model, data: &mut Data, now: Instant<'_>, q: &mut [f64], v: &[f64]) {
        self.push(model, data, now, Level::WHOLE_ERROR);
        let mut displacement = std::mem::take(&mut self.displacement);
        displacement.fill(0.0);
        self.correct(model, data, &mut displacement);
        self.trust(model, &mut displacement);
        self.q_kept.copy_from_slice(q);
        self.loops_kept.copy_from_slice(self.loops.coordinates());
        for tree in TreeId::all(&model.trees) {
            if self.active[self.set[tree.index()]] {
                dynamics::integrate(model, tree, &self.q_kept, &displacement, 1.0, q);
                dynamics::forward_kinematics(model, data, tree, q, v);
            }
        }
        self.displacement = displacement;
        self.errors_kept.copy_from_slice(&self.errors);
        self.loops.locate(model, data, Configuration { q, mocap: now.mocap });
        self.measure(model, data, now);
        let mut restored = false;
        for tree in TreeId::all(&model.trees) {
            if self.is_worse(self.set[tree.index()]) {
                let coords = model.trees[tree].coords.clone();
                q[coords.clone()].copy_from_slice(&self.q_kept[coords]);
                dynamics::forward_kinematics(model, data, tree, q, v);
                restored = true;
            }
        }
        if restored {
            self.loops.recall(&self.loops_kept);
            self.loops.locate(model, data, Configuration { q, mocap: now.mocap });
        }
        for set in 0..self.active.len() {
            if self.is_worse(set) {
                self.errors[set] = self.errors_kept[set];
                // Errors this small are round-off, which no method reduces.
                self.active[set] = self.softness.of_set[set] == 0.0 && self.errors[set] > OPEN;
                self.softness.of_set[set] = SOFT;
            }
        }
    }

    /// Shortens the displacement of each set to what is left of its trust region: all Newton steps together turn no joint by more than
    /// half a turn and the error, and shift none by more than [`WAY`] times the error and the size of all links. Near a singular
    /// configuration they would ask for any number of turns.
    fn trust(&mut self, model: &Model, displacement: &mut [f64]) {
        self.length.fill(0.0);
        for (tree, contents) in model.trees.iter().enumerate() {
            let set = self.set[tree];
            for link in &model.links[contents.links.clone()] {
                let error = self.errors_begun[set];
                let shift = link.shift(displacement) / (WAY * (self.size + error));
                let length = larger(link.turn(displacement) / (PI + error), shift);
                self.length[set] = larger(self.length[set], length);
            }
        }
        for (tree, contents) in model.trees.iter().enumerate() {
            let set = self.set[tree];
            let left = 1.0 - self.spent[set];
            if self.length[set] > left {
                displacement[contents.dofs.clone()].iter_mut().for_each(|d| *d *= left / self.length[set]);
            }
        }
        for (spent, length) in self.spent.iter_mut().zip(&self.length) {
            *spent = (*spent + length).min(1.0);
        }
    }

    /// Whether the last step brought an active set no nearer; an error that is not a number did not.
    fn is_worse(&self, set: usize) -> bool {
        let better = self.errors[set] < self.errors_kept[set];
        self.active[set] && !better
    }

    /// Marks the sets of the tied trees among the given ones.
    fn activate(&mut self, of: impl Fn(TreeId) -> bool) {
        self.active.fill(false);
        for tree in 0..self.set.len() {
            if self.tied[tree] && of(TreeId::new(tree)) {
                self.active[self.set[tree]] = true;
            }
        }
    }

    /// Position error of every active set.
    fn measure(&mut self, model: &Model, data: &Data, now: Instant<'_>) {
        for (error, _) in self.errors.iter_mut().zip(&self.active).filter(|(_, active)| **active) {
            *error = 0.0;
        }
        for tie in self.ties.iter().filter(|tie| self.active[tie.set]) {
            let error = position_error(model, data, now.with(&self.loops), tie.equality).size();
            let worst = &mut self.errors[tie.set];
            *worst = larger(*worst, error);
        }
    }

    /// The rows of all active sets, in the order of names.
    fn push(&mut self, model: &Model, data: &Data, now: Instant<'_>, level: Level<'_>) {
        self.rows.clear();
        let at = now.with(&self.loops);
        for tie in self.ties.iter().filter(|tie| self.active[tie.set]) {
            push_equality(&mut self.rows, model, data, at, tie.equality, tie.rank, level);
            self.rows.soften(self.softness.of_set[tie.set]);
        }
    }

    /// `x <- x - M^-1 X^T (X M^-1 X^T)^-1 (X x + b)`.
    fn correct(&mut self, model: &Model, data: &mut Data, x: &mut [f64]) {
        self.rows.half_solve(model, data);
        self.rows.velocities(model, x, &mut self.free);
        self.islands.solve_bilateral(model, &mut self.rows, &self.free);
        self.rows.apply_impulses(model, data, &mut self.scratch, x);
    }
}

/// Length of all links and anchors together: no point of a mechanism is farther from another (m).
fn size(model: &Model) -> f64 {
    let links = model.links.iter().filter(|link| link.parent.is_some());
    let links = links.map(|link| link.placement.translation.norm()).sum::<f64>();
    let anchors = model.equalities.iter().map(|equality| match &equality.kind {
        EqualityKind::Connect { anchors, .. } => anchors.iter().map(|anchor| anchor.norm()).sum(),
        EqualityKind::Weld { frames, .. } | EqualityKind::Closure(Closure { frames, .. }) => {
            frames.iter().map(|frame| frame.translation.norm()).sum()
        }
        EqualityKind::Coupling(_) => 0.0,
    });
    let chains = model.loop_joints.iter().map(|joint| joint.placement.translation.norm());
    links + anchors.sum::<f64>() + chains.sum::<f64>()
}

/// Whether a prescribed body or a function of time moves an equality.
fn is_prescribed(model: &Model, equality: usize) -> bool {
    let is_mocap = |body: &BodyId| matches!(model.bodies[*body].base, Base::Mocap(_));
    match &model.equalities[equality].kind {
        EqualityKind::Connect { bodies, .. }
        | EqualityKind::Weld { bodies, .. }
        | EqualityKind::Closure(Closure { bodies, .. }) => bodies.iter().any(is_mocap),
        EqualityKind::Coupling(coupling) => coupling.motion.is_some(),
    }
}
