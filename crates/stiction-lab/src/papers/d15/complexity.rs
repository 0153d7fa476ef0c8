//! How the time for frictionless contacts grows with their number.
//!
//! Drumwright 2015, section V: with the velocities fixed (12 here) principal pivoting on the factored problem costs
//! `O(m^3 + m^2 n)` for `n` contacts, linear in `n`, whereas methods on the `n x n` matrix cost at least `n^2`. All from
//! nothing, on one core, the same problems for all; the matrix of the dense methods is made before the clock starts.

use std::time::Instant;

use serde::Serialize;
use stiction_solvers::samples::normals;
use stiction_solvers::select::registry::{Entry, find};
use stiction_solvers::{AnyProblem, Class, FactoredLcp, Lcp, Solution, SolverError, Start, Status};

use crate::error::LabError;
use crate::plot::{Panel, Picture, Scale, Series};
use crate::statistics::exponent;
use crate::table::columns;
use crate::{Findings, Progress};

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

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Growths {
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

/// Solves problems of growing size with every solver; `quick`: up to 1000 contacts, and 300 for dense methods.
///
/// # Errors
/// None with the shipped solvers and samples.
pub fn run(quick: bool, progress: Progress) -> Result<Growths, LabError> {
    let sizes: &[usize] =
        if quick { &[10, 30, 100, 300, 1000] } else { &[10, 30, 100, 300, 1000, 3000, 10_000] };
    let mut solvers = Vec::new();
    for (s, (name, most)) in SOLVERS.into_iter().enumerate() {
        let most = if quick && most < 10_000 { 300 } else { most };
        let entry = find(name).map_err(|error| LabError::Refused(error.to_string()))?;
        let mut points = Vec::new();
        for (k, &contacts) in sizes.iter().enumerate().filter(|(_, contacts)| **contacts <= most) {
            progress(s * sizes.len() + k, SOLVERS.len() * sizes.len());
            points.push(measure(entry, contacts)?);
        }
        let large = points.iter().filter(|point| point.contacts >= LARGE && point.solved);
        let pairs: Vec<[f64; 2]> = large.map(|point| [point.contacts as f64, point.time]).collect();
        solvers.push(Growth { solver: entry.name, slope: exponent(&pairs), points });
    }
    Ok(Growths { velocities: VELOCITIES, solvers })
}

impl Findings for Growths {
    fn table(&self) -> String {
        listing(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![Picture::new("d15-complexity", 1, &[panel(self)])]
    }
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

fn panel(results: &Growths) -> Panel {
    let series = results.solvers.iter().enumerate().map(|(style, growth)| Series {
        style,
        name: match growth.slope {
            Some(slope) => format!("{}: slope {slope:.2}", growth.solver),
            None => growth.solver.into(),
        },
        points: growth.points.iter().filter(|p| p.solved).map(|p| [p.contacts as f64, p.time]).collect(),
    });
    Panel {
        title: format!("time (s) over contacts, {} velocities", results.velocities),
        x: Scale::LOG,
        y: Scale::LOG,
        series: series.collect(),
    }
}

fn listing(results: &Growths) -> String {
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
