//! Sliding: a thrown sphere, a slope, a belt, and the threshold between holding and sliding.

use super::rig::{CaseError, Rig};
use super::{Case, Check};
use nalgebra::Vector3;
use stiction::spatial::Force;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "sphere_slide",
        about: "a sphere thrown without spin slides, then rolls, along an axis",
        run: || sphere_slide(&[0.0]),
    },
    Case {
        name: "sphere_slide_turned",
        about: "the same thrown 10, 22.5 and 45 degrees off the axis",
        run: || sphere_slide(&[10.0, 22.5, 45.0]),
    },
    Case {
        name: "incline",
        about: "blocks with friction 2 % above and 2 % below the tangent of a slope",
        run: incline,
    },
    Case { name: "belt", about: "a load put on a belt of 0.5 m/s", run: belt },
    Case {
        name: "friction_threshold",
        about: "a block of 4.905 N friction pulled with 4.9, 4.9045 and 4.91 N",
        run: friction_threshold,
    },
];

const GRAVITY: f64 = 9.81;

/// Throws at these angles to the x axis (degrees).
fn sphere_slide(headings: &[f64]) -> Result<Vec<Check>, CaseError> {
    let throws: Result<Vec<_>, _> = headings.iter().map(|heading| throw(*heading)).collect();
    Ok(throws?.into_iter().flatten().collect())
}

/// A sphere of 1 kg and 1 m radius with 2 m/s on a floor with mu 0.2 (Mylapilli and Jain 2014, section 5.1).
fn throw(degrees: f64) -> Result<Vec<Check>, CaseError> {
    let heading = degrees.to_radians();
    let (speed, mu, radius) = (2.0, 0.2, 1.0);
    let mut rig = Rig::new("sphere_slide", include_str!("../../../../scenes/sphere_slide.xml"))?;
    let ball = rig.free_body()?;
    let direction = Vector3::new(heading.cos(), heading.sin(), 0.0);
    rig.sim.state.v[..3].copy_from_slice((direction * speed).as_slice());
    let mut rolls = None;
    let mut sideways = 0.0_f64;
    rig.run(1.0, |rig, report| {
        let velocity = rig.velocity(ball);
        if rolls.is_none() && (velocity.norm() - radius * rig.spin(ball).norm()).abs() < 1e-9 {
            rolls = Some(report.time);
        }
        sideways =
            sideways.max((velocity.x * direction.y - velocity.y * direction.x).atan2(velocity.norm()).abs());
    })?;
    let rolls = rolls.ok_or_else(|| CaseError::Never("the sphere does not roll within 1 s".into()))?;
    let rolling = 5.0 / 7.0 * speed;
    let at = |quantity: &str| match degrees {
        0.0 => quantity.to_string(),
        degrees => format!("{degrees} degrees: {quantity}"),
    };
    Ok(vec![
        Check::absolute(at("final speed (m/s)"), rolling, rig.velocity(ball).norm(), 1e-9),
        Check::absolute(at("final spin (rad/s)"), rolling / radius, rig.spin(ball).norm(), 1e-9),
        Check::absolute(
            at("time at which it rolls (s)"),
            2.0 * speed / (7.0 * mu * GRAVITY),
            rolls,
            rig.sim.timestep(),
        ),
        Check::zero(at("largest heading error (deg)"), sideways.to_degrees(), 1e-9),
    ])
}

/// Two blocks on one slope of tangent 0.49, mu 0.5 and 0.4802.
fn incline() -> Result<Vec<Check>, CaseError> {
    let (slope, mu, duration) = (0.49_f64, 0.4802, 5.0);
    let mut rig = Rig::new("incline", include_str!("../../../../scenes/incline.xml"))?;
    let (sticks, slides) = (rig.body("sticks")?, rig.body("slides")?);
    let (start, mut creep) = (rig.position(sticks), 0.0_f64);
    rig.run(duration, |rig, _| creep = creep.max((rig.position(sticks) - start).norm()))?;
    let cosine = 1.0 / (1.0 + slope * slope).sqrt();
    Ok(vec![
        Check::zero("mu 2 % above: creep in 5 s (m)", creep, 1e-10),
        Check::relative(
            "mu 2 % below: acceleration (m/s^2)",
            GRAVITY * cosine * (slope - mu),
            rig.velocity(slides).norm() / duration,
            1e-6,
        ),
    ])
}

fn belt() -> Result<Vec<Check>, CaseError> {
    let (speed, mu) = (0.5, 0.4);
    let mut rig = Rig::new("belt", include_str!("../../../../scenes/belt.xml"))?;
    let load = rig.free_body()?;
    let mut reached = None;
    let mut deviation = 0.0_f64;
    rig.run(2.0, |rig, report| {
        let error = (rig.velocity(load) - Vector3::new(speed, 0.0, 0.0)).norm();
        if reached.is_some() {
            deviation = deviation.max(error);
        } else if error < 1e-9 {
            reached = Some(report.time);
        }
    })?;
    let reached =
        reached.ok_or_else(|| CaseError::Never("the load does not reach the belt's speed".into()))?;
    let exact = speed / (mu * GRAVITY);
    Ok(vec![
        Check::absolute("time at which it has the belt's speed (s)", exact, reached, rig.sim.timestep()),
        Check::zero("largest deviation from the belt's velocity afterwards (m/s)", deviation, 1e-9),
    ])
}

/// A cube of 0.2 m and 1 kg with mu 0.5, pulled at floor height for 10 s.
fn friction_threshold() -> Result<Vec<Check>, CaseError> {
    const SCENE: &str = r#"<mujoco>
      <option timestep="0.002"/>
      <default><geom friction="0.5"/></default>
      <worldbody>
        <geom name="floor" type="plane" size="10 10 1"/>
        <body name="block" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
      </worldbody>
    </mujoco>"#;
    let moved = |pull: f64| -> Result<f64, CaseError> {
        let mut rig = Rig::new("friction_threshold", SCENE)?;
        let block = rig.free_body()?;
        let start = rig.position(block);
        // The force acts 0.1 m below the centre.
        let moment = Vector3::new(0.0, 0.0, -0.1).cross(&Vector3::new(pull, 0.0, 0.0));
        rig.sim.state.external[block.index()] = Force::new(moment, Vector3::new(pull, 0.0, 0.0));
        rig.run(10.0, |_, _| ())?;
        Ok((rig.position(block) - start).norm())
    };
    let slides = 0.5 * (4.91 - 0.5 * GRAVITY) * 100.0;
    Ok(vec![
        Check::zero("pulled with 4.9 N: moves in 10 s (m)", moved(4.9)?, 1e-9),
        Check::zero("pulled with 4.9045 N: moves in 10 s (m)", moved(4.9045)?, 1e-9),
        Check::relative("pulled with 4.91 N: moves in 10 s (m)", slides, moved(4.91)?, 1e-2),
    ])
}
