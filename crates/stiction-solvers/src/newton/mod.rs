//! Newton and Levenberg-Marquardt methods for bounded problems, linear or not.

pub(crate) mod equilibrated;
pub mod fb_descent;
pub(crate) mod fb_equations;
pub mod fischer_burmeister;
pub(crate) mod levenberg_marquardt;
pub(crate) mod merit_memory;
pub(crate) mod newton_driver;
pub mod path;
pub(crate) mod projected_newton;
pub(crate) mod restarts;

pub use fb_descent::{FbDescent, FbPlm, FbPlmSettings, FbRlm, FbRlmSettings};
pub use levenberg_marquardt::{Descent, DescentLimits, DescentSettings, Plm, PlmSettings, Rlm, RlmSettings};
pub use path::{Path, PathSettings};
