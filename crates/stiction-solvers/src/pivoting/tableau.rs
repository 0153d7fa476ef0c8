//! The compact tableau of a complementary pivoting method: nonbasic columns only, lexicographic ratio test.
//!
//! # Problem
//! Variables `w = M z + q + d z0`. A dictionary writes `n` basic variables as `x_B = b + T x_N` of the `n + 1`
//! nonbasic ones; only `T` and `b` are stored, and a pivot exchanges one basic with one nonbasic variable.
//!
//! # Method
//! 1. A pivot on row `r`, column `c` rewrites row `r` for the entering variable and adds a multiple of it to
//!    every other row: a rank-one update over contiguous rows, which the compiler vectorizes.
//! 2. The ratio test admits rows with `T_rc < 0`, beyond rounding.
//! 3. Rows whose ratio ties with the smallest are compared by the rows of the basis inverse with respect to the
//!    variables basic at the start. The column of such a variable is, up to sign, its tableau column while it
//!    is nonbasic and a unit vector while it is basic, so nothing else need be stored.
//! 4. The artificial variable `z0` leaves as soon as it ties.
//! 5. Every 32 pivots the dictionary is compared with the original data; when rounding errors have grown, it is
//!    built anew for the current basis. So it is before a ray is believed.
//!
//! # Convergence and failure
//! With the lexicographic rule no basis repeats, degenerate or not, so a path ends. A basis too
//! close to singular to be built anew ends it too. Whoever follows the path checks its end on the original data.
//!
//! # Cost
//! `2 n^2` operations per pivot; rows with a zero in the pivot column are skipped.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 2.3 and 4.9
//! (algorithm 4.9.3). K. G. Murty, Linear Complementarity, Linear and Nonlinear Programming, 1988, section 2.2.

use crate::linalg::capacity::reserve_to;
use crate::linalg::lu::Singular;
use crate::linalg::scaling::Scaling;
use crate::problem::{ActiveSet, Lcp};

/// A pivot smaller than this multiple of its column (or of 1, the size of equilibrated entries) is noise.
const SMALLEST_PIVOT: f64 = 1e-10;
/// The same in a dictionary built anew, where entries carry less noise.
const SMALLEST_PIVOT_FRESH: f64 = 1e-14;
/// A pivot of the initial exchange must be larger: the whole path is built on it.
const SMALLEST_EXCHANGE: f64 = 1e-10;
/// Right-hand sides (unit: the largest entry of the scaled `q`) closer than this tie.
const TIE: f64 = 1e-11;
/// Entries of the basis inverse that differ by less than this multiple of their size are equal.
const EQUAL: f64 = 1e-9;

/// Smallest entry of the covering vector (dimensionless, equilibrated).
const SMALLEST_COVER: f64 = 0.1;
/// An entry of the basis inverse below this (dimensionless, equilibrated) is zero.
const ZERO: f64 = 1e-10;

/// Pivots between two comparisons of the dictionary with the original data: each costs about two pivots.
const CHECK_EVERY: usize = 32;
/// Errors of the dictionary (relative, equilibrated) beyond this lead to a refactorization.
const NOISE: f64 = 1e-11;

/// Where a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    /// `z0` left: the basis is complementary.
    Complementary,
    /// No row blocks the entering variable.
    Ray,
    /// As many pivots as allowed.
    Limit,
    /// Rounding errors destroyed the dictionary.
    Lost,
}

/// The problem a dictionary is made of: `M + epsilon I` (equilibrated).
#[derive(Clone, Copy)]
pub(crate) struct Data<'a> {
    pub(crate) problem: &'a Lcp,
    pub(crate) scaling: &'a Scaling,
    pub(crate) epsilon: f64,
}

impl Data<'_> {
    /// Equilibrated `(M z)_i` and `(|M||z|)_i`.
    fn product(&self, i: usize, z: &[f64]) -> (f64, f64) {
        let start = self.epsilon * z[i];
        let entries = self.problem.row(i).iter().zip(&self.scaling.c).zip(z);
        let (sum, magnitude) = entries.fold((start, start.abs()), |(sum, magnitude), ((m, c), z)| {
            let term = (self.scaling.r[i] * m) * c * z;
            (sum + term, magnitude + term.abs())
        });
        (sum, magnitude)
    }

    /// Equilibrated `q_i`.
    fn constant(&self, i: usize) -> f64 {
        self.scaling.r[i] * self.problem.q()[i] / self.scaling.scale
    }
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Row(usize),
    Column(usize),
}

/// The dictionary. Variable `i < n` is `w_i`, `n + i` is `z_i`, `2 n` is `z0`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tableau {
    n: usize,
    /// `T`, row-major, `n` rows of `n + 1`.
    entries: Vec<f64>,
    /// `b`.
    rhs: Vec<f64>,
    /// The covering vector `d`.
    cover: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    place: Vec<Place>,
    /// The variables that were basic when the path began, in row order: the lexicographic order.
    reference: Vec<usize>,
    /// The pivot row, and one column of denominators.
    pivot_row: Vec<f64>,
    denominators: Vec<f64>,
    ties: Vec<usize>,
    /// Which of the two thresholds for pivots holds.
    smallest_pivot: f64,
    /// Values of all variables in a check, and the variables to make basic in a refactorization.
    values: Vec<f64>,
    wanted: Vec<usize>,
}

impl Tableau {
    fn stride(&self) -> usize {
        self.n + 1
    }

    /// Makes room for problems of `n` unknowns, so that a path taken for the first time allocates nothing.
    pub(crate) fn reserve(&mut self, n: usize) {
        for (vector, size) in [
            (&mut self.entries, n * (n + 1)),
            (&mut self.rhs, n),
            (&mut self.cover, n),
            (&mut self.pivot_row, n + 1),
            (&mut self.denominators, n),
            (&mut self.values, 2 * n + 1),
        ] {
            reserve_to(vector, size);
        }
        for vector in [&mut self.basic, &mut self.reference, &mut self.ties] {
            reserve_to(vector, n);
        }
        reserve_to(&mut self.nonbasic, n + 1);
        reserve_to(&mut self.wanted, n + 1);
        reserve_to(&mut self.place, 2 * n + 1);
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.stride() + column]
    }

    /// The dictionary with `w` basic and the covering vector all ones in the units of the problem (only its
    /// direction matters). Where these differ widely from row to row no entry is left below a tenth
    /// in equilibrated terms: any positive vector covers.
    pub(crate) fn start_cold(&mut self, data: Data) {
        let largest = data.scaling.r.iter().copied().fold(0.0, f64::max);
        self.cover.clear();
        self.cover.extend(data.scaling.r.iter().map(|r| (r / largest).max(SMALLEST_COVER)));
        self.load(data);
    }

    /// The dictionary with `z_i` basic for the members of `set` (principal pivot transform), and a covering
    /// vector that is all ones (equilibrated) in this dictionary.
    ///
    /// # Errors
    /// [`Singular`] when the principal block has no reliable inverse.
    pub(crate) fn start_from(&mut self, data: Data, set: &ActiveSet) -> Result<(), Singular> {
        let n = data.problem.q().len();
        // z_a = .. + z0 and w_b = .. + z0 in w = M z + q + d z0: d = -M e_a + e_b.
        self.values.clear();
        self.values.extend((0..n).map(|i| if set.contains(i) { 1.0 } else { 0.0 }));
        self.cover.clear();
        for i in 0..n {
            let own = 1.0 - self.values[i];
            self.cover.push(own - data.product(i, &self.values).0);
        }
        self.load(data);
        self.wanted.clear();
        self.wanted.extend(set.iter().map(|i| n + i));
        self.exchange(None)
    }

    /// Fills the dictionary with `w` basic.
    fn load(&mut self, data: Data) {
        let n = data.problem.q().len();
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * (n + 1), 0.0);
        self.rhs.clear();
        self.rhs.extend((0..n).map(|i| data.constant(i)));
        for (i, row) in self.entries.chunks_exact_mut(n + 1).enumerate() {
            let r = data.scaling.r[i];
            for ((entry, m), c) in row.iter_mut().zip(data.problem.row(i)).zip(&data.scaling.c) {
                *entry = (r * m) * c;
            }
            row[i] += data.epsilon;
            row[n] = self.cover[i];
        }
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend((0..n).map(Place::Row));
        self.place.extend((0..=n).map(Place::Column));
        self.pivot_row.resize(n + 1, 0.0);
        self.denominators.resize(n, 0.0);
    }

    /// Makes the variables `wanted` (none of them a `w`) basic in a freshly loaded dictionary. The rows they take
    /// are those of the `w_i` whose `z_i` is wanted and, for `z0`, that of `w_extra`; which takes which is free:
    /// the largest entry of the column.
    fn exchange(&mut self, extra: Option<usize>) -> Result<(), Singular> {
        let n = self.n;
        // 1 marks a row still to be taken.
        self.values.clear();
        self.values.resize(n, 0.0);
        for row in self.wanted.iter().filter(|&&v| v < 2 * n).map(|v| v - n).chain(extra) {
            self.values[row] = 1.0;
        }
        for at in 0..self.wanted.len() {
            let column = self.wanted[at] - n;
            let mut best = (0.0, None);
            for row in 0..n {
                let size = self.at(row, column).abs();
                if self.values[row] == 1.0 && size > best.0 {
                    best = (size, Some(row));
                }
            }
            match best {
                (size, Some(row)) if size > SMALLEST_EXCHANGE => {
                    self.values[row] = 0.0;
                    self.pivot(row, column);
                }
                _ => return Err(Singular),
            }
        }
        Ok(())
    }

    /// Builds the dictionary of the current basis anew from the original data.
    fn refactor(&mut self, data: Data) -> Result<(), Singular> {
        let n = self.n;
        self.wanted.clear();
        self.wanted.extend((n..=2 * n).filter(|&v| matches!(self.place[v], Place::Row(_))));
        // With z0 basic there is one index with both w_i and z_i nonbasic.
        let nonbasic = |v: usize| matches!(self.place[v], Place::Column(_));
        let extra = (0..n).find(|&i| nonbasic(i) && nonbasic(n + i)).filter(|_| !nonbasic(2 * n));
        self.load(data);
        self.exchange(extra)
    }

    /// Largest relative error of the dictionary: gives the nonbasic variables fixed values, reads off the basic
    /// ones and inserts all of them into `w = M z + q + d z0`.
    fn noise(&mut self, data: Data) -> f64 {
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
            let (sum, magnitude) = data.product(i, &self.values[n..2 * n]);
            let (w, q, cover) = (self.values[i], data.constant(i), self.cover[i] * self.values[2 * n]);
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

    /// Follows Lemke's path from the current basis, whose covering column is set, for at most `limit` pivots.
    /// The right-hand side must have a negative entry. Returns the end and the number of pivots.
    pub(crate) fn follow(&mut self, data: Data, limit: usize) -> (PathEnd, usize) {
        let artificial = 2 * self.n;
        self.reference.clear();
        self.reference.extend_from_slice(&self.basic);
        let mut entering = artificial;
        let mut pivots = 0;
        let mut tolerated = NOISE;
        self.smallest_pivot = SMALLEST_PIVOT;
        loop {
            if pivots % CHECK_EVERY == CHECK_EVERY - 1 && self.noise(data) > tolerated {
                if self.refactor(data).is_err() {
                    return (PathEnd::Lost, pivots);
                }
                tolerated = NOISE.max(4.0 * self.noise(data));
            }
            let Place::Column(column) = self.place[entering] else {
                return (PathEnd::Ray, pivots);
            };
            let row =
                if entering == artificial { self.covering_row(column) } else { self.blocking_row(column) };
            let Some(row) = row else {
                // A ray is believed only when the dictionary is fresh and smaller pivots are no help either.
                if self.smallest_pivot == SMALLEST_PIVOT_FRESH {
                    return (PathEnd::Ray, pivots);
                }
                if self.refactor(data).is_err() {
                    return (PathEnd::Lost, pivots);
                }
                self.smallest_pivot = SMALLEST_PIVOT_FRESH;
                continue;
            };
            self.smallest_pivot = SMALLEST_PIVOT;
            if pivots == limit {
                return (PathEnd::Limit, pivots);
            }
            let leaving = self.basic[row];
            self.pivot(row, column);
            pivots += 1;
            if leaving == artificial {
                return (PathEnd::Complementary, pivots);
            }
            entering = if leaving < self.n { leaving + self.n } else { leaving - self.n };
        }
    }

    /// Whether the right-hand side is nonnegative: the basis needs no path.
    pub(crate) fn is_feasible(&self) -> bool {
        (0..self.n).all(|row| self.rhs[row] >= 0.0)
    }

    /// Writes the basic solution, in the units of the problem, and the set of basic `z`.
    pub(crate) fn extract(&self, scaling: &Scaling, z: &mut [f64], set: &mut ActiveSet) {
        let n = self.n;
        z.fill(0.0);
        set.clear();
        for (row, &variable) in self.basic.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                let i = variable - n;
                z[i] = self.rhs[row].max(0.0) * scaling.c[i] * scaling.scale;
                set.set(i, true);
            }
        }
    }

    /// The row whose variable leaves when `z0` enters: the most negative `b_i / d_i`, ties broken
    /// lexicographically.
    fn covering_row(&mut self, column: usize) -> Option<usize> {
        for row in 0..self.n {
            self.denominators[row] = self.at(row, column);
        }
        let lowest =
            (0..self.n).map(|row| self.rhs[row] / self.denominators[row]).fold(f64::INFINITY, f64::min);
        self.ties.clear();
        for row in 0..self.n {
            let value = self.rhs[row] - lowest * self.denominators[row];
            if value <= TIE * (lowest * self.denominators[row]).abs() {
                self.ties.push(row);
            }
        }
        self.lexicographic_minimum()
    }

    /// Steps 2 to 4: the row that blocks the increase of the variable in `column`; none on a ray.
    fn blocking_row(&mut self, column: usize) -> Option<usize> {
        let mut largest: f64 = 1.0;
        for row in 0..self.n {
            let entry = self.at(row, column);
            self.denominators[row] = -entry;
            largest = largest.max(entry.abs());
        }
        let smallest = self.smallest_pivot * largest;
        let mut step = f64::INFINITY;
        for row in 0..self.n {
            if self.denominators[row] > smallest {
                step = step.min(self.rhs[row].max(0.0) / self.denominators[row]);
            }
        }
        self.ties.clear();
        for row in 0..self.n {
            let denominator = self.denominators[row];
            if denominator > smallest {
                let decrease = step * denominator;
                if self.rhs[row] - decrease <= TIE * decrease.max(1.0) {
                    if self.basic[row] == 2 * self.n {
                        return Some(row);
                    }
                    self.ties.push(row);
                }
            }
        }
        self.lexicographic_minimum()
    }

    /// Step 3: among the tied rows, the one whose row of the basis inverse, divided by its denominator, is
    /// lexicographically smallest.
    fn lexicographic_minimum(&mut self) -> Option<usize> {
        let mut at = 0;
        while self.ties.len() > 1 && at < self.n {
            let place = self.place[self.reference[at]];
            let (entries, stride) = (&self.entries, self.n + 1);
            let denominators = &self.denominators;
            let value = |row: usize| match place {
                Place::Column(column) => -entries[row * stride + column] / denominators[row],
                Place::Row(r) if r == row => 1.0 / denominators[row],
                Place::Row(_) => 0.0,
            };
            let lowest = self.ties.iter().map(|&row| value(row)).fold(f64::INFINITY, f64::min);
            self.ties.retain(|&row| {
                let v = value(row);
                v - lowest <= EQUAL * (v.abs() + lowest.abs()) + ZERO / denominators[row]
            });
            at += 1;
        }
        self.ties.first().copied()
    }

    /// Step 1: exchanges the basic variable of `row` with the nonbasic one of `column`.
    fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.stride();
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
