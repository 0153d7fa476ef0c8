//! Entries of a load report and errors as JSON: what `check --json` lists, and what any command with `--json` prints
//! when its request cannot be met.

use crate::error::CliError;
use crate::print::output;
use serde::Serialize;
use stiction::scene::{Place, ReportEntry, SceneError};

/// One note or error. Without a place in a file, line, column and length are 0.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    kind: &'static str,
    #[serde(flatten)]
    place: Place,
    element: String,
    message: String,
}

/// What is printed in the place of an answer.
#[derive(Debug, Serialize)]
struct Failure {
    ok: bool,
    entries: Vec<Entry>,
}

impl Entry {
    pub(crate) fn of_report(entry: &ReportEntry) -> Self {
        Self {
            kind: entry.kind.name(),
            place: entry.place.clone(),
            element: entry.element.clone(),
            message: with_attribute(entry.attribute.as_deref(), &entry.message),
        }
    }

    pub(crate) fn of_error(error: &CliError) -> Self {
        let (element, message) = match error {
            CliError::Scene(SceneError::Invalid { element, attribute, message, .. }) => {
                (element.as_str(), with_attribute(attribute.as_deref(), message))
            }
            CliError::Scene(SceneError::Model { element, source, .. }) => {
                (element.as_str(), source.to_string())
            }
            error => ("", error.to_string()),
        };
        let nowhere = || Place { file: error.file(), line: 0, column: 0, length: 0 };
        let place = error.place().cloned().unwrap_or_else(nowhere);
        Self { kind: "error", place, element: element.to_string(), message }
    }
}

/// The message with the attribute it is about.
pub(crate) fn with_attribute(attribute: Option<&str>, message: &str) -> String {
    match attribute {
        Some(attribute) => format!("{attribute}: {message}"),
        None => message.to_string(),
    }
}

/// Prints an error as JSON if that is how the command was to answer and it has not answered yet.
pub(crate) fn answered(json: bool, outcome: Result<(), CliError>) -> Result<(), CliError> {
    if let Err(error) = &outcome
        && json
        && error.exit_status() == 2
    {
        output::json(&Failure { ok: false, entries: vec![Entry::of_error(error)] })?;
    }
    outcome
}
