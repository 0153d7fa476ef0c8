//! The set of indices whose `z_i` is basic, as bits.

use serde::{Deserialize, Serialize};

use crate::linalg::dense::largest_abs;
use crate::problem::traits::Solution;

const BITS: usize = u64::BITS as usize;

/// Which `z_i` of a problem with `len` unknowns are basic (positive, unless the answer is degenerate).
///
/// Every other index has `z_i = 0` and its `w_i` basic. Kept from one solve to start the next one from
/// ([`Start::Basis`](crate::problem::report::Start::Basis)). `clone_from`, `resize` and `clear` reuse the memory.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveSet {
    len: usize,
    words: Vec<u64>,
}

impl Clone for ActiveSet {
    fn clone(&self) -> ActiveSet {
        ActiveSet { len: self.len, words: self.words.clone() }
    }

    fn clone_from(&mut self, source: &ActiveSet) {
        self.len = source.len;
        self.words.clone_from(&source.words);
    }
}

impl ActiveSet {
    /// The empty subset of `0..n`.
    pub fn new(n: usize) -> ActiveSet {
        ActiveSet { len: n, words: vec![0; n.div_ceil(BITS)] }
    }

    /// Reserves the workspace for `n` indices.
    pub(crate) fn reserve(&mut self, n: usize) {
        let words = n.div_ceil(BITS);
        self.words.reserve(words.saturating_sub(self.words.len()));
    }

    /// The set that an answer shows: `z_i` that are inside their bounds, and further so, beside the largest `z`, than `w_i` is from
    /// zero beside the largest `w`, or beside 1 if that is larger (where every `w` is rounding, none is large).
    pub fn of_answer(x: &Solution, bounds: impl Fn(usize) -> [f64; 2]) -> ActiveSet {
        ActiveSet::of_answer_beside(x, 1.0, bounds)
    }

    /// The same where the terms of `w` are of this size.
    pub fn of_answer_beside(x: &Solution, size: f64, bounds: impl Fn(usize) -> [f64; 2]) -> ActiveSet {
        let mut set = ActiveSet::new(x.z.len());
        let (z_unit, w_unit) = (largest_abs(&x.z), largest_abs(&x.w).max(size));
        for (i, (z, w)) in x.z.iter().zip(&x.w).enumerate() {
            let [lower, upper] = bounds(i);
            let inside = (z - lower).min(upper - z);
            set.set(i, inside > 0.0 && (*w == 0.0 || inside * w_unit > w.abs() * z_unit));
        }
        set
    }

    /// The set of these indices in `0..n`; others are ignored.
    pub fn of(n: usize, members: impl IntoIterator<Item = usize>) -> ActiveSet {
        let mut set = ActiveSet::new(n);
        members.into_iter().for_each(|i| set.set(i, true));
        set
    }

    /// Number of indices the set ranges over (the dimension of the problem, not the number of members).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set ranges over no index at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether `i` is a member; false beyond the range.
    pub fn contains(&self, i: usize) -> bool {
        i < self.len && self.words.get(i / BITS).is_some_and(|word| (word >> (i % BITS)) & 1 == 1)
    }

    /// Makes `i` a member or not; an index beyond the range is ignored.
    pub fn set(&mut self, i: usize, member: bool) {
        if i < self.len
            && let Some(word) = self.words.get_mut(i / BITS)
        {
            let bit = 1u64 << (i % BITS);
            *word = if member { *word | bit } else { *word & !bit };
        }
    }

    /// Removes every member; the range stays.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Changes the range to `0..n`; members below `n` stay.
    pub fn resize(&mut self, n: usize) {
        self.words.resize(n.div_ceil(BITS), 0);
        if !n.is_multiple_of(BITS)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1u64 << (n % BITS)) - 1;
        }
        self.len = n;
    }

    /// The members in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    at * BITS + bit
                })
            })
        })
    }

    /// The bits, lowest index first; for comparing sets cheaply.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_iterated_in_increasing_order_across_words() {
        let mut set = ActiveSet::new(200);
        for i in [199, 0, 63, 64, 128, 5] {
            set.set(i, true);
        }
        set.set(5, false);
        set.set(777, true);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 128, 199]);
        assert_eq!(set.count(), 5);
        assert!(set.contains(63) && !set.contains(5) && !set.contains(777));
    }

    #[test]
    fn an_answer_shows_its_basis_and_a_degenerate_index_is_in_none() {
        let x = Solution { z: vec![2.0, 0.0, 1e-17, 3.0, -1.0], w: vec![1e-16, 4.0, 2.0, 0.0, -1.0] };
        let bounds = |i: usize| {
            if i == 3 {
                [-1.0, 3.0]
            } else if i == 4 {
                [-2.0, f64::INFINITY]
            } else {
                [0.0, f64::INFINITY]
            }
        };
        assert_eq!(ActiveSet::of_answer(&x, bounds), ActiveSet::of(5, [0, 4, 77]));
    }

    #[test]
    fn shrinking_forgets_the_members_beyond_the_range() {
        let mut set = ActiveSet::new(100);
        for i in 0..100 {
            set.set(i, true);
        }
        set.resize(70);
        set.resize(100);
        assert_eq!(set.count(), 70);
        set.clear();
        assert_eq!((set.len(), set.count()), (100, 0));
        assert_eq!(set, ActiveSet::new(100));
    }
}
