//! Damaged files of every format that is read: what a bad copy, a slip or a stranger makes of a good file is read or
//! refused in one sentence, never a panic, a long wait, or more memory than a machine has to spare.
//!
//! Each run takes a few hundred files of a format. `STICTION_DAMAGES=20000` takes as many, in the same order:
//! `STICTION_DAMAGES=20000 cargo test -p stiction-cli --test damage -- --nocapture`.

// Helpers of tests may panic like tests.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod changes;
mod mending;
mod random;
mod readers;
mod samples;
mod watch;

use changes::damaged;
use random::Random;
use readers::{Format, Reader, complaint};
use std::time::Duration;
use watch::Watched;

/// Files of a format in a plain run.
const FEW: usize = 300;

/// Time for a file.
const LONGEST: Duration = Duration::from_secs(5);

/// Memory for a file (bytes).
const LARGEST: usize = 1 << 30;

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Reads as many damaged files of a format as are asked for.
fn read_damaged(format: Format) {
    let count = std::env::var("STICTION_DAMAGES").map_or(FEW, |count| count.parse().expect("a number"));
    let samples = samples::of(format);
    let mut reader = Reader::new(format, &watch::folder(format.name()));
    for sample in &samples {
        reader.read(&sample.name, &sample.bytes).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    }
    let mut random = Random::new(format as u64);
    let (mut read, mut complaints) = (0, Vec::new());
    let (mut slowest, mut largest) = (Duration::ZERO, 0);
    for index in 0..count {
        let sample = random.pick(&samples);
        let mut bytes = damaged(sample, random.pick(&samples), &mut random);
        // Else hardly any would get past the checksums.
        if random.below(2) == 0 {
            mending::mend(format, &mut bytes);
        }
        let Watched { outcome, time, memory } =
            watch::watch(format.name(), index, || reader.read(&sample.name, &bytes));
        (slowest, largest) = (slowest.max(time), largest.max(memory));
        let complaint = match &outcome {
            Err(_) => Some("panics".to_string()),
            Ok(Err(refusal)) => complaint(refusal).map(|what| format!("{what}: {refusal}")),
            Ok(Ok(())) => None,
        };
        let slow = (time > LONGEST).then(|| format!("takes {time:?}"));
        let large = (memory > LARGEST).then(|| format!("takes {memory} bytes"));
        for what in complaint.into_iter().chain(slow).chain(large) {
            let kept = watch::folder("refused").join(format!("{}-{index}-{}", format.name(), sample.name));
            std::fs::write(&kept, &bytes).unwrap();
            complaints.push(format!("{}: {what}", kept.display()));
        }
        read += usize::from(matches!(outcome, Ok(Ok(()))));
    }
    let megabytes = largest as f64 / 1e6;
    println!(
        "{}: {count} damaged, {read} read, slowest {slowest:.1?}, largest {megabytes:.1} MB",
        format.name()
    );
    assert!(read > 0 && read < count, "{read} of {count} are read");
    let first = &complaints[..complaints.len().min(20)];
    assert!(complaints.is_empty(), "{} of {count}:\n{}", complaints.len(), first.join("\n"));
}

macro_rules! formats {
    ($($test:ident: $format:ident,)*) => {$(
        #[test]
        fn $test() {
            read_damaged(Format::$format);
        }
    )*};
}

#[test]
fn every_format_has_a_name_of_its_own_and_samples() {
    let mut names: Vec<_> = readers::FORMATS.iter().map(|format| format.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), readers::FORMATS.len());
    assert!(readers::FORMATS.iter().all(|format| !samples::of(*format).is_empty()));
}

formats! {
    damaged_scenes_are_read_or_refused_in_one_sentence: Scene,
    damaged_meshes_are_read_or_refused_in_one_sentence: Mesh,
    damaged_height_fields_are_read_or_refused_in_one_sentence: HeightField,
    damaged_problems_in_json_are_read_or_refused_in_one_sentence: Json,
    damaged_problems_of_siconos_are_read_or_refused_in_one_sentence: Siconos,
    damaged_problems_in_hdf5_are_read_or_refused_in_one_sentence: Hdf5,
    damaged_archives_are_read_or_refused_in_one_sentence: Archive,
    damaged_pages_are_read_or_refused_in_one_sentence: Page,
    damaged_snapshots_are_read_or_refused_in_one_sentence: Snapshot,
}
