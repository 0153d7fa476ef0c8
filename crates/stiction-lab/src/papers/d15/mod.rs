//! Drumwright 2015: contact without slip and with viscous friction in time linear in the number of contacts.
//!
//! The paper poses both models so that one unknown a contact is left, `0 <= z  perp  Y Y^T z + q >= 0` with as many columns of
//! `Y` as there are independent velocities `m`, and solves them by principal pivoting in `O(m^3 + m^2 n)` for `n` contacts.
//! The engine has the model as [`NoSlip`](stiction::contact::NoSlip) and the method as [`Ppm`](stiction_solvers::Ppm).
//!
//! | module | experiment |
//! |---|---|
//! | [`grasp`] | section VII-A, table I: two blocks held between two grippers, 36 contacts |
//! | [`complexity`] | section V: time against the number of contacts |
//!
//! # References
//! E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015.

pub mod complexity;
pub mod grasp;
