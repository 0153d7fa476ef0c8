//! Loading a scene for a command.

use crate::error::CliError;
use crate::table::count;
use std::path::Path;
use stiction::scene::{self, Scene};

/// Loads a scene; with `strict` its load report must be empty.
pub(crate) fn load(path: &Path, strict: bool) -> Result<Scene, CliError> {
    let scene = scene::load(path)?;
    if strict && let Some(first) = scene.report.entries.first() {
        let entries = count(scene.report.entries.len(), "entry", "entries");
        return Err(CliError::Strict {
            scene: path.display().to_string(),
            entries,
            first: first.to_string(),
        });
    }
    Ok(scene)
}
