//! `stiction solve`: solves the complementarity problems of a file and says how well.

use crate::error::CliError;
use crate::names;
use crate::print::output;
use crate::start;
use std::fmt::Write;
use std::path::PathBuf;
use stiction::scene::did_you_mean;
use stiction_lab::solvers::{self, Outcome, status_name};
use stiction_lab::table::{cell, columns, count, residual};
use stiction_solvers::cones::LARGEST_FILLED;
use stiction_solvers::io;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::{AnySolver, Entry, MakeError, RegistryError, SOLVERS};
use stiction_solvers::{AnyProblem, Delassus, Solution};

/// Arguments of `stiction solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    /// The problems: a JSON, a Siconos text or an FCLIB HDF5 file
    file: PathBuf,
    /// Solve only the problem of this name; may be given more than once
    #[arg(long, value_name = "NAME")]
    problem: Vec<String>,
    /// Solver, with settings after its name ('pgs max_iterations=200 history=true'); or 'all' for every one that serves the
    /// problem, which counts as solved if one of them solves it
    #[arg(long, value_name = "NAME [SETTING=VALUE ...]", default_value = "robust", value_parser = names::problem_solvers(), hide_possible_values = true)]
    solver: String,
    /// Largest scaled residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-10, allow_negative_numbers = true)]
    tol: f64,
    /// Most time of one solve in seconds; the best answer so far is returned then
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    time_limit: Option<f64>,
    /// Start from the answers in a file that --json wrote, each for the problem of its name: from its unknowns if there are as
    /// many, and if they are fewer from their basis, as those of a part of the problem that is solved
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Print one JSON list
    #[arg(long)]
    json: bool,
}

/// Unknowns up to which an answer is listed.
const LISTED: usize = 12;

/// A problem that nobody solved, with what was tried.
struct Unsolved {
    problem: String,
    attempts: Vec<String>,
}

/// Runs the command.
pub(crate) fn solve(args: &SolveArgs) -> Result<(), CliError> {
    if !(args.tol >= 0.0 && args.tol < 1.0) {
        return Err(CliError::Usage(format!("--tol {}: a number from 0 to below 1 is needed", args.tol)));
    }
    if let Some(seconds) = args.time_limit.filter(|seconds| seconds.is_nan() || *seconds < 0.0) {
        return Err(CliError::Usage(format!("--time-limit {seconds}: a number of at least 0 is needed")));
    }
    let mut chosen = choose(args)?;
    if let Some(file) = &args.start {
        start::take(file, &mut chosen)?;
    }
    let mut solvers = make_solvers(args)?;
    let mut outcomes = Vec::new();
    let mut unsolved = Vec::new();
    for named in &chosen {
        let first = outcomes.len();
        let mut attempts = Vec::new();
        for (entry, solver) in &mut solvers {
            if args.solver == "all" && !entry.serves(named.problem.class()) {
                continue;
            }
            if let Some(note) = too_large(named, entry) {
                output::note(&note);
            }
            let outcome = solvers::solve(entry, solver.as_mut(), named, 0.0)?;
            attempts.extend(solver.tried().iter().map(|attempt| {
                let status = status_name(attempt.report.status);
                format!("{} {status} at {:.1e}", attempt.solver, attempt.report.residual.natural_map)
            }));
            outcomes.push(outcome);
        }
        if !outcomes[first..].iter().any(Outcome::solved) {
            unsolved.push(Unsolved { problem: named.name.clone(), attempts });
        }
    }
    if args.json {
        output::json(&outcomes)?;
    } else {
        output::data(&(listing(&outcomes, &unsolved, chosen.len()) + &answers(&outcomes)))?;
    }
    match unsolved.len() {
        0 => Ok(()),
        unsolved => Err(CliError::ProblemsUnsolved { unsolved, total: chosen.len() }),
    }
}

/// Why a solver will not attempt a problem.
fn too_large(named: &NamedProblem, entry: &Entry) -> Option<String> {
    let rows = match &named.problem {
        AnyProblem::ConeNcp(problem) if matches!(problem.delassus(), Delassus::Sparse(_)) => {
            problem.q().len()
        }
        _ => return None,
    };
    (rows > LARGEST_FILLED && entry.name != "nsgs").then(|| {
        let name = &named.name;
        format!(
            "warning: {name}: {} does not attempt {rows} rows, as it would fill the matrix, which it does up to {LARGEST_FILLED} rows; \
             --solver nsgs leaves it in blocks",
            entry.name
        )
    })
}

/// The problems that were asked for.
fn choose(args: &SolveArgs) -> Result<Vec<NamedProblem>, CliError> {
    let all = io::read(&args.file)?;
    for name in &args.problem {
        if !all.iter().any(|named| named.name == *name) {
            let known = || all.iter().map(|named| named.name.as_str());
            let hint = did_you_mean(name, known());
            let mut listed = known().take(20).collect::<Vec<_>>().join(", ");
            if all.len() > 20 {
                let _ = write!(listed, " and {} more", all.len() - 20);
            }
            return Err(CliError::Usage(format!(
                "--problem {name}: {} has no problem of this name{hint}; it has: {listed}",
                args.file.display()
            )));
        }
    }
    let wanted = |named: &NamedProblem| args.problem.is_empty() || args.problem.contains(&named.name);
    let chosen: Vec<NamedProblem> = all.into_iter().filter(wanted).collect();
    if args.solver != "all" {
        let (entry, _) = parse_solver(&args.solver)?;
        for named in &chosen {
            registry::find_for(entry.name, named.problem.class())
                .map_err(|error| CliError::Usage(format!("{}: {error}", named.name)))?;
        }
    }
    Ok(chosen)
}

/// The solver of a name, with a hint if there is none.
pub(crate) fn find_solver(name: &str) -> Result<&'static Entry, CliError> {
    registry::find(name).map_err(|error| CliError::Usage(with_hint(name, &error)))
}

/// The solver that a text names, and its settings.
fn parse_solver(text: &str) -> Result<(&'static Entry, &str), CliError> {
    registry::parse(text).map_err(|error| {
        let name = text.split_whitespace().next().unwrap_or_default();
        CliError::Usage(with_hint(name, &error))
    })
}

fn with_hint(name: &str, error: &RegistryError) -> String {
    let hint = did_you_mean(name, SOLVERS.iter().map(|entry| entry.name).chain(["all"]));
    format!("--solver {name}: {error}{hint}")
}

/// A solver with its entry.
type Named = (&'static Entry, Box<dyn AnySolver + Send>);

fn make_solvers(args: &SolveArgs) -> Result<Vec<Named>, CliError> {
    let chosen = match args.solver.as_str() {
        "all" => SOLVERS.iter().map(|entry| (entry, "")).collect(),
        text => vec![parse_solver(text)?],
    };
    let made = chosen.into_iter().map(|(entry, settings)| {
        let mut solver = entry.make_with(args.tol, settings)?;
        if args.time_limit.is_some() {
            solver.limit_time(args.time_limit);
        }
        Ok((entry, solver))
    });
    made.collect::<Result<_, MakeError>>()
        .map_err(|error| CliError::Usage(format!("--solver {}: {error}", args.solver)))
}

/// A time in microseconds.
pub(crate) fn microseconds(value: f64) -> String {
    format!("{value:.1}")
}

/// What the answers of cone problems leave of the laws of contact.
fn certificates(outcomes: &[Outcome]) -> String {
    let header = ["problem", "solver", "approach", "pull", "product", "outside cone", "dissipation", "held"];
    let right = [false, false, true, true, true, true, true, true];
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .filter_map(|o| {
            let c = o.certificate?;
            let measures =
                [c.approach, c.pull, c.complementarity, c.cone_violation, c.dissipation, c.bilateral];
            let mut row = vec![o.problem.clone(), o.solver.to_string()];
            row.extend(measures.map(residual));
            Some(row)
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let units = "approach and held in units of velocity, pull and outside cone of impulse, product and dissipation of energy";
    format!("\nContact laws, worst of each problem ({units}):\n{}", columns(&header, &right, &rows))
}

/// The answers of small problems.
fn answers(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.n <= LISTED) {
        let Some(Solution { z, w }) = &outcome.answer else { continue };
        let _ =
            write!(text, "\n{} ({}):\n  z = {z:?}\n  w = {w:?}\n", cell(&outcome.problem), outcome.solver);
    }
    if outcomes.iter().any(|outcome| outcome.n > LISTED) {
        let _ =
            writeln!(text, "\nThe answers of problems of more than {LISTED} unknowns are told by --json.");
    }
    text
}

fn listing(outcomes: &[Outcome], unsolved: &[Unsolved], problems: usize) -> String {
    let header = ["problem", "class", "n", "solver", "status", "residual", "iterations", "pivots", "time/us"];
    let right = [false, false, true, false, false, true, true, true, true];
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .map(|o| {
            vec![
                o.problem.clone(),
                o.class.to_string(),
                o.n.to_string(),
                o.solver.to_string(),
                if o.solved() { o.status.to_string() } else { o.status.to_uppercase() },
                residual(o.residual),
                o.iterations.to_string(),
                o.pivots.to_string(),
                microseconds(o.time_us),
            ]
        })
        .collect();
    let mut text = columns(&header, &right, &rows);
    text += &certificates(outcomes);
    let solved = problems - unsolved.len();
    let _ = write!(text, "\n{solved} of {} solved\n", count(problems, "problem", "problems"));
    if !unsolved.is_empty() {
        text += "\nNot solved:\n";
    }
    for Unsolved { problem, attempts } in unsolved {
        let tried = if attempts.is_empty() { String::new() } else { format!(": {}", attempts.join(", ")) };
        let _ = writeln!(text, "  {problem}{tried}");
    }
    text
}
