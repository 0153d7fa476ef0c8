//! `stiction bench mj14-sphere`: a sphere thrown along a floor, the first experiment of Mylapilli and Jain 2014.
//!
//! Its motion is known ([`closed_form`]). Example 1 throws it along a direction of the friction pyramids, example 2 between
//! two of them, at 45 degrees: there a pyramid is too weak by a factor of the square root of two. At 22.5 degrees it also
//! pulls sideways. Last, the error and the cost of pyramids of 4 to 32 directions, each thrown between two of them.

mod closed_form;
mod throw;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::line_plot::{self, Panel, Series};
use super::log_plot;
use super::mj14::{SCHEMES, Scheme, make_directory};
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;
use crate::table::columns;
use closed_form::{ROLLING, SLIDING};
use throw::{Measured, Moment, Throw};

/// The default solver of pyramids here, beside the others.
const LEMKE: Scheme = Scheme { name: "pyramid default", solver: "lemke", pyramid: true, paper: None };

const FOUR: usize = 4;

/// Differences that the histories show (m/s, rad/s, N).
const VISIBLE: f64 = 1e-3;
const DIRECTIONS: [usize; 7] = [4, 6, 8, 12, 16, 24, 32];

/// Arguments of `stiction bench mj14-sphere`.
#[derive(Debug, clap::Args)]
pub(crate) struct SphereArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw the histories and the errors over directions into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Results {
    /// How long it slides (s), and how fast it rolls (m/s).
    sliding: f64,
    rolling: f64,
    examples: Vec<Example>,
    directions: Vec<Measured>,
}

/// A throw with all solvers.
#[derive(Debug, Serialize)]
struct Example {
    name: &'static str,
    about: &'static str,
    /// How long it slides with four directions as they lie (s).
    sliding: f64,
    throws: Vec<Measured>,
}

/// Name, what it is about, angle in degrees, whether directions are aligned.
const EXAMPLES: [(&str, &str, f64, bool); 4] = [
    ("1", "along a direction", 0.0, false),
    ("2", "at 45 degrees between two directions", 45.0, false),
    ("2 aligned", "at 45 degrees, a direction turned against the motion", 45.0, true),
    ("22.5", "at 22.5 degrees from a direction", 22.5, false),
];

/// Runs the command.
pub(crate) fn bench(args: &SphereArgs) -> Result<(), CliError> {
    let schemes: Vec<Scheme> = SCHEMES.into_iter().chain([LEMKE]).collect();
    let pyramids: Vec<Scheme> = schemes.iter().copied().filter(|scheme| scheme.pyramid).collect();
    let total = EXAMPLES.len() * schemes.len() + DIRECTIONS.len() * pyramids.len();
    let progress = Progress::new("sphere", total as u64, false);
    let mut done = 0;
    let mut measure = |scheme, directions, aligned, angle| {
        progress.at(done);
        done += 1;
        Throw { scheme, directions, aligned, angle }.measure()
    };
    let mut examples = Vec::new();
    for (name, about, degrees, aligned) in EXAMPLES {
        let angle = f64::to_radians(degrees);
        let mut throws = Vec::new();
        for scheme in schemes.iter().filter(|scheme| scheme.pyramid || !aligned) {
            throws.push(measure(*scheme, FOUR, aligned, angle)?);
        }
        let pyramid = closed_form::Pyramid::new(FOUR, angle);
        let sliding = if aligned { SLIDING } else { pyramid.sliding };
        examples.push(Example { name, about, sliding, throws });
    }
    let mut directions = Vec::new();
    for scheme in pyramids {
        for k in DIRECTIONS {
            directions.push(measure(scheme, k, false, std::f64::consts::PI / k as f64)?);
        }
    }
    progress.done();
    let results = Results { sliding: SLIDING, rolling: ROLLING, examples, directions };
    if let Some(directory) = &args.out {
        draw(directory, &results)?;
    }
    if args.json { output::json(&results) } else { output::data(&listing(&results)) }
}

/// Figures 2 and 3, and errors and costs over directions.
fn draw(directory: &Path, results: &Results) -> Result<(), CliError> {
    make_directory(directory)?;
    for (example, file) in results.examples.iter().zip(["1", "2", "2-aligned", "22.5"]) {
        let panel = |title: &str, of: &dyn Fn(&Moment) -> f64| Panel {
            title: format!("example {}: {title}", example.name),
            series: series(example, of),
            span: VISIBLE,
        };
        let panels = [
            panel("velocity along the throw (m/s) over time (s)", &|m| m.velocity[0]),
            panel("velocity to the left (m/s)", &|m| m.velocity[1]),
            panel("angular velocity about the axis to the left (rad/s)", &|m| m.spin[1]),
            panel("angular velocity about the throw (rad/s)", &|m| m.spin[0]),
            panel("friction along the throw (N)", &|m| m.friction[0]),
            panel("friction to the left (N)", &|m| m.friction[1]),
            panel("friction coefficient times normal force (N)", &|m| m.bound),
        ];
        line_plot::write(&directory.join(format!("mj14-sphere-{file}.svg")), &panels)?;
    }
    let over_directions = |title: &str, of: fn(&Measured) -> f64| {
        let mut names: Vec<&str> = results.directions.iter().map(|m| m.scheme).collect();
        names.dedup();
        let points = |name: &str| {
            let of_scheme = results.directions.iter().filter(|m| m.scheme == name);
            of_scheme.filter_map(|m| m.directions.map(|k| [k as f64, of(m)])).collect()
        };
        let series = names.iter().map(|name| log_plot::Series { name: (*name).into(), points: points(name) });
        log_plot::Panel { title: title.into(), series: series.collect() }
    };
    let panels = [
        over_directions("largest error of the velocity (m/s) over directions", |m| m.error[0]),
        over_directions("solve of a step (us) over directions", |m| m.solve_us),
    ];
    log_plot::write(&directory.join("mj14-sphere-directions.svg"), &panels)
}

fn series(example: &Example, of: &dyn Fn(&Moment) -> f64) -> Vec<Series> {
    let throws = example.throws.iter();
    let history = |m: &Measured| m.history.iter().map(|moment| [moment.time, of(moment)]).collect();
    throws.map(|m| Series { name: m.scheme.into(), points: history(m) }).collect()
}

fn listing(results: &Results) -> String {
    let header = [
        "example",
        "scheme",
        "contact",
        "solver",
        "k",
        "unknowns",
        "slides/s",
        "along",
        "left",
        "error",
        "left",
        "of model",
        "residual",
        "unsolved",
        "iterations",
        "step/us",
        "solve/us",
    ];
    let right: Vec<bool> = (0..header.len()).map(|c| c > 3).collect();
    let examples = results.examples.iter().flat_map(|e| e.throws.iter().map(|m| row(e.name.into(), m)));
    let mut text = format!(
        "Thrown at 2 m/s with friction 0.2: slides for {:.5} s, then rolls at {:.9} m/s.\n\n",
        results.sliding, results.rolling
    );
    text += &columns(&header, &right, &examples.collect::<Vec<_>>());
    text += "\nVelocity at the end, and its largest errors against the closed form of the round cone, in m/s, along the\n\
             throw and to its left; of model: against the closed form of the directions as they lie. Step, solve: of the\n\
             fastest of five runs.\n";
    for example in &results.examples {
        text += &format!(
            "  {}: {}; four directions let it slide for {:.5} s\n",
            example.name, example.about, example.sliding
        );
    }
    text += "\nEach thrown between two directions:\n\n";
    let rows: Vec<Vec<String>> =
        results.directions.iter().map(|m| row(format!("{:.3}", m.angle_degrees), m)).collect();
    let mut header = header;
    header[0] = "degrees";
    text + &columns(&header, &right, &rows)
}

fn row(name: String, m: &Measured) -> Vec<String> {
    vec![
        name,
        m.scheme.into(),
        m.contact.into(),
        m.solver.into(),
        m.directions.map_or("-".into(), |k| k.to_string()),
        m.variables.to_string(),
        m.slides_until.map_or("-".into(), |time| format!("{time:.3}")),
        format!("{:.9}", m.velocity[0]),
        format!("{:.1e}", m.velocity[1]),
        format!("{:.1e}", m.error[0]),
        format!("{:.1e}", m.error[1]),
        format!("{:.1e}", m.error_of_model),
        format!("{:.1e}", m.worst_residual),
        m.unsolved.to_string(),
        format!("{:.1}", m.iterations),
        format!("{:.2}", m.step_us),
        format!("{:.2}", m.solve_us),
    ]
}
