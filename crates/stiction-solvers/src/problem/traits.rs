//! What every complementarity problem offers: its function, its set and the residual of an answer.
//!
//! All classes of this crate are instances of one statement: find `z` in a closed convex set `K` such that
//! `-F(z)` lies in the normal cone of `K` at `z`. An answer is measured by the natural map
//! `z - P_K(z - F(z))`, which is zero exactly at the solutions (Facchinei, Pang 2003, Finite-Dimensional
//! Variational Inequalities and Complementarity Problems, section 1.5). The problem evaluates answers, never the solver.

use serde::{Deserialize, Serialize};

/// Find `z` in `K` with `-F(z)` in the normal cone of `K` at `z`; `w = F(z)`.
pub trait Problem {
    /// Number `n` of unknowns.
    fn dim(&self) -> usize;

    /// Writes `w = F(z)`; both slices have length `n`.
    fn eval(&self, z: &[f64], w: &mut [f64]);

    /// Replaces `z` (length `n`) by its projection on `K`.
    fn project(&self, z: &mut [f64]);

    /// The residual of `x.z` on the original data, dimensionless. `x.w` is never trusted: `F` is evaluated again.
    ///
    /// A `z` of the wrong length, or NaN anywhere, gives [`Residual::INFINITE`].
    fn residual(&self, x: &Solution) -> Residual;

    /// The part of the natural map that rounding alone can cause at `x`, in the scaling of [`Problem::residual`]: a few
    /// roundings of the terms `(|M||z| + |q|)_i`. It is larger than these where the terms are larger than the data
    /// explain, up to a limit beyond which it is zero or ignored: an answer too large by decades excuses nothing. See
    /// [`Residual::certifies`].
    fn residual_floor(&self, x: &Solution) -> f64;
}

/// A problem whose set is a box and whose function has a Jacobian: what Newton methods need.
pub trait Bounded: Problem {
    /// Lower and upper bound of `z_i`, possibly infinite.
    fn bounds(&self, i: usize) -> [f64; 2];

    /// Writes the Jacobian `dF_i / dz_j` at `z`, row-major, into `n * n` entries.
    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]);

    /// Whether the Jacobian is the same everywhere. It is not assumed unless a problem says so.
    fn is_affine(&self) -> bool {
        false
    }

    /// Writes `x.w = F(x.z)` and returns [`Problem::residual`] and [`Problem::residual_floor`]. `scratch` is memory to
    /// reuse: the problems of this crate allocate nothing else.
    fn assess_answer(&self, x: &mut Solution, scratch: &mut Vec<f64>) -> (Residual, f64) {
        let _ = scratch;
        if x.z.len() != self.dim() {
            return (Residual::INFINITE, f64::INFINITY);
        }
        x.w.resize(self.dim(), 0.0);
        self.eval(&x.z, &mut x.w);
        (self.residual(x), self.residual_floor(x))
    }
}

/// An answer: the unknowns `z` and `w = F(z)`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// The unknowns.
    pub z: Vec<f64>,
    /// The value of the problem's function at `z`.
    pub w: Vec<f64>,
}

impl Solution {
    /// The zero vector pair of length `n`.
    pub fn new(n: usize) -> Solution {
        Solution { z: vec![0.0; n], w: vec![0.0; n] }
    }

    /// Gives both vectors the length `n`; new entries are zero, capacity is kept.
    pub fn resize(&mut self, n: usize) {
        self.z.resize(n, 0.0);
        self.w.resize(n, 0.0);
    }
}

/// How far an answer is from solving its problem; every field is dimensionless and zero at a solution.
///
/// In a box ([`Lcp`](crate::Lcp), [`BoxLcp`](crate::BoxLcp), [`Mlcp`](crate::Mlcp), [`FactoredLcp`](crate::FactoredLcp), and
/// [`Mcp`](crate::Mcp) by its linearization) each row `w_i` is measured by the size of the terms that make it,
/// `W_i = |q_i| + sum_j |M_ij| |z_j|` (the sum no larger than the constants of connected rows explain; all no less than a unit four
/// decades below the largest term of the rows that are met, beside which a smaller row is rounding), and the distance of each `z_j`
/// from its bound by `U_j`, the lesser of `min_i W_i / |M_ij|` and the largest `|z|` (or the bound's size). Hence a natural map
/// of `e` says: up to distances `e |z|` from its bounds, `z` solves exactly a problem each of whose numbers differs from the given
/// one by a fraction of at most about `n e`. Rows in other units, zero diagonals and zero Jacobians change nothing. For
/// [`ConeNcp`](crate::ConeNcp) see there: impulses and velocities have one unit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// Largest component of the natural map: the number that decides.
    pub natural_map: f64,
    /// Worst violation of `z` in `K`.
    pub primal: f64,
    /// Worst violation of the sign of `w`.
    pub dual: f64,
    /// Largest product `|z_i w_i|`.
    pub complementarity: f64,
}

impl Residual {
    /// The residual of something that is no answer at all (NaN, or the wrong length).
    pub const INFINITE: Residual = Residual {
        natural_map: f64::INFINITY,
        primal: f64::INFINITY,
        dual: f64::INFINITY,
        complementarity: f64::INFINITY,
    };

    /// Largest rounding floor that excuses a residual above the tolerance.
    ///
    /// The floor grows with `|z|`. A runaway `z` (along a ray of an unsolvable problem, or impulses that cancel each other)
    /// would raise it until anything passes, so beyond one part in a million of the data
    /// it excuses nothing.
    pub const LARGEST_FLOOR: f64 = 1e-6;

    /// The same of an answer that its solver has shown to be the one of least norm, whose size the data ask for: a load 1e8
    /// times as heavy as what carries it.
    pub const LARGEST_FLOOR_OF_LEAST_NORM: f64 = 1e-5;

    /// Whether this residual certifies an answer: `natural_map <= max(tolerance, floor)`, where `floor` is
    /// [`Problem::residual_floor`], ignored beyond [`Residual::LARGEST_FLOOR`].
    pub fn certifies(&self, tolerance: f64, floor: f64) -> bool {
        self.certifies_within(tolerance, floor, Residual::LARGEST_FLOOR)
    }

    /// The same with another largest floor.
    pub(crate) fn certifies_within(&self, tolerance: f64, floor: f64, largest_floor: f64) -> bool {
        self.natural_map <= tolerance || (self.natural_map <= floor && floor <= largest_floor)
    }
}
