//! `stiction run`: simulates a scene, records it, and says how well the contact laws were met.

use crate::error::CliError;
use crate::formulation::FormulationArgs;
use crate::progress::Progress;
use crate::summary::Summary;
use crate::table::count;
use crate::{output, scene};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use stiction::model::Model;
use stiction::scene::{Scene, did_you_mean};
use stiction::sim::{Recorder, Settings, SimError, Simulation, Snapshot};

/// Simulated time when neither the command line nor the scene says anything (s).
const DEFAULT_DURATION: f64 = 10.0;

/// More steps than this are a slip of the finger: they would take a day at a microsecond each.
const MOST_STEPS: f64 = 1e11;

/// A duration this close above a whole number of steps (in steps) is that number; it covers the round-off of
/// durations such as 0.3 s in steps of 0.1 s.
const STEP_ROUNDING: f64 = 1e-6;

/// Arguments of `stiction run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scene: an MJCF file
    scene: PathBuf,
    /// Simulated time in seconds [default: the scene's stiction:duration, else 10]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Time step in seconds [default: the scene's]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Keyframe to start from [default: the one named 'start', if there is one]
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    #[command(flatten)]
    formulation: FormulationArgs,
    /// Record to this file (.npz: a NumPy archive); may be given more than once
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with status 0 even if steps were not solved to tolerance
    #[arg(long)]
    allow_unsolved: bool,
    /// Store the final state in this file, for --load-state
    #[arg(long, value_name = "FILE")]
    save_state: Option<PathBuf>,
    /// Continue from a stored state
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    load_state: Option<PathBuf>,
    /// Refuse a scene whose load report has any entry
    #[arg(long)]
    strict: bool,
    /// Write nothing but errors to standard error
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), CliError> {
    check_options(args)?;
    let scene = scene::load(&args.scene, args.strict)?;
    announce(args, &scene);
    let mut simulation = prepare(args, &scene)?;
    let steps = step_count(args, &scene, simulation.timestep())?;
    check_writable(args)?;

    let mut summary = Summary::new(&args.scene, &simulation);
    let mut recorder = (!args.out.is_empty()).then(|| Recorder::new(&simulation, steps as usize));
    let stop = advance(args, &mut simulation, steps, &mut summary, recorder.as_mut());

    if let Some(recorder) = &recorder {
        args.out.iter().try_for_each(|path| recorder.write_npz(path))?;
    }
    if let (Some(path), None) = (&args.save_state, &stop) {
        write_state(path, &simulation.snapshot())?;
    }
    summary.finish(&simulation);
    if args.json {
        output::json(&summary.json())?;
    } else {
        output::data(&summary.table())?;
    }
    if let Some(error) = stop {
        return Err(stopped(args, &simulation, &error));
    }
    match summary.first_unsolved() {
        Some(first) if !args.allow_unsolved => {
            let (unsolved, steps) = (summary.unsolved_steps(), summary.steps());
            Err(CliError::Unsolved { unsolved, steps, first })
        }
        _ => Ok(()),
    }
}

/// Options that are wrong whatever the scene.
fn check_options(args: &RunArgs) -> Result<(), CliError> {
    for (name, value) in [("--duration", args.duration), ("--dt", args.dt)] {
        if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
            return Err(CliError::Usage(format!(
                "{name} is {value}: it must be a positive number of seconds"
            )));
        }
    }
    for path in &args.out {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if extension != "npz" {
            return Err(CliError::Usage(format!(
                "--out {}: the recording format is chosen by the extension, which must be .npz",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Finds out before the run, not after it, that a file cannot be written. Existing files are not changed.
fn check_writable(args: &RunArgs) -> Result<(), CliError> {
    for path in args.out.iter().chain(&args.save_state) {
        let existed = path.exists();
        let opened = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
        opened.map_err(|source| CliError::File {
            path: path.clone(),
            action: "cannot be written",
            source,
        })?;
        if !existed {
            // Only a probe: if it cannot be taken away again, the run will overwrite it.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

fn announce(args: &RunArgs, scene: &Scene) {
    let entries = scene.report.entries.len();
    if entries > 0 && !args.quiet {
        let entries = count(entries, "entry", "entries");
        let path = args.scene.display();
        output::note(&format!("{path}: the load report has {entries} (stiction check {path} lists them)"));
    }
}

/// The simulation at its start.
fn prepare(args: &RunArgs, scene: &Scene) -> Result<Simulation, CliError> {
    let formulation = args.formulation.choose(&scene.options)?;
    let settings = Settings { timestep: args.dt, formulation, ..Default::default() };
    let mut simulation = Simulation::new(Arc::new(scene.model.clone()), settings).map_err(CliError::Setup)?;
    if let Some(path) = &args.load_state {
        restore(path, &mut simulation)?;
        return Ok(simulation);
    }
    let key = match &args.key {
        Some(name) => {
            Some(scene.model.keyframe(name).ok_or_else(|| CliError::Usage(unknown_key(name, &scene.model)))?)
        }
        None => scene.model.keyframe(Simulation::START),
    };
    if let Some(key) = key {
        simulation.reset_to(key).map_err(CliError::Setup)?;
    }
    Ok(simulation)
}

fn unknown_key(name: &str, model: &Model) -> String {
    let names: Vec<&str> = model.keyframes.iter().map(|k| k.name.as_str()).collect();
    if names.is_empty() {
        return format!("--key {name}: the scene has no keyframes");
    }
    let hint = did_you_mean(name, names.iter().copied());
    format!("--key {name}: the scene has no keyframe of this name{hint}; it has: {}", names.join(", "))
}

fn restore(path: &Path, simulation: &mut Simulation) -> Result<(), CliError> {
    let file_error = |source| CliError::File { path: path.into(), action: "cannot be read", source };
    let bytes = std::fs::read(path).map_err(file_error)?;
    let snapshot =
        Snapshot::from_bytes(&bytes).map_err(|source| CliError::State { path: path.into(), source })?;
    simulation.restore(&snapshot).map_err(|error| {
        CliError::Usage(format!("--load-state {}: not a state of this scene: {error}", path.display()))
    })
}

fn write_state(path: &Path, snapshot: &Snapshot) -> Result<(), CliError> {
    let bytes = snapshot.to_bytes().map_err(|source| CliError::State { path: path.into(), source })?;
    std::fs::write(path, bytes).map_err(|source| CliError::File {
        path: path.into(),
        action: "cannot be written",
        source,
    })
}

/// Number of steps that cover the duration.
fn step_count(args: &RunArgs, scene: &Scene, dt: f64) -> Result<u64, CliError> {
    let duration = args.duration.or(scene.options.duration).unwrap_or(DEFAULT_DURATION);
    let steps = (duration / dt - STEP_ROUNDING).ceil().max(1.0);
    if steps > MOST_STEPS {
        return Err(CliError::Usage(format!(
            "{duration} s in steps of {dt} s are {steps:.0} steps: more than {MOST_STEPS:.0} are refused"
        )));
    }
    Ok(steps as u64)
}

/// Takes the steps. Returns the error that stopped the run, if any.
fn advance(
    args: &RunArgs,
    simulation: &mut Simulation,
    steps: u64,
    summary: &mut Summary,
    mut recorder: Option<&mut Recorder>,
) -> Option<SimError> {
    let progress = Progress::new(&args.scene.display().to_string(), steps, args.quiet);
    let start = Instant::now();
    let mut stop = None;
    for step in 0..steps {
        match simulation.step() {
            Ok(report) => {
                summary.add(&report);
                if let Some(recorder) = &mut recorder {
                    recorder.record(simulation, &report);
                }
            }
            Err(error) => {
                stop = Some(error);
                break;
            }
        }
        progress.at(step + 1);
    }
    progress.done();
    summary.set_wall_time(start.elapsed().as_secs_f64());
    stop
}

/// Stores the state before the step that failed, and says where.
fn stopped(args: &RunArgs, simulation: &Simulation, error: &SimError) -> CliError {
    let path = match args.out.first() {
        Some(out) => out.with_extension("state"),
        None => PathBuf::from(args.scene.file_stem().unwrap_or_default()).with_extension("state"),
    };
    let stored = match error {
        SimError::NotFinite { dump, .. } => write_state(&path, dump),
        _ => write_state(&path, &simulation.snapshot()),
    };
    let stored = match stored {
        Ok(()) => format!("the state before the step is in {}", path.display()),
        Err(problem) => format!("the state before the step is lost: {problem}"),
    };
    CliError::Stopped(format!("stopped at t = {} s: {error}; {stored}", simulation.state.time))
}
