//! Arechavaleta, Lopez-Damian and Morales 2010: projected Gauss-Seidel with subspace minimization where it was made for,
//! small friction boxes of hands that hold an object, and large frictionless problems.
//!
//! The published times stand beside those of the same methods here. The paper's problems are not published: ours
//! have their sizes and conditioning ([`grasp`]), and its machine was one of 2010.
//!
//! # References
//! G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of iterative LCP solvers for dry frictional contacts in
//! grasping*, 2010, table I.

use serde::Serialize;
use stiction_solvers::AnyProblem;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::samples::{Rng, frictionless, grasp, islands, large};
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::{AnySolver, Entry};

use crate::error::LabError;
use crate::plot::{Panel, Picture, Scale, Series};
use crate::solvers::{self, Outcome};
use crate::table::{columns, residual};
use crate::{Findings, Progress};

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

/// What to measure with.
#[derive(Clone, Debug)]
pub struct GraspSettings {
    /// Largest scaled residual that counts as solved.
    pub tolerance: f64,
    /// Problems for each hand and number of contacts.
    pub problems: u16,
    /// Whether to solve the problems of 5000 contacts too.
    pub large: bool,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Grasps {
    tolerance: f64,
    small: Vec<Outcome>,
    large: Vec<Outcome>,
}

/// Solves the small problems with the three methods of the paper, and the large ones with PGS-SM.
///
/// # Errors
/// The tolerance is out of range.
pub fn run(settings: &GraspSettings, progress: Progress) -> Result<Grasps, LabError> {
    let tolerance = settings.tolerance;
    let small = small(settings, progress)?;
    let large = if settings.large { large(tolerance, progress)? } else { Vec::new() };
    Ok(Grasps { tolerance, small, large })
}

impl Findings for Grasps {
    fn table(&self) -> String {
        listing(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![picture(self)]
    }
}

/// A solver of the registry by name.
fn make(name: &str, tolerance: f64) -> Result<(&'static Entry, Box<dyn AnySolver + Send>), LabError> {
    let entry = registry::find(name).map_err(|error| LabError::Refused(error.to_string()))?;
    Ok((entry, entry.make(tolerance)?))
}

/// The name of a problem begins with its hand and its number of contacts.
fn name(fingers: usize, contacts: usize) -> String {
    format!("{fingers} fingers, {contacts} contacts")
}

fn small(settings: &GraspSettings, progress: Progress) -> Result<Vec<Outcome>, LabError> {
    let mut outcomes = Vec::new();
    for (k, (fingers, solver, _)) in PUBLISHED.into_iter().enumerate() {
        progress(k, PUBLISHED.len());
        let (entry, mut solver) = make(solver, settings.tolerance)?;
        let mut rng = Rng::new(SEED);
        for contacts in CONTACTS {
            for number in 1..=settings.problems {
                let problem = grasp::friction_boxes(&mut rng, fingers, contacts)?.into();
                let named = NamedProblem {
                    name: format!("{}, {number}", name(fingers, contacts)),
                    problem,
                    start: None,
                    basis: None,
                };
                outcomes.push(solvers::solve(entry, solver.as_mut(), &named, REPEAT)?);
            }
        }
    }
    Ok(outcomes)
}

/// One after the other: each takes a few hundred megabytes.
fn large(tolerance: f64, progress: Progress) -> Result<Vec<Outcome>, LabError> {
    let mut rng = Rng::new(SEED);
    let boxes = LARGE / CORNERS;
    let (entry, mut solver) = make("pgs-sm", tolerance)?;
    let mut outcomes = Vec::new();
    let kinds = ["column of bodies", "tower of boxes", "pile of boxes"];
    for kind in kinds {
        progress(outcomes.len(), kinds.len());
        let problem = match kind {
            "column of bodies" => frictionless::Column::new(&mut rng, LARGE, RATIO).problem(),
            "tower of boxes" => frictionless::normals(&islands::stack(&mut rng, boxes, RATIO, 0.0)),
            _ => frictionless::normals(&large::pile(&mut rng, LARGE / 5, LARGE, RATIO, [0.5, 0.5])),
        };
        let problem: AnyProblem = problem?.into();
        let named = NamedProblem { name: kind.into(), problem, start: None, basis: None };
        outcomes.push(solvers::solve(entry, solver.as_mut(), &named, REPEAT)?);
    }
    Ok(outcomes)
}

fn listing(results: &Grasps) -> String {
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

/// Times over the number of contacts, a panel a hand: the mean of ours for each number, the paper's mean for all as a line.
fn picture(results: &Grasps) -> Picture {
    let own = |fingers: usize, solver: &str| {
        let mean = |contacts: usize| {
            let prefix = name(fingers, contacts) + ",";
            let of = |o: &&Outcome| o.solver == solver && o.problem.starts_with(&prefix);
            let times: Vec<f64> = results.small.iter().filter(of).map(|o| o.time_us).collect();
            [contacts as f64, times.iter().sum::<f64>() / times.len() as f64]
        };
        CONTACTS.map(mean).collect()
    };
    let ends = [*CONTACTS.start() as f64, *CONTACTS.end() as f64];
    let panel = |fingers: usize| {
        let of_hand = PUBLISHED.into_iter().filter(|row| row.0 == fingers).enumerate();
        let series = of_hand.flat_map(|(k, (_, solver, [.., mean]))| {
            let paper = ends.map(|contacts| [contacts, f64::from(mean)]).to_vec();
            [
                Series { name: solver.into(), points: own(fingers, solver), style: k },
                // The same colour, dashed.
                Series { name: format!("{solver}: paper, mean of all"), points: paper, style: k + 8 },
            ]
        });
        Panel {
            title: format!("{fingers} fingers: mean time (us) over contacts"),
            x: Scale::LINEAR,
            y: Scale::LOG,
            series: series.collect(),
        }
    };
    Picture::new("a10-grasp", 1, &[panel(3), panel(5)])
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
