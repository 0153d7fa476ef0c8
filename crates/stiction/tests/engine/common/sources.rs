//! The source files of the crate under test, and what they import; for the tests that hold the order of its folders.

use std::path::{Path, PathBuf};

/// The folder of the sources.
pub fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All source files below a folder, as paths from `src`.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(source().join(folder))
        .unwrap()
        .map(|entry| folder.join(entry.unwrap().file_name()));
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| source().join(path).is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

/// The module paths that a file names, from the root: `crate::a::b` and, seen from the file's module, `super::a`.
pub fn imports(file: &Path, text: &str) -> Vec<Vec<String>> {
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
