//! Why a recording cannot be written or read.

use crate::recording::npz::NpzError;
use std::path::PathBuf;
use stiction_solvers::io::sentence;

/// A recording that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: the recording cannot be written: {source}", path.display())]
pub struct RecordError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system says.
    pub source: std::io::Error,
}

/// A file that is not a recording this version can read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: ReadProblem,
}

/// What is wrong with a file that should be a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The operating system does not give the file.
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    /// The container or an array is not what NumPy writes.
    #[error("not a recording: {}", shown(.0))]
    Npz(#[from] NpzError),
    /// Another version of the layout.
    #[error(
        "recorded in version {found} of the layout, while version {needed} is needed, which holds all that is shown; \
         record it again with `stiction run SCENE --out FILE.npz`"
    )]
    Format {
        /// Of the file.
        found: i64,
        /// That this program reads.
        needed: i64,
    },
    /// Numbers that contradict each other.
    #[error("not a recording: {}", sentence(&format!("array '{array}' {problem}")))]
    Content {
        /// The array.
        array: &'static str,
        /// What is wrong in it.
        problem: String,
    },
}

fn shown(error: &NpzError) -> String {
    sentence(&error.to_string()).into_owned()
}
