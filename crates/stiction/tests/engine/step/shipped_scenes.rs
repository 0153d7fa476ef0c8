//! The shipped scenes over their whole length: what must hold in every step.

use crate::common::{overlap_as_posed, position, run, shipped, simulate, speed};

#[test]
fn the_twelve_link_pendulum_never_gains_energy_from_contact_nor_between_contacts() {
    let mut s = simulate(&shipped("pendulum12"));
    // Energy at the beginning of the present stretch without contact, and the worst rise within a second of one.
    let mut stretch: Option<(f64, f64)> = None;
    let mut rise: f64 = 0.0;
    run(&mut s, 20.0, |s, report| {
        let certificate = &report.certificate;
        assert!(certificate.contact_work <= 1e-12 * report.kinetic_energy, "{report:?}");
        assert!(certificate.residual <= 1e-9 && overlap_as_posed(s) <= 1e-8, "{report:?}");
        assert!(certificate.penetration <= 1e-9, "{report:?}");
        assert!(certificate.energy_change <= 1e-5, "{report:?}");
        stretch = match stretch {
            _ if report.contacts > 0 => None,
            Some((start, energy)) if report.time - start <= 1.0 => {
                rise = rise.max(report.energy - energy);
                Some((start, energy))
            }
            _ => Some((report.time, report.energy)),
        };
    });
    assert!(rise <= 1e-3, "energy rose by {rise} J without contact");
    assert_eq!(s.step_number(), 20_000);
}

#[test]
fn the_humanoid_falls_and_comes_to_rest_on_the_floor() {
    let mut s = simulate(&shipped("humanoid"));
    let start = position(&s, &s.model().bodies[1].name.clone()).z;
    run(&mut s, 10.0, |s, report| {
        assert!(report.certificate.residual <= 1e-9, "{report:?}");
        // What turns with 20 rad/s sinks in by 1/2 r (omega h)^2 in a step of 2 ms.
        assert!(overlap_as_posed(s) <= 1e-8 && report.certificate.penetration <= 5e-4, "{report:?}");
    });
    let name = s.model().bodies[s.model().links[0].body].name.clone();
    assert!(position(&s, &name).z < 0.5 * start.max(1.0), "{} stands at {}", name, position(&s, &name));
    assert!(speed(&s) < 1e-3, "speed {}", speed(&s));
    let weight = 9.81 * s.model().total_mass();
    let support: f64 = s.contact_forces().iter().map(|c| c.force.z.abs()).sum();
    assert!((support / weight - 1.0).abs() < 1e-3, "support {support}, weight {weight}");
}

#[test]
fn every_shipped_scene_is_solved_in_every_step() {
    for name in [
        "sphere_slide",
        "incline",
        "box_stack",
        "mass_ratio",
        "grasp",
        "belt",
        "pendulum",
        "spin",
        "drop_stack",
        "bounce",
    ] {
        let mut s = simulate(&shipped(name));
        let residual = run(&mut s, 2.5, |_, _| {});
        // At a mass ratio of 1e6 rounding alone leaves more than the tolerance.
        assert!(residual <= if name == "mass_ratio" { 1e-7 } else { 1e-9 }, "{name}: {residual}");
    }
}
