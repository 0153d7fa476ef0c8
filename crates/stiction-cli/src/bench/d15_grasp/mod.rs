//! `stiction bench d15-grasp`: the grasping experiment of Drumwright 2015, section VII-A.
//!
//! Two blocks between two grippers, 36 contacts, gravity, 10 steps of 10 ms a trial and ten trials; each model from nothing
//! in every step, and again from the answer of the step before. The contact points are given by the experiment, not found
//! by the engine's collision detection, and the step is the command's own: see [`scene`]. The solvers are the engine's.

mod methods;
mod scene;

use std::time::Instant;

use serde::Serialize;
use stiction_solvers::{SolverError, Status};

use super::measure::{Spread, median, spread};
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;
use crate::table::columns;
use methods::{Method, Model, Work};
use scene::{Normals, Rows, STEP, Scene};

/// Steps of a trial, as in the paper.
const STEPS: usize = 10;

/// Blocks that have moved so far (m) are lost.
const LOST: f64 = 1e-3;

/// Arguments of `stiction bench d15-grasp`.
#[derive(Debug, clap::Args)]
pub(crate) struct GraspArgs {
    /// The contact points
    #[arg(long, value_enum, default_value_t)]
    normals: Normals,
    /// Trials of 10 steps whose times are taken
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// Steps after which the drift is taken [default: 10000]
    #[arg(long, value_name = "N")]
    hold: Option<usize>,
    /// A drift after 200 steps only, unless --hold says otherwise
    #[arg(long)]
    quick: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results {
    normals: &'static str,
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
    variables: usize,
    /// Times of a trial (s).
    run: Spread,
    solve: Spread,
    /// Median over the trials' steps (s).
    solve_step: f64,
    /// From contact rows to the problem: products of rows, independent tangents.
    pose: Spread,
    /// Of the trials' solves.
    pivots_mean: f64,
    pivots_max: usize,
    iterations_mean: f64,
    /// Of all solves, also those of the long hold.
    solves: usize,
    failures: usize,
    regularized: usize,
    worst_residual: f64,
    /// Farthest that a corner of a block has moved in a trial (m).
    drift_trial: f64,
    /// Steps for which the blocks were held, at most those asked for, and how far they had moved then.
    held: usize,
    drift_hold: f64,
    /// Running time in the paper's table I (s).
    paper: Option<Published>,
}

/// What a paper says of a time (s).
#[derive(Clone, Copy, Debug, Serialize)]
struct Published {
    mean: f64,
    sigma: f64,
}

/// Runs the command.
pub(crate) fn bench(args: &GraspArgs) -> Result<(), CliError> {
    let hold = args.hold.unwrap_or(if args.quick { 200 } else { 10_000 });
    let progress = Progress::new("grasp", 2 * Model::ALL.len() as u64, false);
    let mut rows = Vec::new();
    for model in Model::ALL {
        for warm in [false, true] {
            progress.at(rows.len() as u64);
            let row = measure(model, warm, args, hold);
            rows.push(row.map_err(|error| CliError::Stopped(format!("{}: {error}", model.names()[0])))?);
        }
    }
    let orders = if args.quick { 10 } else { 100 };
    let orders_held =
        orders_held(args.normals, orders).map_err(|error| CliError::Stopped(error.to_string()))?;
    progress.done();
    let normals = match args.normals {
        Normals::Face => "face",
        Normals::Tripled => "tripled",
    };
    let results = Results {
        normals,
        step: STEP,
        trials: args.trials,
        steps_per_trial: STEPS,
        hold_steps: hold,
        orders,
        orders_held,
        rows,
    };
    if args.json { output::json(&results) } else { output::data(&listing(&results)) }
}

/// What steps in a row took and led to.
struct Hold {
    work: Vec<Work>,
    time: f64,
    drift: f64,
}

/// Steps until the end or until the blocks are lost.
fn follow(method: &mut Method, normals: Normals, steps: usize) -> Result<Hold, SolverError> {
    let mut scene = Scene::new(normals);
    let (mut rows, mut momentum) = (Rows::default(), Vec::new());
    let mut work = Vec::with_capacity(steps);
    let begin = Instant::now();
    for _ in 0..steps {
        scene.pose(&mut rows);
        work.push(method.step(&rows, &mut momentum)?);
        scene.advance(&momentum);
        if steps > STEPS && scene.drift() > LOST {
            break;
        }
    }
    Ok(Hold { work, time: begin.elapsed().as_secs_f64(), drift: scene.drift() })
}

fn measure(model: Model, warm: bool, args: &GraspArgs, hold: usize) -> Result<Row, SolverError> {
    // One trial to make room; its times are not taken.
    let mut method = Method::new(model, warm)?;
    let _ = follow(&mut method, args.normals, STEPS)?;
    let mut trials = Vec::new();
    for _ in 0..args.trials {
        method.forget();
        trials.push(follow(&mut method, args.normals, STEPS)?);
    }
    method.forget();
    let long = follow(&mut method, args.normals, hold)?;
    let times = |of: fn(&Hold) -> f64| spread(&trials.iter().map(of).collect::<Vec<_>>());
    let work = || trials.iter().flat_map(|trial| &trial.work);
    let all = || work().chain(&long.work);
    let mean = |of: fn(&Work) -> usize| work().map(of).sum::<usize>() as f64 / work().count().max(1) as f64;
    let mut steps: Vec<f64> = work().map(|work| work.solve).collect();
    let [name, solver] = model.names();
    Ok(Row {
        model: name,
        solver,
        start: if warm { "warm" } else { "cold" },
        variables: all().map(|work| work.variables).max().unwrap_or(0),
        run: times(|trial| trial.time),
        solve: times(|trial| trial.work.iter().map(|work| work.solve).sum()),
        solve_step: median(&mut steps),
        pose: times(|trial| trial.work.iter().map(|work| work.pose).sum()),
        pivots_mean: mean(|work| work.report.pivots),
        pivots_max: work().map(|work| work.report.pivots).max().unwrap_or(0),
        iterations_mean: mean(|work| work.report.iterations),
        solves: all().count(),
        failures: all().filter(|work| work.report.status != Status::Solved).count(),
        regularized: all().filter(|work| work.report.regularization > 0.0).count(),
        worst_residual: all().map(|work| work.report.residual.natural_map).fold(0.0, f64::max),
        drift_trial: trials.iter().map(|trial| trial.drift).fold(0.0, f64::max),
        held: long.work.len(),
        drift_hold: long.drift,
        paper: model.published().map(|[mean, sigma]| Published { mean, sigma }),
    })
}

/// In how many of so many orders of the contacts Lemke's method from nothing holds the blocks for a trial.
fn orders_held(normals: Normals, orders: u64) -> Result<usize, SolverError> {
    let mut held = 0;
    for number in 1..=orders {
        let mut method = Method::new(Model::StewartTrinkleShuffled(number), false)?;
        held += usize::from(follow(&mut method, normals, STEPS)?.drift <= LOST);
    }
    Ok(held)
}

fn listing(results: &Results) -> String {
    let header = [
        "model",
        "solver",
        "start",
        "variables",
        "run/us",
        "sigma",
        "solve/us",
        "sigma",
        "least",
        "median",
        "pose/us",
        "pivots",
        "max",
        "iterations",
        "failures",
        "regularized",
        "held",
        "drift/m",
        "paper/s",
    ];
    let right: Vec<bool> = (0..header.len()).map(|c| c > 2).collect();
    let micro = |seconds: f64| format!("{:.1}", 1e6 * seconds / results.steps_per_trial as f64);
    let row = |row: &Row| {
        vec![
            row.model.to_string(),
            row.solver.to_string(),
            row.start.to_string(),
            row.variables.to_string(),
            micro(row.run.mean),
            micro(row.run.sigma),
            micro(row.solve.mean),
            micro(row.solve.sigma),
            micro(row.solve.least),
            format!("{:.1}", 1e6 * row.solve_step),
            micro(row.pose.mean),
            format!("{:.1}", row.pivots_mean),
            row.pivots_max.to_string(),
            format!("{:.1}", row.iterations_mean),
            format!("{} of {}", row.failures, row.solves),
            row.regularized.to_string(),
            row.held.to_string(),
            format!("{:.1e}", row.drift_hold),
            match row.paper {
                Some(Published { mean, sigma }) if row.start == "cold" => format!("{mean:.2} +- {sigma:.2}"),
                _ => "-".into(),
            },
        ]
    };
    let mut text = format!("36 contacts, normals: {}\n\n", results.normals);
    text += &columns(&header, &right, &results.rows.iter().map(row).collect::<Vec<_>>());
    text += &format!(
        "\nMeans and standard deviations over {} trials of {} steps of {} s, by step; least: of the fastest trial; median: over\n\
         all steps. Pose: from contact rows to the problem, with the search for independent tangents. Pivots, iterations: by\n\
         solve of the trials. Held: steps of {} until a corner of a block had moved 1 mm; drift: how far one had moved then.\n\
         The contact points are those of the experiment, given, not found. Paper: table I, whole runs of its simulator; its\n\
         pivots of ppm were 5.5 in the mean and 7 at most, and its blocks were held for 10 (Lemke) and 100 steps.\n",
        results.trials, results.steps_per_trial, results.step, results.hold_steps
    );
    if results.normals == "tripled" {
        text += "With normals along all axes the tangents hold every relative velocity: without slip the faces are glued, and no\n\
                 normal impulse is left to find.\n";
    }
    let time = |model: &str, solver: &str| {
        let of = |row: &&Row| (row.model, row.solver, row.start) == (model, solver, "cold");
        results.rows.iter().find(of).map_or(f64::NAN, |row| row.solve_step)
    };
    let ppm = time("no-slip", "ppm");
    text += &format!(
        "Median solve from nothing over that of no-slip with ppm: stewart-trinkle with lemke {:.1} (paper, whole runs: 6.6),\n\
         no-slip with active-set-qp {:.2} (paper: 1.19).\n",
        time("stewart-trinkle", "lemke") / ppm,
        time("no-slip", "active-set-qp") / ppm
    );
    if results.rows.iter().any(|row| row.solver == "lemke" && row.held < results.hold_steps) {
        text += "Lemke's method lets blocks go by right answers: with nearly all pressure of a gripper in a single point Coulomb's\n\
                 law lets the blocks swing about it, and a pivoting method ends at such vertices. Where impulses are not unique,\n\
                 nor is the motion. Which vertex it is depends on ties, and on the order of the unknowns that breaks them.\n\
                 The engine's own stewart-trinkle model uses proximal-lemke.\n";
        text += &format!(
            "Shuffled: in a random order, the same in every step; in {} of {} such orders the blocks were held for {} steps.\n",
            results.orders_held, results.orders, results.steps_per_trial
        );
    }
    text
}
