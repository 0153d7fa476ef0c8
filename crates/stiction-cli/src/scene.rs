//! Loading a scene for a command.

use crate::error::CliError;
use std::path::Path;
use stiction::scene;
use stiction::scene::{LoadReport, Scene};
use stiction_lab::table::count;

/// Entries of a load report that an error lists; `stiction check` lists all.
const MOST_LISTED: usize = 20;

/// Loads a scene; with `strict` its load report must be empty.
pub(crate) fn load(path: &Path, strict: bool) -> Result<Scene, CliError> {
    let scene = scene::load(path)?;
    if strict && !scene.report.is_empty() {
        return Err(not_strict(path, &scene.report, MOST_LISTED));
    }
    Ok(scene)
}

/// The error of a load report that is not empty, with its first entries.
pub(crate) fn not_strict(path: &Path, report: &LoadReport, most: usize) -> CliError {
    let entries = &report.entries;
    let mut listed: String = entries.iter().take(most).map(|entry| format!("\n  {entry}")).collect();
    if entries.len() > most {
        listed +=
            &format!("\n  and {} more (stiction check {} lists them)", entries.len() - most, path.display());
    }
    let entries = count(entries.len(), "entry", "entries");
    CliError::Strict { scene: path.display().to_string(), entries, listed }
}
