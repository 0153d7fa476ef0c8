//! Simulation: a model with its state, and what is done around a step.
//!
//! | file | what it is |
//! |---|---|
//! | `simulation` | the face: model, state, settings, memory and workspaces; takes steps |
//! | `checks` | refuses numbers that are not finite |
//! | `fingerprint` | 64 bits that tell one model from another |
//! | `snapshot` | stored states, and the state's hash |
//! | `readout` | forces and margins of the last step |
//! | `mechanism` | rank and assembly of the equalities |
//! | `violations` | what the present configuration violates |
//! | `batch` | many simulations at once |
//!
//! A step keeps the state before it, checks the commands, calls `step`, checks what came out, and commits: only then do
//! the memory of the formulation and the number of steps move on.

#[cfg(feature = "parallel")]
pub(crate) mod batch;
pub(crate) mod checks;
pub(crate) mod fingerprint;
pub(crate) mod mechanism;
pub(crate) mod readout;
pub(crate) mod simulation;
pub(crate) mod snapshot;
pub(crate) mod violations;

pub use crate::model::{Mocap, State};
pub use crate::settings::{Options, Settings, SettingsError, Stepper};
pub use crate::step::StageTimes;
#[cfg(feature = "parallel")]
pub use batch::{Batch, BatchError, BatchReports, Rollout, RolloutPlan, rollout, rollout_until};
pub use fingerprint::checksum;
pub use simulation::{SimError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
