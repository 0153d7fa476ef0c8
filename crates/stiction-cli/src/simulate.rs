//! From a scene and options to a run: what `run` and `view` share.

use crate::error::CliError;
use crate::formulation::FormulationArgs;
use crate::print::progress::Progress;
use crate::print::summary::Summary;
use crate::{output, scene};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use stiction::model::Model;
use stiction::report::StepReport;
use stiction::scene::Scene;
use stiction::scene::did_you_mean;
use stiction::settings::{Options, Settings};
use stiction::sim::{SimError, Simulation};
use stiction_lab::table::count;

/// Simulated time when neither the command line nor the scene says anything (s).
const DEFAULT_DURATION: f64 = 10.0;

/// More steps than this are a slip of the finger: they would take a day at a microsecond each.
const MOST_STEPS: f64 = 1e11;

/// A duration this close above a whole number of steps (in steps) is that number; it covers the round-off of
/// durations such as 0.3 s in steps of 0.1 s.
const STEP_ROUNDING: f64 = 1e-6;

/// What a configuration consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Coordinates {
    Minimal,
    Redundant,
}

/// What to simulate, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct SimulationArgs {
    /// Simulated time in seconds [default: the scene's stiction:duration, else 10]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Time step in seconds [default: the scene's]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Keyframe to start from [default: the one named 'start', if there is one]
    #[arg(long, value_name = "NAME")]
    pub(crate) key: Option<String>,
    /// Coordinates: those of the joints, or six of every body with the joints as constraints
    #[arg(long, value_enum, default_value_t = Coordinates::Minimal)]
    coordinates: Coordinates,
    #[command(flatten)]
    formulation: FormulationArgs,
    /// Refuse a scene whose load report has any entry
    #[arg(long)]
    strict: bool,
    /// Write nothing but errors to standard error
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl SimulationArgs {
    /// Refuses options that are wrong whatever the scene.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        for (name, value) in [("--duration", self.duration), ("--dt", self.dt)] {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return Err(CliError::Usage(format!(
                    "{name} is {value}: it must be a positive number of seconds"
                )));
            }
        }
        Ok(())
    }

    /// Loads the scene and says how much there is in its load report.
    pub(crate) fn load(&self, path: &Path) -> Result<Scene, CliError> {
        let mut scene = scene::load(path, self.strict)?;
        if self.coordinates == Coordinates::Redundant {
            scene.model = scene.model.redundant().map_err(|error| {
                CliError::Usage(format!("{}: --coordinates redundant: {error}", path.display()))
            })?;
        }
        let entries = scene.report.entries.len();
        if entries > 0 {
            let entries = count(entries, "entry", "entries");
            let path = path.display();
            self.note(&format!("{path}: the load report has {entries} (stiction check {path} lists them)"));
        }
        Ok(scene)
    }

    /// The simulation as the options make it, before it has a state to start from.
    pub(crate) fn simulation(&self, scene: &Scene) -> Result<Simulation, CliError> {
        let user = Options { timestep: self.dt, ..self.formulation.options() };
        let settings = Settings::for_scene(&user, &scene.options)?;
        Simulation::new(Arc::new(scene.model.clone()), settings).map_err(CliError::Setup)
    }

    /// Puts the simulation into the keyframe it starts from.
    pub(crate) fn start(&self, scene: &Scene, simulation: &mut Simulation) -> Result<(), CliError> {
        let unknown = |name: &str| CliError::Usage(unknown_key(name, &scene.model));
        let key = match &self.key {
            Some(name) => Some(scene.model.keyframe(name).ok_or_else(|| unknown(name))?),
            None => scene.model.keyframe(Simulation::START),
        };
        if let Some(key) = key {
            simulation.reset_to(key).map_err(CliError::Setup)?;
        }
        self.assemble(simulation)
    }

    /// Closes loops that the start leaves open, and says what it took.
    fn assemble(&self, simulation: &mut Simulation) -> Result<(), CliError> {
        match simulation.assemble() {
            Ok(found) if found.distance > 0.0 || found.angle > 0.0 => self.note(&format!(
                "the start is open by {:.1e} (m or rad); assembled by moving links up to {:.3e} m and {:.3e} rad",
                found.before, found.distance, found.angle
            )),
            Ok(_) => {}
            // Equalities that contradict each other share the error, which the certificate shows.
            Err(error @ SimError::CannotAssemble { .. }) => output::note(&format!("warning: {error}")),
            Err(error) => return Err(CliError::Setup(error)),
        }
        Ok(())
    }

    /// Number of steps that cover the duration.
    pub(crate) fn steps(&self, scene: &Scene, dt: f64) -> Result<u64, CliError> {
        let duration = self.duration.or(scene.options.duration).unwrap_or(DEFAULT_DURATION);
        let steps = (duration / dt - STEP_ROUNDING).ceil().max(1.0);
        if steps > MOST_STEPS {
            return Err(CliError::Usage(format!(
                "{duration} s in steps of {dt} s are {steps:.0} steps: more than {MOST_STEPS:.0} are refused"
            )));
        }
        Ok(steps as u64)
    }

    /// Takes the steps, with `each` after every one. Returns the error that stopped the run, if any.
    ///
    /// # Errors
    /// That of `each`.
    pub(crate) fn advance(
        &self,
        simulation: &mut Simulation,
        steps: u64,
        summary: &mut Summary,
        mut each: impl FnMut(&Simulation, &StepReport) -> Result<(), CliError>,
    ) -> Result<Option<SimError>, CliError> {
        let progress = Progress::new(&simulation.model().name, steps, self.quiet);
        let start = Instant::now();
        let mut stop = None;
        for step in 0..steps {
            match simulation.step() {
                Ok(report) => {
                    summary.add(&report);
                    each(simulation, &report)?;
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
        Ok(stop)
    }

    /// Says something on standard error, unless nothing should be.
    pub(crate) fn note(&self, line: &str) {
        if !self.quiet {
            output::note(line);
        }
    }
}

fn unknown_key(name: &str, model: &Model) -> String {
    let names: Vec<&str> = model.keyframes.iter().map(|k| k.name.as_str()).collect();
    if names.is_empty() {
        return format!("--key {name}: the scene has no keyframes");
    }
    let hint = did_you_mean(name, names.iter().copied());
    format!("--key {name}: the scene has no keyframe of this name{hint}; it has: {}", names.join(", "))
}
