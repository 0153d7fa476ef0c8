//! Half solves `Y = D^(-1/2) L^(-T) J^T`, and the principal axes of points that hardly move along one of them.

use super::{Action, Piece, RowBlock, Rows, dot};
use crate::dynamics;
use crate::dynamics::{Data, Node, OperationalSpace};
use crate::model::Model;
use crate::spatial::Force;
use nalgebra::{Matrix3, Vector3};

/// Least over largest mobility of a point below which the axes of its rows are chosen (half of the digits are left by then),
/// and below which the least is round-off: a direction in which nothing moves.
const UNEVEN: f64 = 1e-8;

const RESISTED: f64 = 1e-14;

impl Rows {
    /// Half-solves every piece; needs the trees' factors.
    pub(crate) fn half_solve(&mut self, model: &Model, data: &mut Data) {
        self.half.clear();
        self.half.extend_from_slice(&self.jacobian);
        if self.pieces.iter().any(|piece| data.is_recursive(piece.tree)) {
            self.space.begin(model);
        }
        for block in &self.blocks {
            for piece in &mut self.pieces[block.first_piece..][..block.piece_count] {
                let width = model.trees[piece.tree].dofs.len();
                let half = &mut self.half[piece.start..][..block.count * width];
                if data.is_recursive(piece.tree) {
                    piece.node = half_solve_long(model, data, &mut self.space, &self.loads, piece, half);
                    continue;
                }
                for row in half.chunks_exact_mut(width) {
                    dynamics::half_solve(model, data, piece.tree, row);
                }
            }
        }
        for index in 0..self.blocks.len() {
            if self.blocks[index].at_point {
                self.align(model, index);
            }
        }
    }

    /// What an impulse along the first row of a block does to the velocities of its trees, in `out`, if it is such that the velocity along
    /// the row changes by `rate`; what is not a number where nothing moves along the row. Needs half solves, and the trees' factors.
    pub(crate) fn respond(
        &self,
        model: &Model,
        data: &mut Data,
        block: &RowBlock,
        rate: f64,
        out: &mut [f64],
    ) {
        let mut mobility = 0.0;
        for piece in self.pieces(block) {
            let out = &mut out[model.trees[piece.tree].dofs.clone()];
            out.copy_from_slice(&self.half[piece.start..][..out.len()]);
            mobility += dot(out, out);
        }
        for piece in self.pieces(block) {
            let out = &mut out[model.trees[piece.tree].dofs.clone()];
            dynamics::half_solve_transposed(model, data, piece.tree, out);
            out.iter_mut().for_each(|v| *v *= rate / mobility);
        }
    }

    /// Turns the axes of the point that a block holds into the principal axes of its mobility, if this is very different
    /// along them (a heavy body of little inertia held far from its centre): elimination along other axes would lose what is
    /// left of the least one, and take it for dependent.
    fn align(&mut self, model: &Model, index: usize) {
        let block = self.blocks[index];
        let mut mobility = Matrix3::zeros();
        for piece in self.pieces(&block) {
            let width = model.trees[piece.tree].dofs.len();
            let row = |r: usize| &self.half[piece.start + r * width..][..piece.used];
            for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                mobility[(r, c)] += dot(row(r), row(c));
            }
        }
        let trace = mobility.trace();
        if mobility.determinant() > UNEVEN * trace * trace * trace {
            return; // as the least eigenvalue cannot be that small
        }
        let principal = mobility.symmetric_eigen();
        let ratio = principal.eigenvalues.min() / principal.eigenvalues.max();
        if !(RESISTED..UNEVEN).contains(&ratio) {
            return;
        }
        let axes = principal.eigenvectors.transpose();
        let pieces = &self.pieces[block.first_piece..][..block.piece_count];
        for piece in pieces {
            let width = model.trees[piece.tree].dofs.len();
            for k in piece.start..piece.start + width {
                turn_column(&axes, &mut self.jacobian[k..], width);
                turn_column(&axes, &mut self.half[k..], width);
            }
        }
        turn_column(&axes, &mut self.prescribed[block.row..], 1);
        self.turned.push((block.row, axes));
    }
}

/// Turns three numbers that are `stride` apart into other axes.
pub(super) fn turn_column(axes: &Matrix3<f64>, column: &mut [f64], stride: usize) {
    let turned = axes * Vector3::new(column[0], column[stride], column[2 * stride]);
    for (r, value) in turned.iter().enumerate() {
        column[r * stride] = *value;
    }
}

/// Half-solves the rows of a piece in a long tree.
fn half_solve_long(
    model: &Model,
    data: &mut Data,
    space: &mut OperationalSpace,
    loads: &[Force],
    piece: &Piece,
    half: &mut [f64],
) -> Option<Node> {
    let width = model.trees[piece.tree].dofs.len();
    let rows = half.len() / width;
    match piece.action {
        Action::Anywhere => {
            for row in half.chunks_exact_mut(width) {
                dynamics::half_solve(model, data, piece.tree, row);
            }
            Some(space.general(rows, piece.used))
        }
        Action::Joint(link) => Some(space.joint(model, data, link, rows, half)),
        Action::Links { links, count, loads: start } => {
            half.fill(0.0);
            let wrenches = [0, 1].map(|i| (links[i], &loads[start..][(i.min(count - 1)) * rows..][..rows]));
            space.wrenches(model, data, &wrenches[..count], half)
        }
    }
}
