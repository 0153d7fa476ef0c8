//! An archive with damaged bytes is refused, or makes a page of what it says: never a panic.
// Helpers of tests may panic like tests.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;
use std::path::Path;
use stiction::recording::{Recorder, Recording};
use stiction::scene;
use stiction::sim::Simulation;

/// Two steps of the grasp, as the bytes of an archive.
fn archive() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/grasp.xml");
    let mut simulation = Simulation::from_scene(scene::load(&path).unwrap()).unwrap();
    let mut recorder = Recorder::new(&simulation, 2);
    for _ in 0..2 {
        let report = simulation.step().unwrap();
        recorder.record(&simulation, &report);
    }
    recorder.recording().write(Cursor::new(Vec::new())).unwrap().into_inner()
}

#[test]
fn what_is_left_of_a_damaged_archive_makes_a_page() {
    let bytes = archive();
    let mut random = 1_u32;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    let mut read = 0;
    for _ in 0..4000 {
        let mut damaged = bytes.clone();
        let at = next(damaged.len());
        damaged[at] = next(256) as u8;
        if let Ok(recording) = Recording::read(Cursor::new(&damaged[..])) {
            assert!(stiction_page::is_page(&stiction_page::page(&recording).unwrap()));
            read += 1;
        }
    }
    assert!(read > 10, "{read}");
}
