//! `stiction bench cones`: the solvers of the exact friction cone on problems of one kind each, beside the figures of the
//! prototype that the methods were chosen with.
//!
//! Every solver runs alone, from nothing but in the sequences, on one core. *Solved* is what the problem certifies.

mod prototype;
mod tables;

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use stiction_solvers::samples::random;
use stiction_solvers::samples::random::Range;
use stiction_solvers::samples::{Family, Form, Motion, Sample, Sequence, large};
use stiction_solvers::select::registry::{AnySolver, Entry, SOLVERS};
use stiction_solvers::{AnyProblem, Class, Report, Solution, SolverError, Start, io};

use crate::error::CliError;
use crate::output;
use crate::problems::find_solver;
use crate::progress::Progress;
use tables::{Outcome, Step};

/// A solve shorter than this (s) is repeated, and the shortest time counts.
const REPEAT: f64 = 1e-3;

/// Tolerance at which work and time are measured, and the strict one.
const TOLERANCE: f64 = 1e-9;
const STRICT: f64 = 1e-12;

/// Arguments of `stiction bench cones`.
#[derive(Debug, clap::Args)]
pub(crate) struct ConesArgs {
    /// The kind of problems
    #[arg(long, value_enum, default_value_t = Set::All)]
    set: Set,
    /// The solver, or "all"
    #[arg(long, value_name = "NAME", default_value = "robust")]
    solver: String,
    /// A few problems of each kind
    #[arg(long)]
    quick: bool,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Set {
    /// All of them
    All,
    /// The 54 public problems, if STICTION_DATA names their folder
    Public,
    /// 936 generated islands of 1 to 40 contacts
    Islands,
    /// Five motions with impulses carried over
    Sequences,
    /// Towers and piles of 48 to 400 contacts
    Large,
    /// Random bodies and blocks
    Random,
}

/// Runs the command.
pub(crate) fn bench(args: &ConesArgs) -> Result<(), CliError> {
    let contestants = contestants(&args.solver)?;
    let wanted = |set: Set| args.set == set || args.set == Set::All;
    if wanted(Set::Public) {
        public(&contestants, args)?;
    }
    if wanted(Set::Islands) {
        islands(&contestants, args.quick)?;
    }
    if wanted(Set::Sequences) {
        sequences(&contestants, args.quick)?;
    }
    if wanted(Set::Large) {
        towers_and_piles(&contestants, args.quick)?;
    }
    if wanted(Set::Random) {
        anything(&contestants, args.quick)?;
    }
    Ok(())
}

fn contestants(name: &str) -> Result<Vec<&'static Entry>, CliError> {
    let serving: Vec<&Entry> = SOLVERS.iter().filter(|entry| entry.serves(Class::ConeNcp)).collect();
    if name == "all" {
        return Ok(serving);
    }
    let entry = find_solver(name)?;
    if entry.serves(Class::ConeNcp) {
        return Ok(vec![entry]);
    }
    let names: Vec<&str> = serving.iter().map(|entry| entry.name).collect();
    Err(CliError::Usage(format!(
        "--solver {name}: it does not serve friction cones; these do: {}",
        names.join(", ")
    )))
}

fn usage(error: SolverError) -> CliError {
    CliError::Usage(error.to_string())
}

/// Every `stride`th of a list.
fn some<T>(list: Vec<T>, stride: usize) -> Vec<T> {
    list.into_iter().step_by(stride).collect()
}

/// The samples of a kind in one form.
fn posed(samples: Vec<Sample>, form: Form) -> Result<Vec<AnyProblem>, CliError> {
    samples.into_iter().map(|sample| Ok(sample.system.problem(form).map_err(usage)?.into())).collect()
}

/// All problems from nothing, twice: to the tolerance and to the strict one.
fn cold(entry: &Entry, problems: &[AnyProblem]) -> Result<Vec<Outcome>, CliError> {
    let mut solver = entry.make(TOLERANCE).map_err(usage)?;
    let mut strict = entry.make(STRICT).map_err(usage)?;
    let progress = Progress::new(entry.name, problems.len() as u64, false);
    let mut outcomes = Vec::with_capacity(problems.len());
    for (k, problem) in problems.iter().enumerate() {
        progress.at(k as u64);
        let mut x = Solution::default();
        let Some((report, mut time)) = timed(solver.as_mut(), problem, Start::Cold, &mut x) else { continue };
        for _ in 0..2 {
            if time < REPEAT
                && let Some((_, again)) = timed(solver.as_mut(), problem, Start::Cold, &mut x)
            {
                time = time.min(again);
            }
        }
        let Some(strict) = strict.solve(problem, Start::Cold, &mut x) else { continue };
        outcomes.push(Outcome { report, strict: strict.status, time });
    }
    progress.done();
    Ok(outcomes)
}

fn timed(
    solver: &mut dyn AnySolver,
    problem: &AnyProblem,
    start: Start,
    x: &mut Solution,
) -> Option<(Report, f64)> {
    let begin = Instant::now();
    let report = solver.solve(problem, start, x)?;
    Some((report, begin.elapsed().as_secs_f64()))
}

fn public(contestants: &[&Entry], args: &ConesArgs) -> Result<(), CliError> {
    let Some(data) = std::env::var_os("STICTION_DATA").map(PathBuf::from) else {
        if args.set == Set::Public {
            let message =
                "--set public: the variable STICTION_DATA must name the folder with fc/*.json in it";
            return Err(CliError::Usage(message.into()));
        }
        output::note("the public problems are left out: STICTION_DATA is not set");
        return Ok(());
    };
    let folder = data.join("fc");
    let unreadable = |source| CliError::File { path: folder.clone(), action: "cannot be read", source };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(unreadable)?;
    files.retain(|path| {
        path.extension().is_some_and(|ending| ending == "json")
            && path.file_stem().is_some_and(|s| s != "index")
    });
    files.sort();
    let mut problems = Vec::new();
    for file in some(files, if args.quick { 6 } else { 1 }) {
        problems.extend(io::read(&file)?.into_iter().map(|named| named.problem));
    }
    output::data(&tables::begin("Public problems", &tables::COLD))?;
    for entry in contestants {
        let outcomes = cold(entry, &problems)?;
        output::data(&tables::cold(&["all"], entry.name, &outcomes, prototype::public(entry.name)))?;
    }
    Ok(())
}

fn islands(contestants: &[&Entry], quick: bool) -> Result<(), CliError> {
    let stride = if quick { 12 } else { 1 };
    output::data(&tables::begin("Generated islands, 1 to 40 contacts", &tables::COLD))?;
    for entry in contestants {
        let mut all = Vec::new();
        for family in Family::ALL {
            let problems = posed(some(family.samples(0), stride), Form::Dense)?;
            let outcomes = cold(entry, &problems)?;
            output::data(&tables::cold(&[family.name()], entry.name, &outcomes, ""))?;
            all.extend(outcomes);
        }
        output::data(&tables::cold(&["all"], entry.name, &all, prototype::islands(entry.name)))?;
    }
    Ok(())
}

fn anything(contestants: &[&Entry], quick: bool) -> Result<(), CliError> {
    let count = if quick { 100 } else { 1000 };
    type Draw = fn(u64, Range) -> Sample;
    let kinds: [(&str, Draw); 3] = [
        ("contacts", random::contacts),
        ("mixed blocks", random::mixed),
        ("known answer", |seed, range| random::planted(seed, range).0),
    ];
    output::data(&tables::begin("Random bodies, 1 to 60 contacts", &tables::COLD))?;
    for entry in contestants {
        for (label, range) in
            [("mu to 3", Range { friction: 3.0, ..Range::WIDE }), ("mu to 1000", Range::WIDE)]
        {
            for (kind, draw) in kinds {
                let problems = posed((0..count).map(|seed| draw(seed, range)).collect(), Form::Dense)?;
                let outcomes = cold(entry, &problems)?;
                output::data(&tables::cold(&[kind, label], entry.name, &outcomes, ""))?;
            }
        }
    }
    Ok(())
}

fn towers_and_piles(contestants: &[&Entry], quick: bool) -> Result<(), CliError> {
    let seeds = if quick { 1..2 } else { 1..4 };
    let sizes = if quick { 2 } else { 4 };
    let towers = large::TOWERS.iter().take(sizes).map(|boxes| {
        let samples: Vec<Sample> = seeds.clone().map(|seed| large::tower(*boxes, seed)).collect();
        (format!("tower {boxes}, {} contacts", 4 * boxes), samples)
    });
    let piles = large::PILES.iter().take(sizes).map(|size| {
        let samples: Vec<Sample> = seeds.clone().map(|seed| large::heap(*size, seed)).collect();
        (format!("pile {}, {} contacts", size[0], size[1]), samples)
    });
    let kinds: Vec<(String, Vec<Sample>)> = towers.chain(piles).collect();
    output::data(&tables::begin("Large islands", &tables::COLD))?;
    for entry in contestants {
        for (name, samples) in &kinds {
            // Dense too, where that is not a matter of minutes.
            for (form, word) in [(Form::Factored, "in factors"), (Form::Dense, "dense")] {
                let problems = posed(samples.clone(), form)?;
                let outcomes = cold(entry, &problems)?;
                let published = prototype::large(name, entry.name);
                output::data(&tables::cold(&[name.as_str(), word], entry.name, &outcomes, published))?;
            }
        }
    }
    Ok(())
}

fn sequences(contestants: &[&Entry], quick: bool) -> Result<(), CliError> {
    output::data(&tables::begin("Sequences, impulses carried over", &tables::WARM))?;
    for entry in contestants {
        for motion in Motion::ALL {
            let length = if quick { motion.problems() / 10 } else { motion.problems() };
            let steps = follow(entry, motion, length)?;
            output::data(&tables::warm(motion, entry.name, &steps))?;
        }
    }
    Ok(())
}

fn follow(entry: &Entry, motion: Motion, length: usize) -> Result<Vec<Step>, CliError> {
    let mut solver = entry.make(TOLERANCE).map_err(usage)?;
    let mut sequence = Sequence::new(motion, Form::Dense);
    let mut x = Solution::default();
    let progress = Progress::new(motion.name(), length as u64, false);
    let mut steps = Vec::with_capacity(length);
    for k in 0..length {
        progress.at(k as u64);
        let Some(problem) = sequence.pose(&mut x).map_err(usage)? else { break };
        let problem = AnyProblem::from(problem.clone());
        let carried = x.clone();
        let Some((report, mut time)) = timed(solver.as_mut(), &problem, Start::Warm, &mut x) else { break };
        for _ in 0..2 {
            let mut again = carried.clone();
            if time < REPEAT
                && let Some((_, repeated)) = timed(solver.as_mut(), &problem, Start::Warm, &mut again)
            {
                time = time.min(repeated);
            }
        }
        steps.push(Step { class: sequence.advance(&x), report, time });
    }
    progress.done();
    Ok(steps)
}
