//! The cone problem as a mixed nonlinear complementarity problem.

pub(crate) mod equations;
pub mod mncp_plm;
pub mod mncp_rlm;

pub use mncp_plm::{MncpPlm, MncpPlmSettings};
pub use mncp_rlm::{MncpRlm, MncpRlmSettings};
