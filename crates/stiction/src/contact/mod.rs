//! Contact laws and the formulations that pose them as complementarity problems.
//!
//! Two independent choices. A *law* belongs to each contact (how its impulse answers its relative velocity); a
//! *formulation* poses the problem of a whole island of contacts and other unilateral rows with their laws and has it
//! solved.

pub(crate) mod acceleration_forces;
pub(crate) mod detection;
pub(crate) mod formulation;
pub(crate) mod impact;
pub(crate) mod island;

pub(crate) mod point;

pub use crate::model::{Law, LawError};
pub use acceleration_forces::{ContactForces, Outcome};
pub use formulation::{ExactCone, ExactConeSettings, ViscousRule};
pub use formulation::{Formulation, FormulationError, IslandSolver};
pub use formulation::{FrictionBox, FrictionBoxSettings};
pub use formulation::{GapRule, Polyhedral, PolyhedralSettings};
pub use formulation::{NoSlip, NoSlipSettings};
pub use impact::{ImpactLaw, ImpactLawError, Impacts};
pub use island::{Block, BlockKind, IslandProblem, IslandReport, Memory, Operator};
pub use point::{Contact, ContactKey, Mode, contact_frame};
