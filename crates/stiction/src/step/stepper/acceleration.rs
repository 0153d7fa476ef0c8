//! Contact at the level of forces and accelerations, integrated by the classic Runge-Kutta rule while contacts persist.
//!
//! # Problem
//! With the normal rows `N` of the touching contacts and the viscous operator `R`,
//!
//! ```text
//! M a = tau - c - R v + N^T f,   0 <= f  perp  N a + dN/dt v >= 0
//! ```
//!
//! (Drumwright 2015, section IV, eq. 29-42 with the sign of `R v` put right); dry friction adds to it (section III-B, and
//! Baraff 1994; see [`crate::contact::ContactForces`]).
//!
//! # Method
//! 1. The contacts that touch and do not part at the beginning of the step are its contacts.
//! 2. What approaches there is stopped: an inelastic impact along the normals. (The viscous impulse of an impact is zero.)
//! 3. Four stages. In each, the contacts are found again, and `dN/dt v` is the difference of `N v` along the velocity,
//!    which also holds for curved surfaces.
//! 4. A set of trees is handed back to time stepping for this step when something happens in it that has no order: a contact
//!    with dry friction hits, a new one closes, one is lost, sliding reverses, or there are no forces at all
//!    (Painleve's paradox), which the report counts as inconsistent.
//!
//! # References
//! - E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models* (2015), sections III-B and IV.
//! - D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994.

use crate::constraint::islands::{Islands, RowProblem, root};
use crate::constraint::kind::{Constraints, Level};
use crate::constraint::passage::Passage;
use crate::constraint::rows::{RowKind, Rows};
use crate::contact::detection::ContactFinder;
use crate::contact::{Contact, ContactForces, Formulation, IslandReport, Memory, Outcome};
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data, RungeKuttaStage};
use crate::model::{Law, Mocap, Model, State, TreeId};
use crate::report::certificate::{BlockOutcome, row_values};
use crate::report::{StepReport, Work};
use crate::settings::{Settings, SettingsError, Stepper};
use crate::step::applied_forces::{Commands, ForceMap};
use crate::step::contact_problem::ContactProblem;
use crate::step::integrator_choice::IntegratorChoice;
use crate::step::stepper::carried::{Carried, SmoothPart, StageForce};
use crate::step::stepper::event_driven;
use crate::step::stepper::event_driven::Events;
use crate::step::system::System;
use nalgebra::Vector3;
use stiction_solvers::{FrictionLaw, Status};

/// Gap of a contact that persists (m): above what the rule's error adds up to, below what anyone sees.
pub(crate) const PERSISTING: f64 = 1e-7;

/// Normal speed (m/s) of a contact that neither hits nor parts: a hundred thousandth of what gravity gives in a millisecond.
pub(crate) const RESTING: f64 = 1e-7;

/// Normal speed (m/s) that is round-off.
const ROUND_OFF: f64 = 1e-13;

/// Length (m or rad) of the difference along the velocity; its own error and that of round-off are both about 1e-11.
const DIFFERENCE: f64 = 1e-5;

/// A contact that persists in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Persistent {
    /// As it is at the beginning, with the law that holds.
    pub(crate) contact: Contact,
    /// A tree it touches.
    pub(crate) tree: TreeId,
    /// World axes: the sliding velocity at the beginning (m/s).
    slip: Vector3<f64>,
    /// In the stage: where it is, and in its frame the velocity (m/s) and its rate at zero generalized acceleration.
    now: Option<Contact>,
    velocity: Vector3<f64>,
    rate: Vector3<f64>,
    /// What it carries in the motion at work.
    part: SmoothPart,
}

impl Persistent {
    pub(crate) fn new(contact: Contact, tree: TreeId, velocity: Vector3<f64>) -> Self {
        let slip = contact.frame * Vector3::new(0.0, velocity.y, velocity.z);
        Self {
            contact,
            tree,
            slip,
            now: Some(contact),
            velocity,
            rate: Vector3::zeros(),
            part: SmoothPart::default(),
        }
    }

    /// Whether it hits at the beginning of the motion.
    fn hits(&self) -> bool {
        self.velocity.x < -RESTING
    }
}

/// A stage in a smooth motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// When the motion begins, counted from the step's beginning, and how long it lasts (s).
    pub(crate) begin: f64,
    pub(crate) duration: f64,
    pub(crate) stage: RungeKuttaStage,
    /// Time step (s).
    pub(crate) timestep: f64,
}

impl Moment {
    /// Counted from the step's beginning (s).
    fn time(&self) -> f64 {
        self.begin + self.stage.fraction * self.duration
    }

    /// Time for which it counts (s).
    fn share(&self) -> f64 {
        self.duration * self.stage.sixths / 6.0
    }
}

/// The workspace of the acceleration stepper.
#[derive(Debug)]
pub(crate) struct AccelerationLevel {
    replacement: Option<Law>,
    solver: ContactForces,
    pub(crate) finder: ContactFinder,
    /// What the event-driven stepper works with besides, if it is asked for.
    pub(crate) events: Option<Events>,
    /// Only the prescribed motions of a stage are used.
    pub(crate) stage: State,
    pub(crate) contacts: Vec<Persistent>,
    /// The trees of sets that qualify; the copy is for who changes the rest meanwhile.
    pub(crate) trees: Vec<TreeId>,
    moving: Vec<TreeId>,
    /// Root of the set of each tree, and whether that set is handed back to time stepping.
    pub(crate) set: Vec<usize>,
    pub(crate) lost: Vec<bool>,
    pub(crate) inconsistent: Vec<bool>,
    sustained: Vec<bool>,
    pub(crate) rows: Rows,
    islands: Islands,
    free: Vec<f64>,
    before: Vec<f64>,
    memory: Vec<Memory>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    shifted: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    pub(crate) zeros: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    after: Vec<f64>,
    /// What forces other than those of contacts have done in the motion at work, per set.
    works: Vec<Work>,
    /// What contacts have carried in the step.
    pub(crate) carried: Carried,
    /// How the islands of the first stage were solved, each with a tree of its set.
    pub(crate) reports: Vec<(TreeId, IslandReport)>,
}

impl AccelerationLevel {
    /// The workspace if the settings ask for it.
    ///
    /// # Errors
    /// The model or the settings have something that this stepper does not do.
    pub(crate) fn of(
        model: &Model,
        settings: &Settings,
        constraints: &Constraints,
    ) -> Result<Option<Box<Self>>, SettingsError> {
        let stepper = settings.stepper;
        if stepper == Stepper::TimeStepping {
            return Ok(None);
        }
        let refuse = |what: String| Err(SettingsError::Stepper { stepper: stepper.name(), what });
        let replacement = match &settings.formulation {
            Formulation::ExactCone(cone) if cone.law == FrictionLaw::Coulomb && cone.compliance == 0.0 => {
                cone.replacement
            }
            Formulation::ExactCone(cone) if cone.compliance > 0.0 => {
                return refuse(format!("compliance ({} 1/kg)", cone.compliance));
            }
            other => return refuse(format!("contact model '{}'", other.name())),
        };
        if let (None, Some(law)) = (replacement, model.laws().find(|law| *law == Law::NoSlip)) {
            // Sliding with infinite friction is possible at this level (Lynch and Mason 1995).
            return refuse(format!("the law '{law}'"));
        }
        let bounces = settings.restitution.map_or(model.has_restitution(), |restitution| restitution > 0.0);
        if stepper == Stepper::Acceleration && bounces {
            return refuse("restitution".into());
        }
        if let Some(what) = constraints.first_unsupported(model, Level::Acceleration) {
            return refuse(what);
        }
        let zeros = || vec![0.0; model.nv()];
        let no = || vec![false; model.trees.len()];
        Ok(Some(Box::new(Self {
            replacement,
            solver: ContactForces::default(),
            finder: ContactFinder::new(model, settings.restitution),
            events: (stepper == Stepper::EventDriven).then(|| Events::new(model)),
            stage: State::new(model),
            contacts: Vec::new(),
            trees: Vec::new(),
            moving: Vec::new(),
            set: Vec::new(),
            lost: no(),
            inconsistent: no(),
            sustained: no(),
            rows: Rows::default(),
            islands: Islands::default(),
            free: Vec::new(),
            before: Vec::new(),
            memory: Vec::new(),
            q: model.q0.clone(),
            v: zeros(),
            shifted: model.q0.clone(),
            tau: zeros(),
            bias: zeros(),
            zeros: zeros(),
            scratch: zeros(),
            after: Vec::new(),
            works: vec![Work::default(); model.trees.len()],
            carried: Carried::default(),
            reports: Vec::new(),
        })))
    }

    /// Whether a tree is moved by this stepper in the present step.
    pub(crate) fn sustains(&self, tree: TreeId) -> bool {
        self.sustained[tree.index()]
    }

    /// Hands the set of a tree back to time stepping.
    fn hand_back(&mut self, tree: TreeId) {
        self.lost[self.set[tree.index()]] = true;
    }

    /// The law that holds at a contact.
    pub(crate) fn law(&self, contact: &Contact) -> Law {
        match contact.law {
            Law::Frictionless => Law::Frictionless,
            law => self.replacement.unwrap_or(law),
        }
    }

    /// Step 1; marks the sets that do not qualify.
    fn choose_contacts(&mut self, model: &Model, data: &Data, contacts: &[Contact], contact_rule: &[bool]) {
        self.contacts.clear();
        for contact in contacts {
            let Some(tree) = moving_tree(model, contact).filter(|tree| contact_rule[tree.index()]) else {
                continue;
            };
            let velocity = relative_velocity(data, contact);
            let law = self.law(contact);
            if contact.gap > PERSISTING || velocity.x > RESTING {
                continue;
            }
            if velocity.x < -RESTING && law.mu() > 0.0 {
                self.hand_back(tree);
            }
            self.contacts.push(Persistent::new(Contact { law, ..*contact }, tree, velocity));
        }
    }

    /// Finds all contacts where `data` has the bodies now, at a time after the beginning.
    pub(crate) fn find(&mut self, model: &Model, data: &Data, start: &[Mocap], time: f64) {
        self.stage.mocap.copy_from_slice(start);
        self.stage.mocap.iter_mut().for_each(|mocap| mocap.advance(time));
        self.finder.find(model, data, &self.stage, 0.0);
    }

    /// Finds the step's contacts again where `data` has the bodies now, at a time after the beginning, and hands each
    /// with its velocity to `see`.
    fn find_again(
        &mut self,
        model: &Model,
        data: &Data,
        start: &[Mocap],
        time: f64,
        mut see: impl FnMut(&mut Persistent, Option<(Contact, Vector3<f64>)>),
    ) {
        self.find(model, data, start, time);
        let found = &self.finder.contacts;
        for persistent in &mut self.contacts {
            let place = found.binary_search_by_key(&persistent.contact.key, |c| c.key).ok();
            let law = persistent.contact.law;
            see(persistent, place.map(|i| (Contact { law, ..found[i] }, relative_velocity(data, &found[i]))));
        }
    }

    /// The contacts of a stage with velocities and rates; `data` ends with the kinematics at `(q, v)`.
    fn locate_stage(
        &mut self,
        model: &Model,
        data: &mut Data,
        start: &[Mocap],
        time: f64,
        q: &[f64],
        v: &[f64],
    ) {
        if self.contacts.is_empty() {
            return;
        }
        // Of the trees that are moved: the others' numbers are those of some earlier stage.
        let moved = self.trees.iter().flat_map(|&tree| &v[model.trees[tree].dofs.clone()]);
        let fastest = moved.fold(1.0, |fastest: f64, v| fastest.max(v.abs()));
        let step = DIFFERENCE / fastest;
        for shift in [-step, step] {
            self.move_to(model, data, q, v, shift);
            self.find_again(model, data, start, time + shift, |persistent, seen| match seen {
                Some((_, velocity)) if shift < 0.0 => persistent.rate = -velocity,
                Some((_, velocity)) => persistent.rate += velocity,
                None => persistent.rate.fill(f64::NAN),
            });
        }
        self.move_to(model, data, q, v, 0.0);
        self.find_again(model, data, start, time, |persistent, seen| {
            persistent.rate /= 2.0 * step;
            persistent.now = seen.filter(|_| persistent.rate.iter().all(|r| r.is_finite())).map(|(c, _)| c);
            persistent.velocity = seen.map_or(Vector3::zeros(), |(_, velocity)| velocity);
        });
        self.check_lost_contacts();
    }

    /// Kinematics of all trees at `(q, v)` moved on by `shift` seconds at the velocity `v`.
    pub(crate) fn move_to(&mut self, model: &Model, data: &mut Data, q: &[f64], v: &[f64], shift: f64) {
        for &tree in &self.trees {
            let coords = model.trees[tree].coords.clone();
            self.shifted[coords.clone()].copy_from_slice(&q[coords]);
            if shift != 0.0 {
                dynamics::integrate(model, tree, q, v, shift, &mut self.shifted);
            }
            dynamics::forward_kinematics(model, data, tree, &self.shifted, v);
        }
    }

    /// Gives up the sets with a contact that was lost or whose sliding has reversed.
    fn check_lost_contacts(&mut self) {
        for persistent in &self.contacts {
            let reversed = persistent.contact.law.mu() > 0.0
                && persistent.slip.norm() > ContactForces::SLIDING
                && persistent.now.is_some_and(|now| {
                    let sliding = Vector3::new(0.0, persistent.velocity.y, persistent.velocity.z);
                    (now.frame * sliding).dot(&persistent.slip) <= 0.0
                });
            if persistent.now.is_none() || reversed {
                self.lost[self.set[persistent.tree.index()]] = true;
            }
        }
    }

    /// Solves the present rows for impulses or forces and adds `M^-1 J^T f` to `x`; the factors are those of `M` alone.
    fn solve(&mut self, model: &Model, data: &mut Data, timestep: f64, first: bool, x: &mut [f64]) {
        self.rows.sort();
        self.rows.half_solve(model, data);
        self.rows.velocities(model, x, &mut self.free);
        self.islands.partition.group(model, &self.rows);
        self.memory.clear();
        self.memory.resize(self.rows.blocks.len(), Memory::default());
        if first {
            self.reports.clear();
        }
        let Self { rows, free, before, memory, .. } = self;
        let mut problem = RowProblem { model, rows, free, before, memory, timestep };
        for island in 0..self.islands.partition.count() {
            let solved = self.islands.solve(island, &mut problem, &mut self.solver);
            let tree = self.islands.tree(island, problem.rows);
            let Some((tree, solved)) = tree.zip(solved) else { continue };
            self.carried.add_residual(self.set[tree.index()], solved.solver.residual.natural_map);
            if first {
                self.reports.push((tree, solved));
            }
        }
        for (block, memory) in self.rows.blocks.iter().zip(&self.memory) {
            let Some(piece) = self.rows.pieces(block).first() else { continue };
            let set = self.set[piece.tree.index()];
            self.lost[set] |= Outcome::of(memory) != Outcome::Solved;
            self.inconsistent[set] |= Outcome::of(memory) == Outcome::Inconsistent;
        }
        self.rows.apply_impulses(model, data, &mut self.scratch, x);
    }

    /// Step 2: `v` is changed as little as possible, in the metric of kinetic energy, so that no contact approaches.
    pub(crate) fn stop_approach(&mut self, model: &Model, data: &mut Data, h: f64, v: &mut [f64]) {
        if self.contacts.iter().all(|persistent| persistent.velocity.x >= -ROUND_OFF) {
            return;
        }
        self.rows.clear();
        self.before.clear();
        for (i, persistent) in self.contacts.iter().enumerate() {
            if !self.lost[self.set[persistent.tree.index()]] {
                self.rows.push_normal(model, data, i, &persistent.contact);
            }
        }
        self.solve(model, data, 0.0, false, v);
        self.note_stop(model, h, v);
    }

    /// Notes the impulses that have stopped what approached: impacts in a set in which something has hit, else corrections.
    fn note_stop(&mut self, model: &Model, h: f64, v: &[f64]) {
        self.rows.velocities(model, v, &mut self.after);
        let hits = self.contacts.iter().any(|persistent| persistent.hits());
        for block in &self.rows.blocks {
            let (RowKind::Unilateral(kind), Some(i)) = (block.kind, block.contact) else { continue };
            let persistent = &self.contacts[i];
            let set = self.set[persistent.tree.index()];
            let outcome = BlockOutcome::of(block, kind, &self.rows.impulse, &self.after, [&self.free; 2]);
            let of_set = |other: &Persistent| self.set[other.tree.index()] == set;
            if hits && self.contacts.iter().any(|other| other.hits() && of_set(other)) {
                let contact = Contact { law: Law::Frictionless, ..persistent.contact };
                self.carried.add_impact(set, contact, &outcome, h);
            } else {
                self.carried.add_correction(set, persistent.contact, &outcome, h);
            }
        }
    }

    /// Step 3: accelerations of one stage.
    #[allow(clippy::too_many_arguments, reason = "what a stage of the rule depends on")]
    pub(crate) fn accelerate(
        &mut self,
        model: &Model,
        data: &mut Data,
        map: &ForceMap,
        commands: &Commands<'_>,
        start: &[Mocap],
        now: Moment,
        q: &[f64],
        v: &[f64],
        out: &mut [f64],
    ) -> Result<(), AlgorithmError> {
        let (time, timestep) = (now.time(), now.timestep);
        self.locate_stage(model, data, start, time, q, v);
        let passage = Passage::instant(q, v, now.share());
        if now.stage.fraction == 0.0 {
            self.trees.iter().for_each(|tree| self.works[self.set[tree.index()]] = Work::default());
        }
        for i in 0..self.trees.len() {
            let tree = self.trees[i];
            let done = map.work(model, data, tree, commands, &passage, &mut self.tau);
            self.works[self.set[tree.index()]] += done;
            map.smooth_forces(model, data, tree, commands, q, v, &mut self.tau);
            dynamics::factorize_by_size(model, data, tree, &self.zeros)?;
            dynamics::bias_forces(model, data, tree, &mut self.bias);
            for k in model.trees[tree].dofs.clone() {
                out[k] = self.tau[k] - self.bias[k];
            }
            dynamics::solve(model, data, tree, out);
        }
        self.rows.clear();
        self.before.clear();
        for (i, persistent) in self.contacts.iter().enumerate() {
            let Some(now) = persistent.now.filter(|_| !self.lost[self.set[persistent.tree.index()]]) else {
                continue;
            };
            self.rows.push_contact_accelerations(model, data, i, &now, &persistent.rate);
            self.before.extend_from_slice(&persistent.velocity.as_slice()[..now.law.rows()]);
        }
        self.solve(model, data, timestep, time == 0.0, out);
        self.note_stage(now);
        Ok(())
    }

    /// Notes the forces of a stage.
    fn note_stage(&mut self, now: Moment) {
        for block in &self.rows.blocks {
            let Some(persistent) = block.contact.map(|i| &mut self.contacts[i]) else { continue };
            let Some(contact) = persistent.now else { continue };
            let force = row_values(block, &self.rows.impulse);
            let mut velocity = persistent.velocity;
            if contact.law == Law::Frictionless {
                (velocity.y, velocity.z) = (0.0, 0.0);
            }
            let stage = StageForce { contact, force, velocity, share: now.share() };
            persistent.part.add_stage(&stage, now.stage.fraction == 0.0, now.timestep);
        }
    }

    /// Takes the motion that has just ended, where `data` and the finder have the contacts.
    pub(crate) fn take_motion(&mut self, data: &Data, h: f64) {
        for persistent in &mut self.contacts {
            let found = &self.finder.contacts;
            if let Ok(place) = found.binary_search_by_key(&persistent.contact.key, |contact| contact.key) {
                persistent.part.end(relative_velocity(data, &found[place]).x, h);
            }
            self.carried.add_motion(self.set[persistent.tree.index()], &persistent.part, h);
        }
        for tree in &self.trees {
            let set = self.set[tree.index()];
            self.carried.add_work(set, std::mem::take(&mut self.works[set]));
        }
    }

    /// Step 4, at the end: whether a contact that is not one of the step's has closed.
    fn check_new_contacts(&mut self, model: &Model) {
        for contact in &self.finder.contacts {
            let Some(tree) = moving_tree(model, contact) else { continue };
            let known = self.contacts.binary_search_by_key(&contact.key, |p| p.contact.key).is_ok();
            if contact.gap < -PERSISTING && !known {
                self.lost[self.set[tree.index()]] = true;
            }
        }
    }
}

impl AccelerationLevel {
    /// The new state of the trees that this stepper has moved.
    pub(crate) fn write_state(&self, model: &Model, state: &mut State) {
        for (_, contents) in model.trees.iter().enumerate().filter(|(tree, _)| self.sustained[*tree]) {
            let (coords, dofs) = (contents.coords.clone(), contents.dofs.clone());
            state.q[coords.clone()].copy_from_slice(&self.q[coords]);
            state.v[dofs.clone()].copy_from_slice(&self.v[dofs]);
        }
    }

    /// What contacts have carried in the sets that this stepper has moved.
    pub(crate) fn carried(&self) -> &Carried {
        &self.carried
    }

    /// Forgets the last step; takes the sets of trees that may touch.
    fn begin(&mut self, trees: usize, sets: &mut [usize]) {
        self.sustained.fill(false);
        self.lost.fill(false);
        self.inconsistent.fill(false);
        self.reports.clear();
        self.set.clear();
        self.set.extend((0..trees).map(|tree| root(sets, tree)));
        let room = if self.events.is_some() { event_driven::MAX_IMPACTS } else { 0 };
        self.carried.begin(trees, room);
    }
}

/// Moves every set of trees whose contacts persist, in the workspace, and takes it from the contact rule; `added` is what the
/// implicit rule adds to the mass matrices of the others.
///
/// # Errors
/// A mass matrix that is not positive definite.
pub(crate) fn sustain_contacts(
    level: &mut AccelerationLevel,
    system: &mut System<'_>,
    choice: &mut IntegratorChoice,
    added: &[f64],
    problem: &mut ContactProblem,
    report: &mut StepReport,
) -> Result<(), AlgorithmError> {
    let model = system.model;
    level.begin(model.trees.len(), &mut choice.sets);
    for tree in TreeId::all(&model.trees) {
        if choice.contact_rule[tree.index()] && choice.is_stiff(tree) {
            level.hand_back(tree);
        }
    }
    if level.events.is_none() {
        let contacts = &system.constraints.contacts.finder.contacts;
        level.choose_contacts(model, system.data, contacts, &choice.contact_rule);
    }
    level.trees.clear();
    for tree in TreeId::all(&model.trees) {
        if choice.contact_rule[tree.index()] && !level.lost[level.set[tree.index()]] {
            level.trees.push(tree);
        }
    }
    if level.trees.is_empty() {
        return Ok(());
    }
    let mut moving = std::mem::take(&mut level.moving);
    moving.clone_from(&level.trees);
    let moved = match level.events.take() {
        None => move_together(level, system, &moving),
        Some(mut events) => {
            let moved = event_driven::follow_events(level, &mut events, system, problem, &moving);
            level.events = Some(events);
            moved
        }
    };
    level.trees.clone_from(&moving);
    level.moving = moving;
    moved?;
    accept(level, system, choice, added, report)
}

/// Steps 2 to 4 for all trees of sets that qualify.
fn move_together(
    level: &mut AccelerationLevel,
    system: &mut System<'_>,
    trees: &[TreeId],
) -> Result<(), AlgorithmError> {
    let System { model, h, forces, state, data, closures, constraints, .. } = system;
    let (model, h, start) = (*model, *h, &state.mocap);
    for &tree in trees {
        dynamics::factorize_by_size(model, data, tree, &level.zeros)?;
    }
    let (mut q, mut v) = (std::mem::take(&mut level.q), std::mem::take(&mut level.v));
    q.copy_from_slice(&state.q);
    v.copy_from_slice(&state.v);
    level.stop_approach(model, data, h, &mut v);
    let commands = Commands::new(state, &closures.loops, constraints);
    let moved = dynamics::coupled_runge_kutta_step(
        model,
        data,
        trees,
        h,
        &mut q,
        &mut v,
        &mut |data, stage, q, v, out| {
            let now = Moment { begin: 0.0, duration: h, stage, timestep: h };
            level.accelerate(model, data, forces, &commands, start, now, q, v, out)
        },
    );
    if moved.is_ok() {
        level.move_to(model, data, &q, &v, 0.0);
        level.find_again(model, data, start, h, |persistent, seen| {
            persistent.now = seen.map(|(contact, _)| contact);
            persistent.velocity = seen.map_or(Vector3::zeros(), |(_, velocity)| velocity);
        });
        level.check_lost_contacts();
        level.check_new_contacts(model);
        level.take_motion(data, h);
    }
    (level.q, level.v) = (q, v);
    moved
}

/// Takes the sets that came through from the contact rule, and makes the others ready for it again.
fn accept(
    level: &mut AccelerationLevel,
    system: &mut System<'_>,
    choice: &mut IntegratorChoice,
    added: &[f64],
    report: &mut StepReport,
) -> Result<(), AlgorithmError> {
    let System { model, state, data, .. } = system;
    for &tree in &level.trees {
        dynamics::forward_kinematics(model, data, tree, &state.q, &state.v);
        if level.lost[level.set[tree.index()]] {
            dynamics::factorize_by_size(model, data, tree, added)?;
        } else {
            level.sustained[tree.index()] = true;
            choice.contact_rule[tree.index()] = false;
        }
    }
    level.carried.accept(&level.lost);
    for (tree, solved) in &level.reports {
        if level.sustained[tree.index()] {
            report.add_island(solved);
        }
    }
    let inconsistent = level.inconsistent.iter().filter(|inconsistent| **inconsistent).count();
    if inconsistent > 0 {
        report.inconsistent += inconsistent;
        report.unsolved += inconsistent;
        report.status = Status::Ray;
    }
    Ok(())
}

/// A tree that a contact touches.
pub(crate) fn moving_tree(model: &Model, contact: &Contact) -> Option<TreeId> {
    contact.links.into_iter().flatten().map(|link| model.links[link].tree).next()
}

/// Velocity of the second body against the first where they touch, drift included, in the contact frame (m/s).
pub(crate) fn relative_velocity(data: &Data, contact: &Contact) -> Vector3<f64> {
    let mut velocity = Vector3::zeros();
    for (link, sign) in contact.links.iter().zip([-1.0, 1.0]) {
        if let Some(link) = *link {
            let arm = contact.point - data.link_pose[link.index()].translation;
            velocity += sign * data.link_velocity[link.index()].at(&arm).linear;
        }
    }
    contact.frame.tr_mul(&velocity) + contact.drift
}
