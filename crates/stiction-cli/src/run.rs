//! `stiction run`: simulates a scene, records it, and says how well the contact laws were met.

use crate::error::CliError;
use crate::islands::{IslandWriter, Steps};
use crate::output;
use crate::simulate::SimulationArgs;
use crate::summary::Summary;
use std::path::{Path, PathBuf};
use stiction::recording::{Recorder, Recording};
use stiction::sim::{SimError, Simulation, Snapshot};
use stiction_page::PageError;

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
    check_writable(args)?;

    let mut summary = Summary::new(&args.scene, &simulation);
    let mut recorder = (!args.out.is_empty()).then(|| Recorder::new(&simulation, steps as usize));
    let islands = match &args.islands {
        Some(directory) => Some(IslandWriter::new(directory, args.islands_steps.as_ref(), &mut simulation)?),
        None => None,
    };
    let stop = args.simulation.advance(&mut simulation, steps, &mut summary, |simulation, report| {
        if let Some(recorder) = &mut recorder {
            recorder.record(simulation, report);
        }
        islands.as_ref().map_or(Ok(()), |islands| islands.write(simulation))
    })?;

    if let Some(recorder) = &recorder {
        args.out.iter().try_for_each(|path| write_recording(args, recorder.recording(), path))?;
    }
    if let (Some(path), None) = (&args.save_state, &stop) {
        write_state(path, &simulation.snapshot())?;
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
