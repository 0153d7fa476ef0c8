//! The structure of a velocity system: blocks of columns, their order of elimination, and where the rows of `Y` see them.
//!
//! The column ranges of all pieces cut the columns into intervals, the blocks of `BlockLu`. A piece covers some of these: a
//! *segment* is what it has in one of them.

use super::VelocitySystem;
use crate::linalg::capacity::reserve_to;
use crate::problem::{BlockRows, Piece};

/// A block of rows of `Y`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// Its segments.
    pub(super) segments: (usize, usize),
    /// Number of columns of these.
    pub(super) width: usize,
    /// The front that its cells are added to.
    pub(super) front: usize,
}

/// The part of a piece of `Y` in one block of columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Where its first row begins in the values of `Y`, and the distance of the next.
    pub(super) offset: usize,
    pub(super) stride: usize,
    /// First column in the order of elimination, and the number of columns.
    pub(super) column: usize,
    pub(super) width: usize,
    /// The block of columns in the front of the rows.
    pub(super) slot: usize,
}

impl VelocitySystem {
    /// Orders the columns of `Y`; does nothing when the structure is that of the last call.
    pub fn analyse(&mut self, rows: &BlockRows) {
        let known = &mut self.structure;
        if known.columns == rows.columns
            && known.starts == rows.starts
            && known.piece_ptr == rows.piece_ptr
            && known.pieces == rows.pieces
        {
            return;
        }
        known.columns = rows.columns;
        known.starts.clone_from(&rows.starts);
        known.piece_ptr.clone_from(&rows.piece_ptr);
        known.pieces.clone_from(&rows.pieces);
        write_intervals(&rows.pieces, &mut self.ends, &mut self.intervals);
        let intervals = &self.intervals;
        let width = |interval: usize| intervals[interval][1] - intervals[interval][0];
        let within = |piece: &Piece| {
            let end = piece.column + piece.width;
            intervals.partition_point(|i| i[0] < piece.column)..intervals.partition_point(|i| i[0] < end)
        };
        let pieces_of = |i: usize| &rows.pieces[rows.piece_ptr[i]..rows.piece_ptr[i + 1]];
        let blocks = rows.starts.len().saturating_sub(1);
        self.lu.analyse(
            (0..intervals.len()).map(width),
            (0..blocks).map(|i| pieces_of(i).iter().flat_map(within)),
        );

        let place = self.lu.places();
        self.blocks.clear();
        self.segments.clear();
        for i in 0..blocks {
            let first = self.segments.len();
            let earliest = pieces_of(i).iter().flat_map(within).map(|interval| place[interval]).min();
            let front = earliest.map_or(0, |place| self.lu.front_of(place));
            for piece in pieces_of(i) {
                for interval in within(piece) {
                    self.segments.push(Segment {
                        offset: piece.offset + intervals[interval][0] - piece.column,
                        stride: piece.width,
                        column: self.lu.columns()[place[interval]],
                        width: width(interval),
                        slot: self.lu.slot(front, place[interval]),
                    });
                }
            }
            let width = self.segments[first..].iter().map(|segment| segment.width).sum();
            self.blocks.push(Rows { segments: (first, self.segments.len()), width, front });
        }
        self.reserve(rows);
    }

    /// Takes all memory that systems of the analysed structure need.
    fn reserve(&mut self, rows: &BlockRows) {
        let n = rows.starts.last().copied().unwrap_or(0);
        let dims = rows.starts.windows(2).map(|bounds| bounds[1] - bounds[0]);
        let entries = self.blocks.iter().zip(dims).map(|(rows, dim)| rows.width * dim).sum();
        self.y.clear();
        self.cells.clear();
        reserve_to(&mut self.y, entries);
        reserve_to(&mut self.cells, n);
        let widest = self.blocks.iter().map(|rows| rows.width).max().unwrap_or(0);
        self.coupled.resize(3 * widest, 0.0);
        self.h.resize(self.lu.columns().last().copied().unwrap_or(0), 0.0);
        self.residual.resize(n, 0.0);
        self.correction.resize(n, 0.0);
    }
}

/// Writes the intervals of columns that the ranges of all pieces cut each other into; columns of none are left out.
fn write_intervals(pieces: &[Piece], ends: &mut Vec<(usize, isize)>, intervals: &mut Vec<[usize; 2]>) {
    ends.clear();
    for piece in pieces.iter().filter(|piece| piece.width > 0) {
        ends.push((piece.column, 1));
        ends.push((piece.column + piece.width, -1));
    }
    ends.sort_unstable();
    intervals.clear();
    let mut open = 0;
    for pair in ends.windows(2) {
        open += pair[0].1;
        if open > 0 && pair[0].0 < pair[1].0 {
            intervals.push([pair[0].0, pair[1].0]);
        }
    }
}
