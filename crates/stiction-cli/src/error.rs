//! What can go wrong in a command, each a sentence, and the exit status that goes with it.

use std::path::PathBuf;
use stiction::contact::FormulationError;
use stiction::recording::{ReadError, RecordError};
use stiction::scene::{Place, SceneError};
use stiction::sim::{SimError, SnapshotError};
use stiction_lab::LabError;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The scene does not load.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// `--strict`, and the load report is not empty.
    #[error("{scene}: the load report has {entries} and --strict allows none:{listed}")]
    Strict { scene: String, entries: String, listed: String },
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
    /// An experiment cannot be run.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// A file cannot be read or written.
    #[error("{}: {action}: {source}", path.display())]
    File { path: PathBuf, action: &'static str, source: std::io::Error },
    /// A stored state cannot be used.
    #[error("{}: {source}", path.display())]
    State { path: PathBuf, source: SnapshotError },
    /// The recording cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The file is not a recording.
    #[error(transparent)]
    Recording(#[from] ReadError),
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
    /// What of a scene's files to underline, if the error is about that.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            CliError::Scene(error) => error.place(),
            _ => None,
        }
    }

    /// The file that cannot be used, as far as the error is about one.
    pub(crate) fn file(&self) -> String {
        let path = match self {
            CliError::Scene(SceneError::Io { path, .. } | SceneError::UnknownFormat { path, .. }) => path,
            CliError::File { path, .. } | CliError::State { path, .. } => path,
            CliError::Strict { scene, .. } => return scene.clone(),
            error => return error.place().map(|place| place.file.clone()).unwrap_or_default(),
        };
        path.display().to_string()
    }

    /// 1: it ran, but the outcome is not good. 2: the request cannot be met.
    pub(crate) fn exit_status(&self) -> u8 {
        match self {
            CliError::Stopped(_) | CliError::Unsolved { .. } | CliError::ChecksFailed { .. } => 1,
            CliError::Lab(LabError::Stopped(_) | LabError::Output(_)) => 1,
            CliError::ProblemsUnsolved { .. } | CliError::Record(_) | CliError::Output(_) => 1,
            _ => 2,
        }
    }
}
