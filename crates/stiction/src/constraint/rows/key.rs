//! What identifies a block of rows from step to step and puts all rows in order.

use crate::contact::Contact;
use serde::{Deserialize, Serialize};

/// Identity of a block from step to step; its order is the order of all rows, and depends on names only: bilateral rows first,
/// then limits, friction and contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct BlockKey {
    class: Class,
    /// Place among the names of what the block is of: equality, joint, tendon or cable, or a contact's first geom.
    rank: u32,
    /// Of contacts the second geom; of others the [`Constraint::CODE`](crate::constraint::kind::Constraint::CODE) of their kind.
    second: u32,
    feature: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Class {
    Bilateral,
    Limit,
    Friction,
    Contact,
}

impl BlockKey {
    /// Of bilateral rows; of a kind that has several blocks for one name, the number of the block.
    pub(crate) fn bilateral(rank: u32, code: u32, number: u32) -> Self {
        Self { class: Class::Bilateral, rank, second: code, feature: number }
    }

    /// Of one end of a range.
    pub(crate) fn limit(rank: u32, code: u32, upper: bool) -> Self {
        Self { class: Class::Limit, rank, second: code, feature: u32::from(upper) }
    }

    /// Of dry friction along a dof of a joint, or along a tendon.
    pub(crate) fn friction(rank: u32, code: u32, dof: u32) -> Self {
        Self { class: Class::Friction, rank, second: code, feature: dof }
    }

    pub(crate) fn contact(contact: &Contact) -> Self {
        let key = contact.key;
        Self { class: Class::Contact, rank: key.first, second: key.second, feature: key.feature }
    }

    /// Place among the names of what the block is of.
    pub(crate) fn rank(&self) -> u32 {
        self.rank
    }

    /// The [`Constraint::CODE`](crate::constraint::kind::Constraint::CODE) of the kind; `None` of contacts.
    pub(crate) fn code(&self) -> Option<u32> {
        (self.class != Class::Contact).then_some(self.second)
    }

    /// Number of the block among those of one kind and name; of limits 0 for the lower end of the range and 1 for the upper.
    pub(crate) fn number(&self) -> usize {
        self.feature as usize
    }
}
