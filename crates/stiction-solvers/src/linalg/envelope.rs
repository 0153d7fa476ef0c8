//! Cholesky factor of a principal block of `Y Y^T + delta D` with a sparse `Y`, within its envelope.
//!
//! # Problem
//! `A x = b` for `A` the rows and columns `I` of `Y Y^T`, its diagonal raised by the factor `1 + delta`; again for other `I`.
//!
//! # Method
//! The rows of the factor `L` begin where those of `A` begin: everything before the first entry of a row stays zero.
//! 1. Order the rows so that they are short ([`CuthillMckee`]), once for all `I`.
//! 2. Append row by row: the entries of `A` by way of the columns of `Y`, then forward substitution with the rows so far.
//! 3. For another `I`: the rows before the first difference stay.
//!
//! # Convergence and failure
//! As for [`Cholesky`](crate::linalg::cholesky::Cholesky): a pivot that is not a positive part of its diagonal entry is refused. A
//! graph without a long axis has long rows: see [`Envelope::work`].
//!
//! # Cost
//! The sum of the squares of the lengths of the rows: `n b^2` for a chain or tower of `b` contacts each way.
//!
//! # References
//! A. George, J. W. H. Liu, *Computer Solution of Large Sparse Positive Definite Systems*, 1981, chapters 2 and 4.

use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::NotPositiveDefinite;
use crate::linalg::cuthill_mckee::CuthillMckee;
use crate::linalg::dense::dot;
use crate::linalg::sparse_rows::SparseRows;

/// An index that is not in the factor.
const OUTSIDE: usize = usize::MAX;

/// The factor in reused memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelope {
    ordering: CuthillMckee,
    order: Vec<usize>,
    /// The indices `I` in that order, and the place of every index in `I`.
    indices: Vec<usize>,
    place: Vec<usize>,
    /// Row `i` of the factor has the entries `first[i]..=i`, the last of them at `end[i] - 1`.
    factor: Vec<f64>,
    first: Vec<usize>,
    end: Vec<usize>,
    /// Entries of the factor of all rows, and the operations that it takes.
    size: usize,
    work: usize,
}

impl Envelope {
    /// Step 1, for `Y` of `n` rows, and an empty factor.
    pub(crate) fn prepare(&mut self, rows: &SparseRows, n: usize) {
        self.order.clear();
        self.order.extend_from_slice(self.ordering.order(rows, n));
        self.truncate(0);
        self.place.clear();
        self.place.resize(n, OUTSIDE);
        // The envelope of all rows holds those of all blocks: no zero of a row becomes an entry of a block.
        let mut size = 0;
        self.work = 0;
        for (at, &i) in self.order.iter().enumerate() {
            self.place[i] = at;
            let length = at + 1 - begin(rows, i, at, &self.place);
            size += length;
            self.work = self.work.saturating_add(length * length);
        }
        self.place.fill(OUTSIDE);
        reserve_to(&mut self.indices, n);
        reserve_to(&mut self.first, n);
        reserve_to(&mut self.end, n);
        self.size = size;
    }

    /// The operations of factoring all rows.
    pub(crate) fn work(&self) -> usize {
        self.work
    }

    /// Reserves the workspace for the factor of any block, should it be wanted.
    pub(crate) fn reserve(&mut self) {
        reserve_to(&mut self.factor, self.size);
    }

    /// The order in which indices are appended.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Steps 2 and 3: the factor for the indices `wanted`, which follow each other as in [`Envelope::order`]. The pivots
    /// must exceed `smallest` times their diagonal entries.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] names the first pivot that does not; the rows before it stay.
    pub(crate) fn refactor(
        &mut self,
        rows: &SparseRows,
        wanted: &[usize],
        delta: f64,
        smallest: f64,
    ) -> Result<(), NotPositiveDefinite> {
        let same = wanted.iter().zip(&self.indices).take_while(|(a, b)| a == b).count();
        self.truncate(same);
        wanted[same..].iter().try_for_each(|&i| self.append(rows, i, delta, smallest))
    }

    /// Removes all rows from `count` on.
    pub(crate) fn truncate(&mut self, count: usize) {
        for &i in self.indices.iter().skip(count) {
            self.place[i] = OUTSIDE;
        }
        self.indices.truncate(count);
        self.first.truncate(count);
        self.end.truncate(count);
        self.factor.truncate(self.end.last().copied().unwrap_or(0));
    }

    fn append(
        &mut self,
        rows: &SparseRows,
        i: usize,
        delta: f64,
        smallest: f64,
    ) -> Result<(), NotPositiveDefinite> {
        let (at, start) = (self.indices.len(), self.factor.len());
        let first = begin(rows, i, at, &self.place);
        self.factor.resize(start + at + 1 - first, 0.0);
        let (above, new) = self.factor.split_at_mut(start);
        for &(k, v) in rows.row(i) {
            for &(j, u) in rows.column(k) {
                if j == i {
                    new[at - first] += v * u;
                } else if self.place[j] < at {
                    new[self.place[j] - first] += v * u;
                }
            }
        }
        let diagonal = new[at - first] * (1.0 + delta);
        for j in first..at {
            let (begin, row) = (self.first[j], row(above, &self.first, &self.end, j));
            let common = begin.max(first);
            let product = dot(&new[common - first..j - first], &row[common - begin..j - begin]);
            new[j - first] = (new[j - first] - product) / row[j - begin];
        }
        let value = diagonal - dot(&new[..at - first], &new[..at - first]);
        if !(value > (smallest * diagonal).max(0.0) && value.is_finite()) {
            self.factor.truncate(start);
            return Err(NotPositiveDefinite { pivot: at, value });
        }
        new[at - first] = value.sqrt();
        self.place[i] = at;
        self.indices.push(i);
        self.first.push(first);
        self.end.push(self.factor.len());
        Ok(())
    }

    /// Replaces `b`, in the order of the block's indices, by the solution of `A x = b`.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        for i in 0..b.len() {
            let (first, row) = (self.first[i], row(&self.factor, &self.first, &self.end, i));
            b[i] = (b[i] - dot(&row[..i - first], &b[first..i])) / row[i - first];
        }
        for i in (0..b.len()).rev() {
            let (first, row) = (self.first[i], row(&self.factor, &self.first, &self.end, i));
            let x = b[i] / row[i - first];
            b[i] = x;
            b[first..i].iter_mut().zip(row).for_each(|(b, l)| *b -= l * x);
        }
    }
}

/// Row `i` of a factor, from its first entry to the diagonal.
fn row<'a>(factor: &'a [f64], first: &[usize], end: &[usize], i: usize) -> &'a [f64] {
    &factor[end[i] - (i + 1 - first[i])..end[i]]
}

/// The first place at which row `i` of `Y Y^T`, put at place `at`, has an entry.
fn begin(rows: &SparseRows, i: usize, at: usize, place: &[usize]) -> usize {
    let neighbours = rows.row(i).iter().flat_map(|&(k, _)| rows.column(k));
    neighbours.fold(at, |least, &(j, _)| least.min(place[j]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Rows that share bodies as in a ring, in random order.
    fn ring(random: &mut Pcg64, n: usize) -> (Vec<f64>, usize) {
        let m = 3 * n;
        let mut y = vec![0.0; n * m];
        let mut bodies: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|k| bodies.swap(k, random.random_range(0..=k)));
        for (row, body) in y.chunks_exact_mut(m).zip(bodies) {
            for column in (3 * body..3 * body + 3).chain((3 * body + 3..3 * body + 6).map(|k| k % m)) {
                row[column] = random.random_range(-1.0..1.0);
            }
        }
        (y, m)
    }

    #[test]
    fn any_block_of_a_ring_is_solved_and_costs_little() {
        let mut random = Pcg64::seed_from_u64(5);
        let n = 60;
        let (y, m) = ring(&mut random, n);
        let rows = SparseRows::of(&y, m).unwrap();
        let mut envelope = Envelope::default();
        envelope.prepare(&rows, n);
        // Both neighbours of a ring come before: lengths of at most three.
        assert!(envelope.work() <= 9 * n, "{}", envelope.work());
        let mut sorted = envelope.order().to_vec();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..n));
        for _ in 0..50 {
            let order = envelope.order().to_vec();
            let block: Vec<usize> = order.into_iter().filter(|_| random.random_bool(0.8)).collect();
            envelope.refactor(&rows, &block, 0.0, 1e-13).unwrap();
            let x: Vec<f64> = block.iter().map(|_| random.random_range(-1.0..1.0)).collect();
            let mut b: Vec<f64> = block
                .iter()
                .map(|&i| block.iter().zip(&x).map(|(&j, x)| rows.product(i, j) * x).sum())
                .collect();
            envelope.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9), "{b:?} {x:?}");
        }
    }

    #[test]
    fn a_row_that_is_there_twice_is_refused_and_the_others_stay() {
        let mut y = vec![0.0; 3 * 20];
        (y[0], y[20], y[40 + 1]) = (1.0, 1.0, 1.0);
        let rows = SparseRows::of(&y, 20).unwrap();
        let mut envelope = Envelope::default();
        envelope.prepare(&rows, 3);
        let order = envelope.order().to_vec();
        assert!(envelope.refactor(&rows, &order, 0.0, 1e-13).is_err());
        assert!(envelope.refactor(&rows, &order, 1e-6, 1e-13).is_ok());
    }
}
