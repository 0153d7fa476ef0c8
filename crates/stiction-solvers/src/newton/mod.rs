//! Newton and Levenberg-Marquardt methods for bounded problems, linear or not.

pub(crate) mod equilibrated;
pub mod fb_plm;
pub mod fb_rlm;
pub mod fischer_burmeister;
pub(crate) mod levenberg_marquardt;
pub(crate) mod merit_memory;
pub(crate) mod newton_driver;
pub mod path;
pub(crate) mod projected_newton;
pub(crate) mod restarts;

pub use fb_plm::{FbPlm, FbPlmSettings};
pub use fb_rlm::{FbRlm, FbRlmSettings};
pub use levenberg_marquardt::projected::PlmSettings;
pub use levenberg_marquardt::regular::RlmSettings;
pub use path::{Path, PathSettings};
