//! The dictionary of a complementary pivoting method: nonbasic columns only, with lexicographic ties.
//!
//! # Problem
//! Variables `w = M z + q + d t` with a parameter `t`. A dictionary writes `n` basic variables as `x_B = b + T x_N` of the
//! `n + 1` nonbasic ones; only `T` and `b` are stored, and a pivot exchanges one basic with one nonbasic variable.
//! Variable `i < n` is `w_i`, `n + i` is `z_i`, `2 n` is `t`.
//!
//! # Method
//! 1. *Pivot* on row `r`, column `c`: rewrite row `r` for the entering variable and add a multiple of it to every other row,
//!    a rank-one update over contiguous rows, which the compiler vectorizes.
//! 2. *Exchange*: make given variables basic, each in the free row in which its column is largest.
//! 3. *Ties*: rows whose ratios tie are compared by the rows of the basis inverse with respect to the variables basic at the
//!    start. The column of such a variable is, up to sign, its column of `T` while it is nonbasic and a unit vector while
//!    it is basic, so nothing else need be stored.
//! 4. *Noise*: give the nonbasic variables fixed values, read off the basic ones, and insert all of them into the original
//!    equations. Where rounding errors have grown, rebuild the dictionary of the basis from the original data.
//!
//! # Cost
//! `2 n^2` operations per pivot; rows with a zero in the pivot column are skipped. A check of the noise costs about two pivots.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992, sections 2.3 and 4.9.

use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::lu::Singular;

/// A pivot smaller than this multiple of its column (or of 1, the size of equilibrated entries) is noise.
pub(super) const SMALLEST_PIVOT: f64 = 1e-10;
/// The same in a dictionary rebuilt, where entries carry less noise.
pub(super) const SMALLEST_PIVOT_FRESH: f64 = 1e-14;
/// A pivot of an exchange must be larger: the whole path is built on it.
const SMALLEST_EXCHANGE: f64 = 1e-10;
/// Values closer than this part of the step tie.
pub(super) const TIE: f64 = 1e-11;
/// Rows whose right-hand sides at the step differ by less (equilibrated, so relative to the largest of `q`) tie, beside
/// those that differ by less than `TIE` of their own way: what rounding leaves of a tie after some dozens of pivots.
/// Data of 1e-8 of the largest are still told apart.
pub(super) const TIE_FLOOR: f64 = 1e-12;
/// Entries of the basis inverse that differ by less than this multiple of their size are equal.
const EQUAL: f64 = 1e-9;
/// An entry of the basis inverse below this (dimensionless, equilibrated) is zero.
const ZERO: f64 = 1e-10;
/// Pivots between two comparisons of the dictionary with the original data: each costs about two pivots.
const CHECK_EVERY: usize = 32;
/// Errors of the dictionary (relative, equilibrated) beyond this lead to a new one.
pub(super) const NOISE: f64 = 1e-11;

/// The original equations `w = M z + q + d t`.
pub(super) trait Equations {
    /// Number of rows.
    fn dim(&self) -> usize;

    /// Writes row `i` of `M`.
    fn write_row(&self, i: usize, row: &mut [f64]);

    /// `(M z)_i` and `(|M| |z|)_i`.
    fn product(&self, i: usize, z: &[f64]) -> (f64, f64);

    /// `q_i`.
    fn constant(&self, i: usize) -> f64;

    /// `d_i`.
    fn cover(&self, i: usize) -> f64;
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Row(usize),
    Column(usize),
}

/// A row that ties in the ratio test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    /// The row; `n` stands for the entering variable itself, stopped by its own other bound.
    pub(super) row: usize,
    /// How fast the basic variable moves to its bound.
    pub(super) slope: f64,
    /// Its direction inwards from that bound.
    pub(super) inwards: f64,
}

/// Of the rows that tie the one of the largest pivot, the first of equals.
pub(super) fn steepest(ties: &[Tie]) -> Option<Tie> {
    let larger = |best: Tie, tie: &Tie| if tie.slope > best.slope { *tie } else { best };
    ties.split_first().map(|(first, others)| others.iter().fold(*first, larger))
}

/// See the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    pub(super) n: usize,
    /// `T`, row-major, `n` rows of `n + 1`.
    entries: Vec<f64>,
    /// `b`.
    pub(super) rhs: Vec<f64>,
    pub(super) basic: Vec<usize>,
    pub(super) nonbasic: Vec<usize>,
    pub(super) place: Vec<Place>,
    pivot_row: Vec<f64>,
    /// Values of all variables in a check, and the rows to be taken in an exchange.
    values: Vec<f64>,
    /// The variables to make basic in an exchange.
    wanted: Vec<usize>,
    /// An exchange that is not done when the time is over ends as a singular one.
    pub(super) budget: Budget,
}

impl Dictionary {
    /// Reserves memory for `n` rows.
    pub(super) fn reserve(&mut self, n: usize) {
        for (vector, size) in [
            (&mut self.entries, n * (n + 1)),
            (&mut self.rhs, n),
            (&mut self.pivot_row, n + 1),
            (&mut self.values, 2 * n + 1),
        ] {
            reserve_to(vector, size);
        }
        for vector in [&mut self.basic, &mut self.nonbasic, &mut self.wanted] {
            reserve_to(vector, n + 1);
        }
        reserve_to(&mut self.place, 2 * n + 1);
    }

    /// Entry of `T`.
    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * (self.n + 1) + column]
    }

    /// The rows of `T`.
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.entries.chunks_exact(self.n + 1)
    }

    /// The dictionary with `w` basic.
    pub(super) fn load(&mut self, equations: &impl Equations) {
        let n = equations.dim();
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * (n + 1), 0.0);
        for (i, row) in self.entries.chunks_exact_mut(n + 1).enumerate() {
            equations.write_row(i, &mut row[..n]);
            row[n] = equations.cover(i);
        }
        self.rhs.clear();
        self.rhs.extend((0..n).map(|i| equations.constant(i)));
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend((0..n).map(Place::Row));
        self.place.extend((0..=n).map(Place::Column));
        self.pivot_row.resize(n + 1, 0.0);
    }

    /// The dictionary with the given `z_i` basic (principal pivot transform).
    ///
    /// # Errors
    /// [`Singular`] when the principal block has no reliable inverse.
    pub(super) fn load_basis(
        &mut self,
        equations: &impl Equations,
        indices: impl Iterator<Item = usize>,
    ) -> Result<(), Singular> {
        self.load(equations);
        let n = self.n;
        self.wanted.clear();
        self.wanted.extend(indices.map(|i| n + i));
        self.values.clear();
        self.values.resize(n, 0.0);
        self.wanted.iter().for_each(|v| self.values[v - n] = 1.0);
        self.exchange()
    }

    /// Rebuilds the dictionary of the current basis from the original equations.
    ///
    /// # Errors
    /// [`Singular`] when the basis is too close to singular.
    pub(super) fn refactor(&mut self, equations: &impl Equations) -> Result<(), Singular> {
        let n = self.n;
        self.wanted.clear();
        self.wanted.extend((n..=2 * n).filter(|&v| matches!(self.place[v], Place::Row(_))));
        // Others take the rows of the w_i that are not basic.
        self.values.clear();
        self.values.extend((0..n).map(|i| f64::from(u8::from(matches!(self.place[i], Place::Column(_))))));
        self.load(equations);
        self.exchange()
    }

    /// Step 2: makes the variables `wanted` (none of them a `w`) basic in a freshly loaded dictionary, in the rows that
    /// `values` marks by 1, as many as there are variables.
    fn exchange(&mut self) -> Result<(), Singular> {
        let n = self.n;
        for at in 0..self.wanted.len() {
            if self.budget.is_spent() {
                return Err(Singular);
            }
            let column = self.wanted[at] - n;
            let mut best = (SMALLEST_EXCHANGE, None);
            for row in 0..n {
                let size = self.at(row, column).abs();
                if self.values[row] == 1.0 && size > best.0 {
                    best = (size, Some(row));
                }
            }
            let row = best.1.ok_or(Singular)?;
            self.values[row] = 0.0;
            self.pivot(row, column);
        }
        Ok(())
    }

    /// Whether the dictionary is to be compared with the original equations after so many pivots.
    pub(super) fn is_check_due(pivots: usize) -> bool {
        pivots % CHECK_EVERY == CHECK_EVERY - 1
    }

    /// Step 4: the largest relative error of the dictionary.
    pub(super) fn noise(&mut self, equations: &impl Equations) -> f64 {
        let n = self.n;
        self.values.clear();
        self.values.resize(2 * n + 1, 0.0);
        let test = |column: usize| 1.0 + 0.1 * ((7 * column) % 5) as f64;
        for (column, &variable) in self.nonbasic.iter().enumerate() {
            self.values[variable] = test(column);
        }
        for (row, entries) in self.entries.chunks_exact(n + 1).enumerate() {
            let sum: f64 = entries.iter().enumerate().map(|(j, t)| t * test(j)).sum();
            self.values[self.basic[row]] = sum + self.rhs[row];
        }
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let (sum, magnitude) = equations.product(i, &self.values[n..2 * n]);
            let (w, q, cover) =
                (self.values[i], equations.constant(i), equations.cover(i) * self.values[2 * n]);
            let error = (sum + q + cover - w).abs();
            let size = magnitude + q.abs() + cover.abs() + w.abs();
            if error.is_nan() {
                return f64::INFINITY;
            } else if size > 0.0 {
                worst = worst.max(error / size);
            }
        }
        worst
    }

    /// Step 3: among the tied rows, the one whose row of the basis inverse, divided by its slope, is lexicographically
    /// smallest. `reference` are the variables basic at the start, in row order, each with the direction in which it is
    /// thought moved by a power of an infinitesimal.
    pub(super) fn lexicographic_minimum(
        &self,
        ties: &mut Vec<Tie>,
        reference: impl Iterator<Item = (usize, f64)>,
    ) -> Option<Tie> {
        let n = self.n;
        for (variable, moved) in reference {
            if ties.len() <= 1 {
                break;
            }
            let place = self.place[variable];
            let value = |tie: &Tie| {
                if tie.row == n {
                    return 0.0;
                }
                let entry = match place {
                    Place::Column(column) => -self.at(tie.row, column),
                    Place::Row(row) if row == tie.row => 1.0,
                    Place::Row(_) => 0.0,
                };
                moved * tie.inwards * entry / tie.slope
            };
            let lowest = ties.iter().map(value).fold(f64::INFINITY, f64::min);
            ties.retain(|tie| {
                let v = value(tie);
                v - lowest <= EQUAL * (v.abs() + lowest.abs()) + ZERO / tie.slope
            });
        }
        ties.first().copied()
    }

    /// Step 1: exchanges the basic variable of `row` with the nonbasic one of `column`.
    pub(super) fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.n + 1;
        let inverse = 1.0 / self.at(row, column);
        let pivot_row = &mut self.entries[row * stride..(row + 1) * stride];
        for v in pivot_row.iter_mut() {
            *v *= -inverse;
        }
        pivot_row[column] = inverse;
        self.pivot_row.copy_from_slice(pivot_row);
        let constant = -self.rhs[row] * inverse;
        for (i, other) in self.entries.chunks_exact_mut(stride).enumerate() {
            let factor = other[column];
            if i != row && factor != 0.0 {
                other[column] = 0.0;
                for (v, u) in other.iter_mut().zip(&self.pivot_row) {
                    *v += factor * u;
                }
                self.rhs[i] += factor * constant;
            }
        }
        self.rhs[row] = constant;
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = Place::Row(row);
        self.place[leaving] = Place::Column(column);
    }
}
