//! Newton's method on the face that the natural map points at: the crash that starts a path search and the polish that
//! ends every Newton method.
//!
//! # Problem
//! `l <= z <= u`, `w = F(z)` complementary, in equilibrated units.
//!
//! # Method
//! 1. Index `i` lies on the lower face if `z_i - w_i <= l_i`, on the upper if `z_i - w_i >= u_i`, else it is free. (Or
//!    the faces are given, say by a basis.)
//! 2. Put the indices on their faces; solve the linearization of `F_f = 0` for the free ones ([`Lu`]). Where the block
//!    is singular, add `eps I` to it: a proximal step.
//! 3. Project on the box and evaluate on the original data. Go on from the new point.
//! 4. Stop at a certified answer within rounding, or when the best residual has not halved for two rounds.
//!
//! # Convergence and failure
//! A semismooth Newton method: locally quadratic, and for linear problems exact once the faces are right; later rounds
//! are iterative refinement. Far from a solution it may go round in circles, hence the limit.
//!
//! # Cost
//! `2/3 f^3` a round for `f` free indices, and one evaluation.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *Crash techniques for large-scale complementarity problems*, in Complementarity and
//! variational problems, SIAM 1997, 40-61. C. Kanzow, *Inexact semismooth Newton methods for large-scale
//! complementarity problems*, Optimization Methods and Software 19 (2004) 309-325.

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::dot;
use crate::linalg::lu::Lu;
use crate::newton::equilibrated::Equilibrated;
use crate::newton::newton_driver::NewtonDriver;
use crate::pivoting::face::Face;
use crate::problem::{ActiveSet, Bounded, Solution};

/// Added to the equilibrated diagonal of a singular block: eight digits for the redundant directions, while an
/// eigenvalue of 1e-4 still gains four digits a round.
const PROXIMAL: f64 = 1e-8;

/// Rounds from a basis.
const BASIS_ROUNDS: usize = 8;

/// Rounds that polish a certified answer: the faces are right, one step and one refinement.
const POLISH_ROUNDS: usize = 3;

/// A natural map below this leaves nothing to refine.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProjectedNewton {
    lu: Lu,
    free: Vec<usize>,
    /// The point, its value, its Jacobian, the step.
    z: Vec<f64>,
    w: Vec<f64>,
    jacobian: Vec<f64>,
    step: Vec<f64>,
    free_step: Vec<f64>,
    best: Vec<f64>,
    /// The faces of a basis.
    faces: Vec<Face>,
}

impl ProjectedNewton {
    /// Reserves the workspace for problems of `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.lu.reserve(n);
        reserve_to(&mut self.free, n);
        reserve_to(&mut self.faces, n);
        reserve_to(&mut self.jacobian, n * n);
        for vector in [&mut self.z, &mut self.w, &mut self.step, &mut self.free_step, &mut self.best] {
            reserve_to(vector, n);
        }
    }

    /// At most `rounds` rounds from `start` (equilibrated), the first on `faces` if given. The best point is left in
    /// [`ProjectedNewton::z`], and every point is offered to the driver. Returns the least natural map
    /// in these units.
    pub(crate) fn run<P: Bounded>(
        &mut self,
        (problem, driver, x): (&P, &mut NewtonDriver, &mut Solution),
        start: &[f64],
        mut faces: Option<&[Face]>,
        rounds: usize,
    ) -> f64 {
        self.lu.budget = driver.incumbent.budget();
        self.z.clear();
        self.z.extend_from_slice(start);
        driver.units.project(&mut self.z);
        self.best.clone_from(&self.z);
        self.w.resize(start.len(), 0.0);
        let mut lowest = driver.offer(problem, &self.z, x);
        let mut idle = 0;
        for _ in 0..rounds {
            if lowest <= ROUND_OFF
                || driver.incumbent.is_out_of_time()
                || !self.advance(problem, &mut driver.units, faces.take())
            {
                break;
            }
            driver.incumbent.iterations += 1;
            let residual = driver.offer(problem, &self.z, x);
            idle = if residual <= 0.5 * lowest { 0 } else { idle + 1 };
            if residual < lowest {
                lowest = residual;
                self.best.clone_from(&self.z);
            }
            if idle == 2 || (driver.is_done() && idle > 0) {
                break;
            }
        }
        self.z.clone_from(&self.best);
        lowest
    }

    /// Starts a solve that has just been opened from the basis `set`: the best point of a few rounds becomes
    /// [`NewtonDriver::start`].
    pub(crate) fn start_from<P: Bounded>(
        &mut self,
        (problem, driver, x): (&P, &mut NewtonDriver, &mut Solution),
        set: &ActiveSet,
    ) {
        let mut faces = std::mem::take(&mut self.faces);
        faces.clear();
        faces.extend(driver.units.bounds.iter().enumerate().map(|(i, bounds)| match bounds {
            _ if set.contains(i) => Face::Free,
            [f64::NEG_INFINITY, f64::INFINITY] => Face::Free,
            [f64::NEG_INFINITY, _] => Face::Upper,
            _ => Face::Lower,
        }));
        let start = std::mem::take(&mut driver.start);
        self.run((problem, driver, x), &start, Some(&faces), BASIS_ROUNDS);
        (driver.start, self.faces) = (start, faces);
        driver.start.copy_from_slice(&self.z);
    }

    /// Polishes the point `scaled` on its face; these rounds are not counted as iterations.
    pub(crate) fn polish<P: Bounded>(
        &mut self,
        (problem, driver, x): (&P, &mut NewtonDriver, &mut Solution),
        scaled: &[f64],
    ) {
        let iterations = driver.incumbent.iterations;
        self.run((problem, driver, x), scaled, None, POLISH_ROUNDS);
        driver.incumbent.iterations = iterations;
    }

    /// The best point of the last run.
    pub(crate) fn z(&self) -> &[f64] {
        &self.z
    }

    /// Steps 1 to 3; false if the step cannot be made.
    fn advance<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated, faces: Option<&[Face]>) -> bool {
        let n = self.z.len();
        units.value(problem, &self.z, &mut self.w);
        self.jacobian.resize(n * n, 0.0);
        if !units.jacobian(problem, &self.z, &mut self.jacobian) || self.w.iter().any(|w| !w.is_finite()) {
            return false;
        }
        self.free.clear();
        self.step.clear();
        for i in 0..n {
            let [lower, upper] = units.bounds[i];
            let target = self.z[i] - self.w[i];
            let face = match faces {
                Some(faces) => faces[i],
                None if target <= lower => Face::Lower,
                None if target >= upper => Face::Upper,
                None => Face::Free,
            };
            self.step.push(match face {
                Face::Lower => lower - self.z[i],
                Face::Upper => upper - self.z[i],
                Face::Free => 0.0,
            });
            if face == Face::Free {
                self.free.push(i);
            }
        }
        if !(self.factor(0.0) || self.factor(PROXIMAL)) {
            return false;
        }
        self.free_step.clear();
        self.free_step.extend(self.free.iter().map(|&i| {
            let row = &self.jacobian[i * n..(i + 1) * n];
            -self.w[i] - dot(row, &self.step)
        }));
        self.lu.solve(&mut self.free_step);
        for (&i, step) in self.free.iter().zip(&self.free_step) {
            self.step[i] = *step;
        }
        if self.step.iter().any(|d| !d.is_finite()) {
            return false;
        }
        self.z.iter_mut().zip(&self.step).for_each(|(z, d)| *z += d);
        units.project(&mut self.z);
        true
    }

    fn factor(&mut self, proximal: f64) -> bool {
        let (n, size) = (self.z.len(), self.free.len());
        let block = self.lu.matrix_mut(size);
        for (k, (entries, &i)) in block.chunks_exact_mut(size.max(1)).zip(&self.free).enumerate() {
            let row = &self.jacobian[i * n..(i + 1) * n];
            entries.iter_mut().zip(&self.free).for_each(|(entry, &j)| *entry = row[j]);
            entries[k] += proximal;
        }
        self.lu.factor().is_ok()
    }
}
