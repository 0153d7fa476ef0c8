//! What joints, connects and welds transmitted in the last step, and what drives and tendons pulled with.
//!
//! # Problem
//! A step solves `M a + c = tau + J^T lambda / h` with `a = (v+ - v-) / h`; the laws say what `tau` and `lambda` are, and the wrench
//! between two links is what the equations of motion of the links ask for, given all that acts on them from outside.
//!
//! # Method
//! 1. Kinematics as the step had them: of trees under the contact rule at its beginning, where its rows were posed; of the others, whose
//!    rule integrates from the beginning to the end, and of those with impulses at both ends, in the middle. Stiff trees of these, whose
//!    forces all act at the beginning, count as under the contact rule.
//! 2. Wrenches of equalities between bodies. Under the contact rule a block of rows has the generalized force `J^T lambda / h`; its
//!    rows may have been turned, so the wrench on the second body, `B^T x` with the rows `B` of the equality in world axes, is found
//!    from `X^T x = J^T lambda / h`, `X = B (J_2 - J_1)`, least norm. Elsewhere the right side is what the motion leaves,
//!    `M a + c - tau`, but for what contacts and other rows do, for all of them at once.
//! 3. What acts along a joint that closes a loop, `f`, acts on the bodies as `(S^+)^T f` (see [`crate::constraint::closure`]).
//! 4. With contacts, applied wrenches and cables that is all that acts on links from outside; Newton's and Euler's equations give
//!    what the joints of trees transmit ([`dynamics::joint_reactions`]).
//!
//! All of it is exact under the contact rule, and of order two in the step elsewhere.

use crate::constraint::RowSource;
use crate::constraint::closure::coordinates::Loops;
use crate::constraint::closure::joint::{self, push_rotor};
use crate::constraint::equality::{Configuration, Held, Located, push_equality};
use crate::constraint::kind::{Constraints, Implicit, Level};
use crate::constraint::limit::limit_axis;
use crate::constraint::passage::{Passage, Rates};
use crate::constraint::rows::{RowBlock, Rows};
use crate::dynamics::drive::drive_force;
use crate::dynamics::{self, Data};
use crate::model::{Base, JointKind, LinkId, Mocap, Model, State, TendonId, Transmission, TreeId};
use crate::report::{ContactForce, JointForce, RowForce, RowLaw, Transmitted};
use crate::spatial::Force;
use crate::step::applied_forces::{Commands, ForceMap};
use crate::step::start::StepStart;
use nalgebra::{DMatrix, DVector, Vector3};

/// Singular values below this part of the largest are none.
const SINGULAR: f64 = 1e-10;

/// A step that was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinishedStep<'a> {
    pub(crate) model: &'a Model,
    /// Time step (s).
    pub(crate) h: f64,
    pub(crate) start: &'a StepStart,
    /// At the end; commands are those of the step.
    pub(crate) state: &'a State,
    /// Trees whose forces all act at the beginning.
    pub(crate) contact_rule: &'a [bool],
    /// Their velocities after all impulses, at the poses of the beginning (nv).
    pub(crate) velocity: &'a [f64],
    /// The rows with their impulses.
    pub(crate) solved: [Option<&'a Rows>; 2],
    pub(crate) contacts: &'a [ContactForce],
    pub(crate) rows: &'a [RowForce],
    pub(crate) forces: &'a ForceMap,
    pub(crate) constraints: &'a Constraints,
    /// Anywhere near.
    pub(crate) loops: &'a Loops,
}

impl FinishedStep<'_> {
    fn is_under_contact_rule(&self, tree: TreeId) -> bool {
        self.contact_rule.get(tree.index()).is_some_and(|under| *under)
    }
}

/// The step's kinematics, and the wrenches on links found so far.
struct Motion<'a> {
    step: FinishedStep<'a>,
    data: Data,
    loops: Loops,
    mocap: Vec<Mocap>,
    /// Mean acceleration (nv).
    acceleration: Vec<f64>,
    /// Velocities after the step (nv, then those of loops).
    after: Vec<f64>,
    /// Per link, about its origin, world axes.
    external: Vec<Force>,
    /// The part of it that contacts and cables bring.
    by_rows: Vec<Force>,
}

/// A wrench between two bodies at a point, on the second.
struct Between {
    links: [Option<LinkId>; 2],
    point: Vector3<f64>,
    wrench: Force,
}

/// What joints, connects and welds transmitted, and what drives and tendons pulled with, in the order of the model; nothing if no step
/// was taken.
pub(crate) fn transmitted(step: FinishedStep<'_>) -> Transmitted {
    let Some(mut motion) = Motion::of(step) else { return Transmitted::default() };
    let model = step.model;
    let actuators = (0..model.actuators.len()).map(|i| motion.drive(i)).collect();
    // Forces of tendons are positive where they lengthen them; tensions the other way round.
    let tendons = (0..model.tendons.len()).map(|i| 0.0 - motion.tendon(i)).collect();
    Transmitted { joints: motion.joints(), actuators, tendons }
}

impl<'a> Motion<'a> {
    /// Step 1; `None` if no step was taken.
    fn of(step: FinishedStep<'a>) -> Option<Self> {
        let FinishedStep { model, h, start, state, contact_rule, velocity, .. } = step;
        let (posed_q, posed_v) = start.posed()?;
        let (mut q, mut v) = (posed_q.to_vec(), posed_v.to_vec());
        let mut acceleration = vec![0.0; model.nv()];
        let mut after = state.v.to_vec();
        for tree in TreeId::all(&model.trees) {
            let under_contact_rule = step.is_under_contact_rule(tree);
            let dofs = model.trees[tree].dofs.clone();
            if under_contact_rule {
                after[dofs.clone()].copy_from_slice(&velocity[dofs.clone()]);
            }
            for k in dofs.clone() {
                acceleration[k] = (after[k] - v[k]) / h;
                if !under_contact_rule {
                    v[k] = 0.5 * (v[k] + after[k]);
                }
            }
            if !under_contact_rule {
                dynamics::integrate(model, tree, posed_q, &v, 0.5 * h, &mut q);
            }
        }
        let mut mocap = start.mocap.to_vec();
        if !contact_rule.contains(&true) {
            mocap.iter_mut().for_each(|mocap| mocap.advance(0.5 * h));
        }
        let mut data = Data::new(model);
        dynamics::forward_kinematics_all(model, &mut data, &q, &v);
        let mut loops = step.loops.clone();
        loops.locate(model, &data, Configuration { q: &q, mocap: &mocap });
        loops.set_rates(&v);
        after.resize(model.nv() + model.loop_nv(), 0.0);
        loops.extend_rates(&mut after);
        let external = vec![Force::zero(); model.links.len()];
        Some(Self { step, data, loops, mocap, acceleration, after, external, by_rows: Vec::new() })
    }

    fn joints(&mut self) -> Vec<JointForce> {
        let model = self.step.model;
        self.add_contacts();
        self.add_cables();
        self.by_rows.clone_from(&self.external);
        self.add_applied();
        let equalities = self.equalities();
        for (_, between) in &equalities {
            self.act(between);
        }
        let mut found = self.of_trees();
        let of = |source, index, between: &Between| JointForce {
            source,
            index,
            point: between.point,
            force: between.wrench.linear,
            moment: between.wrench.angular,
        };
        for (joint, contents) in model.loop_joints.iter().enumerate() {
            let closing = equalities.iter().find(|(equality, _)| *equality == contents.equality.index());
            found
                .extend(closing.map(|(_, between)| of(RowSource::Joint, model.links.len() + joint, between)));
        }
        let own = equalities.iter().filter(|(equality, _)| !self.loops.closes(*equality));
        found.extend(own.map(|(equality, between)| of(RowSource::Equality, *equality, between)));
        found
    }

    fn commands(&self) -> Commands<'_> {
        Commands::new(self.step.state, &self.loops, self.step.constraints)
    }

    fn is_under_contact_rule(&self, tree: TreeId) -> bool {
        self.step.is_under_contact_rule(tree)
    }

    /// The step as what acts along lines sees it.
    fn passage(&self, implicit: bool) -> Passage<'_> {
        let (before, after) = (&self.loops.v[..], &self.after[..]);
        let implicit = if implicit { Implicit::All } else { Implicit::Nothing };
        Passage { q: &self.loops.q, v: before, before, after, duration: self.step.h, implicit }
    }

    /// Adds a wrench at a point to what acts on a link.
    fn add(&mut self, link: LinkId, point: &Vector3<f64>, wrench: &Force) {
        let arm = point - self.data.link_pose[link.index()].translation;
        self.external[link.index()] += wrench.about(&arm);
    }

    fn act(&mut self, between: &Between) {
        for (link, sign) in between.links.into_iter().zip([-1.0, 1.0]) {
            if let Some(link) = link {
                self.add(link, &between.point, &(between.wrench * sign));
            }
        }
    }

    fn add_contacts(&mut self) {
        for contact in self.step.contacts {
            let wrench = Force::new(Vector3::zeros(), contact.force);
            self.act(&Between { links: contact.contact.links, point: contact.contact.point, wrench });
        }
    }

    fn add_applied(&mut self) {
        for (body, wrench) in self.step.model.bodies.iter().zip(&self.step.state.external) {
            if let Base::Link(link) = body.base {
                let center = self.data.link_pose[link.index()].point(&body.pose.point(&body.center_of_mass));
                self.add(link, &center, wrench);
            }
        }
    }

    fn add_cables(&mut self) {
        let step = self.step;
        for row in step.rows.iter().filter(|row| row.source == RowSource::Cable) {
            let force = end_sign(row) * row.impulse / step.h;
            for (link, point, pull) in
                step.constraints.cables.pulls(step.model, &self.data, &self.mocap, row.index)
            {
                self.add(link, &point, &Force::new(Vector3::zeros(), pull * force));
            }
        }
    }

    /// Steps 2 and 3: the equalities between bodies with their wrenches.
    fn equalities(&self) -> Vec<(usize, Between)> {
        let model = self.step.model;
        if model.equalities.is_empty() {
            return Vec::new();
        }
        let mut rows = Rows::default();
        let located = Located { loops: &self.loops, mocap: &self.mocap, time: self.step.state.time };
        let ranks = &self.step.constraints.equalities.ranks;
        let mut placed = Vec::new();
        for index in 0..model.equalities.len() {
            let first = rows.blocks.len();
            let level = Level::WHOLE_ERROR;
            push_equality(&mut rows, model, &self.data, located, index, ranks[index], level);
            placed.push(rows.blocks.get(first).copied());
        }
        let along = self.loop_forces();
        let freely = self.free_multipliers(&mut rows, &placed, &along);
        let mut found = Vec::new();
        for (index, block) in placed.iter().enumerate() {
            let Some(Held { links, point, rows: held }) = Held::of(model, &self.data, located, index) else {
                continue;
            };
            let trees = links.into_iter().flatten().map(|link| model.links[link].tree);
            let under_contact_rule = trees.into_iter().any(|tree| self.is_under_contact_rule(tree));
            let multipliers = match block {
                None => Vec::new(),
                Some(block) if under_contact_rule => self.multipliers(&rows, block),
                Some(_) => freely[index].clone(),
            };
            let mut wrench = self.loops.wrench(index, &along);
            for (row, x) in held.iter().zip(&multipliers) {
                wrench += row * *x;
            }
            let wrench = Force::new(wrench.fixed_rows::<3>(0).into(), wrench.fixed_rows::<3>(3).into());
            found.push((index, Between { links, point, wrench }));
        }
        found
    }

    /// Step 2 under the contact rule, for one equality.
    fn multipliers(&self, rows: &Rows, block: &RowBlock) -> Vec<f64> {
        let model = self.step.model;
        let mut right = vec![0.0; model.nv()];
        for solved in self.step.solved.into_iter().flatten() {
            for of_step in solved.blocks.iter().filter(|of_step| of_step.key == block.key) {
                let impulses = &solved.impulse[of_step.row..of_step.row + of_step.count];
                solved.add_transposed(model, of_step, impulses, 1.0 / self.step.h, &mut right);
            }
        }
        let columns: Vec<Vec<f64>> = columns(model, rows, block).collect();
        least_norm(&columns, &right)
    }

    /// Step 2 of the trees under the free rule: multipliers of each equality. `rows` has all equalities; rotors in loops are added.
    fn free_multipliers(&self, rows: &mut Rows, placed: &[Option<RowBlock>], along: &[f64]) -> Vec<Vec<f64>> {
        let (model, step) = (self.step.model, self.step);
        let free = |tree: TreeId| !self.is_under_contact_rule(tree);
        let mut right = vec![0.0; model.nv()];
        let mut tau = vec![0.0; model.nv()];
        let mut data = self.data.clone();
        for tree in TreeId::all(&model.trees).filter(|&tree| free(tree)) {
            let commands = self.commands();
            dynamics::inverse_dynamics(model, &mut data, tree, &self.acceleration, &mut right);
            step.forces.smooth_forces(
                model,
                &self.data,
                tree,
                &commands,
                &self.loops.q,
                &self.loops.v,
                &mut tau,
            );
            for k in model.trees[tree].dofs.clone() {
                right[k] -= tau[k];
            }
        }
        self.take_off_rows(&data, along, &mut right);
        let zeros = vec![0.0; model.nv()];
        let rotors = rows.blocks.len();
        for (joint, contents) in model.loop_joints.iter().enumerate() {
            if contents.armature > 0.0 {
                push_rotor(rows, model, &self.loops, joint, Some(&zeros));
            }
        }
        let is_free = |block: &RowBlock| rows.pieces(block).iter().all(|piece| free(piece.tree));
        let mut all = Vec::new();
        let mut places = vec![0..0; placed.len()];
        for (block, place) in placed.iter().zip(&mut places) {
            let first = all.len();
            if let Some(block) = block.as_ref().filter(|block| is_free(block)) {
                all.extend(columns(model, rows, block));
            }
            *place = first..all.len();
        }
        for block in rows.blocks[rotors..].iter().filter(|block| is_free(block)) {
            all.extend(columns(model, rows, block));
        }
        let found = least_norm(&all, &right);
        places.into_iter().map(|place| found[place].to_vec()).collect()
    }

    /// Takes the generalized forces of contacts and of rows that are no equalities off `right` (nv).
    fn take_off_rows(&self, data: &Data, along: &[f64], right: &mut [f64]) {
        let (model, step) = (self.step.model, self.step);
        let mut taken = vec![0.0; model.nv()];
        for (link, wrench) in self.by_rows.iter().enumerate() {
            dynamics::add_wrench(model, data, LinkId::new(link), wrench, &mut taken);
        }
        for row in step.rows.iter().filter(|row| row.law != RowLaw::Equality) {
            let force = row.impulse / step.h;
            match row.source {
                RowSource::Joint if row.index < model.links.len() => {
                    let link = &model.links[LinkId::new(row.index)];
                    let axis = match row.law {
                        RowLaw::Limit => limit_axis(link, &self.loops.q[link.q..], row.number),
                        _ => std::array::from_fn(|k| f64::from(u8::from(k == row.number))),
                    };
                    for (k, axis) in (0..link.kind.nv()).zip(axis) {
                        taken[link.v + k] += axis * force;
                    }
                }
                RowSource::Tendon => {
                    let terms = model.tendons[TendonId::new(row.index)].path.terms.iter();
                    let own = terms.filter(|term| term.dof < model.nv());
                    own.for_each(|term| taken[term.dof] += end_sign(row) * term.coefficient * force);
                }
                _ => {}
            }
        }
        // What acts in loops beyond what their springs and drives do, which the smooth forces have.
        let mut of_loops = vec![0.0; model.loop_nv()];
        for (joint, contents) in model.loop_joints.iter().enumerate() {
            let known = step.constraints.loop_joints.force(model, &self.loops, joint, &step.state.ctrl);
            for (dof, known) in contents.dofs().zip(known) {
                of_loops[dof - model.nv()] = along[dof - model.nv()] - known;
            }
        }
        for (tendon, contents) in model.tendons.iter().enumerate() {
            let tendons = &step.constraints.tendons;
            let known = tendons.force(model, &self.loops, &step.state.ctrl, TendonId::new(tendon));
            for term in contents.path.terms.iter().filter(|term| term.dof >= model.nv()) {
                of_loops[term.dof - model.nv()] -= term.coefficient * known;
            }
        }
        for (k, force) in of_loops.iter().enumerate().filter(|(_, force)| **force != 0.0) {
            for (dof, c) in self.loops.expand(std::iter::once((model.nv() + k, *force))) {
                taken[dof] += c;
            }
        }
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            if !self.is_under_contact_rule(tree) {
                contents.dofs.clone().for_each(|k| right[k] -= taken[k]);
            }
        }
    }

    /// Step 3: the force along each velocity of loops.
    fn loop_forces(&self) -> Vec<f64> {
        let (model, step) = (self.step.model, self.step);
        let mut along = vec![0.0; model.loop_nv()];
        let joints = &step.constraints.loop_joints;
        for (joint, contents) in model.loop_joints.iter().enumerate() {
            let forces = joints.force(model, &self.loops, joint, &step.state.ctrl);
            for (dof, force) in contents.dofs().zip(forces) {
                along[dof - model.nv()] += force;
            }
        }
        for row in step.rows.iter().filter(|row| row.source == RowSource::Joint) {
            let Some(joint) = row.index.checked_sub(model.links.len()) else { continue };
            let contents = &model.loop_joints[joint];
            let axis = match row.law {
                RowLaw::Limit => joint::limit_axis(contents, &self.loops, row.number),
                _ => std::array::from_fn(|k| f64::from(u8::from(k == row.number))),
            };
            for (dof, axis) in contents.dofs().zip(axis) {
                along[dof - model.nv()] += axis * row.impulse / step.h;
            }
        }
        for (tendon, contents) in model.tendons.iter().enumerate() {
            let mut terms = contents.path.terms.iter().filter(|term| term.dof >= model.nv()).peekable();
            if terms.peek().is_some() {
                let force = self.tendon(tendon);
                terms.for_each(|term| along[term.dof - model.nv()] += term.coefficient * force);
            }
        }
        along
    }

    /// What lengthens a tendon.
    fn tendon(&self, index: usize) -> f64 {
        let step = self.step;
        // What the implicit rule adds is a row.
        let tendons = &step.constraints.tendons;
        let force = tendons.force(step.model, &self.loops, &step.state.ctrl, TendonId::new(index));
        let rows = step.rows.iter().filter(|row| row.source == RowSource::Tendon && row.index == index);
        force + rows.map(|row| end_sign(row) * row.impulse / step.h).sum::<f64>()
    }

    /// The force of a drive, before the gear.
    fn drive(&self, index: usize) -> f64 {
        let model = self.step.model;
        let (actuator, control) = (&model.actuators[index], self.step.state.ctrl[index]);
        let gear = actuator.gear[0];
        if gear == 0.0 {
            return drive_force(actuator, control, 0.0, 0.0).0;
        }
        let (passage, rates) = self.passage_along(actuator.transmission);
        let drives = &self.step.constraints.limited_drives;
        drives.impulse(model, index, control, &passage, (&rates, 0)) / (gear * self.step.h)
    }

    /// The step of the trees of what a drive acts on, by their rule, and how fast that moves.
    fn passage_along(&self, transmission: Transmission) -> (Passage<'_>, Rates) {
        let model = self.step.model;
        let implicit = |link: LinkId| self.is_under_contact_rule(model.links[link].tree);
        match transmission {
            Transmission::Joint(link) => {
                let lone_body = model.trees[model.links[link].tree].lone_body;
                let passage = self.passage(implicit(link) && !lone_body);
                (passage, passage.along(|v| v[model.links[link].v]))
            }
            Transmission::Tendon(tendon) => {
                let path = &model.tendons[tendon].path;
                let implicit = path.terms.iter().any(|term| implicit(term.link));
                let passage = self.passage(implicit);
                (passage, passage.along(|v| path.rate(v)))
            }
            Transmission::Loop(joint) => {
                let contents = &model.loop_joints[joint];
                let implicit = contents.links.into_iter().flatten().any(implicit);
                let passage = self.passage(implicit);
                (passage, passage.along(|v| v[contents.v]))
            }
        }
    }

    /// Step 4.
    fn of_trees(&mut self) -> Vec<JointForce> {
        let model = self.step.model;
        let mut transmitted = vec![Force::zero(); model.links.len()];
        for tree in TreeId::all(&model.trees) {
            let (acceleration, external) = (&self.acceleration, &self.external);
            dynamics::joint_reactions(model, &mut self.data, tree, acceleration, external, &mut transmitted);
        }
        let joints = transmitted.iter().enumerate();
        let joints = joints.filter(|(link, _)| model.links[LinkId::new(*link)].kind != JointKind::Free);
        joints
            .map(|(index, wrench)| JointForce {
                source: RowSource::Joint,
                index,
                point: self.data.link_pose[index].translation,
                force: wrench.linear,
                moment: wrench.angular,
            })
            .collect()
    }
}

/// Which way the impulse of a row acts along its tendon or cable.
fn end_sign(row: &RowForce) -> f64 {
    if row.law == RowLaw::Limit && row.number == 1 { -1.0 } else { 1.0 }
}

/// The generalized forces of unit impulses along the rows of a block.
fn columns<'a>(model: &'a Model, rows: &'a Rows, block: &'a RowBlock) -> impl Iterator<Item = Vec<f64>> + 'a {
    (0..block.count).map(move |row| {
        let mut column = vec![0.0; model.nv()];
        let unit: [f64; 6] = std::array::from_fn(|k| f64::from(u8::from(k == row)));
        rows.add_transposed(model, block, &unit[..block.count], 1.0, &mut column);
        column
    })
}

/// The least-norm `x` of those that bring `sum x_k column_k` nearest to `right`; zero where it is not finite.
fn least_norm(columns: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let matrix = DMatrix::from_fn(right.len(), columns.len(), |i, k| columns[k][i]);
    if matrix.is_empty() || !matrix.iter().chain(right).all(|x| x.is_finite()) {
        return vec![0.0; columns.len()];
    }
    let singular = matrix.svd(true, true);
    let threshold = SINGULAR * singular.singular_values.max();
    let solved = singular.solve(&DVector::from_column_slice(right), threshold);
    solved.map_or_else(|_| vec![0.0; columns.len()], |x| x.as_slice().to_vec())
}
