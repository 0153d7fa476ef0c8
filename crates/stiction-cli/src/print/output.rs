//! Writing to the standard streams without a panic when nobody listens, and without what a terminal would obey: names come
//! from files that others wrote.

use crate::error::CliError;
use serde::Serialize;
use std::io::{ErrorKind, Write};
use stiction_solvers::io::{printable_json, printable_lines};

/// Writes data to standard output. A reader that has gone away (`| head`) is not an error.
pub(crate) fn data(text: &str) -> Result<(), CliError> {
    coloured(&printable_lines(text))
}

/// The same for a text with colours, all else in which is printable.
pub(crate) fn coloured(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(()),
    }
}

/// Writes a value as JSON with a newline. Numbers that are not finite become `null`.
pub(crate) fn json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(|e| CliError::Output(e.into()))?;
    coloured(&(printable_json(&text).into_owned() + "\n"))
}

/// Writes a line to standard error.
pub(crate) fn note(line: &str) {
    coloured_note(&printable_lines(line));
}

/// The same for lines with colours, all else in which is printable.
pub(crate) fn coloured_note(line: &str) {
    // When standard error is gone there is nowhere left to say so.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Standard output for what writes as it goes.
pub(crate) struct Printable;

impl Write for Printable {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::io::stdout().write_all(printable_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stdout().flush()
    }
}
