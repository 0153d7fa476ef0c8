//! The grasping experiment of Drumwright 2015, section VII-A and table I: two blocks held between two grippers.
//!
//! 36 contacts, gravity, 10 steps of 10 ms a trial and ten trials. Everything is the engine's: a [`Simulation`] of the scene,
//! its collision detection, its contact models with their solvers, and its own measure of where the time goes
//! ([`Simulation::stage_times`]). Each model is run twice, from nothing in every step and from the answer of the step
//! before. The paper's times are those of whole runs of its simulator in MATLAB, with collision detection.
//!
//! The contacts differ in one thing from the paper's: there each pair of corners had three contacts, with normals along all
//! three axes, because its simulator found no normal at a corner. Here twelve points of a face have the normal of the face.
//!
//! Lemke's method alone loses the blocks, here as in the paper: where impulses are not unique it ends at a vertex with nearly
//! all pressure of a gripper in a single point, about which Coulomb's law lets a block swing, or it does not solve the step at
//! all. Which vertex it is depends on ties (all contacts of a face approach alike), so on the order of the unknowns. That is
//! why the engine takes proximal-point steps around it, and why it is measured in many orders of the contacts here; the table
//! counts the steps that were not solved.
//!
//! | file | |
//! |---|---|
//! | `scene` | the bodies, in any order of the contacts |
//! | `method` | contact models and solvers, and what the paper says of them |

mod method;
mod scene;

use std::time::Instant;

use serde::Serialize;
use stiction::scene::mjcf;
use stiction::settings::{Settings, Stepper};
use stiction::sim::Simulation;

use crate::error::LabError;
use crate::plot::{Panel, Picture, Scale, Series};
use crate::statistics::{Spread, median, spread};
use crate::table::columns;
use crate::{Findings, Progress};
use method::Method;
use scene::STEP;

/// Steps of a trial, as in the paper.
const STEPS: usize = 10;

/// Blocks that have moved so far (m) are lost.
const LOST: f64 = 1e-3;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct GraspSettings {
    /// Trials of 10 steps whose times are taken.
    pub trials: u32,
    /// Steps after which the drift is taken.
    pub hold: usize,
    /// Orders of the contacts in which Lemke's method is tried.
    pub orders: u64,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Grasps {
    step: f64,
    trials: u32,
    steps_per_trial: usize,
    hold_steps: usize,
    /// Orders of the contacts that were tried with Lemke's method from nothing, and those in which the blocks were held for
    /// a trial.
    orders: u64,
    orders_held: usize,
    rows: Vec<Row>,
}

/// A model and solver, from nothing or from the step before.
#[derive(Debug, Serialize)]
struct Row {
    model: &'static str,
    solver: &'static str,
    start: &'static str,
    contacts: usize,
    variables: usize,
    /// Times of a trial (s): all of the steps, and the contact problems, posed and solved.
    run: Spread,
    solve: Spread,
    /// Median over the trials' steps (s).
    solve_step: f64,
    /// Of the trials' steps.
    pivots_mean: f64,
    pivots_max: usize,
    iterations_mean: f64,
    /// Of all steps, also those of the long hold.
    steps: usize,
    unsolved: usize,
    regularized: usize,
    worst_residual: f64,
    /// Farthest that a corner of a block has moved in a trial (m).
    drift_trial: f64,
    /// Steps for which the blocks were held, at most those asked for, and how far they had moved then.
    held: usize,
    drift_hold: f64,
    /// Running time in the paper's table I (s).
    paper: Option<Published>,
    /// Drift (m) after each step of the hold.
    #[serde(skip)]
    drifts: Vec<f64>,
}

/// What a paper says of a time (s).
#[derive(Clone, Copy, Debug, Serialize)]
struct Published {
    mean: f64,
    sigma: f64,
}

/// Measures every model and solver.
///
/// # Errors
/// A step could not be taken.
pub fn run(settings: &GraspSettings, progress: Progress) -> Result<Grasps, LabError> {
    let total = Method::ALL.iter().map(|method| method.starts().len()).sum::<usize>() + 1;
    let mut rows = Vec::new();
    for method in Method::ALL {
        for warm in method.starts() {
            progress(rows.len(), total);
            rows.push(measure(method, *warm, settings)?);
        }
    }
    progress(rows.len(), total);
    let orders_held = orders_held(settings.orders)?;
    Ok(Grasps {
        step: STEP,
        trials: settings.trials,
        steps_per_trial: STEPS,
        hold_steps: settings.hold,
        orders: settings.orders,
        orders_held,
        rows,
    })
}

/// What a step took.
#[derive(Clone, Copy, Debug)]
struct Work {
    contacts: usize,
    variables: usize,
    solved: bool,
    regularized: bool,
    residual: f64,
    iterations: usize,
    pivots: usize,
    /// All of it, and posing and solving the contact problem (s).
    run: f64,
    solve: f64,
    /// After it (m).
    drift: f64,
}

/// The scene at work under a method.
struct Grasp {
    simulation: Simulation,
    /// Whether steps begin from the answer of the step before.
    warm: bool,
}

impl Grasp {
    fn new(method: Method, warm: bool) -> Result<Grasp, LabError> {
        let model = mjcf::parse(&scene::mjcf(&method.order()), "grasp.xml")?.model;
        // The paper's rule.
        let stepper = Stepper::TimeStepping;
        let settings = Settings { formulation: method.formulation()?, stepper, ..Default::default() };
        let mut simulation = Simulation::new(model.into(), settings)?;
        simulation.start_over()?;
        Ok(Grasp { simulation, warm })
    }

    fn step(&mut self) -> Result<Work, LabError> {
        let simulation = &mut self.simulation;
        if !self.warm {
            // Forgets the impulses and goes on where it was.
            let state = simulation.state.clone();
            simulation.start_over()?;
            simulation.state = state;
        }
        simulation.measure_stages();
        let begin = Instant::now();
        let report = simulation.step()?;
        let run = begin.elapsed().as_secs_f64();
        Ok(Work {
            contacts: report.contacts,
            variables: report.variables,
            solved: report.solved(),
            regularized: report.regularized > 0,
            residual: report.certificate.residual,
            iterations: report.iterations,
            pivots: report.pivots,
            run,
            solve: simulation.stage_times().solve,
            drift: scene::drift(simulation),
        })
    }

    /// Steps from the start to the end or until the blocks are lost.
    fn follow(&mut self, steps: usize) -> Result<Vec<Work>, LabError> {
        self.simulation.start_over()?;
        let mut work: Vec<Work> = Vec::with_capacity(steps);
        for _ in 0..steps {
            work.push(self.step()?);
            if steps > STEPS && work.last().is_some_and(|work| work.drift > LOST) {
                break;
            }
        }
        Ok(work)
    }
}

fn measure(method: Method, warm: bool, settings: &GraspSettings) -> Result<Row, LabError> {
    let mut grasp = Grasp::new(method, warm)?;
    // One trial to reserve capacity; its times are not taken.
    let _ = grasp.follow(STEPS)?;
    let mut trials = Vec::new();
    for _ in 0..settings.trials {
        trials.push(grasp.follow(STEPS)?);
    }
    let long = grasp.follow(settings.hold)?;
    let sums = |of: fn(&Work) -> f64| {
        spread(&trials.iter().map(|trial| trial.iter().map(of).sum()).collect::<Vec<_>>())
    };
    let work = || trials.iter().flatten();
    let all = || work().chain(&long);
    let mean = |of: fn(&Work) -> usize| work().map(of).sum::<usize>() as f64 / work().count().max(1) as f64;
    let last = |steps: &Vec<Work>| steps.last().map_or(0.0, |work| work.drift);
    Ok(Row {
        model: method.formulation()?.name(),
        solver: method.solver(),
        start: if warm { "warm" } else { "cold" },
        contacts: all().map(|work| work.contacts).max().unwrap_or(0),
        variables: all().map(|work| work.variables).max().unwrap_or(0),
        run: sums(|work| work.run),
        solve: sums(|work| work.solve),
        solve_step: median(&mut work().map(|work| work.solve).collect::<Vec<_>>()),
        pivots_mean: mean(|work| work.pivots),
        pivots_max: work().map(|work| work.pivots).max().unwrap_or(0),
        iterations_mean: mean(|work| work.iterations),
        steps: all().count(),
        unsolved: all().filter(|work| !work.solved).count(),
        regularized: all().filter(|work| work.regularized).count(),
        worst_residual: all().map(|work| work.residual).fold(0.0, f64::max),
        drift_trial: trials.iter().map(last).fold(0.0, f64::max),
        held: long.len(),
        drift_hold: last(&long),
        paper: method.published().map(|[mean, sigma]| Published { mean, sigma }),
        drifts: long.iter().map(|work| work.drift).collect(),
    })
}

/// In how many of so many orders of the contacts Lemke's method from nothing holds the blocks for a trial.
fn orders_held(orders: u64) -> Result<usize, LabError> {
    let mut held = 0;
    for number in 1..=orders {
        let steps = Grasp::new(Method::LemkeShuffled(number), false)?.follow(STEPS)?;
        held += usize::from(steps.last().is_some_and(|work| work.drift <= LOST));
    }
    Ok(held)
}

impl Findings for Grasps {
    fn table(&self) -> String {
        let mut text = costs(self);
        text += &format!(
            "\nMeans and standard deviations over {} trials of {} steps of {} s, by step: run is all of a step, solve its contact\n\
             problem, posed and solved; median: over all steps. Paper: table I over 10, whole runs of its simulator on a machine\n\
             of 2012; its pivots of ppm were 5.5 in the mean and 7 at most.\n\n",
            self.trials, self.steps_per_trial, self.step
        );
        text += &motions(self);
        text += &format!(
            "\nHeld: steps of {} until a corner of a block had moved 1 mm; drift: how far one had moved then. In the paper Lemke's\n\
             method held the blocks for 10 steps and the models without slip for 100, as long as they were tried.\n",
            self.hold_steps
        );
        text + &comparison(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        let series = self.rows.iter().filter(|row| row.start == "warm" || row.held < self.hold_steps);
        let series = series.enumerate().map(|(style, row)| Series {
            name: format!("{}, {}", row.model, row.solver),
            points: row.drifts.iter().enumerate().map(|(k, drift)| [(k + 1) as f64, *drift]).collect(),
            style,
        });
        let panel = Panel {
            title: "drift of the blocks (m) over steps".into(),
            x: Scale::LOG,
            y: Scale::Log { floor: 1e-17 },
            series: series.collect(),
        };
        vec![Picture::new("d15-grasp", 1, &[panel])]
    }
}

fn costs(results: &Grasps) -> String {
    let header = [
        "model",
        "solver",
        "start",
        "contacts",
        "variables",
        "run/us",
        "sigma",
        "solve/us",
        "sigma",
        "median",
        "pivots",
        "max",
        "iterations",
        "paper/us",
        "sigma",
    ];
    let right: Vec<bool> = (0..header.len()).map(|c| c > 2).collect();
    let micro = |seconds: f64| format!("{:.1}", 1e6 * seconds / results.steps_per_trial as f64);
    let row = |row: &Row| {
        let paper = match row.paper {
            Some(Published { mean, sigma }) if row.start == "cold" => {
                [mean, sigma].map(|time| format!("{:.0}", 1e5 * time))
            }
            _ => ["-", "-"].map(String::from),
        };
        let mut cells = vec![
            row.model.to_string(),
            row.solver.to_string(),
            row.start.to_string(),
            row.contacts.to_string(),
            row.variables.to_string(),
            micro(row.run.mean),
            micro(row.run.sigma),
            micro(row.solve.mean),
            micro(row.solve.sigma),
            format!("{:.1}", 1e6 * row.solve_step),
            format!("{:.1}", row.pivots_mean),
            row.pivots_max.to_string(),
            format!("{:.1}", row.iterations_mean),
        ];
        cells.extend(paper);
        cells
    };
    columns(&header, &right, &results.rows.iter().map(row).collect::<Vec<_>>())
}

fn motions(results: &Grasps) -> String {
    let header = ["model", "solver", "start", "unsolved", "of", "regularized", "residual", "held", "drift/m"];
    let right: Vec<bool> = (0..header.len()).map(|c| c > 2).collect();
    let row = |row: &Row| {
        vec![
            row.model.to_string(),
            row.solver.to_string(),
            row.start.to_string(),
            row.unsolved.to_string(),
            row.steps.to_string(),
            row.regularized.to_string(),
            format!("{:.1e}", row.worst_residual),
            row.held.to_string(),
            format!("{:.1e}", row.drift_hold),
        ]
    };
    columns(&header, &right, &results.rows.iter().map(row).collect::<Vec<_>>())
}

/// The paper's two ratios, and in how many orders Lemke's method holds the blocks.
fn comparison(results: &Grasps) -> String {
    let of = |model: &str, solver: &str| {
        results.rows.iter().find(|row| (row.model, row.solver, row.start) == (model, solver, "cold"))
    };
    let ratio = |model: &str, solver: &str, time: fn(&Row) -> f64| {
        let time = |model, solver| of(model, solver).map_or(f64::NAN, time);
        time(model, solver) / time("no-slip-paper", "ppm")
    };
    let run: fn(&Row) -> f64 = |row| row.run.mean;
    let solve: fn(&Row) -> f64 = |row| row.solve_step;
    format!(
        "\nTime from nothing over that of no-slip-paper with ppm, whole runs and solves alone: stewart-trinkle with lemke {:.1} and\n\
         {:.1} (paper, whole runs: 6.6), no-slip-paper with active-set-qp {:.2} and {:.2} (paper: 1.19).\n\
         Shuffled: in a random order of the contacts; in {} of {} such orders the blocks were held for {} steps.\n",
        ratio("stewart-trinkle", "lemke", run),
        ratio("stewart-trinkle", "lemke", solve),
        ratio("no-slip-paper", "active-set-qp", run),
        ratio("no-slip-paper", "active-set-qp", solve),
        results.orders_held,
        results.orders,
        results.steps_per_trial
    )
}
