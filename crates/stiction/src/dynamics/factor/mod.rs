//! The factor `M = L^T D L` of the mass matrix (plus a diagonal), and the solves with it.
//!
//! | file | what it is |
//! |---|---|
//! | `explicit` | L and D as numbers, sparse by branches; the solves; [`factorize_by_size`] chooses |
//! | `recursive` | the same factor as sweeps over the links, for long trees |
//!
//! A half solve gives `Y = D^(-1/2) L^(-T) J^T`, with which `J M^-1 J^T = Y^T Y`.

pub(crate) mod explicit;
pub(crate) mod recursive;

pub use explicit::{
    factorize, factorize_all, factorize_by_size, half_solve, half_solve_transposed, solve, solve_all,
};
pub use recursive::articulate;
