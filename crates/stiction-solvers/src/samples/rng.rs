//! Random numbers in the distributions that contact problems are drawn from.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A source of random numbers; the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Rng(Pcg64);

impl Rng {
    /// A source that begins at this seed.
    pub fn new(seed: u64) -> Rng {
        Rng(Pcg64::seed_from_u64(seed))
    }

    /// Uniform in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// Between two positive numbers, uniform in the logarithm.
    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.uniform(libm::log(low), libm::log(high)))
    }

    /// One of `0..count`, which must not be 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count)
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.0.random::<f64>() < probability
    }

    /// Every component uniform in `-size..size`.
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.uniform(-size, size))
    }

    /// A direction, none preferred.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector(1.0);
            let square = v.norm_squared();
            if (1e-4..1.0).contains(&square) {
                return v / square.sqrt();
            }
        }
    }

    /// An orientation, none preferred.
    pub fn orientation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let [w, x, y, z] = std::array::from_fn(|_| self.uniform(-1.0, 1.0));
            let q = Quaternion::new(w, x, y, z);
            if (1e-4..1.0).contains(&q.norm_squared()) {
                return UnitQuaternion::from_quaternion(q);
            }
        }
    }
}
