//! Friction-box problems of grasps, as in Arechavaleta and others 2010: fingers of four joints hold an object, the
//! tangential bounds come from an estimate of the normal impulses.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use rand::RngExt;
use rand_pcg::Pcg64;
use stiction_solvers::BoxLcp;

use crate::common::{gram, uniform};

/// Constraint force mixing of the paper's experiments, relative to the mean diagonal here.
const MIXING: f64 = 1e-11;

/// `contacts` contacts (normal and two tangents each) of fingers against one object: `A = J M^-1 J^T` with six velocities
/// of the object and four of each finger, up to three contacts a finger.
pub(crate) fn friction_box_grasp(random: &mut Pcg64, contacts: usize) -> BoxLcp {
    let n = 3 * contacts;
    let fingers = contacts.div_ceil(3);
    let m = 6 + 4 * fingers;
    // Y = J L^-T, with the object heavier than the links.
    let mut y = vec![0.0; n * m];
    for i in 0..n {
        let finger = i / 9;
        let object = uniform(random, 6);
        let links = uniform(random, 4);
        for (k, v) in object.iter().enumerate() {
            y[i * m + k] = *v;
        }
        for (k, v) in links.iter().enumerate() {
            y[i * m + 6 + 4 * finger + k] = 3.0 * v;
        }
    }
    let mut a = gram(n, m, &y);
    let mean = (0..n).map(|i| a[i * n + i]).sum::<f64>() / n as f64;
    (0..n).for_each(|i| a[i * n + i] += MIXING * mean);
    // Free velocity in the range of J: the fingers close, the object falls.
    let velocity = uniform(random, m);
    let q: Vec<f64> = (0..n)
        .map(|i| (0..m).map(|k| y[i * m + k] * velocity[k]).sum::<f64>() - if i % 3 == 0 { 0.5 } else { 0.0 })
        .collect();
    let mu = random.random_range(0.2..1.0);
    let (mut lower, mut upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
    for i in (0..n).filter(|i| i % 3 != 0) {
        let bound = mu * random.random_range(0.0..0.3);
        (lower[i], upper[i]) = (-bound, bound);
    }
    BoxLcp::new(a, q, lower, upper).unwrap()
}
