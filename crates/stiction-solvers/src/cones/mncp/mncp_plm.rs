//! The projected Levenberg-Marquardt method on the equations of Mylapilli and Jain.
//!
//! # Problem
//! [`ConeNcp`], all kinds of blocks, both laws: `minimize psi(z) = phi(z) . phi(z) / 2` with the equations of
//! `mncp.rs`, whose zeros are the solutions.
//!
//! # Method
//! 1. Look at the start, and begin at `z = v - x` of its impulses and velocities.
//! 2. Descend on `psi` by nearly undamped Gauss-Newton steps with a non-monotone search and a watchdog (MJ14's algorithm
//!    PLM, in `projected_descent.rs`; the unknowns are free, so that there is nothing to project on). The answer at every
//!    step is `x(z)`; stop when it passes (in `paper` mode when `psi < 1e-30`).
//! 3. Begin anew elsewhere, at most `restarts` times, if that was a local minimum (`restarts.rs`).
//!
//! # Convergence and failure
//! Quadratic near a regular solution, and fast where impulses are not unique, thanks to the nearly shortest step. Every limit
//! point is stationary for `psi`; with Coulomb's law that may be a local minimum that solves nothing:
//! [`Status::Stalled`]. Without beginning anew it solves 47 of the 54 public problems to 1e-9 in at most 1000 steps, all 41
//! of up to a hundred contacts; [`crate::cones::chain`] is the robust solver.
//!
//! # Cost
//! `2 n^3` operations a step of `n` rows, on a dense matrix whatever the form of the operator. Problems of more than 2048
//! rows are not attempted: [`Status::MaxIterations`] at the start.
//!
//! # References
//! A. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, solver MNCP-PLM.

use crate::cones::mncp::equations;
use crate::cones::mncp::equations::MncpEquations;
use crate::cones::state::{Limits, State};
use crate::newton::PlmSettings;
use crate::newton::levenberg_marquardt::projected::ProjectedDescent;
use crate::problem::{ConeNcp, Report, Solution, Solver, SolverError, Start, Status};

/// Settings of [`MncpPlm`].
pub type MncpPlmSettings = PlmSettings;

/// The method with its workspace; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct MncpPlm {
    settings: MncpPlmSettings,
    state: State,
    descent: ProjectedDescent,
    start: Vec<f64>,
}

impl MncpPlm {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`PlmSettings::validate`].
    pub fn new(settings: MncpPlmSettings) -> Result<MncpPlm, SolverError> {
        settings.validate()?;
        Ok(MncpPlm { settings, ..MncpPlm::default() })
    }

    /// The natural maps of the last solve, if the settings ask for them.
    pub fn history(&self) -> &[f64] {
        &self.state.history
    }
}

impl Solver<ConeNcp> for MncpPlm {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let Self { settings, state, descent, start: from } = self;
        if let Err(report) =
            state.open_dense(problem, Limits::of_descent(settings.tolerance, settings.history), start, x)
        {
            return report;
        }
        descent.reserve(state.x.len(), settings.memory);
        if equations::start(problem, state, from) {
            return state.close(problem, Status::Solved, x);
        }
        let mut status = Status::Stalled;
        for attempt in 0..=settings.restarts {
            let end = descent.run(&mut MncpEquations::new(problem, state), from, settings);
            state.iterations += descent.iterations;
            if attempt == 0 {
                status = end;
            }
            if state.is_good() || attempt == settings.restarts {
                break;
            }
            equations::begin_anew(state, attempt, from);
        }
        state.close(problem, status, x)
    }
}
