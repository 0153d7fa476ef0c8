//! Twelve balls on hinges swing into a floor and a wall, the second experiment of Mylapilli and Jain 2014.
//!
//! Their five solvers and the default of this engine on the same scene, and the default once more in redundant coordinates:
//! every ball free, hinges as constraints. The motion is chaotic: whatever differs in the last digit parts in the end. It is
//! planar, so that four directions, one of them against the motion, pose the problem of the exact cone, and nothing but
//! rounding tells the solvers apart.

mod swing;

use std::sync::Arc;

use serde::Serialize;
use stiction::contact::ImpactLaw;
use stiction::model::{Model, TreeId};
use stiction::scene::mjcf;
use stiction::settings::{Settings, Stepper};
use stiction::sim::{SimError, Simulation};

use super::{DEFAULT, SCHEMES, Scheme};
use crate::error::LabError;
use crate::plot::{Panel, Picture, Scale, Series};
use crate::table::columns;
use crate::{Findings, Progress};
use swing::{Tally, Trace, swing};

const SCENE: &str = include_str!("../../../../../../scenes/pendulum12.xml");
const LAST: &str = "ball12";

/// Name of the run in redundant coordinates.
const REDUNDANT: &str = "redundant";

/// Directions of the pyramid, one of them against the motion, as in the paper.
const FOUR: usize = 4;

/// Distances of the last balls at which two runs count as parted (m).
const PARTED: [f64; 2] = [1e-3, 1e-2];

/// Differences are drawn down to this (m, m/s, J).
const ROUNDING: f64 = 1e-16;

/// The end of the run that is drawn once more (s).
const CLOSE_UP: f64 = 2.0;

/// What to simulate.
#[derive(Clone, Copy, Debug)]
pub struct PendulumSettings {
    /// Simulated time (s).
    pub duration: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// How restitution acts.
    pub impact: ImpactLaw,
    /// Runs of each scheme, of which the fastest counts.
    pub repeat: u32,
}

impl Default for PendulumSettings {
    fn default() -> Self {
        Self { duration: 20.0, restitution: 0.7, impact: ImpactLaw::Poisson, repeat: 3 }
    }
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Swings {
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

/// Swings the pendulum with all schemes, and with the default in redundant coordinates.
///
/// # Errors
/// A setting is out of range, or a step could not be taken.
pub fn run(settings: &PendulumSettings, progress: Progress) -> Result<Swings, LabError> {
    let PendulumSettings { duration, restitution, impact, .. } = *settings;
    if !(duration.is_finite() && duration > 0.0) {
        return Err(LabError::Refused(format!(
            "the duration is {duration}: a positive number of seconds is needed"
        )));
    }
    let scene = mjcf::parse(SCENE, "pendulum12.xml")?;
    let redundant = scene.model.redundant().map_err(|error| LabError::Refused(error.to_string()))?;
    let (model, redundant) = (Arc::new(scene.model), Arc::new(redundant));
    let mut runs = Vec::new();
    for scheme in SCHEMES {
        progress(runs.len(), SCHEMES.len() + 1);
        runs.push(measure(&scheme, &model, settings)?);
    }
    progress(runs.len(), SCHEMES.len() + 1);
    runs.push(measure(&Scheme { name: REDUNDANT, ..DEFAULT }, &redundant, settings)?);
    let parted = parted(&runs);
    Ok(Swings { duration, timestep: model.timestep, restitution, impact, runs, parted })
}

impl Findings for Swings {
    fn table(&self) -> String {
        listing(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        pictures(self)
    }
}

fn measure(scheme: &Scheme, model: &Arc<Model>, settings: &PendulumSettings) -> Result<Run, LabError> {
    let geom =
        model.geom(LAST).ok_or_else(|| LabError::Refused(format!("the scene has no geom '{LAST}'")))?;
    let steps = (settings.duration / model.timestep).round().max(1.0) as usize;
    let formulation = scheme.formulation(FOUR, true)?;
    let with = Settings {
        formulation: formulation.clone(),
        // The paper's rule.
        stepper: Stepper::TimeStepping,
        restitution: Some(settings.restitution),
        impact: settings.impact,
        ..Default::default()
    };
    let stopped = |error: SimError| LabError::Stopped(format!("{}: {error}", scheme.name));
    let mut best: Option<Tally> = None;
    let mut start_energy = 0.0;
    for _ in 0..settings.repeat {
        let mut simulation = Simulation::new(model.clone(), with.clone())?;
        if let Some(key) = model.keyframe(Simulation::START) {
            simulation.reset_to(key)?;
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
    let of_tree = |tree: TreeId| {
        dynamics::kinetic_energy(model, &data, tree, v) + dynamics::potential_energy(model, &data, tree, q)
    };
    TreeId::all(&model.trees).map(of_tree).sum()
}

fn parted(runs: &[Run]) -> Vec<Parted> {
    let pairs = runs.iter().enumerate().flat_map(|(i, a)| runs[i + 1..].iter().map(move |b| (a, b)));
    let times = |a: &Run, b: &Run| PARTED.map(|distance| a.tally.trace.parts_from(&b.tally.trace, distance));
    pairs.map(|(a, b)| Parted { first: a.scheme, second: b.scheme, times: times(a, b) }).collect()
}

/// A number of a step of a run.
type Quantity = fn(&Trace, usize) -> f64;

/// Figures 5 to 8 of the paper, and the energy. The runs lie on each other for most of the time: one is drawn whole, the
/// others by how far they are from it, and all of them where they have parted.
fn pictures(results: &Swings) -> Vec<Picture> {
    let pictures: [(&str, &str, Quantity); 3] = [
        ("height", "height of the last ball (m)", |trace, i| trace.position[i][2]),
        ("velocity", "vertical velocity of the last ball (m/s)", |trace, i| trace.rise[i]),
        ("energy", "energy (J)", |trace, i| trace.energy[i]),
    ];
    pictures.map(|(file, title, of)| picture(results, file, title, of)).into()
}

fn picture(results: &Swings, file: &str, title: &str, of: Quantity) -> Picture {
    let Some(reference) = results.runs.iter().find(|run| run.scheme == DEFAULT.name) else {
        return Picture::new(format!("mj14-pendulum-{file}"), 1, &[]);
    };
    let series = |run: &Run, from: f64, of: &dyn Fn(usize) -> f64| {
        let time = &run.tally.trace.time;
        let steps = (0..time.len()).filter(|i| time[*i] >= from);
        let style = results.runs.iter().position(|other| other.scheme == run.scheme).unwrap_or(0);
        Series { name: run.scheme.into(), points: steps.map(|i| [time[i], of(i)]).collect(), style }
    };
    let whole = |run: &Run, from: f64| series(run, from, &|i| of(&run.tally.trace, i));
    let difference =
        |run: &Run| series(run, 0.0, &|i| (of(&run.tally.trace, i) - of(&reference.tally.trace, i)).abs());
    let others = results.runs.iter().filter(|run| run.scheme != reference.scheme);
    let close_up = results.duration - CLOSE_UP.min(0.5 * results.duration);
    let panels = [
        Panel {
            title: format!("{title} over time (s)"),
            x: Scale::LINEAR,
            y: Scale::LINEAR,
            series: vec![whole(reference, 0.0)],
        },
        Panel {
            title: "difference of the other runs from that one".into(),
            x: Scale::LINEAR,
            y: Scale::Log { floor: ROUNDING },
            series: others.map(difference).collect(),
        },
        Panel {
            title: "the end, all runs".into(),
            x: Scale::LINEAR,
            y: Scale::LINEAR,
            series: results.runs.iter().map(|run| whole(run, close_up)).collect(),
        },
    ];
    Picture::new(format!("mj14-pendulum-{file}"), 1, &panels)
}

fn listing(results: &Swings) -> String {
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

fn costs(results: &Swings) -> String {
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

fn motions(results: &Swings) -> String {
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
fn partings(results: &Swings) -> String {
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
