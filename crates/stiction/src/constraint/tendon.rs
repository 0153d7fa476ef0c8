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

use crate::constraint::closure::coordinates::Loops;
use crate::constraint::rows::{BlockKey, RowKind, Rows};
use crate::contact::BlockKind;
use crate::model::{Model, Tendon, Term};

/// One side of a tendon's limit: how far it is (m or rad; negative when crossed), and the sign of its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TendonSide {
    pub(crate) upper: bool,
    pub(crate) gap: f64,
    pub(crate) sign: f64,
}

/// The sides of a tendon's limit at `q`, with the coordinates of loops.
pub(crate) fn tendon_sides(tendon: &Tendon, q: &[f64]) -> [Option<TendonSide>; 2] {
    let Some([low, high]) = tendon.range else { return [None, None] };
    let length = tendon.path.value(q);
    [
        Some(TendonSide { upper: false, gap: length - low, sign: 1.0 }),
        Some(TendonSide { upper: true, gap: high - length, sign: -1.0 }),
    ]
}

/// Trees whose joints a tendon spans; some may come up more than once. Of a joint of a loop one tree: the loop ties the other.
pub(crate) fn tendon_trees<'m>(model: &'m Model, tendon: &'m Tendon) -> impl Iterator<Item = usize> + 'm {
    tendon.path.terms.iter().map(|term| model.links[term.link].tree)
}

/// Whether a tendon has joints in more than one tree.
pub(crate) fn spans_trees(model: &Model, tendon: &Tendon) -> bool {
    let mut trees = tendon_trees(model, tendon);
    let first = trees.next();
    trees.any(|tree| Some(tree) != first)
}

/// The row of a tendon on all velocities, those of loops among them.
pub(crate) fn row(tendon: &Tendon, sign: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
    tendon.path.terms.iter().map(move |Term { dof, coefficient, .. }| (*dof, sign * coefficient))
}

/// Adds the row of one side; `bias` as in [`BlockKind::Limit`].
pub(crate) fn push_tendon_limit(
    rows: &mut Rows,
    model: &Model,
    loops: &Loops,
    tendon: &Tendon,
    rank: u32,
    side: &TendonSide,
    bias: f64,
) {
    let key = BlockKey::tendon_limit(rank, side.upper);
    let kind = RowKind::Unilateral(BlockKind::Limit { bias });
    let drift = loops.drift_of(row(tendon, side.sign));
    rows.push_dofs(model, key, kind, drift, loops.expand(row(tendon, side.sign)));
}

/// Adds the dry friction row of a tendon for a step of `h` seconds.
pub(crate) fn push_tendon_friction(
    rows: &mut Rows,
    model: &Model,
    loops: &Loops,
    tendon: &Tendon,
    rank: u32,
    h: f64,
) {
    if tendon.friction_loss > 0.0 {
        let kind = RowKind::Unilateral(BlockKind::Friction { bound: h * tendon.friction_loss });
        let drift = loops.drift_of(row(tendon, 1.0));
        let row = loops.expand(row(tendon, 1.0));
        rows.push_dofs(model, BlockKey::tendon_friction(rank), kind, drift, row);
    }
}

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

/// Adds the row of the implicit part of the tension, for the velocities in `loops`, those of the beginning of the step.
pub(crate) fn push_tension(
    rows: &mut Rows,
    model: &Model,
    loops: &Loops,
    tendon: &Tendon,
    rank: u32,
    gains: &Gains,
    h: f64,
) {
    let added = gains.added_mass(h);
    if added > 0.0 {
        let drift = loops.drift_of(row(tendon, 1.0));
        let target = drift - (h * gains.rate / added) * tendon.path.rate(&loops.v);
        let row = loops.expand(row(tendon, 1.0));
        rows.push_dofs(model, BlockKey::tension(rank), RowKind::Bilateral, target, row);
        rows.comply(1.0 / added);
    }
}
