//! Keeps the momentum of bodies that nothing holds, while overlap is removed from between them and in smooth motions.
//!
//! # Problem
//! A projection of positions leaves the numbers of the velocities alone, yet bodies that are turned, or pushed apart where they
//! slide past each other, then have another momentum: contacts would have done what no contact can. A Runge-Kutta rule loses a
//! little of what is not linear in generalized velocities.
//!
//! # Method
//! 1. Momentum `P` and angular momentum `L` of each tree before; in a uniform field g, what they are after the time h:
//!    `P + m g h` and `L + (m c h + P h^2 / 2) x g`, where c is the centre of mass.
//! 2. Trees that were pushed against each other make a set. It is *grounded* if one of its contacts is with the world or a
//!    prescribed body, if a tree does not begin with a free joint or anything else acts on it from outside, or if equality
//!    constraints act in it.
//! 3. Sets that are not grounded get back what they lost by moving as one rigid body: with mass m, centre c and inertia `I` about
//!    it, `dv = dP / m` and `dw = I^-1 (dL - c x dP)`. No body's velocity against another changes, so no contact's does.
//!
//! The energy changes by as little as the overlap is, to either side.

use crate::constraint::islands::{root, unite};
use crate::constraint::kind::Constraints;
use crate::contact::Contact;
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

/// Momentum and angular momentum about the world's origin of a tree, its mass and that times its centre.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    mass: f64,
    moment: Vector3<f64>,
}

impl Before {
    /// The momenta after `h` seconds in a uniform field (m/s^2).
    fn after(&self, h: f64, field: Vector3<f64>) -> [Vector3<f64>; 2] {
        let way = self.moment * h + self.linear * (0.5 * h * h);
        [self.linear + field * (self.mass * h), self.angular + way.cross(&field)]
    }
}

/// The momenta of trees before, and the sets of trees that push each other.
#[derive(Debug)]
pub(crate) struct Momenta {
    /// The trees that move, in the order of their names, in which sums are taken.
    moving: Vec<TreeId>,
    /// Per tree: its momenta, its mass and that times its centre, all before.
    before: Vec<Before>,
    sets: Vec<usize>,
    grounded: Vec<bool>,
    losses: Vec<Loss>,
}

impl Momenta {
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.trees.len();
        Self {
            moving: Vec::with_capacity(count),
            before: vec![Before::default(); count],
            sets: (0..count).collect(),
            grounded: vec![false; count],
            losses: vec![Loss::NONE; count],
        }
    }

    /// Step 1 for the trees that move, at the poses and velocities before.
    pub(crate) fn remember(&mut self, model: &Model, data: &Data, trees: impl Iterator<Item = TreeId>) {
        self.moving.clear();
        self.moving.extend(trees);
        self.moving.sort_unstable_by_key(|&tree| model.trees[tree].rank);
        for &tree in &self.moving {
            let i = tree.index();
            let inertia = dynamics::locked_inertia(model, data, tree);
            let [linear, angular] = momenta(model, data, tree);
            self.before[i] = Before { linear, angular, mass: inertia.mass, moment: inertia.moment };
            self.sets[i] = i;
            self.grounded[i] = model.links[model.trees[tree].links.start].kind != JointKind::Free;
        }
    }

    /// Says that something from outside acts on a tree.
    pub(crate) fn ground(&mut self, tree: TreeId) {
        self.grounded[tree.index()] = true;
    }

    /// Grounds the trees on which equality constraints act.
    pub(crate) fn ground_constrained(&mut self, model: &Model, constraints: &Constraints) {
        constraints.for_each_coupling(model, |trees, bilateral| {
            if bilateral {
                trees.for_each(|tree| self.ground(tree));
            }
        });
    }

    /// Step 2, for contacts between trees that move.
    pub(crate) fn join<'a>(&mut self, model: &Model, contacts: impl Iterator<Item = &'a Contact>) {
        for contact in contacts {
            match contact.links.map(|link| link.map(|link| model.links[link].tree)) {
                [Some(a), Some(b)] => unite(&mut self.sets, a.index(), b.index()),
                [Some(tree), None] | [None, Some(tree)] => self.ground(tree),
                [None, None] => {}
            }
        }
    }

    /// Takes the roots of the sets; returns whether a set is not grounded.
    pub(crate) fn gather(&mut self) -> bool {
        for tree in self.moving.iter().map(|tree| tree.index()) {
            let set = root(&mut self.sets, tree);
            self.sets[tree] = set;
            self.grounded[set] |= self.grounded[tree];
        }
        self.moving.iter().any(|tree| !self.grounded[self.sets[tree.index()]])
    }

    /// Step 3, at the poses after `h` seconds in a uniform field (m/s^2): changes the velocities `v`. Needs [`Self::gather`].
    pub(crate) fn restore(
        &mut self,
        model: &Model,
        data: &Data,
        (h, field): (f64, Vector3<f64>),
        v: &mut [f64],
    ) {
        for tree in &self.moving {
            self.losses[tree.index()] = Loss::NONE;
        }
        for &tree in &self.moving {
            let [linear, angular] = momenta(model, data, tree);
            let [right, right_angular] = self.before[tree.index()].after(h, field);
            let loss = &mut self.losses[self.sets[tree.index()]];
            loss.linear += right - linear;
            loss.angular += right_angular - angular;
            loss.inertia += dynamics::locked_inertia(model, data, tree);
        }
        for &tree in &self.moving {
            let set = self.sets[tree.index()];
            if self.grounded[set] {
                continue;
            }
            let Some([center, velocity, spin]) = self.losses[set].motion() else { continue };
            let contents = &model.trees[tree];
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
