//! Simulation: states, the step, its certificate and recordings.

#[cfg(feature = "parallel")]
pub(crate) mod batch;
pub(crate) mod profile;
pub(crate) mod simulation;
pub(crate) mod snapshot;

pub use crate::model::{Mocap, State};
pub use crate::settings::{Options, Settings, SettingsError, Stepper};
#[cfg(feature = "parallel")]
pub use batch::{Batch, BatchError, Rollout, RolloutPlan, rollout};
pub use profile::StageTimes;
pub use simulation::{SimError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
