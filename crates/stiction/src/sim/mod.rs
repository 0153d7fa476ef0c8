//! Simulation: states, the step, its certificate and recordings.

pub(crate) mod batch;
pub(crate) mod profile;
pub(crate) mod simulation;
pub(crate) mod snapshot;

pub use crate::model::{Mocap, State};
pub use crate::step::{Settings, SettingsError, Stepper};
pub use batch::{Batch, BatchError, Rollout, RolloutPlan, rollout};
pub use profile::StageTimes;
pub use simulation::{SimError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
