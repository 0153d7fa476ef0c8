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
//! momenta of what is free; `N` never adds energy, and what `L` adds RATTLE takes back (`O(h^3)` in a step, bounded in the long run).
//!
//! # Method
//! `L` is found by passes: drift with the impulses so far, displacement `d` of every row over the step ([`displacement`]), then the
//! contact problem `G L + (d - G L_before)` of the poses at the beginning. A pass shrinks what is left by the angle of a step. What is
//! left at last of the slip of sticking contacts is theirs to make up for in the next step.
//!
//! Where rows depend on each other, rounding and what earlier steps have left contradict each other. An island whose displacements
//! are those along its rows, `J (q+ (-) q)`, but for a tenth of the overlap that is tolerated, is posed along its rows.
//!
//! A contact that slides at the beginning is rubbed in the first half against its velocity there, which makes sliding of order two;
//! if its slip over the step is against that, against its slip. Only the direction counts, so it is posed as sliding much faster: what a
//! solve changes would turn its friction, and passes would settle slowly, on impacts too slowly in a part of any length.
//!
//! # What is walked through in shorter steps
//! Where something bounces, or the passes do not settle, the trees that may touch each other go through the step in parts
//! ([`walk`]): from impact to impact, or by halves.
//!
//! | file | what it is |
//! |---|---|
//! | `first_half` | the impulses of the beginning: passes |
//! | `second_half` | those of the end, and impacts |
//! | `kick`, `drift` | forces; inertia |
//! | `rounds` | contacts that were not foreseen |
//! | `displacement` | what a step does along its rows |
//! | `body_axes` | impulses remembered in the axes of bodies |
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
mod kept;
mod kick;
mod rounds;
mod second_half;
mod stages;
mod walk;

pub(crate) use stages::{Stages, step};

use crate::constraint::closure::coordinates::Loops;
use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, ContactKey, IslandReport, Law};
use crate::dynamics::Data;
use crate::model::Model;
use crate::settings::{Settings, SettingsError, Stepper};
use crate::step::contact_problem::{ContactProblem, ProblemMemory};
use crate::step::start::StepStart;
use crate::step::system::System;
use displacement::Displacements;
use drift::Scratch;
use kept::{Kept, StiffTrees};
use kick::Kicks;
use walk::Walk;

/// Part of the overlap that is tolerated, as a displacement (m or rad) in a step that counts for nothing: rest must not creep.
const SMALL: f64 = 1e-3;

/// Part of the overlap that is tolerated that may be left of a displacement where rows contradict each other.
const SLIGHT: f64 = 1e-1;

/// Slower than this (m/s) a contact does not slide.
const SLIDES: f64 = 1e-7;

/// Friction that is off its direction by less than this part of its bound has it.
const ALONG: f64 = 1e-11;

/// The workspace. Keeps its capacity.
#[derive(Debug)]
pub(crate) struct Rattle {
    /// The trees under the contact rule, those of them at work, and those whose forces all act at the beginning.
    governed: Vec<bool>,
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
    /// Per contact: velocity along the tangents with which it slides at the beginning, and what it has left of its slip.
    sliding: Vec<Option<[f64; 2]>>,
    left: Vec<[f64; 2]>,
    /// Per row: of what the laws hold, with the impulses so far; what it may miss where no impulse moves it; what these contribute, and did in the last pass; the difference.
    posed: Vec<f64>,
    slack: Vec<f64>,
    contributed: Vec<f64>,
    contributed_before: Vec<f64>,
    free: Vec<f64>,
    /// Impulses of the best pass so far.
    best: Vec<f64>,
    /// What the impulses do to the velocities.
    impulses_alone: Vec<f64>,
    /// Per island: whether it has settled, and how it was solved last, with the work of all passes.
    settled: Vec<bool>,
    reports: Vec<Option<IslandReport>>,
    passes: usize,
    rounds: usize,
    /// Whether trees that meet unforeseen may still be joined to the sets at work.
    may_join: bool,
    /// How far the contacts of each geom were searched for (m).
    reaches: Vec<f64>,
    /// Impulses so far, when a round adds rows.
    round: ProblemMemory,
    walk: Walk,
    /// The problems of the beginning and of the end.
    kept: [Kept; 2],
    stiff_trees: StiffTrees,
}

impl Rattle {
    /// The workspace if the settings ask for it.
    ///
    /// # Errors
    /// The settings ask for something that this stepper does not do.
    pub(crate) fn of(model: &Model, settings: &Settings) -> Result<Option<Box<Self>>, SettingsError> {
        if settings.stepper != Stepper::Rattle {
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
            sliding: Vec::new(),
            left: Vec::new(),
            posed: Vec::new(),
            slack: Vec::new(),
            contributed: Vec::new(),
            contributed_before: Vec::new(),
            free: Vec::new(),
            best: Vec::new(),
            impulses_alone: velocities(),
            settled: Vec::new(),
            reports: Vec::new(),
            passes: 0,
            rounds: 0,
            may_join: true,
            reaches: Vec::new(),
            round: ProblemMemory::default(),
            walk: Walk::new(model),
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
        let blocks = problem.islands.partition.blocks(island).iter().map(|&b| &problem.rows.blocks[b]);
        blocks.into_iter().all(|block| {
            let rows = block.row..block.row + block.count;
            let rates = &self.posed[rows.clone()];
            let moved = |r: usize| system.h * rates[r];
            law_stands(
                block.kind,
                &problem.rows.impulse[rows],
                moved,
                small * system.settings.overlap_tolerance,
            ) && block.compliance == 0.0
                && block.softness == 0.0
        })
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

/// Whether impulses meet a law, given the displacements of the rows: those of open ones do not close, those of closed ones are none,
/// and so are those along friction that is not used up; friction that is, opposes them.
fn law_stands(kind: RowKind, impulse: &[f64], moved: impl Fn(usize) -> f64, small: f64) -> bool {
    let still = |r: usize| moved(r).abs() <= small;
    let normal = || if impulse[0] > 0.0 { still(0) } else { moved(0) >= -small };
    let held = || (1..impulse.len()).all(still);
    match kind {
        RowKind::Bilateral => (0..impulse.len()).all(still),
        RowKind::Unilateral(BlockKind::Limit { .. }) => normal(),
        RowKind::Unilateral(BlockKind::Friction { bound }) => impulse[0].abs() < bound && still(0),
        RowKind::Unilateral(BlockKind::Contact { law, .. }) => {
            normal()
                && match law {
                    Law::Frictionless => true,
                    _ if impulse[0] <= 0.0 => true,
                    Law::NoSlip => held(),
                    Law::Coulomb { mu } => {
                        let (friction, bound) = ([impulse[1], impulse[2]], mu * impulse[0]);
                        if libm::hypot(friction[0], friction[1]) < bound {
                            held()
                        } else {
                            opposes(friction, bound, [moved(1), moved(2)], small)
                        }
                    }
                    Law::Viscous { .. } | Law::CoulombViscous { .. } => false,
                }
        }
    }
}

/// Whether friction is at its bound and against what moves by more than what is `small`.
fn opposes(friction: [f64; 2], bound: f64, moved: [f64; 2], small: f64) -> bool {
    let length = libm::hypot(moved[0], moved[1]);
    let off = [0, 1].map(|k| friction[k] + bound * moved[k] / length);
    length > small && libm::hypot(off[0], off[1]) <= ALONG * bound
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
