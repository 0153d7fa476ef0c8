//! The tableau of Lemke's method: a dictionary with the ratio tests of its path.
//!
//! # Problem
//! `w = M z + q + d z0`: follow the complementary bases from one at which `z0` covers all rows until `z0` leaves.
//!
//! # Method
//! On a [`Dictionary`]:
//! 1. The ratio test admits rows with `T_rc < 0`, beyond rounding. Among rows that tie with the smallest ratio a
//!    [`TieRule`] decides: the largest pivot, or the lexicographic order.
//! 2. The artificial variable `z0` leaves as soon as it ties.
//! 3. A right-hand side that a tie or rounding left negative is set to zero: the path goes on in a problem whose `q`
//!    differs by as little. Left negative it would be multiplied by the next small pivot, and the path lost.
//! 4. Every 32 pivots the dictionary is compared with the original data; when rounding errors have grown, it is
//!    rebuilt for the current basis. So it is before a ray is believed.
//! 5. A basis that comes back is a cycle (`cycle_watch`).
//!
//! From a problem with `q >= 0` the same pivots follow the path of a *label* `k` instead: `z_k` enters, and the path ends
//! when `w_k` or `z_k` leaves (Lemke and Howson).
//!
//! # Convergence and failure
//! In exact arithmetic no basis repeats under the lexicographic rule, degenerate or not, so a path ends. The order of
//! ties is decided by entries of the basis inverse; where many rows depend on few (redundant contacts) most of these are
//! rounding, and the pivots they choose may be as small. There the largest pivot is the better choice, and a cycle, which
//! it does not exclude, is found. A basis too close to singular to be rebuilt ends a path too. The end of a path
//! must be checked on the original data.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992, section 4.9
//! (algorithm 4.9.3). K. G. Murty, *Linear Complementarity, Linear and Nonlinear Programming*, 1988, section 2.2.

use serde::{Deserialize, Serialize};

use super::cycle_watch::CycleWatch;
use super::dictionary::{
    Dictionary, Equations, NOISE, Place, SMALLEST_PIVOT, SMALLEST_PIVOT_FRESH, TIE, TIE_FLOOR, Tie, steepest,
};
use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::lu::Singular;
use crate::linalg::scaling::Scaling;
use crate::problem::{ActiveSet, Lcp};

/// Smallest entry of the covering vector (dimensionless, equilibrated).
const SMALLEST_COVER: f64 = 0.1;

/// Which of the rows that tie leaves on the path of [`Lemke`](crate::pivoting::Lemke).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieRule {
    /// That of the largest pivot, the first of equals.
    #[default]
    LargestPivot,
    /// The lexicographically smallest.
    Lexicographic,
}

/// Which path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Lemke's: `z0` enters and has to leave.
    Artificial,
    /// That of a label, from a right-hand side without a negative entry.
    Label(usize),
}

/// Where a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    /// `z0`, or the label, left: the basis is complementary.
    Complementary,
    /// No row blocks the entering variable.
    Ray,
    /// As many pivots as allowed.
    Limit,
    /// The time is over.
    Time,
    /// A basis came back.
    Cycle,
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
    rule: Option<TieRule>,
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

    /// Sets the time that paths may take.
    pub(crate) fn limit_time(&mut self, budget: Budget) {
        self.dictionary.budget = budget;
    }

    /// The dictionary with `w` basic and a covering vector, in the units of `w` (only its direction matters). `None` is
    /// all ones; where the units differ widely from row to row no entry is left below a tenth in equilibrated terms then:
    /// any positive vector covers.
    pub(crate) fn start_cold(&mut self, data: Data, cover: Option<&[f64]>) {
        let scaled = |i: usize, r: f64| cover.map_or(r, |cover| cover[i] * r);
        let entries = || data.scaling.r.iter().enumerate().map(|(i, r)| scaled(i, *r));
        let largest = entries().fold(0.0, f64::max);
        let smallest = if cover.is_none() { SMALLEST_COVER } else { f64::MIN_POSITIVE };
        self.cover.clear();
        self.cover.extend(entries().map(|entry| (entry / largest).max(smallest)));
        self.dictionary.load(&Covered { data, cover: &self.cover });
        self.denominators.resize(self.cover.len(), 0.0);
    }

    /// The dictionary with `w` basic and nothing to cover, for the path of a label.
    pub(crate) fn start_at_zero(&mut self, data: Data) {
        self.cover.clear();
        self.cover.resize(data.problem.q().len(), 0.0);
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

    /// Follows a path from the current basis for at most `limit` pivots. For Lemke's the covering column is set and the
    /// right-hand side has a negative entry. Returns the end and the number of pivots.
    pub(crate) fn follow(
        &mut self,
        data: Data,
        (goal, rule): (Goal, TieRule),
        limit: usize,
    ) -> (PathEnd, usize) {
        let n = self.dictionary.n;
        let artificial = 2 * n;
        self.rule = Some(rule);
        self.reference.clear();
        self.reference.extend_from_slice(&self.dictionary.basic);
        let (mut entering, ends) = match goal {
            Goal::Artificial => (artificial, [artificial; 2]),
            Goal::Label(k) => (n + k, [k, n + k]),
        };
        let mut pivots = 0;
        let mut tolerated = NOISE;
        let mut watch = CycleWatch::new();
        self.smallest_pivot = SMALLEST_PIVOT;
        loop {
            let equations = Covered { data, cover: &self.cover };
            if Dictionary::is_check_due(pivots) && self.dictionary.noise(&equations) > tolerated {
                if self.dictionary.refactor(&equations).is_err() {
                    return (PathEnd::Lost, pivots);
                }
                tolerated = NOISE.max(4.0 * self.dictionary.noise(&equations));
                self.shift();
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
                self.shift();
                self.smallest_pivot = SMALLEST_PIVOT_FRESH;
                continue;
            };
            self.smallest_pivot = SMALLEST_PIVOT;
            if pivots == limit {
                return (PathEnd::Limit, pivots);
            }
            if self.dictionary.budget.is_spent() {
                return (PathEnd::Time, pivots);
            }
            let leaving = self.dictionary.basic[row];
            self.dictionary.pivot(row, column);
            self.shift(); // step 3
            pivots += 1;
            if ends.contains(&leaving) {
                return (PathEnd::Complementary, pivots);
            }
            if watch.repeats([entering, leaving]) {
                return (PathEnd::Cycle, pivots);
            }
            entering = if leaving < n { leaving + n } else { leaving - n };
        }
    }

    /// Step 3.
    fn shift(&mut self) {
        self.dictionary.rhs.iter_mut().filter(|value| **value < 0.0).for_each(|value| *value = 0.0);
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
                if self.dictionary.rhs[row] - decrease <= (TIE * decrease).max(TIE_FLOOR) {
                    if self.dictionary.basic[row] == 2 * self.dictionary.n {
                        return Some(row);
                    }
                    self.tie(row);
                }
            }
        }
        self.choose()
    }

    fn tie(&mut self, row: usize) {
        self.ties.push(Tie { row, slope: self.denominators[row], inwards: 1.0 });
    }

    /// Of the rows that tie the one that leaves.
    fn choose(&mut self) -> Option<usize> {
        if self.rule == Some(TieRule::LargestPivot) {
            return steepest(&self.ties).map(|tie| tie.row);
        }
        self.lexicographic_minimum()
    }

    fn lexicographic_minimum(&mut self) -> Option<usize> {
        let reference = self.reference.iter().map(|&variable| (variable, 1.0));
        self.dictionary.lexicographic_minimum(&mut self.ties, reference).map(|tie| tie.row)
    }
}
