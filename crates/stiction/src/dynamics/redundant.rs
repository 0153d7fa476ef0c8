//! Redundant coordinates: the same scene with every body free and every joint a bilateral constraint.
//!
//! In minimal coordinates a tree has as many coordinates as its joints have freedoms. In redundant ones each body that a joint
//! moves is a tree by itself, on a free joint, and its joints close a loop to the body it hung on (see
//! [`ClosureSpec`](crate::model::ClosureSpec)); limits, springs, dampers, drives, rotors, friction, couplings and tendons go with
//! them. Bodies, geoms, names and the rules of contact stay as they are. Both models move alike: the velocities of the bodies
//! that meet the rows of the joints are those that minimal coordinates allow, and the equations of motion projected on them are
//! the minimal ones (Gauss's principle).
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics* (2014), which
//! compares both.

use crate::dynamics::data::Data;
use crate::dynamics::kinematics::forward_kinematics_all;
use crate::model::{
    Base, BodyId, Closure, Combination, Dof, Element, ElementKind, Equality, EqualityId, EqualityKind,
    JointKind, Keyframe, Link, LinkId, LoopJoint, LoopJointId, Model, ModelError, Term, Transmission, Tree,
    TreeId,
};
use crate::spatial::{Inertia, Transform};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};
use std::collections::BTreeSet;
use std::ops::Range;

/// A body with a central moment of inertia at most this times those about its origin cannot be free: its mass matrix has no
/// factors.
const SINGULAR: f64 = 1e-14;

impl Model {
    /// The same scene in redundant coordinates: a tree per moving body, joints as closures. Keyframes are converted;
    /// [`redundant_state`] converts other states.
    ///
    /// # Errors
    /// [`ModelError::CannotBeFree`] for a body without inertia of its own in some direction.
    pub fn redundant(&self) -> Result<Self, ModelError> {
        let mut made = self.clone();
        made.links.clear();
        made.trees.clear();
        made.dofs.clear();
        made.q0.clear();
        made.loop_joints.clear();
        made.loop_q0.clear();
        let freed = Freed::new(self);
        freed.add_bodies(&mut made)?;
        made.q0 = freed.configuration(&self.q0, &vec![0.0; self.nv()]).0;
        freed.carry_frames(&mut made);
        freed.carry_loops(&mut made);
        freed.add_closures(&mut made);
        freed.carry_references(&mut made);
        for (key, from) in made.keyframes.iter_mut().zip(&self.keyframes) {
            let (q, v, loop_q) = redundant_state(self, &from.q, &from.v, &from.loop_q);
            *key = Keyframe { q, v, loop_q, ..from.clone() };
        }
        Ok(made)
    }
}

/// Configuration, velocity and coordinates of loops in redundant coordinates of a state of the model in minimal ones.
pub fn redundant_state(
    minimal: &Model,
    q: &[f64],
    v: &[f64],
    loop_q: &[f64],
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let freed = Freed::new(minimal);
    let (free_q, free_v) = freed.configuration(q, v);
    let joints = freed.eliminated().flat_map(|link| q[link.q..link.q + link.kind.nq()].iter().copied());
    (free_q, free_v, loop_q.iter().copied().chain(joints).collect())
}

/// How the links of a model become free bodies.
struct Freed<'m> {
    minimal: &'m Model,
    /// Links of each body that has joints, in the order of the model. Each becomes one free link.
    groups: Vec<Range<usize>>,
    /// Group of each link.
    group: Vec<usize>,
}

impl<'m> Freed<'m> {
    fn new(minimal: &'m Model) -> Self {
        let mut groups: Vec<Range<usize>> = Vec::new();
        let mut group = Vec::with_capacity(minimal.links.len());
        for (i, link) in minimal.links.iter().enumerate() {
            match groups.last_mut().filter(|links| minimal.links[links.start].body == link.body) {
                Some(links) => links.end = i + 1,
                None => groups.push(i..i + 1),
            }
            group.push(groups.len() - 1);
        }
        Self { minimal, groups, group }
    }

    fn body(&self, group: usize) -> BodyId {
        self.minimal.links[self.groups[group].start].body
    }

    fn is_free(&self, group: usize) -> bool {
        self.minimal.links[self.groups[group].start].kind == JointKind::Free
    }

    /// Links whose joints become closures, in the order of the closures.
    fn eliminated(&self) -> impl Iterator<Item = &Link> {
        let groups = (0..self.groups.len()).filter(|&group| !self.is_free(group));
        groups.flat_map(|group| &self.minimal.links[self.groups[group].clone()])
    }

    /// Frame of a body's last link in the body's own frame, which is that of its free link.
    fn shift(&self, group: usize) -> Transform {
        self.minimal.bodies[self.body(group)].pose.inverse()
    }

    /// Frame of a base in what it becomes.
    fn base_shift(&self, base: Base) -> Transform {
        base.link().map_or_else(Transform::identity, |link| self.shift(self.group[link.index()]))
    }

    /// A free link and a tree per group.
    fn add_bodies(&self, made: &mut Model) -> Result<(), ModelError> {
        let mut names: BTreeSet<String> = self.minimal.links.iter().map(|link| link.name.clone()).collect();
        names.extend(self.minimal.loop_joints.iter().map(|joint| joint.name.clone()));
        for (group, links) in self.groups.iter().enumerate() {
            let body = self.body(group);
            let name = &self.minimal.bodies[body].name;
            let last = &self.minimal.links[links.end - 1];
            let inertia = last.inertia.transformed(&self.shift(group));
            let free = Link {
                parent: None,
                placement: Transform::identity(),
                inertia,
                q: 7 * group,
                v: 6 * group,
                tree: TreeId::new(group),
                ..last.clone()
            };
            let (link, dof) = if self.is_free(group) {
                (free, self.minimal.dofs[last.v])
            } else {
                if !moves_every_way(&inertia) {
                    return Err(ModelError::CannotBeFree { element: Element::new(ElementKind::Body, name) });
                }
                let name = unique(&mut names, format!("{name}/free"));
                let bare =
                    Link { range: None, stiffness: 0.0, spring_reference: 0.0, reference: 0.0, ..free };
                let dof = Dof {
                    link: LinkId::new(group),
                    parent: None,
                    damping: 0.0,
                    armature: 0.0,
                    friction_loss: 0.0,
                };
                (Link { name, kind: JointKind::Free, ..bare }, dof)
            };
            let bare = dof.damping == 0.0 && dof.armature == 0.0 && dof.friction_loss == 0.0;
            made.trees.push(Tree {
                links: group..group + 1,
                dofs: link.v..link.v + 6,
                coords: link.q..link.q + 7,
                lone_body: bare && link.stiffness == 0.0,
                tendons: Vec::new(),
                rank: 0,
            });
            let dofs = link.v..link.v + 6;
            made.dofs.extend(dofs.map(|k| Dof {
                link: LinkId::new(group),
                parent: (k > link.v).then(|| k - 1),
                ..dof
            }));
            made.links.push(link);
        }
        made.rank_trees();
        Ok(())
    }

    /// Configuration and velocity of the free links.
    fn configuration(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut data = Data::new(self.minimal);
        forward_kinematics_all(self.minimal, &mut data, q, v);
        let mut free = (Vec::with_capacity(7 * self.groups.len()), Vec::with_capacity(6 * self.groups.len()));
        for (group, links) in self.groups.iter().enumerate() {
            let last = links.end - 1;
            if self.is_free(group) {
                let link = &self.minimal.links[last];
                free.0.extend_from_slice(&q[link.q..link.q + 7]);
                free.1.extend_from_slice(&v[link.v..link.v + 6]);
                continue;
            }
            // The body's origin in the frame of its last link.
            let origin = data.link_pose[last].vector(&self.minimal.bodies[self.body(group)].pose.translation);
            let (pose, velocity) = (&data.link_pose[last], data.link_velocity[last].at(&origin));
            let turn = Rotation3::from_matrix_unchecked(pose.rotation);
            let turn = UnitQuaternion::from_rotation_matrix(&turn);
            free.0.extend((pose.translation + origin).iter());
            free.0.extend([turn.w, turn.i, turn.j, turn.k]);
            free.1.extend(velocity.linear.iter());
            free.1.extend(pose.inverse_vector(&velocity.angular).iter());
        }
        free
    }

    /// Bodies, geoms and points of cables in the frames of the free links.
    fn carry_frames(&self, made: &mut Model) {
        for (body, point) in made.cables.iter_mut().flat_map(|cable| &mut cable.points) {
            *point = self.base_shift(self.minimal.bodies[*body].base).point(point);
        }
        for geom in &mut made.geoms {
            geom.pose = self.base_shift(self.minimal.bodies[geom.body].base) * geom.pose;
        }
        for (body, from) in made.bodies.iter_mut().zip(&self.minimal.bodies) {
            if let Base::Link(link) = from.base {
                body.base = Base::Link(LinkId::new(self.group[link.index()]));
                body.pose = self.base_shift(from.base) * from.pose;
            }
        }
    }

    /// Equalities, and the joints of closures among them, which keep their numbers.
    fn carry_loops(&self, made: &mut Model) {
        for joint in &self.minimal.loop_joints {
            let links = joint.links.map(|link| link.map(|link| LinkId::new(self.group[link.index()])));
            made.push_loop_joint(LoopJoint { links, ..joint.clone() });
        }
        let shift = |body: BodyId| self.base_shift(self.minimal.bodies[body].base);
        for equality in &mut made.equalities {
            match &mut equality.kind {
                EqualityKind::Connect { bodies, anchors } => {
                    (0..2).for_each(|i| anchors[i] = shift(bodies[i]).point(&anchors[i]));
                }
                EqualityKind::Weld { bodies, frames } => {
                    (0..2).for_each(|i| frames[i] = shift(bodies[i]) * frames[i]);
                }
                EqualityKind::Closure(Closure { bodies, frames, .. }) => {
                    (0..2).for_each(|i| frames[i] = shift(bodies[i]) * frames[i]);
                }
                EqualityKind::Coupling(_) => {}
            }
        }
    }

    /// A closure per body that hung on another, or on the world, by joints.
    fn add_closures(&self, made: &mut Model) {
        let mut names: BTreeSet<String> = made.equalities.iter().map(|e| e.name.clone()).collect();
        for (group, links) in self.groups.iter().enumerate().filter(|(group, _)| !self.is_free(*group)) {
            let parent = self.minimal.links[links.start].parent.map(|link| self.group[link.index()]);
            let body = self.body(group);
            let equality = EqualityId::new(made.equalities.len());
            let first = made.loop_joints.len();
            for link in &self.minimal.links[links.clone()] {
                let dof = &self.minimal.dofs[link.v];
                made.push_loop_joint(LoopJoint {
                    name: link.name.clone(),
                    equality,
                    links: [parent, Some(group)].map(|group| group.map(LinkId::new)),
                    placement: link.placement,
                    kind: link.kind,
                    q: 0,
                    v: 0,
                    reference: link.reference,
                    range: link.range,
                    stiffness: link.stiffness,
                    spring_reference: link.spring_reference,
                    damping: dof.damping,
                    armature: dof.armature,
                    friction_loss: dof.friction_loss,
                });
            }
            let closure = Closure {
                bodies: [parent.map_or(BodyId::WORLD, |group| self.body(group)), body],
                frames: [
                    parent.map_or_else(Transform::identity, |group| self.shift(group)),
                    self.shift(group),
                ],
                joints: first..made.loop_joints.len(),
            };
            let name = unique(&mut names, self.minimal.bodies[body].name.clone());
            made.equalities.push(Equality { name, kind: EqualityKind::Closure(closure) });
        }
    }

    /// Drives, tendons and couplings on the joints as they are now.
    fn carry_references(&self, made: &mut Model) {
        for i in 0..made.actuators.len() {
            if let Transmission::Joint(link) = made.actuators[i].transmission {
                made.actuators[i].transmission = self.joint(made, link);
            }
        }
        for i in 0..made.tendons.len() {
            made.tendons[i].path = self.combination(made, &made.tendons[i].path);
        }
        for i in 0..made.equalities.len() {
            let EqualityKind::Coupling(coupling) = &made.equalities[i].kind else { continue };
            let mut coupling = coupling.clone();
            coupling.dependent = self.combination(made, &coupling.dependent);
            coupling.independent = self.combination(made, &coupling.independent);
            made.equalities[i].kind = EqualityKind::Coupling(coupling);
        }
        made.list_tendons();
    }

    /// What the joint of a link has become.
    fn joint(&self, made: &Model, link: LinkId) -> Transmission {
        let carried = self.minimal.loop_joints.len();
        let group = self.group[link.index()];
        if self.is_free(group) {
            return Transmission::Joint(LinkId::new(group));
        }
        let before =
            self.minimal.links[..link.index()].iter().filter(|link| link.kind != JointKind::Free).count();
        let joint = LoopJointId::new(carried + before);
        debug_assert_eq!(made.loop_joints[joint].name, self.minimal.links[link].name);
        Transmission::Loop(joint)
    }

    fn combination(&self, made: &Model, from: &Combination) -> Combination {
        let carry = |term: &Term| {
            let joint = match term.dof.checked_sub(self.minimal.nv()) {
                None => self.joint(made, term.link),
                Some(dof) => Transmission::Loop(self.minimal.loop_joint_of(dof)),
            };
            made.term(joint, term.coefficient).map(|(_, term)| term)
        };
        Combination { terms: from.terms.iter().filter_map(carry).collect(), reference: from.reference }
    }
}

/// Whether every motion of a body moves inertia.
fn moves_every_way(inertia: &Inertia) -> bool {
    if inertia.mass <= 0.0 {
        return false;
    }
    let center = inertia.moment / inertia.mass;
    let steiner = Inertia::new(inertia.mass, &center, &Matrix3::zeros());
    let central = inertia.rotational - steiner.rotational;
    central.symmetric_eigenvalues().min() > SINGULAR * inertia.rotational.trace()
}

/// The name, with primes behind it if it is taken.
fn unique(taken: &mut BTreeSet<String>, mut name: String) -> String {
    while !taken.insert(name.clone()) {
        name.push('\'');
    }
    name
}
