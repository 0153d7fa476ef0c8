//! Forces at rest: on a floor, on a slope, against a wall.

use super::rig::{CaseError, Rig};
use super::{Case, Check};
use nalgebra::Vector3;
use stiction::spatial::Force;

pub(super) const CASES: &[Case] = &[
    Case { name: "block_at_rest", about: "the floor carries the weight of a block", run: block_at_rest },
    Case {
        name: "slope_forces",
        about: "a block at rest on a slope of 20 degrees: normal force, friction, centre of pressure",
        run: slope_forces,
    },
    Case {
        name: "wall_press",
        about: "a cube pressed to a wall for 60 s: friction holds it, below its centre",
        run: wall_press,
    },
];

const GRAVITY: f64 = 9.81;

fn block_at_rest() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new(
        "block_at_rest",
        r#"<mujoco>
             <option timestep="0.001"/>
             <worldbody>
               <geom name="floor" type="plane" size="10 10 1"/>
               <body name="block" pos="0.3 -0.2 0.1" euler="0 0 25">
                 <freejoint/>
                 <geom type="box" size="0.3 0.2 0.1" mass="7"/>
               </body>
             </worldbody>
           </mujoco>"#,
    )?;
    let block = rig.free_body()?;
    let weight = Vector3::new(0.0, 0.0, 7.0 * GRAVITY);
    let (start, mut moved, mut error) = (rig.position(block), 0.0_f64, 0.0_f64);
    rig.run(2.0, |rig, _| {
        moved = moved.max((rig.position(block) - start).norm());
        error = error.max((rig.load(block).force() - weight).norm());
    })?;
    let load = rig.load(block);
    Ok(vec![
        Check::relative("vertical contact force (N)", weight.z, load.force().z, 1e-9),
        Check::zero("worst contact force minus weight, over the weight, in 2 s", error / weight.z, 1e-9),
        Check::zero("centre of pressure off the centre (m)", (load.center - start).xy().norm(), 1e-9),
        Check::zero("moves in 2 s (m)", moved, 1e-10),
    ])
}

/// A cube of 0.2 m and 1 kg on a slope with mu 0.8.
fn slope_forces() -> Result<Vec<Check>, CaseError> {
    let (angle, half) = (20.0_f64.to_radians(), 0.1);
    let text = format!(
        r#"<mujoco>
             <compiler angle="radian"/>
             <option timestep="{}"/>
             <default><geom friction="0.8"/></default>
             <worldbody>
               <geom name="slope" type="plane" size="10 10 1" euler="0 {angle} 0"/>
               <body name="block" pos="{} 0 {}" euler="0 {angle} 0">
                 <freejoint/>
                 <geom type="box" size="{half} {half} {half}" mass="1"/>
               </body>
             </worldbody>
           </mujoco>"#,
        1.0 / 60.0,
        half * angle.sin(),
        half * angle.cos(),
    );
    let mut rig = Rig::new("slope_forces", &text)?;
    let block = rig.free_body()?;
    rig.run(2.0, |_, _| ())?;
    let (load, center) = (rig.load(block), rig.position(block));
    let downhill = Vector3::new(angle.cos(), 0.0, -angle.sin());
    // What the lower and the upper edge carry, whatever the split between their corners.
    let edge = |lower: bool| -> f64 {
        let on_edge = |point: &Vector3<f64>| ((point - center).dot(&downhill) > 0.0) == lower;
        rig.touches(block).iter().filter(|t| on_edge(&t.point)).map(|t| t.normal.norm()).sum()
    };
    let weight = GRAVITY;
    let lower = 0.5 * weight * (angle.cos() + angle.sin());
    Ok(vec![
        Check::relative("normal force (N)", weight * angle.cos(), load.normal.norm(), 1e-4),
        Check::relative("friction force (N)", weight * angle.sin(), load.friction.norm(), 1e-4),
        Check::relative("vertical sum (N)", weight, load.force().z, 1e-4),
        Check::zero("horizontal sum (N)", load.force().xy().norm(), 1e-4 * weight),
        Check::relative(
            "centre of pressure downhill of the centre (m)",
            half * angle.tan(),
            (load.center - center).dot(&downhill),
            1e-4,
        ),
        Check::relative("normal force of the lower edge (N)", lower, edge(true), 1e-4),
        Check::relative(
            "normal force of the upper edge (N)",
            weight * angle.cos() - lower,
            edge(false),
            1e-4,
        ),
    ])
}

/// A cube of 0.1 m and 1 kg, pressed to a wall with 20 N through its centre, mu 1.
fn wall_press() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new(
        "wall_press",
        r#"<mujoco>
             <option timestep="0.01"/>
             <worldbody>
               <geom name="wall" type="box" size="0.05 1 1" pos="0.1 0 0"/>
               <body name="cube"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1"/></body>
             </worldbody>
           </mujoco>"#,
    )?;
    let cube = rig.free_body()?;
    let push = 20.0;
    rig.sim.state.external[cube.index()] = Force::new(Vector3::zeros(), Vector3::new(push, 0.0, 0.0));
    let mut speed = 0.0_f64;
    rig.run(60.0, |rig, _| speed = speed.max(rig.velocity(cube).norm()))?;
    let (load, center) = (rig.load(cube), rig.position(cube));
    Ok(vec![
        Check::zero("largest speed in 60 s (m/s)", speed, 1e-9),
        Check::relative("friction (N)", GRAVITY, load.friction.z, 1e-4),
        Check::relative("normal force (N)", push, load.normal.norm(), 1e-4),
        Check::relative(
            "height of the centre of pressure over the centre (m)",
            -GRAVITY * 0.05 / push,
            load.center.z - center.z,
            1e-4,
        ),
    ])
}
