//! Stage 4 of a step: constraint rows, stored sparse by tree.
//!
//! A block of rows (a contact, a limit, a joint's friction, an equality) touches one tree or a few. For each it keeps
//! a dense piece of the Jacobian `J` (rows x dofs of the tree) and the half-solved `Y = D^(-1/2) L^(-T) J^T`, so that a
//! Delassus block is the sum of `Y_a^T Y_b` over the trees that two blocks share and `M^-1 J^T lambda` costs one
//! half solve per tree.
//!
//! In long trees (see [`dynamics::factorize_by_size`]) half solves are sweeps, and the block of two pieces comes from what
//! they transmit to the link at which they meet ([`OperationalSpace`]); for this a piece knows on which links it acts.

use crate::contact::{BlockKind, Contact, Law};
use crate::dynamics;
use crate::dynamics::{Data, Node, OperationalSpace};
use crate::model::{LinkId, Model, TreeId};
use crate::spatial::Force;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// Identity of a block from step to step; its order is the order of all rows, and depends on names only: bilateral rows first,
/// then limits, friction and contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct BlockKey {
    class: Class,
    /// Place among the names of what the block is of: equality, joint, tendon or cable, or a contact's first geom.
    rank: u32,
    /// Of contacts the second geom; of others the [`Constraint::CODE`](super::kind::Constraint::CODE) of their kind.
    second: u32,
    feature: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Class {
    Bilateral,
    Limit,
    Friction,
    Contact,
}

impl BlockKey {
    /// Of bilateral rows; of a kind that has several blocks for one name, the number of the block.
    pub(crate) fn bilateral(rank: u32, code: u32, number: u32) -> Self {
        Self { class: Class::Bilateral, rank, second: code, feature: number }
    }

    /// Of one end of a range.
    pub(crate) fn limit(rank: u32, code: u32, upper: bool) -> Self {
        Self { class: Class::Limit, rank, second: code, feature: u32::from(upper) }
    }

    /// Of dry friction along a dof of a joint, or along a tendon.
    pub(crate) fn friction(rank: u32, code: u32, dof: u32) -> Self {
        Self { class: Class::Friction, rank, second: code, feature: dof }
    }

    pub(crate) fn contact(contact: &Contact) -> Self {
        let key = contact.key;
        Self { class: Class::Contact, rank: key.first, second: key.second, feature: key.feature }
    }

    /// Place among the names of what the block is of.
    pub(crate) fn rank(&self) -> u32 {
        self.rank
    }

    /// The [`Constraint::CODE`](super::kind::Constraint::CODE) of the kind; `None` of contacts.
    pub(crate) fn code(&self) -> Option<u32> {
        (self.class != Class::Contact).then_some(self.second)
    }

    /// Number of the block among those of one kind and name; of limits 0 for the lower end of the range and 1 for the upper.
    pub(crate) fn number(&self) -> usize {
        self.feature as usize
    }
}

/// Relative round-off of Jacobian entries: some fifty roundings of a chain of links.
const ROUND_OFF: f64 = 1e-14;

/// Least over largest mobility of a point below which the axes of its rows are chosen (half of the digits are left by then),
/// and below which the least is round-off: a direction in which nothing moves.
const UNEVEN: f64 = 1e-8;
const RESISTED: f64 = 1e-14;

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
    /// Of bilateral rows: what is added to it, as a number (1/kg).
    pub(crate) compliance: f64,
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
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.prescribed.len()
    }

    /// The parts of a block in the trees it touches.
    pub(crate) fn pieces(&self, block: &RowBlock) -> &[Piece] {
        &self.pieces[block.first_piece..][..block.piece_count]
    }

    /// Opens a block whose prescribed row velocities are given.
    fn open(&mut self, key: BlockKey, kind: RowKind, prescribed: &[f64], contact: Option<usize>) {
        let row = self.prescribed.len();
        self.prescribed.extend_from_slice(prescribed);
        self.impulse.resize(self.prescribed.len(), 0.0);
        self.blocks.push(RowBlock {
            key,
            kind,
            row,
            count: prescribed.len(),
            first_piece: self.pieces.len(),
            piece_count: 0,
            contact,
            restitution: 0.0,
            at_point: false,
            angular: 0,
            softness: 0.0,
            compliance: 0.0,
        });
    }

    /// The last block's zeroed piece in a tree: start in the Jacobian arena. Reuses the piece if the tree is there.
    fn piece(&mut self, model: &Model, tree: TreeId) -> usize {
        let Some(block) = self.blocks.last_mut() else { return 0 };
        if let Some(piece) = self.pieces[block.first_piece..].iter().find(|p| p.tree == tree) {
            return piece.start;
        }
        let start = self.jacobian.len();
        self.pieces.push(Piece { tree, start, used: 0, action: Action::Anywhere, node: None });
        block.piece_count += 1;
        self.jacobian.resize(start + block.count * model.trees[tree].dofs.len(), 0.0);
        start
    }

    /// Notes that the last block's piece in a tree reaches up to its first `used` dofs.
    fn use_dofs(&mut self, tree: TreeId, used: usize) {
        let Some(block) = self.blocks.last() else { return };
        for piece in self.pieces[block.first_piece..].iter_mut().filter(|p| p.tree == tree) {
            piece.used = piece.used.max(used);
        }
    }

    /// Adds `sign` times the velocity, along the columns of `axes`, of the point of a link; then, below it, the
    /// angular velocity of the link if `angular`.
    #[allow(clippy::too_many_arguments)]
    fn add_point(
        &mut self,
        model: &Model,
        data: &Data,
        link: LinkId,
        point: &Vector3<f64>,
        axes: &Matrix3<f64>,
        sign: f64,
        angular: bool,
    ) {
        let tree = model.links[link].tree;
        let start = self.piece(model, tree);
        let Some(&RowBlock { count, kind, .. }) = self.blocks.last() else { return };
        let bilateral = kind == RowKind::Bilateral;
        let (first, width) = (model.trees[tree].dofs.start, model.trees[tree].dofs.len());
        let linear_rows = if angular { 3 } else { count };
        let end = model.links[link].v + model.links[link].kind.nv();
        if data.is_long(tree) && !bilateral {
            self.add_loads(data, link, tree, point, axes, sign, count);
        }
        self.use_dofs(tree, end - first);
        let mut ancestor = Some(link);
        while let Some(l) = ancestor {
            let offset = point - data.link_pose[l.index()].translation;
            let from = model.links[l].v;
            for dof in from..from + model.links[l].kind.nv() {
                let axis = &data.dof_axis[dof];
                let mut moved = axis.at(&offset);
                if bilateral {
                    let reach = point.norm() + data.link_pose[l.index()].translation.norm();
                    flush(&mut moved.linear, axis.linear.norm() + axis.angular.norm() * reach);
                    flush(&mut moved.angular, axis.angular.norm());
                }
                for r in 0..linear_rows {
                    self.jacobian[start + r * width + dof - first] +=
                        sign * axes.column(r).dot(&moved.linear);
                }
                if angular {
                    for r in 0..3 {
                        self.jacobian[start + (3 + r) * width + dof - first] +=
                            sign * axes.column(r).dot(&moved.angular);
                    }
                }
            }
            ancestor = model.links[l].parent;
        }
    }

    /// Notes the wrenches by which the last block's first `count` axes act on a link at a point.
    #[allow(clippy::too_many_arguments, reason = "a point of a link, and along what it acts")]
    fn add_loads(
        &mut self,
        data: &Data,
        link: LinkId,
        tree: TreeId,
        point: &Vector3<f64>,
        axes: &Matrix3<f64>,
        sign: f64,
        count: usize,
    ) {
        let Some(block) = self.blocks.last() else { return };
        let next = self.loads.len();
        for piece in self.pieces[block.first_piece..].iter_mut().filter(|p| p.tree == tree) {
            piece.action = match piece.action {
                Action::Anywhere if piece.used == 0 => {
                    Action::Links { links: [link; 2], count: 1, loads: next }
                }
                Action::Links { links: [first, _], count: 1, loads } if loads + count == next => {
                    Action::Links { links: [first, link], count: 2, loads }
                }
                _ => Action::Anywhere,
            };
        }
        let arm = point - data.link_pose[link.index()].translation;
        for axis in axes.column_iter().take(count) {
            let force = axis * sign;
            self.loads.push(Force::new(arm.cross(&force), force));
        }
    }

    /// Adds a contact; `bias` is a_n without restitution (m/s).
    pub(crate) fn push_contact(
        &mut self,
        model: &Model,
        data: &Data,
        index: usize,
        contact: &Contact,
        bias: f64,
    ) {
        let kind = BlockKind::Contact { law: contact.law, bias, preload: 0.0 };
        self.push_contact_rows(model, data, index, contact, kind, &contact.drift);
    }

    /// Adds a contact's rows on accelerations; `convective` is the rate of its velocity at zero generalized acceleration
    /// (m/s^2, contact frame).
    pub(crate) fn push_contact_accelerations(
        &mut self,
        model: &Model,
        data: &Data,
        index: usize,
        contact: &Contact,
        convective: &Vector3<f64>,
    ) {
        let kind = BlockKind::Contact { law: contact.law, bias: 0.0, preload: 0.0 };
        self.push_contact_rows(model, data, index, contact, kind, convective);
    }

    /// Adds the normal row of a contact only, on velocities that must not close it.
    pub(crate) fn push_normal(&mut self, model: &Model, data: &Data, index: usize, contact: &Contact) {
        let kind = BlockKind::Contact { law: Law::Frictionless, bias: 0.0, preload: 0.0 };
        self.push_contact_rows(model, data, index, contact, kind, &contact.drift);
    }

    /// Adds the normal row of a contact on displacements that must not make it overlap.
    pub(crate) fn push_separation(&mut self, model: &Model, data: &Data, index: usize, contact: &Contact) {
        let kind = BlockKind::Contact { law: Law::Frictionless, bias: contact.gap, preload: 0.0 };
        self.push_contact_rows(model, data, index, contact, kind, &Vector3::zeros());
    }

    /// Adds the rows of a contact with their prescribed part, in the contact frame.
    fn push_contact_rows(
        &mut self,
        model: &Model,
        data: &Data,
        index: usize,
        contact: &Contact,
        kind: BlockKind,
        prescribed: &Vector3<f64>,
    ) {
        let prescribed = &prescribed.as_slice()[..kind.rows()];
        self.open(BlockKey::contact(contact), RowKind::Unilateral(kind), prescribed, Some(index));
        for (link, sign) in contact.links.iter().zip([-1.0, 1.0]) {
            if let Some(link) = *link {
                self.add_point(model, data, link, &contact.point, &contact.frame, sign, false);
            }
        }
    }

    /// Adds a row whose velocity is the sum of those of points of links along vectors, `(link, point, vector)` in world axes.
    pub(crate) fn push_points(
        &mut self,
        model: &Model,
        data: &Data,
        key: BlockKey,
        kind: RowKind,
        prescribed: f64,
        points: impl Iterator<Item = (LinkId, Vector3<f64>, Vector3<f64>)>,
    ) {
        self.open(key, kind, &[prescribed], None);
        for (link, point, along) in points {
            let axes = Matrix3::from_columns(&[along, Vector3::zeros(), Vector3::zeros()]);
            self.add_point(model, data, link, &point, &axes, 1.0, false);
        }
    }

    /// Adds a row on single dofs, `(dof, coefficient)`; coefficients of one dof add up.
    pub(crate) fn push_dofs(
        &mut self,
        model: &Model,
        key: BlockKey,
        kind: RowKind,
        prescribed: f64,
        dofs: impl Iterator<Item = (usize, f64)>,
    ) {
        self.push_entries(
            model,
            key,
            kind,
            &[prescribed],
            dofs.map(|(dof, coefficient)| (0, dof, coefficient)),
        );
    }

    /// Adds rows by their entries, `(row, dof, coefficient)`, likewise.
    pub(crate) fn push_entries(
        &mut self,
        model: &Model,
        key: BlockKey,
        kind: RowKind,
        prescribed: &[f64],
        entries: impl Iterator<Item = (usize, usize, f64)>,
    ) {
        self.open(key, kind, prescribed, None);
        for (row, dof, coefficient) in entries {
            let tree = model.links[model.dofs[dof].link].tree;
            let (first, width) = (model.trees[tree].dofs.start, model.trees[tree].dofs.len());
            let start = self.piece(model, tree);
            self.act_on_joint(tree, model.dofs[dof].link);
            self.use_dofs(tree, dof + 1 - first);
            let entry = &mut self.jacobian[start + row * width + dof - first];
            let size = entry.abs() + coefficient.abs();
            *entry += coefficient;
            if entry.abs() <= ROUND_OFF * size {
                *entry = 0.0;
            }
        }
    }

    /// Notes that the last block's piece in a tree has a coefficient on a dof of a link.
    fn act_on_joint(&mut self, tree: TreeId, link: LinkId) {
        let Some(block) = self.blocks.last() else { return };
        for piece in self.pieces[block.first_piece..].iter_mut().filter(|p| p.tree == tree) {
            piece.action = match piece.action {
                Action::Anywhere if piece.used == 0 => Action::Joint(link),
                Action::Joint(only) if only == link => Action::Joint(link),
                _ => Action::Anywhere,
            };
        }
    }

    /// Adds bilateral rows that hold a point (and the orientation, with six targets) of the second link to the
    /// first; targets are velocities (m/s, rad/s) that the rows must meet with the opposite sign.
    pub(crate) fn push_bilateral(
        &mut self,
        model: &Model,
        data: &Data,
        key: BlockKey,
        links: [Option<LinkId>; 2],
        point: &Vector3<f64>,
        targets: &[f64],
    ) {
        self.open(key, RowKind::Bilateral, targets, None);
        if let Some(block) = self.blocks.last_mut() {
            block.at_point = true;
        }
        self.set_each_angular((0..targets.len()).map(|r| r >= 3));
        for (link, sign) in links.iter().zip([-1.0, 1.0]) {
            if let Some(link) = *link {
                self.add_point(model, data, link, point, &Matrix3::identity(), sign, targets.len() == 6);
            }
        }
    }

    /// Gives the last block, a contact, a coefficient of restitution.
    pub(crate) fn rebound(&mut self, restitution: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.restitution = restitution;
        }
    }

    /// Says whether the last block's rows are rates of angles; else they are speeds.
    pub(crate) fn set_angular(&mut self, angular: bool) {
        self.set_each_angular(std::iter::repeat_n(angular, 6));
    }

    /// Says so of each row.
    pub(crate) fn set_each_angular(&mut self, angular: impl Iterator<Item = bool>) {
        if let Some(block) = self.blocks.last_mut() {
            block.angular = angular.enumerate().fold(0, |bits, (r, angular)| bits | u8::from(angular) << r);
        }
    }

    /// Says that the last block's three rows hold a point and nothing else.
    pub(crate) fn hold_point(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.at_point = true;
        }
    }

    /// Lets the last block's bilateral rows give way (Tikhonov regularisation): where rows contradict each other the
    /// answer is near that of least squares.
    pub(crate) fn soften(&mut self, softness: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.softness = softness;
        }
    }

    /// Gives the last block's bilateral rows a compliance: `J v + target + compliance lambda = 0`. Such rows stand for springs, dampers,
    /// drives and rotors; their works come from the forces themselves ([`super::passage`]).
    pub(crate) fn comply(&mut self, compliance: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.compliance = compliance;
        }
    }

    /// What makes each row of a bilateral block give way (1/kg), `J v + target + compliance lambda = 0`, zero-filled to six: its
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
    }

    /// Adds `J v` to a copy of the rows' prescribed velocities: `out = prescribed + J v`, per row.
    pub(crate) fn velocities(&self, model: &Model, v: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.prescribed);
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

/// Turns three numbers that are `stride` apart into other axes.
fn turn_column(axes: &Matrix3<f64>, column: &mut [f64], stride: usize) {
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

/// Makes components zero that are round-off of terms of this size. A bilateral row that moves nothing must be zero to
/// be recognised as dependent: its own round-off is all there is to compare a pivot with.
fn flush(x: &mut Vector3<f64>, size: f64) {
    x.iter_mut().filter(|x| x.abs() <= ROUND_OFF * size).for_each(|x| *x = 0.0);
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
