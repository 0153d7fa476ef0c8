//! Problems from files, and to files.
//!
//! | form | where | holds |
//! |---|---|---|
//! | `lcp-1`, `lcp-suite-1` | JSON | `M` (rows), `q` |
//! | `box-lcp-1` | JSON | `M`, `q`, `lower`, `upper`; a missing bound is `null` |
//! | `blcp-1` | JSON | `A`, `b`, `lo`, `hi`: the same with `A x = b + w` |
//! | `mlcp-1`, `mlcp-suite-1` | JSON | `A`, `B`, `C`, `D` (rows), `a`, `b` of [`Mlcp`](crate::problem::Mlcp) |
//! | `factored-lcp-1` | JSON | `Y` (rows), `q` of [`FactoredLcp`](crate::problem::FactoredLcp) |
//! | `polynomial-mcp-1` | JSON | `F` (values, each a list of terms `[c, [k_0, k_1, ...]]`), `lower`, `upper` |
//! | `stewart-trinkle-lcp-1` | JSON | `W`, `q_contact`, `mu`, `k`: assembled to the [`Lcp`](crate::problem::Lcp) of [`stewart_trinkle`] |
//! | `fc-1` | JSON | `dim`, `mu`, `q`, `W` in blocks by rows (`rowptr`, `col`, `val`) of a [`ConeNcp`](crate::problem::ConeNcp) of contacts |
//! | `fc-global-1` | JSON | `dim`, `mu`, `M`, `H` (triplets `i`, `j`, `v`), `f`, `w`: `M v = H r + f`, `u = H^T v + w` |
//! | `cone-ncp-1` | JSON | any [`ConeNcp`](crate::problem::ConeNcp): `cones`, `delassus`, `q`, `compliance`, `law` |
//! | Siconos LCP, MLCP, friction | text | see [`siconos`] |
//! | FCLIB, local and global | HDF5 | with the feature `fclib`: friction problems of the collection |
//!
//! A JSON file is one object with the key `format`. With the key `problems` it is a collection: a list of objects,
//! each with the keys above and a `name`. Without, it is itself such an object. With the key `start`, a list of as many
//! numbers as there are unknowns, a problem has a guess to start from. Other keys are ignored.
//!
//! What a file says is checked before it is believed; an error is one sentence with the file, the key or line, the
//! value, and what would be right. No size is believed either: memory grows with the text, and the matrices that a
//! form describes in less text than entries have at most [`LARGEST_ASSEMBLED`] rows.

use std::path::Path;

use serde_json::Value;
use thiserror::Error;

use crate::problem::{ActiveSet, AnyProblem};

#[cfg(feature = "fclib")]
mod fclib;
mod friction;
mod json;
mod printable;
mod regular;
pub mod siconos;
pub mod stewart_trinkle;
mod whole;
mod write;

pub use crate::io::printable::{is_printable, printable, printable_json, printable_lines, sentence};
pub use crate::io::regular::{open_file, read_file, read_text_file};
pub use crate::io::whole::{check_writable, new_file, replace_file};
pub use crate::io::write::{to_json, to_json_with_start};

/// Most rows of a matrix that takes more memory than its file: 134 MB of entries.
pub const LARGEST_ASSEMBLED: usize = 4096;

/// A problem and what it is called.
#[derive(Clone, Debug)]
pub struct NamedProblem {
    /// The name in the file, else the file's name without its ending.
    pub name: String,
    /// The problem.
    pub problem: AnyProblem,
    /// A guess to start from, if the file has one.
    pub start: Option<Vec<f64>>,
    /// A basis to start from instead, if the file has one.
    pub basis: Option<ActiveSet>,
}

/// Why a file gives no problem.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    File {
        /// The file.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The text is not JSON.
    #[error("{file}: line {line}: not JSON: {}", sentence(message))]
    Syntax {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// The file is of a form that is not read.
    #[error("{file}: {}", sentence(&format!("the format is {format}: known are {known}, and Siconos LCP, MLCP and friction text")))]
    Format {
        /// The file.
        file: String,
        /// What the file says its format is.
        format: String,
        /// The formats there are.
        known: String,
    },
    /// A key or a line does not hold what it must.
    #[error("{file}: {}", sentence(&format!("{place}: {message}")))]
    Invalid {
        /// The file.
        file: String,
        /// The key (`problems[3].M[0]`) or the line.
        place: String,
        /// The value, and what would be right.
        message: String,
    },
}

/// What is wrong and where, before the file's name is known to it.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: String,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault { place: place.into(), message: message.into() }
    }

    fn in_file(self, file: &str) -> ReadError {
        ReadError::Invalid { file: file.into(), place: self.place, message: self.message }
    }
}

/// Reads the problems of a file.
///
/// # Errors
/// [`ReadError`], which names the file and the place in it.
pub fn read(path: &Path) -> Result<Vec<NamedProblem>, ReadError> {
    let file = path.display().to_string();
    let bytes = read_file(path).map_err(|source| ReadError::File { file: file.clone(), source })?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if bytes.starts_with(HDF5) {
        return read_hdf5(bytes, &file, stem);
    }
    parse(&String::from_utf8_lossy(&bytes), &file, &stem)
}

/// First bytes of an HDF5 file.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

#[cfg(feature = "fclib")]
fn read_hdf5(bytes: Vec<u8>, file: &str, name: String) -> Result<Vec<NamedProblem>, ReadError> {
    let problem = fclib::parse(bytes).map_err(|fault| fault.in_file(file))?;
    Ok(vec![NamedProblem { name, problem, start: None, basis: None }])
}

#[cfg(not(feature = "fclib"))]
fn read_hdf5(_: Vec<u8>, file: &str, _: String) -> Result<Vec<NamedProblem>, ReadError> {
    let (format, known) = ("HDF5".into(), "the same with the feature fclib, and JSON".into());
    Err(ReadError::Format { file: file.into(), format, known })
}

/// Reads the problems of a text; `file` is what errors call it and `name` what a problem without a name is called.
///
/// # Errors
/// See [`read`].
///
/// ```
/// use stiction_solvers::AnyProblem;
/// use stiction_solvers::io::parse;
/// let text = r#"{ "format": "lcp-1", "M": [[2, 1], [1, 2]], "q": [-5, -6] }"#;
/// let problems = parse(text, "inline", "small").unwrap();
/// assert!(matches!(&problems[0].problem, AnyProblem::Lcp(problem) if problem.q() == [-5.0, -6.0]));
/// let wrong = parse(r#"{ "format": "lcp-1", "M": [[2, 1]], "q": [-5, -6] }"#, "inline", "small");
/// assert!(wrong.unwrap_err().to_string().contains("inline"));
/// ```
pub fn parse(text: &str, file: &str, name: &str) -> Result<Vec<NamedProblem>, ReadError> {
    let first = text.trim_start_matches('\u{feff}').trim_start();
    if !first.starts_with(['{', '[']) {
        let problem = siconos::parse(text).map_err(|fault| fault.in_file(file))?;
        return Ok(vec![NamedProblem { name: name.into(), problem, start: None, basis: None }]);
    }
    let value: Value = serde_json::from_str(first).map_err(|error| ReadError::Syntax {
        file: file.into(),
        line: error.line() + text[..text.len() - first.len()].matches('\n').count(),
        message: error.to_string().split(" at line ").next().unwrap_or_default().into(),
    })?;
    let format = match value.get("format") {
        Some(Value::String(format)) => format.clone(),
        Some(other) => json::shown(other),
        None => "missing (it stands under the key \"format\")".into(),
    };
    let Some(form) = json::form(&format) else {
        let known = json::FORMS.map(|form| form.0).join(", ");
        return Err(ReadError::Format { file: file.into(), format, known });
    };
    json::problems(&value, form, name).map_err(|fault| fault.in_file(file))
}
