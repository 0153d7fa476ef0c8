//! The regular Levenberg-Marquardt method on a square system of equations.
//!
//! # Problem
//! `minimize psi(z) = phi(z) . phi(z) / 2`, whose zeros are sought; `phi` is piecewise smooth.
//!
//! # Method
//! With `lambda = 1e-3` at first:
//! 1. At `z`: `phi`, an element `J` of its generalized Jacobian, `J = Q R`.
//! 2. Step `d = -(J^T J + lambda I)^-1 J^T phi` (MJ14 prints no sign), by orthogonal factors.
//! 3. Ratio `rho` of the decrease of `psi` to the one that the model `|phi + J d|^2 / 2` promises.
//! 4. `rho < 0.3`: `lambda` becomes twenty times as large. `rho > 0`: `z` moves by `d`. `rho > 0.8`: `lambda` a twentieth,
//!    never below `1e-25`.
//! 5. Evaluate `z` on the original data, stop if certified (or, in `paper` mode, when `psi < 1e-30`).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi`, quadratically approached where it is a zero and `J` is regular; otherwise it
//! may be a local minimum that solves nothing: [`Status::Stalled`]. Where `phi` is not defined the step is refused and the
//! damping grows.
//!
//! # Cost
//! `2 n^3` operations a step, a third of them again with every change of `lambda` alone.
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, 2014, algorithm RLM (MJ14). M. S. Bazaraa, H. D. Sherali, C. M. Shetty, *Nonlinear Programming*, 1993,
//! section 8.6.

use serde::{Deserialize, Serialize};

use crate::driver::{check_between, check_limits};
use crate::linalg::capacity::reserve_to;
use crate::newton::levenberg_marquardt::damped_step::DampedLeastSquares;
use crate::newton::levenberg_marquardt::equations::{Equations, Point};
use crate::newton::levenberg_marquardt::{Descent, DescentLimits, DescentSettings};
use crate::problem::{SolverError, Status};

/// Step 4: ratios below which the damping grows and above which it shrinks, and by how much (MJ14).
const POOR: f64 = 0.3;
const GOOD: f64 = 0.8;
const FACTOR: f64 = 20.0;

/// The damping's range (dimensionless, rows of size 1): MJ14's lower end; at the upper one a step is lost in rounding.
const DAMPING: [f64; 2] = [1e-25, 1e20];

/// Settings of [`FbRlm`](crate::newton::FbRlm) and [`MncpRlm`](crate::cones::MncpRlm).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RlmSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most steps, taken or refused. Default 300.
    pub max_iterations: usize,
    /// First damping, relative to rows of size 1. Default `1e-3` (MJ14).
    pub lambda: f64,
    /// Stop at `psi < 1e-30` as MJ14 does, and do not polish. Default false.
    pub paper: bool,
    /// Further descents from other points after one that ended in a local minimum. Default 8.
    pub restarts: usize,
    /// Keep the natural map of every step. Default false.
    pub history: bool,
}

impl Default for RlmSettings {
    fn default() -> RlmSettings {
        RlmSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 300,
            lambda: 1e-3,
            paper: false,
            restarts: 8,
            history: false,
        }
    }
}

impl RlmSettings {
    /// The method as MJ14 states it.
    pub fn paper() -> RlmSettings {
        RlmSettings { paper: true, restarts: 0, ..RlmSettings::default() }
    }
}

impl DescentSettings for RlmSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1` and `0 < lambda < 1e20`.
    fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        check_between("lambda", self.lambda, [0.0, DAMPING[1]], "positive and below 1e20")
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.time_limit = seconds;
    }

    fn limits(&self) -> DescentLimits {
        let Self { tolerance, time_limit, max_iterations, paper, restarts, history, .. } = *self;
        DescentLimits { tolerance, time_limit, max_iterations, paper, restarts, history }
    }
}

/// The method with its workspace; see the head of this file.
#[derive(Clone, Debug, Default)]
pub struct Rlm {
    squares: DampedLeastSquares,
    here: Point,
    there: Point,
    gradient: Vec<f64>,
    step: Vec<f64>,
}

impl Descent for Rlm {
    type Settings = RlmSettings;

    fn reserve(&mut self, n: usize, _settings: &RlmSettings) {
        self.squares.reserve(n);
        self.here.reserve(n);
        self.there.reserve(n);
        reserve_to(&mut self.gradient, n);
        self.step.resize(n, 0.0);
    }

    fn run(&mut self, equations: &mut impl Equations, start: &[f64], settings: &RlmSettings) -> Status {
        let mut lambda = settings.lambda;
        let mut factored = false;
        self.here.move_to(equations, start);
        for _ in 0..settings.max_iterations {
            if equations.budget().is_spent() {
                break;
            }
            let Self { squares, here, there, gradient, step } = self;
            // step 1
            if !factored && !here.linearize(equations, squares, gradient) {
                return Status::NumericalFailure;
            }
            factored = true;
            equations.count();
            let finite = squares.step(lambda, step); // step 2
            there.z.clear();
            there.z.extend(here.z.iter().zip(&*step).map(|(z, d)| z + d));
            let moved = there.z != here.z;
            there.evaluate(equations);
            // With (J^T J + lambda I) d = -g the model decreases by (lambda |d|^2 - g . d) / 2.
            let promised: f64 = step.iter().zip(&*gradient).map(|(d, g)| d * (lambda * d - g)).sum();
            let ratio = (here.psi - there.psi) / (0.5 * promised); // step 3
            let taken = finite && ratio > 0.0;
            if taken {
                std::mem::swap(here, there);
                factored = false;
                let may_stop = equations.offer(here); // step 5
                let stop = if settings.paper { here.is_papers_solution() } else { may_stop };
                if stop {
                    return Status::Solved;
                }
            }
            if !taken && (!moved || lambda >= DAMPING[1]) {
                return Status::Stalled;
            }
            if !taken || ratio < POOR {
                lambda = (lambda * FACTOR).min(DAMPING[1]); // step 4
            } else if ratio > GOOD {
                lambda = (lambda / FACTOR).max(DAMPING[0]);
            }
        }
        Status::MaxIterations
    }

    fn here(&self) -> &Point {
        &self.here
    }
}
