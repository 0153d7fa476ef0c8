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

/// The programs of the book are tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../../docs/src/certificate.md")]
    mod certificate {}
    #[doc = include_str!("../../../docs/src/extending.md")]
    mod extending {}
    #[doc = include_str!("../../../docs/src/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../../../docs/src/solvers.md")]
    mod solvers {}
}
