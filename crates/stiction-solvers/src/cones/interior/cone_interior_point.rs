//! A primal-dual interior-point method for contact with Coulomb's law, which is not convex.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`. Cones are brought to `mu = 1` by `T = diag(1 / sqrt mu, sqrt mu, sqrt
//! mu)`: `x = T x^`, `y^ = T y`. The unknowns are `x^` and `v`, both inside the cone, with
//!
//! `v = y^ + |y^_t|_d e_n`,  `x^ o v = 0`,  where `|s|_d = s^2 / sqrt(s^2 + (0.1 d)^2)`
//!
//! smooths De Saxce's correction (left out under the associated law). Nonnegative rows have `v = y`, `x v = 0`; intervals
//! `y = v_l - v_u`, `(x - lower) v_l = (upper - x) v_u = 0`; free rows `y = 0`. Tangents of contacts without slip are free:
//! the answer holds contacts that do not press, which is a guess for other methods.
//!
//! # Method
//! 1. `d` is the least square root of the mean gap `x . v` so far: the smoothing goes to zero with the gap, or the
//!    residual would stall.
//! 2. With the scaling `N` of Nesterov and Todd and the derivative `G` of the correction, factor
//!    `N^-1 (G W + N^2 + 1e-10 I)`: near the boundary `N^2` alone is singular to working precision.
//! 3. Predictor: the step to zero gap. Its length `alpha` gives the centring `sigma = max((1 - alpha)^3, 1e-8)`.
//! 4. Corrector: the step to the gap `sigma` with Mehrotra's second-order term. Go `max(0.99, 1 - sqrt gap)` of the way to the
//!    boundary, `x` and `v` alike.
//! 5. The answer at every step is the projection of `x`; the best is kept.
//!
//! # Convergence and failure
//! From nothing it comes near a solution in 10 to 30 steps, whatever the mass ratios and the number of contacts. It is not a
//! method for the last digits: where contacts slide, `x` and `v` both lie on the boundary, and the natural map stops
//! at 1e-7 or so. It ends when 25 steps have not improved the natural map by a tenth.
//!
//! # Cost
//! One factorization of all rows a step.
//!
//! # References
//! S. Mehrotra, *On the implementation of a primal-dual interior point method*, SIAM Journal on Optimization 2 (1992)
//! 575-601; V. Acary, P. Armand, H. Minh Nguyen, M. Shpakovych, *Second-order cone programming for frictional contact
//! mechanics using interior point algorithm*, 2024.

use serde::{Deserialize, Serialize};

use crate::cones::interior::second_order_cone::{
    Scaling, Vector, inner, product, quotient, step_to_boundary,
};
use crate::cones::normalized::{Cell, Law};
use crate::cones::state::{Limits, Outcome, State, status_of};
use crate::driver::positive;
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start};

/// Added to the diagonal of the system (dimensionless): free rows have no barrier of their own.
const REGULARIZATION: f64 = 1e-10;

/// Steps without a natural map a tenth better after which the method has stalled.
const PATIENCE: usize = 25;

/// Smoothing of the correction against the square root of the gap.
const SMOOTHING: f64 = 0.1;

/// Least centring.
const LEAST_CENTRING: f64 = 1e-8;

/// How a cell takes part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Barrier {
    /// `y = 0`.
    Free,
    /// `x` is given.
    Fixed(f64),
    /// The first row is nonnegative, the others vanish.
    Line,
    /// The first row is nonnegative, the others are free, as if the contact pressed.
    Held,
    /// Between bounds, either of which may be infinite, but not both.
    Segment { lower: f64, upper: f64 },
    /// A friction cone with `sqrt mu`.
    Cone { root: f64 },
}

/// A cell and its slack; vectors are in the coordinates of `x^`.
#[derive(Clone, Copy, Debug)]
struct Part {
    cell: Cell,
    barrier: Barrier,
    /// The slack `v`; `(v_l, v_u)` of a segment.
    v: Vector,
    /// `x^`; the distances `(x - lower, upper - x)` of a segment.
    x: Vector,
    scaling: Scaling,
    /// `N x = N^-1 v`.
    lambda: Vector,
    /// `v` minus what it should be.
    defect: Vector,
    /// `N d` of the current right side.
    target: Vector,
    /// What the velocities of held rows lack.
    held: Vector,
    dx: Vector,
    dv: Vector,
}

impl Part {
    fn new(cell: Cell) -> Part {
        let barrier = match cell.law {
            Law::Free => Barrier::Free,
            Law::Nonnegative => Barrier::Line,
            Law::Interval { lower, upper } if lower == upper => Barrier::Fixed(lower),
            Law::Interval { lower, upper } if lower.is_infinite() && upper.is_infinite() => Barrier::Free,
            Law::Interval { lower, upper } => Barrier::Segment { lower, upper },
            Law::Coulomb { mu: 0.0 } => Barrier::Line,
            Law::Coulomb { mu } => Barrier::Cone { root: mu.sqrt() },
            Law::NoSlip => Barrier::Held,
        };
        let zero = [0.0; 3];
        Part {
            cell,
            barrier,
            v: zero,
            x: zero,
            scaling: Scaling::default(),
            lambda: zero,
            defect: zero,
            target: zero,
            held: zero,
            dx: zero,
            dv: zero,
        }
    }

    /// Diagonal of `T`.
    fn stretch(&self) -> Vector {
        match self.barrier {
            Barrier::Cone { root } => [1.0 / root, root, root],
            _ => [1.0; 3],
        }
    }

    /// Rows whose impulse is free.
    fn free_rows(&self) -> std::ops::Range<usize> {
        let rows = self.cell.rows();
        match self.barrier {
            Barrier::Free => rows,
            Barrier::Held => rows.start + 1..rows.end,
            _ => rows.end..rows.end,
        }
    }

    /// Number of scalar complementarity conditions.
    fn degree(&self) -> f64 {
        match self.barrier {
            Barrier::Free | Barrier::Fixed(_) => 0.0,
            Barrier::Line | Barrier::Held | Barrier::Cone { .. } => 1.0,
            Barrier::Segment { lower, upper } => {
                f64::from(u8::from(lower.is_finite())) + f64::from(u8::from(upper.is_finite()))
            }
        }
    }

    /// Largest entry of `T q`.
    fn size_of(&self, q: &[f64]) -> f64 {
        let stretch = self.stretch();
        let rows = if matches!(self.barrier, Barrier::Line | Barrier::Held) { 1 } else { self.cell.dim };
        (0..rows).fold(0.0, |worst: f64, k| worst.max((stretch[k] * q[self.cell.row + k]).abs()))
    }

    /// The start: impulses of 1, slacks of `size`.
    fn begin(&mut self, size: f64) {
        self.v = [0.0; 3];
        self.x = [0.0; 3];
        match self.barrier {
            Barrier::Free | Barrier::Fixed(_) => {}
            Barrier::Line | Barrier::Held | Barrier::Cone { .. } => {
                self.v[0] = size;
                self.x[0] = 1.0;
            }
            Barrier::Segment { lower, upper } => {
                let half = if lower.is_finite() && upper.is_finite() { 0.5 * (upper - lower) } else { 1.0 };
                self.x = [half, half, 0.0];
                self.v = [size, size, 0.0];
                if lower.is_infinite() {
                    (self.x[0], self.v[0]) = (f64::INFINITY, 0.0);
                }
                if upper.is_infinite() {
                    (self.x[1], self.v[1]) = (f64::INFINITY, 0.0);
                }
            }
        }
    }

    /// Writes the impulses in the unit of the state.
    fn write(&self, x: &mut [f64]) {
        let stretch = self.stretch();
        for (k, i) in self.cell.rows().enumerate() {
            x[i] = match self.barrier {
                Barrier::Free => x[i],
                Barrier::Fixed(value) => value,
                Barrier::Line => self.x[k],
                Barrier::Held if k == 0 => self.x[0],
                Barrier::Held => x[i],
                Barrier::Segment { lower, .. } if lower.is_finite() => lower + self.x[0],
                Barrier::Segment { upper, .. } => upper - self.x[1],
                Barrier::Cone { .. } => stretch[k] * self.x[k],
            };
        }
    }

    /// `x . v`.
    fn gap(&self) -> f64 {
        match self.barrier {
            Barrier::Segment { .. } => {
                (0..2).filter(|k| self.x[*k].is_finite()).map(|k| self.x[k] * self.v[k]).sum()
            }
            _ => inner(&self.x, &self.v),
        }
    }

    /// Step 2 for this cell: its scaling, its defect, its blocks. `None` where the point has left the cone.
    fn linearize(
        &mut self,
        y: &[f64],
        smoothing: f64,
        associated: bool,
        p: &mut [f64; 9],
        q: &mut [f64; 9],
    ) -> Option<()> {
        let d = self.cell.dim;
        let y = &y[self.cell.rows()];
        (*p, *q) = ([0.0; 9], [0.0; 9]);
        match self.barrier {
            Barrier::Free => {
                (p[0], q[0]) = (REGULARIZATION, 1.0);
                self.target[0] = -y[0];
            }
            Barrier::Fixed(_) => p[0] = 1.0,
            Barrier::Line => {
                (0..d).for_each(|k| p[k * (d + 1)] = 1.0);
                (p[0], q[0]) = (self.v[0] / self.x[0] + REGULARIZATION, 1.0);
                self.defect[0] = self.v[0] - y[0];
            }
            Barrier::Held => {
                for k in 0..d {
                    (p[k * (d + 1)], q[k * (d + 1)]) = (REGULARIZATION, 1.0);
                    self.held[k] = -y[k];
                }
                p[0] += self.v[0] / self.x[0];
                self.defect[0] = self.v[0] - y[0];
            }
            Barrier::Segment { .. } => {
                (p[0], q[0]) = (self.v[0] / self.x[0] + self.v[1] / self.x[1] + REGULARIZATION, 1.0);
                self.defect[0] = self.v[0] - self.v[1] - y[0];
            }
            Barrier::Cone { .. } => {
                self.scaling = Scaling::new(&self.x, &self.v)?;
                self.lambda = self.scaling.apply(&self.x);
                let stretch = self.stretch();
                let mut own = [0.0; 3];
                (0..d).for_each(|k| own[k] = stretch[k] * y[k]);
                let slope = if associated { [0.0; 3] } else { correct(&mut own, smoothing) };
                (0..3).for_each(|k| self.defect[k] = self.v[k] - own[k]);
                for b in 0..d {
                    let mut axis = [0.0; 3];
                    axis[b] = 1.0;
                    let (own, inverse) = (self.scaling.apply(&axis), self.scaling.invert(&axis));
                    let mut image = axis;
                    image[0] += slope[b];
                    let image = self.scaling.invert(&image);
                    for a in 0..d {
                        p[a * d + b] = (own[a] + REGULARIZATION * inverse[a]) / stretch[b];
                        q[a * d + b] = image[a] * stretch[b];
                    }
                }
            }
        }
        Some(())
    }

    /// Right side of the system for the gap `sigma_gap`; `second_order` says whether the last step's products count.
    fn aim(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        let rows = self.cell.rows();
        let correction = |k: usize| if second_order { self.dx[k] * self.dv[k] } else { 0.0 };
        match self.barrier {
            Barrier::Free => b[rows.start] = self.target[0],
            Barrier::Fixed(_) => b[rows.start] = 0.0,
            Barrier::Line => {
                self.target[0] = (sigma_gap - correction(0)) / self.x[0] - self.v[0];
                b[rows.clone()].fill(0.0);
                b[rows.start] = self.target[0] + self.defect[0];
            }
            Barrier::Held => {
                self.target[0] = (sigma_gap - correction(0)) / self.x[0] - self.v[0];
                let count = rows.len();
                b[rows.clone()].copy_from_slice(&self.held[..count]);
                b[rows.start] = self.target[0] + self.defect[0];
            }
            Barrier::Segment { .. } => {
                for k in 0..2 {
                    let goal = (sigma_gap - correction(k)) / self.x[k] - self.v[k];
                    self.target[k] = if self.x[k].is_finite() { goal } else { 0.0 };
                }
                b[rows.start] = self.target[0] - self.target[1] + self.defect[0];
            }
            Barrier::Cone { .. } => {
                let mut goal = product(&self.lambda, &self.lambda).map(|g| -g);
                goal[0] += sigma_gap;
                if second_order {
                    let second = product(&self.scaling.invert(&self.dv), &self.scaling.apply(&self.dx));
                    (0..3).for_each(|k| goal[k] -= second[k]);
                }
                self.target = self.scaling.apply(&quotient(&goal, &self.lambda));
                let mut right = self.target;
                (0..3).for_each(|k| right[k] += self.defect[k]);
                let right = self.scaling.invert(&right);
                for (k, i) in rows.enumerate() {
                    b[i] = right[k];
                }
            }
        }
    }

    /// Takes the step of the impulses and finds that of the slack.
    fn take(&mut self, step: &[f64]) {
        let step = &step[self.cell.rows()];
        match self.barrier {
            Barrier::Free | Barrier::Fixed(_) => {}
            Barrier::Line | Barrier::Held => {
                self.dx[0] = step[0];
                self.dv[0] = self.target[0] - self.v[0] / self.x[0] * step[0];
            }
            Barrier::Segment { .. } => {
                (self.dx[0], self.dx[1]) = (step[0], -step[0]);
                for k in 0..2 {
                    self.dv[k] = self.target[k] - self.v[k] / self.x[k] * self.dx[k];
                }
            }
            Barrier::Cone { .. } => {
                let stretch = self.stretch();
                (0..self.cell.dim).for_each(|k| self.dx[k] = step[k] / stretch[k]);
                let through = self.scaling.apply(&self.scaling.apply(&self.dx));
                (0..3).for_each(|k| self.dv[k] = self.target[k] - through[k]);
            }
        }
    }

    /// The largest step at most 1 that stays inside.
    fn room(&self) -> f64 {
        let line = |x: f64, dx: f64| if dx < 0.0 { (-x / dx).min(1.0) } else { 1.0 };
        match self.barrier {
            Barrier::Free | Barrier::Fixed(_) => 1.0,
            Barrier::Line | Barrier::Held => line(self.x[0], self.dx[0]).min(line(self.v[0], self.dv[0])),
            Barrier::Segment { .. } => (0..2)
                .filter(|k| self.x[*k].is_finite())
                .map(|k| line(self.x[k], self.dx[k]).min(line(self.v[k], self.dv[k])))
                .fold(1.0, f64::min),
            Barrier::Cone { .. } => {
                step_to_boundary(&self.x, &self.dx).min(step_to_boundary(&self.v, &self.dv))
            }
        }
    }

    fn advance(&mut self, alpha: f64) {
        for k in 0..3 {
            if self.x[k].is_finite() {
                self.x[k] += alpha * self.dx[k];
                self.v[k] += alpha * self.dv[k];
            }
        }
    }
}

/// Adds the smoothed correction to `y^` and returns its derivative.
fn correct(y: &mut Vector, smoothing: f64) -> Vector {
    let square = y[1] * y[1] + y[2] * y[2];
    let soft = square + smoothing * smoothing;
    if soft == 0.0 {
        return [0.0; 3];
    }
    let root = soft.sqrt();
    y[0] += square / root;
    let slope = (square + 2.0 * smoothing * smoothing) / (soft * root);
    [0.0, slope * y[1], slope * y[2]]
}

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct InteriorPath {
    parts: Vec<Part>,
    step: Vec<f64>,
}

impl InteriorPath {
    /// Runs the method from its own start, at most `cap` steps.
    pub(crate) fn run(&mut self, state: &mut State, problem: &ConeNcp, cap: usize) -> Outcome {
        self.begin(state);
        let degree: f64 = self.parts.iter().map(Part::degree).sum::<f64>().max(1.0);
        let mut width = f64::INFINITY;
        let (mut reference, mut waited) = (f64::INFINITY, 0);
        for _ in 0..cap {
            if state.look_at_projection(problem) {
                return Outcome::Passed;
            }
            waited += 1;
            if state.least < 0.9 * reference {
                (reference, waited) = (state.least, 0);
            }
            if waited > PATIENCE {
                return Outcome::Exhausted;
            }
            if !state.may_factor() {
                return Outcome::OutOfBudget;
            }
            let gap = self.parts.iter().map(Part::gap).sum::<f64>() / degree;
            if !(gap.is_finite() && gap >= 0.0) {
                return Outcome::Exhausted;
            }
            width = width.min(gap.sqrt()); // step 1
            if !self.linearize(state, SMOOTHING * width) || state.factor(problem).is_err() {
                return Outcome::Exhausted; // step 2
            }
            state.incumbent.iterations += 1;
            self.find_step(state, 0.0, false); // step 3
            let sigma = (1.0 - self.room()).powi(3).max(LEAST_CENTRING);
            self.find_step(state, sigma * gap, true); // step 4
            let fraction = (1.0 - gap.sqrt()).max(0.99);
            let room = self.room();
            let alpha = if room < 1.0 { fraction * room } else { 1.0_f64.min(fraction) };
            if !alpha.is_finite() || self.step.iter().any(|s| !s.is_finite()) {
                return Outcome::Exhausted;
            }
            for part in &mut self.parts {
                part.advance(alpha);
                for i in part.free_rows() {
                    state.x[i] += alpha * self.step[i];
                }
                part.write(&mut state.x);
            }
        }
        let passed = state.look_at_projection(problem);
        if passed { Outcome::Passed } else { Outcome::Exhausted }
    }

    fn begin(&mut self, state: &mut State) {
        self.step.resize(state.x.len(), 0.0);
        self.parts.clear();
        self.parts.extend(state.problem.cells.iter().map(|cell| Part::new(*cell)));
        let size = self.parts.iter().fold(0.0, |worst: f64, part| worst.max(part.size_of(&state.problem.q)));
        let size = if size > 0.0 { size } else { 1.0 };
        state.x.fill(0.0);
        for part in &mut self.parts {
            part.begin(size);
            part.write(&mut state.x);
        }
    }

    fn linearize(&mut self, state: &mut State, smoothing: f64) -> bool {
        let associated = state.problem.associated;
        let blocks = state.p.iter_mut().zip(&mut state.q);
        self.parts
            .iter_mut()
            .zip(blocks)
            .all(|(part, (p, q))| part.linearize(&state.y, smoothing, associated, p, q).is_some())
    }

    fn find_step(&mut self, state: &mut State, sigma_gap: f64, second_order: bool) {
        for part in &mut self.parts {
            part.aim(sigma_gap, second_order, &mut self.step);
        }
        state.solve(&mut self.step);
        for part in &mut self.parts {
            part.take(&self.step);
        }
    }

    fn room(&self) -> f64 {
        self.parts.iter().map(Part::room).fold(1.0, f64::min)
    }
}

/// What [`ConeInteriorPoint`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConeInteriorPointSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Steps, which are factorizations, at most.
    pub max_iterations: usize,
    /// Whether to keep the natural map of every step for [`ConeInteriorPoint::history`].
    pub history: bool,
}

impl Default for ConeInteriorPointSettings {
    fn default() -> ConeInteriorPointSettings {
        ConeInteriorPointSettings { tolerance: 1e-10, max_iterations: 100, history: false }
    }
}

impl ConeInteriorPointSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        positive("tolerance", self.tolerance)
    }
}

/// The interior-point method; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ConeInteriorPoint {
    settings: ConeInteriorPointSettings,
    state: State,
    method: InteriorPath,
}

impl ConeInteriorPoint {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`ConeInteriorPointSettings::validate`].
    pub fn new(settings: ConeInteriorPointSettings) -> Result<ConeInteriorPoint, SolverError> {
        settings.validate()?;
        Ok(ConeInteriorPoint { settings, ..ConeInteriorPoint::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }
}

impl Solver<ConeNcp> for ConeInteriorPoint {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let ConeInteriorPointSettings { tolerance, max_iterations, history } = self.settings;
        let limits = Limits { tolerance, aim: tolerance, max_factorizations: max_iterations, history };
        if let Err(report) = self.state.open(problem, limits, start, x) {
            return report;
        }
        let outcome = self.method.run(&mut self.state, problem, max_iterations);
        self.state.close(problem, status_of(outcome), x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }
}
