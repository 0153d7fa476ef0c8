//! What margins are computed from: the problems of the last step and their answers.
//!
//! A step that kicks at its beginning and at its end has two of them, each at its pose. What is asked of the step is asked of both: that the
//! bodies could have moved as they did in each. Impulses of one kick do nothing in the other, so the operator of both has a block for each;
//! and velocities that are none beside those of the larger kick are none in the smaller one, which may carry nothing but rounding.

use crate::constraint::rows::{RowBlock, Rows};
use crate::contact::{Contact, Formulation};
use crate::model::{GeomId, Model, TreeId};

/// The last step of a simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastStep<'a> {
    pub(crate) model: &'a Model,
    pub(crate) formulation: &'a Formulation,
    /// What it did at once, in order.
    pub(crate) kicks: [Option<SolvedKick<'a>>; 2],
}

/// A problem with its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolvedKick<'a> {
    /// Rows with their impulses, and the velocities that these leave.
    pub(crate) rows: &'a Rows,
    pub(crate) rates: &'a [f64],
    /// The contacts to which blocks of rows refer.
    pub(crate) contacts: &'a [Contact],
    /// Trees on which forces act for the first of two times (s), and on all others for the second.
    pub(crate) stiff: &'a [bool],
    pub(crate) durations: [f64; 2],
}

/// A block of rows of a kick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KickBlock<'a> {
    /// Which kick.
    number: usize,
    pub(crate) kick: SolvedKick<'a>,
    pub(crate) block: RowBlock,
}

impl KickBlock<'_> {
    /// Impulses of its rows.
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.kick.rows.impulse[self.block.row..self.block.row + self.block.count]
    }

    /// Velocities of its rows.
    pub(crate) fn rates(&self) -> &[f64] {
        &self.kick.rates[self.block.row..self.block.row + self.block.count]
    }

    /// The geoms, of a contact.
    pub(crate) fn geoms(&self) -> Option<[GeomId; 2]> {
        self.block.contact.map(|index| self.kick.contacts[index].geoms)
    }

    /// How long the forces act of which the impulses are sums (s).
    pub(crate) fn duration(&self) -> f64 {
        let stiff = self.trees().any(|tree| self.kick.stiff.get(tree.index()).is_some_and(|stiff| *stiff));
        self.kick.durations[usize::from(!stiff)]
    }

    /// The trees on which it acts.
    pub(crate) fn trees(&self) -> impl Iterator<Item = TreeId> + '_ {
        self.kick.rows.pieces(&self.block).iter().map(|piece| piece.tree)
    }
}

impl<'a> LastStep<'a> {
    /// All blocks of all kicks, in their order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = KickBlock<'a>> + use<'a> {
        let kicks = self.kicks.into_iter().flatten().enumerate();
        kicks.flat_map(|(number, kick)| {
            kick.rows.blocks.iter().map(move |&block| KickBlock { number, kick, block })
        })
    }

    /// Delassus operator (dense, row-major) and impulses of the rows of some blocks.
    pub(crate) fn dense_rows(&self, blocks: &[KickBlock<'_>]) -> (Vec<f64>, Vec<f64>) {
        let impulse: Vec<f64> = blocks.iter().flat_map(KickBlock::impulse).copied().collect();
        let n = impulse.len();
        let mut matrix = vec![0.0; n * n];
        let mut first = 0;
        for a in blocks {
            let mut second = 0;
            for b in blocks {
                if a.number == b.number {
                    self.add_pair(a, b, &mut |r, c, value| matrix[(first + r) * n + second + c] += value);
                }
                second += b.block.count;
            }
            first += a.block.count;
        }
        (matrix, impulse)
    }

    /// The part of the operator of two blocks of one kick.
    fn add_pair(&self, a: &KickBlock<'_>, b: &KickBlock<'_>, add: &mut impl FnMut(usize, usize, f64)) {
        let rows = a.kick.rows;
        let (a, b) = (&a.block, &b.block);
        for (p, q) in rows.pieces(a).iter().flat_map(|p| rows.pieces(b).iter().map(move |q| (p, q))) {
            if p.tree == q.tree {
                rows.delassus(self.model, (a, p), (b, q), &mut *add);
            }
        }
    }
}
