//! What constraint rows belong to besides contacts: joints, tendons, cables and equalities, found by the keys of their blocks.

use super::cable::Cables;
use super::closure::joint::LoopJoints;
use super::equality::Equalities;
use super::joint_friction::JointFriction;
use super::kind::Constraint;
use super::limit::{JointLimits, joint_ranks, name_ranks};
use super::limited_drive::LimitedDrives;
use super::rows::BlockKey;
use super::tendon::Tendons;
use crate::model::Model;

/// What has rows besides contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowSource {
    /// A joint, of a tree or of a loop.
    Joint,
    /// A fixed tendon.
    Tendon,
    /// A cable.
    Cable,
    /// An equality.
    Equality,
}

impl RowSource {
    /// All of them.
    pub const ALL: [RowSource; 4] =
        [RowSource::Joint, RowSource::Tendon, RowSource::Cable, RowSource::Equality];

    /// Words, by code.
    pub const KINDS: [&'static str; 4] = ["joint", "tendon", "cable", "equality"];

    /// Code in [`RowSource::KINDS`].
    pub fn kind(self) -> usize {
        self as usize
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        Self::KINDS[self.kind()]
    }

    /// Names of all of this kind in a model; those of joints of trees before those of loops.
    pub fn names(self, model: &Model) -> impl ExactSizeIterator<Item = &str> {
        let count = match self {
            RowSource::Joint => model.links.len() + model.loop_joints.len(),
            RowSource::Tendon => model.tendons.len(),
            RowSource::Cable => model.cables.len(),
            RowSource::Equality => model.equalities.len(),
        };
        (0..count).map(move |index| self.name_of(model, index))
    }

    /// Name of one of this kind.
    pub(crate) fn name_of(self, model: &Model, index: usize) -> &str {
        match self {
            RowSource::Joint => match index.checked_sub(model.links.len()) {
                None => &model.links[index].name,
                Some(of_loop) => &model.loop_joints[of_loop].name,
            },
            RowSource::Tendon => &model.tendons[index].name,
            RowSource::Cable => &model.cables[index].name,
            RowSource::Equality => &model.equalities[index].name,
        }
    }
}

/// The sources in the orders of their names, by which keys know them.
#[derive(Clone, Debug)]
pub(crate) struct SourceOrder {
    joints: Vec<usize>,
    tendons: Vec<usize>,
    cables: Vec<usize>,
    equalities: Vec<usize>,
}

impl SourceOrder {
    pub(crate) fn new(model: &Model) -> Self {
        let order = |source: RowSource| by_rank(&name_ranks(source.names(model)));
        Self {
            joints: by_rank(&joint_ranks(model)),
            tendons: order(RowSource::Tendon),
            cables: order(RowSource::Cable),
            equalities: order(RowSource::Equality),
        }
    }

    /// What a block is of, and its index among those of its kind; `None` of contacts.
    pub(crate) fn find(&self, key: &BlockKey) -> Option<(RowSource, usize)> {
        /// Kinds that share the order of the joints' names.
        const OF_JOINTS: [u32; 4] =
            [JointLimits::CODE, JointFriction::CODE, LoopJoints::CODE, LimitedDrives::CODE];
        let (source, order) = match key.code()? {
            Equalities::CODE => (RowSource::Equality, &self.equalities),
            code if OF_JOINTS.contains(&code) => (RowSource::Joint, &self.joints),
            Tendons::CODE | LimitedDrives::ON_TENDONS => (RowSource::Tendon, &self.tendons),
            Cables::CODE => (RowSource::Cable, &self.cables),
            _ => return None,
        };
        Some((source, *order.get(key.rank() as usize)?))
    }
}

/// Whose rank each rank is.
fn by_rank(ranks: &[u32]) -> Vec<usize> {
    let mut order = vec![0; ranks.len()];
    for (index, &rank) in ranks.iter().enumerate() {
        order[rank as usize] = index;
    }
    order
}
