//! Partition of the blocks of rows into islands: sets of blocks that share moving trees.

use crate::constraint::rows::Rows;
use crate::model::Model;

/// Joins two sets of a union-find forest; the lesser index becomes the root.
pub(crate) fn unite(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// Root of the set of `i` in a union-find forest; halves the path.
pub(crate) fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// Islands, in the order of their first block's key. Keeps its capacity.
#[derive(Debug, Default)]
pub(crate) struct Partition {
    /// Union-find forest of the trees.
    parent: Vec<usize>,
    /// Ranges in `order`.
    islands: Vec<std::ops::Range<usize>>,
    /// The blocks, island after island.
    order: Vec<usize>,
    /// Island of each root tree.
    label: Vec<usize>,
}

impl Partition {
    /// Number of islands.
    pub(crate) fn count(&self) -> usize {
        self.islands.len()
    }

    /// The blocks of an island, by their places in the rows.
    pub(crate) fn blocks(&self, island: usize) -> &[usize] {
        &self.order[self.islands[island].clone()]
    }

    /// Groups the (sorted) blocks of `rows`.
    pub(crate) fn group(&mut self, model: &Model, rows: &Rows) {
        self.parent.clear();
        self.parent.extend(0..model.trees.len());
        for block in &rows.blocks {
            for pair in rows.pieces(block).windows(2) {
                unite(&mut self.parent, pair[0].tree.index(), pair[1].tree.index());
            }
        }
        self.label.clear();
        self.label.resize(model.trees.len(), usize::MAX);
        self.islands.clear();
        // Blocks without moving trees constrain nothing and are in no island.
        for block in &rows.blocks {
            let Some(piece) = rows.pieces(block).first() else { continue };
            let tree = root(&mut self.parent, piece.tree.index());
            if self.label[tree] == usize::MAX {
                self.label[tree] = self.islands.len();
                self.islands.push(0..0);
            }
            self.islands[self.label[tree]].end += 1;
        }
        let mut start = 0;
        for island in &mut self.islands {
            let count = island.end;
            *island = start..start;
            start += count;
        }
        self.order.clear();
        self.order.resize(start, 0);
        for (i, block) in rows.blocks.iter().enumerate() {
            let Some(piece) = rows.pieces(block).first() else { continue };
            let island = &mut self.islands[self.label[root(&mut self.parent, piece.tree.index())]];
            self.order[island.end] = i;
            island.end += 1;
        }
    }
}
