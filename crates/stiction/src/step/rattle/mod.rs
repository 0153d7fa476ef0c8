//! Contact impulses at both ends of a step, and inertia alone in between: RATTLE with complementarity.
//!
//! # Problem
//! With the kicks of the forces ([`kick`]) and inertial motion ([`drift`]), a step of `h` seconds of the trees that touch something is
//!
//! ```text
//! V        = v  + kick at q  + M(q)^-1  J(q)^T  L      L such that the pose at the end obeys the laws
//! (q+, v-) = drift of (q, V) for h
//! v+       = v- + kick at q+ + M(q+)^-1 J(q+)^T N      N such that v+ obeys them at what touches there
//! ```
//!
//! `0 <= L_n  perp  gap(q+) >= 0` with friction against the slip over the step ([`super::slip`]); equalities are closed at `q+`. Then
//! `0 <= N_n  perp  J_n v+ >= 0` with friction against `J_t v+`; equalities keep their rates.
//!
//! If contacts were equations this would be RATTLE (Andersen 1983), written as a composition (Reich 1996): symplectic, symmetric,
//! of order two. So motion in persistent contact is of order two, and what sticks is where it was on the body that carries it, to
//! rounding and for any number of steps. Rest is a fixed point. Impulses act at poses at which they are solved for, which keeps the
//! momenta of what is free; `N` never adds energy, and what `L` adds RATTLE takes back while contacts persist (`O(h^3)` in a step, bounded in
//! the long run). A body that turns by an angle `a` in a step and parts within it keeps what `L` has added, a part `a^2` of its energy: its
//! set goes through the step in parts that are short enough ([`gains`]).
//!
//! # Method
//! `L` is found by passes: drift with the impulses so far, displacement `d` of every row over the step ([`displacement`]), then the
//! contact problem `G L + (d - G L_before)` of the poses at the beginning. A pass shrinks what is left by the angle of a step. What is
//! left at last of the slip of sticking contacts is theirs to make up for in the next step.
//!
//! Where rows depend on each other, rounding and what earlier steps have left contradict each other. An island whose displacements
//! are those along its rows, `J (q+ (-) q)`, but for a tenth of the overlap that is tolerated, is posed along its rows. So is, in its
//! first pass, one with contacts that is ten times further from its laws than displacements are from those along its rows.
//!
//! A contact that slides at the beginning is rubbed in the first half against its velocity there, which makes sliding of order two;
//! if its slip over the step is against that, against its slip. Only the direction counts, so it is posed as sliding much faster: what a
//! solve changes would turn its friction, and passes would settle slowly, on impacts too slowly in a part of any length.
//!
//! # What is walked through in shorter steps
//! Where something bounces, the passes do not settle, or contacts add energy, the trees that may touch each other go through the step in
//! parts ([`walk`]): from impact to impact, or by halves.
//!
//! # What has no answer
//! Where constraints contradict each other no pose obeys them: the solver finds no impulses, or huge ones. (Passes that double the kinetic
//! energy have not settled.) What is left of the step is then of first order, as in time stepping: the impulses of the beginning are such that
//! the *velocities* obey the laws along the rows there. That has an answer, which adds no energy; what is left of overlap the projection of the
//! next step removes. It is counted as a hand-back. Where even this is not solved the part goes without impulses that would add energy, and of
//! those of the end, which never add any, the part is taken that leaves least; both are reported as unsolved.
//!
//! | file | what it is |
//! |---|---|
//! | `first_half` | the impulses of the beginning: passes |
//! | `second_half` | those of the end, and impacts |
//! | `kick`, `drift` | forces; inertia |
//! | `rounds` | contacts and limits that were not foreseen |
//! | `displacement` | what a step does along its rows |
//! | `laws` | whether impulses meet their laws |
//! | `gains` | energy that contacts add |
//! | `body_axes` | impulses remembered in the axes of bodies |
//! | `sliding` | what slides at the beginning |
//! | `walk` | sets of trees that go through the step in parts |
//! | `kept` | the problems of both ends, for margins |
//! | `stages` | the step |
//!
//! # References
//! - H. C. Andersen, *Rattle: a velocity version of the Shake algorithm for molecular dynamics calculations*, J. Comput. Phys. 52
//!   (1983).
//! - S. Reich, *Symplectic integration of constrained Hamiltonian systems by composition methods*, SIAM J. Numer. Anal. 33 (1996).

mod body_axes;
mod displacement;
mod drift;
mod first_half;
mod gains;
mod kept;
mod kick;
mod laws;
mod rounds;
mod second_half;
mod sliding;
mod stages;
mod walk;

pub(crate) use stages::{Stages, step};

use crate::constraint::closure::coordinates::Loops;
use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, ContactKey, IslandReport, Memory};
use crate::dynamics::{self, Data};
use crate::model::{Model, TreeId};
use crate::settings::{Settings, SettingsError, Stepper};
use crate::step::contact_problem::{ContactProblem, ProblemMemory};
use crate::step::start::StepStart;
use crate::step::system::System;
use displacement::Displacements;
use drift::Scratch;
use gains::Gains;
use kept::{Kept, StiffTrees};
use kick::Kicks;
use laws::Judge;
use sliding::Sliding;
use walk::Walk;

/// Part of the overlap that is tolerated, as a displacement (m or rad) in a step that counts for nothing: rest must not creep.
const SMALL: f64 = 1e-4;

/// The same, as what another pass would bring.
const SETTLED: f64 = 1e-1;

/// Part of the overlap that is tolerated that may be left of a displacement where rows contradict each other.
const SLIGHT: f64 = 1e-1;

/// The workspace. Keeps its capacity.
#[derive(Debug)]
pub(crate) struct Rattle {
    /// The trees under the contact rule, those of them at work, and those whose forces all act at the beginning.
    governed: Vec<bool>,
    /// The sets of trees that have been moved at the level of forces.
    sustained: Vec<Option<usize>>,
    active: Vec<bool>,
    stiff: Vec<bool>,
    kicks: Kicks,
    scratch: Scratch,
    displacements: Displacements,
    /// Kinematics, factors and loops at the beginning, while the system is at the end; else anything.
    start: Data,
    start_loops: Loops,
    /// State at the beginning, and at the end while the system is at the beginning.
    began: StepStart,
    ended: StepStart,
    /// Velocities before the present kick.
    v: Vec<f64>,
    /// Velocity after the kick of the forces, without impulses (nv, then those of loops).
    kicked: Vec<f64>,
    /// Row velocities before it.
    before: Vec<f64>,
    sliding: Sliding,
    /// Per contact, what it has left of its slip.
    left: Vec<[f64; 2]>,
    /// Per row: of what the laws hold, with the impulses so far; what it may miss where no impulse moves it; its velocity with them; what they
    /// contribute, and did in the last pass; the difference.
    posed: Vec<f64>,
    slack: Vec<f64>,
    /// What a pass of first order asks of the rows.
    asked: Vec<f64>,
    after: Vec<f64>,
    contributed: Vec<f64>,
    contributed_before: Vec<f64>,
    free: Vec<f64>,
    /// What was remembered before the first pass, where bounds of friction come from the last step.
    recalled: Vec<Memory>,
    /// Impulses of the best pass so far.
    best: Vec<f64>,
    /// What the impulses do to the velocities.
    impulses_alone: Vec<f64>,
    /// Per island: whether it has settled, and how it was solved last, with the work of all passes.
    settled: Vec<bool>,
    reports: Vec<Option<IslandReport>>,
    /// Per island: whether its equalities contradict each other.
    contradicting: Vec<bool>,
    /// Per island: whether its first pass was posed along the rows of the beginning.
    first_order: Vec<bool>,
    /// Whether the present part is of first order.
    is_first_order: bool,
    /// Islands of the end that have no answer.
    unanswered: Vec<usize>,
    passes: usize,
    rounds: usize,
    /// Whether trees that meet unforeseen may still be joined to the sets at work.
    may_join: bool,
    /// Whether all limits have rows, as one was not foreseen.
    every_limit: bool,
    /// How far the contacts of each geom were searched for (m).
    reaches: Vec<f64>,
    /// Impulses so far, when a round adds rows.
    round: ProblemMemory,
    walk: Walk,
    gains: Gains,
    /// The problems of the beginning and of the end.
    kept: [Kept; 2],
    stiff_trees: StiffTrees,
}

impl Rattle {
    /// The workspace if the settings ask for it, or for a stepper that hands sets back to this rule.
    ///
    /// # Errors
    /// The settings ask for something that this stepper does not do.
    pub(crate) fn of(model: &Model, settings: &Settings) -> Result<Option<Box<Self>>, SettingsError> {
        if settings.stepper == Stepper::TimeStepping {
            return Ok(None);
        }
        if settings.baumgarte > 0.0 {
            let what = format!(
                "Baumgarte's stabilisation ({}), as it closes equalities at their positions",
                settings.baumgarte
            );
            return Err(SettingsError::Stepper { stepper: settings.stepper.name(), what });
        }
        let velocities = || vec![0.0; model.nv() + model.loop_nv()];
        let no = || vec![false; model.trees.len()];
        Ok(Some(Box::new(Self {
            governed: no(),
            sustained: vec![None; model.trees.len()],
            active: no(),
            stiff: no(),
            kicks: Kicks::new(model),
            scratch: Scratch::new(model),
            displacements: Displacements::new(model),
            start: Data::new(model),
            start_loops: Loops::new(model),
            began: StepStart::default(),
            ended: StepStart::default(),
            v: vec![0.0; model.nv()],
            kicked: velocities(),
            before: Vec::new(),
            sliding: Sliding::default(),
            left: Vec::new(),
            posed: Vec::new(),
            slack: Vec::new(),
            asked: Vec::new(),
            after: Vec::new(),
            contributed: Vec::new(),
            contributed_before: Vec::new(),
            free: Vec::new(),
            recalled: Vec::new(),
            best: Vec::new(),
            impulses_alone: velocities(),
            settled: Vec::new(),
            reports: Vec::new(),
            contradicting: Vec::new(),
            first_order: Vec::new(),
            is_first_order: false,
            unanswered: Vec::new(),
            passes: 0,
            rounds: 0,
            may_join: true,
            every_limit: false,
            reaches: Vec::new(),
            round: ProblemMemory::default(),
            walk: Walk::new(model),
            gains: Gains::new(model.trees.len()),
            kept: Default::default(),
            stiff_trees: StiffTrees::default(),
        })))
    }

    /// Whether the trees of an island are stiff.
    fn is_stiff(&self, problem: &ContactProblem, island: usize) -> bool {
        let tree = problem.islands.tree(island, &problem.rows);
        tree.is_some_and(|tree| self.stiff[tree.index()])
    }

    /// Whether the impulses so far meet the laws of an island but for a `small` part of the overlap that is tolerated.
    fn stands(&self, problem: &ContactProblem, island: usize, system: &System<'_>, small: f64) -> bool {
        let impulse = |block: &RowBlock, r: usize| problem.rows.impulse[block.row + r];
        self.stands_with(impulse, &self.posed, problem, island, system, small)
    }

    /// Whether impulses, by block and row of it, with which the rows have these rates, do.
    fn stands_with(
        &self,
        impulse: impl Fn(&RowBlock, usize) -> f64,
        rates: &[f64],
        problem: &ContactProblem,
        island: usize,
        system: &System<'_>,
        small: f64,
    ) -> bool {
        let settings = system.settings;
        let judge = Judge::new(&settings.formulation, small * settings.overlap_tolerance);
        problem.blocks(island).all(|block| {
            let moved = |r: usize| system.h * rates[block.row + r];
            block.compliance == 0.0
                && block.softness == 0.0
                && judge.stands(block.kind, block.count, |r| impulse(block, r), moved)
        })
    }

    /// Kinetic energy of the trees at work, with their kinematics (J).
    fn kinetic_energy(&self, model: &Model, data: &Data, v: &[f64]) -> f64 {
        let at_work = TreeId::all(&model.trees).filter(|tree| self.active[tree.index()]);
        at_work.map(|tree| dynamics::kinetic_energy(model, data, tree, v)).sum()
    }

    /// Keeps the velocities of the system as those before a kick.
    fn keep_velocities(&mut self, system: &System<'_>) {
        self.v.copy_from_slice(&system.state.v);
        self.kicked[..system.model.nv()].copy_from_slice(&system.state.v);
    }

    /// Exchanges the kinematics of the system with those of the other end of the step.
    fn exchange_ends(&mut self, system: &mut System<'_>) {
        std::mem::swap(system.data, &mut self.start);
        std::mem::swap(&mut system.closures.loops, &mut self.start_loops);
    }
}

/// Takes the rows of some contacts away, and restitution from all others: bounces are taken apart from the kicks ([`walk`]).
fn leave_out(problem: &mut ContactProblem, left_out: &[ContactKey]) {
    let ContactProblem { rows, contacts, .. } = problem;
    let stays = |block: &RowBlock| block.contact.is_none_or(|index| !left_out.contains(&contacts[index].key));
    rows.blocks.retain(stays);
    rows.blocks.iter_mut().for_each(|block| block.restitution = 0.0);
}

/// The bias of a block's first row.
fn bias(kind: RowKind) -> f64 {
    match kind {
        RowKind::Unilateral(BlockKind::Contact { bias, .. } | BlockKind::Limit { bias }) => bias,
        _ => 0.0,
    }
}
