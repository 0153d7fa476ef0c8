//! Formulations: how an island of contacts is posed as a complementarity problem and solved.
//!
//! An island is `u = G lambda + u_free` with a law for every block of rows ([`IslandProblem`](super::IslandProblem)). Each
//! formulation says in its own file which problem it makes of the laws, by which equations, and from which papers.
//!
//! | file | what |
//! |---|---|
//! | `choice` | [`Formulation`]: the formulations by name, with their settings; [`FormulationChoice`]: from what was said |
//! | `error` | what is refused |
//! | `island_solver` | [`IslandSolver`]: what the step calls, open to a user's own; [`RecordingSolver`] keeps what it sees |
//! | `exact_cone` | friction cones, every law (the default) |
//! | `polyhedral` | pyramids instead of cones |
//! | `friction_box` | boxes around cones |
//! | `normal/` | the problem of the normal impulses alone, for the next |
//! | `no_slip/` | no slip at any load |
//! | `viscous/` | viscous friction: where it acts, and its elimination |
//! | `tight_solver` | a solver that goes on below the tolerance of its answers, for the last three |
//!
//! The step hands each island to an [`IslandSolver`], directly or through [`Impacts`](super::Impacts), with the [`Memory`](super::Memory) of each
//! block; the solvers themselves and the grammar of their settings are [`stiction_solvers`]'s.

pub(crate) mod choice;
mod error;
pub(crate) mod exact_cone;
pub(crate) mod friction_box;
mod island_solver;
pub(crate) mod no_slip;
pub(crate) mod normal;
pub(crate) mod polyhedral;
pub(crate) mod tight_solver;
pub(crate) mod viscous;

pub use choice::{Formulation, FormulationChoice};
pub use error::FormulationError;
pub use exact_cone::{ExactCone, ExactConeSettings};
pub use friction_box::{FrictionBox, FrictionBoxSettings};
pub use island_solver::{IslandSolver, PosedIsland, PosedIslands, RecordingSolver};
pub use no_slip::{NoSlip, NoSlipSettings};
pub use normal::NormalSolver;
pub use polyhedral::{GapRule, Polyhedral, PolyhedralSettings};
pub use viscous::{ViscousRule, ViscousSettings};
