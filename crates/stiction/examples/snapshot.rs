//! Saves a falling figure half way, continues from the bytes in a second simulation, and compares the outcomes.
//!
//! Both simulations must end with the same hash, taken over every bit of time, configuration and velocity; the
//! example fails if they do not.

use std::path::Path;
use std::sync::Arc;
use stiction::sim::{Settings, Simulation, Snapshot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = stiction::scene::load(Path::new("scenes/humanoid.xml"))?;
    let model = Arc::new(scene.model);
    let mut first = Simulation::new(model.clone(), Settings::default())?;
    advance(&mut first, 300)?;
    let bytes = first.snapshot().to_bytes()?;
    println!("at t = {:.3} s the snapshot has {} bytes", first.state.time, bytes.len());
    advance(&mut first, 300)?;

    let mut second = Simulation::new(model, Settings::default())?;
    second.restore(&Snapshot::from_bytes(&bytes)?)?;
    advance(&mut second, 300)?;

    for (name, simulation) in [("without a break", &first), ("from the snapshot", &second)] {
        println!("{name}: t = {:.3} s, hash {:016x}", simulation.state.time, simulation.state_hash());
    }
    if first.state_hash() != second.state_hash() {
        return Err("the continuation differs".into());
    }
    Ok(())
}

fn advance(simulation: &mut Simulation, steps: usize) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..steps {
        simulation.step()?;
    }
    Ok(())
}
