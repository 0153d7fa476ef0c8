//! Broad phase: pairs of overlapping axis-aligned bounding boxes.
//!
//! A bounding volume hierarchy (parry's) keeps the boxes: per call the leaves are moved in place and their
//! ancestors refitted, which costs O(n) and allocates nothing; when many boxes have left the places for which the
//! tree was built, it is built again in its own memory in O(n log n). The pairs do not depend on the tree, because
//! the overlap of two leaves is tested exactly and the list is sorted. Few boxes are compared directly.

use crate::geometry::aabb::Aabb;
use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb as TreeBox;
use parry3d_f64::math::Vector as TreeVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// Up to this many boxes direct comparison of all pairs is faster than the tree (measured).
const DIRECT: usize = 32;

impl From<&Aabb> for TreeBox {
    fn from(x: &Aabb) -> Self {
        let vector = |v: &Vector3<f64>| TreeVector::new(v.x, v.y, v.z);
        TreeBox::new(vector(&x.min), vector(&x.max))
    }
}

/// Finds overlapping pairs among boxes that move a little from call to call.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::geometry::{Aabb, BroadPhase};
///
/// let unit = |x| Some(Aabb { min: Vector3::new(x, 0.0, 0.0), max: Vector3::new(x + 1.0, 1.0, 1.0) });
/// let mut pairs = Vec::new();
/// BroadPhase::new().pairs(&[unit(0.0), unit(0.5), unit(5.0), None], |_, _| true, &mut pairs);
/// assert_eq!(pairs, [(0, 1), (0, 3), (1, 3), (2, 3)]);
/// ```
#[derive(Clone, Default)]
pub struct BroadPhase {
    tree: Bvh,
    workspace: BvhWorkspace,
    /// Box index of each leaf, and the box it had when the tree was built.
    leaves: Vec<usize>,
    built: Vec<Aabb>,
    unbounded: Vec<usize>,
}

impl std::fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BroadPhase").field("leaves", &self.leaves.len()).finish_non_exhaustive()
    }
}

impl BroadPhase {
    /// An empty broad phase.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `out` by all pairs `(i, j)`, `i < j`, in ascending order, whose boxes overlap and that
    /// `may_collide(i, j)` admits. `None` (and a box that is not finite) is unbounded: it overlaps everything.
    ///
    /// The answer depends on the arguments only, not on earlier calls. Cost O(n log n + pairs) plus n per
    /// unbounded entry; a call with no more boxes and pairs than an earlier one allocates nothing.
    pub fn pairs(
        &mut self,
        aabbs: &[Option<Aabb>],
        may_collide: impl Fn(usize, usize) -> bool,
        out: &mut Vec<(usize, usize)>,
    ) {
        out.clear();
        self.leaves.clear();
        self.unbounded.clear();
        for (i, aabb) in aabbs.iter().enumerate() {
            match aabb {
                Some(aabb) if aabb.is_finite() => self.leaves.push(i),
                _ => self.unbounded.push(i),
            }
        }
        let mut add = |i: usize, j: usize| {
            let (i, j) = (i.min(j), i.max(j));
            if may_collide(i, j) {
                out.push((i, j));
            }
        };

        for (k, &i) in self.unbounded.iter().enumerate() {
            self.unbounded[k + 1..].iter().chain(&self.leaves).for_each(|&j| add(i, j));
        }
        if self.leaves.len() <= DIRECT {
            for (k, &i) in self.leaves.iter().enumerate() {
                for &j in &self.leaves[k + 1..] {
                    if let (Some(a), Some(b)) = (&aabbs[i], &aabbs[j])
                        && a.overlaps(b)
                    {
                        add(i, j);
                    }
                }
            }
        } else {
            self.update_tree(aabbs);
            let leaves = &self.leaves;
            self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                add(leaves[a as usize], leaves[b as usize]);
            });
        }
        out.sort_unstable();
    }

    /// Moves the leaves to their boxes, and builds the tree again if an eighth of them have left the boxes
    /// they were built with, or if there are more or fewer.
    fn update_tree(&mut self, aabbs: &[Option<Aabb>]) {
        let count = self.leaves.len();
        if self.built.is_empty() {
            let boxes = self.leaves.iter().filter_map(|&i| aabbs[i].as_ref()).map(TreeBox::from);
            self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.enumerate());
        }
        for leaf in count..self.built.len() {
            self.tree.remove(leaf as u32);
        }
        let mut moved = 0;
        for (leaf, aabb) in self.leaves.iter().filter_map(|&i| aabbs[i].as_ref()).enumerate() {
            self.tree.insert_or_update_partially(aabb.into(), leaf as u32, 0.0);
            moved += usize::from(self.built.get(leaf).is_some_and(|old| !old.overlaps(aabb)));
        }
        if count == self.built.len() && 8 * moved < count {
            self.tree.refit_without_opt();
            return;
        }
        self.built.clear();
        self.built.extend(self.leaves.iter().filter_map(|&i| aabbs[i]));
        self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
    }
}
