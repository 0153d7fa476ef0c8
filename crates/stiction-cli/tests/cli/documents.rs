//! The documents say what is so: their scenes load and run, their commands print what is shown, their links lead somewhere.
//!
//! In the README and the book, every `xml` block is a scene, and every line `$ stiction ...` of a `console` block is a command.
//! The lines below a command are what it prints; `...` stands for any lines. Commands that take minutes (`bench`) or
//! wait (`view`) are left out. Rust blocks are documentation tests of `stiction`, Python blocks are tested with the package.

use crate::common::{scratch, stiction_in};
use std::path::{Path, PathBuf};
use stiction::report::Certificate;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The README and the chapters of the book.
fn documents() -> Vec<PathBuf> {
    let mut documents: Vec<PathBuf> = std::fs::read_dir(Path::new(ROOT).join("docs/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    documents.sort();
    documents.push(Path::new(ROOT).join("README.md"));
    documents
}

/// The contents of a document's blocks in one language, with the document's name.
fn blocks(language: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in documents() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line == format!("```{language}") {
                let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                found.push((name.clone(), block.join("\n")));
            }
        }
    }
    found
}

#[test]
fn every_scene_of_the_documents_loads_without_a_note_and_runs() {
    let directory = scratch("document_scenes");
    let scenes = blocks("xml");
    assert!(scenes.len() >= 10, "{}", scenes.len());
    for (number, (document, scene)) in scenes.iter().enumerate() {
        let file = format!("{document}-{number}.xml");
        std::fs::write(directory.join(&file), scene).unwrap();
        stiction_in(&directory, &["check", "--strict", &file]).exits_with(0);
        stiction_in(&directory, &["run", "--duration", "0.1", "--quiet", &file]).exits_with(0);
    }
}

#[test]
fn every_file_that_the_documents_link_to_is_there() {
    let mut links = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") {
                assert!(path.with_file_name(file).exists(), "{}: {link}", path.display());
                links += 1;
            }
        }
    }
    assert!(links >= 50, "{links}");
}

/// A command and the lines that are shown below it.
struct Shown {
    arguments: Vec<String>,
    lines: Vec<String>,
}

/// The commands of a block that are to be run.
fn commands(block: &str) -> Vec<Shown> {
    let mut shown: Vec<Option<Shown>> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.split(" #").next().unwrap_or(command);
            let arguments =
                command.strip_prefix("stiction ").or(command.strip_prefix("cargo run --release -- "));
            let arguments = arguments.filter(|a| !["bench ", "view "].iter().any(|slow| a.starts_with(slow)));
            shown.push(arguments.map(|arguments| Shown {
                arguments: arguments.split_whitespace().map(str::to_owned).collect(),
                lines: Vec::new(),
            }));
        } else if let Some(Some(last)) = shown.last_mut() {
            last.lines.push(line.trim_end().to_owned());
        }
    }
    shown.into_iter().flatten().collect()
}

/// Whether the shown lines are the printed ones, with any lines in place of each `...`.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [first, rest @ ..] if first == "..." => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        [first, rest @ ..] => printed.first() == Some(&first.as_str()) && matches(rest, &printed[1..]),
    }
}

#[test]
fn every_command_of_the_documents_prints_what_is_shown() {
    let directory = scratch("document_commands");
    for folder in ["scenes", "problems", "tests"] {
        copy(&Path::new(ROOT).join(folder), &directory.join(folder));
    }
    let shown: Vec<(String, Shown)> = blocks("console")
        .iter()
        .flat_map(|(document, block)| commands(block).into_iter().map(|shown| (document.clone(), shown)))
        .collect();
    assert!(shown.len() >= 8, "{}", shown.len());
    for (document, Shown { arguments, lines }) in shown {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let outcome = stiction_in(&directory, &arguments).exits_with(0);
        let printed: Vec<&str> = outcome.stdout.lines().map(str::trim_end).collect();
        assert!(
            lines.is_empty() || matches(&lines, &printed),
            "{document}: {arguments:?} prints\n{}\nnot\n{}",
            outcome.stdout,
            lines.join("\n")
        );
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn shown_lines_that_are_not_printed_do_not_match() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&shown("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(matches(&shown("..."), &[]));
    assert!(!matches(&shown("a\n...\nd"), &["a", "b", "c"]));
    assert!(!matches(&shown("a"), &["a", "b"]));
    assert!(!matches(&shown("...\nb\n..."), &["a", "c"]));
}

#[test]
fn the_certificate_chapter_and_the_python_stub_list_every_field_in_its_unit() {
    let read = |path: &str| std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap();
    let (chapter, stub) =
        (read("docs/src/certificate.md"), read("crates/stiction-py/python/stiction/_stiction.pyi"));
    let rows: Vec<[&str; 2]> = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(name, rest)| [name, rest.split('|').next().unwrap_or_default().trim()])
        .take(Certificate::FIELDS.len())
        .collect();
    let class = stub.split("class Certificate:").nth(1).unwrap().split("\nclass ").next().unwrap();
    let attributes: Vec<&str> = class
        .lines()
        .filter_map(|line| line.trim().strip_prefix("def ")?.strip_suffix("(self) -> float: ..."))
        .collect();
    let fields = Certificate::FIELDS.iter();
    let declared: Vec<[&str; 2]> =
        fields.map(|field| [field.name, if field.unit.is_empty() { "1" } else { field.unit }]).collect();
    assert_eq!(rows, declared);
    assert_eq!(attributes, declared.iter().map(|[name, _]| *name).collect::<Vec<_>>());
}
