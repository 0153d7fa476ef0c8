//! A heap of bodies at random, of any size.

use nalgebra::Vector3;

use crate::samples::bodies::{Body, Contact, system};
use crate::samples::rng::Rng;
use crate::samples::system::System;

/// Bodies about a metre apart in a heap as high as it is wide, the nearest ones (and the lowest and the ground) in
/// contact. Where there are more contacts than pairs within reach, pairs have several, which is hyperstatic. Masses are
/// within `ratio`, coefficients of friction within `mu`, of each contact.
pub fn pile(rng: &mut Rng, bodies: usize, contacts: usize, ratio: f64, mu: [f64; 2]) -> System {
    let side = libm::cbrt(bodies as f64);
    let heap: Vec<Body> = (0..bodies)
        .map(|_| {
            let place = Vector3::new(rng.uniform(0.0, side), rng.uniform(0.0, side), rng.uniform(0.2, side));
            let mut body =
                Body::cuboid(Vector3::from_fn(|_, _| rng.uniform(0.3, 0.6)), rng.log_uniform(1.0, ratio));
            body.orientation = rng.orientation();
            body.velocity = rng.vector(0.1) - 0.0981 * Vector3::z();
            body.spin = rng.vector(0.2);
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
                Some(_) => (body.position - other + 0.1 * rng.direction()).normalize(),
            };
            // Contacts of one pair lie in a patch about the middle.
            let middle = 0.5 * (body.position + other) + rng.vector(0.2);
            Contact::new(on, against, middle, normal, rng.log_uniform(mu[0], mu[1]))
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
