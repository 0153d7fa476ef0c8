//! The tableau of Lemke's method: a dictionary with the ratio tests of its path.
//!
//! # Problem
//! `w = M z + q + d z0`: follow the complementary bases from one at which `z0` covers all rows until `z0` leaves.
//!
//! # Method
//! On a [`Dictionary`]:
//! 1. The ratio test admits rows with `T_rc < 0`, beyond rounding. Rows that tie with the smallest ratio are compared
//!    lexicographically.
//! 2. The artificial variable `z0` leaves as soon as it ties.
//! 3. Every 32 pivots the dictionary is compared with the original data; when rounding errors have grown, it is
//!    rebuilt for the current basis. So it is before a ray is believed.
//!
//! # Convergence and failure
//! With the lexicographic rule no basis repeats, degenerate or not, so a path ends. A basis too
//! close to singular to be rebuilt ends it too. The end of a path must be checked on the original data.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992, section 4.9
//! (algorithm 4.9.3). K. G. Murty, *Linear Complementarity, Linear and Nonlinear Programming*, 1988, section 2.2.

use super::dictionary::{
    Dictionary, Equations, NOISE, Place, SMALLEST_PIVOT, SMALLEST_PIVOT_FRESH, TIE, Tie,
};
use crate::linalg::capacity::reserve_to;
use crate::linalg::lu::Singular;
use crate::linalg::scaling::Scaling;
use crate::problem::{ActiveSet, Lcp};

/// Smallest entry of the covering vector (dimensionless, equilibrated).
const SMALLEST_COVER: f64 = 0.1;

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

/// The equations `w = M z + q + d z0`, equilibrated.
struct Covered<'a> {
    data: Data<'a>,
    cover: &'a [f64],
}

impl Equations for Covered<'_> {
    fn dim(&self) -> usize {
        self.cover.len()
    }

    fn write_row(&self, i: usize, row: &mut [f64]) {
        let Data { problem, scaling, epsilon } = self.data;
        let r = scaling.r[i];
        for ((entry, m), c) in row.iter_mut().zip(problem.row(i)).zip(&scaling.c) {
            *entry = (r * m) * c;
        }
        row[i] += epsilon;
    }

    fn product(&self, i: usize, z: &[f64]) -> (f64, f64) {
        self.data.product(i, z)
    }

    fn constant(&self, i: usize) -> f64 {
        self.data.constant(i)
    }

    fn cover(&self, i: usize) -> f64 {
        self.cover[i]
    }
}

/// The dictionary with its covering vector. Variable `i < n` is `w_i`, `n + i` is `z_i`, `2 n` is `z0`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tableau {
    dictionary: Dictionary,
    /// The covering vector `d`.
    cover: Vec<f64>,
    /// The variables that were basic when the path began, in row order: the lexicographic order.
    reference: Vec<usize>,
    /// One column of denominators.
    denominators: Vec<f64>,
    ties: Vec<Tie>,
    /// Which of the two thresholds for pivots holds.
    smallest_pivot: f64,
}

impl Tableau {
    /// Reserves memory for problems of `n` unknowns, so that a path taken for the first time allocates nothing.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.dictionary.reserve(n);
        reserve_to(&mut self.cover, n);
        reserve_to(&mut self.reference, n);
        reserve_to(&mut self.denominators, n);
        reserve_to(&mut self.ties, n);
    }

    /// The dictionary with `w` basic and the covering vector all ones in the units of the problem (only its
    /// direction matters). Where these differ widely from row to row no entry is left below a tenth
    /// in equilibrated terms: any positive vector covers.
    pub(crate) fn start_cold(&mut self, data: Data) {
        let largest = data.scaling.r.iter().copied().fold(0.0, f64::max);
        self.cover.clear();
        self.cover.extend(data.scaling.r.iter().map(|r| (r / largest).max(SMALLEST_COVER)));
        self.dictionary.load(&Covered { data, cover: &self.cover });
        self.denominators.resize(self.cover.len(), 0.0);
    }

    /// The dictionary with `z_i` basic for the members of `set` (principal pivot transform), and a covering
    /// vector that is all ones (equilibrated) in this dictionary.
    ///
    /// # Errors
    /// [`Singular`] when the principal block has no reliable inverse.
    pub(crate) fn start_from(&mut self, data: Data, set: &ActiveSet) -> Result<(), Singular> {
        let n = data.problem.q().len();
        // z_a = .. + z0 and w_b = .. + z0 in w = M z + q + d z0: d = -M e_a + e_b.
        self.denominators.clear();
        self.denominators.extend((0..n).map(|i| if set.contains(i) { 1.0 } else { 0.0 }));
        self.cover.clear();
        for i in 0..n {
            let own = 1.0 - self.denominators[i];
            self.cover.push(own - data.product(i, &self.denominators).0);
        }
        self.dictionary.load_basis(&Covered { data, cover: &self.cover }, set.iter())
    }

    /// Follows Lemke's path from the current basis, whose covering column is set, for at most `limit` pivots.
    /// The right-hand side must have a negative entry. Returns the end and the number of pivots.
    pub(crate) fn follow(&mut self, data: Data, limit: usize) -> (PathEnd, usize) {
        let artificial = 2 * self.dictionary.n;
        self.reference.clear();
        self.reference.extend_from_slice(&self.dictionary.basic);
        let mut entering = artificial;
        let mut pivots = 0;
        let mut tolerated = NOISE;
        self.smallest_pivot = SMALLEST_PIVOT;
        loop {
            let equations = Covered { data, cover: &self.cover };
            if Dictionary::is_check_due(pivots) && self.dictionary.noise(&equations) > tolerated {
                if self.dictionary.refactor(&equations).is_err() {
                    return (PathEnd::Lost, pivots);
                }
                tolerated = NOISE.max(4.0 * self.dictionary.noise(&equations));
            }
            let Place::Column(column) = self.dictionary.place[entering] else {
                return (PathEnd::Ray, pivots);
            };
            let row =
                if entering == artificial { self.covering_row(column) } else { self.blocking_row(column) };
            let Some(row) = row else {
                // A ray is believed only when the dictionary is fresh and smaller pivots are no help either.
                if self.smallest_pivot == SMALLEST_PIVOT_FRESH {
                    return (PathEnd::Ray, pivots);
                }
                if self.dictionary.refactor(&Covered { data, cover: &self.cover }).is_err() {
                    return (PathEnd::Lost, pivots);
                }
                self.smallest_pivot = SMALLEST_PIVOT_FRESH;
                continue;
            };
            self.smallest_pivot = SMALLEST_PIVOT;
            if pivots == limit {
                return (PathEnd::Limit, pivots);
            }
            let leaving = self.dictionary.basic[row];
            self.dictionary.pivot(row, column);
            pivots += 1;
            if leaving == artificial {
                return (PathEnd::Complementary, pivots);
            }
            let n = self.dictionary.n;
            entering = if leaving < n { leaving + n } else { leaving - n };
        }
    }

    /// Whether the right-hand side is nonnegative: the basis needs no path.
    pub(crate) fn is_feasible(&self) -> bool {
        (0..self.dictionary.n).all(|row| self.dictionary.rhs[row] >= 0.0)
    }

    /// Writes the basic solution, in the units of the problem, and the set of basic `z`.
    pub(crate) fn extract(&self, scaling: &Scaling, z: &mut [f64], set: &mut ActiveSet) {
        let n = self.dictionary.n;
        z.fill(0.0);
        set.clear();
        for (row, &variable) in self.dictionary.basic.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                let i = variable - n;
                z[i] = self.dictionary.rhs[row].max(0.0) * scaling.c[i] * scaling.scale;
                set.set(i, true);
            }
        }
    }

    /// The row whose variable leaves when `z0` enters: the most negative `b_i / d_i`, ties broken
    /// lexicographically.
    fn covering_row(&mut self, column: usize) -> Option<usize> {
        for row in 0..self.dictionary.n {
            self.denominators[row] = self.dictionary.at(row, column);
        }
        let lowest = (0..self.dictionary.n)
            .map(|row| self.dictionary.rhs[row] / self.denominators[row])
            .fold(f64::INFINITY, f64::min);
        self.ties.clear();
        for row in 0..self.dictionary.n {
            let value = self.dictionary.rhs[row] - lowest * self.denominators[row];
            if value <= TIE * (lowest * self.denominators[row]).abs() {
                self.tie(row);
            }
        }
        self.lexicographic_minimum()
    }

    /// Steps 1 and 2: the row that blocks the increase of the variable in `column`; none on a ray.
    fn blocking_row(&mut self, column: usize) -> Option<usize> {
        let mut largest: f64 = 1.0;
        for row in 0..self.dictionary.n {
            let entry = self.dictionary.at(row, column);
            self.denominators[row] = -entry;
            largest = largest.max(entry.abs());
        }
        let smallest = self.smallest_pivot * largest;
        let mut step = f64::INFINITY;
        for row in 0..self.dictionary.n {
            if self.denominators[row] > smallest {
                step = step.min(self.dictionary.rhs[row].max(0.0) / self.denominators[row]);
            }
        }
        self.ties.clear();
        for row in 0..self.dictionary.n {
            let denominator = self.denominators[row];
            if denominator > smallest {
                let decrease = step * denominator;
                if self.dictionary.rhs[row] - decrease <= TIE * decrease.max(1.0) {
                    if self.dictionary.basic[row] == 2 * self.dictionary.n {
                        return Some(row);
                    }
                    self.tie(row);
                }
            }
        }
        self.lexicographic_minimum()
    }

    fn tie(&mut self, row: usize) {
        self.ties.push(Tie { row, slope: self.denominators[row], inwards: 1.0 });
    }

    fn lexicographic_minimum(&mut self) -> Option<usize> {
        let reference = self.reference.iter().map(|&variable| (variable, 1.0));
        self.dictionary.lexicographic_minimum(&mut self.ties, reference).map(|tie| tie.row)
    }
}
