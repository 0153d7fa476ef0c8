//! The Levenberg-Marquardt methods on the equations of Mylapilli and Jain: [`MncpRlm`] and [`MncpPlm`].
//!
//! # Problem
//! [`ConeNcp`], all kinds of blocks, both laws: `minimize psi(z) = phi(z) . phi(z) / 2` with the equations of
//! `equations.rs`, whose zeros are the solutions.
//!
//! # Method
//! 1. Evaluate the start, and begin at `z = v - x` of its impulses and velocities.
//! 2. Descend on `psi` by algorithm RLM or PLM of MJ14 ([`crate::newton::Rlm`], [`crate::newton::Plm`]; the unknowns are
//!    free, so that PLM has nothing to project on). The answer at every step is `x(z)`; stop when it passes (in `paper` mode
//!    when `psi < 1e-30`).
//! 3. Restart elsewhere, at most `restarts` times, if that was a local minimum (`restarts.rs`).
//!
//! # Convergence and failure
//! Quadratic near a regular solution. Where impulses are not unique RLM is slow (its damping follows the merit, not the
//! null space) and PLM fast, thanks to its nearly shortest step. Every limit point is stationary for `psi`; with Coulomb's
//! law that may be a local minimum that solves nothing: [`Status::Stalled`]. Without restarts RLM ends so in one public
//! problem of three; PLM solves 47 of the 54 to 1e-9 in at most 1000 steps, all 41 of up to a hundred contacts.
//! [`crate::cones::chain`] is the robust solver.
//!
//! # Cost
//! `2 n^3` operations a step of `n` rows, on a dense matrix whatever the form of the operator. Problems of more than 2048
//! rows are not attempted: [`Status::MaxIterations`] at the start.
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, 2014, solvers MNCP-RLM and MNCP-PLM (MJ14).

use crate::cones::mncp::equations;
use crate::cones::mncp::equations::MncpEquations;
use crate::cones::state::{Limits, State};
use crate::newton::{Descent, DescentSettings, Plm, PlmSettings, Rlm, RlmSettings};
use crate::problem::{ConeNcp, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status};

/// The regular method: damped Gauss-Newton steps, the damping following how well the model predicts.
pub type MncpRlm = MncpDescent<Rlm>;

/// Settings of [`MncpRlm`].
pub type MncpRlmSettings = RlmSettings;

/// The projected method: nearly undamped steps with a non-monotone search and a watchdog.
pub type MncpPlm = MncpDescent<Plm>;

/// Settings of [`MncpPlm`].
pub type MncpPlmSettings = PlmSettings;

/// A descent on the equations of the cone problem with its workspace; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct MncpDescent<D: Descent> {
    settings: D::Settings,
    state: State,
    descent: D,
    start: Vec<f64>,
}

impl<D: Descent> MncpDescent<D> {
    /// A solver with these settings.
    ///
    /// # Errors
    /// See [`DescentSettings::validate`].
    pub fn new(settings: D::Settings) -> Result<MncpDescent<D>, SolverError> {
        settings.validate()?;
        Ok(MncpDescent { settings, ..MncpDescent::default() })
    }

    /// The convergence history of the last solve; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.state.history()
    }
}

impl<D: Descent> Solver<ConeNcp> for MncpDescent<D> {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let Self { settings, state, descent, start: from } = self;
        let limits = settings.limits();
        let of_state = Limits::of_descent(limits.tolerance, limits.time_limit, limits.history);
        if let Err(report) = state.open_dense(problem, of_state, start, x) {
            return report;
        }
        descent.reserve(state.x.len(), settings);
        if equations::start(problem, state, from) {
            return state.close(problem, Status::Solved, x); // step 1
        }
        let mut status = Status::Stalled;
        for attempt in 0..=limits.restarts {
            let end = descent.run(&mut MncpEquations::new(problem, state), from, settings); // step 2
            if attempt == 0 {
                status = end;
            }
            if state.is_good() || attempt == limits.restarts || state.incumbent.is_out_of_time() {
                break;
            }
            equations::restart(state, attempt, from); // step 3
        }
        state.close(problem, status, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.limit_time(seconds);
    }
}
