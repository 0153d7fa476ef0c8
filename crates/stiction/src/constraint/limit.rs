//! Limits of the joints of trees, as a kind of constraint.

use super::kind::{Constraint, Level, Present};
use super::position_error::PositionError;
use super::rows::{BlockKey, RowKind, Rows};
use crate::contact::BlockKind;
use crate::model::{JointKind, Link, Model, TreeId};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// One side of a joint limit: how far it is (rad or m; negative when crossed) and the row that opens it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitSide {
    pub(crate) upper: bool,
    pub(crate) gap: f64,
    /// Coefficients on the joint's generalized velocities.
    pub(crate) row: [f64; 3],
}

/// The sides of the limit of any joint whose coordinates begin a slice.
pub(crate) fn sides(kind: &JointKind, range: Option<[f64; 2]>, q: &[f64]) -> [Option<LimitSide>; 2] {
    // Without width it is an equality.
    let Some([low, high]) = range.filter(|[low, high]| low < high) else { return [None, None] };
    match kind {
        JointKind::Hinge { .. } | JointKind::Slide { .. } => {
            let value = q[0];
            [
                Some(LimitSide { upper: false, gap: value - low, row: [1.0, 0.0, 0.0] }),
                Some(LimitSide { upper: true, gap: high - value, row: [-1.0, 0.0, 0.0] }),
            ]
        }
        JointKind::Ball => {
            let rotation = &q[..4];
            let q = UnitQuaternion::new_normalize(Quaternion::new(
                rotation[0],
                rotation[1],
                rotation[2],
                rotation[3],
            ));
            let (vector, w) = (q.imag(), q.w);
            let vector = if w < 0.0 { -vector } else { vector };
            let angle = 2.0 * libm::atan2(vector.norm(), w.abs());
            // The rate of the rotation angle is the angular velocity along the rotation axis, which link and parent
            // share. At the rest orientation there is no axis; any serves, for the limit is far away.
            let axis = vector.try_normalize(1e-12).unwrap_or_else(Vector3::x);
            [None, Some(LimitSide { upper: true, gap: high - angle, row: [-axis.x, -axis.y, -axis.z] })]
        }
        JointKind::Free => [None, None],
    }
}

/// Along what the lower (0) or upper (1) end of the range of a joint of a tree acts, with the joint's coordinates first in `q`.
pub(crate) fn limit_axis(link: &Link, q: &[f64], end: usize) -> [f64; 3] {
    let found = sides(&link.kind, link.range, q).into_iter().flatten();
    let side = found.into_iter().find(|side| usize::from(side.upper) == end);
    side.map_or([0.0; 3], |side| side.row)
}

/// The joints with limits.
#[derive(Clone, Debug)]
pub(crate) struct JointLimits {
    links: Vec<usize>,
    /// Places of the joints among all joints' names.
    ranks: Vec<u32>,
}

impl JointLimits {
    fn link<'m>(&self, model: &'m Model, index: usize) -> &'m Link {
        &model.links[self.links[index]]
    }

    fn sides(&self, at: &Present<'_>, index: usize) -> impl Iterator<Item = LimitSide> + use<> {
        let link = self.link(at.model, index);
        sides(&link.kind, link.range, &at.loops.q[link.q..]).into_iter().flatten()
    }
}

/// Velocity along a limit's row.
fn rate(link: &Link, side: &LimitSide, v: &[f64]) -> f64 {
    (0..link.kind.nv().min(3)).map(|i| side.row[i] * v[link.v + i]).sum()
}

impl Constraint for JointLimits {
    const CODE: u32 = 1;

    fn new(model: &Model) -> Self {
        let has_limit = |link: &usize| model.links[*link].range.is_some();
        Self { links: (0..model.links.len()).filter(has_limit).collect(), ranks: joint_ranks(model) }
    }

    fn count(&self, _model: &Model) -> usize {
        self.links.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("joint limits ('{}')", self.link(model, index).name)
    }

    fn supports(&self, level: Level<'_>) -> bool {
        matches!(level, Level::Displacement { .. } | Level::Velocity(_))
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        std::iter::once(self.link(model, index).tree)
    }

    fn may_act(&self, _at: &Present<'_>, _index: usize) -> bool {
        true
    }

    fn gaps<'a>(
        &'a self,
        at: &Present<'a>,
        index: usize,
        v: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let link = self.link(at.model, index);
        self.sides(at, index).map(move |side| (side.gap, rate(link, &side, v)))
    }

    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let link = self.link(at.model, index);
        let dofs = || link.v..link.v + link.kind.nv();
        for side in self.sides(at, index) {
            let bias = level.limit_bias(side.gap, |ahead| {
                dofs().map(|d| ahead.free[d].abs().max(at.loops.v[d].abs())).sum()
            });
            let Some(bias) = bias else { continue };
            let key = BlockKey::limit(self.ranks[self.links[index]], Self::CODE, side.upper);
            let kind = RowKind::Unilateral(BlockKind::Limit { bias });
            rows.push_dofs(at.model, key, kind, 0.0, dofs().zip(side.row));
            rows.set_angular(link.kind.is_angular());
        }
    }

    fn position_error(&self, at: &Present<'_>, index: usize) -> PositionError {
        let angular = self.link(at.model, index).kind.is_angular();
        PositionError::of_gaps(self.sides(at, index).map(|side| side.gap), angular)
    }
}

/// Ranks of the joints in name order, those of loops after those of trees.
pub(crate) fn joint_ranks(model: &Model) -> Vec<u32> {
    let loops = model.loop_joints.iter().map(|joint| joint.name.as_str());
    name_ranks(model.links.iter().map(|l| l.name.as_str()).chain(loops))
}

/// Place of each name in the sorted order of all.
pub(crate) fn name_ranks<'a>(names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let names: Vec<&str> = names.collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&i| names[i]);
    let mut ranks = vec![0; names.len()];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i] = rank as u32;
    }
    ranks
}
