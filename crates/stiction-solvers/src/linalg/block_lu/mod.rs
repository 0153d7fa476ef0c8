//! LU factorization of `I + A` where `A` is a sum of small dense matrices on blocks of columns.
//!
//! # Problem
//! `(I + A) h = r`, with `A` not symmetric. Its pattern is known ahead and symmetric; in one factorization only some of
//! the summands may be there (of all contacts those that are closed).
//!
//! # Method
//! The multifrontal method. The columns of a *front* (a group of blocks, see [`minimum_degree`](crate::linalg::minimum_degree))
//! are eliminated in a dense matrix that has, besides them, the rows and columns they see later:
//! 1. A block is *live* in a front if a summand, or an earlier front, reaches it. Fronts have room for their live blocks
//!    only: the order is fixed, the fill is that of the summands that are there.
//! 2. Fronts begin as the identity on their own columns; the caller adds the summands, each to the front of the block
//!    that is eliminated first.
//! 3. Eliminate the front's own columns. Rows are exchanged inside the front's own rows only.
//! 4. Add what is left to the front in which the first of the remaining blocks is eliminated.
//!
//! # Convergence and failure
//! A pivot that is NaN or below [`SINGULAR`] of the largest entry of its front's own block is taken for zero, and the
//! matrix for singular. That also refuses regular matrices whose own blocks are singular; contacts that stick or are
//! frictionless give positive definite ones.
//!
//! # Cost
//! `2/3 w^3 + 2 w^2 k + 2 w k^2` operations for a front of `w` own columns and `k` others. One front is a dense LU.
//!
//! # References
//! J. W. H. Liu, *The multifrontal method for sparse matrix solution: theory and practice*, SIAM Review 34 (1992)
//! 82-109.

mod eliminate;

use eliminate::eliminate;

use crate::linalg::lu::Singular;
use crate::linalg::minimum_degree::Elimination;
use crate::linalg::short_rows::{add, dot};

/// The factorization and its workspace.
///
/// Vectors are permuted: the columns of the block at place `k` of the order are `columns[k]..columns[k + 1]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    elimination: Elimination,
    /// First column of the block at each place, and the number of columns at the end.
    columns: Vec<usize>,
    fronts: Vec<Front>,
    /// Blocks of all fronts.
    slots: Vec<Slot>,
    /// Entries of all fronts.
    values: Vec<f64>,
    /// For each column, the row of its front exchanged with it.
    exchanged: Vec<usize>,
    /// Rows of a solution that a front sees.
    gathered: Vec<f64>,
}

/// A dense matrix in which a group of blocks is eliminated.
#[derive(Clone, Copy, Debug, Default)]
struct Front {
    /// Its blocks in the list of slots; the first `own` are eliminated here.
    slots: (usize, usize),
    own: usize,
    /// First column of its own, and their number.
    column: usize,
    width: usize,
    /// The front that what is left is added to; itself if nothing is.
    parent: usize,
    /// Where its entries begin, and its number of live rows.
    begin: usize,
    size: usize,
}

/// A block of a front.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Its columns in permuted vectors.
    column: usize,
    width: usize,
    /// The same block in the front that what is left is added to; unused for the front's own.
    parent: usize,
    live: bool,
    /// First row in the front.
    row: usize,
}

/// A place in a front to add to.
pub(crate) struct Target<'a> {
    /// Entries, row-major.
    pub(crate) entries: &'a mut [f64],
    /// Entries per row.
    pub(crate) stride: usize,
}

impl BlockLu {
    /// Orders blocks of the given widths, coupled by `cliques`, see [`Elimination::order`].
    pub(crate) fn analyse<C: Iterator<Item = usize>>(
        &mut self,
        widths: impl Iterator<Item = usize>,
        cliques: impl Iterator<Item = C>,
    ) {
        self.elimination.order(widths, cliques);
        self.columns.clear();
        let mut column = 0;
        for &block in &self.elimination.order {
            self.columns.push(column);
            column += self.elimination.widths()[block];
        }
        self.columns.push(column);
        self.slots.clear();
        self.fronts.clear();
        let (mut entries, mut largest) = (0, 0);
        for (k, own) in self.elimination.fronts.windows(2).enumerate() {
            let first = self.slots.len();
            for place in (own[0]..own[1]).chain(self.elimination.rows(k).iter().copied()) {
                let (column, end) = (self.columns[place], self.columns[place + 1]);
                self.slots.push(Slot { column, width: end - column, ..Slot::default() });
            }
            let size: usize = self.slots[first..].iter().map(|slot| slot.width).sum();
            let column = self.columns[own[0]];
            self.fronts.push(Front {
                slots: (first, self.slots.len()),
                own: own[1] - own[0],
                column,
                width: self.columns[own[1]] - column,
                parent: k,
                begin: entries,
                size,
            });
            entries += size * size;
            largest = size.max(largest);
        }
        for front in 0..self.fronts.len() {
            let rows = self.elimination.rows(front);
            let Some(&first) = rows.first() else { continue };
            let parent = self.front_of(first);
            let here = self.fronts[front].slots.0 + self.fronts[front].own;
            for (k, &row) in rows.iter().enumerate() {
                self.slots[here + k].parent = self.slot(parent, row);
            }
            self.fronts[front].parent = parent;
        }
        let columns = self.columns.last().copied().unwrap_or(0);
        self.values.resize(entries, 0.0);
        self.exchanged.clear();
        self.exchanged.resize(columns, 0);
        self.gathered.resize(largest, 0.0);
    }

    /// The place of each block in the order of elimination.
    pub(crate) fn places(&self) -> &[usize] {
        &self.elimination.place
    }

    /// First column of the block at each place of the order, and the number of columns at the end.
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The front that eliminates the block at this place.
    pub(crate) fn front_of(&self, place: usize) -> usize {
        self.elimination.fronts.partition_point(|&first| first <= place) - 1
    }

    /// The slot in a front of the block at this place; the front must have it.
    pub(crate) fn slot(&self, front: usize, place: usize) -> usize {
        let Front { slots, own, .. } = self.fronts[front];
        let first = self.elimination.fronts[front];
        if place < first + own {
            slots.0 + place - first
        } else {
            slots.0 + own + self.elimination.rows(front).partition_point(|&row| row < place)
        }
    }

    /// Step 1 begins: no block is live but those that are eliminated in their front.
    pub(crate) fn begin(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.live = false);
        for front in &self.fronts {
            self.slots[front.slots.0..front.slots.0 + front.own].iter_mut().for_each(|slot| slot.live = true);
        }
    }

    /// Announces a summand with this block.
    pub(crate) fn announce(&mut self, slot: usize) {
        self.slots[slot].live = true;
    }

    /// Step 1 ends, and step 2 begins: lays out the fronts, as identities.
    pub(crate) fn lay_out(&mut self) {
        let mut begin = 0;
        for front in &mut self.fronts {
            let mut size = 0;
            for k in front.slots.0..front.slots.1 {
                if !self.slots[k].live {
                    continue;
                }
                self.slots[k].row = size;
                size += self.slots[k].width;
                if k >= front.slots.0 + front.own {
                    let parent = self.slots[k].parent;
                    self.slots[parent].live = true;
                }
            }
            front.begin = begin;
            front.size = size;
            begin += size * size;
            let entries = &mut self.values[front.begin..begin];
            entries.fill(0.0);
            (0..front.width).for_each(|k| entries[k * size + k] = 1.0);
        }
    }

    /// The entries of a front from the first row of a slot on.
    pub(crate) fn target(&mut self, front: usize, slot: usize) -> Target<'_> {
        let Front { begin, size, .. } = self.fronts[front];
        let row = self.slots[slot].row;
        Target { entries: &mut self.values[begin + row * size..begin + size * size], stride: size }
    }

    /// First column of a slot in its front.
    pub(crate) fn offset(&self, slot: usize) -> usize {
        self.slots[slot].row
    }

    /// Steps 3 and 4 for every front.
    ///
    /// # Errors
    /// [`Singular`] when a pivot vanishes to rounding or is NaN.
    pub(crate) fn factor(&mut self) -> Result<(), Singular> {
        for at in 0..self.fronts.len() {
            let Front { begin, size, width, column, .. } = self.fronts[at];
            let entries = &mut self.values[begin..begin + size * size];
            eliminate(entries, size, &mut self.exchanged[column..column + width])?;
            self.pass_on(at);
        }
        Ok(())
    }

    /// Step 4.
    fn pass_on(&mut self, at: usize) {
        let Front { begin, size, slots, own, width, parent, .. } = self.fronts[at];
        if size == width {
            return;
        }
        let Front { begin: to, size: stride, .. } = self.fronts[parent];
        let (here, later) = self.values.split_at_mut(to);
        let front = &here[begin..begin + size * size];
        let rows = &self.slots[slots.0 + own..slots.1];
        for a in rows.iter().filter(|slot| slot.live) {
            let row = self.slots[a.parent].row;
            for b in rows.iter().filter(|slot| slot.live) {
                let column = self.slots[b.parent].row;
                for k in 0..a.width {
                    let from = (a.row + k) * size + b.row;
                    let into = (row + k) * stride + column;
                    add(&mut later[into..into + b.width], &front[from..from + b.width]);
                }
            }
        }
    }

    /// Replaces `h` (permuted) by the solution of `(I + A) h = r`.
    pub(crate) fn solve(&mut self, h: &mut [f64]) {
        for front in &self.fronts {
            let Front { begin, size, width, column, .. } = *front;
            let own = column..column + width;
            let entries = &self.values[begin..begin + size * size];
            for k in 0..width {
                h.swap(column + k, column + self.exchanged[column + k]);
            }
            let (upper, lower) = entries.split_at(width * size);
            for (k, row) in upper.chunks_exact(size.max(1)).enumerate() {
                h[column + k] -= dot(&row[..k], &h[column..column + k]);
            }
            let mut rows = lower.chunks_exact(size.max(1));
            for slot in &self.slots[front.slots.0 + front.own..front.slots.1] {
                if slot.live {
                    for (k, row) in (slot.column..slot.column + slot.width).zip(&mut rows) {
                        h[k] -= dot(&row[..width], &h[own.clone()]);
                    }
                }
            }
        }
        for front in self.fronts.iter().rev() {
            let Front { begin, size, width, column, .. } = *front;
            let seen = &mut self.gathered[..size - width];
            for slot in &self.slots[front.slots.0 + front.own..front.slots.1] {
                if slot.live {
                    let at = slot.row - width;
                    seen[at..at + slot.width].copy_from_slice(&h[slot.column..slot.column + slot.width]);
                }
            }
            let upper = &self.values[begin..begin + width * size];
            for (k, row) in upper.chunks_exact(size.max(1)).enumerate().rev() {
                let known =
                    dot(&row[width..], seen) + dot(&row[k + 1..width], &h[column + k + 1..column + width]);
                h[column + k] = (h[column + k] - known) / row[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl BlockLu {
        /// Entries of all fronts as they are laid out.
        pub(crate) fn live_entries(&self) -> usize {
            self.fronts.iter().map(|front| front.size * front.size).sum()
        }

        /// Memory held by the vectors.
        pub(crate) fn capacity(&self) -> usize {
            let lists = self.fronts.capacity() + self.slots.capacity() + self.exchanged.capacity();
            lists + self.values.capacity() + self.gathered.capacity() + self.columns.capacity()
        }
    }
}
