//! The folders of `src` are layers: imports go down, never up, and no two folders import each other.

use crate::common::sources::{files, imports, source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders of the engine, lowest first.
const LAYERS: [&str; 12] = [
    "spatial",
    "geometry",
    "model",
    "dynamics",
    "contact",
    "settings",
    "constraint",
    "report",
    "step",
    "scene",
    "sim",
    "recording",
];

/// Most files of one folder, and the folders that may hold more, with the reason.
const FILES: usize = 16;
const LARGE: [(&str, &str); 1] = [("dynamics", "an algorithm a file, and they are all of one kind")];

/// Which folder imports which, by the folder that holds both.
fn arrows() -> BTreeMap<PathBuf, BTreeSet<[String; 2]>> {
    let mut arrows: BTreeMap<PathBuf, BTreeSet<[String; 2]>> = BTreeMap::new();
    for file in files(Path::new("")) {
        let text = std::fs::read_to_string(source().join(&file)).unwrap();
        let from: Vec<String> = file.iter().map(|part| part.to_string_lossy().into()).collect();
        for to in imports(&file, &text) {
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let (Some(a), Some(b)) = (from.get(common), to.get(common)) else { continue };
            let parent: PathBuf = from[..common].iter().collect();
            if [a, b].iter().all(|name| source().join(&parent).join(name).is_dir()) {
                arrows.entry(parent).or_default().insert([a.clone(), b.clone()]);
            }
        }
    }
    arrows
}

#[test]
fn imports_of_the_top_folders_go_down() {
    let place = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    for [from, to] in &arrows()[Path::new("")] {
        let down = place(from).is_some_and(|from| place(to).is_some_and(|to| to < from));
        assert!(down, "{from} imports {to}, which is not a layer below it");
    }
}

#[test]
fn no_folder_within_a_folder_imports_one_that_imports_it() {
    for (parent, arrows) in arrows().iter().filter(|(parent, _)| *parent != Path::new("")) {
        // Folders without imports of the rest are taken away until none is left; a cycle never goes.
        let mut rest = arrows.clone();
        while let Some([_, leaf]) = rest.iter().find(|[_, b]| !rest.iter().any(|[a, _]| a == b)).cloned() {
            rest.retain(|[_, b]| *b != leaf);
        }
        assert!(rest.is_empty(), "{}: a cycle among {rest:?}", parent.display());
    }
}

#[test]
fn folders_stay_small() {
    let mut sizes: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in files(Path::new("")) {
        *sizes.entry(file.parent().unwrap().to_path_buf()).or_default() += 1;
    }
    for (folder, size) in sizes {
        let large = LARGE.iter().any(|(name, _)| Path::new(name) == folder);
        assert!(large || size <= FILES, "{} holds {size} files", folder.display());
    }
}
