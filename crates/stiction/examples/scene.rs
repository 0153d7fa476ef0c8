//! Loads a scene, simulates one second, and prints the contact forces and the certificate of the last step.
//!
//! The README shows this program.

use std::path::Path;
use stiction::scene;
use stiction::sim::Simulation;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = scene::load(Path::new("scenes/grasp.xml"))?;
    let mut simulation = Simulation::from_scene(scene)?;
    let model = simulation.model().clone();

    let mut report = simulation.step()?;
    while report.solved() && report.time < 1.0 {
        report = simulation.step()?;
    }

    for contact in simulation.contact_forces() {
        let [first, second] = contact.contact.geoms.map(|geom| model.geoms[geom].name.as_str());
        let [x, y, z] = contact.force.into();
        println!("{first} on {second}: ({x:7.3}, {y:7.3}, {z:7.3}) N, {:?}", contact.mode);
    }
    println!("t = {:.3} s, {:?}, {:#?}", report.time, report.status, report.certificate);
    Ok(())
}
