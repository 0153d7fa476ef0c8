//! Towers of 12 to 100 boxes and piles of 25 to 150 bodies: 48 to 400 contacts.

use crate::samples::islands::stack;
pub use crate::samples::pile::pile;
use crate::samples::rng::Rng;
use crate::samples::system::Sample;

/// Boxes of a tower, with four contacts a face.
pub const TOWERS: [usize; 4] = [12, 25, 50, 100];

/// Bodies and contacts of a pile.
pub const PILES: [[usize; 2]; 4] = [[25, 50], [50, 125], [100, 250], [150, 400]];

/// A tower of equal masses.
pub fn tower(boxes: usize, seed: u64) -> Sample {
    let name = format!("tower {boxes}, {} contacts, {seed}", 4 * boxes);
    Sample { name, system: stack(&mut Rng::new(seed), boxes, 1.0, 0.5) }
}

/// A pile of masses within a decade.
pub fn heap([bodies, contacts]: [usize; 2], seed: u64) -> Sample {
    let name = format!("pile {bodies}, {contacts} contacts, {seed}");
    Sample { name, system: pile(&mut Rng::new(seed), bodies, contacts, 10.0, [0.3, 0.8]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towers_and_piles_have_the_contacts_they_are_named_for() {
        for boxes in TOWERS {
            assert_eq!(tower(boxes, 1).system.cones.len(), 4 * boxes);
        }
        for size in PILES {
            let system = heap(size, 1).system;
            assert_eq!((system.rows.columns, system.cones.len()), (6 * size[0], size[1]));
        }
    }
}
