//! Bad files: each is refused in one sentence that names file, line, element, value and what would be right, and
//! says what to underline.

use super::complaints_about_place;
use crate::common::bad_files::{Bad, FILES};
use std::path::{Path, PathBuf};
use stiction::scene::load;

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_files").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// What is wrong with how a file is refused.
fn complaints(bad: &Bad, below: &Path) -> Vec<String> {
    let path = bad.write(below);
    let error = match load(&path) {
        Ok(_) => return vec!["it is accepted".into()],
        Err(error) => error,
    };
    let sentence = error.to_string();
    let Some(place) = error.place() else { return vec![format!("no place: {sentence}")] };
    let blamed = path.with_file_name(bad.file);
    let mut complaints = Vec::new();
    if place.file != blamed.display().to_string() || place.line != bad.line {
        complaints.push(format!("blamed is line {} of {}", place.line, place.file));
    }
    if !sentence.starts_with(&format!("{place}:")) || sentence.contains('\n') {
        complaints.push("not one sentence with its place".into());
    }
    complaints.extend(complaints_about_place(bad.underlined, bad.words, &sentence, place, &blamed));
    if !complaints.is_empty() {
        complaints.push(sentence);
    }
    complaints
}

#[test]
fn bad_files_are_refused_in_one_sentence_with_file_line_name_value_and_what_would_be_right() {
    let directory = scratch("table");
    let failed: Vec<String> = FILES
        .iter()
        .map(|bad| (bad.name, complaints(bad, &directory)))
        .filter(|(_, complaints)| !complaints.is_empty())
        .map(|(name, complaints)| format!("{name}: {}", complaints.join("; ")))
        .collect();
    println!("{} bad files", FILES.len());
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), FILES.len(), failed.join("\n"));
    let mut names: Vec<&str> = FILES.iter().map(|bad| bad.name).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() == FILES.len() && names.len() >= 40, "{} names", names.len());
}

#[test]
fn what_is_no_file_or_no_text_is_refused_by_name() {
    let directory = scratch("no_text");
    let missing = load(&directory.join("nowhere.xml")).unwrap_err().to_string();
    assert!(missing.contains("nowhere.xml: cannot be read: "), "{missing}");
    let folder = directory.join("folder.xml");
    std::fs::create_dir(&folder).unwrap();
    let sentence = load(&folder).unwrap_err().to_string();
    assert!(sentence.ends_with("folder.xml: cannot be read: it is not a file"), "{sentence}");
    let latin = directory.join("latin.xml");
    std::fs::write(&latin, b"<mujoco>\n<!-- caf\xe9 --></mujoco>").unwrap();
    let error = load(&latin).unwrap_err();
    let (place, sentence) = (error.place().unwrap(), error.to_string());
    assert_eq!((place.line, place.column), (2, 9), "{sentence}");
    assert!(
        sentence.contains("latin.xml:2:9: ") && sentence.contains("byte 0xe9 is not UTF-8"),
        "{sentence}"
    );
    let other = load(&directory.join("robot.urdf")).unwrap_err().to_string();
    assert!(other.contains("robot.urdf: unknown scene format \"urdf\"") && other.contains(".xml"), "{other}");
}
