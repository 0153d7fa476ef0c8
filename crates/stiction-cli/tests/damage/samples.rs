//! Good files of every format.

use crate::readers::{Format, simulation};
use std::io::Cursor;
use std::path::Path;
use stiction::recording::{Recorder, Recording};

pub struct Sample {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The files of a format.
pub fn of(format: Format) -> Vec<Sample> {
    let own = "crates/stiction-cli/tests/damage/samples";
    match format {
        Format::Scene => files("scenes", &["xml"]),
        Format::Mesh => files(own, &["stl", "obj", "msh"]),
        Format::HeightField => files(own, &["bin", "png"]),
        Format::Json => files("problems", &["json"]),
        Format::Siconos => files(own, &["dat"]),
        Format::Hdf5 => files(own, &["hdf5"]),
        Format::Archive => {
            vec![made("a.npz", recording().write(Cursor::new(Vec::new())).unwrap().into_inner())]
        }
        Format::Page => vec![made("a.html", stiction_page::page(&recording()).unwrap().into_bytes())],
        Format::Snapshot => {
            let mut simulation = simulation();
            let mut snapshot = || {
                for _ in 0..20 {
                    simulation.step().unwrap();
                }
                simulation.snapshot().to_bytes().unwrap()
            };
            ["a.state", "b.state"].map(|name| made(name, snapshot())).into()
        }
    }
}

fn made(name: &str, bytes: Vec<u8>) -> Sample {
    Sample { name: name.into(), bytes }
}

fn files(folder: &str, extensions: &[&str]) -> Vec<Sample> {
    let folder = Path::new(crate::ROOT).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| extensions.contains(&e.to_str().unwrap())));
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    paths.iter().map(|path| made(&name(path), std::fs::read(path).unwrap())).collect()
}

/// Some steps with contacts.
fn recording() -> Recording {
    let mut simulation = simulation();
    let mut recorder = Recorder::new(&simulation, 3);
    for _ in 0..3 {
        let report = simulation.step().unwrap();
        recorder.record(&simulation, &report);
    }
    recorder.recording().clone()
}
