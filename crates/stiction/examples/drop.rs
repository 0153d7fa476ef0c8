//! Builds a model in code, drops a box on a floor and prints the report of some steps.
//!
//! A cube of 0.2 m edge and 1 kg starts 0.5 m above the floor, turned about its vertical axis. It lands after
//! `sqrt(2 * 0.5 / g)` = 0.319 s and rests, carried by four contacts.

use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;
use stiction::geometry::Shape;
use stiction::model::{BodyHandle, BodySpec, GeomSpec, JointSpec, ModelBuilder};
use stiction::sim::{Settings, Simulation};
use stiction::spatial::Transform;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = ModelBuilder::new("drop");
    builder.add_geom(BodyHandle::WORLD, GeomSpec { name: "floor".into(), ..GeomSpec::new(Shape::Plane) })?;
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
    let shape = Shape::Box { half_extents: Vector3::repeat(0.1) };
    let cube = BodySpec {
        name: "cube".into(),
        pose: Transform::new(Vector3::new(0.0, 0.0, 0.6), &turn),
        joints: vec![JointSpec::free()],
        geoms: vec![GeomSpec { mass: Some(1.0), friction: 0.5, ..GeomSpec::new(shape) }],
        ..BodySpec::default()
    };
    builder.add_body(BodyHandle::WORLD, cube)?;

    let mut simulation = Simulation::new(Arc::new(builder.build()?), Settings::default())?;
    println!("time (s)  height (m)  speed (m/s)  contacts  force (N)  penetration (m)  residual");
    for step in 1..=250 {
        let report = simulation.step()?;
        if step % 25 == 0 {
            let force: f64 = simulation.contact_forces().iter().map(|contact| contact.force.z).sum();
            println!(
                "{:8.3} {:11.6} {:12.6} {:9} {:10.6} {:16.1e} {:9.1e}",
                report.time,
                simulation.state.q[2],
                simulation.state.v[2],
                report.contacts,
                force.abs(),
                report.certificate.penetration,
                report.certificate.residual,
            );
        }
    }
    Ok(())
}
