//! Mass matrix by the composite-rigid-body algorithm (Walker, Orin 1982; Featherstone 2008, table 6.2).

use crate::dynamics::data::Data;
use crate::model::{Model, TreeId};

/// Mass matrix of one tree, armature included, into the lower triangle of the tree's block of
/// [`Data::mass_matrix`]. Entries between dofs on different branches stay zero. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics).
pub fn mass_matrix(model: &Model, data: &mut Data, tree: TreeId) {
    composite_inertias(model, data, tree);
    let first = model.trees[tree].dofs.start;
    let n = model.trees[tree].dofs.len();
    let block = data.tree_block(model, tree);
    let matrix = &mut data.mass_matrix[block];
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        for k in link.v..link.v + link.kind.nv() {
            let row = &mut matrix[(k - first) * n..(k - first + 1) * n];
            // The force that moves the composite body along axis k, carried inwards to every ancestor's origin.
            let mut force = data.composite[i].times(&data.dof_axis[k]);
            for j in link.v..=k {
                row[j - first] = data.dof_axis[j].dot(&force);
            }
            row[k - first] += model.dofs[k].armature;
            let mut below = i;
            while let Some(p) = model.links[below].parent {
                force = force.about(&data.link_offset[below]);
                let ancestor = &model.links[p];
                for j in ancestor.v..ancestor.v + ancestor.kind.nv() {
                    row[j - first] = data.dof_axis[j].dot(&force);
                }
                below = p.index();
            }
        }
    }
}

/// [`mass_matrix`] of all trees.
pub fn mass_matrix_all(model: &Model, data: &mut Data) {
    for tree in TreeId::all(&model.trees) {
        mass_matrix(model, data, tree);
    }
}

/// Inertia of every link together with all links below it.
pub(crate) fn composite_inertias(model: &Model, data: &mut Data, tree: TreeId) {
    let links = model.trees[tree].links.clone();
    data.composite[links.clone()].copy_from_slice(&data.link_inertia[links.clone()]);
    for i in links.rev() {
        if let Some(p) = model.links[i].parent {
            let below = data.composite[i].about(&data.link_offset[i]);
            data.composite[p.index()] += below;
        }
    }
}
