//! The projected Levenberg-Marquardt method on a square system of equations.
//!
//! # Problem
//! `minimize psi(z) = phi(z) . phi(z) / 2` over a convex set (a box, or everything), whose zeros are sought; `phi` is
//! piecewise smooth.
//!
//! # Method
//! 1. At `z`: `phi`, an element `J` of its generalized Jacobian, the gradient `g = J^T phi`.
//! 2. Step `d`: least-squares solution of `[J; sqrt(lambda) I] d = [-phi; 0]` by orthogonal factors, `lambda = 1e-16`:
//!    Newton's step where `J` is regular, nearly the shortest one where it is not.
//! 3. If `d` is no direction of descent, take `d = -g`.
//! 4. Non-monotone search along the projected arc `z(t) = P(z + t d)`, `t = 1, 1/2, ..`: accept where
//!    `psi(z(t)) <= r + sigma min(g . (z(t) - z), t g . d)`, with `r` the largest of the last `memory` merits. If no `t` will do,
//!    the same along `-g`.
//! 5. Watchdog: if the best merit has not been halved within `watchdog` steps, return to the best point and search
//!    monotonously from there.
//! 6. Evaluate `z` on the original data, stop if certified (or, in `paper` mode, when `psi < 1e-30`).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi` on the set; quadratic where it is a zero and `J` is regular, and, thanks to the
//! shortest step, usually fast where contacts are redundant. Elsewhere it may end in a local minimum: [`Status::Stalled`].
//! Where `phi` is not defined the search goes back.
//!
//! # Cost
//! `2 n^3` operations a step.
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, 2014, algorithm PLM (MJ14). C. Kanzow, S. Petra, *Projected filter trust region
//! methods for a semismooth least squares formulation of mixed complementarity problems*, Optimization Methods and
//! Software 22 (2007) 713-735. L. Grippo, F. Lampariello, S. Lucidi, *A nonmonotone line search technique for Newton's
//! method*, SIAM Journal on Numerical Analysis 23 (1986) 707-716; *A class of nonmonotone stabilization methods in
//! unconstrained optimization*, Numerische Mathematik 59 (1991) 779-805.

use serde::{Deserialize, Serialize};

use crate::driver::{check_between, check_limits};
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::dot;
use crate::newton::levenberg_marquardt::damped_step::DampedLeastSquares;
use crate::newton::levenberg_marquardt::equations::{Equations, Point};
use crate::newton::levenberg_marquardt::{Descent, DescentLimits, DescentSettings};
use crate::newton::merit_memory::MeritMemory;
use crate::problem::{SolverError, Status};

/// Step 3: cosine of the angle between `d` and `-g` below which rounding may have chosen the sign.
const DESCENT: f64 = 1e-14;

/// Step 4: part of the promised decrease that must be kept.
const SUFFICIENT: f64 = 1e-4;

/// Step 4: the arc is searched down to here.
const SHORTEST: f64 = 1e-10;

/// A direction of descent whose decrease is below this part of `psi` leads nowhere.
const FLAT: f64 = 1e-15;

/// Settings of [`FbPlm`](crate::newton::FbPlm) and [`MncpPlm`](crate::cones::MncpPlm).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlmSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most steps. Default 300.
    pub max_iterations: usize,
    /// Damping, relative to rows of size 1. Default `1e-16` (MJ14).
    pub lambda: f64,
    /// Merits that the non-monotone search looks back on; 1 is monotone. Default 10.
    pub memory: usize,
    /// Steps after which the watchdog returns to the best point. Default 20.
    pub watchdog: usize,
    /// Stop at `psi < 1e-30` as MJ14 does, and do not polish. Default false.
    pub paper: bool,
    /// Further descents from other points after one that ended in a local minimum. Default 8.
    pub restarts: usize,
    /// Keep the natural map of every step. Default false.
    pub history: bool,
}

impl Default for PlmSettings {
    fn default() -> PlmSettings {
        PlmSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 300,
            lambda: 1e-16,
            memory: 10,
            watchdog: 20,
            paper: false,
            restarts: 8,
            history: false,
        }
    }
}

impl PlmSettings {
    /// The method as MJ14 states it.
    pub fn paper() -> PlmSettings {
        PlmSettings { paper: true, restarts: 0, ..PlmSettings::default() }
    }
}

impl DescentSettings for PlmSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1` and `0 < lambda < 1`.
    fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        check_between("lambda", self.lambda, [0.0, 1.0], "positive and below 1")
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
pub struct Plm {
    squares: DampedLeastSquares,
    here: Point,
    there: Point,
    best: Point,
    merits: MeritMemory,
    gradient: Vec<f64>,
    step: Vec<f64>,
}

impl Descent for Plm {
    type Settings = PlmSettings;

    fn reserve(&mut self, n: usize, settings: &PlmSettings) {
        self.squares.reserve(n);
        for point in [&mut self.here, &mut self.there, &mut self.best] {
            point.reserve(n);
        }
        self.merits.reserve(settings.memory);
        reserve_to(&mut self.gradient, n);
        self.step.resize(n, 0.0);
    }

    fn run(&mut self, equations: &mut impl Equations, start: &[f64], settings: &PlmSettings) -> Status {
        self.here.move_to(equations, start);
        self.best.copy_from(&self.here);
        self.merits.restart(self.here.psi, settings.memory);
        let (mut since, mut target) = (0, 0.5 * self.here.psi);
        for _ in 0..settings.max_iterations {
            if equations.budget().is_spent() {
                break;
            }
            let Self { squares, here, gradient, step, .. } = self;
            // step 1
            if !here.linearize(equations, squares, gradient) {
                return Status::NumericalFailure;
            }
            equations.count();
            // steps 2 and 3
            let descends = squares.step(settings.lambda, step) && {
                let lengths = dot(step, step).sqrt() * dot(gradient, gradient).sqrt();
                dot(gradient, step) <= -DESCENT * lengths
            };
            // step 4
            if !((descends && self.search(equations)) || self.search_downhill(equations)) {
                if self.merits.is_monotone() && self.here.psi <= self.best.psi {
                    return Status::Stalled;
                }
                self.return_to_best();
                since = 0;
                continue;
            }
            let may_stop = equations.offer(&self.here); // step 6
            let stop = if settings.paper { self.here.is_papers_solution() } else { may_stop };
            if stop {
                return Status::Solved;
            }
            self.merits.push(self.here.psi);
            since += 1;
            if self.here.psi < self.best.psi {
                self.best.copy_from(&self.here);
                if self.best.psi <= target {
                    (since, target) = (0, 0.5 * self.best.psi);
                }
            }
            if since >= settings.watchdog && !self.merits.is_monotone() {
                self.return_to_best(); // step 5
                since = 0;
            }
        }
        Status::MaxIterations
    }

    fn here(&self) -> &Point {
        &self.here
    }
}

impl Plm {
    fn return_to_best(&mut self) {
        self.here.copy_from(&self.best);
        self.merits.restart(self.best.psi, 1);
    }

    /// Step 4 along `-g`.
    fn search_downhill(&mut self, equations: &mut impl Equations) -> bool {
        self.step.clear();
        self.step.extend(self.gradient.iter().map(|g| -g));
        self.search(equations)
    }

    /// Step 4: moves `here`, or returns false.
    fn search(&mut self, equations: &mut impl Equations) -> bool {
        let Self { here, there, gradient, step, merits, .. } = self;
        let slope = dot(gradient, step);
        let reference = merits.largest();
        let mut t = 1.0;
        while t >= SHORTEST {
            there.z.clear();
            there.z.extend(here.z.iter().zip(&*step).map(|(z, d)| z + t * d));
            equations.project(&mut there.z);
            let along: f64 =
                gradient.iter().zip(there.z.iter().zip(&here.z)).map(|(g, (b, a))| g * (b - a)).sum();
            let promised = along.min(t * slope);
            if promised >= -FLAT * here.psi {
                return false;
            }
            there.evaluate(equations);
            if there.psi <= reference + SUFFICIENT * promised {
                std::mem::swap(here, there);
                return true;
            }
            t *= 0.5;
        }
        false
    }
}
