//! Why an experiment cannot be run, each a sentence.

use std::path::PathBuf;
use stiction::contact::FormulationError;
use stiction::scene::SceneError;
use stiction::sim::SimError;
use stiction_solvers::SolverError;

/// Why an experiment has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// A scene does not load.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A simulation cannot be made.
    #[error(transparent)]
    Setup(#[from] SimError),
    /// A contact model or its solver cannot be used.
    #[error(transparent)]
    Formulation(#[from] FormulationError),
    /// A solver refuses its settings or a problem.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// What was asked for is out of range or does not exist.
    #[error("{0}")]
    Refused(String),
    /// A file does not hold complementarity problems.
    #[error(transparent)]
    Problems(#[from] stiction_solvers::io::ReadError),
    /// A file or directory cannot be read or written.
    #[error("{}: {action}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What cannot be done with it.
        action: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// What is written as the experiment goes on cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
    /// A step could not be taken.
    #[error("{0}")]
    Stopped(String),
}
