//! The order in which the blocks of a sparse matrix are eliminated, and the fill that follows.
//!
//! # Problem
//! A matrix with symmetric pattern is a sum of *cliques*: dense matrices on a few blocks of its columns each. Find an
//! order of elimination with little fill, and the rows below each pivot in the factors.
//!
//! # Method
//! The graph is never written down: it stays a set of cliques throughout.
//! 1. Take the block whose cliques together reach the fewest columns; of several the first.
//! 2. Its elimination joins its cliques, without it, into one. They are dropped, and with them every clique inside
//!    the new one.
//! 3. Blocks that are now in the new clique only are eliminated at once: together with the first they form a *front*,
//!    the rest of the clique are the rows below it.
//! 4. Count the columns that the blocks of the new clique reach anew.
//!
//! Small or dense graphs end as one front, a chain of bodies as many.
//!
//! # Cost
//! For each front and each of its blocks the cliques of the block are walked through once: about a third of one
//! factorization, once per structure. Memory is reused.
//!
//! # References
//! A. George, J. W. H. Liu, *The evolution of the minimum degree ordering algorithm*, SIAM Review 31 (1989) 1-19:
//! quotient graphs, mass elimination, element absorption.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Blocks in the order of their elimination, grouped into fronts, and the graph they come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elimination {
    /// The block at each place of the order, and the place of each block.
    pub(crate) order: Vec<usize>,
    pub(crate) place: Vec<usize>,
    /// First place of each front, and the number of places at the end.
    pub(crate) fronts: Vec<usize>,
    /// Rows `row_ptr[k]..row_ptr[k + 1]` are below front `k`.
    row_ptr: Vec<usize>,
    /// Their places, ascending.
    rows: Vec<usize>,

    widths: Vec<usize>,
    /// Where the blocks of each clique are; nowhere when it has been dropped.
    cliques: Vec<[usize; 2]>,
    blocks: Vec<usize>,
    /// Where the cliques of each block are. They do not become more: the new clique takes the place of one of those it
    /// was made from.
    of_block: Vec<[usize; 2]>,
    of: Vec<usize>,
    /// Columns that each block reaches; zero when it has been eliminated.
    degree: Vec<usize>,
    /// Degrees and blocks, some of them out of date.
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// When each block was last seen.
    seen: Vec<usize>,
    now: usize,
}

impl Elimination {
    /// The number of columns of each block.
    pub(crate) fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// Places of the rows below a front, ascending.
    pub(crate) fn rows(&self, front: usize) -> &[usize] {
        &self.rows[self.row_ptr[front]..self.row_ptr[front + 1]]
    }

    /// Orders blocks of the given widths (none of them zero) that are coupled by cliques, in which blocks may be
    /// repeated.
    pub(crate) fn order<C: Iterator<Item = usize>>(
        &mut self,
        widths: impl Iterator<Item = usize>,
        cliques: impl Iterator<Item = C>,
    ) {
        self.widths.clear();
        self.widths.extend(widths);
        self.cliques.clear();
        self.blocks.clear();
        cliques.for_each(|clique| self.add(clique));
        self.list_cliques_of_blocks();
        for list in [&mut self.order, &mut self.fronts, &mut self.row_ptr, &mut self.rows] {
            list.clear();
        }
        self.row_ptr.push(0);
        while let Some(pivot) = self.pop() {
            self.eliminate(pivot);
        }
        self.fronts.push(self.order.len());
        self.place.clear();
        self.place.resize(self.order.len(), 0);
        self.order.iter().enumerate().for_each(|(at, &block)| self.place[block] = at);
        self.rows.iter_mut().for_each(|block| *block = self.place[*block]);
        for rows in self.row_ptr.windows(2) {
            self.rows[rows[0]..rows[1]].sort_unstable();
        }
    }

    /// Adds a clique, unless it is empty or the one before.
    fn add(&mut self, clique: impl Iterator<Item = usize>) {
        let first = self.blocks.len();
        self.blocks.extend(clique);
        self.blocks[first..].sort_unstable();
        let mut end = first;
        for k in first..self.blocks.len() {
            if end == first || self.blocks[end - 1] != self.blocks[k] {
                self.blocks[end] = self.blocks[k];
                end += 1;
            }
        }
        self.blocks.truncate(end);
        let last = self.cliques.last().map_or(&[][..], |&[begin, end]| &self.blocks[begin..end]);
        if *last == self.blocks[first..] {
            self.blocks.truncate(first);
        } else {
            self.cliques.push([first, end]);
        }
    }

    fn list_cliques_of_blocks(&mut self) {
        let count = self.widths.len();
        self.of_block.clear();
        self.of_block.resize(count, [0, 0]);
        self.blocks.iter().for_each(|&block| self.of_block[block][1] += 1);
        let mut first = 0;
        for range in &mut self.of_block {
            let length = range[1];
            *range = [first, first];
            first += length;
        }
        self.of.clear();
        self.of.resize(first, 0);
        for (k, &[begin, end]) in self.cliques.iter().enumerate() {
            for &block in &self.blocks[begin..end] {
                self.of[self.of_block[block][1]] = k;
                self.of_block[block][1] += 1;
            }
        }
        self.seen.clear();
        self.seen.resize(count, 0);
        self.now = 0;
        self.degree.clear();
        self.degree.resize(count, 0);
        self.queue.clear();
        (0..count).for_each(|block| self.count(block));
    }

    /// Step 1.
    fn pop(&mut self) -> Option<usize> {
        while let Some(Reverse((degree, block))) = self.queue.pop() {
            if self.degree[block] == degree {
                return Some(block);
            }
        }
        None
    }

    /// Steps 2 to 4.
    fn eliminate(&mut self, pivot: usize) {
        let first = self.blocks.len();
        self.join(pivot);
        let last = self.order.len();
        self.order.push(pivot);
        let mut end = first;
        for k in first..self.blocks.len() {
            let block = self.blocks[k];
            if self.of_block[block][0] == self.of_block[block][1] {
                self.order.push(block);
            } else {
                self.blocks[end] = block;
                end += 1;
            }
        }
        self.blocks.truncate(end);
        self.order[last..].sort_unstable();
        self.order[last..].iter().for_each(|&block| self.degree[block] = 0);
        self.fronts.push(last);
        self.rows.extend_from_slice(&self.blocks[first..end]);
        self.row_ptr.push(self.rows.len());
        for k in first..end {
            self.of[self.of_block[self.blocks[k]][1] - 1] = self.cliques.len();
        }
        self.cliques.push([first, end]);
        for k in first..end {
            self.count(self.blocks[k]);
        }
    }

    /// Step 2: lists the other blocks in the cliques of a block, and drops these and all cliques among them. What is
    /// left of the cliques of each ends with one that has been dropped, unless there are no others.
    fn join(&mut self, pivot: usize) {
        self.now += 1;
        self.seen[pivot] = self.now;
        let first = self.blocks.len();
        for k in self.of_block[pivot][0]..self.of_block[pivot][1] {
            let [begin, end] = std::mem::take(&mut self.cliques[self.of[k]]);
            for at in begin..end {
                let block = self.blocks[at];
                if self.seen[block] != self.now {
                    self.seen[block] = self.now;
                    self.blocks.push(block);
                }
            }
        }
        for at in first..self.blocks.len() {
            let [begin, end] = self.of_block[self.blocks[at]];
            for k in begin..end {
                let [begin, end] = self.cliques[self.of[k]];
                if self.blocks[begin..end].iter().all(|&other| self.seen[other] == self.now) {
                    self.cliques[self.of[k]] = [0, 0];
                }
            }
        }
        for at in first..self.blocks.len() {
            let block = self.blocks[at];
            let [begin, end] = self.of_block[block];
            let mut kept = begin;
            for k in begin..end {
                let [from, to] = self.cliques[self.of[k]];
                if from < to {
                    self.of[kept] = self.of[k];
                    kept += 1;
                }
            }
            self.of_block[block][1] = if kept == begin { begin } else { kept + 1 };
        }
    }

    /// Step 4: the columns of all blocks that share a clique with this one.
    fn count(&mut self, block: usize) {
        self.now += 1;
        self.seen[block] = self.now;
        // Its own columns too: no block has none.
        let mut degree = self.widths[block];
        for k in self.of_block[block][0]..self.of_block[block][1] {
            let [begin, end] = self.cliques[self.of[k]];
            for &other in &self.blocks[begin..end] {
                if self.seen[other] != self.now {
                    self.seen[other] = self.now;
                    degree += self.widths[other];
                }
            }
        }
        if degree != self.degree[block] {
            self.degree[block] = degree;
            self.queue.push(Reverse((degree, block)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn minimum_degree(widths: &[usize], cliques: &[Vec<usize>]) -> Elimination {
        let mut elimination = Elimination::default();
        let cliques = cliques.iter().map(|clique| clique.iter().copied());
        elimination.order(widths.iter().copied(), cliques);
        elimination
    }

    #[test]
    fn a_chain_is_eliminated_from_its_ends_without_fill() {
        let chain = (0..9).map(|k| vec![k, k + 1]).collect::<Vec<_>>();
        let elimination = minimum_degree(&[6; 10], &chain);
        assert!((0..9).all(|front| elimination.rows(front).len() <= 1), "{elimination:?}");
        assert_eq!(elimination.fronts.len(), 10, "the last two blocks are one front");
    }

    #[test]
    fn the_hub_of_a_star_is_eliminated_last() {
        let star = (1..8).map(|k| vec![0, k]).collect::<Vec<_>>();
        let elimination = minimum_degree(&[6; 8], &star);
        assert!(elimination.order[6..].contains(&0), "{elimination:?}");
        assert!((0..7).all(|front| elimination.rows(front).len() <= 1));
    }

    #[test]
    fn blocks_that_all_see_each_other_are_one_front() {
        let elimination = minimum_degree(&[1, 2, 3, 4], &[vec![0, 1, 2, 3], vec![1, 3], vec![2]]);
        assert_eq!(elimination.order, [0, 1, 2, 3]);
        assert_eq!(elimination.fronts, [0, 4]);
    }

    #[test]
    fn the_rows_of_a_front_are_the_fill_of_elimination_block_by_block() {
        let mut random = Pcg64::seed_from_u64(1);
        for count in 1..40 {
            let mut edges = vec![vec![false; count]; count];
            let mut cliques = Vec::new();
            for _ in 0..random.random_range(0..2 * count) {
                let clique: Vec<usize> = (0..3).map(|_| random.random_range(0..count)).collect();
                for &a in &clique {
                    clique.iter().for_each(|&b| edges[a][b] = true);
                }
                cliques.push(clique);
            }
            let elimination = minimum_degree(&vec![6; count], &cliques);
            let mut order = elimination.order.clone();
            for front in 0..elimination.fronts.len() - 1 {
                let rows = elimination.rows(front);
                let pivots = elimination.fronts[front]..elimination.fronts[front + 1];
                for at in pivots.clone() {
                    let below: Vec<usize> =
                        (at + 1..count).filter(|&to| edges[order[at]][order[to]]).collect();
                    let claimed: Vec<usize> = (at + 1..pivots.end).chain(rows.iter().copied()).collect();
                    assert_eq!(below, claimed, "{count} blocks, front {front}");
                    for &a in &below {
                        below.iter().for_each(|&b| edges[order[a]][order[b]] = true);
                    }
                }
            }
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
    }
}
