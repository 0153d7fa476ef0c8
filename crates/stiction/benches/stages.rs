//! Where the time of a step goes, on scenes of this repository.
//!
//! Each stretch of motion is run once to warm up and then twenty times; the table shows the least time of every stage, which
//! other programs disturb little, and their sum. Looking at the clock is in the times: some 0.3 us a step.
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

const REPEATS: usize = 20;

fn main() {
    // Cargo adds an option of its own.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let chosen: Vec<_> = STRETCHES.into_iter().filter(|stretch| stretch.0.contains(&filter)).collect();
    let times: Vec<Vec<f64>> =
        chosen.iter().map(|&(_, scene, before, steps)| measure(scene, before, steps)).collect();
    let cell = |text: String| format!("{text:>20}");
    println!("us per step   {}", chosen.iter().map(|stretch| cell(stretch.0.into())).collect::<String>());
    let names = StageTimes::default().named().map(|(name, _)| name);
    for (i, name) in names.iter().enumerate() {
        let share = |times: &Vec<f64>| {
            cell(format!("{:.2} {:>3.0} %", times[i], 100.0 * times[i] / times.iter().sum::<f64>()))
        };
        println!("{name:<14}{}", times.iter().map(share).collect::<String>());
    }
    let total = |times: &Vec<f64>| cell(format!("{:.2} 100 %", times.iter().sum::<f64>()));
    println!("{:<14}{}", "total", times.iter().map(total).collect::<String>());
}

/// The least time of every stage in some runs of a stretch (us per step).
fn measure(scene: &str, before: u32, steps: u32) -> Vec<f64> {
    let path = format!("{}/../../scenes/{scene}.xml", env!("CARGO_MANIFEST_DIR"));
    let scene = stiction::scene::load(Path::new(&path)).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::from_scene(scene).unwrap();
    advance(&mut simulation, before);
    let start = simulation.snapshot();
    advance(&mut simulation, steps);
    let mut least = vec![f64::INFINITY; StageTimes::default().named().len()];
    for _ in 0..REPEATS {
        simulation.restore(&start).unwrap();
        simulation.measure_stages();
        advance(&mut simulation, steps);
        for (least, (_, time)) in least.iter_mut().zip(simulation.stage_times().named()) {
            *least = least.min(1e6 * time / f64::from(steps));
        }
    }
    least
}

fn advance(simulation: &mut Simulation, steps: u32) {
    for _ in 0..steps {
        assert!(simulation.step().unwrap().solved());
    }
}
