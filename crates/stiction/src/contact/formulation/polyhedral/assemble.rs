//! The complementarity problem: variables of a block, and the matrix and offset over those of all blocks.

use super::Polyhedral;
use crate::contact::island::{Block, BlockKind, IslandProblem};
use crate::model::Law;

/// One block's variables and scaling in the complementarity problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variables {
    /// First variable. Impulses come first, sigma follows where there is friction.
    pub(super) start: usize,
    /// The block's independent columns in the arena: what an impulse variable multiplies in the block's rows.
    pub(super) columns: usize,
    /// Number of independent columns.
    pub(super) count: usize,
    /// The first column whose negative is a variable too, `count - mirrored` places later.
    pub(super) mirrored: usize,
    /// Unit tangent of the first direction, in (t1, t2).
    pub(super) first: [f64; 2],
    /// Impulse scale: `lambda = scale * z`.
    pub(super) scale: f64,
    /// Row scale: `w = row * u`.
    pub(super) row: f64,
}

impl Variables {
    /// Distance from a mirrored variable to its negative; the number of mirrored columns.
    pub(super) fn half(&self) -> usize {
        self.count - self.mirrored
    }

    /// Number of variables that are impulses.
    pub(super) fn impulses(&self) -> usize {
        self.count + self.half()
    }

    /// Number of variables.
    pub(super) fn total(&self) -> usize {
        self.impulses() + usize::from(self.half() > 0)
    }
}

impl Polyhedral {
    /// Step 3: the matrix and right-hand side in scaled units. Only the independent columns are worked out.
    pub(super) fn assemble(&mut self, island: &IslandProblem) {
        let size = self.variables.last().map_or(0, |v| v.start + v.total());
        self.lcp.resize(size);
        let q = self.lcp.q_mut();
        for (block, variables) in island.blocks.iter().zip(&self.variables) {
            let columns = &self.columns[variables.columns..variables.columns + variables.count];
            assemble_offset(&mut q[variables.start..], island, block, variables, columns);
        }
        let matrix = self.lcp.matrix_mut();
        for (i, (a, va)) in island.blocks.iter().zip(&self.variables).enumerate() {
            for (b, vb) in island.blocks.iter().zip(&self.variables).skip(i) {
                if let Some(delassus) = delassus_block(island, a, b, va.row * vb.scale) {
                    let left = &self.columns[va.columns..va.columns + va.count];
                    let right = &self.columns[vb.columns..vb.columns + vb.count];
                    couple_blocks(matrix, size, &delassus, (va, left), (vb, right));
                    transpose_block(matrix, size, va, vb);
                }
            }
            couple_friction(matrix, size, a, va);
        }
    }
}

/// The right-hand side of one block.
fn assemble_offset(
    q: &mut [f64],
    island: &IslandProblem,
    block: &Block,
    variables: &Variables,
    columns: &[[f64; 3]],
) {
    let free = &island.free[block.row..block.row + block.kind.rows()];
    for (i, column) in columns.iter().enumerate() {
        let velocity: f64 = column.iter().zip(free).map(|(c, u)| c * u).sum();
        q[i] = variables.row * velocity;
        if i >= variables.mirrored {
            q[i + variables.half()] = -q[i];
        }
    }
    match block.kind {
        BlockKind::Contact { law, bias, preload } => {
            q[0] += variables.row * bias;
            if let Law::Coulomb { mu } = law {
                q[variables.impulses()] = mu * preload / variables.scale;
            }
        }
        BlockKind::Limit { bias } => q[0] += variables.row * bias,
        BlockKind::Friction { bound } => q[2] = bound / variables.scale,
    }
}

/// The Delassus block of two blocks times `scale` (one factor of the velocity scale is in the row and its inverse in
/// the column), filled up with zeros to 3 x 3; `None` where they do not interact.
fn delassus_block(island: &IslandProblem, a: &Block, b: &Block, scale: f64) -> Option<[[f64; 3]; 3]> {
    let n = island.rows();
    let mut delassus = [[0.0; 3]; 3];
    let mut coupled = false;
    for (r, line) in delassus.iter_mut().enumerate().take(a.kind.rows()) {
        let start = (a.row + r) * n + b.row;
        for (value, g) in line.iter_mut().zip(&island.dense()[start..start + b.kind.rows()]) {
            *value = g * scale;
            coupled |= *value != 0.0;
        }
    }
    coupled.then_some(delassus)
}

/// Fills in `left^T delassus right` and its mirror images.
fn couple_blocks(
    matrix: &mut [f64],
    size: usize,
    delassus: &[[f64; 3]; 3],
    (a, left): (&Variables, &[[f64; 3]]),
    (b, right): (&Variables, &[[f64; 3]]),
) {
    for (i, l) in left.iter().enumerate() {
        let image: [f64; 3] =
            std::array::from_fn(|c| l[0] * delassus[0][c] + l[1] * delassus[1][c] + l[2] * delassus[2][c]);
        let line = (a.start + i) * size + b.start;
        for (j, r) in right.iter().enumerate() {
            let value = image[0] * r[0] + image[1] * r[1] + image[2] * r[2];
            matrix[line + j] = value;
            if j >= b.mirrored {
                matrix[line + j + b.half()] = -value;
            }
        }
        if i >= a.mirrored {
            let opposite = line + a.half() * size;
            for j in 0..b.impulses() {
                matrix[opposite + j] = -matrix[line + j];
            }
        }
    }
}

/// The operator is symmetric: the block below the diagonal is that above it, transposed.
fn transpose_block(matrix: &mut [f64], size: usize, a: &Variables, b: &Variables) {
    if a.start == b.start {
        return;
    }
    for i in a.start..a.start + a.impulses() {
        for j in b.start..b.start + b.impulses() {
            matrix[j * size + i] = matrix[i * size + j];
        }
    }
}

/// The rows and columns of a block's sigma.
fn couple_friction(matrix: &mut [f64], size: usize, block: &Block, variables: &Variables) {
    let sigma = variables.start + variables.impulses();
    for i in variables.mirrored..variables.impulses() {
        let beta = variables.start + i;
        matrix[beta * size + sigma] = 1.0;
        matrix[sigma * size + beta] = -1.0;
    }
    if let BlockKind::Contact { law: Law::Coulomb { mu }, .. } = block.kind {
        matrix[sigma * size + variables.start] = mu;
    }
}
