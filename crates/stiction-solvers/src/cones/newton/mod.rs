//! Newton methods on the equations of Alart and Curnier.
//!
//! # Equations
//! `F(x, y) = x - Pi(x - rho y) = 0` with `y = W' x + q'`, where `Pi` projects on the sets of the impulses, a contact's disk
//! taken at its normal impulse. A step solves `(I - D + eps rho D + rho D W') dx = -F` with the derivative `D` of `Pi`.
//!
//! # Files
//! | file | what it is |
//! |---|---|
//! | `alart_curnier` | `F` and `D`, cell by cell |
//! | `damped_newton` | the method: Newton steps with a proximal term, the best of several step lengths |
//! | `least_norm_newton` | Newton steps that are solutions of least norm, where modes stay |
//! | [`newton_solver`] | [`Newton`]: one run of it from the carried impulses |
//! | [`proximal`] | [`Ppn`]: a run for each centre of the proximal-point method |
//!
//! `newton_solver` and `proximal` call `damped_newton`, which calls `alart_curnier` and the linear systems of
//! [`super::system`].
//!
//! # References
//! P. Alart, A. Curnier, *A mixed formulation for frictional contact problems prone to Newton like solution methods*,
//! Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375; R. T. Rockafellar, *Monotone operators and the
//! proximal point algorithm*, SIAM Journal on Control and Optimization 14 (1976) 877-898.

pub(crate) mod alart_curnier;
pub(crate) mod damped_newton;
pub(crate) mod least_norm_newton;
pub mod newton_solver;
pub mod proximal;

pub use newton_solver::{Newton, NewtonSettings};
pub use proximal::{Ppn, PpnSettings};
