//! The complementarity conditions of a bounded problem as a square system `phi(z) = 0`, with merit, generalized Jacobian
//! and gradient: what the Levenberg-Marquardt methods see. Equilibrated units; see [`crate::fischer_burmeister`].

use crate::damped_least_squares::DampedLeastSquares;
use crate::equilibrated::Equilibrated;
use crate::fischer_burmeister::{equation, weights};
use crate::problem::Bounded;
use crate::room::make_room;

/// The merit `psi = phi . phi / 2` below which MJ14 stops (dimensionless).
pub(crate) const PAPER_MERIT: f64 = 1e-30;

/// A certified answer is final when a step leaves more than this part of the natural map: convergence near a regular
/// solution is quadratic, so that the steps until then are few, and which face an index lies on shows last.
pub(crate) const SETTLED: f64 = 0.1;

/// The system at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equations {
    pub(crate) z: Vec<f64>,
    w: Vec<f64>,
    phi: Vec<f64>,
    /// `phi . phi / 2`; infinite where the function is not defined.
    pub(crate) psi: f64,
}

impl Equations {
    /// Makes room for `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        for vector in [&mut self.z, &mut self.w, &mut self.phi] {
            make_room(vector, n);
        }
    }

    /// Becomes equal to `other`, in the same memory.
    pub(crate) fn copy_from(&mut self, other: &Equations) {
        self.z.clone_from(&other.z);
        self.w.clone_from(&other.w);
        self.phi.clone_from(&other.phi);
        self.psi = other.psi;
    }

    /// Moves to `z` and evaluates the equations there.
    pub(crate) fn move_to<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated, z: &[f64]) {
        self.z.clear();
        self.z.extend_from_slice(z);
        self.evaluate(problem, units);
    }

    /// Evaluates the equations at `self.z`.
    pub(crate) fn evaluate<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated) {
        self.w.resize(self.z.len(), 0.0);
        units.value(problem, &self.z, &mut self.w);
        self.phi.clear();
        let terms = self.z.iter().zip(&self.w).zip(&units.bounds);
        self.phi.extend(terms.map(|((z, w), bounds)| equation(*z, *w, *bounds)));
        let psi = 0.5 * self.phi.iter().map(|v| v * v).sum::<f64>();
        self.psi = if psi.is_nan() { f64::INFINITY } else { psi };
    }

    /// Factors the generalized Jacobian `J` and writes the gradient `J^T phi`. False if it is not finite.
    pub(crate) fn linearize<P: Bounded>(
        &self,
        problem: &P,
        units: &mut Equilibrated,
        squares: &mut DampedLeastSquares,
        gradient: &mut Vec<f64>,
    ) -> bool {
        let n = self.z.len();
        let (jacobian, image) = squares.data_mut(n);
        if !units.jacobian(problem, &self.z, jacobian) {
            return false;
        }
        gradient.clear();
        gradient.resize(n, 0.0);
        for (i, row) in jacobian.chunks_exact_mut(n).enumerate() {
            let [by_z, by_w] = weights(self.z[i], self.w[i], units.bounds[i], row[i]);
            row.iter_mut().for_each(|entry| *entry *= by_w);
            row[i] += by_z;
            gradient.iter_mut().zip(&*row).for_each(|(g, entry)| *g += self.phi[i] * entry);
        }
        image.copy_from_slice(&self.phi);
        squares.factor();
        true
    }
}
