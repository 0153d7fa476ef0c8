//! `stiction check`: loads a scene and lists what was inferred, defaulted, ignored or repaired.

use crate::error::CliError;
use crate::table::{count, pairs};
use crate::{output, scene};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use stiction::scene::{EntryKind, ReportEntry, Scene, SceneError};
use stiction::sim::Simulation;

/// Arguments of `stiction check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The scene: an MJCF file
    scene: PathBuf,
    /// Fail when the load report has any entry
    #[arg(long)]
    strict: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What `check --json` prints.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    ok: bool,
    entries: Vec<Entry>,
    bodies: usize,
    dof: usize,
    total_mass: f64,
}

/// One note or error.
#[derive(Debug, Serialize)]
struct Entry {
    kind: &'static str,
    file: String,
    line: usize,
    element: String,
    message: String,
}

/// Kinds in the order in which they are listed, most serious first, with their headings.
const KINDS: [(EntryKind, &str, &str); 5] = [
    (EntryKind::Warning, "warning", "Warnings"),
    (EntryKind::Repaired, "repaired", "Repaired"),
    (EntryKind::Ignored, "ignored", "Ignored, without effect on the simulation"),
    (EntryKind::Defaulted, "defaulted", "Defaulted"),
    (EntryKind::Inferred, "inferred", "Inferred"),
];

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<(), CliError> {
    let loaded = scene::load(&args.scene, false).and_then(|scene| usable(&scene).map(|()| scene));
    let scene = match loaded {
        Ok(scene) => scene,
        Err(error) => {
            if args.json {
                output::json(&Outcome { entries: vec![error_entry(args, &error)], ..Default::default() })?;
            }
            return Err(error);
        }
    };
    let outcome = outcome(&scene, args.strict);
    if args.json {
        output::json(&outcome)?;
    } else {
        output::data(&listing(args, &scene, &outcome))?;
    }
    if outcome.ok { Ok(()) } else { scene::load(&args.scene, true).map(|_| ()) }
}

/// Whether a simulation can be made of the scene as it asks to be simulated.
fn usable(scene: &Scene) -> Result<(), CliError> {
    Simulation::from_scene(scene.clone()).map_err(CliError::Setup)?;
    Ok(())
}

fn outcome(scene: &Scene, strict: bool) -> Outcome {
    let entries = &scene.report.entries;
    let entry = |entry: &ReportEntry| Entry {
        kind: KINDS.iter().find(|k| k.0 == entry.kind).map_or("other", |k| k.1),
        file: entry.place.file.clone(),
        line: entry.place.line,
        element: entry.element.clone(),
        message: message(entry),
    };
    Outcome {
        ok: !strict || entries.is_empty(),
        entries: entries.iter().map(entry).collect(),
        bodies: scene.model.bodies.len() - 1,
        dof: scene.model.nv(),
        total_mass: scene.model.total_mass(),
    }
}

/// The message with the attribute it is about.
fn message(entry: &ReportEntry) -> String {
    match &entry.attribute {
        Some(attribute) => format!("{attribute}: {}", entry.message),
        None => entry.message.clone(),
    }
}

fn error_entry(args: &CheckArgs, error: &CliError) -> Entry {
    let file = args.scene.display().to_string();
    let entry = |file: &str, line: usize, element: &str, message: String| Entry {
        kind: "error",
        file: file.into(),
        line,
        element: element.into(),
        message,
    };
    match error {
        CliError::Scene(SceneError::Invalid { place, element, attribute, message }) => {
            let message = attribute.iter().map(|a| format!("{a}: ")).collect::<String>() + message;
            entry(&place.file, place.line, element, message)
        }
        CliError::Scene(SceneError::Model { place, element, source }) => {
            entry(&place.file, place.line, element, source.to_string())
        }
        CliError::Scene(error) => entry(&file, error.line().unwrap_or(0), "", error.to_string()),
        error => entry(&file, 0, "", error.to_string()),
    }
}

fn listing(args: &CheckArgs, scene: &Scene, outcome: &Outcome) -> String {
    let model = &scene.model;
    let mut text = pairs(&[
        ("scene", format!("{} ({})", args.scene.display(), model.name)),
        ("bodies", outcome.bodies.to_string()),
        ("degrees of freedom", outcome.dof.to_string()),
        ("trees", model.trees.len().to_string()),
        ("geoms", model.geoms.len().to_string()),
        ("drives", model.actuators.len().to_string()),
        ("equalities", model.equalities.len().to_string()),
        ("keyframes", keyframes(scene)),
        ("total mass", format!("{} kg", outcome.total_mass)),
        ("time step", format!("{} s", model.timestep)),
    ]);
    let entries = &scene.report.entries;
    for (kind, _, heading) in KINDS {
        let of_kind: Vec<_> = entries.iter().filter(|e| e.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{heading} ({}):\n", of_kind.len());
        for entry in of_kind {
            let _ = writeln!(text, "  {}: {}: {}", entry.place, entry.element, message(entry));
        }
    }
    text += "\n";
    text += &match (entries.len(), args.strict) {
        (0, _) => "The scene was taken exactly as written.\n".to_string(),
        (n, true) => format!("Not accepted: --strict allows no entries, there {}.\n", are(n)),
        (n, false) => format!("Accepted; the load report has {}.\n", count(n, "entry", "entries")),
    };
    text
}

fn are(n: usize) -> String {
    if n == 1 { "is 1".into() } else { format!("are {n}") }
}

fn keyframes(scene: &Scene) -> String {
    let names: Vec<&str> = scene.model.keyframes.iter().map(|k| k.name.as_str()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
