//! `stiction view`: a recording, or a scene after simulating it, as a page on this machine.

use crate::error::CliError;
use crate::print::output;
use crate::print::summary::Summary;
use crate::simulate::SimulationArgs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stiction::recording::{Recorder, Recording};
use stiction_lab::table::count;
use stiction_page::PageServer;
use stiction_solvers::io::read_text_file;

/// Arguments of `stiction view`.
#[derive(Debug, clap::Args)]
pub(crate) struct ViewArgs {
    /// A recording (.npz), a page (.html), or a scene, which is simulated first
    file: PathBuf,
    /// Port on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Do not open a browser; without this one is opened where there is a display
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    simulation: SimulationArgs,
}

/// Runs the command, which ends when the process is interrupted.
pub(crate) fn view(args: &ViewArgs) -> Result<(), CliError> {
    args.simulation.check()?;
    let page = match args.file.extension().and_then(|extension| extension.to_str()) {
        Some("npz") => page_of(args, &Recording::read_npz(&args.file)?)?,
        Some("html") => written_page(&args.file)?,
        _ => page_of(args, simulated(args)?.recording())?,
    };
    let server = PageServer::bind(args.port, page);
    let taken = |error| CliError::Usage(format!("--port {}: 127.0.0.1 does not give it: {error}", args.port));
    let server = server.map_err(taken)?;
    let url = server.url().map_err(taken)?;
    output::data(&format!("{url}\n"))?;
    args.simulation
        .note(&format!("{} is shown there until this is interrupted (Ctrl-C)", args.file.display()));
    if !args.no_open && has_display() {
        open_browser(&url);
    }
    server.serve();
    Ok(())
}

fn page_of(args: &ViewArgs, recording: &Recording) -> Result<String, CliError> {
    stiction_page::page(recording)
        .map_err(|error| CliError::Usage(format!("{}: {error}", args.file.display())))
}

/// A page that was written before.
fn written_page(path: &Path) -> Result<String, CliError> {
    let file_error = |source| CliError::File { path: path.into(), action: "cannot be read", source };
    let text = read_text_file(path).map_err(file_error)?;
    match stiction_page::check_page(&text) {
        Ok(()) => Ok(text),
        Err(fault) => Err(CliError::Usage(format!("{}: {fault}", path.display()))),
    }
}

/// Simulates the scene. Steps that were not solved and an early end are shown, not refused.
fn simulated(args: &ViewArgs) -> Result<Recorder, CliError> {
    let options = &args.simulation;
    let scene = options.load(&args.file)?;
    let mut simulation = options.simulation(&scene)?;
    options.start(&scene, &mut simulation)?;
    let steps = options.steps(&scene, simulation.timestep())?;
    let mut summary = Summary::new(&args.file, &simulation);
    let mut recorder = Recorder::new(&simulation, steps as usize);
    let stop = options.advance(&mut simulation, steps, &mut summary, |simulation, report| {
        recorder.record(simulation, report);
        Ok(())
    })?;
    if let Some(error) = stop {
        let stopped = format!("stopped at t = {} s: {error}", simulation.state.time);
        if recorder.recording().steps() == 0 {
            return Err(CliError::Stopped(stopped));
        }
        output::note(&format!("warning: {stopped}; the steps before are shown"));
    }
    if let Some(first) = summary.first_unsolved() {
        let unsolved = count(summary.unsolved_steps() as usize, "step was", "steps were");
        output::note(&format!("warning: {unsolved} not solved to tolerance, the first at t = {first} s"));
    }
    Ok(recorder)
}

/// Whether there is a screen to open a browser on.
fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Asks the desktop to open the page. Where it cannot, the address printed does the same.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let command = Command::new(program).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = command {
        output::note(&format!("no browser was opened: {program}: {error}"));
    }
}
