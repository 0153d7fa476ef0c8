//! Rigid multibody dynamics with contact and dry friction, certified every step.

pub mod algorithm;
pub mod collision;
pub mod contact;
pub mod model;
pub mod scene;
pub mod sim;
pub mod spatial;
mod suggestion;
pub mod view;
