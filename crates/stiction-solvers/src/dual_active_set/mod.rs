//! The dual active-set method: contacts without friction, and convex quadratic programs.
//!
//! # Equations
//! `0 <= z  perp  w = Y Y^T z + q >= 0` with `n` rows `y_i` of `m` columns is the optimality condition of its dual,
//!
//! minimize `1/2 p . p` subject to `y_i . p + q_i >= 0`, with `p = Y^T z`,
//!
//! and a strictly convex quadratic program takes that form in the coordinates in which its Hessian is the identity, its
//! equalities being rows whose multiplier is free. The method keeps a set of independent active rows, on which `w = 0`, and
//! changes it row by row; work for a row is proportional to `m`, and no `n x n` matrix is formed.
//!
//! # Files
//! | file | what it is |
//! |---|---|
//! | `method` | `DualActiveSet`: the active rows, and the step that activates one more; settings, start and report |
//! | `factor` | what the method asks of a factorization of the active rows |
//! | `gram_factor` | Cholesky factor of `Y_a Y_a^T`: cheap |
//! | `orthogonal_factor` | `Y_a^T = Q R`: for badly conditioned rows |
//! | [`ppm`] | [`Ppm`]: principal pivoting on the Gram factor, with the dual step where it would cycle |
//! | [`goldfarb_idnani`] | [`ActiveSetQp`]: equalities, then the dual step for the most violated row, on the orthogonal factor |
//! | `normal_rows` | the rows in units, the most violated one, proofs that there is no solution |
//!
//! `ppm` and `goldfarb_idnani` call `method`, which calls a factor and `normal_rows`.
//!
//! # References
//! D. Goldfarb, A. Idnani, *A numerically stable dual method for solving strictly convex quadratic programs*, Mathematical
//! Programming 27 (1983) 1-33; E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015.

pub(crate) mod factor;
pub mod goldfarb_idnani;
pub(crate) mod gram_factor;
pub(crate) mod method;
pub(crate) mod normal_rows;
pub(crate) mod orthogonal_factor;
pub mod ppm;

pub use goldfarb_idnani::{ActiveSetQp, ActiveSetQpSettings};
pub use method::DualActiveSetSettings;
pub use ppm::{Ppm, PpmSettings};
