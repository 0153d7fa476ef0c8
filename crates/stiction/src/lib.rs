//! Rigid multibody dynamics with contact and dry friction, certified every step.

pub mod collision;
pub mod spatial;
