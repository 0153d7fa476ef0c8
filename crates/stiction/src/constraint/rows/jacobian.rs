//! What fills the rows: Jacobians of points of links, of single dofs and of contacts, and where a piece acts on a long tree.
//!
//! A row on points of links goes up to the root of its tree: the column of a dof is the velocity, along the row's vector, that the
//! dof's axis gives the point. Bilateral rows are rid of entries that are round-off of their terms, by which dependent rows are
//! recognised.

use super::key::BlockKey;
use super::{Action, Piece, RowBlock, RowKind, Rows};
use crate::contact::{BlockKind, Contact};
use crate::dynamics::Data;
use crate::model::{Law, LinkId, Model, TreeId};
use crate::spatial::Force;
use nalgebra::{Matrix3, Vector3};

/// Relative round-off of Jacobian entries: some fifty roundings of a chain of links.
const ROUND_OFF: f64 = 1e-14;

impl Rows {
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
            center: 0.0,
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

    /// Adds the normal row of a contact on displacements that must make up for its `gap`, or for as much of it as that says.
    pub(crate) fn push_separation(
        &mut self,
        model: &Model,
        data: &Data,
        index: usize,
        contact: &Contact,
        gap: f64,
    ) {
        let kind = BlockKind::Contact { law: Law::Frictionless, bias: gap, preload: 0.0 };
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
}

/// Makes components zero that are round-off of terms of this size. A bilateral row that moves nothing must be zero to
/// be recognised as dependent: its own round-off is all there is to compare a pivot with.
fn flush(x: &mut Vector3<f64>, size: f64) {
    x.iter_mut().filter(|x| x.abs() <= ROUND_OFF * size).for_each(|x| *x = 0.0);
}
