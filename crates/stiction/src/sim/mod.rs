//! Simulation: states, the step, its certificate and recordings.

mod acceleration;
mod certificate;
mod closures;
mod contacts;
mod coupling;
mod equalities;
mod forces;
mod free_rule;
mod islands;
mod largest_margin;
mod least_friction;
mod limits;
mod npz;
mod projection;
mod readout;
mod record;
pub mod recording;
mod rows;
mod rule;
mod settings;
mod simulation;
mod snapshot;
mod state;
mod tendons;
mod time_stepping;

pub use certificate::{Certificate, StepReport};
pub use largest_margin::PairMargins;
pub use npz::NpzError;
pub use readout::{ContactForce, PairForce};
pub use record::Recorder;
pub use recording::{ReadError, ReadProblem, RecordError, Recording};
pub use settings::{Settings, SettingsError, Stepper};
pub use simulation::{SimError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
pub use state::{Mocap, State};
