//! Newton and Levenberg-Marquardt methods for bounded problems, linear or not.
//!
//! `l <= z <= u` with `w = F(z)` complementary is written as a square system of equations: the normal map `F(z) - s` with
//! `x = z - s` (path search), or `phi(z) = 0` with the function of Fischer and Burmeister (Levenberg-Marquardt). All work
//! in equilibrated units, and every candidate is evaluated on the original data.
//!
//! | file | what it is |
//! |---|---|
//! | `path` | [`Path`]: pivots along the path to the Newton point of the normal map; on `pivoting::tableaus::bounded_tableau` |
//! | `fb_descent` | [`FbRlm`], [`FbPlm`]: the Levenberg-Marquardt methods on the equations of `fb_equations` |
//! | `levenberg_marquardt/` | RLM and PLM themselves, on any square system; also used by `cones::mncp` |
//! | `fischer_burmeister` | the function, its derivative and its limits at the kinks |
//! | `projected_newton` | Newton steps on a face: crash, start from a basis, polish |
//! | `newton_driver` | units, start, incumbent and active set of a solve |
//! | `equilibrated` | a problem in equilibrated units |
//! | `restarts` | where a descent restarts after a local minimum |
//! | `merit_memory` | the merits that a non-monotone search looks back on |
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *The PATH solver*, Optimization Methods and Software 5 (1995) 123-156. H. Mylapilli, A. Jain,
//! *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME DETC2014-34322, 2014.

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
