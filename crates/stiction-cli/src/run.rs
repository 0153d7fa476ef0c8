//! `stiction run`: simulates a scene, records it, and says how well the contact laws were met.

use crate::error::CliError;
use crate::islands::{IslandWriter, Steps};
use crate::print::output;
use crate::print::summary::Summary;
use crate::simulate::SimulationArgs;
use crate::targets;
use std::path::{Path, PathBuf};
use stiction::recording::{Recorder, Recording};
use stiction::sim::{SimError, Simulation, Snapshot};
use stiction_page::PageError;
use stiction_solvers::io::read_file;

/// Steps by which the size of the whole recording is estimated, and the size (bytes) from which it is told.
const PROBED: u64 = 100;
const LARGE: f64 = 1e9;

/// What the recording formats are called by.
const FORMATS: [&str; 2] = ["npz", "html"];

/// Arguments of `stiction run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scene: an MJCF file
    scene: PathBuf,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// Record to this file (.npz: a NumPy archive, .html: a page that plays it); may be given more than once
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json: also the largest margin of every pair in the last step over all forces that its motion allows
    #[arg(long, requires = "json")]
    margins: bool,
    /// Exit with status 0 even if steps were not solved to tolerance
    #[arg(long)]
    allow_unsolved: bool,
    /// Store the final state in this file, for --load-state
    #[arg(long, value_name = "FILE")]
    save_state: Option<PathBuf>,
    /// Write the contact problem of every island to this directory, with its warm start, for 'stiction solve'
    #[arg(long, value_name = "DIR")]
    islands: Option<PathBuf>,
    /// The steps whose islands are written, from the first to before the last [default: all]
    #[arg(long, value_name = "A:B", requires = "islands")]
    islands_steps: Option<Steps>,
    /// Continue from a stored state
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    load_state: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), CliError> {
    args.simulation.check()?;
    check_formats(args)?;
    let scene = args.simulation.load(&args.scene)?;
    let mut simulation = args.simulation.simulation(&scene)?;
    match &args.load_state {
        Some(path) => restore(path, &mut simulation)?,
        None => args.simulation.start(&scene, &mut simulation)?,
    }
    let steps = args.simulation.steps(&scene, simulation.timestep())?;
    check_targets(args)?;

    let mut summary = Summary::new(&args.scene, &simulation);
    let mut recorder = (!args.out.is_empty()).then(|| Recorder::new(&simulation, steps as usize));
    let islands = match &args.islands {
        Some(directory) => Some(IslandWriter::new(directory, args.islands_steps.as_ref(), &mut simulation)?),
        None => None,
    };
    let stop = args.simulation.advance(&mut simulation, steps, &mut summary, |simulation, report| {
        if let Some(recorder) = &mut recorder {
            recorder.record(simulation, report);
            announce(args, recorder.recording(), steps);
        }
        islands.as_ref().map_or(Ok(()), |islands| islands.write(simulation))
    })?;

    if let Some(recorder) = &recorder {
        args.out.iter().try_for_each(|path| write_recording(args, recorder.recording(), path))?;
    }
    if let (Some(path), None) = (&args.save_state, &stop) {
        targets::write(path, &bytes(path, &simulation.snapshot())?)?;
    }
    summary.finish(&simulation, args.margins);
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

/// Says, once the first steps are recorded, what a long recording will need.
fn announce(args: &RunArgs, recording: &Recording, steps: u64) {
    if recording.steps() as u64 != PROBED || steps <= PROBED {
        return;
    }
    let bytes = recording.size() as f64 / PROBED as f64 * steps as f64;
    if bytes > LARGE {
        args.simulation.note(&format!(
            "the recording of {steps} steps will need about {:.1} GB of memory until it is written, and as much of the disk; \
             --duration makes it shorter",
            bytes * 1e-9
        ));
    }
}

fn format(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?;
    FORMATS.into_iter().find(|format| extension == *format)
}

/// Refuses files that are neither kind of recording.
fn check_formats(args: &RunArgs) -> Result<(), CliError> {
    match args.out.iter().find(|path| format(path).is_none()) {
        Some(path) => Err(CliError::Usage(format!(
            "--out {}: the recording format is chosen by the extension, which must be .npz or .html",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Writes the recording in the format of the file's extension.
fn write_recording(args: &RunArgs, recording: &Recording, path: &Path) -> Result<(), CliError> {
    if format(path) == Some("npz") {
        return Ok(recording.write_npz(path)?);
    }
    match stiction_page::write_page(recording, path) {
        Err(PageError::Write(error)) => Err(error.into()),
        // The run stopped in its first step, which is reported as such.
        Err(PageError::NoSteps) => {
            args.simulation.note(&format!("{}: not written, as there is no step to show", path.display()));
            Ok(())
        }
        Err(error) => {
            let source = std::io::Error::other(error);
            Err(CliError::File { path: path.to_path_buf(), action: "cannot be written", source })
        }
        Ok(()) => Ok(()),
    }
}

/// Refuses, before the run, files that cannot be written or would destroy others.
fn check_targets(args: &RunArgs) -> Result<(), CliError> {
    let written: Vec<_> = args.out.iter().map(|path| ("--out", path.as_path())).collect();
    let state = args.save_state.as_deref();
    let all: Vec<_> = written.into_iter().chain(state.map(|path| ("--save-state", path))).collect();
    targets::check(&args.scene, &all, state)
}

fn restore(path: &Path, simulation: &mut Simulation) -> Result<(), CliError> {
    let file_error = |source| CliError::File { path: path.into(), action: "cannot be read", source };
    let bytes = read_file(path).map_err(file_error)?;
    let snapshot =
        Snapshot::from_bytes(&bytes).map_err(|source| CliError::State { path: path.into(), source })?;
    simulation.restore(&snapshot).map_err(|error| {
        CliError::Usage(format!("--load-state {}: not a state of this scene: {error}", path.display()))
    })
}

fn bytes(path: &Path, snapshot: &Snapshot) -> Result<Vec<u8>, CliError> {
    snapshot.to_bytes().map_err(|source| CliError::State { path: path.into(), source })
}

/// Stores the state before the step that failed, and says where. What is there already stays.
fn stopped(args: &RunArgs, simulation: &Simulation, error: &SimError) -> CliError {
    let path = match args.out.first() {
        Some(out) => out.with_extension("state"),
        None => PathBuf::from(args.scene.file_stem().unwrap_or_default()).with_extension("state"),
    };
    let stored = match error {
        SimError::NotFinite { dump, .. } => bytes(&path, dump),
        _ => bytes(&path, &simulation.snapshot()),
    };
    let stored = match stored.and_then(|bytes| targets::write_new(&path, &bytes)) {
        Ok(path) => format!("the state before the step is in {}", path.display()),
        Err(problem) => format!("the state before the step is lost: {problem}"),
    };
    CliError::Stopped(format!("stopped at t = {} s: {error}; {stored}", simulation.state.time))
}
