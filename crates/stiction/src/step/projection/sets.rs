//! Sets of trees that a round of the projection moves together: those that share rows, or that come to overlap as they are moved.
//!
//! Each set is judged by its own worst position error, so that a body that is jammed keeps nothing else from coming free.

use crate::constraint::contact::trees_of;
use crate::constraint::islands::{Partition, root, unite};
use crate::constraint::kind::Constraints;
use crate::constraint::position_error::larger;
use crate::constraint::rows::Rows;
use crate::model::{Model, TreeId};
use crate::step::system::System;

/// A set of which two rounds leave more than this part of the error has stalled: its bodies are wedged. (Of two rounds, since the
/// deepest place may first move to where one did not look.)
const STALLED: f64 = 0.9;

/// Softness of the rows, as a part of their diagonal of the Delassus operator, where displacements without it are too long (Levenberg's
/// method): at first, by what factor it grows and shrinks again, and at most.
const SOFT: f64 = 1e-3;
const SOFTER: f64 = 32.0;
const SOFTEST: f64 = 40.0;

/// What is known of a tree, or of a set of them.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// Worst position error now, before the round, and before the one before it (m or rad).
    error: f64,
    before: f64,
    earlier: f64,
    /// Length of the round's displacement, and of all that was taken of earlier ones: parts of the trust region.
    length: f64,
    spent: f64,
    /// What part of the displacement is taken.
    part: f64,
    /// Softness of its rows.
    softness: f64,
    stalled: bool,
}

impl Standing {
    const START: Standing = Standing {
        error: 0.0,
        before: 0.0,
        earlier: f64::INFINITY,
        length: 0.0,
        spent: 0.0,
        part: 0.0,
        softness: 0.0,
        stalled: false,
    };

    /// Takes nothing of the round's displacement, for softer rows in the next; if they are as soft as can be, it is left where it is.
    fn soften(&mut self) {
        self.part = 0.0;
        self.stalled = self.softness >= SOFTEST;
        self.softness = if self.softness == 0.0 { SOFT } else { self.softness * SOFTER };
    }

    /// What is known of a set with one tree more.
    fn with(self, other: &Standing) -> Standing {
        Standing {
            error: larger(self.error, other.error),
            before: larger(self.before, other.before),
            earlier: self.earlier.max(other.earlier),
            length: larger(self.length, other.length),
            spent: self.spent.max(other.spent),
            part: self.part.min(other.part),
            softness: self.softness.max(other.softness),
            stalled: self.stalled || other.stalled,
        }
    }
}

/// The sets of a round. Keeps its capacity.
#[derive(Debug)]
pub(super) struct Sets {
    parent: Vec<usize>,
    trees: Vec<Standing>,
    /// Of each set, at its root.
    sets: Vec<Standing>,
}

impl Sets {
    pub(super) fn new(model: &Model) -> Self {
        let count = model.trees.len();
        Self {
            parent: (0..count).collect(),
            trees: vec![Standing::START; count],
            sets: vec![Standing::START; count],
        }
    }

    /// Begins a projection.
    pub(super) fn begin(&mut self, system: &System<'_>) {
        self.trees.fill(Standing::START);
        self.measure(system);
    }

    /// Finds the error of each tree: the worst of all constraints on it that can be met.
    pub(super) fn measure(&mut self, system: &System<'_>) {
        self.trees.iter_mut().for_each(|tree| tree.error = 0.0);
        let trees = &mut self.trees;
        system.constraints.for_each_error(&system.present(), |touched, error| {
            for tree in touched {
                let worst = &mut trees[tree.index()].error;
                *worst = larger(*worst, error);
            }
        });
    }

    /// Whether a tree has an error above the tolerance that another round may remove.
    pub(super) fn are_going(&self, tolerance: f64) -> bool {
        self.trees.iter().any(|tree| tree.error > tolerance && !tree.stalled)
    }

    /// Makes sets of the trees that share rows, and begins a round: sets with an error above the tolerance move.
    pub(super) fn tie(&mut self, rows: &Rows, tolerance: f64) {
        self.parent.iter_mut().enumerate().for_each(|(tree, parent)| *parent = tree);
        for block in &rows.blocks {
            for pair in rows.pieces(block).windows(2) {
                unite(&mut self.parent, pair[0].tree.index(), pair[1].tree.index());
            }
        }
        for tree in &mut self.trees {
            (tree.before, tree.length, tree.part) = (tree.error, 0.0, 1.0);
        }
        self.gather();
        for tree in 0..self.trees.len() {
            let set = self.sets[self.parent[tree]];
            self.trees[tree].part = if set.error > tolerance && !set.stalled { 1.0 } else { 0.0 };
            self.trees[tree].softness = set.softness;
        }
    }

    /// Makes the rows of contacts as soft as their sets are to have them. Limits stay hard: they are linear and never contradict each
    /// other, and what is within all ranges is the better place to go on from.
    pub(super) fn soften(&self, rows: &mut Rows) {
        for place in 0..rows.blocks.len() {
            let first = rows.pieces(&rows.blocks[place]).first().map(|piece| piece.tree.index());
            let softness = first.map_or(0.0, |tree| self.trees[tree].softness);
            let block = &mut rows.blocks[place];
            if block.contact.is_some() {
                block.softness = softness;
            }
        }
    }

    /// What is known of the sets from what is known of their trees. Afterwards the parent of every tree is its root.
    fn gather(&mut self) {
        for tree in 0..self.trees.len() {
            self.parent[tree] = root(&mut self.parent, tree);
        }
        self.sets.copy_from_slice(&self.trees);
        for (tree, &set) in self.trees.iter().zip(&self.parent) {
            self.sets[set] = self.sets[set].with(tree);
        }
    }

    /// Whether the trees of an island move.
    pub(super) fn moves_island(&self, partition: &Partition, rows: &Rows, island: usize) -> bool {
        let blocks = partition.blocks(island).iter();
        let first = blocks.flat_map(|&block| rows.pieces(&rows.blocks[block])).next();
        first.is_some_and(|piece| self.part(piece.tree) > 0.0)
    }

    /// What part of its displacement a tree takes.
    pub(super) fn part(&self, tree: TreeId) -> f64 {
        self.trees[tree.index()].part
    }

    /// Notes that the displacement of the set of a tree is at least this part of what the trust region allows.
    pub(super) fn lengthen(&mut self, tree: TreeId, length: f64) {
        let longest = &mut self.trees[tree.index()].length;
        *longest = larger(*longest, length);
    }

    /// Keeps displacements to what is left of the trust region: those that are longer are tried again with softer rows, and if these
    /// are as soft as can be, cut.
    pub(super) fn stay_within_trust(&mut self) {
        self.gather();
        for (tree, &set) in self.trees.iter_mut().zip(&self.parent) {
            let Standing { length, spent, softness, .. } = self.sets[set];
            let within = length <= 1.0 - spent;
            if tree.part == 0.0 || within {
                continue;
            }
            if softness < SOFTEST || length.is_nan() {
                tree.soften();
            } else {
                tree.part = (1.0 - spent).max(0.0) / length;
            }
        }
    }

    /// Judges the displacement, after which errors were measured: those of sets that it brought no nearer are to be taken back. Returns
    /// whether there are such.
    pub(super) fn refuse(&mut self, model: &Model, constraints: &Constraints, tolerance: f64) -> bool {
        let contacts = &constraints.contacts.finder.contacts;
        for contact in contacts.iter().filter(|contact| contact.gap < -tolerance) {
            if let [Some(a), Some(b)] = trees_of(model, contact) {
                unite(&mut self.parent, a.index(), b.index());
            }
        }
        self.gather();
        let mut refused = false;
        for (tree, &set) in self.trees.iter_mut().zip(&self.parent) {
            let Standing { error, before, .. } = self.sets[set];
            let better = error <= before.max(tolerance);
            if !better && tree.part > 0.0 {
                tree.soften();
                refused = true;
            }
        }
        refused
    }

    /// Ends a round.
    pub(super) fn settle(&mut self) {
        self.gather();
        for (tree, &set) in self.trees.iter_mut().zip(&self.parent) {
            let Standing { error, earlier, length, .. } = self.sets[set];
            if tree.part > 0.0 {
                let going = error <= STALLED * earlier;
                tree.spent += tree.part * length;
                tree.stalled |= !going || tree.spent >= 1.0;
                tree.earlier = tree.before;
                tree.softness = if tree.softness > SOFT { tree.softness / SOFTER } else { 0.0 };
            }
        }
    }
}
