//! Where an unknown of a bounded problem lies.

/// The face of the box that an index lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    /// At the lower bound.
    Lower,
    /// Between the bounds.
    Free,
    /// At the upper bound.
    Upper,
}
