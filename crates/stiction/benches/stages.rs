//! Where the time of a step goes, on scenes of this repository.
//!
//! Each stretch of motion is run once to warm up and then five times; the table shows the run with the least total. Looking at
//! the clock is in the times: some 0.3 us a step.
//!
//! `cargo bench -p stiction --bench stages [FILTER]`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scene that does not run is a failed benchmark")]

use std::path::Path;
use stiction::sim::{Simulation, StageTimes};

/// Name, scene, steps before the stretch and steps in it.
const STRETCHES: [(&str, &str, u32, u32); 4] = [
    ("grasp", "grasp", 0, 2000),
    ("humanoid lying", "humanoid", 1000, 1500),
    ("humanoid falling", "humanoid", 0, 750),
    ("box_stack", "box_stack", 0, 400),
];

const REPEATS: usize = 5;

fn main() {
    // Cargo adds an option of its own.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let chosen: Vec<_> = STRETCHES.into_iter().filter(|stretch| stretch.0.contains(&filter)).collect();
    let times: Vec<StageTimes> =
        chosen.iter().map(|&(_, scene, before, steps)| measure(scene, before, steps)).collect();
    let cell = |text: String| format!("{text:>20}");
    let line = |name: &str, seconds: &dyn Fn(&StageTimes) -> f64| {
        let share = |(times, stretch): (&StageTimes, &(_, _, _, u32))| {
            let time = seconds(times);
            cell(format!("{:.2} {:>3.0} %", 1e6 * time / f64::from(stretch.3), 100.0 * time / times.total()))
        };
        println!("{name:<14}{}", times.iter().zip(&chosen).map(share).collect::<String>());
    };
    println!("us per step   {}", chosen.iter().map(|stretch| cell(stretch.0.into())).collect::<String>());
    for (i, (name, _)) in StageTimes::default().named().into_iter().enumerate() {
        line(name, &|times| times.named()[i].1);
    }
    line("total", &StageTimes::total);
}

/// The fastest of some runs of a stretch.
fn measure(scene: &str, before: u32, steps: u32) -> StageTimes {
    let path = format!("{}/../../scenes/{scene}.xml", env!("CARGO_MANIFEST_DIR"));
    let scene = stiction::scene::load(Path::new(&path)).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::from_scene(scene).unwrap();
    advance(&mut simulation, before);
    let start = simulation.snapshot();
    advance(&mut simulation, steps);
    let runs = (0..REPEATS).map(|_| {
        simulation.restore(&start).unwrap();
        simulation.measure_stages();
        advance(&mut simulation, steps);
        simulation.stage_times()
    });
    runs.min_by(|a, b| a.total().total_cmp(&b.total())).unwrap()
}

fn advance(simulation: &mut Simulation, steps: u32) {
    for _ in 0..steps {
        assert!(simulation.step().unwrap().solved());
    }
}
