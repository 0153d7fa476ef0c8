//! The projected Levenberg-Marquardt method on the Fischer-Burmeister equations.
//!
//! # Problem
//! Any [`Bounded`] problem: `minimize psi(z) = phi(z) . phi(z) / 2` over the box, whose zeros are the solutions
//! ([`crate::newton::fischer_burmeister`]).
//!
//! # Method
//! 1. Equilibrate the problem.
//! 2. Descend on `psi` by nearly undamped Gauss-Newton steps along the projected arc, with a non-monotone search and a
//!    watchdog (MJ14's algorithm PLM, in `projected_descent.rs`), until a point is certified on the original data (in `paper`
//!    mode until `psi < 1e-30`).
//! 3. Begin anew elsewhere, at most `restarts` times, if that was a local minimum (`restarts.rs`).
//! 4. Polish the answer by Newton steps on its face (not in `paper` mode).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi` on the box, a solution if the matrix is P0 and the solution set bounded;
//! quadratic where `J` is regular, and, thanks to the shortest step, usually fast where contacts are redundant.
//! Elsewhere it may end in a local minimum: [`Status::Stalled`]. Where `F` is not defined the
//! search goes back.
//!
//! # Cost
//! `2 n^3` operations a step. Five to thirty steps.
//!
//! # References
//! A. Mylapilli, A. Jain, ASME DETC2014-34322, algorithm PLM.

use crate::newton::levenberg_marquardt::equations::FbEquations;
use crate::newton::levenberg_marquardt::projected::{PlmSettings, ProjectedDescent};
use crate::newton::newton_driver::Frame;
use crate::newton::projected_newton::ProjectedNewton;
use crate::problem::{ActiveSet, Bounded, Report, Solution, Solver, SolverError, Start, Status};

/// Settings of [`FbPlm`].
pub type FbPlmSettings = PlmSettings;

/// The method with its workspace; see the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct FbPlm {
    settings: FbPlmSettings,
    frame: Frame,
    polish: ProjectedNewton,
    descent: ProjectedDescent,
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
}

impl<P: Bounded> Solver<P> for FbPlm {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let Self { settings, frame, polish, descent } = self;
        polish.reserve(problem.dim());
        descent.reserve(problem.dim(), settings.memory);
        if let Err(report) = frame.open(problem, settings.tolerance, polish, start, x) {
            return report;
        }
        let steps = settings.restarts.saturating_add(1).saturating_mul(settings.max_iterations);
        let history = settings.history.then_some(steps);
        let mut status = Status::Stalled;
        for attempt in 0..=settings.restarts {
            let from = std::mem::take(&mut frame.start);
            let end = descent.run(&mut FbEquations::new(problem, frame, x, history), &from, settings);
            frame.start = from;
            frame.iterations += descent.iterations;
            if attempt == 0 {
                status = end;
            }
            if frame.is_solved() || attempt == settings.restarts {
                break;
            }
            frame.begin_anew(attempt);
        }
        if !settings.paper {
            frame.polish(problem, polish, &descent.here.z, x);
        }
        frame.close(problem, status, x)
    }
}
