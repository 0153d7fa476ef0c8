//! Formulations: how an island of contacts is posed and solved.

pub(crate) mod active_contacts;
pub(crate) mod choice;
pub(crate) mod exact_cone;
pub(crate) mod friction_box;
pub(crate) mod independent_rows;
pub(crate) mod no_slip;
pub(crate) mod polyhedral;
pub(crate) mod tight_solver;

pub use choice::{Formulation, FormulationError, IslandSolver};
pub use exact_cone::{ExactCone, ExactConeSettings, ViscousRule};
pub use friction_box::{FrictionBox, FrictionBoxSettings};
pub use no_slip::{NoSlip, NoSlipSettings};
pub use polyhedral::{GapRule, Polyhedral, PolyhedralSettings};
