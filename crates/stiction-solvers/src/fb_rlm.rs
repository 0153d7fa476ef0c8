//! The regular Levenberg-Marquardt method on the Fischer-Burmeister equations.
//!
//! # Problem
//! Any [`Bounded`] problem, free, one-sided and two-sided rows: `minimize psi(z) = phi(z) . phi(z) / 2`, whose zeros are
//! the solutions ([`crate::fischer_burmeister`]).
//!
//! # Method
//! In equilibrated units, with `lambda = 1e-3` at first:
//! 1. At `z`: `phi`, an element `J` of its generalized Jacobian, `J = Q R`.
//! 2. Step `d = -(J^T J + lambda I)^-1 J^T phi` (MJ14 prints no sign), by orthogonal factors.
//! 3. Ratio `rho` of the decrease of `psi` to the one that the model `|phi + J d|^2 / 2` promises.
//! 4. `rho < 0.3`: `lambda` becomes twenty times as large. `rho > 0`: `z` moves by `d`. `rho > 0.8`: `lambda` a twentieth,
//!    never below `1e-25`.
//! 5. Judge `z` on the original data, stop if certified (or, in `paper` mode, when `psi < 1e-30`).
//! 6. Polish the answer by Newton steps on its face (not in `paper` mode).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi`. For P0 matrices (all monotone problems) and a bounded solution set such a
//! point is a solution, quadratically approached where `J` is regular; otherwise it may be a local minimum that solves
//! nothing: [`Status::Stalled`]. Where `F` is not defined the step is refused and the damping grows.
//!
//! # Cost
//! `2 n^3` operations a step, two thirds of them again with every change of `lambda` alone. Five to thirty steps.
//!
//! # References
//! A. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, eq. 23-25 and algorithm RLM (MJ14). M. S. Bazaraa, H. D. Sherali, C. M. Shetty, *Nonlinear
//! Programming*, 1993, section 8.6.

use serde::{Deserialize, Serialize};

use crate::active_set::ActiveSet;
use crate::damped_least_squares::DampedLeastSquares;
use crate::error::SolverError;
use crate::fb_equations::{Equations, PAPER_MERIT, SETTLED};
use crate::frame::{Frame, check_between, check_tolerance};
use crate::problem::{Bounded, Solution};
use crate::projected_newton::ProjectedNewton;
use crate::room::make_room;
use crate::solver::{Report, Solver, Start, Status};

/// Step 4: ratios below which the damping grows and above which it shrinks, and by how much (MJ14).
const POOR: f64 = 0.3;
const GOOD: f64 = 0.8;
const FACTOR: f64 = 20.0;

/// The damping's range (dimensionless, rows of size 1): MJ14's lower end; at the upper one a step is lost in rounding.
const DAMPING: [f64; 2] = [1e-25, 1e20];

/// Settings of [`FbRlm`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FbRlmSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most steps, taken or refused. Default 300.
    pub max_iterations: usize,
    /// First damping, relative to rows of size 1. Default `1e-3` (MJ14).
    pub lambda: f64,
    /// Stop at `psi < 1e-30` as MJ14 does, and do not polish. Default false.
    pub paper: bool,
    /// Keep the natural map of every step. Default false.
    pub history: bool,
}

impl Default for FbRlmSettings {
    fn default() -> FbRlmSettings {
        FbRlmSettings { tolerance: 1e-10, max_iterations: 300, lambda: 1e-3, paper: false, history: false }
    }
}

impl FbRlmSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1` and `0 < lambda < 1e20`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_tolerance(self.tolerance)?;
        check_between("lambda", self.lambda, [0.0, DAMPING[1]], "positive and below 1e20")
    }
}

/// The method with its workspace; see the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct FbRlm {
    settings: FbRlmSettings,
    frame: Frame,
    polish: ProjectedNewton,
    squares: DampedLeastSquares,
    here: Equations,
    there: Equations,
    gradient: Vec<f64>,
    step: Vec<f64>,
}

impl FbRlm {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: FbRlmSettings) -> Result<FbRlm, SolverError> {
        settings.validate()?;
        Ok(FbRlm { settings, ..FbRlm::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &FbRlmSettings {
        &self.settings
    }

    /// The basic indices of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        self.frame.active_set()
    }

    /// The natural map after every step of the last solve; empty unless [`FbRlmSettings::history`].
    pub fn history(&self) -> &[f64] {
        self.frame.history()
    }

    fn reserve(&mut self, n: usize) {
        self.polish.reserve(n);
        self.squares.reserve(n);
        self.here.reserve(n);
        self.there.reserve(n);
        make_room(&mut self.gradient, n);
        self.step.resize(n, 0.0);
    }

    /// Steps 1 to 5, from the frame's start.
    fn descend<P: Bounded>(&mut self, problem: &P, x: &mut Solution) -> Status {
        let mut lambda = self.settings.lambda;
        let (mut factored, mut last) = (false, f64::INFINITY);
        self.here.move_to(problem, &mut self.frame.units, &self.frame.start);
        for _ in 0..self.settings.max_iterations {
            let Self { frame, squares, here, there, gradient, step, .. } = self;
            if !factored && !here.linearize(problem, &mut frame.units, squares, gradient) {
                return Status::NumericalFailure;
            }
            factored = true;
            frame.iterations += 1;
            let finite = squares.step(lambda, step); // step 2
            there.z.clear();
            there.z.extend(here.z.iter().zip(&*step).map(|(z, d)| z + d));
            let moved = there.z != here.z;
            there.evaluate(problem, &mut frame.units);
            // With (J^T J + lambda I) d = -g the model decreases by (lambda |d|^2 - g . d) / 2.
            let promised: f64 = step.iter().zip(&*gradient).map(|(d, g)| d * (lambda * d - g)).sum();
            let ratio = (here.psi - there.psi) / (0.5 * promised); // step 3
            let taken = finite && ratio > 0.0;
            if taken {
                std::mem::swap(here, there);
                factored = false;
                let residual = frame.offer(problem, &here.z, x); // step 5
                if self.settings.history {
                    frame.record(self.settings.max_iterations);
                }
                let stop = if self.settings.paper {
                    here.psi < PAPER_MERIT
                } else {
                    frame.is_done() && residual > SETTLED * last
                };
                last = residual;
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
}

impl<P: Bounded> Solver<P> for FbRlm {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        self.reserve(problem.dim());
        let tolerance = self.settings.tolerance;
        if let Err(report) = self.frame.open(problem, tolerance, &mut self.polish, start, x) {
            return report;
        }
        let status = self.descend(problem, x);
        if !self.settings.paper {
            self.frame.polish(problem, &mut self.polish, &self.here.z, x); // step 6
        }
        self.frame.close(problem, status, x)
    }
}
