//! Friction-box problems of a hand that holds an object: fingers of four joints, and bounds on the tangential impulses from
//! an estimate of the normal ones.
//!
//! The size and the conditioning are those of the problems that Arechavaleta, Lopez-Damian, Morales (*On the use of iterative
//! LCP solvers for dry frictional contacts in grasping*, 2010) timed; the geometry is random.

use crate::problem::{BoxLcp, SolverError};
use crate::samples::rng::Rng;

/// Constraint force mixing of the paper's experiments, relative to the mean diagonal here.
const MIXING: f64 = 1e-11;

/// Rows of a contact: normal and two tangents.
const ROWS: usize = 3;

/// Velocities of the object, and of a finger.
const OBJECT: usize = 6;
const JOINTS: usize = 4;

/// How much faster an impulse moves a finger's link than the object.
const LIGHTER: f64 = 3.0;

/// Part of the normal velocity (m/s) that closes the hand.
const CLOSING: f64 = 0.5;

/// A problem of `3 contacts` unknowns; the fingers have as many contacts each as they can.
///
/// # Errors
/// None are known; [`BoxLcp::new`] checks the data.
pub fn friction_boxes(rng: &mut Rng, fingers: usize, contacts: usize) -> Result<BoxLcp, SolverError> {
    let n = ROWS * contacts;
    let m = OBJECT + JOINTS * fingers;
    // Y = J L^-T with G = L L^T.
    let mut y = vec![0.0; n * m];
    for (i, row) in y.chunks_exact_mut(m).enumerate() {
        let first = OBJECT + JOINTS * (i / ROWS % fingers);
        row[..OBJECT].fill_with(|| rng.uniform(-1.0, 1.0));
        row[first..first + JOINTS].fill_with(|| LIGHTER * rng.uniform(-1.0, 1.0));
    }
    let product = |i: usize, b: &[f64]| y[i * m..(i + 1) * m].iter().zip(b).map(|(y, b)| y * b).sum::<f64>();
    let mut matrix: Vec<f64> =
        (0..n * n).map(|at| product(at / n, &y[at % n * m..(at % n + 1) * m])).collect();
    let mean = (0..n).map(|i| matrix[i * n + i]).sum::<f64>() / n as f64;
    (0..n).for_each(|i| matrix[i * n + i] += MIXING * mean);
    let free: Vec<f64> = (0..m).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let is_normal = |i: usize| i.is_multiple_of(ROWS);
    let q = (0..n).map(|i| product(i, &free) - if is_normal(i) { CLOSING } else { 0.0 }).collect();
    let mu = rng.uniform(0.2, 1.0);
    let (mut lower, mut upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
    for i in (0..n).filter(|i| !is_normal(*i)) {
        let bound = mu * rng.uniform(0.0, 0.3);
        (lower[i], upper[i]) = (-bound, bound);
    }
    BoxLcp::new(matrix, q, lower, upper)
}
