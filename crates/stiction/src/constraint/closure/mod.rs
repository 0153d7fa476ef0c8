//! Joints that close loops, and the trees that equalities tie.
//!
//! A loop is a spanning tree and a chain of joints between two of its bodies. The coordinates `theta` of the chain follow from
//! those of the trees; with the motions `S` that the chain allows, `N` that it does not, and the relative motion `u` of its ends,
//!
//! ```text
//! theta' = S^+ u,      N^T u = 0
//! ```
//!
//! | file | what it is |
//! |---|---|
//! | `coordinates` | where loops are: coordinates, rates, and their rows on the velocities of the trees |
//! | `joint` | limits, dry friction, springs, dampers, drives and rotors in them, a kind of constraint |
//! | `projection` | sets of tied trees, kept on their equalities: positions, velocities, accelerations |
//! | `mechanism` | what is said of a mechanism: rank, redundant rows, assembly |
//!
//! `projection` takes the rows of all equalities, whatever their kind; `coordinates` gives rows to `joint` and to
//! `equality`. The free rule and the projection of overlap (`step`) call `projection`.
//!
//! # References
//! E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration* (2006), section IV.4 (projection methods).

pub(crate) mod coordinates;
pub(crate) mod joint;
pub mod mechanism;
pub(crate) mod projection;

pub use mechanism::{Assembled, Mobility};
