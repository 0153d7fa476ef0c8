//! Square systems of equations `phi(z) = 0` whose square sum is descended: what the Levenberg-Marquardt methods see of a
//! problem.

use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::newton::levenberg_marquardt::damped_step::DampedLeastSquares;

/// The merit `psi = phi . phi / 2` below which MJ14 stops (dimensionless).
const PAPER_MERIT: f64 = 1e-30;

/// A point and the equations there.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The unknowns.
    pub z: Vec<f64>,
    /// What the equations are made of besides `z`.
    pub inner: Vec<f64>,
    /// The equations.
    pub phi: Vec<f64>,
    /// `phi . phi / 2`; infinite where the equations are not defined.
    pub psi: f64,
}

impl Point {
    /// Reserves memory for `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        for vector in [&mut self.z, &mut self.inner, &mut self.phi] {
            reserve_to(vector, n);
        }
    }

    /// Becomes equal to `other`, in the same memory.
    pub(crate) fn copy_from(&mut self, other: &Point) {
        self.z.clone_from(&other.z);
        self.inner.clone_from(&other.inner);
        self.phi.clone_from(&other.phi);
        self.psi = other.psi;
    }

    /// Moves to `z` and evaluates the equations there.
    pub(crate) fn move_to(&mut self, equations: &mut impl Equations, z: &[f64]) {
        self.z.clear();
        self.z.extend_from_slice(z);
        self.evaluate(equations);
    }

    /// Evaluates the equations at `self.z`.
    pub(crate) fn evaluate(&mut self, equations: &mut impl Equations) {
        self.inner.resize(self.z.len(), 0.0);
        self.phi.resize(self.z.len(), 0.0);
        equations.evaluate(&self.z, &mut self.inner, &mut self.phi);
        let psi = 0.5 * self.phi.iter().map(|v| v * v).sum::<f64>();
        self.psi = if psi.is_nan() { f64::INFINITY } else { psi };
    }

    /// Factors the generalized Jacobian `J` and writes the gradient `J^T phi`. False if it is not finite.
    pub(crate) fn linearize(
        &self,
        equations: &mut impl Equations,
        squares: &mut DampedLeastSquares,
        gradient: &mut Vec<f64>,
    ) -> bool {
        let n = self.z.len();
        squares.budget = equations.budget();
        let (jacobian, image) = squares.data_mut(n);
        if !equations.jacobian(self, jacobian) {
            return false;
        }
        gradient.clear();
        gradient.resize(n, 0.0);
        for (row, phi) in jacobian.chunks_exact(n.max(1)).zip(&self.phi) {
            gradient.iter_mut().zip(row).for_each(|(g, entry)| *g += phi * entry);
        }
        image.copy_from_slice(&self.phi);
        squares.factor();
        true
    }

    /// Whether MJ14 would stop here.
    pub(crate) fn is_papers_solution(&self) -> bool {
        self.psi < PAPER_MERIT
    }
}

/// A square system, and the evaluation of its points on the problem itself.
pub trait Equations {
    /// Writes `phi(z)`, and on the way to it `inner`.
    fn evaluate(&mut self, z: &[f64], inner: &mut [f64], phi: &mut [f64]);

    /// Writes an element of the generalized Jacobian at an evaluated point, row-major. False if it is not finite.
    fn jacobian(&mut self, point: &Point, jacobian: &mut [f64]) -> bool;

    /// Replaces `z` by the nearest point that the method may go to.
    fn project(&self, _z: &mut [f64]) {}

    /// The time that the method has.
    fn budget(&self) -> Budget;

    /// Counts an iteration of the method.
    fn count(&mut self);

    /// Evaluates a point that the method has moved to on the problem itself. Whether the method may stop there.
    fn offer(&mut self, point: &Point) -> bool;
}
