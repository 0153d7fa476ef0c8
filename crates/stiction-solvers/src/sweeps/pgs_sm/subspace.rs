//! Steps 3 to 5: the minimum over the indices between their bounds, and how far towards it the box allows.
//!
//! The direction comes from a sparse factor, a dense one or conjugate gradients, whichever is cheapest for the problem.

use super::PgsSmSettings;
use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::linalg::envelope::Envelope;
use crate::problem::Solution;
use crate::sweeps::coordinate_rows::Rows;

/// First and largest multiple of the diagonal that keeps a factorization positive definite, and the factor between two
/// attempts. The first is a few hundred roundings; beyond the last nothing would be left of the step.
const DELTA: f64 = 1e-12;
const DELTA_RAISE: f64 = 100.0;
const DELTA_LARGEST: f64 = 1e-2;

/// A pivot below this part of its diagonal entry has lost its digits; some thousand roundings.
const SMALLEST: f64 = 1e-13;

/// Taking out more rows than this costs more than factoring again.
const FEW: usize = 4;

/// Steps of conjugate gradients per subspace step: a descent direction is there after any number.
const GRADIENT_STEPS: usize = 400;

/// Conjugate gradients work to this part of the tolerance, so that their slack does not decide.
const INNER: f64 = 0.1;

/// Memory of the subspace steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Subspace {
    /// Indices between their bounds.
    free: Vec<usize>,
    /// The factor of `M + delta D` over the indices `factored`.
    factor: Cholesky,
    factored: Vec<usize>,
    delta: f64,
    /// The same for a sparse problem whose factor is sparse.
    envelope: Envelope,
    sparse: bool,
    /// Direction over `free`, and over all indices; the change of `w` along it.
    step: Vec<f64>,
    change: Vec<f64>,
    image: Vec<f64>,
    trial: Vec<f64>,
    gradients: Gradients,
}

/// Memory of conjugate gradients, over all indices; zero where an index is at its bound.
#[derive(Clone, Debug, Default)]
struct Gradients {
    residual: Vec<f64>,
    direction: Vec<f64>,
}

impl Subspace {
    /// Reserves the workspace and forgets the last problem.
    pub(super) fn reset<P: Rows>(&mut self, problem: &P, largest_dense: usize) {
        let n = problem.dim();
        self.sparse = problem.sparse_half().is_some_and(|rows| {
            self.envelope.prepare(rows, n);
            // A step of conjugate gradients goes through the rows twice.
            self.envelope.work() <= 4 * rows.count() * GRADIENT_STEPS
        });
        if self.sparse {
            self.envelope.reserve();
        }
        let dense = if self.sparse { 0 } else { n.min(largest_dense) };
        reserve_to(&mut self.free, n);
        reserve_to(&mut self.factored, dense);
        self.factor.reserve(dense);
        self.factor.clear();
        self.factored.clear();
        self.delta = DELTA;
        reserve_to(&mut self.step, n);
        let Gradients { residual, direction } = &mut self.gradients;
        for list in [&mut self.change, &mut self.image, &mut self.trial, residual, direction] {
            list.resize(n, 0.0);
        }
    }

    /// Steps 3 to 5: moves `x` (whose `w` is up to date before and after). True when the cycle is over: the full step
    /// was in the box, or there was none to take.
    pub(super) fn step<P: Rows>(
        &mut self,
        problem: &P,
        settings: &PgsSmSettings,
        scales: &(f64, f64),
        x: &mut Solution,
        state: &mut Vec<f64>,
    ) -> bool {
        let inside = |i: &usize| {
            let [lower, upper] = problem.bounds(*i);
            lower < x.z[*i] && x.z[*i] < upper
        };
        self.free.clear();
        if self.sparse {
            self.free.extend(self.envelope.order().iter().copied().filter(inside));
        } else {
            self.free.extend((0..x.z.len()).filter(inside));
        }
        if self.free.is_empty() {
            return true;
        }
        let found = if self.sparse || self.free.len() <= settings.largest_dense {
            self.factored_direction(problem, &x.w)
        } else {
            let goal = INNER * settings.tolerance / scales.0;
            self.gradient_direction(problem, &x.w, goal, state)
        };
        if !found {
            return true;
        }
        let to_bound = self.first_bound(problem, &x.z);
        let mut scale = 1.0;
        while scale > to_bound {
            if self.advance(problem, scale, x, state) {
                return false;
            }
            scale *= 0.5;
        }
        !self.advance(problem, to_bound, x, state) || to_bound == 1.0
    }

    /// `d = -(M_II + delta D_II)^-1 w_I`.
    fn factored_direction<P: Rows>(&mut self, problem: &P, w: &[f64]) -> bool {
        while !self.refactor(problem) {
            self.delta *= DELTA_RAISE;
            self.factored.clear();
            self.envelope.truncate(0);
            if self.delta > DELTA_LARGEST {
                return false;
            }
        }
        self.step.clear();
        self.step.extend(self.free.iter().map(|&i| -w[i]));
        if self.sparse {
            self.envelope.solve(&mut self.step);
        } else {
            self.factor.solve(&mut self.step);
        }
        self.step.iter().all(|d| d.is_finite())
    }

    /// Makes the factor that of the free indices. Rows before the first difference are kept; where only a few indices
    /// have left, their rows are taken out.
    fn refactor<P: Rows>(&mut self, problem: &P) -> bool {
        if let (true, Some(rows)) = (self.sparse, problem.sparse_half()) {
            return self.envelope.refactor(rows, &self.free, self.delta, SMALLEST).is_ok();
        }
        let few = self.factored.len().saturating_sub(self.free.len()) <= FEW;
        if few && self.free.len() < self.factored.len() && is_subset(&self.free, &self.factored) {
            for at in (0..self.factored.len()).rev() {
                if self.free.binary_search(&self.factored[at]).is_err() {
                    self.factor.remove(at);
                    self.factored.remove(at);
                }
            }
        }
        let same = self.free.iter().zip(&self.factored).take_while(|(a, b)| a == b).count();
        self.factor.truncate(same);
        self.factored.truncate(same);
        let (free, raised) = (&self.free, 1.0 + self.delta);
        let entry = |i: usize, j: usize| match [free[i], free[j]] {
            [i, j] if i == j => problem.diagonal(i) * raised,
            [i, j] => problem.entry(i, j),
        };
        self.factored.extend_from_slice(&free[same..]);
        self.factor.extend(free.len() - same, entry, SMALLEST).is_ok()
    }

    /// The same by conjugate gradients, until no component of the subspace residual exceeds `goal`.
    fn gradient_direction<P: Rows>(
        &mut self,
        problem: &P,
        w: &[f64],
        goal: f64,
        state: &mut Vec<f64>,
    ) -> bool {
        let free = &self.free;
        let Gradients { residual, direction } = &mut self.gradients;
        residual.fill(0.0);
        direction.fill(0.0);
        self.change.fill(0.0);
        let inverse = |i: usize| {
            let diagonal = problem.diagonal(i);
            if diagonal > 0.0 { 1.0 / diagonal } else { 1.0 }
        };
        for &i in free {
            residual[i] = -w[i];
            direction[i] = -w[i] * inverse(i);
        }
        let mut product = dot(residual, direction);
        for _ in 0..GRADIENT_STEPS {
            problem.multiply(direction, &mut self.image, state);
            let curvature = free.iter().map(|&i| direction[i] * self.image[i]).sum::<f64>();
            // A direction without curvature is a redundancy: nothing to gain, nothing to divide by.
            if curvature.is_nan() || curvature <= f64::EPSILON * product.abs() * 1e-4 {
                break;
            }
            let length = product / curvature;
            let mut largest: f64 = 0.0;
            for &i in free {
                self.change[i] += length * direction[i];
                residual[i] -= length * self.image[i];
                largest = largest.max(residual[i].abs());
            }
            if largest <= goal {
                break;
            }
            let next: f64 = free.iter().map(|&i| residual[i] * residual[i] * inverse(i)).sum();
            let beta = next / product;
            product = next;
            for &i in free {
                direction[i] = residual[i] * inverse(i) + beta * direction[i];
            }
        }
        self.step.clear();
        self.step.extend(free.iter().map(|&i| self.change[i]));
        self.step.iter().all(|d| d.is_finite())
    }

    /// Moves `z` to the projection of `z + scale d` unless that would raise the objective.
    fn advance<P: Rows>(&mut self, problem: &P, scale: f64, x: &mut Solution, state: &mut Vec<f64>) -> bool {
        self.change.fill(0.0);
        self.trial.copy_from_slice(&x.z);
        for (&i, d) in self.free.iter().zip(&self.step) {
            let [lower, upper] = problem.bounds(i);
            self.trial[i] = (x.z[i] + scale * d).max(lower).min(upper);
            self.change[i] = self.trial[i] - x.z[i];
        }
        problem.multiply(&self.change, &mut self.image, state);
        let gain = dot(&self.change, &x.w) + 0.5 * dot(&self.change, &self.image);
        // NaN is no gain.
        if gain.is_nan() || gain >= 0.0 {
            return false;
        }
        x.z.copy_from_slice(&self.trial);
        x.w.iter_mut().zip(&self.image).for_each(|(w, change)| *w += change);
        true
    }

    /// How far `z + t d` stays in the box, at most 1.
    fn first_bound<P: Rows>(&self, problem: &P, z: &[f64]) -> f64 {
        self.free.iter().zip(&self.step).fold(1.0, |t: f64, (&i, &d)| {
            let [lower, upper] = problem.bounds(i);
            let distance = if d > 0.0 { upper - z[i] } else { lower - z[i] };
            if d == 0.0 || !distance.is_finite() { t } else { t.min(distance / d) }
        })
    }
}

/// Whether every entry of an increasing list is in another.
fn is_subset(small: &[usize], large: &[usize]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|a| rest.any(|b| a == b))
}
