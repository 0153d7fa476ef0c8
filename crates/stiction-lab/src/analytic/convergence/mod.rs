//! The error of scenes as the step is halved.
//!
//! As the step vanishes time stepping converges to the motion of the rigid bodies: the ground on which Nguyen and Trinkle
//! 2010 chose the method of Stewart and Trinkle. Here it is measured: order one where there is contact, four where there is
//! none. Impulses at both ends of a step (`rattle`) are of order two in contacts that persist. Error: the largest difference of a coordinate (m, rad, parts of a quaternion) from the closed form, or from a run
//! with a step 32 times as fine as the finest, at every 10 ms.

mod scenes;

use std::sync::Arc;

use serde::Serialize;
use stiction::scene::{Scene, mjcf};
use stiction::settings::{Options, Settings};
use stiction::sim::Simulation;

use crate::error::LabError;
use crate::plot::{Panel, Picture, Scale, Series};
use crate::statistics::exponent;
use crate::table::columns;
use crate::{Findings, Progress};
use scenes::{EXPERIMENTS, Experiment};

/// The coarsest step, and the time between two looks at the configuration (s).
const COARSEST: f64 = 0.01;
/// Halvings of the finest step measured (0.3 ms) and of the reference.
const HALVINGS: u32 = 5;
const REFERENCE: u32 = 10;
/// Errors below this are rounding and no part of a fit.
const ROUNDING: f64 = 1e-11;

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Convergences {
    contact: String,
    scenes: Vec<Convergence>,
}

/// A scene over all steps.
#[derive(Debug, Serialize)]
struct Convergence {
    scene: &'static str,
    about: &'static str,
    stepper: &'static str,
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

/// Runs all scenes with steps of 10 ms down to 0.3 ms and a reference 32 times as fine; `quick`: down to 1.2 ms and 16 times.
///
/// # Errors
/// Options that do not fit, or a step that could not be taken.
pub fn run(quick: bool, options: &Options, progress: Progress) -> Result<Convergences, LabError> {
    let (finest, reference) = if quick { (3, 7) } else { (HALVINGS, REFERENCE) };
    let mut contact = String::new();
    let mut scenes = Vec::new();
    for (k, experiment) in EXPERIMENTS.iter().enumerate() {
        progress(k, EXPERIMENTS.len());
        let scene = mjcf::parse(experiment.scene, experiment.name)?;
        let stepper = experiment.stepper.or(options.stepper);
        let options = Options { stepper, ..options.clone() };
        let settings = Settings::for_scene(&options, &scene.options)?;
        contact = settings.formulation.name().into();
        scenes.push(measure(experiment, &scene, &settings, finest, reference)?);
    }
    Ok(Convergences { contact, scenes })
}

impl Findings for Convergences {
    fn table(&self) -> String {
        listing(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        vec![Picture::new("convergence", 1, &[panel(self)])]
    }
}

fn measure(
    experiment: &Experiment,
    scene: &Scene,
    settings: &Settings,
    finest: u32,
    reference: u32,
) -> Result<Convergence, LabError> {
    let truth: Vec<Vec<f64>> = match experiment.exact {
        Some(exact) => (1..=looks(experiment)).map(|k| exact(k as f64 * COARSEST)).collect(),
        None => follow(experiment, scene, settings, reference)?.looks,
    };
    let mut points = Vec::new();
    for halvings in 0..=finest {
        let Run { looks, unsolved } = follow(experiment, scene, settings, halvings)?;
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
        stepper: settings.stepper.name(),
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

fn follow(
    experiment: &Experiment,
    scene: &Scene,
    settings: &Settings,
    halvings: u32,
) -> Result<Run, LabError> {
    let settings = Settings { timestep: Some(step(halvings)), ..settings.clone() };
    let mut simulation = Simulation::new(Arc::new(scene.model.clone()), settings)?;
    if let Some(key) = scene.model.keyframe(Simulation::START) {
        simulation.reset_to(key)?;
    }
    let mut run = Run { looks: Vec::new(), unsolved: 0 };
    for _ in 0..looks(experiment) {
        for _ in 0..1_u32 << halvings {
            let stopped = |error| LabError::Stopped(format!("{}: {error}", experiment.name));
            let report = simulation.step().map_err(stopped)?;
            run.unsolved += usize::from(!report.solved());
        }
        run.looks.push(simulation.state.q.to_vec());
    }
    Ok(run)
}

fn panel(results: &Convergences) -> Panel {
    let series = results.scenes.iter().enumerate().map(|(style, scene)| Series {
        style,
        name: match scene.order {
            Some(order) => format!("{}: order {order:.2}", scene.scene),
            None => format!("{}: rounding", scene.scene),
        },
        points: scene.points.iter().map(|point| [point.step, point.error]).collect(),
    });
    Panel {
        title: format!("largest error of a coordinate over step (s), {}", results.contact),
        x: Scale::LOG,
        y: Scale::LOG,
        series: series.collect(),
    }
}

fn listing(results: &Convergences) -> String {
    let steps: Vec<String> = results
        .scenes
        .first()
        .map(|scene| scene.points.iter().map(|p| format!("{:.3} ms", 1e3 * p.step)).collect())
        .unwrap_or_default();
    let mut header = vec!["scene", "stepper", "reference"];
    header.extend(steps.iter().map(String::as_str));
    header.extend(["order", "unsolved"]);
    let right: Vec<bool> = (0..header.len()).map(|c| c > 2).collect();
    let row = |scene: &Convergence| {
        let mut row = vec![
            scene.scene.to_string(),
            scene.stepper.to_string(),
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
