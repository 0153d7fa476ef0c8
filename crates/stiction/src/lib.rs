//! Rigid multibody dynamics with contact and dry friction, certified every step.

pub mod constraint;
pub mod contact;
pub mod dynamics;
pub mod geometry;
pub mod model;
pub mod recording;
pub mod report;
pub mod scene;
pub mod settings;
pub mod sim;
pub mod spatial;
pub(crate) mod step;
pub mod view;

pub(crate) use stiction_solvers::select::suggestion;
