//! Newton's method on the equations of Alart and Curnier with a proximal term, globalized by the best of several trials.
//!
//! # Problem
//! `F(x, y + eps (x - c)) = 0` with `y = W' x + q'` ([`crate::cones::newton::alart_curnier`]), for one of three centres `c`:
//!
//! - the point itself at every step: the term is in the derivative only, and the equations are those of the cone problem;
//! - a fixed one: a step of the proximal-point method;
//! - zero: Tikhonov's regularization, whose answer is off by about `eps` and otherwise the one of least norm among those
//!   that are equally good.
//!
//! # Method
//! 1. Solve `(I - D + eps rho D + rho D W') dx = -F`.
//! 2. Take the full step, or halve it up to ten times, until `|F| <= (1 - 1e-4 alpha) |F_old|`.
//! 3. If no trial descends that far, take the best of them all the same, an allowance of times: the merit is flat and
//!    kinked in stiff directions, and monotone descent stops at the first kink.
//! 4. After every step look at the natural map without the proximal term, and leave as soon as it passes; not where the
//!    centre is zero, since it passes at answers of any norm.
//!
//! # Convergence and failure
//! Quadratic once the modes (open, stick, slip) are right, since the equations are then smooth. Without a solution in
//! reach it ends at the cap or the end of its allowance; the point of least `|F|` is kept.
//!
//! # Cost
//! One factorization a step, one product with the operator, two when the step is cut.
//!
//! # References
//! V. Acary, M. Bremond, O. Huber, *On solving contact problems with Coulomb friction: formulations and numerical
//! comparisons*, 2018, section 4.

use crate::cones::newton::alart_curnier::{derivative, equations};
use crate::cones::normalized::Law;
use crate::cones::state::State;
use crate::linalg::capacity::{reserve_to, resize_unset};
use crate::problem::ConeNcp;
use crate::problem::cones::cone::tangent_norm;

/// Halvings of a step.
const HALVINGS: usize = 10;

/// Fraction of the descent that a linear model promises which a trial must keep (dimensionless, Armijo).
const DESCENT: f64 = 1e-4;

/// The centre of the proximal term.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Centre<'a> {
    /// The point itself.
    Point,
    Fixed(&'a [f64]),
    Zero,
}

impl Centre<'_> {
    /// Whether a run ends as soon as the natural map passes.
    fn leaves_early(self) -> bool {
        !matches!(self, Centre::Zero)
    }
}

/// What a run is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// Weight of the proximal term.
    pub(crate) eps: f64,
    /// Weight of velocities against impulses in the equations.
    pub(crate) rho: f64,
    /// Steps at most.
    pub(crate) cap: usize,
    /// Steps without descent that are allowed.
    pub(crate) allowance: usize,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewtonEnd {
    /// The best answer passes.
    Passed,
    /// The equations with the proximal term are solved, after this many steps.
    Solved(usize),
    /// They are not.
    Failed,
    /// No factorization is left.
    OutOfBudget,
}

/// Relative size of `|F|` at which the equations are solved: below it is rounding.
const SOLVED: f64 = 1e-12;

/// Steps with one factorization at most.
const REFINEMENTS: usize = 8;

/// With the centre zero, `|F|` beside the impulses times the weight at which the equations are solved: so much of what is
/// more than the least norm may remain.
const SHARE: f64 = 1e-2;

/// Relative size of `|F|` that is accepted when no more is available.
const ACCEPTED: f64 = 1e-9;

/// The method with its workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct DampedNewton {
    f: Vec<f64>,
    step: Vec<f64>,
    /// Velocities with the proximal term, at the point and at the trial.
    y: Vec<f64>,
    from_x: Vec<f64>,
    from_y: Vec<f64>,
    full_y: Vec<f64>,
    best: Vec<f64>,
    /// What is added to the velocities: `mu |y_t|` of the answer whose sliding is held.
    opening: Vec<f64>,
    /// Whether it is.
    holds: bool,
    /// Whether the system of the state is that of the last step.
    is_factored: bool,
}

impl DampedNewton {
    /// Reserves memory for problems of `n` rows.
    pub(crate) fn resize(&mut self, n: usize) {
        self.holds = false;
        for list in [
            &mut self.opening,
            &mut self.f,
            &mut self.step,
            &mut self.y,
            &mut self.from_x,
            &mut self.from_y,
            &mut self.full_y,
            &mut self.best,
        ] {
            reserve_to(list, n);
            resize_unset(list, n);
        }
    }

    /// Holds the term `mu |y_t|` of Coulomb's law at the velocities of the state, and its cones beside it: what is left is
    /// monotone, its answers are all impulses with these velocities that Coulomb's law allows.
    pub(crate) fn hold_sliding(&mut self, state: &State) {
        self.opening.fill(0.0);
        for cell in &state.problem.cells {
            if let Law::Coulomb { mu } = cell.law
                && !state.problem.associated
            {
                let sliding = tangent_norm(&state.y[cell.rows()]);
                self.opening[cell.row] = if sliding > state.sliding_in_doubt() { mu * sliding } else { 0.0 };
            }
        }
        self.holds = true;
    }

    /// Coulomb's law as it is again.
    pub(crate) fn release_sliding(&mut self) {
        self.holds = false;
    }

    /// Runs the method from the point of the state. The point of least `|F|` is left there.
    pub(crate) fn run(
        &mut self,
        state: &mut State,
        problem: &ConeNcp,
        centre: Centre,
        how: Parameters,
    ) -> NewtonEnd {
        self.is_factored = false;
        if state.look(problem) && centre.leaves_early() {
            return NewtonEnd::Passed;
        }
        let mut norm = self.equations(state, centre, how);
        let mut least = norm;
        self.best.copy_from_slice(&state.x);
        let mut allowance = how.allowance;
        let mut steps = 0;
        // Without a fixed centre the natural map decides.
        let (solved, accepted) = match centre {
            Centre::Point => (0.0, ACCEPTED),
            Centre::Fixed(_) => (SOLVED, ACCEPTED),
            Centre::Zero => (SHARE * how.eps, SHARE * how.eps),
        };
        while norm > solved * length(&state.x) && steps < how.cap {
            if !state.may_factor() {
                return NewtonEnd::OutOfBudget;
            }
            if !self.newton_step(state, problem, how) {
                break;
            }
            steps += 1;
            state.incumbent.iterations += 1;
            let Some((trial, descended)) = self.choose(state, problem, centre, how, norm) else {
                return NewtonEnd::Passed;
            };
            if !trial.is_finite() {
                break;
            }
            norm = trial;
            if norm < least {
                least = norm;
                self.best.copy_from_slice(&state.x);
            }
            if !descended {
                allowance -= 1;
                if allowance == 0 {
                    break;
                }
            }
        }
        state.x.copy_from_slice(&self.best);
        if least <= accepted * length(&state.x) { NewtonEnd::Solved(steps) } else { NewtonEnd::Failed }
    }

    /// `|F|` at the point of the state, whose velocities are computed.
    fn equations(&mut self, state: &State, centre: Centre, how: Parameters) -> f64 {
        self.y.copy_from_slice(&state.y);
        match centre {
            Centre::Point => {}
            Centre::Fixed(centre) => {
                for i in 0..self.y.len() {
                    self.y[i] += how.eps * (state.x[i] - centre[i]);
                }
            }
            Centre::Zero => self.y.iter_mut().zip(&state.x).for_each(|(y, x)| *y += how.eps * x),
        }
        if self.holds {
            self.y.iter_mut().zip(&self.opening).for_each(|(y, opening)| *y += opening);
        }
        let associated = self.holds || state.problem.associated;
        equations(&state.problem.cells, associated, &state.x, &self.y, how.rho, &mut self.f).sqrt()
    }

    /// Step 1; whether there is a step.
    fn newton_step(&mut self, state: &mut State, problem: &ConeNcp, how: Parameters) -> bool {
        self.is_factored = self.factor(state, problem, how);
        if !self.is_factored {
            return false;
        }
        self.solve(state);
        self.step.iter().all(|s| s.is_finite())
    }

    /// The step for the equations evaluated last, with the factorization there is.
    fn solve(&mut self, state: &mut State) {
        self.step.iter_mut().zip(&self.f).for_each(|(s, f)| *s = -f);
        state.solve(&mut self.step);
    }

    /// Factors the system of step 1 at the point that the equations were evaluated at last; whether it is regular.
    fn factor(&mut self, state: &mut State, problem: &ConeNcp, how: Parameters) -> bool {
        let Parameters { eps, rho, .. } = how;
        let (cells, associated) = (&state.problem.cells, self.holds || state.problem.associated);
        derivative(cells, associated, &state.x, &self.y, rho, &mut state.derivative);
        for (k, cell) in cells.iter().enumerate() {
            let d = cell.dim;
            let (slope, p, q) = (&state.derivative[k], &mut state.p[k], &mut state.q[k]);
            // What an earlier problem with larger cells left there must not count.
            (*p, *q) = ([0.0; 9], [0.0; 9]);
            for e in 0..d * d {
                q[e] = rho * slope[e];
                p[e] = eps * q[e] - slope[e];
            }
            (0..d).for_each(|a| p[a * (d + 1)] += 1.0);
        }
        state.factor(problem).is_ok()
    }

    /// Steps towards the cone problem without the proximal term, with the last factorization of [`DampedNewton::run`]; whether
    /// they get there. Each leaves about `eps` of what the last has left, divided by the least eigenvalue of `W'` that is not
    /// zero, and moves nothing within its kernel.
    pub(crate) fn refine(&mut self, state: &mut State, problem: &ConeNcp, how: Parameters) -> bool {
        // The run may have ended where it began, or at a system that is singular.
        if !self.is_factored && state.may_factor() && !state.point_passes(problem) {
            self.equations(state, Centre::Zero, how);
            self.is_factored = self.factor(state, problem, how);
        }
        let mut norm = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            if state.point_passes(problem) || !self.is_factored {
                break;
            }
            let left = self.equations(state, Centre::Point, how);
            if left > 0.5 * norm {
                break;
            }
            norm = left;
            self.solve(state);
            state.x.iter_mut().zip(&self.step).for_each(|(x, step)| *x += step);
        }
        state.prefer_point(problem)
    }

    /// Steps 2 to 4: moves the state to a trial; `|F|` there and whether it descended far enough. `None`: it passes.
    fn choose(
        &mut self,
        state: &mut State,
        problem: &ConeNcp,
        centre: Centre,
        how: Parameters,
        norm: f64,
    ) -> Option<(f64, bool)> {
        self.from_x.copy_from_slice(&state.x);
        self.from_y.copy_from_slice(&state.y);
        for i in 0..self.step.len() {
            state.x[i] += self.step[i];
        }
        if state.look(problem) && centre.leaves_early() {
            return None;
        }
        let full = self.equations(state, centre, how);
        if full <= (1.0 - DESCENT) * norm {
            return Some((full, true));
        }
        // Between the two points the velocities are linear.
        self.full_y.copy_from_slice(&state.y);
        let mut best = (if full.is_finite() { full } else { f64::INFINITY }, 1.0);
        let mut alpha = 1.0;
        let mut descended = false;
        for _ in 0..HALVINGS {
            alpha *= 0.5;
            self.move_to(state, alpha);
            let trial = self.equations(state, centre, how);
            if trial < best.0 {
                best = (trial, alpha);
            }
            if trial <= (1.0 - DESCENT * alpha) * norm {
                descended = true;
                break;
            }
        }
        self.move_to(state, best.1);
        if state.look(problem) && centre.leaves_early() {
            return None;
        }
        Some((self.equations(state, centre, how), descended))
    }

    fn move_to(&self, state: &mut State, alpha: f64) {
        state.forget();
        for i in 0..self.step.len() {
            state.x[i] = self.from_x[i] + alpha * self.step[i];
            state.y[i] = self.from_y[i] + alpha * (self.full_y[i] - self.from_y[i]);
        }
    }
}

/// Euclidean length.
pub(crate) fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
