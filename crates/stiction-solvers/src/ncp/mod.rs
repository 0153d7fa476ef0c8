//! Solvers of the cone problem of contact, [`ConeNcp`](crate::ConeNcp).
//!
//! | module | method | for |
//! |---|---|---|

mod block_lu;
mod minimum_degree;
#[cfg_attr(not(test), allow(dead_code, reason = "the Newton methods that need it are not here yet"))]
mod short_rows;
#[cfg_attr(not(test), allow(dead_code, reason = "the Newton methods that need it are not here yet"))]
mod velocity_system;
