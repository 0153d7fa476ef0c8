//! What the joints of a moving tree transmit.

use crate::dynamics::data::Data;
use crate::dynamics::rnea::{forces_of_accelerations, link_accelerations};
use crate::model::{Model, TreeId};
use crate::spatial::Force;

/// The wrench each joint of one tree transmits to its link, at the link's origin in world axes (N m, N), when the
/// tree moves with `acceleration` (length nv) under gravity and `external` forces.
///
/// `external` (one per link of the model, at the link's origin, world axes) is everything that acts on a link
/// from outside except gravity: contacts and applied forces. What drives, springs and dampers do is part of the
/// answer, along the joint's own axes. `out` has one entry per link; only the tree's are written. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics).
pub fn joint_reactions(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    acceleration: &[f64],
    external: &[Force],
    out: &mut [Force],
) {
    link_accelerations(model, data, tree, Some(acceleration));
    forces_of_accelerations(model, data, tree);
    for i in model.trees[tree].links.clone() {
        out[i] = data.link_force[i] - external[i];
    }
    for i in model.trees[tree].links.clone().rev() {
        if let Some(p) = model.links[i].parent {
            let passed_on = out[i].about(&data.link_offset[i]);
            out[p.index()] += passed_on;
        }
    }
}
