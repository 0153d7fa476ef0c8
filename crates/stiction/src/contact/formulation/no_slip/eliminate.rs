//! Step 1: a largest independent set of rows, tangents first, and what is left of the normal rows across the tangents.

use super::NoSlip;
use super::independent_rows::{DEPENDENT, dot};
use super::island_rows::bias;
use crate::contact::island::IslandProblem;

impl NoSlip {
    /// Step 1: chooses rows, tangents first, and writes `Y` and `q`.
    pub(super) fn eliminate(&mut self, island: &IslandProblem) {
        let blocks = island.blocks;
        let rank = island.largest_rank();
        self.rows.clear(rank);
        self.owners.clear();
        self.chosen.clear();
        self.chosen.resize(island.rows(), false);
        for first in [true, false] {
            for (b, block) in blocks.iter().enumerate() {
                if self.held[b] && self.presses[b] == first {
                    for row in [block.row + 1, block.row + 2] {
                        if self.rows.offer(island, row, &mut self.l) {
                            self.chosen[row] = true;
                            self.owners.push(b);
                        }
                    }
                }
            }
        }
        let x = self.owners.len();
        self.tangents = x;
        self.starts.clear();
        self.products.clear();
        self.products.reserve(blocks.len() * rank);
        for block in blocks {
            self.rows.offer(island, block.row, &mut self.l);
            self.starts.push(self.products.len());
            self.products.extend_from_slice(&self.l);
        }
        self.starts.push(self.products.len());
        self.drift.clear();
        self.drift.extend(self.rows.chosen()[..x].iter().map(|&row| island.free[row]));
        self.rows.solve_lower(&mut self.drift);
        self.columns = self.rows.chosen().len() - x;
        self.half.clear();
        self.half.reserve(blocks.len() * rank);
        self.half.resize(blocks.len() * self.columns, 0.0);
        self.q.clear();
        for (b, block) in blocks.iter().enumerate() {
            let (along, across) = self.products[self.starts[b]..self.starts[b + 1]].split_at(x);
            let free = island.free[block.row];
            let mut q = free + bias(block.kind) - dot(along, &self.drift);
            if dot(across, across) > DEPENDENT * island.entry(block.row, block.row) {
                self.half[b * self.columns..][..across.len()].copy_from_slice(across);
            } else {
                // No impulse moves this row. Its square is rounding, so the root of that is rounding of its velocity.
                let size =
                    free.abs() + along.iter().zip(&self.drift).map(|(l, d)| (l * d).abs()).sum::<f64>();
                if q.abs() <= DEPENDENT.sqrt() * size + self.noise(island, block.row) {
                    q = 0.0;
                }
            }
            self.q.push(q);
        }
    }
}
