//! Writing to the standard streams without a panic when nobody listens.

use crate::error::CliError;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Writes data to standard output. A reader that has gone away (`| head`) is not an error.
pub(crate) fn data(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(()),
    }
}

/// Writes a value as JSON with a newline. Numbers that are not finite become `null`.
pub(crate) fn json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(|e| CliError::Output(e.into()))?;
    data(&(text + "\n"))
}

/// Writes a line to standard error.
pub(crate) fn note(line: &str) {
    // When standard error is gone there is nowhere left to say so.
    let _ = writeln!(std::io::stderr(), "{line}");
}
