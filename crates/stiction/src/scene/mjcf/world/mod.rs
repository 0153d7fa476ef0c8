//! The world: bodies, joints, geoms and sites.

pub(crate) mod body;
pub(crate) mod geom;
pub(crate) mod inertial;
pub(crate) mod joint;
pub(crate) mod site;
