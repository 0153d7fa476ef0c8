//! Joint limits and joint friction as rows.

use crate::constraint::rows::{BlockKey, RowKind, Rows};
use crate::constraint::tendon::tendon_sides;
use crate::contact::BlockKind;
use crate::model::{JointKind, Link, Model};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// One side of a joint limit: how far it is (rad or m; negative when crossed) and the row that opens it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitSide {
    pub(crate) upper: bool,
    pub(crate) gap: f64,
    /// Coefficients on the joint's generalized velocities.
    pub(crate) row: [f64; 3],
}

/// The sides of a joint's limit at `q`.
pub(crate) fn limit_sides(link: &Link, q: &[f64]) -> [Option<LimitSide>; 2] {
    sides(&link.kind, link.range, &q[link.q..])
}

/// The sides of the limit of any joint whose coordinates begin a slice.
pub(crate) fn sides(kind: &JointKind, range: Option<[f64; 2]>, q: &[f64]) -> [Option<LimitSide>; 2] {
    let Some([low, high]) = range else { return [None, None] };
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

/// Velocity along a limit's row.
pub(crate) fn limit_rate(link: &Link, side: &LimitSide, v: &[f64]) -> f64 {
    (0..link.kind.nv().min(3)).map(|i| side.row[i] * v[link.v + i]).sum()
}

/// Adds the row of one side; `bias` as in [`BlockKind::Limit`].
pub(crate) fn push_limit(
    rows: &mut Rows,
    model: &Model,
    link: usize,
    rank: u32,
    side: &LimitSide,
    bias: f64,
) {
    let l = &model.links[link];
    let dofs = (0..l.kind.nv().min(3)).map(|i| (l.v + i, side.row[i]));
    let kind = RowKind::Unilateral(BlockKind::Limit { bias });
    rows.push_dofs(model, BlockKey::limit(rank, side.upper), kind, 0.0, dofs);
}

/// Adds the dry friction rows of one tree's joints for a step of `h` seconds.
pub(crate) fn push_joint_friction(rows: &mut Rows, model: &Model, ranks: &[u32], tree: usize, h: f64) {
    for dof in model.trees[tree].dofs.clone() {
        let d = &model.dofs[dof];
        if d.friction_loss > 0.0 {
            let key = BlockKey::friction(ranks[d.link], (dof - model.links[d.link].v) as u32);
            let kind = RowKind::Unilateral(BlockKind::Friction { bound: h * d.friction_loss });
            rows.push_dofs(model, key, kind, 0.0, [(dof, 1.0)].into_iter());
        }
    }
}

/// Whether a joint of the tree, or a tendon over one, has dry friction.
pub(crate) fn has_dry_friction(model: &Model, tree: usize) -> bool {
    let contents = &model.trees[tree];
    contents.dofs.clone().any(|dof| model.dofs[dof].friction_loss > 0.0)
        || contents.tendons.iter().any(|&tendon| model.tendons[tendon].friction_loss > 0.0)
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

/// Largest violation of a limit of a joint or tendon (rad or m); `q` with the coordinates of loops.
pub(crate) fn worst_violation(model: &Model, q: &[f64]) -> f64 {
    let links = model.links.iter().flat_map(|link| limit_sides(link, q));
    let loops = model.loop_joints.iter().flat_map(|joint| sides(&joint.kind, joint.range, &q[joint.q..]));
    let joints = links.chain(loops).flatten().map(|side| side.gap);
    let tendons = model.tendons.iter().flat_map(|tendon| tendon_sides(tendon, q)).flatten();
    joints.chain(tendons.map(|side| side.gap)).fold(0.0, |worst: f64, gap| worst.max(-gap))
}
