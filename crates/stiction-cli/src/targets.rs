//! The files that `run` writes: which are refused, and how they are written.
//!
//! Nothing that is there is lost by accident: a file is replaced as a whole or not at all, no two results go to one file, the
//! scene is not written over, and a state replaces only a state.

use crate::error::CliError;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use stiction::sim::Snapshot;
use stiction_solvers::io;

/// Names that are tried for the state of a run that stopped.
const NAMES: u32 = 1000;

/// Refuses, before the run, what it could not write, and what it would destroy. `written` has each file with the option that
/// names it. Nothing is changed.
pub(crate) fn check(
    scene: &Path,
    written: &[(&'static str, &Path)],
    state: Option<&Path>,
) -> Result<(), CliError> {
    for (i, (option, path)) in written.iter().enumerate() {
        let shown = path.display();
        if is_same(path, scene) {
            return Err(CliError::Usage(format!(
                "{option} {shown}: this is the scene, which would be lost; give another name"
            )));
        }
        if let Some((other, first)) = written[..i].iter().find(|(_, first)| is_same(first, path)) {
            return Err(CliError::Usage(format!(
                "{option} {shown}: {other} {} is the same file; give each a name of its own",
                first.display()
            )));
        }
        io::check_writable(path).map_err(|source| unwritten(path, source))?;
    }
    match state {
        Some(path) if !may_hold_a_state(path) => Err(CliError::Usage(format!(
            "--save-state {}: this is there and is not a stored state; give another name, or remove it first",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Writes a file as a whole.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    io::replace_file(path, |file| file.write_all(bytes)).map_err(|source| unwritten(path, source))
}

/// Writes a file under a name that nothing has yet: this one, or `NAME-2`, `NAME-3`, ... with its ending. Says which.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<PathBuf, CliError> {
    let numbered = (2..NAMES).map(|number| {
        let mut name = path.file_stem().unwrap_or_default().to_os_string();
        name.push(format!("-{number}"));
        path.with_file_name(name).with_extension(path.extension().unwrap_or_default())
    });
    for free in std::iter::once(path.to_path_buf()).chain(numbered) {
        match io::new_file(&free, |file| file.write_all(bytes)) {
            Ok(()) => return Ok(free),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(source) => return Err(unwritten(&free, source)),
        }
    }
    Err(unwritten(path, ErrorKind::AlreadyExists.into()))
}

fn unwritten(path: &Path, source: std::io::Error) -> CliError {
    CliError::File { path: path.into(), action: "cannot be written", source }
}

/// Whether two names are of one file, whether it is there or not.
fn is_same(a: &Path, b: &Path) -> bool {
    match (place(a), place(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// Where a file is or would be, without links.
fn place(path: &Path) -> Option<PathBuf> {
    let of_a_new_file = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(of_a_new_file)
}

/// Whether there is no file, an empty one, a device, or one that begins like a stored state.
fn may_hold_a_state(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() && there.len() > 0 => {
            let mut beginning = Vec::new();
            let read = std::fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut beginning));
            read.is_ok() && Snapshot::begins(&beginning)
        }
        _ => true,
    }
}
