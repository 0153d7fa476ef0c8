//! `stiction bench d15-complexity`: how the time for frictionless contacts grows with their number.
//!
//! Drumwright 2015, section V: with the velocities fixed (12 here) principal pivoting on the factored problem costs
//! `O(m^3 + m^2 n)` for `n` contacts, linear in `n`, whereas methods on the `n x n` matrix cost at least `n^2`. All from
//! nothing, on one core, the same problems for all; the matrix of the dense methods is made before the clock starts.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use stiction_solvers::samples::normals;
use stiction_solvers::select::registry::{Entry, find};
use stiction_solvers::{AnyProblem, Class, FactoredLcp, Lcp, Solution, SolverError, Start, Status};

use super::log_plot::{self, Panel, Series};
use super::measure::exponent;
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;
use crate::table::columns;

/// Number of velocities.
const VELOCITIES: usize = 12;
const TOLERANCE: f64 = 1e-10;
/// The slope is fitted from so many contacts on: below, the velocities' own work shows.
const LARGE: usize = 100;
/// Problems of each size.
const PROBLEMS: usize = 5;
/// A solve is repeated for so long (s) or so often, and the shortest time counts.
const REPEAT: f64 = 0.1;
const REPEATS: usize = 2000;

/// The solvers and the most contacts each is given: a dense matrix of 1000 has 8 MB, and Lemke's path there takes
/// seconds.
const SOLVERS: [(&str, usize); 4] =
    [("ppm", 10_000), ("active-set-qp", 10_000), ("dantzig", 1000), ("lemke", 1000)];

/// Arguments of `stiction bench d15-complexity`.
#[derive(Debug, clap::Args)]
pub(crate) struct ComplexityArgs {
    /// Up to 1000 contacts, and 300 for dense methods
    #[arg(long)]
    quick: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw times over contacts into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results {
    velocities: usize,
    solvers: Vec<Growth>,
}

/// A solver over all sizes.
#[derive(Debug, Serialize)]
struct Growth {
    solver: &'static str,
    points: Vec<Point>,
    /// Slope of log time over log contacts, from 100 contacts on.
    slope: Option<f64>,
}

/// A solver on the problems of a size: means, and whether all are solved.
#[derive(Debug, Serialize)]
struct Point {
    contacts: usize,
    solved: bool,
    /// Of the fastest repetitions (s).
    time: f64,
    iterations: f64,
    pivots: f64,
    worst_residual: f64,
}

/// Runs the command.
pub(crate) fn bench(args: &ComplexityArgs) -> Result<(), CliError> {
    let sizes: &[usize] =
        if args.quick { &[10, 30, 100, 300, 1000] } else { &[10, 30, 100, 300, 1000, 3000, 10_000] };
    let usage = |error: SolverError| CliError::Usage(error.to_string());
    let progress = Progress::new("growth", (SOLVERS.len() * sizes.len()) as u64, false);
    let mut solvers = Vec::new();
    for (s, (name, most)) in SOLVERS.into_iter().enumerate() {
        let most = if args.quick && most < 10_000 { 300 } else { most };
        let entry = find(name).map_err(|error| CliError::Usage(error.to_string()))?;
        let mut points = Vec::new();
        for (k, &contacts) in sizes.iter().enumerate().filter(|(_, contacts)| **contacts <= most) {
            progress.at((s * sizes.len() + k) as u64);
            points.push(measure(entry, contacts).map_err(usage)?);
        }
        let large = points.iter().filter(|point| point.contacts >= LARGE && point.solved);
        let pairs: Vec<[f64; 2]> = large.map(|point| [point.contacts as f64, point.time]).collect();
        solvers.push(Growth { solver: entry.name, slope: exponent(&pairs), points });
    }
    progress.done();
    let results = Results { velocities: VELOCITIES, solvers };
    if let Some(path) = &args.svg {
        log_plot::write(path, &[panel(&results)])?;
    }
    if args.json { output::json(&results) } else { output::data(&listing(&results)) }
}

fn measure(entry: &Entry, contacts: usize) -> Result<Point, SolverError> {
    let mut solver = entry.make(TOLERANCE)?;
    let mut point =
        Point { contacts, solved: true, time: 0.0, iterations: 0.0, pivots: 0.0, worst_residual: 0.0 };
    for seed in 0..PROBLEMS {
        let problem = normals::contacts(71 + seed as u64, contacts, VELOCITIES)?;
        let dense = !entry.serves(Class::FactoredLcp) || entry.name == "lemke";
        let problem: AnyProblem = if dense { expand(&problem)?.into() } else { problem.into() };
        let mut x = Solution::default();
        let (mut time, begin) = (f64::INFINITY, Instant::now());
        let mut last = None;
        for _ in 0..REPEATS {
            let start = Instant::now();
            last = solver.solve(&problem, Start::Cold, &mut x);
            time = time.min(start.elapsed().as_secs_f64());
            if begin.elapsed().as_secs_f64() > REPEAT {
                break;
            }
        }
        let share = 1.0 / PROBLEMS as f64;
        point.time += share * time;
        point.solved &= last.is_some_and(|report| report.status == Status::Solved);
        if let Some(report) = last {
            point.iterations += share * report.iterations as f64;
            point.pivots += share * report.pivots as f64;
            point.worst_residual = point.worst_residual.max(report.residual.natural_map);
        }
    }
    Ok(point)
}

/// The problem with its matrix.
fn expand(problem: &FactoredLcp) -> Result<Lcp, SolverError> {
    let n = problem.q().len();
    let product = |i: usize, j: usize| problem.row(i).iter().zip(problem.row(j)).map(|(a, b)| a * b).sum();
    Lcp::new((0..n * n).map(|at| product(at / n, at % n)).collect(), problem.q().to_vec())
}

fn panel(results: &Results) -> Panel {
    let series = results.solvers.iter().map(|growth| Series {
        name: match growth.slope {
            Some(slope) => format!("{}: slope {slope:.2}", growth.solver),
            None => growth.solver.into(),
        },
        points: growth.points.iter().filter(|p| p.solved).map(|p| [p.contacts as f64, p.time]).collect(),
    });
    Panel {
        title: format!("time (s) over contacts, {} velocities", results.velocities),
        series: series.collect(),
    }
}

fn listing(results: &Results) -> String {
    let header = ["solver", "contacts", "time/us", "iterations", "pivots", "residual", "slope from 100"];
    let right = [false, true, true, true, true, true, true];
    let mut rows = Vec::new();
    for growth in &results.solvers {
        for (k, point) in growth.points.iter().enumerate() {
            let last = k + 1 == growth.points.len();
            rows.push(vec![
                growth.solver.to_string(),
                point.contacts.to_string(),
                if point.solved { format!("{:.1}", 1e6 * point.time) } else { "not solved".into() },
                format!("{:.1}", point.iterations),
                format!("{:.1}", point.pivots),
                format!("{:.1e}", point.worst_residual),
                growth.slope.filter(|_| last).map_or(String::new(), |slope| format!("{slope:.2}")),
            ]);
        }
    }
    columns(&header, &right, &rows)
        + &format!(
            "\nFrictionless contacts of {} velocities, from nothing: means over {PROBLEMS} problems of each size, shortest times.\n",
            results.velocities
        )
}
