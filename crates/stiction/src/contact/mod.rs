//! Contacts, their impulses, and the problems that determine them.
//!
//! For every contact with gap g, normal impulse `lambda_n` and velocities `u = G lambda + u_free`, `G = J M^-1 J^T`:
//!
//! ```text
//! 0 <= lambda_n  perp  u_n + g / h >= 0        Signorini's condition at the level of velocities
//! lambda_t       by the law of the contact     Coulomb: |lambda_t| <= mu lambda_n, against sliding
//! ```
//!
//! Two independent choices. A *law* belongs to each contact ([`Law`]: how its impulse answers its relative velocity); a
//! *formulation* poses the problem of a whole island of contacts and other unilateral rows with their laws and has it
//! solved.
//!
//! | file | what it is | called by |
//! |---|---|---|
//! | `detection` | from poses to contacts, touching and predicted, sorted by key | `step` |
//! | `point` | [`Contact`], its key and frame | all |
//! | `island` | [`IslandProblem`]: what a formulation is given, and what it remembers | `constraint`, `formulation` |
//! | `formulation/` | cones, pyramids, boxes, no slip: the problem as a solver takes it | `step`, through `impact` |
//! | `impact` | restitution by Newton's and Poisson's laws around a formulation | `step` |
//! | `acceleration_forces` | the same problem at the level of accelerations | `step` |
//!
//! # References
//! - D. E. Stewart, J. C. Trinkle, *An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and
//!   Coulomb friction*, IJNME 39 (1996).
//! - M. Anitescu, F. A. Potra, *Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//!   complementarity problems*, Nonlinear Dynamics 14 (1997), doi:10.1023/A:1008292328909.

pub(crate) mod acceleration_forces;
pub(crate) mod detection;
pub(crate) mod formulation;
pub(crate) mod impact;
pub(crate) mod island;

pub(crate) mod point;

pub use crate::model::{Law, LawError};
pub use acceleration_forces::{ContactForces, Outcome};
pub use formulation::{ExactCone, ExactConeSettings, ViscousRule};
pub use formulation::{Formulation, FormulationChoice, FormulationError};
pub use formulation::{FrictionBox, FrictionBoxSettings};
pub use formulation::{GapRule, Polyhedral, PolyhedralSettings};
pub use formulation::{IslandSolver, PosedIsland, PosedIslands, RecordingSolver};
pub use formulation::{NoSlip, NoSlipSettings, NormalSolver, ViscousSettings};
pub use impact::{ImpactLaw, ImpactLawError, Impacts};
pub use island::{Block, BlockKind, IslandProblem, IslandReport, Memory, Operator};
pub(crate) use point::find_contact;
pub use point::{Contact, ContactKey, Mode, contact_frame};
