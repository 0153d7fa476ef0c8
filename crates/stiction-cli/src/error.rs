//! What can go wrong in a command, each a sentence, and the exit status that goes with it.

use std::path::PathBuf;
use stiction::contact::FormulationError;
use stiction::scene::SceneError;
use stiction::sim::{RecordError, SimError, SnapshotError};

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The scene does not load.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// `--strict`, and the load report is not empty.
    #[error("{scene}: the load report has {entries} and --strict allows none; the first: {first}")]
    Strict { scene: String, entries: String, first: String },
    /// The simulation cannot be made from the scene and the options.
    #[error(transparent)]
    Setup(SimError),
    /// The contact model or solver cannot be used.
    #[error(transparent)]
    Formulation(#[from] FormulationError),
    /// An option's value is out of range or names nothing.
    #[error("{0}")]
    Usage(String),
    /// A file does not hold complementarity problems.
    #[error(transparent)]
    Problems(#[from] stiction_solvers::io::ReadError),
    /// Some problems were not solved.
    #[error("{unsolved} of {total} problems were not solved")]
    ProblemsUnsolved { unsolved: usize, total: usize },
    /// A file cannot be read or written.
    #[error("{}: {action}: {source}", path.display())]
    File { path: PathBuf, action: &'static str, source: std::io::Error },
    /// A stored state cannot be used.
    #[error("{}: {source}", path.display())]
    State { path: PathBuf, source: SnapshotError },
    /// The recording cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Standard output cannot be written.
    #[error("standard output: {0}")]
    Output(std::io::Error),
    /// A step could not be taken.
    #[error("{0}")]
    Stopped(String),
    /// Some steps were not solved.
    #[error(
        "{unsolved} of {steps} steps were not solved to tolerance, the first at t = {first} s \
         (--allow-unsolved accepts that)"
    )]
    Unsolved { unsolved: u64, steps: u64, first: f64 },
    /// Some checks failed.
    #[error("{failed} of {total} checks failed")]
    ChecksFailed { failed: usize, total: usize },
}

impl CliError {
    /// 1: it ran, but the outcome is not good. 2: the request cannot be met.
    pub(crate) fn exit_status(&self) -> u8 {
        match self {
            CliError::Stopped(_) | CliError::Unsolved { .. } | CliError::ChecksFailed { .. } => 1,
            CliError::ProblemsUnsolved { .. } | CliError::Record(_) | CliError::Output(_) => 1,
            _ => 2,
        }
    }
}
