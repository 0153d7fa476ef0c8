//! Sparse factor of the mass matrix, `M = L^T D L` (Featherstone 2005, *Efficient Factorization of the Joint-Space
//! Inertia Matrix for Branched Kinematic Trees*; Featherstone 2008, section 6.5).
//!
//! Eliminating from the leaves to the root creates no entry that M does not have: row k of the unit lower
//! triangular L lives on the ancestors of dof k only. All loops run over those.
//!
//! For long chains, where even this is cubic, the same factor comes as recursions ([`crate::dynamics::factor::recursive::articulate`]);
//! [`factorize_by_size`] chooses.

use crate::dynamics::crba::mass_matrix;
use crate::dynamics::data::{Data, DofPath, ancestors, is_positive, path};
use crate::dynamics::error::AlgorithmError;
use crate::dynamics::factor::recursive::{articulate, sweep_inwards, sweep_outwards};
use crate::model::{Model, TreeId};

/// Factor of `M + diag(added_diagonal)` for one tree into its block of [`Data::factor`] (D on the diagonal, L
/// below it). `added_diagonal` has length nv, e.g. step times damping. Needs
/// [`mass_matrix`](crate::dynamics::crba::mass_matrix), which it leaves alone.
///
/// # Errors
/// [`AlgorithmError::NotPositiveDefinite`] with the outermost link that nothing resists.
pub fn factorize(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    added_diagonal: &[f64],
) -> Result<(), AlgorithmError> {
    data.recursive[tree.index()] = false;
    let first = model.trees[tree].dofs.start;
    let n = model.trees[tree].dofs.len();
    let block = data.tree_block(model, tree);
    let paths = &data.paths[first..first + n];
    let matrix = &data.mass_matrix[block.clone()];
    let factor = &mut data.factor[block];
    for k in 0..n {
        for run in path(paths, k) {
            let entries = k * n + run.start..k * n + run.end;
            factor[entries.clone()].copy_from_slice(&matrix[entries]);
        }
        factor[k * n + k] += added_diagonal[first + k];
    }
    for k in (0..n).rev() {
        let (above, row_k) = factor.split_at_mut(k * n);
        let pivot = row_k[k];
        let diagonal = matrix[k * n + k] + added_diagonal[first + k];
        if !is_positive(pivot, diagonal) {
            let link = model.links[model.dofs[first + k].link].name.clone();
            return Err(AlgorithmError::NotPositiveDefinite { link, value: pivot });
        }
        let inverse = 1.0 / pivot;
        for rows in ancestors(paths, k) {
            for i in rows.rev() {
                let l = row_k[i] * inverse;
                if l == 0.0 {
                    continue;
                }
                let row_i = &mut above[i * n..(i + 1) * n];
                for run in path(paths, i) {
                    for (entry, other) in row_i[run.clone()].iter_mut().zip(&row_k[run]) {
                        *entry -= l * other;
                    }
                }
                row_k[i] = l;
            }
        }
        data.inverse_root[first + k] = inverse.sqrt();
    }
    Ok(())
}

/// [`factorize`] of all trees.
pub fn factorize_all(model: &Model, data: &mut Data, added_diagonal: &[f64]) -> Result<(), AlgorithmError> {
    TreeId::all(&model.trees).try_for_each(|tree| factorize(model, data, tree, added_diagonal))
}

/// The cheaper of the two factors of `M + diag(added_diagonal)` for one tree: [`mass_matrix`] and [`factorize`], or
/// [`articulate`] where [`Data::is_long`]. Needs [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics).
///
/// A tree is long when the root mean square of the lengths of its dofs' paths to the root exceeds 20, which for a chain of
/// hinges is from 34 links: there the recursive set-up costs six tenths of the explicit one, and with the Delassus matrix of
/// contacts on every fourth link as much (`cargo bench -p stiction --bench chain`).
///
/// # Errors
/// [`AlgorithmError::NotPositiveDefinite`] with the outermost link that nothing resists.
pub fn factorize_by_size(
    model: &Model,
    data: &mut Data,
    tree: TreeId,
    added_diagonal: &[f64],
) -> Result<(), AlgorithmError> {
    if data.is_long(tree) {
        return articulate(model, data, tree, added_diagonal);
    }
    mass_matrix(model, data, tree);
    factorize(model, data, tree, added_diagonal)
}

/// Solves `M x = b` for one tree in place: its range of `x` (length nv) holds b before and the answer after.
/// Needs [`factorize`] or [`articulate`].
pub fn solve(model: &Model, data: &mut Data, tree: TreeId, x: &mut [f64]) {
    let x = &mut x[model.trees[tree].dofs.clone()];
    if data.recursive[tree.index()] {
        sweep_inwards(model, data, tree, x);
        sweep_outwards(model, data, tree, x);
        return;
    }
    let view = FactorView::new(model, data, tree);
    view.solve_upper(x);
    for (k, value) in x.iter_mut().enumerate() {
        *value /= view.factor[k * view.n + k];
    }
    view.solve_lower(x);
}

/// [`solve`] of all trees.
pub fn solve_all(model: &Model, data: &mut Data, x: &mut [f64]) {
    for tree in TreeId::all(&model.trees) {
        solve(model, data, tree, x);
    }
}

/// `x <- D^(-1/2) L^(-T) x` for one tree; `x` is tree-local (length nv_t). The half of `M^-1` whose Gram matrix
/// is the Delassus operator: `J M^-1 J^T = Y^T Y` with the columns of Y made from the rows of J. Needs [`factorize`] or
/// [`articulate`].
pub fn half_solve(model: &Model, data: &mut Data, tree: TreeId, x: &mut [f64]) {
    if data.recursive[tree.index()] {
        return sweep_inwards(model, data, tree, x);
    }
    let view = FactorView::new(model, data, tree);
    view.solve_upper(x);
    for (value, scale) in x.iter_mut().zip(view.inverse_root) {
        *value *= scale;
    }
}

/// `x <- L^(-1) D^(-1/2) x` for one tree; `x` is tree-local. After [`half_solve`] it completes `M^-1`.
pub fn half_solve_transposed(model: &Model, data: &mut Data, tree: TreeId, x: &mut [f64]) {
    if data.recursive[tree.index()] {
        return sweep_outwards(model, data, tree, x);
    }
    let view = FactorView::new(model, data, tree);
    for (value, scale) in x.iter_mut().zip(view.inverse_root) {
        *value *= scale;
    }
    view.solve_lower(x);
}

/// One tree's part of the factor.
struct FactorView<'a> {
    n: usize,
    factor: &'a [f64],
    inverse_root: &'a [f64],
    paths: &'a [DofPath],
}

impl<'a> FactorView<'a> {
    fn new(model: &Model, data: &'a Data, tree: TreeId) -> Self {
        let dofs = model.trees[tree].dofs.clone();
        Self {
            n: dofs.len(),
            factor: &data.factor[data.tree_block(model, tree)],
            inverse_root: &data.inverse_root[dofs.clone()],
            paths: &data.paths[dofs],
        }
    }

    /// `x <- L^(-T) x`. Zeros at the start of the elimination cost nothing.
    fn solve_upper(&self, x: &mut [f64]) {
        for k in (0..self.n).rev() {
            let value = x[k];
            if value == 0.0 {
                continue;
            }
            let row = &self.factor[k * self.n..(k + 1) * self.n];
            for run in ancestors(self.paths, k) {
                for (entry, l) in x[run.clone()].iter_mut().zip(&row[run]) {
                    *entry -= l * value;
                }
            }
        }
    }

    /// `x <- L^(-1) x`.
    fn solve_lower(&self, x: &mut [f64]) {
        for k in 0..self.n {
            let row = &self.factor[k * self.n..(k + 1) * self.n];
            let mut value = x[k];
            for run in ancestors(self.paths, k) {
                for (entry, l) in x[run.clone()].iter().zip(&row[run]) {
                    value -= l * entry;
                }
            }
            x[k] = value;
        }
    }
}
