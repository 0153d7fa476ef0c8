//! A sphere thrown along a floor, the first experiment of Mylapilli and Jain 2014.
//!
//! Its motion is known (`closed_form`). Example 1 throws it along a direction of the friction pyramids, example 2 between
//! two of them, at 45 degrees: there a pyramid is too weak by a factor of the square root of two. At 22.5 degrees it also
//! pulls sideways. Last, the error and the cost of pyramids of 4 to 32 directions, each thrown between two of them.

mod closed_form;
mod throw;

use serde::Serialize;

use super::{SCHEMES, Scheme};
use crate::error::LabError;
use crate::plot::{Panel, Picture, Scale, Series};
use crate::table::columns;
use crate::{Findings, Progress};
use closed_form::{ROLLING, SLIDING};
use throw::{Measured, Moment, Throw};

/// The default solver of pyramids here, beside the others.
const LEMKE: Scheme = Scheme { name: "pyramid default", solver: "lemke", pyramid: true, paper: None };

const FOUR: usize = 4;

/// Differences that the histories show (m/s, rad/s, N).
const VISIBLE: f64 = 1e-3;
/// Errors are drawn down to this (m/s).
const ROUNDING: f64 = 1e-17;
const DIRECTIONS: [usize; 7] = [4, 6, 8, 12, 16, 24, 32];

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Throws {
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

/// Throws the sphere with all schemes.
///
/// # Errors
/// None with the shipped scene and solvers.
pub fn run(progress: Progress) -> Result<Throws, LabError> {
    let schemes: Vec<Scheme> = SCHEMES.into_iter().chain([LEMKE]).collect();
    let pyramids: Vec<Scheme> = schemes.iter().copied().filter(|scheme| scheme.pyramid).collect();
    let total = EXAMPLES.len() * schemes.len() + DIRECTIONS.len() * pyramids.len();
    let mut done = 0;
    let mut measure = |scheme, directions, aligned, angle| {
        progress(done, total);
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
    Ok(Throws { sliding: SLIDING, rolling: ROLLING, examples, directions })
}

impl Findings for Throws {
    fn table(&self) -> String {
        listing(self)
    }

    fn pictures(&self) -> Vec<Picture> {
        self.examples.iter().map(history).chain([over_directions(self)]).collect()
    }
}

/// An example's motion, as in figures 2 and 3 of the paper. Schemes that move the sphere alike are drawn once; how far each
/// is from the closed form of its own model is a panel of its own.
fn history(example: &Example) -> Picture {
    let groups = groups(&example.throws);
    let lines = |names: [&str; 2], of: fn(&Moment) -> [f64; 2]| {
        let line = |(style, ((name, throw), k)): (usize, ((&String, &&Measured), usize))| Series {
            name: format!("{}: {name}", names[k]),
            points: throw.history.iter().map(|moment| [moment.time, of(moment)[k]]).collect(),
            style,
        };
        let both = groups.iter().flat_map(|(name, throw)| [((name, throw), 0), ((name, throw), 1)]);
        both.enumerate().map(line).collect()
    };
    let panel = |title: &str, series: Vec<Series>| Panel {
        title: format!("{title} over time (s)"),
        x: Scale::LINEAR,
        y: Scale::Linear { at_least: VISIBLE },
        series,
    };
    let errors = example.throws.iter().enumerate().map(|(style, throw)| Series {
        name: throw.scheme.into(),
        points: throw.history.iter().map(|moment| [moment.time, moment.error_of_model]).collect(),
        style,
    });
    let panels = [
        panel("velocity (m/s)", lines(["along", "left"], |m| m.velocity)),
        panel("angular velocity (rad/s)", lines(["about along", "about left"], |m| m.spin)),
        panel("friction (N)", lines(["along", "left"], |m| m.friction)),
        Panel {
            title: "error against the model's closed form (m/s) over time (s)".into(),
            x: Scale::LINEAR,
            y: Scale::Log { floor: ROUNDING },
            series: errors.collect(),
        },
    ];
    Picture::new(format!("mj14-sphere-{}", example.name.replace(' ', "-")), 2, &panels)
}

/// Throws that differ by more than [`VISIBLE`] in the velocity at any time, each with the names of those that do not differ
/// from it.
fn groups(throws: &[Measured]) -> Vec<(String, &Measured)> {
    let alike = |a: &Measured, b: &Measured| {
        let difference =
            |(a, b): (&Moment, &Moment)| (a.velocity[0] - b.velocity[0]).hypot(a.velocity[1] - b.velocity[1]);
        a.history.iter().zip(&b.history).map(difference).all(|difference| difference <= VISIBLE)
    };
    let mut groups: Vec<(Vec<&str>, &Measured)> = Vec::new();
    for throw in throws {
        match groups.iter_mut().find(|group| alike(group.1, throw)) {
            Some(group) => group.0.push(throw.scheme),
            None => groups.push((vec![throw.scheme], throw)),
        }
    }
    let name = |names: &[&str]| match names {
        _ if names.len() == throws.len() => "all schemes".into(),
        [one] => (*one).to_string(),
        [first, ..] => format!("{first} and {} more", names.len() - 1),
        [] => String::new(),
    };
    groups.into_iter().map(|(names, throw)| (name(&names), throw)).collect()
}

/// Errors and costs over the number of directions.
fn over_directions(results: &Throws) -> Picture {
    let mut names: Vec<&str> = results.directions.iter().map(|m| m.scheme).collect();
    names.dedup();
    let points = |name: &str, of: fn(&Measured) -> f64| {
        let of_scheme = results.directions.iter().filter(|m| m.scheme == name);
        of_scheme.filter_map(|m| m.directions.map(|k| [k as f64, of(m)])).collect()
    };
    let panel = |title: &str, series: Vec<Series>| Panel {
        title: format!("{title} over directions"),
        x: Scale::LOG,
        y: Scale::LOG,
        series,
    };
    // The solvers answer alike: the error is the pyramid's.
    let error = Series {
        name: "all pyramids".into(),
        points: points(names.first().unwrap_or(&""), |m| m.error[0]),
        style: 0,
    };
    let law = DIRECTIONS.map(|k| [k as f64, 4.0 / 7.0 * (1.0 - (std::f64::consts::PI / k as f64).cos())]);
    let law = Series { name: "4/7 (1 - cos(pi / k))".into(), points: law.to_vec(), style: 9 };
    let costs = names.iter().enumerate();
    let costs = costs.map(|(style, name)| Series {
        name: (*name).into(),
        points: points(name, |m| m.solve_us),
        style,
    });
    let panels = [
        panel("largest error of the velocity (m/s)", vec![error, law]),
        panel("solve of a step (us)", costs.collect()),
    ];
    Picture::new("mj14-sphere-directions", 2, &panels)
}

fn listing(results: &Throws) -> String {
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
