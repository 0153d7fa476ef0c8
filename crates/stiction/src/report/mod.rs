//! What a step reports: the certificate, forces, and margins.

pub(crate) mod certificate;
pub(crate) mod forces;
pub(crate) mod largest_margin;
pub(crate) mod least_friction;

pub use crate::constraint::Limited;
pub use certificate::{Certificate, StepReport};
pub use forces::{ContactForce, LimitForce, PairForce};
pub use largest_margin::PairMargins;
