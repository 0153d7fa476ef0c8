//! Principal pivoting in a box: one index at a time is made complementary, and none that is complementary already is lost.
//!
//! # Problem
//! `l <= z <= u`, `w = M z + q`; index `i` is *complementary* if `w_i >= 0` at the lower bound, `w_i <= 0` at the upper and `w_i = 0`
//! between them. An index is *active* when `w_i` stays zero and `z_i` follows; every other `z_i` stands still.
//!
//! # Method
//! A major cycle drives one index `d` that is not complementary.
//! 1. `z_d` moves so that `|w_d|` shrinks. The active `z_a` follow, `dz_a = -M_aa^-1 M_ad dz_d`, and with them `dw`.
//! 2. The first event ends the move: `w_d` reaches zero, or `z_d` its other bound (the cycle is over); an active `z_i`
//!    reaches a bound (`i` leaves the active set); a complementary `w_i` reaches zero (`i` enters it).
//! 3. Of events at the same time those of `d` come first, then the least index. Go to 1.
//!
//! Indices that are not complementary yet are ignored in step 2: they stand still, whatever their `w_i` does. Without any event
//! the direction is a ray.
//!
//! # Convergence and failure
//! Every cycle makes one index complementary and loses none, so there are at most as many cycles as violated indices at the
//! start. (Where a block is so badly conditioned that its solution, computed anew after the cycle, is beyond a bound, the
//! index leaves and may have to be driven again.) Within a cycle `z_d` never turns back; the least-index rule lets no active set repeat while it stands still
//! (Chang). In rounded numbers ties are not seen as such, and an active set may come back all the same: that is found, and
//! [`Pivoting::perturb`] is the remedy. If `M_da` depends on the active rows of a symmetric semidefinite matrix, `w` stands still along the whole
//! direction: only bounds of `z` stop it, the index that leaves makes the block regular for `d`, and a ray proves
//! that there is no solution.
//!
//! # Cost
//! `2 n |a|` for `dw` and the change of the factor ([`crate::pivoting::blocks::active_block`]) in each minor cycle.
//!
//! # References
//! R. W. Cottle, G. B. Dantzig, *Complementary pivot theory of mathematical programming*, Linear Algebra and its Applications
//! 1 (1968) 103-125. D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994, 23-34,
//! section 4.2. Y. Y. Chang, *Least-index resolution of degeneracy in linear complementarity problems*, Stanford
//! University report SOL 79-14, 1979.

mod point;

use serde::{Deserialize, Serialize};

use crate::linalg::budget::Budget;
use crate::linalg::dense::{Square, Support, dot_and_magnitude, largest_abs};
use crate::linalg::scaling::Scaling;
use crate::pivoting::blocks::active_block::{ActiveBlock, Dependent};
use crate::pivoting::tableaus::cycle_watch::CycleWatch;

/// `w_i` within this multiple of `(|M||z| + |q|)_i` is zero: some ten times its rounding at 200 unknowns.
const NOISE: f64 = 1e-13;

/// A component of a direction below this multiple of its terms (`dw`) or of the largest component (`dz`) is zero.
const STILL: f64 = 1e-13;

/// Moves (dimensionless) that differ by less than this multiple of themselves, or of 1e-3, are equally long.
const TIE: f64 = 1e-13;

/// A ray proves that there is no solution if a point it does not refute is at least so many times as large as the natural
/// unit of `z`.
const FAR: f64 = 1e8;

/// Which of the indices that are not complementary is driven next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextIndex {
    /// The most violated one (equilibrated), of equals the first: mostly the fewest cycles.
    #[default]
    MostViolated,
    /// The first one: the answer depends less on rounding, and a solved problem grows row by row.
    InOrder,
}

/// What stops a move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    /// `w_d = 0`.
    Zero,
    /// `z_d` is at its other bound.
    Bound(f64),
    /// The active index at this place of the factor is at this bound.
    Leaves(usize, f64),
    /// This index is to become active.
    Enters(usize),
}

/// How a major cycle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CycleEnd {
    /// The index is complementary.
    Complementary,
    /// Nothing stops it. With `proof` the direction shows that the problem has no solution.
    Ray { proof: bool },
    /// An active block became singular: the matrix is neither P nor symmetric positive semidefinite.
    Singular,
    /// As many pivots as allowed, or the time is over.
    Limit,
    /// An active set came back.
    Cycle,
}

/// A problem of `n` unknowns, equilibrated, with the point and the active set that the cycles move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pivoting {
    n: usize,
    symmetric: bool,
    scaling: Scaling,
    matrix: Vec<f64>,
    q: Vec<f64>,
    bounds: Vec<[f64; 2]>,
    z: Vec<f64>,
    w: Vec<f64>,
    /// What is zero for `w_i`.
    noise: Vec<f64>,
    block: ActiveBlock,
    active: Vec<bool>,
    /// Indices known to be complementary, and those given up.
    complementary: Vec<bool>,
    given_up: Vec<bool>,
    dz: Vec<f64>,
    dw: Vec<f64>,
    column: Vec<f64>,
    /// Pivots so far: changes of the active set.
    pub(crate) pivots: usize,
    budget: Budget,
}

impl Pivoting {
    /// The violated index that `next` says, and whether its `z_i` must grow. Those within noise count as
    /// complementary from now on. When none is left all are checked once more, if `again`.
    pub(crate) fn choose(&mut self, next: NextIndex, again: bool) -> Option<(usize, bool)> {
        let mut worst = None;
        let mut most = 0.0;
        for i in (0..self.n).filter(|&i| !self.active[i]) {
            if self.complementary[i] || self.given_up[i] {
                continue;
            }
            let off = self.violation(i);
            if off <= self.noise[i] {
                self.complementary[i] = true;
            } else if off > most {
                (worst, most) = (Some((i, self.w[i] < 0.0)), off);
                if next == NextIndex::InOrder {
                    break;
                }
            }
        }
        if worst.is_none() && again {
            self.complementary.fill(false);
            return self.choose(next, false);
        }
        worst
    }

    /// How far `w_i` is from what it may be where `z_i` stands.
    fn violation(&self, i: usize) -> f64 {
        let ([lower, upper], z, w) = (self.bounds[i], self.z[i], self.w[i]);
        let over = if z <= lower { 0.0 } else { w };
        let under = if z >= upper { 0.0 } else { -w };
        over.max(under).max(0.0)
    }

    /// Gives `d` up: no cycle chooses it again.
    pub(crate) fn give_up(&mut self, d: usize) {
        self.given_up[d] = true;
        self.refresh();
    }

    /// A major cycle for `d`, whose `z_d` must grow or shrink.
    pub(crate) fn drive(&mut self, d: usize, grows: bool, limit: usize) -> CycleEnd {
        let sign = if grows { 1.0 } else { -1.0 };
        let mut watch = CycleWatch::new();
        loop {
            let rate = self.move_along(d, sign);
            let Some((length, event)) = self.first_event(d, sign, rate) else {
                return CycleEnd::Ray { proof: self.proves_infeasibility() };
            };
            if self.pivots >= limit || self.budget.is_spent() {
                return CycleEnd::Limit;
            }
            self.advance(length);
            // At its upper bound an index is another one.
            let change = match event {
                Event::Leaves(at, bound) => Some((self.block.indices()[at], bound)),
                Event::Enters(i) => Some((i, self.z[i])),
                Event::Zero | Event::Bound(_) => None,
            };
            if let Some((i, bound)) = change {
                let [lower, upper] = self.bounds[i];
                let above = (bound >= upper && lower < upper).then_some(self.n + i);
                if watch.repeats([Some(i), above].into_iter().flatten()) {
                    return CycleEnd::Cycle;
                }
            }
            match event {
                Event::Zero => {
                    if self.enter(d).is_err() {
                        return CycleEnd::Singular;
                    }
                    break;
                }
                Event::Bound(bound) => {
                    self.z[d] = bound;
                    break;
                }
                Event::Leaves(at, bound) => {
                    if self.leave(at, bound).is_err() {
                        return CycleEnd::Singular;
                    }
                }
                // Where rounding shows a w_i moving whose row depends on the active ones, it does not move.
                Event::Enters(i) if self.symmetric => {
                    if self.enter(i).is_err() {
                        self.complementary[i] = false;
                    }
                }
                Event::Enters(i) => {
                    if self.enter(i).is_err() {
                        return CycleEnd::Singular;
                    }
                }
            }
        }
        self.complementary[d] = true;
        match self.settle() {
            Ok(()) => CycleEnd::Complementary,
            Err(Dependent) => CycleEnd::Singular,
        }
    }

    /// Step 1: the direction, and how fast `|w_d|` shrinks.
    fn move_along(&mut self, d: usize, sign: f64) -> f64 {
        let matrix = Square { n: self.n, entries: &self.matrix };
        let rate = self.block.column(matrix, d, &mut self.column);
        self.dz.fill(0.0);
        self.dz[d] = sign;
        for (&i, x) in self.block.indices().iter().zip(&self.column) {
            self.dz[i] = -sign * x;
        }
        let still = STILL * largest_abs(&self.dz);
        self.dz.iter_mut().filter(|v| v.abs() <= still).for_each(|v| *v = 0.0);
        self.dw.fill(0.0);
        if rate == 0.0 && self.symmetric {
            return rate; // nothing else moves either
        }
        let support = Support::of(&self.dz);
        for i in (0..self.n).filter(|&i| !self.active[i]) {
            let (sum, magnitude) = match &support {
                Some(support) => support.dot_and_magnitude(matrix.row(i), &self.dz),
                None => dot_and_magnitude(matrix.row(i), &self.dz),
            };
            self.dw[i] = if sum.abs() > STILL * magnitude { sum } else { 0.0 };
        }
        self.dw[d] = sign * rate;
        rate
    }

    /// Steps 2 and 3.
    fn first_event(&self, d: usize, sign: f64, rate: f64) -> Option<(f64, Event)> {
        let shortest =
            self.events(d, sign, rate).fold(f64::INFINITY, |least, (_, length, _)| least.min(length));
        let tied = self.events(d, sign, rate).filter(|e| e.1 <= shortest + TIE * shortest.max(1e-3));
        tied.min_by_key(|&(index, _, _)| index)
            .filter(|e| e.1.is_finite())
            .map(|(_, length, event)| (length, event))
    }

    /// All events of the move, each with its rank (those of `d` before any index) and the length of the way to it.
    fn events(&self, d: usize, sign: f64, rate: f64) -> impl Iterator<Item = (usize, f64, Event)> + '_ {
        let [lower, upper] = self.bounds[d];
        let zero = (rate > 0.0).then(|| (0, self.w[d].abs() / rate, Event::Zero));
        let bound = if sign > 0.0 { upper } else { lower };
        let own = [zero, Some((0, (bound - self.z[d]).abs(), Event::Bound(bound)))];
        let leaving = self.block.indices().iter().enumerate().filter_map(|(at, &i)| {
            let ([lower, upper], z, dz) = (self.bounds[i], self.z[i], self.dz[i]);
            let bound = if dz > 0.0 { upper } else { lower };
            (dz != 0.0).then(|| (i + 1, ((bound - z) / dz).max(0.0), Event::Leaves(at, bound)))
        });
        let entering = (0..self.n)
            .filter(move |&i| i != d && self.complementary[i] && !self.active[i])
            .filter_map(|i| {
                let ([lower, upper], z, w, dw) = (self.bounds[i], self.z[i], self.w[i], self.dw[i]);
                // At its lower bound w_i may grow without end, at its upper one fall.
                let stops = (dw < 0.0 && z < upper) || (dw > 0.0 && z > lower);
                let way = if w.abs() <= self.noise[i] { 0.0 } else { (-w / dw).max(0.0) };
                stops.then_some((i + 1, way, Event::Enters(i)))
            });
        own.into_iter().flatten().chain(leaving).chain(entering)
    }

    fn advance(&mut self, length: f64) {
        for ((z, dz), (w, dw)) in self.z.iter_mut().zip(&self.dz).zip(self.w.iter_mut().zip(&self.dw)) {
            *z += length * dz;
            *w += length * dw;
        }
    }

    fn enter(&mut self, i: usize) -> Result<(), Dependent> {
        self.block.enter(Square { n: self.n, entries: &self.matrix }, i)?;
        self.active[i] = true;
        self.w[i] = 0.0;
        self.pivots += 1;
        Ok(())
    }

    fn leave(&mut self, at: usize, bound: f64) -> Result<(), Dependent> {
        let i = self.block.indices()[at];
        self.active[i] = false;
        self.complementary[i] = true;
        self.z[i] = bound;
        self.w[i] = 0.0;
        self.pivots += 1;
        self.block.leave(Square { n: self.n, entries: &self.matrix }, at)
    }

    /// Whether the present direction `u`, along which the box has no end, refutes every solution: a solution `z` would
    /// have `(M z + q) . u >= 0`, that is `q . u >= -(M u) . z` for a symmetric `M`, and here that takes a `z` out of all
    /// proportion.
    fn proves_infeasibility(&self) -> bool {
        let (slope, size) = dot_and_magnitude(&self.q, &self.dz);
        let rows = self.matrix.chunks_exact(self.n.max(1));
        let moved = rows.fold(0.0, |sum, row| sum + dot_and_magnitude(row, &self.dz).0.abs());
        self.symmetric && -slope > 1e-10 * size && -slope > FAR * moved
    }
}
