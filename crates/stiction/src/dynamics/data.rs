//! Everything the algorithms compute from a model, a configuration and a velocity.

use crate::model::{Model, TreeId};
use crate::spatial::{ArticulatedInertia, Force, Inertia, Motion, Transform};
use nalgebra::Vector3;
use std::ops::Range;

/// Marks the end of a path to the root.
pub(crate) const ROOT: usize = usize::MAX;

/// A pivot of a mass matrix counts as positive when it exceeds this fraction of its diagonal entry. Round-off of
/// the elimination is a few 1e-16 of that entry; a rod a million times longer than thick is still far above.
const PIVOT_TOLERANCE: f64 = 1e-14;

/// A tree is long when the root mean square of its dofs' path lengths to the root is above this, which for a chain is
/// 58 % of its number of dofs. See [`factorize_by_size`](crate::dynamics::factor::explicit::factorize_by_size) for what it is measured by.
const LONG: usize = 20;

/// Whether a pivot is positive against its diagonal entry; NaN is not.
#[inline]
pub(crate) fn is_positive(pivot: f64, diagonal: f64) -> bool {
    pivot > 0.0 && pivot > PIVOT_TOLERANCE * diagonal && pivot.is_finite()
}

/// Derived quantities and workspaces, allocated once for a model. Public fields are results; each says who fills
/// it. All spatial quantities are in world axes at their link's own origin.
#[derive(Clone, Debug)]
pub struct Data {
    /// Pose of every link in the world ([`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics)).
    pub link_pose: Vec<Transform>,
    /// From the parent link's origin (the world's for roots) to the link's origin (m) (`forward_kinematics`).
    pub link_offset: Vec<Vector3<f64>>,
    /// Velocity of every link (rad/s, m/s) (`forward_kinematics`).
    pub link_velocity: Vec<Motion>,
    /// Motion of the dof's link per generalized velocity, nv columns (`forward_kinematics`).
    pub dof_axis: Vec<Motion>,
    /// Acceleration of every link against its parent's when all joint accelerations are zero: centripetal and
    /// Coriolis terms (`forward_kinematics`).
    pub bias_acceleration: Vec<Motion>,
    /// Inertia of every link (`forward_kinematics`).
    pub link_inertia: Vec<Inertia>,
    /// Mass matrix, one dense row-major block of nv_t x nv_t per tree with its lower triangle filled; block `t`
    /// starts at `tree_offset[t]` ([`mass_matrix`](crate::dynamics::crba::mass_matrix)).
    pub mass_matrix: Vec<f64>,
    /// Its factors `L^T D L` in the same layout: D on the diagonal, L below
    /// ([`factorize`](crate::dynamics::factor::explicit::factorize)).
    pub factor: Vec<f64>,
    /// Start of every tree's block in `mass_matrix` and `factor`.
    pub tree_offset: Vec<usize>,
    /// Acceleration of every link as of the last recursion, minus gravity (`inverse_dynamics`, `bias_forces`,
    /// `joint_reactions`, `forward_dynamics`).
    pub link_acceleration: Vec<Motion>,
    /// Force on every link, scratch of the recursions.
    pub(crate) link_force: Vec<Force>,
    /// Motion of every link, scratch of `sweep_outwards`.
    pub(crate) sweep_motion: Vec<Motion>,
    /// Inertia of every link and all below it (`mass_matrix`, `forward_dynamics`).
    pub(crate) composite: Vec<Inertia>,
    /// Articulated inertia of every link (`forward_dynamics`).
    pub(crate) articulated: Vec<ArticulatedInertia>,
    /// Per dof: force of its unit acceleration, pivot, what is left of tau (`forward_dynamics`).
    pub(crate) axis_force: Vec<Force>,
    pub(crate) pivot: Vec<f64>,
    pub(crate) tau_left: Vec<f64>,
    /// Per dof: one over the root of the factor's pivot (`factorize`, `articulate`).
    pub(crate) inverse_root: Vec<f64>,
    /// Per dof: force of its unit acceleration over the root of its pivot (`articulate`).
    pub(crate) gain: Vec<Force>,
    /// Per tree: whether its factor is the recursive one (`articulate`) rather than the explicit one (`factorize`).
    pub(crate) recursive: Vec<bool>,
    /// Per tree: whether the recursive factor is the cheaper one; constant.
    pub(crate) long: Vec<bool>,
    /// Per dof: how it is connected to the root; constant.
    pub(crate) paths: Vec<DofPath>,
    /// Stages of the Runge-Kutta rule.
    pub(crate) stages: Stages,
}

/// A dof's place on the path to the root, in tree-local numbers. The dofs of a path are mostly consecutive, so a
/// path is a few ranges instead of a chain of single steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DofPath {
    /// The next dof towards the root, or `ROOT`.
    pub(crate) parent: usize,
    /// First dof of the run of consecutive ancestors that ends with this dof.
    pub(crate) run_start: usize,
}

/// State, forces and slopes of the Runge-Kutta stages (full length).
#[derive(Clone, Debug, Default)]
pub(crate) struct Stages {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) tau: Vec<f64>,
    pub(crate) acceleration: Vec<f64>,
    pub(crate) displacement: Vec<f64>,
    pub(crate) slope: Vec<f64>,
    pub(crate) slope_sum: Vec<f64>,
    pub(crate) acceleration_sum: Vec<f64>,
}

impl Data {
    /// Workspace for a model; all results zero.
    pub fn new(model: &Model) -> Self {
        let (links, nv, nq) = (model.links.len(), model.nv(), model.nq());
        let mut tree_offset = Vec::with_capacity(model.trees.len());
        let mut size = 0;
        for tree in &model.trees {
            tree_offset.push(size);
            size += tree.dofs.len() * tree.dofs.len();
        }
        let paths = paths(model);
        Self {
            link_pose: vec![Transform::identity(); links],
            link_offset: vec![Vector3::zeros(); links],
            link_velocity: vec![Motion::zero(); links],
            dof_axis: vec![Motion::zero(); nv],
            bias_acceleration: vec![Motion::zero(); links],
            link_inertia: vec![Inertia::zero(); links],
            mass_matrix: vec![0.0; size],
            factor: vec![0.0; size],
            tree_offset,
            link_acceleration: vec![Motion::zero(); links],
            link_force: vec![Force::zero(); links],
            sweep_motion: vec![Motion::zero(); links],
            composite: vec![Inertia::zero(); links],
            articulated: vec![ArticulatedInertia::zero(); links],
            axis_force: vec![Force::zero(); nv],
            pivot: vec![0.0; nv],
            tau_left: vec![0.0; nv],
            inverse_root: vec![0.0; nv],
            gain: vec![Force::zero(); nv],
            recursive: vec![false; model.trees.len()],
            long: model.trees.iter().map(|tree| is_long(&paths[tree.dofs.clone()])).collect(),
            paths,
            stages: Stages {
                q: vec![0.0; nq],
                v: vec![0.0; nv],
                tau: vec![0.0; nv],
                acceleration: vec![0.0; nv],
                displacement: vec![0.0; nv],
                slope: vec![0.0; nv],
                slope_sum: vec![0.0; nv],
                acceleration_sum: vec![0.0; nv],
            },
        }
    }

    /// Whether the tree is long: [`factorize_by_size`](crate::dynamics::factor::explicit::factorize_by_size) takes the recursive factor for it.
    pub fn is_long(&self, tree: TreeId) -> bool {
        self.long[tree.index()]
    }

    /// Whether the factor of the tree is the recursive one ([`articulate`](crate::dynamics::factor::recursive::articulate)) at present.
    pub fn is_recursive(&self, tree: TreeId) -> bool {
        self.recursive[tree.index()]
    }

    /// The block of a tree in `mass_matrix` and `factor`.
    pub fn tree_block(&self, model: &Model, tree: TreeId) -> Range<usize> {
        let n = model.trees[tree].dofs.len();
        self.tree_offset[tree.index()]..self.tree_offset[tree.index()] + n * n
    }
}

/// Whether sweeps over the links of a tree are cheaper than its explicit factor: see [`LONG`].
fn is_long(paths: &[DofPath]) -> bool {
    let mut square_sum = 0;
    for dof in 0..paths.len() {
        let length: usize = path(paths, dof).map(|run| run.len()).sum();
        square_sum += length * length;
    }
    square_sum > LONG * LONG * paths.len()
}

/// Paths to the root of all dofs.
fn paths(model: &Model) -> Vec<DofPath> {
    let mut paths: Vec<DofPath> = Vec::with_capacity(model.nv());
    for tree in &model.trees {
        let first = tree.dofs.start;
        for dof in tree.dofs.clone() {
            let local = dof - first;
            let parent = model.dofs[dof].parent.map_or(ROOT, |p| p - first);
            let follows_parent = parent != ROOT && parent + 1 == local;
            let run_start = if follows_parent { paths[first + parent].run_start } else { local };
            paths.push(DofPath { parent, run_start });
        }
    }
    paths
}

/// The ancestors of a dof as ranges of consecutive tree-local dofs, nearest first. `paths` are those of the tree.
#[inline]
pub(crate) fn ancestors(paths: &[DofPath], dof: usize) -> Runs<'_> {
    Runs { paths, next: paths[dof].parent }
}

/// A dof and its ancestors, likewise.
#[inline]
pub(crate) fn path(paths: &[DofPath], dof: usize) -> Runs<'_> {
    Runs { paths, next: dof }
}

/// Iterator over the runs of a path.
pub(crate) struct Runs<'a> {
    paths: &'a [DofPath],
    next: usize,
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;
    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        if self.next == ROOT {
            return None;
        }
        let start = self.paths[self.next].run_start;
        let run = start..self.next + 1;
        self.next = self.paths[start].parent;
        Some(run)
    }
}
