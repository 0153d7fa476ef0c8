//! The Levenberg-Marquardt methods RLM and PLM of Mylapilli and Jain on a square system of equations `phi(z) = 0`.
//!
//! Both descend on the merit `psi(z) = phi(z) . phi(z) / 2` by damped Gauss-Newton steps
//!
//! `d = -(J^T J + lambda I)^-1 J^T phi`,
//!
//! `J` an element of the generalized Jacobian of `phi`. RLM adapts the damping `lambda` to how well the quadratic model
//! predicts the merit; PLM keeps it tiny, and searches the projected arc without asking every step to descend.
//!
//! | file | what it is |
//! |---|---|
//! | `rlm` | [`Rlm`]: algorithm RLM, step by step |
//! | `plm` | [`Plm`]: algorithm PLM, step by step |
//! | `equations` | [`Equations`]: what the methods see of a problem; [`Point`]: `z`, `phi` and `psi` |
//! | `damped_step` | the step `d` by orthogonal factors, for several `lambda` of one `J` |
//!
//! The equations themselves are elsewhere: Fischer-Burmeister's for boxes in [`crate::newton::fb_equations`], those of the
//! cone problem in `cones::mncp`; the restarts and the report are in [`crate::newton::fb_descent`] and `cones::mncp`.
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322, 2014 (MJ14).

mod damped_step;
pub(crate) mod equations;
pub(crate) mod plm;
pub(crate) mod rlm;

use std::fmt::Debug;

use crate::problem::{SolverError, Status};

pub(crate) use equations::{Equations, Point};
pub use plm::{Plm, PlmSettings};
pub use rlm::{Rlm, RlmSettings};

/// A Levenberg-Marquardt method with its workspace.
pub trait Descent: Clone + Debug + Default {
    /// What it is told.
    type Settings: DescentSettings;

    /// Reserves the workspace for `n` unknowns.
    fn reserve(&mut self, n: usize, settings: &Self::Settings);

    /// Descends from `start`; the last point is left in [`Descent::here`].
    fn run(&mut self, equations: &mut impl Equations, start: &[f64], settings: &Self::Settings) -> Status;

    /// The last point.
    fn here(&self) -> &Point;
}

/// Settings of a [`Descent`].
pub trait DescentSettings: Clone + Copy + Debug + Default {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    fn validate(&self) -> Result<(), SolverError>;

    /// Sets the most time of a solve (s).
    fn limit_time(&mut self, seconds: Option<f64>);

    /// What the driver around the descents needs to know.
    fn limits(&self) -> DescentLimits;
}

/// The settings that RLM and PLM share.
#[derive(Clone, Copy, Debug)]
pub struct DescentLimits {
    /// Largest natural map (dimensionless) that counts as solved.
    pub tolerance: f64,
    /// Most time of a solve (s).
    pub time_limit: Option<f64>,
    /// Most steps of one descent.
    pub max_iterations: usize,
    /// Stop at `psi < 1e-30` as MJ14 does, and do not polish.
    pub paper: bool,
    /// Further descents from other points after one that ended in a local minimum.
    pub restarts: usize,
    /// Whether to keep a convergence history.
    pub history: bool,
}
