//! The regular Levenberg-Marquardt method on the equations of Mylapilli and Jain.
//!
//! # Problem
//! [`ConeNcp`], all kinds of blocks, both laws: `minimize psi(z) = phi(z) . phi(z) / 2` with the equations of
//! `mncp.rs`, whose zeros are the solutions.
//!
//! # Method
//! 1. Look at the start, and begin at `z = v - x` of its impulses and velocities.
//! 2. Descend on `psi` by damped Gauss-Newton steps, the damping following how well the model promised (MJ14's algorithm
//!    RLM, in `regular_descent.rs`). The answer at every step is `x(z)`; stop when it passes (in `paper` mode when `psi <
//!    1e-30`).
//! 3. Begin anew elsewhere, at most `restarts` times, if that was a local minimum (`restarts.rs`).
//!
//! # Convergence and failure
//! Quadratic near a regular solution, slow where impulses are not unique (the damping follows the merit, not the null space),
//! and every limit point is stationary for `psi`. With Coulomb's law that may be a local minimum that solves nothing:
//! [`Status::Stalled`], as in one public problem of three where it does not begin anew. [`crate::cones::chain`] is the robust solver.
//!
//! # Cost
//! `2 n^3` operations a step of `n` rows, on a dense matrix whatever the form of the operator. Problems of more than 2048
//! rows are not attempted: [`Status::MaxIterations`] at the start.
//!
//! # References
//! A. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, solver MNCP-RLM.

use crate::cones::mncp::equations;
use crate::cones::mncp::equations::MncpEquations;
use crate::cones::state::{Limits, State};
use crate::newton::RlmSettings;
use crate::newton::levenberg_marquardt::regular::RegularDescent;
use crate::problem::{ConeNcp, Report, Solution, Solver, SolverError, Start, Status};

/// Settings of [`MncpRlm`].
pub type MncpRlmSettings = RlmSettings;

/// The method with its workspace; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct MncpRlm {
    settings: MncpRlmSettings,
    state: State,
    descent: RegularDescent,
    start: Vec<f64>,
}

impl MncpRlm {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`RlmSettings::validate`].
    pub fn new(settings: MncpRlmSettings) -> Result<MncpRlm, SolverError> {
        settings.validate()?;
        Ok(MncpRlm { settings, ..MncpRlm::default() })
    }

    /// The natural maps of the last solve, if the settings ask for them.
    pub fn history(&self) -> &[f64] {
        &self.state.history
    }
}

impl Solver<ConeNcp> for MncpRlm {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let Self { settings, state, descent, start: from } = self;
        if let Err(report) =
            state.open_dense(problem, Limits::of_descent(settings.tolerance, settings.history), start, x)
        {
            return report;
        }
        descent.reserve(state.x.len());
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
