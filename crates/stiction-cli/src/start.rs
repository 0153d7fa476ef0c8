//! Starts of solves: answers in a file that `stiction solve --json` wrote.

use crate::error::CliError;
use serde_json::Value;
use std::path::Path;
use stiction_solvers::io::{NamedProblem, read_text_file};
use stiction_solvers::{ActiveSet, Problem};

/// Gives every problem the answer of its name in the file; where both have only one, whatever its name.
pub(crate) fn take(file: &Path, problems: &mut [NamedProblem]) -> Result<(), CliError> {
    let refuse = |why: String| CliError::Usage(format!("--start {}: {why}", file.display()));
    let text = read_text_file(file).map_err(|error| refuse(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    let answers = match value {
        Value::Array(list) => list,
        one => vec![one],
    };
    let only = answers.len() == 1 && problems.len() == 1;
    for named in problems {
        let is_of = |answer: &&Value| answer.get("problem").and_then(Value::as_str) == Some(&named.name);
        let Some(answer) = answers.iter().find(is_of).or(answers.first().filter(|_| only)) else {
            return Err(refuse(format!("has no answer of a problem named {}", named.name)));
        };
        place(answer, named).map_err(|why| refuse(format!("{}: {why}", named.name)))?;
    }
    Ok(())
}

fn place(answer: &Value, named: &mut NamedProblem) -> Result<(), String> {
    let n = named.problem.dim();
    let numbers = |key: &str| match answer.get(key) {
        None => Ok(None),
        Some(value) => serde_json::from_value(value.clone())
            .map(Some)
            .map_err(|_| format!("\"{key}\" is no list of numbers")),
    };
    let z: Option<Vec<f64>> = numbers("z")?;
    let basis = match answer.get("basis") {
        None => None,
        Some(value) => Some(
            serde_json::from_value::<Vec<usize>>(value.clone())
                .map_err(|_| String::from("\"basis\" is no list of indices"))?,
        ),
    };
    if let Some(index) = basis.iter().flatten().find(|index| **index >= n) {
        return Err(format!("\"basis\" has the index {index}, but the problem only {n} unknowns"));
    }
    (named.start, named.basis) = match (z, basis) {
        (Some(z), _) if z.len() == n => (Some(z), None),
        (Some(z), _) if z.len() > n => {
            return Err(format!("\"z\" has {} entries, but the problem only {n} unknowns", z.len()));
        }
        (_, Some(basis)) => (None, Some(ActiveSet::of(n, basis))),
        (Some(z), None) => {
            let nonzero = z.iter().enumerate().filter(|(_, z)| **z != 0.0).map(|(i, _)| i);
            (None, Some(ActiveSet::of(n, nonzero)))
        }
        (None, None) => return Err("has neither \"z\" nor \"basis\"".into()),
    };
    Ok(())
}
