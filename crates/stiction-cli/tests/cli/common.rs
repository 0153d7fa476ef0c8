//! Runs the binary and looks at what it leaves behind.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the binary came to.
#[derive(Debug)]
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}{}", self.stdout, self.stderr))
    }

    /// Checks the exit status, showing what the command said if it is another.
    #[track_caller]
    pub fn exits_with(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}stderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// Runs `stiction` in a directory with these arguments.
pub fn stiction_in(directory: &Path, args: &[&str]) -> Outcome {
    let output =
        Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(directory).args(args).output().unwrap();
    Outcome {
        status: output.status.code().expect("the command was killed"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `stiction` with these arguments.
pub fn stiction(args: &[&str]) -> Outcome {
    stiction_in(Path::new("."), args)
}

/// A shipped scene.
pub fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(format!("{name}.xml"));
    path.display().to_string()
}

/// A directory of this test's own, emptied.
pub fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Writes a scene into a directory and returns its path.
pub fn scene(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The lines of standard error without excerpts of scenes, whose lines have a margin.
pub fn sentences(stderr: &str) -> Vec<&str> {
    let excerpt =
        |line: &&str| line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).starts_with('|');
    stderr.lines().filter(|line| !excerpt(line)).collect()
}

/// The keys of a JSON object.
pub fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Names of all shipped scenes.
pub fn all_shipped() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let scenes = files.filter(|path| path.extension().is_some_and(|e| e == "xml"));
    let mut names: Vec<String> =
        scenes.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    names.sort();
    assert!(names.len() >= 9, "{names:?}");
    names
}

/// A shipped file of problems.
pub fn problems(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name).display().to_string()
}
