//! Contacts of convex shapes by the direction of largest separation.

pub(crate) mod contact_region;
pub(crate) mod pair;
pub(crate) mod polyhedron;
pub(crate) mod separating_direction;
pub(crate) mod support;
