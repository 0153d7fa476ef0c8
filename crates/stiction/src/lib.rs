//! Rigid multibody dynamics with contact and dry friction, certified every step.

pub mod constraint;
pub mod contact;
pub mod dynamics;
pub mod geometry;
pub mod model;
#[cfg(feature = "record")]
pub mod recording;
pub mod report;
pub mod scene;
pub mod sim;
pub mod spatial;
pub(crate) mod step;
mod suggestion;

/// The example of the readme is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
