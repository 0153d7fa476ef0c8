//! Fixed tendons as rows: limits, dry friction, and the implicit part of what pulls along them.
//!
//! # Springs, dampers and servos
//! Under the contact rule the tension is that of the end of the step, as for joints. With the row `w` of the tendon,
//! `L` its length, `k` and `d` the stiffness and damping of everything that pulls along it,
//!
//! ```text
//! f+ - f = -k h w v+ - d (w v+ - w v).
//! ```
//!
//! `f` is in the free velocity; the impulse `lambda = h (f+ - f)` of the rest obeys, with `g = h d + h^2 k`,
//!
//! ```text
//! w v+ - (h d / g) w v + lambda / g = 0,
//! ```
//!
//! a bilateral row of compliance `1 / g`. Eliminating it is the same as adding the matrix `g w^T w` of rank one to the
//! mass matrix, which would spoil the sparsity of its factor where the tendon spans branches of a tree, and which could
//! not be where it spans trees.

use super::closure::coordinates::Loops;
use super::kind::{Constraint, InverseMass, Level, Present, Side, StepAhead, range_sides};
use super::limit::name_ranks;
use super::limited_drive::LimitedDrives;
use super::passage::{LineWork, Passage};
use super::position_error::PositionError;
use super::rows::{BlockKey, RowKind, Rows};
use crate::contact::BlockKind;
use crate::dynamics;
use crate::dynamics::drive::{drive_force, drives_of, length_and_rate, resisting_gains};
use crate::model::{Model, Tendon, TendonId, Term, Transmission, TreeId};

/// Rate and position gain of what pulls along a tendon or a velocity of a loop (N s/m and N/m, or N m s/rad and N m/rad).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gains {
    pub(crate) rate: f64,
    pub(crate) position: f64,
}

impl Gains {
    /// What the implicit rule adds to the mass along it: `h d + h^2 k`.
    pub(crate) fn added_mass(&self, h: f64) -> f64 {
        h * self.rate + h * h * self.position
    }
}

/// The tendons, and the drives on them.
#[derive(Clone, Debug)]
pub(crate) struct Tendons {
    ranks: Vec<u32>,
    /// Drives on each, in the order of names.
    drives: Vec<Vec<usize>>,
    /// Those of them without limits that they may reach.
    unlimited: Vec<Vec<usize>>,
}

/// The row of a tendon on all velocities, those of loops among them.
fn row(tendon: &Tendon, sign: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
    tendon.path.terms.iter().map(move |Term { dof, coefficient, .. }| (*dof, sign * coefficient))
}

/// The ends of a tendon's range, at the coordinates `q` of trees and loops.
fn sides(tendon: &Tendon, q: &[f64]) -> impl Iterator<Item = Side> + use<> {
    let length = tendon.path.value(q);
    // Without width it is an equality.
    let range = tendon.range.filter(|[low, high]| low < high);
    range.into_iter().flat_map(move |range| range_sides(range, length))
}

impl Tendons {
    /// Drives on a tendon, in the order of names.
    pub(crate) fn drives(&self, tendon: TendonId) -> &[usize] {
        &self.drives[tendon.index()]
    }

    /// The force of a tendon's spring, damper and drives, positive where it lengthens the tendon (N or N m), at the coordinates and
    /// rates of `loops`.
    pub(crate) fn force(&self, model: &Model, loops: &Loops, ctrl: &[f64], tendon: TendonId) -> f64 {
        let mut force = dynamics::tension(&model.tendons[tendon], &loops.q, &loops.v);
        for &i in self.drives(tendon) {
            let actuator = &model.actuators[i];
            let (length, rate) = length_and_rate(model, actuator, &loops.q, &loops.v);
            force += actuator.gear[0] * drive_force(actuator, ctrl[i], length, rate).0;
        }
        force
    }

    /// Rate and position gains that a step treats implicitly: damping, the stiffness of the spring where it is stretched, and
    /// the gains of drives but those of [`super::limited_drive`].
    fn gains(&self, model: &Model, loops: &Loops, ctrl: &[f64], tendon: usize) -> Gains {
        let contents = &model.tendons[tendon];
        let stretched = contents.stretch(contents.path.value(&loops.q)) != 0.0;
        let [low, high] = contents.spring_range;
        let mut gains = Gains { rate: contents.damping, position: 0.0 };
        if stretched || low == high {
            gains.position = contents.stiffness;
        }
        for &i in &self.unlimited[tendon] {
            let [k, d] = resisting_gains(model, &model.actuators[i], ctrl[i], &loops.q, &loops.v);
            gains.position += k;
            gains.rate += d;
        }
        gains
    }

    /// What the damper and the drives of a tendon do in a passage, at the coordinates of `loops`.
    pub(crate) fn work(
        &self,
        model: &Model,
        loops: &Loops,
        (ctrl, limited): (&[f64], &LimitedDrives),
        tendon: TendonId,
        passage: &Passage<'_>,
    ) -> LineWork {
        let contents = &model.tendons[tendon];
        let rates = passage.along(|v| contents.path.rate(v));
        let damper = rates.damper(contents.damping);
        let mut pulled = damper;
        let mut work = LineWork { dampers: damper * rates.mean, ..LineWork::default() };
        for &i in self.drives(tendon) {
            let impulse = limited.impulse(model, i, ctrl[i], passage, (&rates, 0));
            pulled += impulse;
            work.drives += impulse * rates.mean;
        }
        let drift = loops.drift_of(row(contents, 1.0));
        if drift != 0.0 {
            let stretch = contents.stretch(contents.path.value(passage.q));
            let gains = Gains { rate: 0.0, position: contents.stiffness };
            pulled += rates.impulse(-contents.stiffness * stretch, gains);
            work.prescribed = -drift * pulled;
        }
        work
    }

    /// Adds the row of the implicit part of the tension.
    fn push_tension(&self, rows: &mut Rows, at: &Present<'_>, index: usize, ahead: &StepAhead<'_>) {
        let (loops, tendon) = (at.loops, &at.model.tendons[index]);
        let gains = self.gains(at.model, loops, at.ctrl, index);
        let added = ahead.implicit.added_mass(gains, ahead.duration);
        if added > 0.0 {
            let drift = loops.drift_of(row(tendon, 1.0));
            let target = drift - (ahead.duration * gains.rate / added) * tendon.path.rate(&loops.v);
            let key = BlockKey::bilateral(self.ranks[index], Self::CODE, 0);
            rows.push_dofs(at.model, key, RowKind::Bilateral, target, loops.expand(row(tendon, 1.0)));
            rows.comply(1.0 / added);
            rows.set_angular(tendon.path.is_angular(at.model));
        }
    }

    /// Adds the row of dry friction.
    fn push_friction(&self, rows: &mut Rows, at: &Present<'_>, index: usize, h: f64) {
        let (loops, tendon) = (at.loops, &at.model.tendons[index]);
        if tendon.friction_loss > 0.0 {
            let key = BlockKey::friction(self.ranks[index], Self::CODE, 0);
            let kind = RowKind::Unilateral(BlockKind::Friction { bound: h * tendon.friction_loss });
            let drift = loops.drift_of(row(tendon, 1.0));
            rows.push_dofs(at.model, key, kind, drift, loops.expand(row(tendon, 1.0)));
            rows.set_angular(tendon.path.is_angular(at.model));
        }
    }

    /// Adds the rows of the ends of the range that are near.
    fn push_limits(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let (loops, tendon) = (at.loops, &at.model.tendons[index]);
        for side in sides(tendon, &loops.q) {
            let bias = level.limit_bias(side.gap, |ahead| {
                tendon.path.rate(ahead.free).abs().max(tendon.path.rate(&loops.v).abs())
            });
            let Some(bias) = bias else { continue };
            let key = BlockKey::limit(self.ranks[index], Self::CODE, side.upper);
            let kind = RowKind::Unilateral(BlockKind::Limit { bias });
            let drift = level.prescribed(|| loops.drift_of(row(tendon, side.sign)));
            rows.push_dofs(at.model, key, kind, drift, loops.expand(row(tendon, side.sign)));
            rows.set_angular(tendon.path.is_angular(at.model));
        }
    }
}

impl Constraint for Tendons {
    const CODE: u32 = 2;

    fn new(model: &Model) -> Self {
        let drives = drives_of(model, model.tendons.len(), |transmission| match transmission {
            Transmission::Tendon(tendon) => Some(tendon.index()),
            Transmission::Joint(_) | Transmission::Loop(_) => None,
        });
        let limited = LimitedDrives::new(model);
        let without_limits =
            |list: &Vec<usize>| list.iter().copied().filter(|&i| !limited.contains(i)).collect();
        let unlimited = drives.iter().map(without_limits).collect();
        let ranks = name_ranks(model.tendons.iter().map(|tendon| tendon.name.as_str()));
        Self { ranks, drives, unlimited }
    }

    fn count(&self, model: &Model) -> usize {
        model.tendons.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("tendons ('{}')", model.tendons[index].name)
    }

    fn supports(&self, level: Level<'_>) -> bool {
        matches!(level, Level::Displacement { .. } | Level::Velocity(_))
    }

    /// Of a joint of a loop one tree: the loop ties the other.
    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        model.tendons[index].path.terms.iter().map(|term| model.links[term.link].tree)
    }

    /// If it has joints in more than one tree.
    fn couples(&self, model: &Model, index: usize) -> bool {
        let mut trees = self.trees(model, index);
        let first = trees.next();
        trees.any(|tree| Some(tree) != first)
    }

    fn may_act(&self, at: &Present<'_>, index: usize) -> bool {
        let tendon = &at.model.tendons[index];
        tendon.range.is_some()
            || tendon.friction_loss > 0.0
            || self.gains(at.model, at.loops, at.ctrl, index).added_mass(1.0) > 0.0
    }

    fn acts(&self, at: &Present<'_>, index: usize) -> bool {
        at.model.tendons[index].friction_loss > 0.0
    }

    fn gaps<'a>(
        &'a self,
        at: &Present<'a>,
        index: usize,
        v: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let tendon = &at.model.tendons[index];
        sides(tendon, &at.loops.q).map(move |side| (side.gap, side.sign * tendon.path.rate(v)))
    }

    fn stiffness(&self, mass: &mut InverseMass<'_>, ctrl: &[f64], index: usize, h: f64) -> f64 {
        let model = mass.model;
        let added = self.gains(model, mass.loops, ctrl, index).added_mass(h);
        if added <= 0.0 {
            return 0.0;
        }
        // The trace of (M + g w^T w)^-1 g w^T w, by Sherman and Morrison.
        let ratio = added * mass.along(|| row(&model.tendons[index], 1.0));
        ratio / (1.0 + ratio)
    }

    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        self.push_limits(rows, at, index, level);
        if let Level::Velocity(ahead) = level {
            self.push_friction(rows, at, index, ahead.duration);
            self.push_tension(rows, at, index, &ahead);
        }
    }

    fn position_error(&self, at: &Present<'_>, index: usize) -> PositionError {
        let tendon = &at.model.tendons[index];
        let angular = tendon.path.is_angular(at.model);
        PositionError::of_gaps(sides(tendon, &at.loops.q).map(|side| side.gap), angular)
    }
}
