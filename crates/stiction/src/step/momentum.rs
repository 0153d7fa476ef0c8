//! Keeps the momentum of bodies that nothing holds while overlap is removed from between them.
//!
//! # Problem
//! A projection of positions leaves the numbers of the velocities alone, yet bodies that are turned, or pushed apart where they
//! slide past each other, then have another momentum: contacts would have done what no contact can.
//!
//! # Method
//! 1. Momentum `P` and angular momentum `L` of each tree before.
//! 2. Trees that were pushed against each other make a set. It is *grounded* if one of its contacts is with the world or a
//!    prescribed body, if a tree does not begin with a free joint, or if equality constraints act in it.
//! 3. Sets that are not grounded get back what they lost by moving as one rigid body: with mass m, centre c and inertia `I` about
//!    it, `dv = dP / m` and `dw = I^-1 (dL - c x dP)`. No body's velocity against another changes, so no contact's does.
//!
//! The energy changes by as little as the overlap is, to either side.

use crate::constraint::islands::{root, unite};
use crate::constraint::kind::Constraints;
use crate::contact::detection::ContactFinder;
use crate::dynamics;
use crate::dynamics::Data;
use crate::model::{JointKind, Model, TreeId};
use crate::spatial::Inertia;
use nalgebra::{Matrix3, Vector3};

/// A tree that begins with a free joint, as the body that all of it would be: centre of mass, momentum and angular momentum about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeTree {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    center: Vector3<f64>,
    inertia: Inertia,
}

impl FreeTree {
    /// Of a tree at the kinematics in `data`; `None` where something holds it or it has no mass.
    pub(crate) fn of(model: &Model, data: &Data, tree: TreeId) -> Option<Self> {
        let free = model.links[model.trees[tree].links.start].kind == JointKind::Free;
        let inertia = dynamics::locked_inertia(model, data, tree);
        let [linear, angular] = momenta(model, data, tree);
        let center = inertia.moment / inertia.mass;
        let about_center = angular - center.cross(&linear);
        (free && inertia.mass > 0.0).then_some(Self { linear, angular: about_center, center, inertia })
    }

    /// Gives the tree, after `h` seconds in which nothing but a uniform field (m/s^2) acted on it, the momenta and the centre of mass that
    /// it then has, by a rigid motion: what the rule that moved it has lost of them. Needs the kinematics there.
    pub(crate) fn keep_in_field(
        &self,
        model: &Model,
        data: &Data,
        tree: TreeId,
        (h, field): (f64, Vector3<f64>),
        (q, v): (&mut [f64], &mut [f64]),
    ) {
        let Some(moved) = Self::of(model, data, tree) else { return };
        let mass = self.inertia.mass;
        let shift = self.center + self.linear * (h / mass) + field * (0.5 * h * h) - moved.center;
        let lost = Loss {
            linear: self.linear + field * (mass * h) - moved.linear,
            // About the centre of mass, as the rigid motion turns the tree about it.
            angular: self.angular - moved.angular,
            inertia: moved.inertia.about(&-moved.center),
        };
        let contents = &model.trees[tree];
        for k in 0..3 {
            q[contents.coords.start + k] += shift[k];
        }
        if let Some([_, velocity, spin]) = lost.motion() {
            let pose = &data.link_pose[contents.links.start];
            let linear = velocity + spin.cross(&(pose.translation - moved.center));
            let angular = pose.rotation.tr_mul(&spin);
            for k in 0..3 {
                v[contents.dofs.start + k] += linear[k];
                v[contents.dofs.start + 3 + k] += angular[k];
            }
        }
    }
}

/// What a set of trees lost, and what it is to be moved as.
#[derive(Clone, Copy, Debug)]
struct Loss {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    /// About the world's origin.
    inertia: Inertia,
}

impl Loss {
    const NONE: Loss =
        Loss { linear: Vector3::new(0.0, 0.0, 0.0), angular: Vector3::new(0.0, 0.0, 0.0), inertia: NOTHING };

    /// Centre of mass and the velocity of it and angular velocity that make up for the loss; `None` without an inertia.
    fn motion(&self) -> Option<[Vector3<f64>; 3]> {
        let Inertia { mass, moment, rotational } = self.inertia;
        let center = moment / mass;
        let outer = Matrix3::identity() * center.dot(&center) - center * center.transpose();
        let central = rotational - outer * mass;
        let spin = central.cholesky()?.solve(&(self.angular - center.cross(&self.linear)));
        Some([center, self.linear / mass, spin])
    }
}

const NOTHING: Inertia = Inertia {
    mass: 0.0,
    moment: Vector3::new(0.0, 0.0, 0.0),
    rotational: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
};

/// The momenta before a projection, and the sets of trees that it pushes.
#[derive(Debug)]
pub(crate) struct Momenta {
    before: Vec<[Vector3<f64>; 2]>,
    sets: Vec<usize>,
    grounded: Vec<bool>,
    losses: Vec<Loss>,
    /// The trees in the order of their names, in which sums are taken.
    order: Vec<TreeId>,
}

impl Momenta {
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.trees.len();
        let mut order: Vec<TreeId> = TreeId::all(&model.trees).collect();
        order.sort_by_key(|&tree| model.trees[tree].rank);
        Self {
            before: Vec::with_capacity(count),
            sets: Vec::with_capacity(count),
            grounded: Vec::with_capacity(count),
            losses: Vec::with_capacity(count),
            order,
        }
    }

    /// Step 1, at the poses and velocities before.
    pub(crate) fn remember(&mut self, model: &Model, data: &Data, constraints: &Constraints) {
        self.before.clear();
        self.before.extend(TreeId::all(&model.trees).map(|tree| momenta(model, data, tree)));
        self.sets.clear();
        self.sets.extend(0..model.trees.len());
        self.grounded.clear();
        self.grounded
            .extend(model.trees.iter().map(|tree| model.links[tree.links.start].kind != JointKind::Free));
        constraints.for_each_coupling(model, |trees, bilateral| {
            if bilateral {
                trees.for_each(|tree| self.grounded[tree.index()] = true);
            }
        });
    }

    /// Step 2, for contacts that a round of the projection reckons with.
    pub(crate) fn join(&mut self, model: &Model, finder: &ContactFinder) {
        for contact in &finder.contacts {
            match contact.links.map(|link| link.map(|link| model.links[link].tree)) {
                [Some(a), Some(b)] => unite(&mut self.sets, a.index(), b.index()),
                [Some(tree), None] | [None, Some(tree)] => self.grounded[tree.index()] = true,
                [None, None] => {}
            }
        }
    }

    /// Step 3, at the poses after: changes the velocities `v`.
    pub(crate) fn restore(&mut self, model: &Model, data: &Data, v: &mut [f64]) {
        self.losses.clear();
        self.losses.resize(model.trees.len(), Loss::NONE);
        for tree in TreeId::all(&model.trees) {
            let set = root(&mut self.sets, tree.index());
            self.grounded[set] |= self.grounded[tree.index()];
        }
        for &tree in &self.order {
            let [linear, angular] = momenta(model, data, tree);
            let loss = &mut self.losses[root(&mut self.sets, tree.index())];
            loss.linear += self.before[tree.index()][0] - linear;
            loss.angular += self.before[tree.index()][1] - angular;
            loss.inertia += dynamics::locked_inertia(model, data, tree);
        }
        for (tree, contents) in model.trees.iter().enumerate() {
            let set = root(&mut self.sets, tree);
            let Some([center, velocity, spin]) = self.losses[set].motion().filter(|_| !self.grounded[set])
            else {
                continue;
            };
            let (pose, first) = (&data.link_pose[contents.links.start], contents.dofs.start);
            let linear = velocity + spin.cross(&(pose.translation - center));
            let angular = pose.rotation.tr_mul(&spin);
            for k in 0..3 {
                v[first + k] += linear[k];
                v[first + 3 + k] += angular[k];
            }
        }
    }
}

/// Momentum and angular momentum about the world's origin.
fn momenta(model: &Model, data: &Data, tree: TreeId) -> [Vector3<f64>; 2] {
    [dynamics::linear_momentum(model, data, tree), dynamics::angular_momentum(model, data, tree)]
}
