//! `stiction bench solvers`: every solver on every problem of a folder that it serves.

use super::profile::{Profile, profiles};
use super::{stacked, svg};
use crate::error::CliError;
use crate::output;
use crate::problems::{self, Outcome};
use crate::progress::Progress;
use crate::solve::residual;
use crate::table::{columns, count};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction_solvers::io;
use stiction_solvers::io::{NamedProblem, ReadError};
use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{Class, Problem};

/// Each solver repeats a problem for so long, and its shortest time counts (s).
const REPEAT: f64 = 0.005;

/// Arguments of `stiction bench solvers`.
#[derive(Debug, clap::Args)]
pub(crate) struct SolversArgs {
    /// Folder with problem files, searched to the bottom [default: $STICTION_DATA, else problems]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Largest scaled residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-10, allow_negative_numbers = true)]
    tol: f64,
    /// Leave out cone problems of more rows than this: some solvers take minutes for them
    #[arg(long, value_name = "N", default_value_t = 330)]
    cone_rows: usize,
    /// Print one JSON object with every solve
    #[arg(long)]
    json: bool,
    /// Draw the performance profiles into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results<'a> {
    data: String,
    problems: usize,
    solves: &'a [Outcome],
    profiles: &'a [Profile],
}

/// Runs the command.
pub(crate) fn bench(args: &SolversArgs) -> Result<(), CliError> {
    let folder = args.data.clone().or_else(|| std::env::var_os("STICTION_DATA").map(PathBuf::from));
    let folder = folder.unwrap_or_else(|| "problems".into());
    let (mut problems, left_out) = collect(&folder)?;
    if left_out > 0 {
        output::note(&format!("{} of other kinds left out", count(left_out, "file", "files")));
    }
    let all = problems.len();
    problems.retain(|named| named.problem.class() != Class::ConeNcp || named.problem.dim() <= args.cone_rows);
    if problems.len() < all {
        let large = count(all - problems.len(), "cone problem", "cone problems");
        output::note(&format!("{large} of more than {} rows left out", args.cone_rows));
    }
    if problems.is_empty() {
        let message = format!("--data {}: there are no complementarity problems in it", folder.display());
        return Err(CliError::Usage(message));
    }
    let outcomes = run(&problems, args.tol)?;
    let profiles = profiles(&outcomes);
    if let Some(path) = &args.svg {
        stacked::write(path, &svg::draw(&profiles))?;
    }
    if args.json {
        let data = folder.display().to_string();
        return output::json(&Results {
            data,
            problems: problems.len(),
            solves: &outcomes,
            profiles: &profiles,
        });
    }
    output::data(&listing(&profiles, &outcomes))
}

/// All problems below a folder, files in the order of their names, and how many files hold none.
fn collect(folder: &Path) -> Result<(Vec<NamedProblem>, usize), CliError> {
    let mut files = Vec::new();
    find_files(folder, &mut files)?;
    let mut problems = Vec::new();
    let mut left_out = 0;
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
            Err(ReadError::Format { .. }) => left_out += 1,
            Err(error) => {
                output::note(&format!("note: {error}"));
                left_out += 1;
            }
        }
    }
    Ok((problems, left_out))
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let unreadable = |source| CliError::File { path: folder.into(), action: "cannot be read", source };
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

fn run(problems: &[NamedProblem], tolerance: f64) -> Result<Vec<Outcome>, CliError> {
    let progress = Progress::new("solve", (SOLVERS.len() * problems.len()) as u64, false);
    let mut outcomes = Vec::new();
    for (s, entry) in SOLVERS.iter().enumerate() {
        let mut solver = entry.make(tolerance).map_err(|error| CliError::Usage(error.to_string()))?;
        for (p, named) in problems.iter().enumerate() {
            progress.at((s * problems.len() + p) as u64);
            if entry.serves(named.problem.class()) {
                outcomes.push(problems::solve(entry, solver.as_mut(), named, REPEAT)?);
            }
        }
    }
    progress.done();
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
