//! The cone problem as a mixed nonlinear complementarity problem, by Levenberg-Marquardt methods.
//!
//! # Equations
//! `z = v - x` encodes a pair of impulse and velocity that complies with its law, `x = Pi(-z)`. The unknown left is `z`, and
//! the equations are `phi(z) = W' x(z) + q' - x(z) - z = 0`.
//!
//! # Files
//! | file | what it is |
//! |---|---|
//! | `equations` | `phi` and its generalized derivative |
//! | `mncp_descent` | the descents of `newton::levenberg_marquardt` on them |
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322.

pub(crate) mod equations;
pub mod mncp_descent;

pub use mncp_descent::{MncpDescent, MncpPlm, MncpPlmSettings, MncpRlm, MncpRlmSettings};
