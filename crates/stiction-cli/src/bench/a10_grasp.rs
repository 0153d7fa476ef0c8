//! `stiction bench a10-grasp`: projected Gauss-Seidel with subspace minimization where it was made for, small friction
//! boxes of hands that hold an object, and large frictionless problems.
//!
//! The published times stand beside those of the same methods here: G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the
//! use of iterative LCP solvers for dry frictional contacts in grasping*, 2010, table I. Its problems are not published: ours
//! have their sizes and conditioning ([`grasp`]), and its machine was one of 2010.

use serde::Serialize;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::samples::{Dice, frictionless, grasp, islands, large};
use stiction_solvers::{AnyProblem, SolverError};

use crate::error::CliError;
use crate::output;
use crate::problems::{self, Outcome, find_solver};
use crate::progress::Progress;
use crate::solve::residual;
use crate::table::columns;

/// Each solver repeats a small problem for so long, and its shortest time counts (s).
const REPEAT: f64 = 0.002;

const CONTACTS: std::ops::RangeInclusive<usize> = 4..=12;
const SEED: u64 = 2010;

/// Fingers of the hand, solver, and least, largest and mean time (us) of table I.
const PUBLISHED: [(usize, &str, [u32; 3]); 6] = [
    (3, "lemke", [146, 7050, 672]),
    (3, "pgs", [97, 1332, 207]),
    (3, "pgs-sm", [84, 355, 145]),
    (5, "lemke", [220, 11820, 1885]),
    (5, "pgs", [95, 3348, 238]),
    (5, "pgs-sm", [79, 452, 155]),
];

/// Unknowns of the large problems, contacts of a box in a tower, and masses' ratio.
const LARGE: usize = 5000;
const CORNERS: usize = 4;
const RATIO: f64 = 100.0;

/// Arguments of `stiction bench a10-grasp`.
#[derive(Debug, clap::Args)]
pub(crate) struct GraspArgs {
    /// Largest scaled residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-8, allow_negative_numbers = true)]
    tol: f64,
    /// Problems for each hand and number of contacts
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    problems: u16,
    /// Leave out the problems of 5000 contacts
    #[arg(long)]
    small: bool,
    /// Print one JSON object with every solve
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results {
    tolerance: f64,
    small: Vec<Outcome>,
    large: Vec<Outcome>,
}

/// Runs the command.
pub(crate) fn bench(args: &GraspArgs) -> Result<(), CliError> {
    let results = Results {
        tolerance: args.tol,
        small: small(args)?,
        large: if args.small { Vec::new() } else { large(args.tol)? },
    };
    if args.json {
        return output::json(&results);
    }
    output::data(&listing(&results))
}

fn usage(error: SolverError) -> CliError {
    CliError::Usage(error.to_string())
}

/// The name of a problem begins with its hand and its number of contacts.
fn name(fingers: usize, contacts: usize) -> String {
    format!("{fingers} fingers, {contacts} contacts")
}

fn small(args: &GraspArgs) -> Result<Vec<Outcome>, CliError> {
    let progress = Progress::new("grasps", PUBLISHED.len() as u64, false);
    let mut outcomes = Vec::new();
    for (k, (fingers, solver, _)) in PUBLISHED.into_iter().enumerate() {
        progress.at(k as u64);
        let entry = find_solver(solver)?;
        let mut solver = entry.make(args.tol).map_err(usage)?;
        let mut dice = Dice::new(SEED);
        for contacts in CONTACTS {
            for number in 1..=args.problems {
                let problem = grasp::friction_boxes(&mut dice, fingers, contacts).map_err(usage)?.into();
                let named = NamedProblem {
                    name: format!("{}, {number}", name(fingers, contacts)),
                    problem,
                    start: None,
                };
                outcomes.push(problems::solve(entry, solver.as_mut(), &named, REPEAT)?);
            }
        }
    }
    progress.done();
    Ok(outcomes)
}

/// One after the other: each takes a few hundred megabytes.
fn large(tolerance: f64) -> Result<Vec<Outcome>, CliError> {
    let mut dice = Dice::new(SEED);
    let boxes = LARGE / CORNERS;
    let (entry, progress) = (find_solver("pgs-sm")?, Progress::new("5000 contacts", 3, false));
    let mut solver = entry.make(tolerance).map_err(usage)?;
    let mut outcomes = Vec::new();
    for kind in ["column of bodies", "tower of boxes", "pile of boxes"] {
        progress.at(outcomes.len() as u64);
        let problem = match kind {
            "column of bodies" => frictionless::Column::new(&mut dice, LARGE, RATIO).problem(),
            "tower of boxes" => frictionless::normals(&islands::stack(&mut dice, boxes, RATIO, 0.0)),
            _ => frictionless::normals(&large::pile(&mut dice, LARGE / 5, LARGE, RATIO, [0.5, 0.5])),
        };
        let problem: AnyProblem = problem.map_err(usage)?.into();
        let named = NamedProblem { name: kind.into(), problem, start: None };
        outcomes.push(problems::solve(entry, solver.as_mut(), &named, REPEAT)?);
    }
    progress.done();
    Ok(outcomes)
}

fn listing(results: &Results) -> String {
    let header = [
        "hand", "contacts", "solver", "solved", "worst", "min/us", "max/us", "mean/us", "paper", "max",
        "mean",
    ];
    let right = [false, true, false, true, true, true, true, true, true, true, true];
    let mut rows = Vec::new();
    for (fingers, solver, published) in PUBLISHED {
        let of = |test: &dyn Fn(&Outcome) -> bool, contacts: &str, published: [String; 3]| {
            let own: Vec<&Outcome> = results.small.iter().filter(|o| o.solver == solver && test(o)).collect();
            let mut row = vec![format!("{fingers} fingers"), contacts.into(), solver.into()];
            row.extend(summary(&own));
            row.extend(published);
            row
        };
        let (hand, most) = (format!("{fingers} fingers"), name(fingers, *CONTACTS.end()));
        let all = format!("{} to {}", CONTACTS.start(), CONTACTS.end());
        rows.push(of(&|o| o.problem.starts_with(&hand), &all, published.map(|us| us.to_string())));
        rows.push(of(
            &|o| o.problem.starts_with(&most),
            &CONTACTS.end().to_string(),
            ["-", "-", "-"].map(String::from),
        ));
    }
    let mut text = columns(&header, &right, &rows);
    text += "\nTimes over problems, of each the shortest; beside them min, max and mean of table I of Arechavaleta and \
             others\n2010, on problems of 4 to 12 contacts of theirs.\n";
    if !results.large.is_empty() {
        let row = |o: &Outcome| {
            vec![
                o.problem.clone(),
                o.n.to_string(),
                o.solver.to_string(),
                o.status.to_string(),
                residual(o.residual),
                o.iterations.to_string(),
                format!("{:.0}", o.time_us / 1e3),
            ]
        };
        let header = ["frictionless", "contacts", "solver", "status", "residual", "cycles", "time/ms"];
        let right = [false, true, false, false, true, true, true];
        text += "\n";
        text += &columns(&header, &right, &results.large.iter().map(row).collect::<Vec<_>>());
    }
    text
}

/// Solved of all, worst residual of the solved, and least, largest and mean time.
fn summary(outcomes: &[&Outcome]) -> [String; 5] {
    let solved: Vec<f64> = outcomes.iter().filter(|o| o.solved()).map(|o| o.residual).collect();
    let times = || outcomes.iter().map(|o| o.time_us);
    let mean = times().sum::<f64>() / outcomes.len().max(1) as f64;
    [
        format!("{}/{}", solved.len(), outcomes.len()),
        residual(solved.iter().copied().fold(0.0, f64::max)),
        format!("{:.1}", times().fold(f64::INFINITY, f64::min)),
        format!("{:.1}", times().fold(0.0, f64::max)),
        format!("{mean:.1}"),
    ]
}
