//! Elimination of an island's bilateral rows, and their impulses from those of the others.
//!
//! Rows that depend on earlier ones are left out; those that contradict them are told apart by what they miss.

use super::workspace::IslandWorkspace;
use crate::constraint::rows::{RowKind, Rows};

/// A pivot below this part of its diagonal belongs to a dependent row: elimination of n rows leaves relative errors
/// of about n times 2e-16 there.
const DEPENDENT: f64 = 1e-11;

/// Speed (m/s or rad/s) by which a dependent row may miss what it asks for: what a contact at rest may have.
const MISSED: f64 = 1e-7;

impl IslandWorkspace {
    /// Eliminates the bilateral rows from the matrix and the free velocities, skipping dependent ones.
    pub(super) fn eliminate(&mut self) {
        let (bilateral, total) = (self.bilateral, self.total);
        self.skipped.clear();
        self.skipped.resize(bilateral, false);
        self.contradicts = false;
        for e in 0..bilateral {
            // The diagonal before elimination: what is left plus what was subtracted, by the kept multipliers.
            let pivot = self.matrix[e * total + e];
            let original = pivot
                + (0..e)
                    .filter(|&k| self.matrix[e * total + k] != 0.0 && !self.skipped[k])
                    .map(|k| self.matrix[e * total + k] * self.matrix[k * total + e])
                    .sum::<f64>();
            if pivot <= DEPENDENT * original || pivot <= 0.0 {
                self.skipped[e] = true;
                self.contradicts |= self.misses(e);
                continue;
            }
            let (upper, lower) = self.matrix.split_at_mut((e + 1) * total);
            let pivot_row = &upper[e * total..];
            // The matrix is symmetric but for round-off: the rows and columns that the pivot reaches are the same.
            self.reached.clear();
            self.reached.extend((e + 1..total).filter(|&j| pivot_row[j] != 0.0));
            for &i in &self.reached {
                let row = &mut lower[(i - e - 1) * total..][..total];
                let factor = row[e] / pivot;
                for &j in &self.reached {
                    row[j] -= factor * pivot_row[j];
                }
                row[e] = factor;
                self.free[i] -= factor * self.free[e];
            }
        }
    }

    /// Whether the rows before a dependent one leave it with a velocity that is not round-off. Its pivot, which is quadratic in the row,
    /// is round-off up to [`DEPENDENT`]; its velocity is linear in it.
    fn misses(&self, e: usize) -> bool {
        let factors = self.matrix[e * self.total..][..e].iter().zip(&self.skipped);
        let terms = factors.zip(&self.free).filter(|((_, skipped), _)| !**skipped);
        let size: f64 = terms.map(|((factor, _), velocity)| (factor * velocity).abs()).sum();
        self.free[e].abs() > MISSED + self.slack[e] + DEPENDENT.sqrt() * size
    }

    /// Whether the bilateral rows of the island posed last contradict each other: a row that depends on others asks for another
    /// velocity than they do.
    pub(crate) fn contradicts(&self) -> bool {
        self.bilateral > 0 && self.contradicts
    }

    /// Makes exactly zero what elimination has left of unilateral rows that depend on the bilateral ones (a contact at
    /// the very point of a pin): no impulse changes their velocity, and round-off would make them infeasible, as would what their slack
    /// allows them to miss.
    pub(super) fn drop_round_off(&mut self) {
        let (bilateral, total) = (self.bilateral, self.total);
        for i in bilateral..total {
            let (mut diagonal, mut velocity) = (0.0, 0.0);
            for e in (0..bilateral).filter(|&e| !self.skipped[e]) {
                let factor = self.matrix[i * total + e];
                diagonal += factor * self.matrix[e * total + i];
                velocity += (factor * self.free[e]).abs();
            }
            if self.matrix[i * total + i] > DEPENDENT * diagonal {
                continue;
            }
            for j in bilateral..total {
                self.matrix[i * total + j] = 0.0;
                self.matrix[j * total + i] = 0.0;
            }
            // The diagonal is quadratic in the row, its velocity linear.
            if self.free[i].abs() <= DEPENDENT.sqrt() * velocity + self.slack[i] {
                self.free[i] = 0.0;
            }
        }
    }

    /// Impulses of the bilateral rows, which bring their velocities to the targets.
    pub(super) fn back_substitute(&mut self, rows: &mut Rows, blocks: &[usize]) {
        let (bilateral, total) = (self.bilateral, self.total);
        if bilateral == 0 {
            return;
        }
        // `free` becomes the vector of impulses: the unilateral part is known.
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            if block.kind != RowKind::Bilateral {
                let row = self.local_row[local];
                self.free[row..row + block.count]
                    .copy_from_slice(&rows.impulse[block.row..block.row + block.count]);
            }
        }
        for e in (0..bilateral).rev() {
            if self.skipped[e] {
                self.free[e] = 0.0;
                continue;
            }
            let row = &self.matrix[e * total..(e + 1) * total];
            let right = row[e + 1..].iter().zip(&self.free[e + 1..]).filter(|(entry, _)| **entry != 0.0);
            let known: f64 = right.map(|(entry, impulse)| entry * impulse).sum();
            self.free[e] = -(self.free[e] + known) / row[e];
        }
        for (local, &i) in blocks.iter().enumerate() {
            let block = &rows.blocks[i];
            if block.kind == RowKind::Bilateral {
                let row = self.local_row[local];
                rows.impulse[block.row..block.row + block.count]
                    .copy_from_slice(&self.free[row..row + block.count]);
            }
        }
    }
}
