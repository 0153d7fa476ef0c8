//! Blocks of the Delassus operator `J M^-1 J^T` of long trees by recursions, without mass matrix and explicit factor.
//!
//! # Problem
//! `Lambda_ab = J_a M^-1 J_b^T` for rows that act on links of one tree through wrenches, or on single joints.
//!
//! # Method
//! 1. The recursive factor of the tree ([`crate::dynamics::factor::recursive::articulate`]), O(nv).
//! 2. Outwards, the *mobility* of every link, the velocity that an impulse on it gives itself. With the articulated
//!    force `K_k = U_k / D_k` of dof k along the axis `s_k`, from the mobility `W` of what is before it,
//!
//!    ```text
//!    W <- (1 - s K^T) W (1 - K s^T) + s s^T / D = W + s u^T + u s^T,   u = (K . W K + 1 / D) s / 2 - W K,
//!    ```
//!
//!    where `K . W K + 1 / D` is the diagonal entry of `M^-1`. O(nv).
//! 3. For each row, inwards along its path, the force `f` that its unit impulse transmits to every link through the
//!    joints, and the half-solved row y that it leaves on the dofs. O(depth).
//! 4. From the *head* of a row on, the innermost link that it acts on directly, all that the rest of the tree knows of it
//!    is `f`. So two rows see each other through the nearest link c that is above both heads (or is one):
//!
//!    ```text
//!    Lambda_ab = f_a(c) . W(c) f_b(c) + sum of y_a y_b over the dofs below c that both have.
//!    ```
//!
//!    The sum is empty for wrenches on single links, so that their entry costs O(1) however long the tree is.
//!
//! # Cost
//! O(nv) + O(depth) per row + O(1) per entry (contacts with other trees and limits), or O(length of the loop) for rows
//! between links of the same tree. With explicit factors it is O(nv^3), O(depth^2) and O(depth) on a chain.
//!
//! # References
//! - G. Rodriguez, A. Jain, K. Kreutz-Delgado, *Spatial Operator Algebra for Multibody System Dynamics*, J. Astronautical
//!   Sciences 40 (1992), section on the operational-space compliance.
//! - P. Wensing, R. Featherstone, D. E. Orin, *A Reduced-Order Recursive Algorithm for the Computation of the
//!   Operational-Space Inertia Matrix*, ICRA 2012 (the force propagators of step 3).
//! - H. Mylapilli, A. Jain, *Evaluation of Complementarity Techniques for Minimal Coordinate Contact Dynamics* (2014),
//!   eq. 20-22, where it stands in the set-up of the complementarity problem.

use crate::dynamics::data::Data;
use crate::model::{LinkId, Model, TreeId};
use crate::spatial::{Force, Mobility, Motion};

/// Mobility of every link of a tree at its origin, and the diagonal of `(M + diag(added_diagonal))^-1` (1/(kg m^2) or 1/kg).
/// Both slices have full length, for all links and all dofs. Needs [`articulate`](crate::dynamics::factor::recursive::articulate).
pub fn mobilities(model: &Model, data: &Data, tree: TreeId, mobility: &mut [Mobility], diagonal: &mut [f64]) {
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        // Step 2: from the mobility of what is before the link to its own, dof after dof.
        let mut now = link.parent.map_or(Mobility::zero(), |p| mobility[p.index()].at(&data.link_offset[i]));
        for k in link.v..link.v + link.kind.nv() {
            let (axis, inverse_root) = (data.dof_axis[k], data.inverse_root[k]);
            let force = data.gain[k] * inverse_root;
            let away = now.times(&force);
            let entry = away.dot(&force) + inverse_root * inverse_root;
            now.add_symmetric(&axis, &(axis * (0.5 * entry) - away));
            diagonal[k] = entry;
        }
        mobility[i] = now;
    }
}

/// Rows of one constraint on one tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Number of rows.
    rows: usize,
    /// The innermost link the rows act on directly; `None` where this is all the way to the world.
    head: Option<LinkId>,
    /// Dofs of the tree beyond which every row is zero (tree-local).
    used: usize,
    /// Start of the forces on the links from the root to the head, link by link.
    forces: usize,
    /// Start of the velocities of the head.
    responses: usize,
}

/// A link's place on the path to the root.
#[derive(Clone, Copy, Debug)]
struct LinkPath {
    /// Number of links above it.
    depth: usize,
    /// First link of the run of consecutive ancestors that ends with this link.
    run_start: LinkId,
}

/// Mobilities of trees, and what rows transmit along them. Keeps its capacity.
#[derive(Clone, Debug, Default)]
pub struct OperationalSpace {
    paths: Vec<LinkPath>,
    mobility: Vec<Mobility>,
    diagonal: Vec<f64>,
    /// Trees whose mobilities are there.
    trees: Vec<bool>,
    forces: Vec<Force>,
    responses: Vec<Motion>,
    working: Vec<Force>,
}

impl OperationalSpace {
    /// Forgets all nodes and mobilities; the next ones are of this model.
    pub fn begin(&mut self, model: &Model) {
        self.trees.clear();
        self.forces.clear();
        self.responses.clear();
        self.paths.clear();
        for (i, link) in model.links.iter().enumerate() {
            let own = LinkId::new(i);
            let path = match link.parent {
                None => LinkPath { depth: 0, run_start: own },
                Some(p) => {
                    let above = &self.paths[p.index()];
                    let run_start = if p.index() + 1 == i { above.run_start } else { own };
                    LinkPath { depth: above.depth + 1, run_start }
                }
            };
            self.paths.push(path);
        }
    }

    /// Rows that act with one wrench each on a link (`loads`, at its origin in world axes, one per row), or on two links of
    /// the same tree. Writes the half-solved rows to `y`, row-major with a tree's dofs per row, zero before. Needs
    /// [`articulate`](crate::dynamics::factor::recursive::articulate) of the tree.
    pub fn wrenches(
        &mut self,
        model: &Model,
        data: &Data,
        links: &[(LinkId, &[Force])],
        y: &mut [f64],
    ) -> Option<Node> {
        let (&(first, loads), rest) = links.split_first()?;
        let head = rest.iter().try_fold(first, |above, (link, _)| self.common_ancestor(model, above, *link));
        let rows = loads.len();
        let mut total = std::mem::take(&mut self.working);
        total.clear();
        total.resize(2 * rows, Force::zero());
        let (arrived, travelling) = total.split_at_mut(rows);
        // Step 3, from each link to the head.
        for (link, loads) in links {
            travelling.copy_from_slice(loads);
            transmit(model, data, *link, head, travelling, y, |_, _| ());
            for (sum, force) in arrived.iter_mut().zip(travelling.iter()) {
                *sum += *force;
            }
        }
        let used = links.iter().map(|(link, _)| end_of_dofs(model, *link)).max().unwrap_or(0);
        let node = self.carry_on(model, data, head, arrived, used, y);
        self.working = total;
        Some(node)
    }

    /// Rows on the dofs of one link, whose coefficients are in `y` before and are half-solved there.
    pub fn joint(&mut self, model: &Model, data: &Data, link: LinkId, rows: usize, y: &mut [f64]) -> Node {
        // Step 3 from a dof instead of a wrench.
        let mut total = std::mem::take(&mut self.working);
        total.clear();
        total.resize(rows, Force::zero());
        let head = model.links[link].parent;
        transmit(model, data, link, head, &mut total, y, |_, _| ());
        let node = self.carry_on(model, data, head, &mut total, end_of_dofs(model, link), y);
        self.working = total;
        node
    }

    /// Rows of which nothing is known: they are half-solved, and their entries are sums over all dofs.
    pub fn general(&self, rows: usize, used: usize) -> Node {
        Node { rows, head: None, used, forces: 0, responses: 0 }
    }

    /// Keeps what rows transmit from their head to the root, and how the head answers.
    fn carry_on(
        &mut self,
        model: &Model,
        data: &Data,
        head: Option<LinkId>,
        forces: &mut [Force],
        used: usize,
        y: &mut [f64],
    ) -> Node {
        let rows = forces.len();
        let node = Node { rows, head, used, forces: self.forces.len(), responses: self.responses.len() };
        let Some(head) = head else { return node };
        self.find_mobilities(model, data, model.links[head].tree);
        // Step 3 goes on from the head to the root; what the head answers is kept for step 4.
        self.responses.extend(forces.iter().map(|force| self.mobility[head.index()].times(force)));
        self.forces.resize(node.forces + (self.paths[head.index()].depth + 1) * rows, Force::zero());
        let (kept, paths) = (&mut self.forces[node.forces..], &self.paths);
        transmit(model, data, head, None, forces, y, |link, forces| {
            kept[paths[link.index()].depth * rows..][..rows].copy_from_slice(forces);
        });
        node
    }

    fn find_mobilities(&mut self, model: &Model, data: &Data, tree: TreeId) {
        self.trees.resize(model.trees.len(), false);
        if !self.trees[tree.index()] {
            self.mobility.resize(model.links.len(), Mobility::zero());
            self.diagonal.resize(model.nv(), 0.0);
            mobilities(model, data, tree, &mut self.mobility, &mut self.diagonal);
            self.trees[tree.index()] = true;
        }
    }

    /// The Delassus block of two nodes of a tree with half-solved rows of `width` dofs: calls `entry(row of a, row of b, value)`.
    #[allow(clippy::too_many_arguments, reason = "two nodes with their rows")]
    pub fn block(
        &self,
        model: &Model,
        width: usize,
        (a, y_a): (&Node, &[f64]),
        (b, y_b): (&Node, &[f64]),
        mut entry: impl FnMut(usize, usize, f64),
    ) {
        // Step 4: the link at which the rows meet, and the dofs below it that both have.
        let meeting = a.head.zip(b.head).and_then(|(p, q)| self.common_ancestor(model, p, q));
        let below = if meeting.is_none() || meeting == a.head || meeting == b.head {
            let start = meeting.map_or(0, |link| end_of_dofs(model, link));
            start..a.used.min(b.used).max(start)
        } else {
            0..0
        };
        for r in 0..a.rows {
            for c in 0..b.rows {
                let seen = meeting.map_or(0.0, |link| self.through(link, (a, r), (b, c)));
                entry(r, c, seen + dot(&y_a[r * width..][below.clone()], &y_b[c * width..][below.clone()]));
            }
        }
    }

    /// The innermost link that moves two links of a tree.
    fn common_ancestor(&self, model: &Model, mut a: LinkId, mut b: LinkId) -> Option<LinkId> {
        while a != b {
            let (inner, outer) = (a.min(b), a.max(b));
            let run_start = self.paths[outer.index()].run_start;
            if inner >= run_start {
                return Some(inner);
            }
            (a, b) = (inner, model.links[run_start].parent?);
        }
        Some(a)
    }

    /// What two rows have to do with each other through a link above both heads.
    fn through(&self, link: LinkId, (a, r): (&Node, usize), (b, c): (&Node, usize)) -> f64 {
        let depth = self.paths[link.index()].depth;
        let force = |node: &Node, row: usize| &self.forces[node.forces + depth * node.rows + row];
        if a.head == Some(link) {
            self.responses[a.responses + r].dot(force(b, c))
        } else if b.head == Some(link) {
            self.responses[b.responses + c].dot(force(a, r))
        } else {
            self.mobility[link.index()].times(force(a, r)).dot(force(b, c))
        }
    }
}

/// Carries forces (one per row) on a link inwards to, but not through, `until`: what they leave on the dofs is added to
/// the coefficients in `y` and half-solved. `arriving(link, forces)` sees them at every link.
#[inline]
fn transmit(
    model: &Model,
    data: &Data,
    from: LinkId,
    until: Option<LinkId>,
    forces: &mut [Force],
    y: &mut [f64],
    mut arriving: impl FnMut(LinkId, &[Force]),
) {
    let dofs = &model.trees[model.links[from].tree].dofs;
    let mut next = Some(from);
    while next != until {
        let Some(i) = next else { return };
        arriving(i, forces);
        let link = &model.links[i];
        let offset = &data.link_offset[i.index()];
        for k in (link.v..link.v + link.kind.nv()).rev() {
            let (axis, gain, inverse_root) = (&data.dof_axis[k], &data.gain[k], data.inverse_root[k]);
            for (force, row) in forces.iter_mut().zip(y.chunks_exact_mut(dofs.len())) {
                let y = &mut row[k - dofs.start];
                *y = (*y + axis.dot(force)) * inverse_root;
                *force = *force - *gain * *y;
            }
        }
        for force in forces.iter_mut() {
            *force = force.about(offset);
        }
        next = link.parent;
    }
}

/// Number of the tree's dofs up to those of a link.
fn end_of_dofs(model: &Model, link: LinkId) -> usize {
    let link = &model.links[link];
    link.v + link.kind.nv() - model.trees[link.tree].dofs.start
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
