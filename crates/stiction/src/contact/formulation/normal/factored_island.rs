//! An island by its rows in the space of velocities, `G = Y Y^T`: what impulses do is a push `p = Y^T lambda`, and the velocity
//! of row `i` is `u_i = y_i . p + free_i`. Each of both costs as much as a row has entries.

use crate::contact::island::{BlockKind, IslandProblem};
use stiction_solvers::BlockRows;

/// The island and its rows.
#[derive(Clone, Copy)]
pub(crate) struct FactoredIsland<'a> {
    pub(crate) island: &'a IslandProblem<'a>,
    rows: &'a BlockRows,
}

/// What impulses do, and the size of the terms that make it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Push {
    pub(crate) sum: Vec<f64>,
    pub(crate) size: Vec<f64>,
}

impl<'a> FactoredIsland<'a> {
    /// Of an island with these rows.
    pub(crate) fn new(island: &'a IslandProblem<'a>, rows: &'a BlockRows) -> Self {
        Self { island, rows }
    }

    /// Number of velocities.
    pub(crate) fn columns(&self) -> usize {
        self.rows.columns
    }

    /// The pieces of a row: first column and entries.
    fn pieces(&self, row: usize) -> impl Iterator<Item = (usize, &'a [f64])> {
        let rows = self.rows;
        let block = rows.starts.partition_point(|start| *start <= row) - 1;
        let k = row - rows.starts[block];
        rows.pieces(block)
            .map(move |(piece, values)| (piece.column, &values[k * piece.width..][..piece.width]))
    }

    /// `p += scale y_row`.
    pub(crate) fn add(&self, row: usize, scale: f64, p: &mut [f64]) {
        for (column, values) in self.pieces(row) {
            p[column..].iter_mut().zip(values).for_each(|(p, y)| *p += scale * y);
        }
    }

    /// `y_row . p`.
    pub(crate) fn dot(&self, row: usize, p: &[f64]) -> f64 {
        self.pieces(row).map(|(column, values)| dot(values, &p[column..column + values.len()])).sum()
    }

    /// `y_row . y_row`.
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.pieces(row).map(|(_, values)| dot(values, values)).sum()
    }

    /// What makes the length of a row one.
    pub(crate) fn unit(&self, row: usize) -> f64 {
        let square = self.square(row);
        if square > 0.0 { 1.0 / square.sqrt() } else { 1.0 }
    }

    /// What impulses by row of the island do.
    pub(crate) fn push(&self, impulse: &[f64], push: &mut Push) {
        for list in [&mut push.sum, &mut push.size] {
            list.clear();
            list.resize(self.columns(), 0.0);
        }
        for (row, impulse) in impulse.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
            for (column, values) in self.pieces(row) {
                let entries = push.sum[column..].iter_mut().zip(&mut push.size[column..]).zip(values);
                entries.for_each(|((sum, size), y)| {
                    *sum += impulse * y;
                    *size += (impulse * y).abs();
                });
            }
        }
    }

    /// Velocity of a row under a push, and the size of its terms.
    pub(crate) fn velocity(&self, row: usize, push: &Push) -> (f64, f64) {
        let free = self.island.free[row];
        self.pieces(row).fold((free, free.abs()), |(speed, size), (column, values)| {
            let sizes = values.iter().zip(&push.size[column..]).map(|(y, p)| y.abs() * p).sum::<f64>();
            (speed + dot(values, &push.sum[column..column + values.len()]), size + sizes)
        })
    }
}

/// a_n of the first row of a block (m/s).
pub(crate) fn bias(kind: BlockKind) -> f64 {
    match kind {
        BlockKind::Contact { bias, .. } | BlockKind::Limit { bias } => bias,
        BlockKind::Friction { .. } => 0.0,
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
