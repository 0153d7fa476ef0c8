//! The folders of the crate are layers: a file imports from its own folder and from lower ones only.
// Helpers of tests may panic like tests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

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

#[path = "../../stiction/tests/engine/common/sources.rs"]
#[allow(unreachable_pub, reason = "shared by the tests of two crates")]
mod sources;

#[test]
fn files_import_from_lower_folders_only() {
    let files = sources::files(Path::new(""));
    assert!(files.len() > 80, "{} files", files.len());
    let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut used: BTreeMap<(String, String), String> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let parts: Vec<_> = file.iter().map(|part| part.to_str().unwrap()).collect();
        let own = parts[0].trim_end_matches(".rs").to_owned();
        assert!(layer(&own).is_some(), "src/{own} is not in the list of layers");
        let text = std::fs::read_to_string(sources::source().join(file)).unwrap();
        // Unit tests may use what is above them.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let imported = sources::imports(file, code).into_iter().filter_map(|path| path.into_iter().next());
        for other in imported {
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
