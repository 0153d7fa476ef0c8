//! `stiction bench mj14-pendulum`: twelve balls on hinges swing into a floor and a wall, the second experiment of Mylapilli
//! and Jain 2014.
//!
//! Their five solvers and the default of this engine on the same scene, and the default once more in redundant coordinates:
//! every ball free, hinges as constraints. The motion is chaotic: whatever differs in the last digit parts in the end. It is
//! planar, so that four directions, one of them against the motion, pose the problem of the exact cone, and nothing but
//! rounding tells the solvers apart.

mod swing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use stiction::contact::ImpactLaw;
use stiction::model::Model;
use stiction::scene::mjcf;
use stiction::sim::{Settings, SimError, Simulation};

use super::line_plot::{self, Panel, Series};
use super::mj14::{DEFAULT, SCHEMES, Scheme, make_directory};
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;
use crate::table::columns;
use swing::{Tally, Trace, swing};

const SCENE: &str = include_str!("../../../../../scenes/pendulum12.xml");
const LAST: &str = "ball12";

/// Name of the run in redundant coordinates.
const REDUNDANT: &str = "redundant";

/// Directions of the pyramid, one of them against the motion, as in the paper.
const FOUR: usize = 4;

/// Distances of the last balls at which two runs count as parted (m).
const PARTED: [f64; 2] = [1e-3, 1e-2];

/// The end of the run that is drawn once more (s).
const CLOSE_UP: f64 = 2.0;

/// Arguments of `stiction bench mj14-pendulum`.
#[derive(Debug, clap::Args)]
pub(crate) struct PendulumArgs {
    /// Simulated time in seconds
    #[arg(long, value_name = "S", default_value_t = 20.0, allow_negative_numbers = true)]
    duration: f64,
    /// Coefficient of restitution, 0 to 1
    #[arg(long, value_name = "E", default_value_t = 0.7, allow_negative_numbers = true)]
    restitution: f64,
    /// How restitution acts: poisson, newton
    #[arg(long, value_name = "LAW", default_value_t = ImpactLaw::Poisson)]
    impact: ImpactLaw,
    /// Runs of each solver, of which the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw height, vertical velocity and energy into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results {
    duration: f64,
    timestep: f64,
    restitution: f64,
    impact: ImpactLaw,
    runs: Vec<Run>,
    parted: Vec<Parted>,
}

/// A run.
#[derive(Debug, Serialize)]
struct Run {
    scheme: &'static str,
    contact: &'static str,
    solver: &'static str,
    velocities: usize,
    /// Computation time, of the fastest run (s).
    time: f64,
    /// The paper's (s).
    paper: Option<f64>,
    start_energy: f64,
    end_energy: f64,
    /// Largest rise of the energy within a second without contact (J).
    free_rise: f64,
    /// Of the last ball at the end (m, m/s).
    height: f64,
    vertical_velocity: f64,
    #[serde(flatten)]
    tally: Tally,
}

/// When two runs have parted by each of the distances (s).
#[derive(Debug, Serialize)]
struct Parted {
    first: &'static str,
    second: &'static str,
    times: [Option<f64>; 2],
}

/// Runs the command.
pub(crate) fn bench(args: &PendulumArgs) -> Result<(), CliError> {
    let duration = args.duration;
    if !(duration.is_finite() && duration > 0.0) {
        return Err(CliError::Usage(format!(
            "--duration is {duration}: a positive number of seconds is needed"
        )));
    }
    let scene = mjcf::parse(SCENE, "pendulum12.xml")?;
    let redundant = scene.model.redundant().map_err(|error| CliError::Usage(error.to_string()))?;
    let (model, redundant) = (Arc::new(scene.model), Arc::new(redundant));
    let progress = Progress::new("pendulum", SCHEMES.len() as u64 + 1, false);
    let mut runs = Vec::new();
    for scheme in SCHEMES {
        progress.at(runs.len() as u64);
        runs.push(measure(&scheme, &model, args)?);
    }
    progress.at(runs.len() as u64);
    runs.push(measure(&Scheme { name: REDUNDANT, ..DEFAULT }, &redundant, args)?);
    progress.done();
    let parted = parted(&runs);
    let (timestep, restitution, impact) = (model.timestep, args.restitution, args.impact);
    let results = Results { duration, timestep, restitution, impact, runs, parted };
    if let Some(directory) = &args.out {
        draw(directory, &results)?;
    }
    if args.json { output::json(&results) } else { output::data(&listing(&results)) }
}

fn measure(scheme: &Scheme, model: &Arc<Model>, args: &PendulumArgs) -> Result<Run, CliError> {
    let geom = model.geom(LAST).ok_or_else(|| CliError::Usage(format!("the scene has no geom '{LAST}'")))?;
    let steps = (args.duration / model.timestep).round().max(1.0) as usize;
    let formulation = scheme.formulation(FOUR, true)?;
    let settings = Settings {
        formulation: formulation.clone(),
        restitution: Some(args.restitution),
        impact: args.impact,
        ..Default::default()
    };
    let stopped = |error: SimError| CliError::Stopped(format!("{}: {error}", scheme.name));
    let mut best: Option<Tally> = None;
    let mut start_energy = 0.0;
    for _ in 0..args.repeat {
        let mut simulation = Simulation::new(model.clone(), settings.clone()).map_err(CliError::Setup)?;
        if let Some(key) = model.keyframe(Simulation::START) {
            simulation.reset_to(key).map_err(CliError::Setup)?;
        }
        start_energy = energy(&simulation);
        let tally = swing(&mut simulation, geom, steps).map_err(stopped)?;
        if best.as_ref().is_none_or(|best| tally.times.total() < best.times.total()) {
            best = Some(tally);
        }
    }
    let tally = best.unwrap_or_default();
    let second = (1.0 / model.timestep).round() as usize;
    Ok(Run {
        scheme: scheme.name,
        contact: formulation.name(),
        solver: scheme.solver,
        velocities: model.nv(),
        time: tally.times.total(),
        paper: scheme.paper,
        start_energy,
        end_energy: tally.trace.energy.last().copied().unwrap_or(start_energy),
        free_rise: tally.trace.largest_free_rise(second),
        height: tally.trace.position.last().map_or(f64::NAN, |p| p[2]),
        vertical_velocity: tally.trace.rise.last().copied().unwrap_or(f64::NAN),
        tally,
    })
}

/// Kinetic and potential energy at the start (J).
fn energy(simulation: &Simulation) -> f64 {
    use stiction::dynamics;
    use stiction::dynamics::Data;
    let model = simulation.model();
    let (q, v) = (&simulation.state.q, &simulation.state.v);
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, q, v);
    let of_tree = |tree: usize| {
        dynamics::kinetic_energy(model, &data, tree, v) + dynamics::potential_energy(model, &data, tree, q)
    };
    (0..model.trees.len()).map(of_tree).sum()
}

fn parted(runs: &[Run]) -> Vec<Parted> {
    let pairs = runs.iter().enumerate().flat_map(|(i, a)| runs[i + 1..].iter().map(move |b| (a, b)));
    let times = |a: &Run, b: &Run| PARTED.map(|distance| a.tally.trace.parts_from(&b.tally.trace, distance));
    pairs.map(|(a, b)| Parted { first: a.scheme, second: b.scheme, times: times(a, b) }).collect()
}

/// A number of a step of a run.
type Quantity = fn(&Trace, usize) -> f64;

/// Figures 5 to 8, and the energy.
fn draw(directory: &Path, results: &Results) -> Result<(), CliError> {
    make_directory(directory)?;
    let close_up = results.duration - CLOSE_UP.min(0.5 * results.duration);
    let panel = |title: &str, from: f64, of: Quantity| Panel {
        title: title.into(),
        series: results.runs.iter().map(|run| series(run, from, of)).collect(),
        span: 0.0,
    };
    let pictures: [(&str, &str, Quantity); 3] = [
        ("height", "height of the last ball (m) over time (s)", |trace, i| trace.position[i][2]),
        ("velocity", "vertical velocity of the last ball (m/s) over time (s)", |trace, i| trace.rise[i]),
        ("energy", "energy (J) over time (s)", |trace, i| trace.energy[i]),
    ];
    for (file, title, of) in pictures {
        let panels = [panel(title, 0.0, of), panel("the end of it", close_up, of)];
        line_plot::write(&directory.join(format!("mj14-pendulum-{file}.svg")), &panels)?;
    }
    Ok(())
}

fn series(run: &Run, from: f64, of: Quantity) -> Series {
    let trace = &run.tally.trace;
    let steps = (0..trace.time.len()).filter(|i| trace.time[*i] >= from);
    Series { name: run.scheme.into(), points: steps.map(|i| [trace.time[i], of(trace, i)]).collect() }
}

fn listing(results: &Results) -> String {
    let mut text = format!(
        "{} s in steps of {} s, friction 0.5, restitution {} ({})\n\n",
        results.duration, results.timestep, results.restitution, results.impact
    );
    text += &costs(results);
    text += "\nTimes of the fastest run, in seconds: contacts are found; set-up goes from the mass matrix to the Delassus\n\
             matrix; solve is the complementarity problem; the rest moves the bodies and certifies. Unknowns and rows: most\n\
             of any step. Paper: Mylapilli and Jain 2014, on a machine and with a collision detection of their own.\n\n";
    text += &motions(results);
    text += "\nJoints: largest error of a hinge that is a constraint. Bounces: contacts that bounced; reduced: impacts with less\n\
             restitution, which would have added energy. Free rise: most that the energy rises within a second without\n\
             contact. Adding: steps whose impulses feed energy in, and the most that one does. Height and rise of the last\n\
             ball at the end.\n\n";
    text + &partings(results)
}

fn costs(results: &Results) -> String {
    let header = [
        "scheme",
        "contact",
        "solver",
        "velocities",
        "rows",
        "unknowns",
        "contacts",
        "time/s",
        "contacts/s",
        "set-up/s",
        "solve/s",
        "rest/s",
        "iterations",
        "pivots",
        "paper/s",
    ];
    let right: Vec<bool> = (0..header.len()).map(|c| c > 2).collect();
    let row = |run: &Run| {
        let Tally { times, .. } = run.tally;
        let seconds = |time: f64| format!("{time:.3}");
        vec![
            run.scheme.into(),
            run.contact.into(),
            run.solver.into(),
            run.velocities.to_string(),
            run.tally.rows.to_string(),
            run.tally.unknowns.to_string(),
            run.tally.most_contacts.to_string(),
            seconds(run.time),
            seconds(times.kinematics + times.collision + times.overlap),
            seconds(times.free_velocity + times.rows),
            seconds(times.solve),
            seconds(times.impulses + times.integrate + times.certificate),
            format!("{:.1}", run.tally.iterations),
            format!("{:.1}", run.tally.pivots),
            run.paper.map_or("-".into(), |time| format!("{time:.2}")),
        ]
    };
    columns(&header, &right, &results.runs.iter().map(row).collect::<Vec<_>>())
}

fn motions(results: &Results) -> String {
    let header = [
        "scheme",
        "unsolved",
        "regularized",
        "residual",
        "overlap/m",
        "joints/m",
        "first/s",
        "bounces",
        "reduced",
        "start/J",
        "end/J",
        "free rise/J",
        "adding",
        "most/J",
        "height/m",
        "rise/(m/s)",
    ];
    let right: Vec<bool> = (0..header.len()).map(|c| c > 0).collect();
    let row = |run: &Run| {
        let tally = &run.tally;
        vec![
            run.scheme.into(),
            format!("{} of {}", tally.unsolved, tally.steps),
            tally.regularized.to_string(),
            format!("{:.1e}", tally.worst_residual),
            format!("{:.1e}", tally.worst_penetration),
            format!("{:.1e}", tally.worst_bilateral),
            tally.first_contact.map_or("-".into(), |time| format!("{time:.3}")),
            tally.bounces.to_string(),
            tally.reduced.to_string(),
            format!("{:.6}", run.start_energy),
            format!("{:.6}", run.end_energy),
            format!("{:.1e}", run.free_rise),
            tally.adding.to_string(),
            format!("{:.1e}", tally.most_added),
            format!("{:.6}", run.height),
            format!("{:.6}", run.vertical_velocity),
        ]
    };
    columns(&header, &right, &results.runs.iter().map(row).collect::<Vec<_>>())
}

/// When pairs part: by the first distance above the diagonal, by the second below it.
fn partings(results: &Results) -> String {
    let mut header = vec!["parted at/s"];
    header.extend(results.runs.iter().map(|run| run.scheme));
    let right: Vec<bool> = (0..header.len()).map(|c| c > 0).collect();
    let cell = |a: &Run, b: &Run, which: usize| {
        let of = |p: &&Parted| [p.first, p.second] == [a.scheme, b.scheme];
        let time = results.parted.iter().find(of).and_then(|p| p.times[which]);
        time.map_or("never".into(), |time| format!("{time:.3}"))
    };
    let row = |(i, run): (usize, &Run)| {
        let mut row = vec![run.scheme.to_string()];
        row.extend(results.runs.iter().enumerate().map(|(j, other)| match i.cmp(&j) {
            std::cmp::Ordering::Less => cell(run, other, 0),
            std::cmp::Ordering::Equal => "-".into(),
            std::cmp::Ordering::Greater => cell(other, run, 1),
        }));
        row
    };
    columns(&header, &right, &results.runs.iter().enumerate().map(row).collect::<Vec<_>>())
        + &format!(
            "\nFirst time that the last balls of two runs are {} m (above the diagonal) and {} m (below) apart.\n",
            PARTED[0], PARTED[1]
        )
}
