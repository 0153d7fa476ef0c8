//! The reader of scenes.

mod bad_files;
mod bad_meshes;
mod includes;
mod limits;
mod mutations;
mod oracle;
mod refusals;
mod report;
mod shipped;

use std::path::Path;
use stiction::scene::Place;

/// What is wrong with what a refusal underlines in the file to blame, and with the words of its sentence.
fn complaints_about_place(
    underlined: &str,
    words: &[&str],
    sentence: &str,
    place: &Place,
    blamed: &Path,
) -> Vec<String> {
    let text = std::fs::read_to_string(blamed).unwrap();
    let line = text.lines().nth(place.line - 1).unwrap_or_default();
    let found: String = line.chars().skip(place.column - 1).take(place.length).collect();
    let wrong = (found != underlined).then(|| format!("underlined is {found:?}"));
    let missing = words.iter().filter(|word| !sentence.contains(*word)).map(|word| format!("no {word:?}"));
    wrong.into_iter().chain(missing).collect()
}
