//! Softness of equalities: where a set of tied trees cannot be closed, its rows give way.

/// A set whose position error is above this after the projection cannot be closed (m or rad).
pub(crate) const OPEN: f64 = 1e-6;

/// Softness of the rows of every equality, by sets of tied trees (see [`crate::constraint::closure::projection`]).
#[derive(Clone, Debug)]
pub(crate) struct Softness {
    /// Of the rows of each set, by the number of its least tree.
    pub(crate) of_set: Vec<f64>,
    /// Set of each equality; none of one that ties no tree.
    pub(crate) set: Vec<Option<usize>>,
}

impl Softness {
    /// Of the rows of an equality, as a part of their diagonal of the Delassus operator; zero if they hold.
    pub(crate) fn of(&self, equality: usize) -> f64 {
        self.set[equality].map_or(0.0, |set| self.of_set[set])
    }
}
