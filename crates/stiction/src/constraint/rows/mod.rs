//! Stage 4 of a step: constraint rows, stored sparse by tree.
//!
//! A block of rows (a contact, a limit, a joint's friction, an equality) touches one tree or a few. For each it keeps
//! a dense piece of the Jacobian `J` (rows x dofs of the tree) and the half-solved `Y = D^(-1/2) L^(-T) J^T`, so that a
//! Delassus block is the sum of `Y_a^T Y_b` over the trees that two blocks share and `M^-1 J^T lambda` costs one
//! half solve per tree.
//!
//! In long trees (see [`dynamics::factorize_by_size`]) half solves are sweeps, and the block of two pieces comes from what
//! they transmit to the link at which they meet ([`OperationalSpace`]); for this a piece knows on which links it acts.
//!
//! | file | what it is |
//! |---|---|
//! | `key` | what identifies a block from step to step |
//! | `jacobian` | rows are pushed: Jacobians by tree |
//! | `properties` | what is said of a block besides: bounces, angles, softness |
//! | `half_solve` | `Y`, and the axes of points |

mod half_solve;
mod jacobian;
mod key;
mod properties;

use half_solve::turn_column;
pub(crate) use key::BlockKey;

use crate::contact::BlockKind;
use crate::dynamics;
use crate::dynamics::{Data, Node, OperationalSpace};
use crate::model::{LinkId, Model, TreeId};
use crate::spatial::Force;
use nalgebra::Matrix3;

/// What a block constrains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowKind {
    /// `J v + target = 0`; the rows' targets are in [`Rows::prescribed`].
    Bilateral,
    /// A unilateral or friction block.
    Unilateral(BlockKind),
}

/// The part of a block in one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) tree: TreeId,
    /// Start in the arenas; `rows * dofs` numbers, row-major.
    pub(crate) start: usize,
    /// Number of leading dofs beyond which every row is zero, in J and, since half solves keep the paths to the
    /// root, in Y too.
    used: usize,
    /// Of pieces in long trees.
    action: Action,
    node: Option<Node>,
}

/// Where a piece acts on a long tree.
#[derive(Clone, Copy, Debug, Default)]
enum Action {
    /// Nothing is known but its Jacobian.
    #[default]
    Anywhere,
    /// On the dofs of one link.
    Joint(LinkId),
    /// By wrenches on a link or two, that start here in [`Rows::loads`], one per row and link.
    Links { links: [LinkId; 2], count: usize, loads: usize },
}

/// A block of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowBlock {
    pub(crate) key: BlockKey,
    pub(crate) kind: RowKind,
    /// First row.
    pub(crate) row: usize,
    /// Number of rows.
    pub(crate) count: usize,
    /// Its pieces: the first, and how many.
    first_piece: usize,
    piece_count: usize,
    /// Index of the contact it came from.
    pub(crate) contact: Option<usize>,
    /// Of contacts: the coefficient of restitution; after the solve, zero where the contact does not bounce in this step.
    pub(crate) restitution: f64,
    /// Whether the first three rows are those of a point along axes that may be chosen.
    at_point: bool,
    /// Bit `r`: whether row `r` is the rate of an angle; else a speed.
    angular: u8,
    /// Of bilateral rows: what is added to their diagonal of the Delassus operator, as a part of it.
    pub(crate) softness: f64,
    /// Of bilateral rows and of bounded drives: what is added to it, as a number (1/kg).
    pub(crate) compliance: f64,
    /// Of bounded drives: the middle of the bounds of the impulse.
    pub(crate) center: f64,
}

impl RowBlock {
    /// Whether a row of the block is the rate of an angle; else a speed.
    pub(crate) fn is_angular(&self, row: usize) -> bool {
        self.angular >> row & 1 == 1
    }
}

/// All constraint rows of a step. Keeps its capacity.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) blocks: Vec<RowBlock>,
    /// Prescribed part of the row velocities (belts, mocap bodies, bilateral targets), per row.
    pub(crate) prescribed: Vec<f64>,
    /// Impulses, per row.
    pub(crate) impulse: Vec<f64>,
    pieces: Vec<Piece>,
    jacobian: Vec<f64>,
    half: Vec<f64>,
    loads: Vec<Force>,
    space: OperationalSpace,
    /// First rows of points whose axes were chosen, and those axes.
    turned: Vec<(usize, Matrix3<f64>)>,
}

impl Rows {
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.prescribed.clear();
        self.impulse.clear();
        self.pieces.clear();
        self.jacobian.clear();
        self.half.clear();
        self.loads.clear();
        self.turned.clear();
    }

    /// Reserves memory for as many rows as others are.
    pub(crate) fn reserve(&mut self, other: &Self) {
        reserve(&mut self.blocks, &other.blocks);
        reserve(&mut self.prescribed, &other.prescribed);
        reserve(&mut self.impulse, &other.impulse);
        reserve(&mut self.pieces, &other.pieces);
        reserve(&mut self.jacobian, &other.jacobian);
        reserve(&mut self.half, &other.half);
        reserve(&mut self.loads, &other.loads);
        reserve(&mut self.turned, &other.turned);
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.prescribed.len()
    }

    /// The parts of a block in the trees it touches.
    pub(crate) fn pieces(&self, block: &RowBlock) -> &[Piece] {
        &self.pieces[block.first_piece..][..block.piece_count]
    }

    /// What makes each row of a block give way (1/kg), `J v + target + compliance lambda = 0`, zero-filled to six: its
    /// compliance, and its softness as a part of the diagonal.
    pub(crate) fn compliances(&self, model: &Model, block: &RowBlock) -> [f64; 6] {
        let mut compliances = [block.compliance; 6];
        for piece in self.pieces(block).iter().filter(|_| block.softness > 0.0) {
            self.delassus(model, (block, piece), (block, piece), |r, c, value| {
                if r == c && r < 6 {
                    compliances[r] += block.softness * value;
                }
            });
        }
        compliances
    }

    /// Sorts the blocks by key. Rows keep their places.
    pub(crate) fn sort(&mut self) {
        self.blocks.sort_unstable_by_key(|b| b.key);
    }

    /// Adds `J v` to a copy of the rows' prescribed velocities: `out = prescribed + J v`, per row.
    pub(crate) fn velocities(&self, model: &Model, v: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.prescribed);
        self.add_rates(model, v, out);
    }

    /// The rows' velocities without what is prescribed: `out = J v`, per row.
    pub(crate) fn rates(&self, model: &Model, v: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.len(), 0.0);
        self.add_rates(model, v, out);
    }

    fn add_rates(&self, model: &Model, v: &[f64], out: &mut [f64]) {
        for block in &self.blocks {
            for piece in self.pieces(block) {
                let v = &v[model.trees[piece.tree].dofs.clone()];
                for r in 0..block.count {
                    let start = piece.start + r * v.len();
                    out[block.row + r] += dot(&self.jacobian[start..start + v.len()], v);
                }
            }
        }
    }

    /// Takes three numbers of a point, along the axes of the world, to the axes of its rows, if those were chosen.
    pub(crate) fn turn_to_axes(&self, row: usize, values: &mut [f64]) {
        if let Some((_, axes)) = self.turned.iter().find(|(first, _)| *first == row) {
            turn_column(axes, values, 1);
        }
    }

    /// Adds the generalized forces of impulses along the rows of a block, `factor J^T lambda`, to `out` (nv).
    pub(crate) fn add_transposed(
        &self,
        model: &Model,
        block: &RowBlock,
        impulses: &[f64],
        factor: f64,
        out: &mut [f64],
    ) {
        for piece in self.pieces(block) {
            let out = &mut out[model.trees[piece.tree].dofs.clone()];
            for (r, impulse) in impulses.iter().enumerate() {
                let row = &self.jacobian[piece.start + r * out.len()..][..out.len()];
                out.iter_mut().zip(row).for_each(|(out, j)| *out += factor * impulse * j);
            }
        }
    }

    /// The half-solved rows of a block in one tree of `width` dofs, row-major.
    pub(crate) fn half_rows(&self, block: &RowBlock, piece: &Piece, width: usize) -> &[f64] {
        &self.half[piece.start..piece.start + block.count * width]
    }

    /// The Delassus block of two pieces in the same tree: calls `entry(row of a, row of b, value)`.
    pub(crate) fn delassus(
        &self,
        model: &Model,
        (block_a, a): (&RowBlock, &Piece),
        (block_b, b): (&RowBlock, &Piece),
        mut entry: impl FnMut(usize, usize, f64),
    ) {
        let width = model.trees[a.tree].dofs.len();
        let (y_a, y_b) = (self.half_rows(block_a, a, width), self.half_rows(block_b, b, width));
        if let (Some(a), Some(b)) = (&a.node, &b.node) {
            return self.space.block(model, width, (a, y_a), (b, y_b), entry);
        }
        let used = a.used.min(b.used);
        for (r, y_a) in y_a.chunks_exact(width).enumerate() {
            for (c, y_b) in y_b.chunks_exact(width).enumerate() {
                entry(r, c, dot(&y_a[..used], &y_b[..used]));
            }
        }
    }

    /// Stage 6: `v += M^-1 J^T lambda` over the dofs of all trees that have rows. `work` (nv) is scratch.
    pub(crate) fn apply_impulses(&self, model: &Model, data: &mut Data, work: &mut [f64], v: &mut [f64]) {
        for block in &self.blocks {
            for piece in self.pieces(block) {
                work[model.trees[piece.tree].dofs.clone()].fill(0.0);
            }
        }
        for block in &self.blocks {
            for piece in self.pieces(block) {
                let dofs = model.trees[piece.tree].dofs.clone();
                for r in 0..block.count {
                    let lambda = self.impulse[block.row + r];
                    let y = &self.half[piece.start + r * dofs.len()..];
                    for (w, y) in work[dofs.clone()].iter_mut().zip(y) {
                        *w += lambda * y;
                    }
                }
            }
        }
        for block in &self.blocks {
            for piece in self.pieces(block) {
                let dofs = model.trees[piece.tree].dofs.clone();
                let work = &mut work[dofs.clone()];
                // Each tree once: its scratch is zero afterwards, and adding zero changes nothing.
                if work.iter().all(|w| *w == 0.0) {
                    continue;
                }
                dynamics::half_solve_transposed(model, data, piece.tree, work);
                for (v, w) in v[dofs].iter_mut().zip(work.iter_mut()) {
                    *v += *w;
                    *w = 0.0;
                }
            }
        }
    }
}

/// Dot product in four interleaved sums, which the compiler vectorises; the order of summation is fixed.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (chunks_a, chunks_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in chunks_a.zip(chunks_b) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// Reserves as much memory in a list as another has.
pub(crate) fn reserve<T>(list: &mut Vec<T>, other: &Vec<T>) {
    list.reserve(other.capacity().saturating_sub(list.len()));
}
