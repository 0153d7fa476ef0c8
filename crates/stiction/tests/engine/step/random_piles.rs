//! Random bodies thrown on a heap: whatever happens, every step is solved and obeys the laws.

use crate::common::piles::pile;
use crate::common::{CONTACTS_BRING, overlap_as_posed, simulate_by};
use stiction::sim::{Simulation, Stepper};

#[test]
fn every_step_of_a_random_pile_is_solved_by_time_stepping_and_obeys_the_laws_of_contact() {
    for seed in 1..=12 {
        let mut s = simulate_by(Stepper::TimeStepping, "cone", &pile(seed, 8));
        for _ in 0..1000 {
            let report = s.step().unwrap();
            let c = &report.certificate;
            assert!(report.solved() && c.residual <= 1e-9, "seed {seed}: {report:?}");
            assert!(overlap_as_posed(&s) <= 1e-8, "seed {seed}: {report:?}");
            // What is hit within a step may run into what it was not about to touch, and what turns in contact sinks in by
            // 1/2 r (omega h)^2: never by more than both bodies travel, and the next step removes it.
            assert!(c.penetration <= 2.0 * travel(&s), "seed {seed}: {} m, {report:?}", travel(&s));
            assert!(c.contact_work <= 1e-12 * (1.0 + report.kinetic_energy), "seed {seed}: {report:?}");
            // Bodies of 100 kg at metres per second: impulses of 1e3 N s over 2 ms are 5e5 N.
            assert!(c.pull <= 1e-4 && c.cone_violation <= 1e-4, "seed {seed}: {report:?}");
            assert!(c.approach <= 1e-8, "seed {seed}: {report:?}");
            // Contacts take energy only; a body that spins in contact is integrated to first order (2 ms).
            assert!(c.energy_change <= 1e-5 * (1.0 + report.energy.abs()), "seed {seed}: {report:?}");
        }
    }
}

/// The farthest that a point of a body of less than a metre travels in a step (m).
fn travel(s: &Simulation) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let speeds = s.state.v.chunks_exact(6).map(|v| norm(&v[..3]) + norm(&v[3..]));
    s.timestep() * speeds.fold(0.0, f64::max)
}

#[test]
fn every_step_of_a_random_pile_is_solved_by_impulses_at_both_ends_and_nothing_overlaps() {
    let mut brings = 0;
    for seed in 1..=12 {
        let mut s = simulate_by(Stepper::Rattle, "cone", &pile(seed, 8));
        for _ in 0..1000 {
            let report = s.step().unwrap();
            let c = &report.certificate;
            assert!(report.solved() && c.residual <= 1e-7, "seed {seed}: {report:?}");
            assert!(c.penetration <= 1e-8, "seed {seed}: {report:?}");
            let brought = c.contact_work.max(c.energy_change) / (1.0 + report.kinetic_energy);
            assert!(brought <= CONTACTS_BRING, "seed {seed}: {report:?}");
            brings += usize::from(brought > 1e-6);
            // Bodies of 100 kg at metres per second: impulses of 1e3 N s over 2 ms are 5e5 N.
            assert!(c.pull <= 1e-4 && c.cone_violation <= 1e-4, "seed {seed}: {report:?}");
            assert!(c.approach <= 5e-5, "seed {seed}: {report:?}");
        }
    }
    println!("{brings} of 12000 steps bring more than a millionth of the kinetic energy");
    assert!(brings <= 12000 / 200, "{brings}");
}
