//! The performance profiles as a picture: a panel a class, a step line a solver.

use super::profile::Profile;
use super::stacked::stacked;
use std::fmt::Write;

pub(super) const WIDTH: f64 = 420.0;
pub(super) const HEIGHT: f64 = 260.0;
/// Room for axis labels on the left, for the title above, for the factors below and for the names on the right.
pub(super) const MARGIN: [f64; 4] = [48.0, 34.0, 40.0, 150.0];
/// The horizontal axis ends at this factor, logarithmic.
const LARGEST_FACTOR: f64 = 1000.0;
const COLORS: [&str; 8] =
    ["#1b6ca8", "#c8502d", "#3a8f4d", "#8a4fa3", "#b8860b", "#2d9da6", "#7a5230", "#d0529a"];
const DASHES: [&str; 3] = ["none", "6 3", "2 2"];

/// The picture, by class in the order given.
pub(crate) fn draw(profiles: &[Profile]) -> String {
    let mut classes: Vec<&str> = profiles.iter().map(|profile| profile.class).collect();
    classes.dedup();
    let mut solvers: Vec<&str> = Vec::new();
    for profile in profiles {
        if !solvers.contains(&profile.solver) {
            solvers.push(profile.solver);
        }
    }
    let [left, .., right] = MARGIN;
    stacked(classes.len(), [left, right], |text, k| {
        let of_class: Vec<&Profile> = profiles.iter().filter(|profile| profile.class == classes[k]).collect();
        axes(text, classes[k], &of_class);
        for (place, profile) in of_class.iter().enumerate() {
            let style = solvers.iter().position(|solver| *solver == profile.solver).unwrap_or(0);
            line(text, profile, style, place);
        }
    })
}

fn axes(text: &mut String, class: &str, profiles: &[&Profile]) {
    let problems = profiles.iter().map(|profile| profile.solved_by_any).max().unwrap_or(0);
    let _ = writeln!(
        text,
        "<text x=\"0\" y=\"-12\" font-weight=\"bold\">{class}: share of {problems} solvable problems within a factor of \
         the fastest</text>"
    );
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = height(share);
        let _ = writeln!(
            text,
            "<path d=\"M0 {y:.1}H{WIDTH}\" stroke=\"#ddd\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{share}</text>",
            y + 4.0
        );
    }
    for factor in [1.0, 10.0, 100.0, 1000.0] {
        let x = across(factor);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} 0V{HEIGHT}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{factor}</text>",
            HEIGHT + 18.0
        );
    }
}

/// A step at every ratio, and the name in the legend at `place`. A solver keeps its `style` in all panels.
fn line(text: &mut String, profile: &Profile, style: usize, place: usize) {
    let mut path = format!("M0 {:.1}", height(profile.share(1.0)));
    for &ratio in profile.ratios.iter().filter(|ratio| **ratio > 1.0 && **ratio <= LARGEST_FACTOR) {
        let _ = write!(path, "H{:.1}V{:.1}", across(ratio), height(profile.share(ratio)));
    }
    let _ = write!(path, "H{WIDTH}");
    let style = stroke(style);
    let y = 16.0 * place as f64 + 6.0;
    let _ = writeln!(
        text,
        "<path d=\"{path}\" {style}/><path d=\"M{} {y}h22\" {style}/><text x=\"{}\" y=\"{}\">{}</text>",
        WIDTH + 10.0,
        WIDTH + 38.0,
        y + 4.0,
        profile.solver
    );
}

/// The attributes of the line with a number.
pub(super) fn stroke(number: usize) -> String {
    let (color, dash) = (COLORS[number % COLORS.len()], DASHES[number / COLORS.len() % DASHES.len()]);
    format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"")
}

fn across(factor: f64) -> f64 {
    WIDTH * factor.log10() / LARGEST_FACTOR.log10()
}

fn height(share: f64) -> f64 {
    HEIGHT * (1.0 - share)
}
