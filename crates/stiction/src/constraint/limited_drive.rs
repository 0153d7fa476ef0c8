//! Drives whose force has limits and which resist motion, where they may reach a limit within a step: rows with a bounded impulse.
//!
//! # Problem
//! Under the contact rule what a drive does is the force of the end of the step, within its limits. Along the velocity `u` on which it
//! acts, with the force `f` that it would have at the beginning without limits and its stiffness `k` and damping `d`,
//!
//! ```text
//! f+ = clamp(f - k h u+ - d (u+ - u)),        clamp(f) in the range of the force.
//! ```
//!
//! `clamp(f)` is in the free velocity; the impulse `lambda = h (f+ - clamp(f))` of the rest obeys, with `g = h d + h^2 k`,
//!
//! ```text
//! w = u+ - (h (f - clamp(f)) + h d u) / g + lambda / g
//! h (low - clamp(f)) <= lambda <= h (high - clamp(f)),    w >= 0 at the lower bound, w <= 0 at the upper, w = 0 between:
//! ```
//!
//! the law of dry friction with other bounds and the compliance `1 / g`. A drive that counts as a constant force, since it is at a limit
//! when the step begins, overshoots by what it gains in the step, and that for ever where it swings around its target.
//!
//! # Method
//! 1. A drive within its limits at the beginning is taken as implicit, one at a limit as a constant force; the free velocity follows.
//! 2. Where nothing else acts, that is the answer if the forces of the end confirm it. Where they do not, or contacts and the like may
//!    change the velocity, drives that may reach or leave a limit at up to twice the speeds expected get the row.
//!
//! Implicit drives on joints of trees are part of the mass matrix; those on tendons and joints of loops are bilateral rows, as in
//! [`super::tendon`].

use super::closure::coordinates::Loops;
use super::kind::{Constraint, Implicit, InverseMass, Level, Present, StepAhead};
use super::limit::{joint_ranks, name_ranks};
use super::passage::{Passage, Rates};
use super::rows::{BlockKey, RowKind, Rows};
use super::tendon::Gains;
use crate::contact::BlockKind;
use crate::dynamics::drive::{clamp_force, drives_of, is_single, unlimited_force};
use crate::model::{Actuator, Model, Transmission, TreeId};

/// How a step treats a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Treatment {
    /// At a limit, all the time: its force is known.
    Constant,
    /// Within its limits: the force of the end, whatever that is.
    Linear,
    /// The force of the end, within its limits.
    Bounded,
}

/// A drive that has limits and gains.
#[derive(Clone, Debug)]
struct LimitedDrive {
    actuator: usize,
    /// Place of what it acts on among the names of joints or tendons, and its own among all such drives.
    rank: u32,
    number: u32,
    treatment: Treatment,
}

/// All such drives, in the order of their names.
#[derive(Clone, Debug)]
pub(crate) struct LimitedDrives {
    drives: Vec<LimitedDrive>,
    /// Per actuator: its place there.
    places: Vec<Option<usize>>,
}

/// A drive along the velocity on which it acts: its force without limits, what of it resists, and the range of the force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DriveLaw {
    pub(crate) force: f64,
    pub(crate) gains: Gains,
    pub(crate) range: [f64; 2],
}

impl DriveLaw {
    /// Of an actuator at coordinates and velocities of trees and loops.
    pub(crate) fn new(model: &Model, actuator: &Actuator, control: f64, q: &[f64], v: &[f64]) -> Self {
        let (value, rate) = along(model, actuator, q, v);
        let gear = actuator.gear[0];
        let (force, slopes) = unlimited_force(actuator, control, gear * value, gear * rate);
        let [position, rate] = slopes.map(|slope| gear * gear * (-slope).max(0.0));
        let range = match actuator.force_range {
            Some([low, high]) if gear < 0.0 => [gear * high, gear * low],
            Some([low, high]) => [gear * low, gear * high],
            None => [f64::NEG_INFINITY, f64::INFINITY],
        };
        Self { force: gear * force, gains: Gains { rate, position }, range }
    }

    fn clamp(&self, force: f64) -> f64 {
        force.clamp(self.range[0], self.range[1])
    }

    /// The force without limits after `h` seconds in which the velocity goes from one value to another.
    fn at_end(&self, h: f64, [now, then]: [f64; 2]) -> f64 {
        self.force - self.gains.position * h * then - self.gains.rate * (then - now)
    }

    /// Whether a force is treated rightly as the treatment does, without a row.
    fn admits(&self, treatment: Treatment, force: f64) -> bool {
        match treatment {
            Treatment::Constant => self.clamp(force) == self.clamp(self.force),
            Treatment::Linear => self.clamp(force) == force,
            Treatment::Bounded => true,
        }
    }
}

/// Coordinate and velocity on which an actuator acts.
fn along(model: &Model, actuator: &Actuator, q: &[f64], v: &[f64]) -> (f64, f64) {
    match actuator.transmission {
        Transmission::Joint(link) => (q[model.links[link].q], v[model.links[link].v]),
        Transmission::Loop(joint) => (q[model.loop_joints[joint].q], v[model.loop_joints[joint].v]),
        Transmission::Tendon(tendon) => {
            let path = &model.tendons[tendon].path;
            (path.value(q), path.rate(v))
        }
    }
}

/// The same velocity as a row on all velocities.
fn row<'a>(model: &'a Model, actuator: &Actuator) -> impl Iterator<Item = (usize, f64)> + use<'a> {
    let (single, tendon) = match actuator.transmission {
        Transmission::Joint(link) => (Some(model.links[link].v), None),
        Transmission::Loop(joint) => (Some(model.loop_joints[joint].v), None),
        Transmission::Tendon(tendon) => (None, Some(&model.tendons[tendon].path.terms)),
    };
    let terms = tendon.into_iter().flatten().map(|term| (term.dof, term.coefficient));
    single.map(|dof| (dof, 1.0)).into_iter().chain(terms)
}

fn is_angular(model: &Model, actuator: &Actuator) -> bool {
    match actuator.transmission {
        Transmission::Joint(link) => model.links[link].kind.is_angular(),
        Transmission::Loop(joint) => model.loop_joints[joint].kind.is_angular(),
        Transmission::Tendon(tendon) => model.tendons[tendon].path.is_angular(model),
    }
}

/// What the treatment of drives follows from: velocities at the beginning are those of the loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) model: &'a Model,
    pub(crate) loops: &'a Loops,
    pub(crate) ctrl: &'a [f64],
    pub(crate) h: f64,
    /// Velocities at the end, as far as is known.
    pub(crate) v: &'a [f64],
}

impl Expected<'_> {
    fn law(&self, actuator: usize) -> DriveLaw {
        let drive = &self.model.actuators[actuator];
        DriveLaw::new(self.model, drive, self.ctrl[actuator], &self.loops.q, &self.loops.v)
    }

    /// The velocity along a drive now and at the end.
    fn rates(&self, actuator: usize) -> [f64; 2] {
        [&self.loops.v, self.v]
            .map(|v| along(self.model, &self.model.actuators[actuator], &self.loops.q, v).1)
    }
}

impl LimitedDrives {
    /// Code of the keys of rows along tendons; [`Constraint::CODE`] is that of rows along joints.
    pub(crate) const ON_TENDONS: u32 = 6;

    /// Whether a key is that of a row of a drive.
    pub(crate) fn is_key(key: &BlockKey) -> bool {
        key.code().is_some_and(|code| code == Self::CODE || code == Self::ON_TENDONS)
    }

    /// Whether a drive is one of these.
    pub(crate) fn contains(&self, actuator: usize) -> bool {
        self.places[actuator].is_some()
    }

    /// Whether the row of a drive is all of it that is implicit in the present step, or the last one.
    pub(crate) fn is_bounded(&self, actuator: usize) -> bool {
        self.places[actuator].is_some_and(|place| self.drives[place].treatment == Treatment::Bounded)
    }

    /// Step 1.
    pub(crate) fn begin(&mut self, at: Expected<'_>) {
        for drive in &mut self.drives {
            let law = at.law(drive.actuator);
            let within = law.clamp(law.force) == law.force;
            drive.treatment = if within { Treatment::Linear } else { Treatment::Constant };
        }
    }

    /// The trees of drives whose treatment the expected velocities refute.
    pub(crate) fn for_each_refuted(&self, at: Expected<'_>, mut each: impl FnMut(TreeId)) {
        for drive in &self.drives {
            let law = at.law(drive.actuator);
            if !law.admits(drive.treatment, law.at_end(at.h, at.rates(drive.actuator))) {
                trees(at.model, drive.actuator).for_each(&mut each);
            }
        }
    }

    /// Step 2, of drives on trees of which `open` holds. Tells the trees whose free velocity changes with that.
    pub(crate) fn bound(
        &mut self,
        at: Expected<'_>,
        open: impl Fn(TreeId) -> bool,
        mut each: impl FnMut(TreeId),
    ) {
        for drive in &mut self.drives {
            let (law, [now, then]) = (at.law(drive.actuator), at.rates(drive.actuator));
            let most = 2.0 * now.abs().max(then.abs());
            let admitted =
                [-most, most].iter().all(|&u| law.admits(drive.treatment, law.at_end(at.h, [now, u])));
            if admitted || law.gains.added_mass(at.h) <= 0.0 || !trees(at.model, drive.actuator).any(&open) {
                continue;
            }
            let in_matrix = matches!(at.model.actuators[drive.actuator].transmission, Transmission::Joint(_));
            if in_matrix && drive.treatment == Treatment::Linear {
                trees(at.model, drive.actuator).for_each(&mut each);
            }
            drive.treatment = Treatment::Bounded;
        }
    }

    /// The impulse of a drive in a passage, along the velocity of this number of its joint or along its tendon.
    pub(crate) fn impulse(
        &self,
        model: &Model,
        actuator: usize,
        control: f64,
        passage: &Passage<'_>,
        (rates, number): (&Rates, usize),
    ) -> f64 {
        let drive = &model.actuators[actuator];
        let gear = drive.gear[number];
        if !is_single(model, drive) {
            let force = clamp_force(drive, unlimited_force(drive, control, 0.0, 0.0).0);
            return rates.impulse(gear * force, Gains { rate: 0.0, position: 0.0 });
        }
        let law = DriveLaw::new(model, drive, control, passage.q, passage.v);
        if passage.implicit == Implicit::All && self.is_bounded(actuator) {
            return law.clamp(rates.impulse(law.force, law.gains) / passage.duration) * passage.duration;
        }
        let clamped = law.clamp(law.force);
        let gains = if clamped == law.force { law.gains } else { Gains { rate: 0.0, position: 0.0 } };
        rates.impulse(clamped, gains)
    }

    fn key(&self, model: &Model, drive: &LimitedDrive) -> (BlockKey, BlockKey) {
        let code = match model.actuators[drive.actuator].transmission {
            Transmission::Joint(_) | Transmission::Loop(_) => Self::CODE,
            Transmission::Tendon(_) => Self::ON_TENDONS,
        };
        let of = [BlockKey::bilateral, BlockKey::friction].map(|key| key(drive.rank, code, drive.number));
        (of[0], of[1])
    }

    /// Adds the bilateral row of the implicit part of a force within its limits.
    fn push_linear(&self, rows: &mut Rows, at: &Present<'_>, drive: &LimitedDrive, ahead: &StepAhead<'_>) {
        let (model, loops) = (at.model, at.loops);
        let actuator = &model.actuators[drive.actuator];
        let law = DriveLaw::new(model, actuator, at.ctrl[drive.actuator], &loops.q, &loops.v);
        let added = ahead.implicit.added_mass(law.gains, ahead.duration);
        if added > 0.0 {
            let now = along(model, actuator, &loops.q, &loops.v).1;
            let drift = loops.drift_of(row(model, actuator));
            let target = drift - ahead.duration * law.gains.rate / added * now;
            let key = self.key(model, drive).0;
            rows.push_dofs(model, key, RowKind::Bilateral, target, loops.expand(row(model, actuator)));
            rows.comply(1.0 / added);
            rows.set_angular(is_angular(model, actuator));
        }
    }

    /// Adds the row with a bounded impulse.
    fn push_bounded(&self, rows: &mut Rows, at: &Present<'_>, drive: &LimitedDrive, ahead: &StepAhead<'_>) {
        let (model, loops, h) = (at.model, at.loops, ahead.duration);
        let actuator = &model.actuators[drive.actuator];
        let law = DriveLaw::new(model, actuator, at.ctrl[drive.actuator], &loops.q, &loops.v);
        let added = law.gains.added_mass(h);
        if added > 0.0 {
            let now = along(model, actuator, &loops.q, &loops.v).1;
            let clamped = law.clamp(law.force);
            let drift = loops.drift_of(row(model, actuator));
            let target = drift - h * (law.force - clamped + law.gains.rate * now) / added;
            let [low, high] = law.range;
            let kind = RowKind::Unilateral(BlockKind::Friction { bound: 0.5 * h * (high - low) });
            let key = self.key(model, drive).1;
            rows.push_dofs(model, key, kind, target, loops.expand(row(model, actuator)));
            rows.comply(1.0 / added);
            rows.center(h * (0.5 * (low + high) - clamped));
            rows.set_angular(is_angular(model, actuator));
        }
    }
}

/// Trees of a drive; some may come up more than once.
fn trees(model: &Model, actuator: usize) -> impl Iterator<Item = TreeId> + '_ {
    let (links, tendon) = match model.actuators[actuator].transmission {
        Transmission::Joint(link) => ([Some(link), None], None),
        Transmission::Loop(joint) => (model.loop_joints[joint].links, None),
        Transmission::Tendon(tendon) => ([None; 2], Some(&model.tendons[tendon].path.terms)),
    };
    let terms = tendon.into_iter().flatten().map(|term| term.link);
    links.into_iter().flatten().chain(terms).map(|link| model.links[link].tree)
}

impl Constraint for LimitedDrives {
    const CODE: u32 = 5;

    fn new(model: &Model) -> Self {
        let (joints, tendons) =
            (joint_ranks(model), name_ranks(model.tendons.iter().map(|t| t.name.as_str())));
        let rank = |transmission: Transmission| match transmission {
            Transmission::Joint(link) => joints[link.index()],
            Transmission::Loop(joint) => joints[model.links.len() + joint.index()],
            Transmission::Tendon(tendon) => tendons[tendon.index()],
        };
        let mut places = vec![None; model.actuators.len()];
        let mut drives = Vec::new();
        for actuator in drives_of(model, 1, |_| Some(0)).into_iter().flatten() {
            let contents = &model.actuators[actuator];
            let has_gains = contents.gain[1..].iter().chain(&contents.bias[1..]).any(|gain| *gain != 0.0);
            if has_gains
                && contents.gear[0] != 0.0
                && contents.force_range.is_some()
                && is_single(model, contents)
            {
                places[actuator] = Some(drives.len());
                let (rank, number) = (rank(contents.transmission), drives.len() as u32);
                drives.push(LimitedDrive { actuator, rank, number, treatment: Treatment::Linear });
            }
        }
        Self { drives, places }
    }

    fn count(&self, _model: &Model) -> usize {
        self.drives.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("drives with limited force ('{}')", model.actuators[self.drives[index].actuator].name)
    }

    /// Drives are explicit where there are no velocities of the end.
    fn supports(&self, _level: Level<'_>) -> bool {
        true
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        trees(model, self.drives[index].actuator)
    }

    fn may_act(&self, at: &Present<'_>, index: usize) -> bool {
        let actuator = self.drives[index].actuator;
        let drive = &at.model.actuators[actuator];
        let law = DriveLaw::new(at.model, drive, at.ctrl[actuator], &at.loops.q, &at.loops.v);
        law.gains.added_mass(1.0) > 0.0
    }

    fn stiffness(&self, mass: &mut InverseMass<'_>, ctrl: &[f64], index: usize, h: f64) -> f64 {
        let (model, drive) = (mass.model, &self.drives[index]);
        let actuator = &model.actuators[drive.actuator];
        let in_matrix = matches!(actuator.transmission, Transmission::Joint(_));
        if drive.treatment == Treatment::Constant || in_matrix && drive.treatment == Treatment::Linear {
            return 0.0;
        }
        let control = ctrl[drive.actuator];
        let law = DriveLaw::new(model, actuator, control, &mass.loops.q, &mass.loops.v);
        let ratio = law.gains.added_mass(h) * mass.along(|| row(model, actuator));
        ratio / (1.0 + ratio)
    }

    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let Level::Velocity(ahead) = level else { return };
        let drive = &self.drives[index];
        let in_matrix = matches!(at.model.actuators[drive.actuator].transmission, Transmission::Joint(_));
        match (ahead.implicit, drive.treatment) {
            (Implicit::All, Treatment::Bounded) => self.push_bounded(rows, at, drive, &ahead),
            (Implicit::All, Treatment::Linear) if !in_matrix => self.push_linear(rows, at, drive, &ahead),
            (Implicit::Damping, _) if !in_matrix => {
                let actuator = &at.model.actuators[drive.actuator];
                let control = at.ctrl[drive.actuator];
                let law = DriveLaw::new(at.model, actuator, control, &at.loops.q, &at.loops.v);
                if law.clamp(law.force) == law.force {
                    self.push_linear(rows, at, drive, &ahead);
                }
            }
            _ => {}
        }
    }
}
