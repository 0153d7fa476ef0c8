//! Dry friction of the joints of trees: one row per dof, whose impulse is bounded.

use super::kind::{Constraint, Level, Present};
use super::limit::joint_ranks;
use super::rows::{BlockKey, RowKind, Rows};
use crate::contact::BlockKind;
use crate::model::{Model, TreeId};

/// The dofs with dry friction.
#[derive(Clone, Debug)]
pub(crate) struct JointFriction {
    dofs: Vec<usize>,
    /// Places of the joints among all joints' names.
    ranks: Vec<u32>,
}

impl Constraint for JointFriction {
    const CODE: u32 = 1;

    fn new(model: &Model) -> Self {
        let has_friction = |dof: &usize| model.dofs[*dof].friction_loss > 0.0;
        Self { dofs: (0..model.nv()).filter(has_friction).collect(), ranks: joint_ranks(model) }
    }

    fn count(&self, _model: &Model) -> usize {
        self.dofs.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("dry friction of joints ('{}')", model.links[model.dofs[self.dofs[index]].link].name)
    }

    fn supports(&self, level: Level<'_>) -> bool {
        matches!(level, Level::Displacement { .. } | Level::Velocity(_))
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        std::iter::once(model.links[model.dofs[self.dofs[index]].link].tree)
    }

    fn may_act(&self, _at: &Present<'_>, _index: usize) -> bool {
        true
    }

    fn acts(&self, _at: &Present<'_>, _index: usize) -> bool {
        true
    }

    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let Level::Velocity(ahead) = level else { return };
        let dof = self.dofs[index];
        let contents = &at.model.dofs[dof];
        let number = dof - at.model.links[contents.link].v;
        let key = BlockKey::friction(self.ranks[contents.link.index()], Self::CODE, number as u32);
        let kind =
            RowKind::Unilateral(BlockKind::Friction { bound: ahead.duration * contents.friction_loss });
        rows.push_dofs(at.model, key, kind, 0.0, [(dof, 1.0)].into_iter());
        rows.set_angular(at.model.links[contents.link].kind.is_angular());
    }
}
