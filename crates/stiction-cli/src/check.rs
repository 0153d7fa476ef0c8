//! `stiction check`: loads a scene and lists what was inferred, defaulted, ignored or repaired.

use crate::error::CliError;
use crate::print::excerpt::{coloured, excerpt};
use crate::print::report::{Entry, with_attribute};
use crate::{output, scene};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use stiction::constraint::Assembled;
use stiction::model::Keyframe;
use stiction::report::Violation;
use stiction::scene::{EntryKind, LoadReport, Scene};
use stiction::sim::{SimError, Simulation};
use stiction_lab::table::{count, pairs};
use stiction_solvers::io::printable_lines;

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
    /// What never has an effect on motion, one entry per kind.
    cosmetic: Vec<Entry>,
    bodies: usize,
    dof: usize,
    total_mass: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<Mechanism>,
    /// What the reference configuration and the keyframes violate, which the first step removes.
    violations: Vec<Configuration>,
}

/// What a configuration that a run may start from violates.
#[derive(Debug, Serialize)]
struct Configuration {
    /// Name of the keyframe; nothing for the reference configuration, at which a run starts if no keyframe says where.
    keyframe: Option<String>,
    violations: Vec<Violation>,
}

/// Kinds in the order in which they are listed, most serious first, with their headings.
const KINDS: [(EntryKind, &str); 5] = [
    (EntryKind::Warning, "Warnings"),
    (EntryKind::Repaired, "Repaired"),
    (EntryKind::Ignored, "Ignored, without effect on the simulation"),
    (EntryKind::Defaulted, "Defaulted"),
    (EntryKind::Inferred, "Inferred"),
];

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<(), CliError> {
    let loaded = scene::load(&args.scene, false).and_then(|scene| Ok((usable(&scene)?, scene)));
    let (mechanism, scene) = match loaded {
        Ok(found) => found,
        Err(error) => {
            if args.json {
                let entries = vec![Entry::of_error(&error)];
                output::json(&Outcome { entries, ..Default::default() })?;
            }
            return Err(error);
        }
    };
    let mut outcome = outcome(&scene, mechanism, args.strict);
    outcome.violations = violations(&scene)?;
    if args.json {
        output::json(&outcome)?;
    } else {
        output::coloured(&listing(args, &scene, &outcome))?;
    }
    if outcome.ok { Ok(()) } else { Err(scene::not_strict(&args.scene, &scene.report, 1)) }
}

/// Whether a simulation can be made of the scene as it asks to be simulated, and what its equalities make of it.
fn usable(scene: &Scene) -> Result<Option<Mechanism>, CliError> {
    let mut simulation = Simulation::from_scene(scene.clone()).map_err(CliError::Setup)?;
    if scene.model.equalities.is_empty() {
        return Ok(None);
    }
    let assembly = match simulation.assemble() {
        Err(SimError::CannotAssemble { equality, error }) => Assembly::Open { equality, error },
        assembled => Assembly::Closed(assembled.map_err(CliError::Setup)?),
    };
    let mobility = simulation.mobility().map_err(CliError::Setup)?;
    Ok(Some(Mechanism {
        mobility: mobility.mobility(),
        rows: mobility.rows,
        redundant: mobility.redundant,
        assembly,
    }))
}

/// What the reference configuration and the keyframes violate; those that violate nothing are left out.
fn violations(scene: &Scene) -> Result<Vec<Configuration>, CliError> {
    let mut simulation = Simulation::from_scene(scene.clone()).map_err(CliError::Setup)?;
    let mut found = Vec::new();
    let reference = scene.model.keyframe(Simulation::START).is_none().then_some(None);
    for key in reference.into_iter().chain(scene.model.keyframes.iter().map(Some)) {
        if let Some(key) = key {
            simulation.reset_to(key).map_err(CliError::Setup)?;
        }
        let violations = simulation.violations().map_err(CliError::Setup)?;
        let keyframe = key.map(|key: &Keyframe| key.name.clone());
        found.push(Configuration { keyframe, violations });
    }
    found.retain(|configuration| !configuration.violations.is_empty());
    Ok(found)
}

/// What equalities make of a scene at its start.
#[derive(Debug, Serialize)]
struct Mechanism {
    /// Freedoms that are left.
    mobility: usize,
    rows: usize,
    /// Equalities with redundant rows, and how many.
    redundant: Vec<(String, usize)>,
    assembly: Assembly,
}

/// Whether the loops can be closed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Assembly {
    Closed(Assembled),
    Open { equality: String, error: f64 },
}

impl Mechanism {
    /// Lines of the listing.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let redundant: Vec<String> =
            self.redundant.iter().map(|(name, rows)| format!("{rows} of '{name}'")).collect();
        let redundant = if redundant.is_empty() { "none".into() } else { redundant.join(", ") };
        let assembly = match &self.assembly {
            Assembly::Closed(found) if found.distance == 0.0 && found.angle == 0.0 => {
                "closed as it stands".into()
            }
            Assembly::Closed(found) => format!(
                "open by {:.1e} (m or rad), closed by moving links up to {:.3e} m and {:.3e} rad",
                found.before, found.distance, found.angle
            ),
            Assembly::Open { equality, error } => {
                format!("cannot be closed: '{equality}' stays open by {error:.1e} (m or rad)")
            }
        };
        vec![
            ("mobility", self.mobility.to_string()),
            ("equality rows", self.rows.to_string()),
            ("redundant rows", redundant),
            ("assembly", assembly),
        ]
    }
}

fn outcome(scene: &Scene, mechanism: Option<Mechanism>, strict: bool) -> Outcome {
    let LoadReport { entries, cosmetic, .. } = &scene.report;
    Outcome {
        ok: !strict || entries.is_empty(),
        entries: entries.iter().map(Entry::of_report).collect(),
        cosmetic: cosmetic.iter().map(Entry::of_report).collect(),
        bodies: scene.model.bodies.len() - 1,
        dof: scene.model.nv(),
        total_mass: scene.model.total_mass(),
        mechanism,
        violations: Vec::new(),
    }
}

fn listing(args: &CheckArgs, scene: &Scene, outcome: &Outcome) -> String {
    let model = &scene.model;
    let mut lines = vec![
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
    ];
    lines.extend(outcome.mechanism.iter().flat_map(Mechanism::lines));
    let mut text = printable_lines(&pairs(&lines)).into_owned();
    let LoadReport { entries, cosmetic, .. } = &scene.report;
    let coloured = coloured(&std::io::stdout());
    for (kind, heading) in KINDS {
        let of_kind: Vec<_> = entries.iter().filter(|e| e.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{heading} ({}):\n", of_kind.len());
        for entry in of_kind {
            let message = with_attribute(entry.attribute.as_deref(), &entry.message);
            let line = format!("  {}: {}: {message}", entry.place, entry.element);
            let _ = writeln!(text, "{}", printable_lines(&line));
            // Only what is probably a mistake is shown in its line: a report may have hundreds of entries.
            if kind == EntryKind::Warning {
                excerpt(&entry.place, coloured).lines().for_each(|line| text += &format!("    {line}\n"));
            }
        }
    }
    for Configuration { keyframe, violations } in &outcome.violations {
        let at = keyframe
            .as_ref()
            .map_or("Violated at the start".into(), |name| format!("Violated in keyframe '{name}'"));
        let _ = write!(text, "\n{at}, to be removed by the first step ({}):\n", violations.len());
        for violation in violations {
            let _ = writeln!(
                text,
                "{}",
                printable_lines(&format!("  {}: by {}", violation.what, violation.amount()))
            );
        }
    }
    if !cosmetic.is_empty() {
        let names =
            cosmetic.iter().map(|e| e.attribute.clone().unwrap_or_else(|| format!("<{}>", e.element)));
        let names: Vec<String> = names.collect();
        let _ = write!(
            text,
            "\nLooks and bookkeeping, never of effect: {}\n",
            printable_lines(&names.join(", "))
        );
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
