//! The grid of panels: sizes, margins, and the strokes of lines.

use std::fmt::Write;

/// Size of a chart without margins (pixels).
pub(super) const WIDTH: f64 = 420.0;
pub(super) const HEIGHT: f64 = 220.0;

/// Space for numbers on the left, the title above, numbers below and the legend on the right (pixels).
const LEFT: f64 = 72.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 250.0;

const COLORS: [&str; 8] =
    ["#1b6ca8", "#c8502d", "#3a8f4d", "#8a4fa3", "#b8860b", "#2d9da6", "#7a5230", "#d0529a"];
const DASHES: [&str; 3] = ["none", "6 3", "2 2"];

/// The picture of `count` panels in rows of `columns`; `draw` writes the one of a number, whose origin is the upper left
/// corner of its chart.
pub(super) fn grid(columns: usize, count: usize, draw: impl Fn(&mut String, usize)) -> String {
    let columns = columns.clamp(1, count.max(1));
    let (wide, tall) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let (width, height) = (wide * columns as f64, tall * count.max(1).div_ceil(columns) as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for k in 0..count {
        let (x, y) = (wide * (k % columns) as f64 + LEFT, tall * (k / columns) as f64 + TOP);
        let _ = writeln!(text, "<g transform=\"translate({x} {y})\">");
        draw(&mut text, k);
        text += "</g>\n";
    }
    text + "</svg>\n"
}

/// The attributes of the line with a number.
pub(super) fn stroke(number: usize) -> String {
    let (color, dash) = (COLORS[number % COLORS.len()], DASHES[number / COLORS.len() % DASHES.len()]);
    format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\"")
}
