//! The Fischer-Burmeister equations: the complementarity conditions of a bounded problem as a square system `phi(z) = 0`, with its generalized Jacobian.
//! Equilibrated units; see [`crate::newton::fischer_burmeister`].

use crate::linalg::budget::Budget;
use crate::newton::fischer_burmeister::{equation, weights};
use crate::newton::levenberg_marquardt::{Equations, Point};
use crate::newton::newton_driver::NewtonDriver;
use crate::problem::{Bounded, Solution};

/// A certified answer is final when a step leaves more than this part of the natural map: convergence near a regular
/// solution is quadratic, so that the steps until then are few, and which face an index lies on shows last.
const SETTLED: f64 = 0.1;

/// The system of a problem whose solve has been opened.
#[derive(Debug)]
pub(crate) struct FbEquations<'a, P> {
    problem: &'a P,
    driver: &'a mut NewtonDriver,
    x: &'a mut Solution,
    /// Natural map of the last point offered, in equilibrated units.
    last: f64,
}

impl<'a, P: Bounded> FbEquations<'a, P> {
    /// The equations of `problem`; the best point offered is left in `x`.
    pub(crate) fn new(
        problem: &'a P,
        driver: &'a mut NewtonDriver,
        x: &'a mut Solution,
    ) -> FbEquations<'a, P> {
        FbEquations { problem, driver, x, last: f64::INFINITY }
    }
}

/// `inner` is `w = F(z)`.
impl<P: Bounded> Equations for FbEquations<'_, P> {
    fn evaluate(&mut self, z: &[f64], w: &mut [f64], phi: &mut [f64]) {
        let units = &mut self.driver.units;
        units.value(self.problem, z, w);
        for (i, bounds) in units.bounds.iter().enumerate() {
            phi[i] = equation(z[i], w[i], *bounds);
        }
    }

    fn jacobian(&mut self, point: &Point, jacobian: &mut [f64]) -> bool {
        let units = &mut self.driver.units;
        if !units.jacobian(self.problem, &point.z, jacobian) {
            return false;
        }
        for (i, row) in jacobian.chunks_exact_mut(point.z.len()).enumerate() {
            let [by_z, by_w] = weights(point.z[i], point.inner[i], units.bounds[i], row[i]);
            row.iter_mut().for_each(|entry| *entry *= by_w);
            row[i] += by_z;
        }
        true
    }

    fn project(&self, z: &mut [f64]) {
        self.driver.units.project(z);
    }

    fn budget(&self) -> Budget {
        self.driver.incumbent.budget()
    }

    fn count(&mut self) {
        self.driver.incumbent.iterations += 1;
    }

    fn offer(&mut self, point: &Point) -> bool {
        let residual = self.driver.offer(self.problem, &point.z, self.x);
        self.driver.record();
        let settled = residual > SETTLED * self.last;
        self.last = residual;
        self.driver.is_done() && settled
    }
}
