//! The regular Levenberg-Marquardt method on the Fischer-Burmeister equations.
//!
//! # Problem
//! Any [`Bounded`] problem, free, one-sided and two-sided rows: `minimize psi(z) = phi(z) . phi(z) / 2`, whose zeros are
//! the solutions ([`crate::newton::fischer_burmeister`]).
//!
//! # Method
//! 1. Equilibrate the problem.
//! 2. Descend on `psi` by damped Gauss-Newton steps, the damping following how well the model promised (MJ14's algorithm
//!    RLM, in `regular_descent.rs`), until a point is certified on the original data (in `paper` mode until `psi < 1e-30`).
//! 3. Begin anew elsewhere, at most `restarts` times, if that was a local minimum (`restarts.rs`).
//! 4. Polish the answer by Newton steps on its face (not in `paper` mode).
//!
//! # Convergence and failure
//! Every limit point is stationary for `psi`. For P0 matrices (all monotone problems) and a bounded solution set such a
//! point is a solution, quadratically approached where `J` is regular; otherwise it may be a local minimum that solves
//! nothing: [`Status::Stalled`]. Where `F` is not defined the step is refused and the damping
//! grows.
//!
//! # Cost
//! `2 n^3` operations a step, a third of them again with every change of the damping alone. Five to thirty steps.
//!
//! # References
//! A. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, eq. 23-25 and algorithm RLM (MJ14).

use crate::newton::levenberg_marquardt::equations::FbEquations;
use crate::newton::levenberg_marquardt::regular::{RegularDescent, RlmSettings};
use crate::newton::newton_driver::Frame;
use crate::newton::projected_newton::ProjectedNewton;
use crate::problem::{ActiveSet, Bounded, Report, Solution, Solver, SolverError, Start, Status};

/// Settings of [`FbRlm`].
pub type FbRlmSettings = RlmSettings;

/// The method with its workspace; see the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct FbRlm {
    settings: FbRlmSettings,
    frame: Frame,
    polish: ProjectedNewton,
    descent: RegularDescent,
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
}

impl<P: Bounded> Solver<P> for FbRlm {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let Self { settings, frame, polish, descent } = self;
        polish.reserve(problem.dim());
        descent.reserve(problem.dim());
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
