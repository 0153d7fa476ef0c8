//! What libFuzzer makes, read as a file of the format that `STICTION_FUZZ_FORMAT` names: it is read or refused in one
//! sentence. The first byte chooses the file's name, as endings choose readers, and whether checksums are made to fit.
//!
//! With `STICTION_FUZZ_SEEDS=DIR` it writes the good files of the format there, and ends.
//!
//! # References
//! LLVM, *libFuzzer: a library for coverage-guided fuzz testing*.
#![no_main]
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../crates/stiction-cli/tests/damage/mending.rs"]
mod mending;
#[path = "../../crates/stiction-cli/tests/damage/readers.rs"]
mod readers;
#[path = "../../crates/stiction-cli/tests/damage/samples.rs"]
mod samples;

use libfuzzer_sys::fuzz_target;
use readers::{FORMATS, Format, Reader};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// This bit of the first byte asks for checksums that fit.
const MEND: u8 = 0x80;

struct Target {
    format: Format,
    names: Vec<&'static str>,
    reader: Reader,
}

static TARGET: OnceLock<Mutex<Target>> = OnceLock::new();

/// Names that files of the format have.
fn names(format: Format) -> Vec<&'static str> {
    match format {
        Format::Scene => vec!["a.xml"],
        Format::Mesh => vec!["a.stl", "a.obj", "a.msh"],
        Format::HeightField => vec!["a.png", "a.bin"],
        _ => vec!["a"],
    }
}

fn target() -> Mutex<Target> {
    let asked = std::env::var("STICTION_FUZZ_FORMAT").unwrap_or_default();
    let format = FORMATS.into_iter().find(|format| format.name() == asked);
    let format =
        format.unwrap_or_else(|| panic!("STICTION_FUZZ_FORMAT is '{asked}', not one of {FORMATS:?}"));
    if let Some(folder) = std::env::var_os("STICTION_FUZZ_SEEDS") {
        write_seeds(format, &PathBuf::from(folder));
        std::process::exit(0);
    }
    let folder = std::env::temp_dir().join(format!("stiction-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    Mutex::new(Target { format, names: names(format), reader: Reader::new(format, &folder) })
}

fn write_seeds(format: Format, folder: &Path) {
    for sample in samples::of(format) {
        let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_string());
        let names = names(format);
        let first = names.iter().position(|name| ending(name) == ending(&sample.name)).unwrap_or(0);
        let content = [&[first as u8 | MEND][..], &sample.bytes].concat();
        std::fs::write(folder.join(&sample.name), content).unwrap();
    }
}

fuzz_target!(init: { TARGET.get_or_init(target); }, |data: &[u8]| {
    let Some((first, content)) = data.split_first() else { return };
    let mut target = TARGET.get_or_init(target).lock().unwrap_or_else(PoisonError::into_inner);
    let Target { format, names, reader } = &mut *target;
    let mut content = content.to_vec();
    if first & MEND != 0 {
        mending::mend(*format, &mut content);
    }
    let name = names[usize::from(first & !MEND) % names.len()];
    if let Err(refusal) = reader.read(name, &content) {
        assert!(readers::complaint(&refusal).is_none(), "{:?}: {refusal}", readers::complaint(&refusal));
    }
});
