//! Bad files: `run` and `check` end with status 2, one sentence and an excerpt with the place underlined.

#[path = "../../../stiction/tests/engine/common/bad_files.rs"]
mod files;

use crate::common::{scratch, sentences, stiction};
use files::FILES;

#[test]
fn bad_files_end_with_status_2_one_sentence_and_an_excerpt() {
    let directory = scratch("bad_files");
    for bad in FILES {
        let path = bad.write(&directory).display().to_string();
        for command in ["run", "check"] {
            let out = stiction(&[command, &path]).exits_with(2);
            assert_eq!(out.stdout, "", "{}", bad.name);
            let said = sentences(&out.stderr);
            assert!(said.len() == 1 && said[0].starts_with("error: "), "{}: {}", bad.name, out.stderr);
            // Of a file that is no XML nothing is shown: it may be any file of this machine.
            let shown = std::fs::read(&path).is_ok_and(|bytes| bytes.trim_ascii_start().starts_with(b"<"));
            let marks = "^".repeat(bad.underlined.chars().count());
            assert!(
                out.stderr.contains(&marks) == (shown || marks.is_empty()) && !out.stderr.contains('\x1b'),
                "{}: {}",
                bad.name,
                out.stderr
            );
            for word in bad.words {
                assert!(said[0].contains(word), "{}: {word} is missing in: {}", bad.name, out.stderr);
            }
        }
    }
}

#[test]
fn what_cannot_be_read_ends_with_status_2() {
    let directory = scratch("unreadable");
    std::fs::create_dir(directory.join("folder.xml")).unwrap();
    std::fs::write(directory.join("bytes.xml"), [0xff, 0xfe, 0x00]).unwrap();
    for (name, word) in [
        ("nowhere.xml", "cannot be read"),
        ("folder.xml", "not a file"),
        ("bytes.xml", "0xff is not UTF-8"),
        ("robot.urdf", "unknown scene format \"urdf\""),
    ] {
        let path = directory.join(name).display().to_string();
        for command in ["run", "check"] {
            let out = stiction(&[command, &path]).exits_with(2);
            assert_eq!(sentences(&out.stderr).len(), 1, "{}", out.stderr);
            assert!(out.stderr.contains(name) && out.stderr.contains(word), "{}", out.stderr);
        }
    }
}
