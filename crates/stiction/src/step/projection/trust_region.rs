//! How far the removal of overlap may move bodies in a step: where the linearised rows say more, they are wrong.
//!
//! # Rule
//! 1. The material points of a contact move against each other by no more than the depth of the overlap and the size of the smaller
//!    geom. Along the normal the depth is enough; the size leaves way to go round an edge.
//! 2. A joint turns by no more than half a turn, and by how far it is beyond its range.
//!
//! Both are of all rounds of a step together. A wedge that is nearly closed asks for any distance: its rows are nearly
//! dependent, and the least displacement that meets them is long without bound.
//!
//! # References
//! A. R. Conn, N. I. M. Gould, P. L. Toint, *Trust Region Methods* (2000).

use crate::constraint::contact::{relative_displacement, trees_of};
use crate::constraint::limit;
use crate::constraint::position_error::larger;
use crate::constraint::rows::{RowBlock, RowKind, Rows};
use crate::contact::{BlockKind, Contact};
use crate::model::{Model, TreeId};
use crate::step::projection::sets::Sets;
use crate::step::system::System;
use std::f64::consts::PI;

/// The sizes of the geoms.
#[derive(Debug)]
pub(super) struct TrustRegion {
    /// Diameter of the bounding ball of each geom (m); infinite for planes.
    sizes: Vec<f64>,
}

impl TrustRegion {
    pub(super) fn new(model: &Model) -> Self {
        let size = |radius: Option<f64>| radius.map_or(f64::INFINITY, |radius| 2.0 * radius);
        Self { sizes: model.geoms.iter().map(|geom| size(geom.shape.bounding_radius())).collect() }
    }

    /// Notes of each set that moves how much of the region its displacement takes. Needs kinematics and contacts before it.
    pub(super) fn measure(&self, system: &System<'_>, displacement: &[f64], sets: &mut Sets) {
        let model = system.model;
        for contact in &system.constraints.contacts.finder.contacts {
            let Some(tree) = trees_of(model, contact).into_iter().flatten().next() else { continue };
            if sets.part(tree) > 0.0 {
                sets.lengthen(tree, self.shift(system, contact, displacement));
            }
        }
        for tree in TreeId::all(&model.trees) {
            if sets.part(tree) > 0.0 {
                sets.lengthen(tree, turn(system, tree, displacement));
            }
        }
    }

    /// Whether a displacement in the region removes the overlap that a block of rows is about, were it alone: else nothing near does, as
    /// where a link overlaps what its own joint turns about. `scratch` (nv) is overwritten.
    pub(super) fn can_remove(
        &self,
        system: &mut System<'_>,
        rows: &Rows,
        block: &RowBlock,
        scratch: &mut [f64],
    ) -> bool {
        let gap = match block.kind {
            RowKind::Unilateral(BlockKind::Contact { bias, .. } | BlockKind::Limit { bias }) => bias,
            _ => return true,
        };
        if gap >= -system.settings.overlap_tolerance {
            return true;
        }
        rows.respond(system.model, system.data, block, -gap, scratch);
        let turns = rows.pieces(block).iter().map(|piece| turn(system, piece.tree, scratch));
        let shift = block
            .contact
            .map(|index| self.shift(system, &system.constraints.contacts.finder.contacts[index], scratch));
        turns.chain(shift).all(|length| length <= 1.0)
    }

    /// How much of its bound the points of a contact move by against each other.
    fn shift(&self, system: &System<'_>, contact: &Contact, displacement: &[f64]) -> f64 {
        let moved = relative_displacement(system.model, system.data, contact, displacement).norm();
        let [a, b] = contact.geoms.map(|geom| self.sizes[geom.index()]);
        moved / ((-contact.gap).max(0.0) + a.min(b))
    }
}

/// How much of its bound the joint of a tree turns by that turns by most of it.
fn turn(system: &System<'_>, tree: TreeId, displacement: &[f64]) -> f64 {
    let links = &system.model.links[system.model.trees[tree].links.clone()];
    let turns = links.iter().map(|link| {
        let sides = limit::sides(&link.kind, link.range, &system.state.q[link.q..]);
        let beyond = sides.into_iter().flatten().fold(0.0, |worst: f64, side| worst.max(-side.gap));
        link.turn(displacement) / (PI + beyond)
    });
    turns.fold(0.0, larger)
}
