//! The interface of all kinds of constraint, and the list of the kinds.
//!
//! A step asks of a kind, in this order: which trees it touches and whether it couples them ([`Constraint::trees`],
//! [`Constraint::couples`]); whether it may act ([`Constraint::may_act`], [`Constraint::acts`], [`Constraint::gaps`],
//! [`Constraint::stiffness`]); its rows ([`Constraint::push`]); and afterwards how well it is met
//! ([`Constraint::position_error`]) and what energy it stores ([`Constraint::energy`]).
//!
//! A new kind is one file that implements [`Constraint`], and one line in the list of kinds ([`crate::constraint`]) besides that of its module.

use super::closure::coordinates::Loops;
use super::equality::Located;
use super::position_error::PositionError;
use super::rows::Rows;
use super::softness::Softness;
use super::tendon::Gains;
use crate::contact::GapRule;
use crate::dynamics;
use crate::dynamics::Data;
use crate::model::{Mocap, Model, State, TreeId};

/// A gap up to this is a touching contact (m or rad): a thousand times the round-off of positions of a few metres,
/// a thousandth of what any drawing shows.
pub(crate) const TOUCHING: f64 = 1e-9;

/// A limit farther than what the joint may travel in this many steps at its speed is left out of the problem.
const LIMIT_REACH: f64 = 4.0;

/// A model at a state: what constraints depend on. Poses and link velocities are in `data`, coordinates and velocities of
/// trees and loops in `loops`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present<'a> {
    pub(crate) model: &'a Model,
    pub(crate) data: &'a Data,
    pub(crate) loops: &'a Loops,
    pub(crate) softness: &'a Softness,
    pub(crate) mocap: &'a [Mocap],
    /// Controls of the actuators.
    pub(crate) ctrl: &'a [f64],
    /// Time (s), for what is prescribed.
    pub(crate) time: f64,
}

impl<'a> Present<'a> {
    /// At a state whose kinematics are in `data` and `loops`.
    pub(crate) fn new(
        model: &'a Model,
        data: &'a Data,
        (loops, softness): (&'a Loops, &'a Softness),
        state: &'a State,
    ) -> Self {
        Self { model, data, loops, softness, mocap: &state.mocap, ctrl: &state.ctrl, time: state.time }
    }

    /// What position errors of equalities depend on.
    pub(crate) fn located(&self) -> Located<'a> {
        Located { loops: self.loops, mocap: self.mocap, time: self.time }
    }
}

/// What the rows are applied to, and so what they add to `J x`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level<'a> {
    /// Displacements: position errors, and gaps up to `reach`, of which no more than `farthest` is to be removed (m or rad).
    /// Nothing is prescribed.
    Displacement { reach: f64, farthest: f64 },
    /// Velocities at the end of a step.
    Velocity(StepAhead<'a>),
    /// Accelerations: the convective part `gamma`. Needs [`crate::dynamics::bias_forces`] of the trees, and
    /// [`Loops::accelerate`].
    Acceleration,
}

/// The step that rows at the level of velocities belong to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepAhead<'a> {
    /// Time within which gaps may close (s). Prescribed rates are those of its end, as velocities are. Zero: an instant, at which only
    /// what touches has rows.
    pub(crate) h: f64,
    /// Time for which dry friction, dampers and springs act (s).
    pub(crate) duration: f64,
    /// What of tendons' and loop joints' springs, dampers and drives is part of the rows.
    pub(crate) implicit: Implicit,
    /// Part of bilateral position errors that the step removes through velocities.
    pub(crate) baumgarte: f64,
    /// How gaps of predicted contacts enter.
    pub(crate) gap_rule: GapRule,
    /// Free velocity, those of loops among them.
    pub(crate) free: &'a [f64],
    /// Whether limits have rows however far they are.
    pub(crate) every_limit: bool,
    /// Of lone bodies with rotors: velocity at the end of the step minus the one it uses, without constraint impulses.
    pub(crate) late: &'a [f64],
}

/// Which gains of springs, dampers and drives act at the end of the time for which they act, and so resist the impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Implicit {
    /// Stiffness and damping.
    All,
    /// Damping alone.
    Damping,
    /// None: the forces are known.
    Nothing,
}

impl Implicit {
    /// What gains add to the mass along which they act, for a duration (s): `h d + h^2 k`, or a part of it.
    pub(crate) fn added_mass(self, gains: Gains, duration: f64) -> f64 {
        match self {
            Implicit::All => gains.added_mass(duration),
            Implicit::Damping => duration * gains.rate,
            Implicit::Nothing => 0.0,
        }
    }
}

impl StepAhead<'_> {
    /// No step: the rates of this instant.
    pub(crate) const NONE: StepAhead<'static> = StepAhead {
        h: 0.0,
        duration: 0.0,
        implicit: Implicit::Nothing,
        baumgarte: 0.0,
        gap_rule: GapRule::StewartTrinkle,
        free: &[],
        every_limit: false,
        late: &[],
    };

    /// Rate (1/s) at which bilateral position errors are removed.
    pub(crate) fn gain(&self) -> f64 {
        if self.baumgarte > 0.0 { self.baumgarte / self.h } else { 0.0 }
    }
}

impl Level<'_> {
    /// Displacements that make up for all position errors.
    pub(crate) const WHOLE_ERROR: Level<'static> =
        Level::Displacement { reach: 0.0, farthest: f64::INFINITY };

    /// The bias of a limit's row with a gap, if the limit is near enough to have a row; `travel` is a speed (m/s or rad/s)
    /// with which it may be approached.
    pub(crate) fn limit_bias(&self, gap: f64, travel: impl Fn(&StepAhead) -> f64) -> Option<f64> {
        match self {
            Level::Displacement { reach, farthest } => (gap <= *reach).then_some(gap.max(-farthest)),
            Level::Velocity(ahead) => {
                // Round-off of a touching gap would be divided by h.
                let rate = || if gap <= TOUCHING { 0.0 } else { gap / ahead.h };
                let within_reach = || gap <= LIMIT_REACH * ahead.h * travel(ahead) + TOUCHING;
                let near = || ahead.h > 0.0 && (ahead.every_limit || within_reach());
                (gap <= TOUCHING || near()).then(rate)
            }
            Level::Acceleration => None,
        }
    }

    /// The prescribed part of a unilateral row.
    pub(crate) fn prescribed(&self, drift: impl Fn() -> f64) -> f64 {
        if matches!(self, Level::Velocity(_)) { drift() } else { 0.0 }
    }
}

/// One end of a range: how far away it is (m or rad; negative when crossed), and the sign of its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) upper: bool,
    pub(crate) gap: f64,
    pub(crate) sign: f64,
}

/// Both ends of a range, at a value.
pub(crate) fn range_sides([low, high]: [f64; 2], value: f64) -> [Side; 2] {
    [Side { upper: false, gap: value - low, sign: 1.0 }, Side { upper: true, gap: high - value, sign: -1.0 }]
}

/// Mass matrices with what is added to them, factored: `w M^-1 w^T`.
#[derive(Debug)]
pub(crate) struct InverseMass<'a> {
    pub(crate) model: &'a Model,
    pub(crate) data: &'a mut Data,
    pub(crate) loops: &'a Loops,
    /// Scratch of all zeros (nv).
    pub(crate) scratch: &'a mut [f64],
}

impl InverseMass<'_> {
    /// Of a row on all velocities (1/kg), with the factors of the trees it spans.
    pub(crate) fn along<I: Iterator<Item = (usize, f64)>>(&mut self, terms: impl Fn() -> I) -> f64 {
        let (model, loops) = (self.model, self.loops);
        let tree_of = |(dof, _): (usize, f64)| model.links[model.dofs[dof].link].tree;
        let mut sum = 0.0;
        for (i, tree) in loops.expand(terms()).map(tree_of).enumerate() {
            if loops.expand(terms()).take(i).any(|term| tree_of(term) == tree) {
                continue;
            }
            let dofs = model.trees[tree].dofs.clone();
            let row = &mut self.scratch[..dofs.len()];
            for (dof, coefficient) in loops.expand(terms()).filter(|(dof, _)| dofs.contains(dof)) {
                row[dof - dofs.start] += coefficient;
            }
            dynamics::half_solve(model, self.data, tree, row);
            sum += row.iter().map(|y| y * y).sum::<f64>();
            row.fill(0.0);
        }
        sum
    }
}

/// A kind of constraint, with all constraints of this kind in a model.
pub(crate) trait Constraint {
    /// Whether its rows hold both ways; others have gaps.
    const BILATERAL: bool = false;

    /// Whether these are contacts.
    const CONTACTS: bool = false;

    /// Place among the kinds in the order of rows of one class and rank. A number of its own, but that kinds that share one
    /// order of names share one number.
    const CODE: u32;

    /// Those of a model.
    fn new(model: &Model) -> Self;

    /// Number of constraints.
    fn count(&self, model: &Model) -> usize;

    /// What it is and its name, for messages.
    fn describe(&self, model: &Model, index: usize) -> String;

    /// Whether it has rows in a contact problem that is posed at this level.
    fn supports(&self, level: Level<'_>) -> bool;

    /// Trees it touches; some may come up more than once.
    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a;

    /// Whether it couples the motions of its trees at all times, so that they are advanced together.
    fn couples(&self, _model: &Model, _index: usize) -> bool {
        false
    }

    /// Whether it may have to be a row of a step, as far as can be told without velocities.
    fn may_act(&self, at: &Present<'_>, index: usize) -> bool;

    /// Whether it has to be a row of this step, whatever its gaps.
    fn acts(&self, _at: &Present<'_>, _index: usize) -> bool {
        false
    }

    /// Gaps (m or rad) and their rates at velocities `v` (those of loops among them).
    fn gaps<'a>(
        &'a self,
        _at: &Present<'a>,
        _index: usize,
        _v: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        std::iter::empty()
    }

    /// `trace((M + G)^-1 G)` of what `G` it resists with in a step of `h` seconds, by springs, dampers and drives.
    fn stiffness(&self, _mass: &mut InverseMass<'_>, _ctrl: &[f64], _index: usize, _h: f64) -> f64 {
        0.0
    }

    /// Adds its rows.
    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>);

    /// How far it is from being met: overlap, or the error of bilateral rows.
    fn position_error(&self, _at: &Present<'_>, _index: usize) -> PositionError {
        PositionError::default()
    }

    /// Whether its rows give way, since it cannot be met.
    fn gives_way(&self, _at: &Present<'_>, _index: usize) -> bool {
        false
    }

    /// Potential and kinetic energy that it stores besides the trees (J).
    fn energy(&self, _at: &Present<'_>, _index: usize) -> [f64; 2] {
        [0.0; 2]
    }
}

macro_rules! define_constraints {
    ([$($field:ident: $kind:ty,)*]) => {
        /// All constraints of a model, by kind.
        #[derive(Debug)]
        pub(crate) struct Constraints {
            $(pub(crate) $field: $kind,)*
        }

        impl Constraints {
            pub(crate) fn new(model: &Model) -> Self {
                Self { $($field: <$kind as Constraint>::new(model),)* }
            }
        }
    };
}
kinds!(define_constraints);

macro_rules! repeat_for_kinds {
    ([$($field:ident: $kind:ty,)*] $constraints:expr, $name:ident => $body:expr) => {
        $({
            let $name = &$constraints.$field;
            $body
        })*
    };
}

/// Does something for each kind, with static dispatch: `each_kind!(constraints, kind => ...)`.
macro_rules! each_kind {
    ($constraints:expr, $name:ident => $body:expr) => {
        kinds!(repeat_for_kinds $constraints, $name => $body)
    };
}

/// Whether a kind is that of contacts.
fn is_contact<C: Constraint>(_kind: &C) -> bool {
    C::CONTACTS
}

/// Whether there are trees and all are active.
pub(crate) fn is_active(trees: impl Iterator<Item = TreeId>, active: impl Fn(TreeId) -> bool) -> bool {
    let mut trees = trees.peekable();
    trees.peek().is_some() && trees.all(active)
}

/// Whether the rows of a kind hold both ways.
fn is_bilateral<C: Constraint>(_kind: &C) -> bool {
    C::BILATERAL
}

impl Constraints {
    /// Adds the rows of all constraints on trees of which `active` holds.
    pub(crate) fn push(
        &self,
        rows: &mut Rows,
        at: &Present<'_>,
        level: Level<'_>,
        active: impl Fn(TreeId) -> bool,
    ) {
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            if is_active(kind.trees(at.model, index), &active) {
                kind.push(rows, at, index, level);
            }
        });
    }

    /// Adds the rows on displacements, whatever the gaps, of all constraints but contacts on trees of which `active` holds.
    pub(crate) fn push_position_errors(
        &self,
        rows: &mut Rows,
        at: &Present<'_>,
        active: impl Fn(TreeId) -> bool,
    ) {
        let level = Level::Displacement { reach: f64::INFINITY, farthest: f64::INFINITY };
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            if !is_contact(kind) && is_active(kind.trees(at.model, index), &active) {
                kind.push(rows, at, index, level);
            }
        });
    }

    /// The trees of each constraint that couples trees, and whether it does so by bilateral rows.
    pub(crate) fn for_each_coupling(
        &self,
        model: &Model,
        mut each: impl FnMut(&mut dyn Iterator<Item = TreeId>, bool),
    ) {
        each_kind!(self, kind => for index in 0..kind.count(model) {
            if kind.couples(model, index) {
                each(&mut kind.trees(model, index), is_bilateral(kind));
            }
        });
    }

    /// The trees of each constraint that may act or couples trees, and whether it may act.
    pub(crate) fn for_each_that_may_act(
        &self,
        at: &Present<'_>,
        mut each: impl FnMut(&mut dyn Iterator<Item = TreeId>, bool),
    ) {
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            let may_act = kind.may_act(at, index);
            if may_act || kind.couples(at.model, index) {
                each(&mut kind.trees(at.model, index), may_act);
            }
        });
    }

    /// The trees of each constraint that has to be a row of this step: that acts in any case, or of whose gaps and rates at
    /// the velocities `v` `closes` holds.
    pub(crate) fn for_each_that_acts(
        &self,
        at: &Present<'_>,
        v: &[f64],
        closes: impl Fn(f64, f64) -> bool,
        mut each: impl FnMut(&mut dyn Iterator<Item = TreeId>),
    ) {
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            if kind.acts(at, index) || kind.gaps(at, index, v).any(|(gap, rate)| closes(gap, rate)) {
                each(&mut kind.trees(at.model, index));
            }
        });
    }

    /// The trees of each constraint that resists motion, and its [`Constraint::stiffness`].
    pub(crate) fn for_each_stiffness(
        &self,
        mass: &mut InverseMass<'_>,
        ctrl: &[f64],
        h: f64,
        mut each: impl FnMut(&mut dyn Iterator<Item = TreeId>, f64),
    ) {
        let model = mass.model;
        each_kind!(self, kind => for index in 0..kind.count(model) {
            let stiffness = kind.stiffness(mass, ctrl, index, h);
            if stiffness > 0.0 {
                each(&mut kind.trees(model, index), stiffness);
            }
        });
    }

    /// Largest position errors of the constraints that are bilateral or not.
    fn worst_error(&self, at: &Present<'_>, bilateral: bool) -> PositionError {
        let mut worst = PositionError::default();
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            if is_bilateral(kind) == bilateral {
                worst = worst.max(kind.position_error(at, index));
            }
        });
        worst
    }

    /// Deepest overlap of contacts and worst crossed limit.
    pub(crate) fn worst_overlap(&self, at: &Present<'_>) -> PositionError {
        self.worst_error(at, false)
    }

    /// Worst error of a bilateral constraint.
    pub(crate) fn worst_bilateral(&self, at: &Present<'_>) -> PositionError {
        self.worst_error(at, true)
    }

    /// The trees of each constraint that can be met and how far it is from being met (m or rad).
    pub(crate) fn for_each_error(
        &self,
        at: &Present<'_>,
        mut each: impl FnMut(&mut dyn Iterator<Item = TreeId>, f64),
    ) {
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            if !kind.gives_way(at, index) {
                each(&mut kind.trees(at.model, index), kind.position_error(at, index).size());
            }
        });
    }

    /// Potential and kinetic energy that constraints store besides the trees (J).
    pub(crate) fn energies(&self, at: &Present<'_>) -> [f64; 2] {
        let mut sums = [0.0; 2];
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            let energy = kind.energy(at, index);
            sums[0] += energy[0];
            sums[1] += energy[1];
        });
        sums
    }

    /// What each constraint is that is not met to the tolerance (m or rad), and how far it is from being so; contacts first.
    pub(crate) fn for_each_violation(
        &self,
        at: &Present<'_>,
        tolerance: f64,
        mut each: impl FnMut(String, PositionError),
    ) {
        each_kind!(self, kind => for index in 0..kind.count(at.model) {
            let error = kind.position_error(at, index);
            if error.size() > tolerance {
                each(kind.describe(at.model, index), error);
            }
        });
    }

    /// Whether there are constraints that have no rows in a contact problem at a level.
    pub(crate) fn has_unsupported(&self, model: &Model, level: Level<'_>) -> bool {
        each_kind!(self, kind => if !kind.supports(level) && kind.count(model) > 0 {
            return true;
        });
        false
    }

    /// The trees of each constraint that has no rows in a contact problem at a level but may need them in a step: that couples trees, acts
    /// in any case, or of whose gaps and rates at the velocities `v` `closes` holds.
    pub(crate) fn for_each_unsupported(
        &self,
        at: &Present<'_>,
        level: Level<'_>,
        v: &[f64],
        closes: impl Fn(f64, f64) -> bool,
        mut each: impl FnMut(&mut dyn Iterator<Item = TreeId>),
    ) {
        each_kind!(self, kind => if !kind.supports(level) {
            for index in 0..kind.count(at.model) {
                let always = kind.couples(at.model, index) || kind.acts(at, index);
                if always || kind.gaps(at, index, v).any(|(gap, rate)| closes(gap, rate)) {
                    each(&mut kind.trees(at.model, index));
                }
            }
        });
    }
}
