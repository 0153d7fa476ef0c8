//! Factors of the mass matrix, explicit and recursive.

pub(crate) mod explicit;
pub(crate) mod recursive;

pub use explicit::{
    factorize, factorize_all, factorize_by_size, half_solve, half_solve_transposed, solve, solve_all,
};
pub use recursive::articulate;
