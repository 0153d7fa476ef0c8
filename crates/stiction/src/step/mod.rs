//! The step: from a state to the next, by stages.
//!
//! With the generalized velocities `v`, the mass matrix `M`, smooth forces `tau - c`, rows `J` of all constraints and their
//! impulses `lambda` a step of `h` seconds solves, for the trees that touch something,
//!
//! ```text
//! v_free = v + h M^-1 (tau - c)                    stage 3
//! v+     = v_free + M^-1 J^T lambda                stages 4 to 6: lambda and J v+ meet the laws
//! q+     = q (+) h v+                              stage 7
//! ```
//!
//! (Stewart and Trinkle 1996; Anitescu and Potra 1997), and integrates all other trees by rules of order four.
//!
//! | file | what it is |
//! |---|---|
//! | `time_stepping` | the step: calls all stages |
//! | `system` | model and state, on which stages work; stages 1 and 2 |
//! | `workspace`, `start`, `clock` | the stages' workspaces; the state before the step; times |
//! | `projection/` | removal of overlap after stage 2 |
//! | `applied_forces` | smooth forces |
//! | `integrator_choice`, `free_velocity` | stage 3 |
//! | `contact_problem` | stages 4 to 6 |
//! | `bounce` | where bodies are at the end of a step in which they bounce |
//! | `advance`, `free_rule` | stage 7: trees on their own; trees tied by equalities |
//! | `certify` | stage 8; in `account` works by cause |
//! | `joint_forces` | what joints transmitted, if somebody asks after the step |
//! | `rattle` | the step with impulses at both ends, in place of the stages 4 to 7 |
//! | `slip` | displacement of two bodies at a contact, from poses |
//! | `stepper` | the steppers that take persistent contacts, and impacts, out of the stages 4 to 7 |
//!
//! Each stage is a function of the system, of what earlier stages wrote, and of a workspace of its own. Steps know nothing of
//! simulations; what is checked and committed around a step is in [`crate::sim`].
//!
//! # References
//! - D. E. Stewart, J. C. Trinkle, *An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb
//!   friction*, International Journal for Numerical Methods in Engineering 39 (1996).
//! - M. Anitescu, F. Potra, *Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//!   complementarity problems*, Nonlinear Dynamics 14 (1997).

pub(crate) mod advance;
pub(crate) mod applied_forces;
pub(crate) mod bounce;
pub(crate) mod certify;
pub(crate) mod clock;
pub(crate) mod contact_problem;
pub(crate) mod free_rule;
pub(crate) mod free_velocity;
pub(crate) mod integrator_choice;
pub(crate) mod joint_forces;
pub(crate) mod momentum;
pub(crate) mod projection;
pub(crate) mod rattle;
pub(crate) mod slip;
pub(crate) mod start;
pub(crate) mod stepper;
pub(crate) mod system;
pub(crate) mod time_stepping;
pub(crate) mod workspace;

pub use clock::StageTimes;

use crate::contact::FormulationError;
use crate::settings::SettingsError;

/// Why steps cannot be taken with these settings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StepError {
    /// Something that the stepper does not do.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A contact model that cannot be used.
    #[error(transparent)]
    Formulation(#[from] FormulationError),
}
