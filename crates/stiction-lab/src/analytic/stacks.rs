//! Many contacts at once: stacks that stand, stacks that fall, mass ratios, a grasp.

use super::rig::{CaseError, Rig};
use super::{Case, Check};
use nalgebra::Vector3;
use stiction::model::BodyId;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "box_stack",
        about: "ten cubes stand for 8 s, each interface carrying what is above it",
        run: box_stack,
    },
    Case {
        name: "mass_ratio",
        about: "1e3 and 1e6 kg on cubes of 1 kg for 10 s: nothing sinks",
        run: mass_ratio,
    },
    Case { name: "grasp", about: "two cubes held by friction alone for 10 s", run: grasp },
    Case { name: "drop_stack", about: "ten cubes dropped from 15 m land and stand", run: drop_stack },
];

const GRAVITY: f64 = 9.81;

/// Free bodies and their places, lowest first.
fn places(rig: &Rig) -> Vec<(BodyId, Vector3<f64>)> {
    let mut places: Vec<_> = rig.free_bodies().into_iter().map(|b| (b, rig.position(b))).collect();
    places.sort_by(|a, b| a.1.z.total_cmp(&b.1.z));
    places
}

/// Largest distance of the bodies from these places (m).
fn displacement(rig: &Rig, places: &[(BodyId, Vector3<f64>)]) -> f64 {
    places.iter().map(|(body, place)| (rig.position(*body) - place).norm()).fold(0.0, f64::max)
}

/// Largest relative error of the interface loads against `exact`, lowest first; infinite if there are more or fewer.
fn worst_load_error(loads: &[f64], exact: &[f64]) -> f64 {
    if loads.len() != exact.len() {
        return f64::INFINITY;
    }
    loads.iter().zip(exact).map(|(load, exact)| (load / exact - 1.0).abs()).fold(0.0, f64::max)
}

fn box_stack() -> Result<Vec<Check>, CaseError> {
    let mut checks = Vec::new();
    for dt in [0.005, 0.001] {
        let text = include_str!("../../../../scenes/box_stack.xml");
        let mut rig = Rig::with_timestep("box_stack", text, Some(dt))?;
        let places = places(&rig);
        let weights: Vec<f64> = (1..=places.len()).rev().map(|k| k as f64 * GRAVITY).collect();
        let (mut moved, mut penetration, mut load_error) = (0.0_f64, 0.0_f64, 0.0_f64);
        rig.run(8.0, |rig, report| {
            moved = moved.max(displacement(rig, &places));
            penetration = penetration.max(report.certificate.penetration);
            load_error = load_error.max(worst_load_error(&rig.interface_loads(), &weights));
        })?;
        let bottom = rig.interface_loads().first().copied().unwrap_or(f64::NAN);
        let at = |quantity: &str| format!("dt {dt} s: {quantity}");
        checks.extend([
            Check::zero(at("any cube moves in 8 s (m)"), moved, 1e-6),
            Check::zero(at("penetration (m)"), penetration, 1e-6),
            Check::relative(at("load on the floor (N)"), weights[0], bottom, 1e-6),
            Check::zero(at("worst error of an interface load, relative"), load_error, 1e-6),
        ]);
    }
    Ok(checks)
}

fn mass_ratio() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new("mass_ratio", include_str!("../../../../scenes/mass_ratio.xml"))?;
    let (mut overlap, mut speed) = (0.0_f64, 0.0_f64);
    let bodies = rig.free_bodies();
    rig.run(10.0, |rig, report| {
        overlap = overlap.max(report.certificate.penetration);
        speed = bodies.iter().map(|&b| rig.velocity(b).norm()).fold(speed, f64::max);
    })?;
    let mut checks = vec![
        Check::zero("overlap in 10 s (m)", overlap, 1e-5),
        Check::zero("largest speed in 10 s (m/s)", speed, 1e-8),
    ];
    for (ratio, light, heavy) in [("1e3", "light1", "heavy1"), ("1e6", "light2", "heavy2")] {
        let (light, heavy) = (rig.body(light)?, rig.body(heavy)?);
        let masses = [light, heavy].map(|b| rig.model().bodies[b].mass);
        let above = rig.load(heavy).force().z;
        // The light cube feels the floor's force minus what is on it.
        let floor = above + rig.load(light).force().z;
        let total = (masses[0] + masses[1]) * GRAVITY;
        checks.extend([
            Check::relative(format!("1 : {ratio}: force between (N)"), masses[1] * GRAVITY, above, 1e-6),
            Check::relative(format!("1 : {ratio}: force on the floor (N)"), total, floor, 1e-6),
        ]);
    }
    Ok(checks)
}

fn grasp() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new("grasp", include_str!("../../../../scenes/grasp.xml"))?;
    let places = places(&rig);
    let (mut moved, mut residual) = (0.0_f64, 0.0_f64);
    rig.run(10.0, |rig, report| {
        moved = moved.max(displacement(rig, &places));
        residual = residual.max(report.certificate.residual);
    })?;
    let mut checks = vec![
        Check::zero("any cube moves in 10 s (m)", moved, 1e-9),
        Check::zero("worst residual of a step", residual, 1e-9),
    ];
    for (body, _) in &places {
        let name = &rig.model().bodies[*body].name;
        checks.push(Check::relative(
            format!("{name}: vertical contact force (N)"),
            rig.model().bodies[*body].mass * GRAVITY,
            rig.load(*body).force().z,
            1e-9,
        ));
    }
    Ok(checks)
}

fn drop_stack() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new("drop_stack", include_str!("../../../../scenes/drop_stack.xml"))?;
    let height = 15.0;
    let landed: Vec<_> = places(&rig)
        .into_iter()
        .map(|(body, place)| (body, place - Vector3::new(0.0, 0.0, height)))
        .collect();
    let lowest = landed[0];
    let mut landing = None;
    rig.run(4.0, |rig, report| {
        // A predicted contact brings the cube to the floor at the end of a step and stops it in the next.
        if landing.is_none() && (rig.position(lowest.0) - lowest.1).norm() < 1e-6 {
            landing = Some(report.time);
        }
    })?;
    let landing = landing.ok_or_else(|| CaseError::Never("the stack does not land within 4 s".into()))?;
    let speed =
        landed.iter().map(|&(b, _)| rig.velocity(b).norm().max(rig.spin(b).norm())).fold(0.0, f64::max);
    Ok(vec![
        Check::absolute("time of landing (s)", (2.0 * height / GRAVITY).sqrt(), landing, rig.sim.timestep()),
        Check::zero("any cube away from its place after 4 s (m)", displacement(&rig, &landed), 1e-6),
        Check::zero("largest speed after 4 s (m/s, rad/s)", speed, 1e-8),
    ])
}
