//! The cone problem as a mixed nonlinear complementarity problem.

pub(crate) mod equations;
pub mod mncp_descent;

pub use mncp_descent::{MncpDescent, MncpPlm, MncpPlmSettings, MncpRlm, MncpRlmSettings};
