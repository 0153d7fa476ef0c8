//! Frictionless contacts, many of them on few velocities: how work grows with contacts alone.

use crate::problem::{FactoredLcp, SolverError};
use crate::samples::rng::Rng;

/// `n` contacts on `velocities` velocities: the rows of `Y` uniform in the cube, three quarters of the contacts closing or
/// at rest at a velocity that all of them admit, so that there is a solution.
///
/// # Errors
/// None for the numbers that are drawn.
pub fn contacts(seed: u64, n: usize, velocities: usize) -> Result<FactoredLcp, SolverError> {
    let mut rng = Rng::new(seed);
    let half: Vec<f64> = (0..n * velocities).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let admissible: Vec<f64> = (0..velocities).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let row = |i: usize| &half[i * velocities..(i + 1) * velocities];
    let speed = |i: usize| row(i).iter().zip(&admissible).map(|(y, v)| y * v).sum::<f64>();
    let q = (0..n).map(|i| rng.uniform(-0.5, 0.5).max(0.0) - speed(i)).collect();
    FactoredLcp::from_half(velocities, half, q)
}
