//! The folders of the crate are layers: a file imports from its own folder and from lower ones only.
// Helpers of tests may panic like tests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// From the bottom to the top.
const LAYERS: [&str; 13] = [
    "linalg",
    "problem",
    "driver",
    "pivoting",
    "dual_active_set",
    "sweeps",
    "newton",
    "conic",
    "cones",
    "io",
    "select",
    "samples",
    "lib",
];

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The modules named after `crate::` in the code of a file (comments and unit tests left out), and `super::` paths that
/// climb out of its folder.
fn imports(text: &str, depth: usize) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let climb = "super::".repeat(depth);
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    ["crate::", &climb].iter().flat_map(|start| code.split(*start).skip(1)).map(name).collect()
}

#[test]
fn files_import_from_lower_folders_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    assert!(files.len() > 80, "{} files", files.len());
    let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut used: BTreeMap<(String, String), String> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let parts: Vec<_> =
            file.strip_prefix(&root).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
        let own = parts[0].trim_end_matches(".rs").to_owned();
        assert!(layer(&own).is_some(), "src/{own} is not in the list of layers");
        // In mod.rs `super` is one folder further up than in its siblings.
        let depth = parts.len() - usize::from(parts[parts.len() - 1] == "mod.rs");
        for other in imports(&std::fs::read_to_string(file).unwrap(), depth) {
            if other != own && layer(&other).is_some() {
                used.entry((own.clone(), other)).or_insert_with(|| parts.join("/"));
            }
        }
    }
    assert!(used.len() > 20, "{used:?}");
    for ((own, other), file) in &used {
        if let Some(back) = used.get(&(other.clone(), own.clone())) {
            panic!("cycle: {own} -> {other} ({file}) -> {own} ({back})");
        }
        assert!(layer(other) < layer(own), "{own} imports {other}, which is above it ({file})");
    }
}
