//! Random bodies thrown on a heap: whatever happens, every step is solved and obeys the laws.

use crate::common::piles::pile;
use crate::common::simulate;

#[test]
fn every_step_of_a_random_pile_is_solved_and_obeys_the_laws_of_contact() {
    for seed in 1..=12 {
        let mut s = simulate(&pile(seed, 8));
        for _ in 0..1000 {
            let report = s.step().unwrap();
            let c = &report.certificate;
            assert!(report.solved() && c.residual <= 1e-9, "seed {seed}: {report:?}");
            assert!(c.penetration <= 1e-8, "seed {seed}: {report:?}");
            assert!(c.contact_work <= 1e-12 * (1.0 + report.kinetic_energy), "seed {seed}: {report:?}");
            // Bodies of 100 kg at metres per second: impulses of 1e3 N s over 2 ms are 5e5 N.
            assert!(c.pull <= 1e-4 && c.cone_violation <= 1e-4, "seed {seed}: {report:?}");
            assert!(c.approach <= 1e-8, "seed {seed}: {report:?}");
            // Contacts take energy only; a body that spins in contact is integrated to first order (2 ms).
            assert!(c.energy_change <= 1e-5 * (1.0 + report.energy.abs()), "seed {seed}: {report:?}");
        }
    }
}
