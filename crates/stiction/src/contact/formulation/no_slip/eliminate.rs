//! Step 1: a largest independent set of the tangent rows held, and what is left of the normal rows across them.

use super::NoSlip;
use super::independent_rows::DEPENDENT;
use crate::contact::formulation::normal::{FactoredIsland, bias, dot};

impl NoSlip {
    /// Step 1: chooses rows, first those of contacts that press, and writes `Y` and `q`.
    pub(super) fn eliminate(&mut self, rows: &FactoredIsland) {
        let (island, columns) = (rows.island, rows.columns());
        let blocks = island.blocks;
        self.rows.clear(columns);
        self.rest.resize(columns, 0.0);
        self.owners.clear();
        for first in [true, false] {
            for (b, block) in blocks.iter().enumerate() {
                if self.held[b] && self.presses[b] == first {
                    for row in [block.row + 1, block.row + 2] {
                        if self.rows.offer(rows, row, &mut self.l, &mut self.rest) {
                            self.owners.push(b);
                        }
                    }
                }
            }
        }
        self.drift.clear();
        self.drift.extend(self.rows.chosen().iter().map(|&row| island.free[row]));
        self.rows.solve_lower(&mut self.drift);
        self.products.clear();
        self.products.reserve(blocks.len() * columns);
        self.normal.clear(blocks.len(), columns);
        for (b, block) in blocks.iter().enumerate() {
            let moves = self.rows.project(rows, block.row, &mut self.l, &mut self.rest);
            self.products.extend_from_slice(&self.l);
            let free = island.free[block.row];
            let mut q = free + bias(block.kind) - dot(&self.l, &self.drift);
            if moves {
                self.normal.half[b * columns..(b + 1) * columns].copy_from_slice(&self.rest);
            } else {
                // No impulse moves this row. Its square is rounding, so the root of that is rounding of its velocity.
                let size =
                    free.abs() + self.l.iter().zip(&self.drift).map(|(l, d)| (l * d).abs()).sum::<f64>();
                if q.abs() <= DEPENDENT.sqrt() * size + self.noise(rows, block.row) {
                    q = 0.0;
                }
            }
            self.normal.q.push(q);
        }
    }
}
