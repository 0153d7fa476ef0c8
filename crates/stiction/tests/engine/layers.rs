//! The folders of `src` are layers: imports go down, never up, and no two folders import each other.

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

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All source files below a folder, as paths from `src`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(source().join(folder))
        .unwrap()
        .map(|entry| folder.join(entry.unwrap().file_name()));
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| source().join(path).is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

/// The module paths that a file names, from the root: `crate::a::b` and, seen from the file's module, `super::a`.
fn imports(file: &Path, text: &str) -> Vec<Vec<String>> {
    let mut module: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let resolve = |word: &str| {
        let mut parts = word.split("::").peekable();
        let mut path = match parts.next()? {
            "crate" => Vec::new(),
            "super" => module.split_last()?.1.to_vec(),
            _ => return None,
        };
        while parts.next_if_eq(&"super").is_some() {
            path.pop();
        }
        path.extend(parts.map(str::to_owned));
        Some(path)
    };
    words.filter_map(resolve).collect()
}

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
