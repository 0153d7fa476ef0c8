//! The alternating direction method of multipliers for contact: one factorization serves many steps.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`, as: minimize `1/2 x . W x + (q + s) . x` over the cones, where De Saxce's
//! correction `s = (mu |u_t|, 0, 0)` is that of the last step (none under the associated law).
//!
//! # Method
//! With the copy `z` of `x` in the cones and the velocities `v` that hold them together:
//! 1. `x <- -(W + (eta + rho) I)^-1 (q + s - eta x - rho z - v)`, with the factors of the last `rho`.
//! 2. `z <- P_K(x - v / rho)`.
//! 3. `v <- v - rho (x - z)`, and `s` from its tangential part.
//! 4. Where the primal residual `|x - z|` and the dual one `|eta dx + rho dz|` differ by more than ten times, `rho` is multiplied
//!    or divided by `(L / eta)^0.05`, and the matrix factored again. `L` is the largest eigenvalue of `W`, by power iteration;
//!    `rho` starts at `sqrt(L eta) (L / eta)^0.05`.
//! 5. Every few steps look at the natural map of `z`.
//!
//! # Convergence and failure
//! Linear: many cheap steps, of moderate accuracy, six to nine factorizations. Steps multiply with the length of stacks and
//! with the ratio of masses.
//!
//! # Cost
//! A solve with the factors and a product with the operator a step.
//!
//! # References
//! J. Carpentier, Q. Le Lidec, L. Montaut, *From compliant to rigid contact simulation: a unified and efficient approach*, RSS
//! 2024, algorithm 1.

use serde::{Deserialize, Serialize};

use crate::cones::newton::damped_newton::length;
use crate::cones::normalized::Law;
use crate::cones::state::{Limits, State};
use crate::driver::check_limits;
use crate::problem::cones::cone::tangent_norm;
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status};

/// Weight of the proximal term (the units of `normalized` have blocks of mean diagonal 1).
const ETA: f64 = 1e-6;

/// Exponent of the first `rho` and of its changes.
const EXPONENT: f64 = 0.05;

/// Ratio of the residuals beyond which `rho` changes.
const BALANCE: f64 = 10.0;

/// Steps between two looks.
const LOOK_EVERY: usize = 5;

/// Steps of the power iteration.
const POWER_STEPS: usize = 12;

/// What [`Admm`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AdmmSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`ConeNcp`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Steps at most.
    pub max_iterations: usize,
    /// Whether to keep the natural map of every look for [`Admm::history`].
    pub history: bool,
}

impl Default for AdmmSettings {
    fn default() -> AdmmSettings {
        AdmmSettings { tolerance: 1e-10, time_limit: None, max_iterations: 10_000, history: false }
    }
}

impl AdmmSettings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SolverError::Setting`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }
}

/// The alternating direction method; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Admm {
    settings: AdmmSettings,
    state: State,
    x: Vec<f64>,
    z: Vec<f64>,
    v: Vec<f64>,
    s: Vec<f64>,
    old_x: Vec<f64>,
    old_z: Vec<f64>,
}

impl Admm {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`AdmmSettings::validate`].
    pub fn new(settings: AdmmSettings) -> Result<Admm, SolverError> {
        settings.validate()?;
        Ok(Admm { settings, ..Admm::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }

    /// The start: the state's impulses, and velocities that fit them.
    fn begin(&mut self) {
        let n = self.state.x.len();
        for list in [&mut self.x, &mut self.z, &mut self.v, &mut self.s, &mut self.old_x, &mut self.old_z] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.x.copy_from_slice(&self.state.x);
        self.z.copy_from_slice(&self.state.x);
        self.state.problem.project(&mut self.z);
        if self.state.is_warm() {
            self.v.copy_from_slice(&self.state.y);
            self.correct();
            self.v.iter_mut().zip(&self.s).for_each(|(v, s)| *v += s);
        }
    }

    /// De Saxce's correction from the velocities.
    fn correct(&mut self) {
        let p = &self.state.problem;
        for cell in p.cells.iter().filter(|_| !p.associated) {
            if let Law::Coulomb { mu } = cell.law {
                self.s[cell.row] = mu * tangent_norm(&self.v[cell.rows()]);
            }
        }
    }

    /// Largest eigenvalue of the operator, roughly.
    fn largest_eigenvalue(&mut self, problem: &ConeNcp) -> f64 {
        let n = self.x.len();
        // Any start that no symmetry of a scene is likely to be orthogonal to.
        (0..n).for_each(|i| self.old_x[i] = 1.0 + (i % 7) as f64 / 7.0);
        let mut eigenvalue = 1.0;
        for _ in 0..POWER_STEPS {
            let size = length(&self.old_x);
            if !(size.is_finite() && size > 0.0) {
                break;
            }
            self.old_x.iter_mut().for_each(|x| *x /= size);
            let (y, magnitude) = (&mut self.old_z, &mut self.s);
            self.state.problem.velocity(problem, &self.old_x, y, magnitude);
            y.iter_mut().zip(&self.state.problem.q).for_each(|(y, q)| *y -= q);
            eigenvalue = length(y);
            self.old_x.copy_from_slice(y);
        }
        self.s.fill(0.0);
        eigenvalue.max(1.0)
    }

    fn factor(&mut self, problem: &ConeNcp, rho: f64) -> bool {
        let state = &mut self.state;
        for (k, cell) in state.problem.cells.iter().enumerate() {
            (state.p[k], state.q[k]) = ([0.0; 9], [0.0; 9]);
            for a in 0..cell.dim {
                state.p[k][a * (cell.dim + 1)] = ETA + rho;
                state.q[k][a * (cell.dim + 1)] = 1.0;
            }
        }
        state.factor(problem).is_ok()
    }

    /// Steps 1 to 3; the primal and the dual residual.
    fn step(&mut self, rho: f64) -> [f64; 2] {
        let q = &self.state.problem.q;
        self.old_x.copy_from_slice(&self.x);
        self.old_z.copy_from_slice(&self.z);
        for i in 0..self.x.len() {
            self.x[i] = ETA * self.old_x[i] + rho * self.z[i] + self.v[i] - q[i] - self.s[i];
        }
        self.state.solve(&mut self.x);
        for i in 0..self.x.len() {
            self.z[i] = self.x[i] - self.v[i] / rho;
        }
        self.state.problem.project(&mut self.z);
        let (mut primal, mut dual) = (0.0_f64, 0.0_f64);
        for i in 0..self.x.len() {
            self.v[i] -= rho * (self.x[i] - self.z[i]);
            primal = primal.max((self.x[i] - self.z[i]).abs());
            let moved = ETA * (self.x[i] - self.old_x[i]) + rho * (self.z[i] - self.old_z[i]);
            dual = dual.max(moved.abs());
        }
        self.correct();
        [primal, dual]
    }
}

impl Solver<ConeNcp> for Admm {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let AdmmSettings { tolerance, time_limit, max_iterations, history } = self.settings;
        let limits = Limits::of_descent(tolerance, time_limit, history);
        if let Err(report) = self.state.open(problem, limits, start, x) {
            return report;
        }
        self.begin();
        let stretch = self.largest_eigenvalue(problem) / ETA;
        self.begin();
        let change = libm::pow(stretch, EXPONENT);
        let mut rho = ETA * stretch.sqrt() * change;
        if !self.factor(problem, rho) {
            return self.state.close(problem, Status::Stalled, x);
        }
        for k in 1..=max_iterations {
            let [primal, dual] = self.step(rho);
            self.state.incumbent.iterations = k;
            let over = k == max_iterations || self.state.incumbent.is_out_of_time();
            if k % LOOK_EVERY == 0 || over {
                self.state.x.copy_from_slice(&self.z);
                if self.state.look(problem) {
                    return self.state.close(problem, Status::Solved, x);
                }
            }
            if over {
                break;
            }
            if !(primal.is_finite() && dual.is_finite()) {
                return self.state.close(problem, Status::Stalled, x);
            }
            let before = rho;
            if primal > BALANCE * dual {
                rho *= change;
            } else if dual > BALANCE * primal {
                rho /= change;
            }
            if rho != before && !self.factor(problem, rho) {
                return self.state.close(problem, Status::Stalled, x);
            }
        }
        self.state.close(problem, Status::MaxIterations, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
