//! Every solver on every problem of a folder that it serves.

use super::outcome::{self, Outcome};
use super::profile::{self, Profile, profiles};
use crate::error::LabError;
use crate::plot::Picture;
use crate::table::{columns, count, residual};
use crate::{Findings, Progress};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction_solvers::io;
use stiction_solvers::io::{NamedProblem, ReadError};
use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{Class, Problem};

/// Each solver repeats a problem for so long, and its shortest time counts (s).
const REPEAT: f64 = 0.005;

/// What to measure with.
#[derive(Clone, Debug)]
pub struct SuiteSettings {
    /// Folder with problem files, searched to the bottom.
    pub folder: PathBuf,
    /// Largest scaled residual that counts as solved.
    pub tolerance: f64,
    /// Cone problems of more rows than this are left out: some solvers take minutes for them.
    pub cone_rows: usize,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Suite {
    data: String,
    problems: usize,
    solves: Vec<Outcome>,
    profiles: Vec<Profile>,
    /// Files and problems that were left out, and why, a sentence each.
    #[serde(skip)]
    pub left_out: Vec<String>,
}

/// Solves all problems with all solvers.
///
/// # Errors
/// The folder cannot be read or has no problems in it, or the tolerance is out of range.
pub fn run(settings: &SuiteSettings, progress: Progress) -> Result<Suite, LabError> {
    let SuiteSettings { folder, tolerance, cone_rows } = settings;
    let (mut problems, mut left_out) = collect(folder)?;
    let all = problems.len();
    problems.retain(|named| named.problem.class() != Class::ConeNcp || named.problem.dim() <= *cone_rows);
    if problems.len() < all {
        let large = count(all - problems.len(), "cone problem", "cone problems");
        left_out.push(format!("{large} of more than {cone_rows} rows left out"));
    }
    if problems.is_empty() {
        let mut message = format!("{}: there are no complementarity problems in it", folder.display());
        left_out.iter().for_each(|reason| message += &format!("; {reason}"));
        return Err(LabError::Refused(message));
    }
    let solves = solve_all(&problems, *tolerance, progress)?;
    let profiles = profiles(&solves);
    Ok(Suite { data: folder.display().to_string(), problems: problems.len(), solves, profiles, left_out })
}

impl Findings for Suite {
    fn table(&self) -> String {
        listing(&self.profiles, &self.solves)
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![profile::picture(&self.profiles)]
    }
}

/// All problems below a folder, files in the order of their names, and what is to be said of the files that hold none.
fn collect(folder: &Path) -> Result<(Vec<NamedProblem>, Vec<String>), LabError> {
    let mut files = Vec::new();
    find_files(folder, &mut files)?;
    let mut problems = Vec::new();
    let mut unreadable = Vec::new();
    let mut others = 0;
    for file in files {
        match io::read(&file) {
            Ok(found) => {
                let stem =
                    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                let single = found.len() == 1;
                problems.extend(found.into_iter().map(|named| NamedProblem {
                    name: if single { stem.clone() } else { format!("{stem}/{}", named.name) },
                    ..named
                }));
            }
            Err(error) => {
                others += 1;
                if !matches!(error, ReadError::Format { .. }) {
                    unreadable.push(format!("note: {error}"));
                }
            }
        }
    }
    if others > 0 {
        unreadable.push(format!("{} of other kinds left out", count(others, "file", "files")));
    }
    Ok((problems, unreadable))
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), LabError> {
    let unreadable = |source| LabError::File { path: folder.into(), action: "cannot be read", source };
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(unreadable)?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            find_files(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|ending| ending == "json" || ending == "dat" || ending == "hdf5")
        {
            files.push(path);
        }
    }
    Ok(())
}

fn solve_all(
    problems: &[NamedProblem],
    tolerance: f64,
    progress: Progress,
) -> Result<Vec<Outcome>, LabError> {
    let mut outcomes = Vec::new();
    for (s, entry) in SOLVERS.iter().enumerate() {
        let mut solver = entry.make(tolerance)?;
        for (p, named) in problems.iter().enumerate() {
            progress(s * problems.len() + p, SOLVERS.len() * problems.len());
            if entry.serves(named.problem.class()) {
                let outcome = outcome::solve(entry, solver.as_mut(), named, REPEAT)?;
                outcomes.push(Outcome { answer: None, ..outcome });
            }
        }
    }
    Ok(outcomes)
}

fn listing(profiles: &[Profile], outcomes: &[Outcome]) -> String {
    let header = [
        "class",
        "solver",
        "solved",
        "of",
        "worst",
        "iterations",
        "pivots",
        "time/ms",
        "within 1.1x",
        "2x",
        "10x",
        "100x",
    ];
    let right = [false, false, true, true, true, true, true, true, true, true, true, true];
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let row = |profile: &Profile| {
        let mut row = vec![
            profile.class.to_string(),
            profile.solver.to_string(),
            profile.solved.to_string(),
            profile.problems.to_string(),
            if profile.solved > 0 { residual(profile.worst_residual) } else { "-".into() },
            profile.iterations.to_string(),
            profile.pivots.to_string(),
            format!("{:.2}", profile.time_us / 1e3),
        ];
        row.extend([1.1, 2.0, 10.0, 100.0].map(|tau| percent(profile.share(tau))));
        row
    };
    let mut text = columns(&header, &right, &profiles.iter().map(row).collect::<Vec<_>>());
    text += "\nWork and time are sums over the solved problems; the last columns are the share of the class's solvable\n\
             problems that the solver solves within this factor of the fastest solver's time.\n";
    let unsolved: Vec<&Outcome> = outcomes.iter().filter(|o| o.solver == "robust" && !o.solved()).collect();
    if !unsolved.is_empty() {
        let _ = write!(text, "\nNot solved by the robust driver:\n");
    }
    for outcome in unsolved {
        let _ = writeln!(text, "  {}: {} at {}", outcome.problem, outcome.status, residual(outcome.residual));
    }
    text
}
