//! The rows of a step besides those of contacts, each with all that its law needs to be judged again.
//!
//! # Problem
//! A row holds the impulse `lambda` of a limit, of dry friction, of an equality, or of what the implicit rule adds of forces, and
//! its velocity `u = J v + drift`. With the speed `w = u + bias + compliance lambda` the law of all of them is that of a box:
//!
//! ```text
//! lower <= lambda <= upper,    w >= 0 where lambda < upper,    w <= 0 where lambda > lower.
//! ```
//!
//! | law | lower | upper | bias | compliance |
//! |---|---|---|---|---|
//! | limit | 0 | none | gap / h | 0 |
//! | friction | -h f | h f | 0 | 0 |
//! | equality | none | none | 0 | 0; where it gives way, its softness |
//! | action | none; of a drive within its limits h (low - f) | none; h (high - f) | 0 | 1 / (h d + h^2 k + rotor) |

use crate::constraint::RowSource;
use crate::constraint::limited_drive::LimitedDrives;
use crate::constraint::row_source::SourceOrder;
use crate::constraint::rows::{BlockKey, RowBlock, RowKind, Rows};
use crate::contact::BlockKind;
use crate::model::Model;
use crate::report::acts::Act;

/// The law of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowLaw {
    /// One end of a range: pushes, and only where the end is reached.
    Limit,
    /// Dry friction of a joint or tendon: bounded, against the velocity.
    Friction,
    /// An equality: holds both ways.
    Equality,
    /// The implicit part of springs, dampers, drives and rotors of a joint of a loop or a tendon, or of a drive that may reach a limit of
    /// its force: gives way by its compliance.
    Action,
}

impl RowLaw {
    /// Words, by code.
    pub const KINDS: [&'static str; 4] = ["limit", "friction", "equality", "action"];

    /// Code in [`RowLaw::KINDS`].
    pub fn kind(self) -> usize {
        self as usize
    }
}

/// A constraint row of the last step that is not a contact's: all of it ([`Simulation::row_forces`](crate::sim::Simulation::row_forces)), or
/// one act of several ([`Simulation::row_acts`](crate::sim::Simulation::row_acts)). The law holds of an act; of the whole step impulse,
/// bounds and work are sums, and all else is as of the last one.
///
/// Trees that move by the free rule have none: their equalities act in the stages of that rule.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RowForce {
    /// Its law.
    pub law: RowLaw,
    /// What it is of, and its index in [`RowSource::names`].
    pub source: RowSource,
    /// See `source`.
    pub index: usize,
    /// Number of the row in its source: of limits 0 for the lower end and 1 for the upper; of friction and actions the velocity of the
    /// joint; of equalities that hold points first the position along three axes, then the orientation.
    pub number: usize,
    /// Whether velocities are rad/s and impulses N m s, or else m/s and N s. A closure of several joints may hold a combination of a
    /// turn and a shift (for a turn by 1 rad counts as much as a shift by 1 m): it is then what is more of it.
    pub angular: bool,
    /// Impulse along the row (N s or N m s).
    pub impulse: f64,
    /// Velocity along the row of which the laws hold, with what is prescribed of it (m/s or rad/s): that after the step; of the
    /// impulses with which [`Stepper::Rattle`](crate::settings::Stepper::Rattle) begins it the displacement of the step by its length.
    pub velocity: f64,
    /// The same before the impulses: as applied forces and, for limits and friction, the equalities alone would have it at the end of
    /// the step.
    pub before: f64,
    /// The same before the step.
    pub start: f64,
    /// That of the bodies after the impulse: `velocity`, but where that is a displacement.
    pub after: f64,
    /// How long the forces of which the impulse is the sum act (s): the step, or a part of it.
    pub duration: f64,
    /// The prescribed part of these velocities: belts, prescribed bodies, functions of time and, with Baumgarte's stabilisation,
    /// the error that is removed.
    pub drift: f64,
    /// Least impulse; minus infinity without a bound.
    pub lower: f64,
    /// Largest impulse; infinity without a bound.
    pub upper: f64,
    /// What is left of a limit's range over the step (m/s or rad/s); else 0.
    pub bias: f64,
    /// How far the row gives way (m/s or rad/s per N s or N m s).
    pub compliance: f64,
    /// What the impulse did along the row, of each act `1/2 impulse (start + after)` (J). What friction takes is negative.
    pub work: f64,
    /// What the row is of, and its number there; the whole step (s).
    pub(crate) key: (BlockKey, usize),
    pub(crate) step: f64,
}

impl Act for RowForce {
    type Key = (BlockKey, usize);

    fn key(&self) -> Self::Key {
        self.key
    }

    fn is_whole(&self) -> bool {
        self.duration == self.step
    }

    fn whole(self) -> Self {
        Self { duration: self.step, ..self }
    }

    fn add(&mut self, later: &Self) {
        *self = Self {
            impulse: self.impulse + later.impulse,
            lower: self.lower + later.lower,
            upper: self.upper + later.upper,
            start: self.start,
            duration: self.step,
            work: self.work + later.work,
            ..*later
        };
    }

    fn take_told(&mut self, _act: &Self) {}
}

impl RowForce {
    /// Name of what it is of.
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        self.source.name_of(model, self.index)
    }
}

/// The values of all rows of a step: before it, without the impulses, and after it (m/s or rad/s).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowVelocities<'a> {
    pub(crate) start: &'a [f64],
    pub(crate) free: &'a [f64],
    /// Of which the laws hold, and of the bodies after the impulses.
    pub(crate) laws: &'a [f64],
    pub(crate) after: &'a [f64],
}

/// The rows of a block with their impulses, whose forces act for `duration` of a `step` (s); none of contacts.
pub(crate) fn row_forces<'a>(
    model: &Model,
    order: &SourceOrder,
    rows: &'a Rows,
    block: &'a RowBlock,
    velocities: RowVelocities<'a>,
    [duration, step]: [f64; 2],
) -> impl Iterator<Item = RowForce> + use<'a> {
    let found = order.find(&block.key);
    let [lower, upper, bias] = match block.kind {
        RowKind::Unilateral(BlockKind::Limit { bias }) => [0.0, f64::INFINITY, bias],
        RowKind::Unilateral(BlockKind::Friction { bound }) => {
            [block.center - bound, block.center + bound, 0.0]
        }
        _ => [f64::NEG_INFINITY, f64::INFINITY, 0.0],
    };
    let law = match block.kind {
        _ if block.compliance > 0.0 => RowLaw::Action,
        RowKind::Unilateral(BlockKind::Friction { .. }) => RowLaw::Friction,
        RowKind::Unilateral(_) => RowLaw::Limit,
        RowKind::Bilateral => RowLaw::Equality,
    };
    let compliances = rows.compliances(model, block);
    // The numbers of keys tell drives apart, which act along the first velocity of a joint.
    let first = if LimitedDrives::is_key(&block.key) { 0 } else { block.key.number() };
    found.into_iter().flat_map(move |(source, index)| {
        (0..block.count).map(move |r| {
            let row = block.row + r;
            RowForce {
                law,
                source,
                index,
                number: first + r,
                angular: block.is_angular(r),
                impulse: rows.impulse[row],
                velocity: velocities.laws[row],
                before: velocities.free[row],
                start: velocities.start[row],
                after: velocities.after[row],
                duration,
                drift: rows.prescribed[row],
                lower,
                upper,
                bias,
                compliance: compliances.get(r).copied().unwrap_or(0.0),
                work: 0.5 * rows.impulse[row] * (velocities.start[row] + velocities.after[row]),
                key: (block.key, r),
                step,
            }
        })
    })
}
