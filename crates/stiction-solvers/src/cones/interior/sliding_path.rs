//! A primal-dual interior-point method for contact with Coulomb's law in which the sliding speed is an unknown.
//!
//! # Problem
//! [`ConeNcp`] under Coulomb's law, in the units of `normalized`, with the equations of `barrier/sliding_cone` for contacts with friction.
//!
//! # Method
//! 1. Start on the central path of the barrier `tau`, with `x - v` as they are without impulses; `tau` is the square of the largest
//!    closing speed.
//! 2. Predictor to `tau = 0`; its length gives the centring `sigma = max((1 - alpha)^3, 1e-8)`; corrector with the second-order term.
//! 3. Go `max(0.9, 1 - sqrt tau)` of the way to the boundary, and less by fifths while a product of a pair is more than `e^7` off
//!    their mean.
//! 4. The answer of every step is the projection of `x`. From a natural map of 1e-6 on, and after every factor of ten again, a few steps of
//!    Newton's method start from it.
//!
//! # Convergence and failure
//! Some 12 to 60 steps from nothing where the path has no folds, however many contacts; its answers lie in the middle of the set of
//! solutions, so that Newton's method finds the modes. Where it folds back (some impacts) steps become short, and the
//! method gives up after 15 without a tenth; another weight `theta` has another path.
//!
//! # Cost
//! One factorization of all rows a step.
//!
//! # References
//! S. Mehrotra, *On the implementation of a primal-dual interior point method*, SIAM Journal on Optimization 2 (1992)
//! 575-601.

use super::barrier::{AnyBarrier, Barrier};
use super::parts::{Part, Parts};
use crate::cones::newton::damped_newton::{Centre, NewtonEnd, Parameters};
use crate::cones::newton::proximal::ProximalPoint;
use crate::cones::state::{Outcome, State};
use crate::linalg::capacity::resize_unset;
use crate::problem::ConeNcp;

/// Steps without a natural map a tenth better after which the method has stalled.
const PATIENCE: usize = 15;

/// Least centring.
const LEAST_CENTRING: f64 = 1e-8;

/// Logarithm of what a product may be off their mean.
const NEIGHBOURHOOD: f64 = 7.0;

/// What a step is shortened by that leaves the neighbourhood, and how often.
const SHORTENING: f64 = 0.8;
const SHORTENINGS: usize = 8;

/// Natural map from which on Newton's method is tried, and what it has to fall by until the next trial.
const TRIAL: f64 = 1e-6;
const NEXT_TRIAL: f64 = 0.1;

/// Steps and weight of a trial.
const TRIAL_STEPS: usize = 6;
const TRIAL_WEIGHT: f64 = 1e-5;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlidingPath {
    parts: Parts,
    inside: Vec<f64>,
    centre: Vec<f64>,
}

impl SlidingPath {
    /// Runs the method from nothing, at most `cap` steps; friction is smoothed `theta` times more than normals.
    pub(crate) fn run(
        &mut self,
        state: &mut State,
        proximal: &mut ProximalPoint,
        problem: &ConeNcp,
        theta: f64,
        cap: usize,
    ) -> Outcome {
        self.begin(state, problem, theta);
        let degree = self.parts.degree();
        let (mut reference, mut waited, mut trial) = (f64::INFINITY, 0, TRIAL);
        for _ in 0..cap {
            if state.look_at_projection(problem) {
                return Outcome::Passed;
            }
            waited += 1;
            let reached = state.natural_map_seen();
            if reached < 0.9 * reference {
                (reference, waited) = (reached, 0);
            }
            if waited > PATIENCE {
                return Outcome::Exhausted;
            }
            if reached < trial {
                trial = NEXT_TRIAL * reached;
                if self.finish_by_newton(state, proximal, problem) {
                    return Outcome::Passed;
                }
            }
            if !state.may_factor() {
                return Outcome::OutOfBudget;
            }
            let gap = self.parts.gap(degree);
            if !(gap.is_finite() && gap > 0.0) {
                return Outcome::Exhausted;
            }
            if !self.parts.linearize(state, None) || state.factor(problem).is_err() {
                return Outcome::Exhausted;
            }
            state.incumbent.iterations += 1;
            self.parts.find_step(state, 0.0, false);
            let sigma = (1.0 - self.parts.largest_step()).powi(3).max(LEAST_CENTRING);
            self.parts.find_step(state, sigma * gap, true);
            let mut alpha = (self.parts.largest_step() * (1.0 - gap.sqrt()).max(0.9)).min(1.0);
            if !alpha.is_finite() || !self.parts.has_step() {
                return Outcome::Exhausted;
            }
            for _ in 0..SHORTENINGS {
                if self.is_central(alpha, degree) {
                    break;
                }
                alpha *= SHORTENING;
            }
            self.parts.advance(alpha, state);
        }
        if state.look_at_projection(problem) { Outcome::Passed } else { Outcome::Exhausted }
    }

    /// Step 1.
    fn begin(&mut self, state: &mut State, problem: &ConeNcp, theta: f64) {
        for list in [&mut self.inside, &mut self.centre] {
            resize_unset(list, state.x.len());
        }
        self.inside.fill(0.0);
        state.move_to(problem, &self.inside);
        state.forget();
        self.parts.load(state, |law| AnyBarrier::with_sliding_speed(law, theta));
        let closing = self.parts.list.iter().map(|part| {
            let y = &state.y[part.rows.clone()];
            if y[0] < 0.0 { y.iter().fold(0.0, |worst: f64, y| worst.max(y.abs())) } else { 0.0 }
        });
        let closing = closing.fold(0.0, f64::max);
        let tau = if closing > 0.0 { closing * closing } else { 1.0 };
        for Part { rows, barrier } in &mut self.parts.list {
            let mut z = [0.0; 3];
            let d = rows.len();
            z.iter_mut().zip(&state.y[rows.clone()]).for_each(|(z, y)| *z = -y);
            barrier.begin_centred(&z[..d], tau, &mut state.x[rows.clone()]);
        }
    }

    /// Whether all products are near their mean, `alpha` times the step on.
    fn is_central(&self, alpha: f64, degree: f64) -> bool {
        self.parts.products(alpha).is_some_and(|all| {
            let mean = all.sum / degree;
            let most = NEIGHBOURHOOD.exp();
            all.least >= mean / most && all.largest <= mean * most
        })
    }

    /// Step 4; whether it passes. The point stays where it was.
    fn finish_by_newton(
        &mut self,
        state: &mut State,
        proximal: &mut ProximalPoint,
        problem: &ConeNcp,
    ) -> bool {
        self.inside.copy_from_slice(&state.x);
        state.problem.project(&mut state.x);
        self.centre.copy_from_slice(&state.x);
        let rho = 1.0 / (TRIAL_WEIGHT * (1.0 + TRIAL_WEIGHT)).sqrt();
        let how = Parameters { eps: TRIAL_WEIGHT, rho, cap: TRIAL_STEPS, allowance: 3 };
        let end = proximal.newton.run(state, problem, Centre::Fixed(&self.centre), how);
        if end == NewtonEnd::Passed || state.is_good() {
            return true;
        }
        state.move_to(problem, &self.inside);
        state.forget();
        false
    }
}
