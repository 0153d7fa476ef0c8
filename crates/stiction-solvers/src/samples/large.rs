//! Towers of 12 to 100 boxes and piles of 25 to 150 bodies: 48 to 400 contacts.

use nalgebra::Vector3;

use crate::samples::Sample;
use crate::samples::bodies::{Body, Contact, system};
use crate::samples::dice::Dice;
use crate::samples::islands::stack;
use crate::samples::system::System;

/// Boxes of a tower, with four contacts a face.
pub const TOWERS: [usize; 4] = [12, 25, 50, 100];

/// Bodies and contacts of a pile.
pub const PILES: [[usize; 2]; 4] = [[25, 50], [50, 125], [100, 250], [150, 400]];

/// A tower of equal masses.
pub fn tower(boxes: usize, seed: u64) -> Sample {
    let name = format!("tower {boxes}, {} contacts, {seed}", 4 * boxes);
    Sample { name, system: stack(&mut Dice::new(seed), boxes, 1.0, 0.5) }
}

/// A pile of masses within a decade.
pub fn heap([bodies, contacts]: [usize; 2], seed: u64) -> Sample {
    let name = format!("pile {bodies}, {contacts} contacts, {seed}");
    Sample { name, system: pile(&mut Dice::new(seed), bodies, contacts, 10.0, [0.3, 0.8]) }
}

/// Bodies about a metre apart in a heap as high as it is wide, the nearest ones (and the lowest and the ground) in
/// contact. Where there are more contacts than pairs within reach, pairs have several, which is hyperstatic. Masses are
/// within `ratio`, coefficients of friction within `mu`, of each contact.
pub fn pile(dice: &mut Dice, bodies: usize, contacts: usize, ratio: f64, mu: [f64; 2]) -> System {
    let side = libm::cbrt(bodies as f64);
    let heap: Vec<Body> = (0..bodies)
        .map(|_| {
            let place =
                Vector3::new(dice.uniform(0.0, side), dice.uniform(0.0, side), dice.uniform(0.2, side));
            let mut body =
                Body::cuboid(Vector3::from_fn(|_, _| dice.uniform(0.3, 0.6)), dice.log_uniform(1.0, ratio));
            body.orientation = dice.orientation();
            body.velocity = dice.vector(0.1) - 0.0981 * Vector3::z();
            body.spin = dice.vector(0.2);
            body.at(place)
        })
        .collect();
    let pairs = nearest_pairs(&heap, contacts);
    let touching: Vec<Contact> = (0..contacts)
        .map(|k| {
            let (on, against) = pairs[k % pairs.len()];
            let body = &heap[on];
            let other =
                against.map_or(body.position - 2.0 * body.position.z * Vector3::z(), |b| heap[b].position);
            let normal = match against {
                None => Vector3::z(),
                Some(_) => (body.position - other + 0.1 * dice.direction()).normalize(),
            };
            // Contacts of one pair lie in a patch about the middle.
            let middle = 0.5 * (body.position + other) + dice.vector(0.2);
            Contact::new(on, against, middle, normal, dice.log_uniform(mu[0], mu[1]))
        })
        .collect();
    system(&heap, &touching)
}

/// The pairs of bodies, or of a body and the ground, by distance: at most `count` and three for every body.
fn nearest_pairs(heap: &[Body], count: usize) -> Vec<(usize, Option<usize>)> {
    let mut pairs: Vec<(f64, usize, Option<usize>)> = Vec::new();
    for (i, a) in heap.iter().enumerate() {
        pairs.push((2.0 * a.position.z, i, None));
        pairs.extend(
            heap[..i].iter().enumerate().map(|(j, b)| ((a.position - b.position).norm(), i, Some(j))),
        );
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    pairs.truncate(count.min(3 * heap.len()).max(1));
    pairs.into_iter().map(|(_, on, against)| (on, against)).collect()
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
