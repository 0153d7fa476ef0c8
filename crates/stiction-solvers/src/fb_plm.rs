//! The projected Levenberg-Marquardt method on the Fischer-Burmeister equations.
//!
//! # Problem
//! Any [`Bounded`] problem: `minimize psi(z) = phi(z) . phi(z) / 2` over the box, whose zeros are the solutions
//! ([`crate::fischer_burmeister`]).
//!
//! # Method
//! In equilibrated units:
//! 1. At `z`: `phi`, an element `J` of its generalized Jacobian, the gradient `g = J^T phi`.
//! 2. Step `d`: least-squares solution of `[J; sqrt(lambda) I] d = [-phi; 0]` by orthogonal factors, `lambda = 1e-16`:
//!    Newton's step where `J` is regular, nearly the shortest one where it is not.
//! 3. If `d` is no direction of descent, take `d = -g`.
//! 4. Non-monotone search along the projected arc `z(t) = P(z + t d)`, `t = 1, 1/2, ..`: accept where
//!    `psi(z(t)) <= r + sigma min(g . (z(t) - z), t g . d)`, with `r` the largest of the last `memory` merits. If no `t` will do,
//!    the same along `-g`.
//! 5. Watchdog: if the best merit has not been halved within `watchdog` steps, return to the best point and search
//!    monotonously from there.
//! 6. Judge `z` on the original data, stop if certified (or, in `paper` mode, when `psi < 1e-30`); polish the answer by
//!    Newton steps on its face (not in `paper` mode).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi` on the box, a solution if the matrix is P0 and the solution set bounded;
//! quadratic where `J` is regular, and, thanks to the shortest step, usually fast where contacts are redundant.
//! Elsewhere it may end in a local minimum: [`Status::Stalled`]. Where `F` is not defined the search goes back.
//!
//! # Cost
//! `2 n^3` operations a step. Five to thirty steps.
//!
//! # References
//! A. Mylapilli, A. Jain, ASME DETC2014-34322, algorithm PLM. C. Kanzow, S. Petra, *Projected filter trust region
//! methods for a semismooth least squares formulation of mixed complementarity problems*, Optimization Methods and
//! Software 22 (2007) 713-735. L. Grippo, F. Lampariello, S. Lucidi, *A nonmonotone line search technique for Newton's
//! method*, SIAM Journal on Numerical Analysis 23 (1986) 707-716; *A class of nonmonotone stabilization methods in
//! unconstrained optimization*, Numerische Mathematik 59 (1991) 779-805.

use serde::{Deserialize, Serialize};

use crate::active_set::ActiveSet;
use crate::damped_least_squares::DampedLeastSquares;
use crate::dense::dot;
use crate::error::SolverError;
use crate::fb_equations::{Equations, PAPER_MERIT, SETTLED};
use crate::frame::{Frame, check_between, check_tolerance};
use crate::merit_memory::MeritMemory;
use crate::problem::{Bounded, Solution};
use crate::projected_newton::ProjectedNewton;
use crate::room::make_room;
use crate::solver::{Report, Solver, Start, Status};

/// Step 3: cosine of the angle between `d` and `-g` below which rounding may have chosen the sign.
const DESCENT: f64 = 1e-14;

/// Step 4: part of the promised decrease that must be kept.
const SUFFICIENT: f64 = 1e-4;

/// Step 4: the arc is searched down to here.
const SHORTEST: f64 = 1e-10;

/// A direction of descent whose decrease is below this part of `psi` leads nowhere.
const FLAT: f64 = 1e-15;

/// Settings of [`FbPlm`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FbPlmSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
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
    /// Keep the natural map of every step. Default false.
    pub history: bool,
}

impl Default for FbPlmSettings {
    fn default() -> FbPlmSettings {
        FbPlmSettings {
            tolerance: 1e-10,
            max_iterations: 300,
            lambda: 1e-16,
            memory: 10,
            watchdog: 20,
            paper: false,
            history: false,
        }
    }
}

impl FbPlmSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1` and `0 < lambda < 1`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_tolerance(self.tolerance)?;
        check_between("lambda", self.lambda, [0.0, 1.0], "positive and below 1")
    }
}

/// The method with its workspace; see the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct FbPlm {
    settings: FbPlmSettings,
    frame: Frame,
    polish: ProjectedNewton,
    squares: DampedLeastSquares,
    here: Equations,
    there: Equations,
    best: Equations,
    merits: MeritMemory,
    gradient: Vec<f64>,
    step: Vec<f64>,
}

impl FbPlm {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: FbPlmSettings) -> Result<FbPlm, SolverError> {
        settings.validate()?;
        Ok(FbPlm { settings, ..FbPlm::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &FbPlmSettings {
        &self.settings
    }

    /// The basic indices of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        self.frame.active_set()
    }

    /// The natural map after every step of the last solve; empty unless [`FbPlmSettings::history`].
    pub fn history(&self) -> &[f64] {
        self.frame.history()
    }

    fn reserve(&mut self, n: usize) {
        self.polish.reserve(n);
        self.squares.reserve(n);
        for equations in [&mut self.here, &mut self.there, &mut self.best] {
            equations.reserve(n);
        }
        self.merits.reserve(self.settings.memory);
        make_room(&mut self.gradient, n);
        self.step.resize(n, 0.0);
    }

    /// Steps 1 to 6, from the frame's start.
    fn descend<P: Bounded>(&mut self, problem: &P, x: &mut Solution) -> Status {
        self.here.move_to(problem, &mut self.frame.units, &self.frame.start);
        self.best.copy_from(&self.here);
        self.merits.restart(self.here.psi, self.settings.memory);
        let (mut since, mut target, mut last) = (0, 0.5 * self.here.psi, f64::INFINITY);
        for _ in 0..self.settings.max_iterations {
            let Self { frame, squares, here, gradient, step, .. } = self;
            if !here.linearize(problem, &mut frame.units, squares, gradient) {
                return Status::NumericalFailure;
            }
            frame.iterations += 1;
            let descends = squares.step(self.settings.lambda, step) && {
                let lengths = dot(step, step).sqrt() * dot(gradient, gradient).sqrt();
                dot(gradient, step) <= -DESCENT * lengths
            };
            if !((descends && self.search(problem)) || self.search_downhill(problem)) {
                if self.merits.is_monotone() && self.here.psi <= self.best.psi {
                    return Status::Stalled;
                }
                self.return_to_best();
                since = 0;
                continue;
            }
            let residual = self.frame.offer(problem, &self.here.z, x);
            if self.settings.history {
                self.frame.record(self.settings.max_iterations);
            }
            let stop = if self.settings.paper {
                self.here.psi < PAPER_MERIT
            } else {
                self.frame.is_done() && residual > SETTLED * last
            };
            last = residual;
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
            if since >= self.settings.watchdog && !self.merits.is_monotone() {
                self.return_to_best(); // step 5
                since = 0;
            }
        }
        Status::MaxIterations
    }

    fn return_to_best(&mut self) {
        self.here.copy_from(&self.best);
        self.merits.restart(self.best.psi, 1);
    }

    /// Step 4 along `-g`.
    fn search_downhill<P: Bounded>(&mut self, problem: &P) -> bool {
        self.step.clear();
        self.step.extend(self.gradient.iter().map(|g| -g));
        self.search(problem)
    }

    /// Step 4: moves `here`, or returns false.
    fn search<P: Bounded>(&mut self, problem: &P) -> bool {
        let Self { frame, here, there, gradient, step, merits, .. } = self;
        let slope = dot(gradient, step);
        let reference = merits.largest();
        let mut t = 1.0;
        while t >= SHORTEST {
            there.z.clear();
            there.z.extend(here.z.iter().zip(&*step).map(|(z, d)| z + t * d));
            frame.units.project(&mut there.z);
            let along: f64 =
                gradient.iter().zip(there.z.iter().zip(&here.z)).map(|(g, (b, a))| g * (b - a)).sum();
            let promised = along.min(t * slope);
            if promised >= -FLAT * here.psi {
                return false;
            }
            there.evaluate(problem, &mut frame.units);
            if there.psi <= reference + SUFFICIENT * promised {
                std::mem::swap(here, there);
                return true;
            }
            t *= 0.5;
        }
        false
    }
}

impl<P: Bounded> Solver<P> for FbPlm {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        self.reserve(problem.dim());
        let tolerance = self.settings.tolerance;
        if let Err(report) = self.frame.open(problem, tolerance, &mut self.polish, start, x) {
            return report;
        }
        let status = self.descend(problem, x);
        if !self.settings.paper {
            self.frame.polish(problem, &mut self.polish, &self.here.z, x);
        }
        self.frame.close(problem, status, x)
    }
}
