//! A picture of panels one below the other, and how it gets into a file.

use super::svg::{HEIGHT, MARGIN, WIDTH};
use crate::error::CliError;
use std::fmt::Write;
use std::path::Path;

/// The picture of `count` panels with so much room on the left and on the right; `draw` writes the one of a number, whose
/// origin is its upper left corner.
pub(super) fn stacked(count: usize, [left, right]: [f64; 2], draw: impl Fn(&mut String, usize)) -> String {
    let [_, top, bottom, _] = MARGIN;
    let tall = top + HEIGHT + bottom;
    let (width, height) = (left + WIDTH + right, tall * count.max(1) as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for k in 0..count {
        let _ = writeln!(text, "<g transform=\"translate({left} {})\">", tall * k as f64 + top);
        draw(&mut text, k);
        text += "</g>\n";
    }
    text + "</svg>\n"
}

/// Writes a picture into a file.
pub(super) fn write(path: &Path, picture: &str) -> Result<(), CliError> {
    let action = "cannot be written";
    std::fs::write(path, picture).map_err(|source| CliError::File { path: path.into(), action, source })
}
