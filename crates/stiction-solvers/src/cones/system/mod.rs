//! The linear system of one Newton step.
//!
//! # Equations
//! `(P + Q W) x = b` with `P` and `Q` block diagonal by cells, or with `W = S Y Y^T S` and `C = P^-1 Q` the same in
//! velocities, `(I + Y^T S C S Y) h = Y^T S P^-1 b` and `x = P^-1 b - C S Y h`.
//!
//! # Files
//! | file | what it is |
//! |---|---|
//! | `dense_system` | in impulses: a dense LU of the closed contacts |
//! | [`velocity_system`] | in velocities: block LU over the columns of `Y`, linear in the length of a chain of bodies |
//!
//! The state of a solve (`cones::state`) chooses between them by the form and the size of the operator.

pub(crate) mod dense_system;
pub mod velocity_system;
pub use crate::linalg::lu::Singular;
