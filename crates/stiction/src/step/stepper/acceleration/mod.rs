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
//! 4. A set of trees is handed back to impulses at both ends ([`crate::step::rattle`]) for this step when something happens in it that
//!    has no order: a contact with dry friction hits, a new one closes, one is lost, sliding reverses, anything but contacts acts (a limit
//!    that may be reached, an equality), or there are no forces at all (Painleve's paradox). The report counts these sets by reason
//!    ([`crate::report::HandBacks`]).
//!
//! Steps 1 and, at its end, 4 are in `locate` and `accept`, 2 and 3 in `forces`; `persistent` is a contact on its way.
//!
//! # References
//! - E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models* (2015), sections III-B and IV.
//! - D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994.

mod accept;
mod forces;
mod locate;
mod persistent;
mod smooth_motion;

use accept::Energies;
pub(crate) use persistent::{Moment, Persistent};
pub(crate) use smooth_motion::Span;

use crate::constraint::islands::{Islands, root};
use crate::constraint::kind::{Level, TOUCHING};
use crate::constraint::rows::Rows;
use crate::contact::detection::ContactFinder;
use crate::contact::{Contact, ContactForces, Formulation, IslandReport, Memory};
use crate::dynamics;
use crate::dynamics::AlgorithmError;
use crate::model::{Law, Model, State, TreeId};
use crate::report::{HandBack, Work};
use crate::settings::{Settings, SettingsError, Stepper};
use crate::step::contact_problem::ContactProblem;
use crate::step::integrator_choice::{CLOSING, IntegratorChoice};
use crate::step::momentum::Momenta;
use crate::step::stepper::carried::Carried;
use crate::step::stepper::event_driven;
use crate::step::stepper::event_driven::Events;
use crate::step::stepper::passage::Passage;
use crate::step::system::System;
use nalgebra::Vector3;
use stiction_solvers::FrictionLaw;

/// Gap of a contact that persists (m): above what the rule's error adds up to, below what anyone sees.
pub(crate) const PERSISTING: f64 = 1e-7;

/// Normal speed (m/s) of a contact that neither hits nor parts: a hundred thousandth of what gravity gives in a millisecond.
pub(crate) const RESTING: f64 = 1e-7;

/// The workspace of the acceleration stepper.
#[derive(Debug)]
pub(crate) struct AccelerationLevel {
    replacement: Option<Law>,
    solver: ContactForces,
    pub(crate) finder: ContactFinder,
    /// What the event-driven stepper works with besides, if it is asked for; and whether it is.
    pub(crate) events: Option<Events>,
    pub(crate) by_events: bool,
    /// Only the prescribed motions of a stage are used.
    pub(crate) stage: State,
    pub(crate) contacts: Vec<Persistent>,
    /// Contacts that may close in a motion.
    pub(crate) passage: Passage,
    /// The trees of sets that qualify; the copy is for who changes the rest meanwhile.
    pub(crate) trees: Vec<TreeId>,
    moving: Vec<TreeId>,
    /// Root of the set of each tree, and why that set is handed back, if it is.
    pub(crate) set: Vec<usize>,
    pub(crate) lost: Vec<Option<HandBack>>,
    sustained: Vec<bool>,
    /// Per set: how stiff explicit integration of the whole step would be.
    pub(crate) stiffness: Vec<f64>,
    /// Those of the trees in the motion at work.
    momenta: Momenta,
    /// Whether nothing but gravity acts from outside on a set of these.
    isolated: bool,
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
    /// Energies of the sets at both ends.
    energies: Vec<Energies>,
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
    pub(crate) fn of(model: &Model, settings: &Settings) -> Result<Option<Box<Self>>, SettingsError> {
        let stepper = settings.stepper;
        if matches!(stepper, Stepper::TimeStepping | Stepper::Rattle) {
            return Ok(None);
        }
        let refuse = |what: String| Err(SettingsError::Stepper { stepper: stepper.name(), what });
        let mut solver = ContactForces::default();
        let replacement = match &settings.formulation {
            Formulation::ExactCone(cone) if cone.law == FrictionLaw::Coulomb && cone.compliance == 0.0 => {
                cone.replacement
            }
            Formulation::ExactCone(cone) if cone.compliance > 0.0 => {
                return refuse(format!("compliance ({} 1/kg)", cone.compliance));
            }
            Formulation::Viscous(viscous) => {
                solver = match ContactForces::with_solver(&viscous.solver) {
                    Ok(solver) => solver,
                    Err(error) => return refuse(error.to_string()),
                };
                Some(viscous.law())
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
        let zeros = || vec![0.0; model.nv()];
        Ok(Some(Box::new(Self {
            replacement,
            solver,
            finder: ContactFinder::new(
                model,
                settings.restitution,
                settings.timestep.unwrap_or(model.timestep),
            ),
            events: (stepper == Stepper::EventDriven).then(|| Events::new(model)),
            by_events: stepper == Stepper::EventDriven,
            stage: State::new(model),
            contacts: Vec::new(),
            passage: Passage::default(),
            trees: Vec::new(),
            moving: Vec::new(),
            set: Vec::new(),
            lost: vec![None; model.trees.len()],
            sustained: vec![false; model.trees.len()],
            stiffness: Vec::new(),
            momenta: Momenta::new(model),
            isolated: false,
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
            energies: Vec::new(),
            carried: Carried::default(),
            reports: Vec::new(),
        })))
    }

    /// Whether a tree is moved by this stepper in the present step.
    pub(crate) fn sustains(&self, tree: TreeId) -> bool {
        self.sustained[tree.index()]
    }

    /// Its set then.
    pub(crate) fn sustaining_set(&self, tree: TreeId) -> Option<usize> {
        self.sustains(tree).then(|| self.set[tree.index()])
    }

    /// Hands the sets back in which other constraints than contacts act, or may within the step.
    fn hand_back_constrained(&mut self, system: &System<'_>, choice: &IntegratorChoice) {
        let closes = |gap: f64, rate: f64| gap <= TOUCHING + system.h * (-CLOSING * rate).max(0.0);
        let at = system.present();
        system.constraints.for_each_unsupported(
            &at,
            Level::Acceleration,
            choice.predicted(),
            closes,
            |trees| {
                for tree in trees.filter(|tree| choice.contact_rule[tree.index()]) {
                    self.hand_back(self.set[tree.index()], HandBack::Constraint);
                }
            },
        );
    }

    /// Hands a set back; the first reason counts.
    pub(crate) fn hand_back(&mut self, set: usize, reason: HandBack) {
        self.lost[set].get_or_insert(reason);
    }

    /// Whether the set of a tree is handed back.
    fn has_lost(&self, tree: TreeId) -> bool {
        self.lost[self.set[tree.index()]].is_some()
    }

    /// The law that holds at a contact.
    pub(crate) fn law(&self, contact: &Contact) -> Law {
        match contact.law {
            Law::Frictionless => Law::Frictionless,
            law => self.replacement.unwrap_or(law),
        }
    }

    /// The new state of the trees that this stepper has moved.
    pub(crate) fn write_state(&self, model: &Model, state: &mut State) {
        for (_, contents) in model.trees.iter().enumerate().filter(|(tree, _)| self.sustained[*tree]) {
            let (coords, dofs) = (contents.coords.clone(), contents.dofs.clone());
            state.q[coords.clone()].copy_from_slice(&self.q[coords]);
            state.v[dofs.clone()].copy_from_slice(&self.v[dofs]);
        }
    }

    /// Forgets the last step; takes the sets of trees that may touch.
    fn begin(&mut self, trees: usize, sets: &mut [usize]) {
        self.sustained.fill(false);
        self.lost.fill(None);
        self.stiffness.clear();
        self.stiffness.resize(trees, 0.0);
        self.reports.clear();
        self.set.clear();
        self.set.extend((0..trees).map(|tree| root(sets, tree)));
        let capacity = if self.events.is_some() { event_driven::MAX_EVENTS } else { 0 };
        self.carried.begin(trees, capacity);
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
) -> Result<(), AlgorithmError> {
    let model = system.model;
    level.begin(model.trees.len(), &mut choice.sets);
    for tree in TreeId::all(&model.trees) {
        if choice.contact_rule[tree.index()] && choice.is_stiff(tree) {
            let set = level.set[tree.index()];
            if level.by_events && !choice.is_stiff_by_constraints(tree) {
                dynamics::factorize_by_size(model, system.data, tree, &level.zeros)?;
                level.stiffness[set] += choice.explicit_stiffness(model, system.data, tree, added);
                dynamics::factorize_by_size(model, system.data, tree, added)?;
            } else {
                level.hand_back(set, HandBack::Stiffness);
            }
        }
    }
    level.hand_back_constrained(system, choice);
    if level.events.is_none() {
        let finder = &system.constraints.contacts.finder;
        level.choose_contacts(model, system.data, &finder.contacts, &choice.contact_rule);
        level.passage.begin(model, system.data, &system.state.mocap, finder, |_| true);
    }
    level.trees.clear();
    for tree in TreeId::all(&model.trees) {
        if choice.contact_rule[tree.index()] && !level.has_lost(tree) {
            level.trees.push(tree);
        }
    }
    if !level.trees.is_empty() {
        move_sets(level, system, choice, added, problem)?;
    }
    Ok(())
}

/// Moves the sets that qualify, and takes those that come through from the contact rule.
fn move_sets(
    level: &mut AccelerationLevel,
    system: &mut System<'_>,
    choice: &mut IntegratorChoice,
    added: &[f64],
    problem: &mut ContactProblem,
) -> Result<(), AlgorithmError> {
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
    accept::accept(level, system, choice, added)
}

/// Steps 2 to 4 for all trees of sets that qualify.
fn move_together(
    level: &mut AccelerationLevel,
    system: &mut System<'_>,
    trees: &[TreeId],
) -> Result<(), AlgorithmError> {
    let (model, h) = (system.model, system.h);
    for &tree in trees {
        dynamics::factorize_by_size(model, system.data, tree, &level.zeros)?;
    }
    level.q.copy_from_slice(&system.state.q);
    let mut v = std::mem::take(&mut level.v);
    v.copy_from_slice(&system.state.v);
    level.stop_approach(model, system.data, h, &mut v);
    level.v = v;
    level.remember_momenta(system);
    level.move_smoothly(system, trees, Span { begin: 0.0, duration: h })?;
    level.find_again(model, system.data, &system.state.mocap, h, |persistent, seen| {
        persistent.now = seen.map(|(contact, _)| contact);
        persistent.velocity = seen.map_or(Vector3::zeros(), |(_, velocity)| velocity);
    });
    level.check_lost_contacts();
    level.check_new_contacts(model, system.data, h);
    level.take_motion(system.data, h);
    Ok(())
}
