//! Contact laws and the formulations that pose them as complementarity problems.
//!
//! Two independent choices. A *law* belongs to each contact (how its impulse answers its relative velocity); a
//! *formulation* poses the problem of a whole island of contacts and other unilateral rows with their laws and has it
//! solved.

mod aimed_solver;
#[allow(clippy::module_inception, reason = "a newcomer looks for a contact in contact.rs")]
mod contact;
mod contact_forces;
mod exact_cone;
mod formulation;
mod friction_box;
mod impact;
mod independent_rows;
mod island;
mod law;
mod no_slip;
mod polyhedral;
mod pressing_set;

pub use contact::{Contact, ContactKey, Mode, contact_frame};
pub use contact_forces::{ContactForces, Outcome};
pub use exact_cone::{ExactCone, ExactConeSettings, ViscousRule};
pub use formulation::{Formulation, FormulationError, IslandSolver};
pub use friction_box::{FrictionBox, FrictionBoxSettings};
pub use impact::{ImpactLaw, ImpactLawError, Impacts};
pub use island::{Block, BlockKind, IslandProblem, IslandReport, Memory, Operator};
pub use law::{Law, LawError};
pub use no_slip::{NoSlip, NoSlipSettings};
pub use polyhedral::{GapRule, Polyhedral, PolyhedralSettings};
