//! `stiction bench convergence`: the error of six scenes as the step is halved.
//!
//! As the step vanishes time stepping converges to the motion of the rigid bodies: the ground on which Nguyen and Trinkle
//! 2010 chose the method of Stewart and Trinkle. Here it is measured: order one where there is contact, four where there is
//! none. Error: the largest difference of a coordinate (m, rad, parts of a quaternion) from the closed form, or from a run
//! with a step 32 times as fine as the finest, at every 10 ms.

mod scenes;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use stiction::scene::{Scene, mjcf};
use stiction::settings::{Options, Settings};
use stiction::sim::Simulation;

use super::log_plot::{self, Panel, Series};
use super::measure::exponent;
use crate::error::CliError;
use crate::formulation::FormulationArgs;
use crate::output;
use crate::progress::Progress;
use crate::table::columns;
use scenes::{EXPERIMENTS, Experiment};

/// The coarsest step, and the time between two looks at the configuration (s).
const COARSEST: f64 = 0.01;
/// Halvings of the finest step measured (0.3 ms) and of the reference.
const HALVINGS: u32 = 5;
const REFERENCE: u32 = 10;
/// Errors below this are rounding and no part of a fit.
const ROUNDING: f64 = 1e-11;

/// Arguments of `stiction bench convergence`.
#[derive(Debug, clap::Args)]
pub(crate) struct ConvergenceArgs {
    #[command(flatten)]
    formulation: FormulationArgs,
    /// Steps down to 1.2 ms and a reference 16 times as fine
    #[arg(long)]
    quick: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw errors over steps into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results {
    contact: String,
    scenes: Vec<Convergence>,
}

/// A scene over all steps.
#[derive(Debug, Serialize)]
struct Convergence {
    scene: &'static str,
    about: &'static str,
    free: bool,
    closed_form: bool,
    points: Vec<Point>,
    /// Slope of log error over log step; none when the errors are rounding.
    order: Option<f64>,
}

/// A run.
#[derive(Debug, Serialize)]
struct Point {
    step: f64,
    error: f64,
    unsolved: usize,
}

/// Configurations at every look, and how many steps were not solved.
struct Run {
    looks: Vec<Vec<f64>>,
    unsolved: usize,
}

/// Runs the command.
pub(crate) fn bench(args: &ConvergenceArgs) -> Result<(), CliError> {
    let (finest, reference) = if args.quick { (3, 7) } else { (HALVINGS, REFERENCE) };
    let progress = Progress::new("convergence", EXPERIMENTS.len() as u64, false);
    let mut contact = String::new();
    let mut scenes = Vec::new();
    for (k, experiment) in EXPERIMENTS.iter().enumerate() {
        progress.at(k as u64);
        let scene = mjcf::parse(experiment.scene, experiment.name)?;
        contact = args.formulation.options().or(&scene.options).formulation()?.name().into();
        scenes.push(measure(experiment, &scene, args, finest, reference)?);
    }
    progress.done();
    let results = Results { contact, scenes };
    if let Some(path) = &args.svg {
        log_plot::write(path, &[panel(&results)])?;
    }
    if args.json { output::json(&results) } else { output::data(&listing(&results)) }
}

fn measure(
    experiment: &Experiment,
    scene: &Scene,
    args: &ConvergenceArgs,
    finest: u32,
    reference: u32,
) -> Result<Convergence, CliError> {
    let truth: Vec<Vec<f64>> = match experiment.exact {
        Some(exact) => (1..=looks(experiment)).map(|k| exact(k as f64 * COARSEST)).collect(),
        None => run(experiment, scene, args, reference)?.looks,
    };
    let mut points = Vec::new();
    for halvings in 0..=finest {
        let Run { looks, unsolved } = run(experiment, scene, args, halvings)?;
        // The closed form knows the first coordinates only.
        let differences =
            looks.iter().zip(&truth).flat_map(|(q, p)| q.iter().zip(p).map(|(a, b)| (a - b).abs()));
        points.push(Point { step: step(halvings), error: differences.fold(0.0, f64::max), unsolved });
    }
    let pairs: Vec<[f64; 2]> =
        points.iter().filter(|p| p.error > ROUNDING).map(|p| [p.step, p.error]).collect();
    Ok(Convergence {
        scene: experiment.name,
        about: experiment.about,
        free: experiment.free,
        closed_form: experiment.exact.is_some(),
        order: exponent(&pairs),
        points,
    })
}

fn step(halvings: u32) -> f64 {
    COARSEST / f64::from(1_u32 << halvings)
}

fn looks(experiment: &Experiment) -> usize {
    (experiment.duration / COARSEST).round() as usize
}

fn run(
    experiment: &Experiment,
    scene: &Scene,
    args: &ConvergenceArgs,
    halvings: u32,
) -> Result<Run, CliError> {
    let user = Options { timestep: Some(step(halvings)), ..args.formulation.options() };
    let settings = Settings::for_scene(&user, &scene.options)?;
    let mut simulation = Simulation::new(Arc::new(scene.model.clone()), settings).map_err(CliError::Setup)?;
    if let Some(key) = scene.model.keyframe(Simulation::START) {
        simulation.reset_to(key).map_err(CliError::Setup)?;
    }
    let mut run = Run { looks: Vec::new(), unsolved: 0 };
    for _ in 0..looks(experiment) {
        for _ in 0..1_u32 << halvings {
            let stopped = |error| CliError::Stopped(format!("{}: {error}", experiment.name));
            let report = simulation.step().map_err(stopped)?;
            run.unsolved += usize::from(!report.solved());
        }
        run.looks.push(simulation.state.q.clone());
    }
    Ok(run)
}

fn panel(results: &Results) -> Panel {
    let series = results.scenes.iter().map(|scene| Series {
        name: match scene.order {
            Some(order) => format!("{}: order {order:.2}", scene.scene),
            None => format!("{}: rounding", scene.scene),
        },
        points: scene.points.iter().map(|point| [point.step, point.error]).collect(),
    });
    Panel { title: format!("error over step (s), {}", results.contact), series: series.collect() }
}

fn listing(results: &Results) -> String {
    let steps: Vec<String> = results
        .scenes
        .first()
        .map(|scene| scene.points.iter().map(|p| format!("{:.3} ms", 1e3 * p.step)).collect())
        .unwrap_or_default();
    let mut header = vec!["scene", "reference"];
    header.extend(steps.iter().map(String::as_str));
    header.extend(["order", "unsolved"]);
    let right: Vec<bool> = (0..header.len()).map(|c| c > 1).collect();
    let row = |scene: &Convergence| {
        let mut row = vec![
            scene.scene.to_string(),
            if scene.closed_form { "closed form".into() } else { "fine step".into() },
        ];
        row.extend(scene.points.iter().map(|point| format!("{:.2e}", point.error)));
        row.push(scene.order.map_or("rounding".into(), |order| format!("{order:.2}")));
        row.push(scene.points.iter().map(|point| point.unsolved).sum::<usize>().to_string());
        row
    };
    let mut text = columns(&header, &right, &results.scenes.iter().map(row).collect::<Vec<_>>());
    text += &format!(
        "\nContact model {}. Largest error of a coordinate at every 10 ms; order: least squares over errors above {ROUNDING:.0e}.\n",
        results.contact
    );
    for scene in &results.scenes {
        text += &format!("  {}: {}\n", scene.scene, scene.about);
    }
    text
}
