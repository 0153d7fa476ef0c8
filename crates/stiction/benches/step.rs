//! Time per step on scenes of this repository, over stretches of their motion that differ in what a step has to do.
//!
//! Every sample is one step, so fastest, slowest, median and mean are taken over the steps of a stretch, and the
//! mean is what a whole run costs. The stretch is simulated once before it is timed, so that no step allocates.
//!
//! `cargo bench -p stiction --bench step [FILTER]`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that does not run is a failed benchmark")]

use divan::Bencher;
use std::path::Path;
use stiction::sim::Simulation;

fn main() {
    divan::main();
}

/// A shipped scene after `before` steps, ready to repeat the next `steps` of them.
fn stretch(scene: &str, before: u32, steps: u32) -> Simulation {
    let path = format!("{}/../../scenes/{scene}.xml", env!("CARGO_MANIFEST_DIR"));
    let scene = stiction::scene::load(Path::new(&path)).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::from_scene(scene).unwrap();
    advance(&mut simulation, before);
    let start = simulation.snapshot();
    advance(&mut simulation, steps);
    simulation.restore(&start).unwrap();
    simulation
}

fn advance(simulation: &mut Simulation, steps: u32) {
    for _ in 0..steps {
        assert!(simulation.step().unwrap().solved());
    }
}

fn time_steps(bencher: Bencher, mut simulation: Simulation) {
    bencher.bench_local(|| simulation.step().unwrap());
}

/// Twelve hinged balls swinging and knocking on a floor and a wall, 20 s.
#[divan::bench(sample_count = 20_000, sample_size = 1)]
fn pendulum12(bencher: Bencher) {
    time_steps(bencher, stretch("pendulum12", 0, 20_000));
}

/// The figure of 31 degrees of freedom from its release to rest, 1.5 s.
#[divan::bench(sample_count = 750, sample_size = 1)]
fn humanoid_falling(bencher: Bencher) {
    time_steps(bencher, stretch("humanoid", 0, 750));
}

/// The same lying on the floor on 13 contacts, 2 s to 5 s.
#[divan::bench(sample_count = 1500, sample_size = 1)]
fn humanoid_lying(bencher: Bencher) {
    time_steps(bencher, stretch("humanoid", 1000, 1500));
}

/// Two cubes held by two grippers, 12 contacts, 2 s.
#[divan::bench(sample_count = 2000, sample_size = 1)]
fn grasp(bencher: Bencher) {
    time_steps(bencher, stretch("grasp", 0, 2000));
}

/// Ten cubes on a floor, 40 contacts, 2 s.
#[divan::bench(sample_count = 400, sample_size = 1)]
fn box_stack(bencher: Bencher) {
    time_steps(bencher, stretch("box_stack", 0, 400));
}
