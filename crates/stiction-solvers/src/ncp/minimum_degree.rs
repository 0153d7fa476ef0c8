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
//! For each front and each of its blocks the cliques of the block are walked through once: far less than one
//! factorization, and done once per structure.
//!
//! # References
//! A. George, J. W. H. Liu, *The evolution of the minimum degree ordering algorithm*, SIAM Review 31 (1989) 1-19:
//! quotient graphs, mass elimination, element absorption.

use std::collections::BTreeSet;

/// Blocks in the order of their elimination, grouped into fronts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Elimination {
    /// The block at each place of the order.
    pub(super) order: Vec<usize>,
    /// First place of each front, and the number of places at the end.
    pub(super) fronts: Vec<usize>,
    /// Places of the rows below each front, ascending.
    pub(super) rows: Vec<Vec<usize>>,
}

/// The graph during the elimination.
struct Cliques<'a> {
    widths: &'a [usize],
    /// Blocks of each clique; empty when it has been dropped.
    blocks: Vec<Vec<usize>>,
    /// Cliques of each block.
    of: Vec<Vec<usize>>,
    /// When each block was last seen.
    seen: Vec<usize>,
    now: usize,
}

/// Orders blocks of the given widths that are coupled by `cliques`, whose blocks must be distinct.
pub(super) fn minimum_degree(widths: &[usize], cliques: Vec<Vec<usize>>) -> Elimination {
    let mut of = vec![Vec::new(); widths.len()];
    for (k, clique) in cliques.iter().enumerate() {
        clique.iter().for_each(|&block| of[block].push(k));
    }
    let mut graph = Cliques { widths, blocks: cliques, of, seen: vec![0; widths.len()], now: 0 };
    let mut degree: Vec<usize> = (0..widths.len()).map(|block| graph.degree(block)).collect();
    let mut queue: BTreeSet<(usize, usize)> = degree.iter().copied().zip(0..).collect();
    let mut elimination = Elimination::default();
    while let Some((_, pivot)) = queue.pop_first() {
        let joined = graph.join(pivot); // step 2
        let (mut front, rest): (Vec<usize>, Vec<usize>) =
            joined.into_iter().partition(|&block| graph.of[block].is_empty()); // step 3
        for &block in front.iter().chain(&rest) {
            queue.remove(&(degree[block], block));
        }
        front.push(pivot);
        front.sort_unstable();
        graph.insert(&rest);
        for &block in &rest {
            degree[block] = graph.degree(block); // step 4
            queue.insert((degree[block], block));
        }
        elimination.fronts.push(elimination.order.len());
        elimination.order.extend(front);
        elimination.rows.push(rest);
    }
    elimination.fronts.push(elimination.order.len());
    let mut place = vec![0; widths.len()];
    elimination.order.iter().enumerate().for_each(|(at, &block)| place[block] = at);
    for rows in &mut elimination.rows {
        rows.iter_mut().for_each(|block| *block = place[*block]);
        rows.sort_unstable();
    }
    elimination
}

impl Cliques<'_> {
    /// Columns of all blocks that share a clique with this one.
    fn degree(&mut self, block: usize) -> usize {
        self.now += 1;
        self.seen[block] = self.now;
        let mut degree = 0;
        for &clique in &self.of[block] {
            for &other in &self.blocks[clique] {
                if self.seen[other] != self.now {
                    self.seen[other] = self.now;
                    degree += self.widths[other];
                }
            }
        }
        degree
    }

    /// Takes out a block and its cliques, returns the other blocks of these, and drops cliques among them.
    fn join(&mut self, pivot: usize) -> Vec<usize> {
        self.now += 1;
        self.seen[pivot] = self.now;
        let mut joined = Vec::new();
        for clique in std::mem::take(&mut self.of[pivot]) {
            for block in std::mem::take(&mut self.blocks[clique]) {
                if self.seen[block] != self.now {
                    self.seen[block] = self.now;
                    joined.push(block);
                }
            }
        }
        for &block in &joined {
            for &clique in &self.of[block] {
                if self.blocks[clique].iter().all(|&other| self.seen[other] == self.now) {
                    self.blocks[clique].clear();
                }
            }
        }
        for &block in &joined {
            let blocks = &self.blocks;
            self.of[block].retain(|&clique| !blocks[clique].is_empty());
        }
        joined
    }

    /// Adds a clique.
    fn insert(&mut self, blocks: &[usize]) {
        if !blocks.is_empty() {
            blocks.iter().for_each(|&block| self.of[block].push(self.blocks.len()));
            self.blocks.push(blocks.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn a_chain_is_eliminated_from_its_ends_without_fill() {
        let chain = (0..9).map(|k| vec![k, k + 1]).collect();
        let elimination = minimum_degree(&[6; 10], chain);
        assert!(elimination.rows.iter().all(|rows| rows.len() <= 1), "{elimination:?}");
        assert_eq!(elimination.rows.len(), 9, "the last two blocks are one front");
    }

    #[test]
    fn the_hub_of_a_star_is_eliminated_last() {
        let star = (1..8).map(|k| vec![0, k]).collect();
        let elimination = minimum_degree(&[6; 8], star);
        assert!(elimination.order[6..].contains(&0), "{elimination:?}");
        assert!(elimination.rows.iter().all(|rows| rows.len() <= 1));
    }

    #[test]
    fn blocks_that_all_see_each_other_are_one_front() {
        let elimination = minimum_degree(&[1, 2, 3, 4], vec![vec![0, 1, 2, 3], vec![1, 3], vec![2]]);
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
                let mut clique: Vec<usize> = (0..3).map(|_| random.random_range(0..count)).collect();
                clique.sort_unstable();
                clique.dedup();
                for &a in &clique {
                    clique.iter().for_each(|&b| edges[a][b] = true);
                }
                cliques.push(clique);
            }
            let elimination = minimum_degree(&vec![6; count], cliques);
            let mut order = elimination.order.clone();
            for (front, rows) in elimination.rows.iter().enumerate() {
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
