//! What contacts carry under the steppers that work with forces: momentum and energy are accounted for, by the test's own arithmetic.

use crate::common::piles::pile;
use crate::common::{position, simulate};
use nalgebra::Vector3;
use stiction::report::Certificate;
use stiction::scene::mjcf;
use stiction::sim::{Simulation, Stepper};

const G: f64 = 9.81;

/// A scene under a stepper, with a time step (s) and a coefficient of restitution.
fn under(stepper: Stepper, h: f64, e: f64, text: &str) -> Simulation {
    let mut scene = mjcf::parse(text, "test.xml").unwrap_or_else(|error| panic!("{error}"));
    scene.options.stepper = Some(stepper);
    scene.options.restitution = Some(e);
    scene.model.timestep = h;
    Simulation::from_scene(scene).unwrap()
}

/// Lone bodies whose frames are in their centres of mass, on and above a floor, with these poses and velocities.
fn bodies(shapes: &[&str], mu: f64, start: &[[f64; 13]]) -> String {
    let bodies: String = shapes
        .iter()
        .enumerate()
        .map(|(i, shape)| format!(r#"<body name="b{i}"><freejoint/><geom {shape} friction="{mu}"/></body>"#))
        .collect();
    let list = |range: std::ops::Range<usize>| {
        let numbers = start.iter().flat_map(|body| &body[range.clone()]);
        numbers.map(f64::to_string).collect::<Vec<_>>().join(" ")
    };
    format!(
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" friction="{mu}"/>{bodies}</worldbody>
        <keyframe><key name="start" qpos="{}" qvel="{}"/></keyframe></mujoco>"#,
        list(0..7),
        list(7..13)
    )
}

/// The momentum that a step gives each lone body and that nothing in the readout explains, as a part of what acts (the impulses of
/// contacts and gravity): the largest, or that of all together.
fn unexplained(s: &Simulation, before: &[f64], together: bool) -> f64 {
    let (model, h) = (s.model(), s.timestep());
    let mut worst: f64 = 0.0;
    let mut all = (Vector3::zeros(), 0.0);
    for (body, contents) in model.bodies.iter().enumerate().skip(1) {
        let stiction::model::Base::Link(link) = contents.base else { panic!("{}", contents.name) };
        let dof = model.links[link].v;
        let change = Vector3::from_fn(|i, _| s.state.v[dof + i] - before[dof + i]) * contents.mass;
        let weight = Vector3::new(0.0, 0.0, -G * h * contents.mass);
        let (mut sum, mut size) = (weight, weight.norm() + change.norm());
        for force in s.contact_acts() {
            let [first, second] = force.contact.geoms.map(|geom| model.geoms[geom].body.index() == body);
            let impulse = force.contact.frame
                * force.impulse
                * (f64::from(u8::from(second)) - f64::from(u8::from(first)));
            assert!(
                (force.force * h - force.contact.frame * force.impulse).norm()
                    <= 1e-12 * force.impulse.norm()
            );
            sum += impulse;
            size += impulse.norm();
        }
        worst = worst.max((change - sum).norm() / size);
        all = (all.0 + change - sum, all.1 + size);
    }
    if together { all.0.norm() / all.1 } else { worst }
}

const STEPPERS: [Stepper; 3] = [Stepper::TimeStepping, Stepper::Acceleration, Stepper::EventDriven];
const STEPS: [f64; 5] = [1e-4, 5e-4, 2e-3, 5e-3, 2e-2];

/// Runs a scene under all steppers and time steps and demands that momentum is explained to rounding. Returns how many steps were
/// taken by forces alone while something touched.
fn momentum_is_explained(name: &str, e: f64, duration: f64, text: &str) -> usize {
    let mut by_forces = 0;
    for (stepper, h) in STEPPERS.into_iter().flat_map(|stepper| STEPS.map(|h| (stepper, h))) {
        if stepper == Stepper::Acceleration && e > 0.0 {
            continue;
        }
        let mut s = under(stepper, h, e, text);
        for _ in 0..((duration / h) as usize).clamp(20, 400) {
            let before = s.state.v.clone();
            let report = s.step().unwrap();
            by_forces += usize::from(report.rows == 0 && report.contacts > 0);
            // Bodies in the air that overlap removal has turned get their common angular momentum back, as one rigid body.
            let rest = unexplained(&s, &before, report.certificate.projection > 0.0);
            assert!(rest <= 1e-11, "{name}, {}, h = {h}: {rest:.1e} in {report:?}", stepper.name());
        }
    }
    by_forces
}

#[test]
fn impulses_and_gravity_explain_the_momentum_of_balls_that_bounce_roll_and_slide() {
    let ball = r#"type="sphere" size="0.1" mass="2""#;
    for (mu, e) in [(0.0, 0.0), (0.4, 0.0), (0.4, 0.7), (0.0, 1.0)] {
        let thrown = [0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0, 1.5, -0.5, -1.0, 3.0, 20.0, 5.0];
        let rolling = [1.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 5.0, 0.0];
        let by_forces = momentum_is_explained("ball", e, 0.5, &bodies(&[ball, ball], mu, &[thrown, rolling]));
        assert!(by_forces > 100, "{by_forces}");
    }
}

#[test]
fn impulses_and_gravity_explain_the_momentum_of_a_ball_on_a_dome_whose_normal_turns() {
    let text = r#"<mujoco><worldbody><geom name="dome" type="sphere" size="0.9" friction="0.2"/>
        <body name="ball"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.2"/></body></worldbody>
        <keyframe><key name="start" qpos="0 0 1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#;
    let by_forces = momentum_is_explained("dome", 0.0, 0.3, text);
    assert!(by_forces > 100, "{by_forces}");
}

#[test]
fn impulses_and_gravity_explain_the_momentum_of_a_stack_that_is_hit() {
    let block = r#"type="box" size="0.1 0.1 0.05" mass="1""#;
    let at = |z: f64, vx: f64, vz: f64| [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0, vx, 0.0, vz, 0.0, 0.0, 0.0];
    for e in [0.0, 0.5] {
        let start = [at(0.05, 0.0, 0.0), at(0.15, 0.3, 0.0), at(0.27, 0.2, -1.0)];
        let by_forces = momentum_is_explained("stack", e, 0.3, &bodies(&[block; 3], 0.5, &start));
        assert!(by_forces > 100, "{by_forces}");
    }
}

#[test]
#[ignore = "slow: takes some seconds"]
fn impulses_and_gravity_explain_the_momentum_of_heaps() {
    for seed in 0..6 {
        for e in [0.0, 0.6] {
            let _ = momentum_is_explained(&format!("heap {seed}"), e, 1.5, &pile(seed, 5));
        }
    }
}

/// A ball of 1 kg that falls from where it has 2.10 J above the floor.
fn dropped_ball() -> String {
    let start = [0.0, 0.0, 0.1 + 2.10 / G, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    bodies(&[r#"type="sphere" size="0.1" mass="1""#], 0.5, &[start])
}

#[test]
fn the_work_of_an_impact_is_the_energy_it_takes() {
    for e in [0.0, 0.3, 0.8, 1.0] {
        let mut s = under(Stepper::EventDriven, 0.005, e, &dropped_ball());
        let mut work = 0.0;
        let fall = libm::sqrt(2.0 * 2.10) / G;
        // Until half of the way to the second impact, if there is one.
        while s.state.time < fall * (1.0 + e.max(0.2)) {
            let certificate = s.step().unwrap().certificate;
            work += certificate.contact_work;
            for field in Certificate::FIELDS.iter().filter(|field| field.violation) {
                assert!((field.get)(&certificate) <= 1e-6, "e = {e}, {}: {certificate:?}", field.name);
            }
        }
        assert!((work + 2.10 * (1.0 - e * e)).abs() < 1e-9, "e = {e}: {work} J");
    }
}

#[test]
fn all_energy_that_changes_is_the_work_of_contacts_where_nothing_else_does_work() {
    // Only gravity acts besides: what the total energy loses, contacts take.
    let shapes = [
        r#"type="box" size="0.1 0.1 0.05" mass="1""#,
        r#"type="sphere" size="0.1" mass="2""#,
        r#"type="sphere" size="0.05" mass="0.5""#,
    ];
    let turning = r#"type="capsule" size="0.05 0.1" mass="0.5""#;
    let start = [
        [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.1, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, -15.0, 0.0],
        [-1.0, 1.0, 0.3, 0.9, 0.3, 0.2, 0.1, 0.0, 0.0, -1.0, 1.0, 2.0, 0.0],
    ];
    for (stepper, e) in
        [(Stepper::Acceleration, 0.0), (Stepper::EventDriven, 0.0), (Stepper::EventDriven, 0.5)]
    {
        // Where a body turns on two points the force on each is not smooth in time, and no rule is of order four.
        for (third, tolerance) in [(shapes[2], 1e-10), (turning, 1e-6)] {
            let mut s = under(stepper, 0.001, e, &bodies(&[shapes[0], shapes[1], third], 0.3, &start));
            let (mut checked, mut work, mut previous_rows) = (0, 0.0, false);
            for _ in 0..400 {
                let report = s.step().unwrap();
                let certificate = report.certificate;
                // A step that time stepping takes has errors of first order, and the next one removes overlap.
                if report.rows == 0 && !previous_rows && certificate.projection == 0.0 {
                    let rest = certificate.energy_change - certificate.contact_work;
                    assert!(rest.abs() <= tolerance, "{}: {rest:.1e} J in {report:?}", stepper.name());
                    checked += 1;
                    work += certificate.contact_work;
                }
                previous_rows = report.rows > 0;
                let of_contacts: f64 = s.contact_forces().iter().map(|force| force.work).sum();
                assert!((of_contacts - certificate.contact_work).abs() <= 1e-12, "{certificate:?}");
            }
            assert!(checked > 100 && work < -0.5, "{}: {checked} steps, {work} J", stepper.name());
        }
    }
}

#[test]
fn a_block_that_slides_has_its_friction_and_speed_in_the_readout_and_violates_no_law() {
    let start = [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0];
    let text = bodies(&[r#"type="box" size="0.1 0.1 0.05" mass="2""#], 0.3, &[start]);
    for stepper in [Stepper::Acceleration, Stepper::EventDriven] {
        let mut s = under(stepper, 0.01, 0.0, &text);
        for step in 0..20 {
            let certificate = s.step().unwrap().certificate;
            let contacts = s.contact_forces();
            assert_eq!(contacts.len(), 4, "{}", stepper.name());
            let sum = contacts.iter().map(|c| c.contact.frame * c.sustained.unwrap()).sum::<Vector3<f64>>();
            let friction = 0.3 * 2.0 * G;
            // On the floor, whose name comes after the block's.
            let wanted = Vector3::new(0.6 * friction, 0.8 * friction, -2.0 * G);
            assert!((sum - wanted).norm() < 1e-8, "{} {step}: {sum:?}", stepper.name());
            let average = contacts.iter().map(|c| c.force).sum::<Vector3<f64>>();
            assert!((average - wanted).norm() < 1e-8, "{} {step}: {average:?}", stepper.name());
            for c in contacts {
                assert!(
                    c.sustained.is_none_or(|force| force.x < 1e-12) || (c.margin.unwrap() - 1.0).abs() < 1e-9
                );
            }
            for field in Certificate::FIELDS.iter().filter(|field| field.violation) {
                assert!((field.get)(&certificate) <= 1e-9, "{}: {certificate:?}", field.name);
            }
            let speed = 5.0 - 0.3 * G * 0.01 * f64::from(step);
            let work = -friction * 0.01 * (speed - 0.5 * 0.3 * G * 0.01);
            assert!((certificate.contact_work - work).abs() < 1e-9, "{} {work}", certificate.contact_work);
        }
        assert!(position(&s, "b0").x > 0.0);
    }
}

#[test]
fn each_impact_has_an_entry_of_its_own_with_the_speeds_before_and_after() {
    let mut s = under(Stepper::EventDriven, 0.02, 0.5, &dropped_ball());
    let mut impacts = Vec::new();
    while s.state.time < 1.5 {
        let _ = s.step().unwrap();
        impacts.extend(s.contact_acts().iter().filter(|force| force.sustained.is_none()).copied());
    }
    let mut before = libm::sqrt(2.0 * 2.10);
    assert!(impacts.len() > 5, "{}", impacts.len());
    for impact in &impacts[..5] {
        assert!(
            (impact.before.x + before).abs() < 1e-9 && (impact.velocity.x - 0.5 * before).abs() < 1e-9,
            "{impact:?}"
        );
        assert!((impact.impulse.x - 1.5 * before).abs() < 1e-9, "{impact:?}");
        before *= 0.5;
    }
}

#[test]
fn viscous_friction_has_no_impulse_in_an_impact_whatever_law_it_came_from() {
    for law in ["viscous 3", "coulomb 0 viscous 3"] {
        let text = dropped_ball()
            .replace(
                "<mujoco>",
                &format!(
                    r#"<mujoco><custom><text name="stiction:law" data="{law}"/>
                    <text name="stiction:stepper" data="event-driven"/></custom>"#
                ),
            )
            .replace("qvel=\"0 ", "qvel=\"2 ");
        let mut s = simulate(&text);
        let mut seen = 0;
        while s.state.time < 0.6 {
            let report = s.step().unwrap();
            assert!(report.certificate.viscous_error <= 1e-9, "{law}: {report:?}");
            for force in s.contact_acts().iter().filter(|force| force.sustained.is_none()) {
                assert!(force.impulse.y.abs().max(force.impulse.z.abs()) <= 1e-12, "{law}: {force:?}");
                seen += 1;
            }
        }
        assert!(seen > 0, "{law}");
    }
}
