//! Joints that close loops: their coordinates, forces, projection and mobility.

pub(crate) mod coordinates;
pub(crate) mod joint;
pub mod mechanism;
pub(crate) mod projection;

pub use mechanism::{Assembled, Mobility};
