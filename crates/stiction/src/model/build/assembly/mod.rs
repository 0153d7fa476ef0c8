//! Bodies: depth-first numbering, names, links and dofs, inertia.
//!
//! A joint turns the body about its anchor in the body, after the joints before it have moved the body (MuJoCo
//! documentation, *Modeling: kinematic tree*). With `B` the body's pose in its parent, `p_k` the anchors and `R_k`
//! the joints' motions the body's pose is
//!
//! ```text
//! B Trans(p_1) R_1 Trans(-p_1) Trans(p_2) R_2 Trans(-p_2) ...
//! ```
//!
//! so each joint makes a link with its origin at the anchor, and neighbouring translations add up.

mod nodes;

pub(crate) use nodes::{BodyNames, depth_first, name_everything};

use super::builder::ModelBuilder;
use super::check;
use super::error::ModelError;
use super::inertia::{Defect, composite_inertias, joint_defect, own_inertia};
use super::spec::{JointSpec, Node};
use crate::geometry::Shape;
use crate::model::contact_rules::ContactTable;
use crate::model::{
    Base, Body, BodyId, Dof, Geom, GeomId, JointKind, Link, LinkId, MocapId, Model, Tree, TreeId,
};
use crate::spatial::{Inertia, Transform};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// A scene in the order of the model, named.
pub(crate) struct Assembly {
    /// Bodies, parents before children; parents are numbers in this list.
    pub(crate) nodes: Vec<Node>,
    /// Number in the model of each body of the builder.
    pub(crate) index: Vec<usize>,
    pub(crate) names: Vec<BodyNames>,
    /// Poses in the world at zero displacement.
    pub(crate) world: Vec<Transform>,
    /// Joint kinds with unit axes, body by body.
    pub(crate) kinds: Vec<Vec<JointKind>>,
    pub(crate) model: Model,
}

pub(crate) fn empty_model(builder: &ModelBuilder) -> Model {
    Model {
        name: builder.name.clone(),
        gravity: builder.gravity,
        timestep: builder.timestep,
        bodies: Vec::new(),
        links: Vec::new(),
        trees: Vec::new(),
        dofs: Vec::new(),
        geoms: Vec::new(),
        tendons: Vec::new(),
        cables: Vec::new(),
        actuators: Vec::new(),
        equalities: Vec::new(),
        loop_joints: Vec::new(),
        loop_q0: Vec::new(),
        keyframes: Vec::new(),
        mocap_bodies: Vec::new(),
        mocap_poses: Vec::new(),
        mocap_velocities: Vec::new(),
        q0: Vec::new(),
        pair_rules: Vec::new(),
        material_rules: Vec::new(),
        default_law: None,
        material_restitutions: Vec::new(),
        default_restitution: 0.0,
        excluded: Vec::new(),
        contact_table: ContactTable::default(),
    }
}

impl Assembly {
    /// Checks a body's numbers and whether it may be where it is; keeps the unit axes of its joints.
    pub(crate) fn check_body(&mut self, body: usize) -> Result<(), ModelError> {
        let (Node { spec, .. }, names) = (&self.nodes[body], &self.names[body]);
        check::pose(&names.body, "pose", &spec.pose)?;
        if let Some(inertial) = &spec.inertial {
            check::inertial(&names.body, inertial)?;
        }
        for velocity in spec.mocap.iter().flatten() {
            check::all_finite(&names.body, "mocap velocity", velocity.iter())?;
        }
        for (element, geom) in names.geoms.iter().zip(&spec.geoms) {
            check::geom(element, geom)?;
        }
        let kinds: Result<Vec<JointKind>, ModelError> =
            names.joints.iter().zip(&spec.joints).map(|(e, joint)| check::joint(e, joint)).collect();
        self.kinds.push(kinds?);
        if body == 0 { self.check_world() } else { self.check_place(body) }
    }

    fn check_world(&self) -> Result<(), ModelError> {
        let (spec, element) = (&self.nodes[0].spec, &self.names[0].body);
        let refuse = |quantity| Err(ModelError::WorldIsFixed { element: element.clone(), quantity });
        if !spec.joints.is_empty() {
            return refuse("joints");
        }
        if spec.mocap.is_some() {
            return refuse("a prescribed motion");
        }
        if spec.pose != Transform::identity() {
            return refuse("a pose");
        }
        Ok(())
    }

    /// Where mocap bodies and free joints may be.
    fn check_place(&self, body: usize) -> Result<(), ModelError> {
        let Node { parent, spec } = &self.nodes[body];
        let names = &self.names[body];
        let parent_name = || self.names[*parent].body.name.clone();
        if spec.mocap.is_some() && !spec.joints.is_empty() {
            return Err(ModelError::MocapWithJoints {
                element: names.body.clone(),
                joints: spec.joints.len(),
            });
        }
        if spec.mocap.is_some() && *parent != 0 {
            return Err(ModelError::MocapBelow { element: names.body.clone(), parent: parent_name() });
        }
        if let (Base::Mocap(mocap), false) = (self.model.bodies[*parent].base, spec.joints.is_empty()) {
            let mocap = self.model.bodies[self.model.mocap_bodies[mocap.index()]].name.clone();
            return Err(ModelError::JointBelowMocap { element: names.body.clone(), mocap });
        }
        let Some(free) = spec.joints.iter().position(|joint| joint.kind == JointKind::Free) else {
            return Ok(());
        };
        let (element, body) = (names.joints[free].clone(), names.body.name.clone());
        if spec.joints.len() > 1 {
            return Err(ModelError::FreeJointNotAlone { element, body, joints: spec.joints.len() });
        }
        if *parent != 0 {
            return Err(ModelError::FreeJointBelow { element, body, parent: parent_name() });
        }
        Ok(())
    }

    /// Adds a checked body and its links. Mass and inertia come later.
    pub(crate) fn add_body(&mut self, number: usize) {
        let Node { parent, spec } = &self.nodes[number];
        let name = self.names[number].body.name.clone();
        let mut body = Body {
            name,
            parent: BodyId::new(*parent),
            base: Base::World,
            pose: Transform::identity(),
            mass: 0.0,
            center_of_mass: Vector3::zeros(),
            weld: BodyId::new(number),
        };
        if number > 0 {
            let above = &self.model.bodies[*parent];
            let in_base = above.pose * spec.pose;
            self.world.push(self.world[*parent] * spec.pose);
            if let Some(velocity) = spec.mocap {
                body.base = Base::Mocap(MocapId::new(self.model.mocap_bodies.len()));
                self.model.mocap_bodies.push(BodyId::new(number));
                self.model.mocap_poses.push(spec.pose);
                self.model.mocap_velocities.push(velocity);
            } else if spec.joints.is_empty() {
                (body.base, body.pose, body.weld) = (above.base, in_base, above.weld);
            } else {
                let (link, anchor) = self.add_links(number, in_base);
                (body.base, body.pose) = (Base::Link(link), Transform::from_translation(-anchor));
            }
        } else {
            self.world.push(Transform::identity());
        }
        self.model.bodies.push(body);
    }

    /// Adds a link per joint of a body at `in_base` in its parent's base; the last link and its joint's anchor.
    fn add_links(&mut self, body: usize, in_base: Transform) -> (LinkId, Vector3<f64>) {
        let Node { parent, spec } = &self.nodes[body];
        let mut carrier = match self.model.bodies[*parent].base {
            Base::Link(link) => Some(link),
            Base::World | Base::Mocap(_) => None,
        };
        let mut in_carrier = in_base;
        let mut last = (LinkId::new(0), Vector3::zeros());
        for (index, joint) in spec.joints.iter().enumerate() {
            let kind = self.kinds[body][index];
            let anchor = match kind {
                JointKind::Hinge { .. } | JointKind::Ball => joint.position,
                JointKind::Slide { .. } | JointKind::Free => Vector3::zeros(),
            };
            let link = LinkId::new(self.model.links.len());
            let tree = match carrier {
                Some(above) => self.model.links[above].tree,
                None => self.model.start_tree(),
            };
            self.model.links.push(Link {
                name: self.names[body].joints[index].name.clone(),
                body: BodyId::new(body),
                parent: carrier,
                placement: in_carrier * Transform::from_translation(anchor),
                kind,
                inertia: Inertia::zero(),
                q: self.model.q0.len(),
                v: self.model.dofs.len(),
                tree,
                reference: joint.reference,
                range: joint.range,
                stiffness: joint.stiffness,
                spring_reference: joint.spring_reference,
            });
            self.model.add_dofs(link, joint);
            self.model.add_coordinates(kind, joint.reference, &in_carrier);
            (carrier, in_carrier) = (Some(link), Transform::from_translation(-anchor));
            last = (link, anchor);
        }
        last
    }

    pub(crate) fn add_geoms(&mut self, number: usize) -> Result<(), ModelError> {
        let (spec, names) = (&self.nodes[number].spec, &self.names[number]);
        let body = &self.model.bodies[number];
        for (element, geom) in names.geoms.iter().zip(&spec.geoms) {
            if let (Shape::Plane, Base::Link(link)) = (&geom.shape, body.base) {
                return Err(ModelError::MovingPlane {
                    element: element.clone(),
                    body: body.name.clone(),
                    joint: self.model.links[link].name.clone(),
                });
            }
            self.model.geoms.push(Geom {
                name: element.name.clone(),
                body: BodyId::new(number),
                shape: geom.shape.clone(),
                pose: body.pose * geom.pose,
                friction: geom.friction,
                contact_dimension: geom.contact_dimension,
                contype: geom.contype,
                conaffinity: geom.conaffinity,
                priority: geom.priority,
                material: geom.material.clone(),
                color: geom.color,
                surface_velocity: geom.surface_velocity,
                rank: 0,
            });
        }
        Ok(())
    }

    /// Mass of the bodies, inertia of the links, and the check that every joint moves some.
    pub(crate) fn add_inertia(&mut self) -> Result<(), ModelError> {
        let mut own: Vec<Inertia> = self.nodes.iter().map(|node| own_inertia(&node.spec)).collect();
        own[0] = Inertia::zero();
        for ((body, inertia), names) in self.model.bodies.iter_mut().zip(&own).zip(&self.names) {
            check::finite(&names.body, "mass", inertia.mass)?;
            check::all_finite(&names.body, "moment of mass", inertia.moment.iter())?;
            check::all_finite(&names.body, "inertia", inertia.rotational.iter())?;
            body.mass = inertia.mass;
            if inertia.mass > 0.0 {
                body.center_of_mass = inertia.moment / inertia.mass;
            }
        }
        // Names order the sums, so that their bits do not depend on the order of writing.
        let mut bodies: Vec<usize> = (0..own.len()).collect();
        bodies.sort_by(|a, b| self.model.bodies[*a].name.cmp(&self.model.bodies[*b].name));
        for body in bodies {
            if let Base::Link(link) = self.model.bodies[body].base {
                self.model.links[link].inertia += own[body].transformed(&self.model.bodies[body].pose);
            }
        }
        for link in &mut self.model.links {
            let r = link.inertia.rotational;
            link.inertia.rotational = (r + r.transpose()) * 0.5;
        }
        self.check_joints(&own)
    }

    fn check_joints(&self, own: &[Inertia]) -> Result<(), ModelError> {
        let parents: Vec<usize> = self.nodes.iter().map(|node| node.parent).collect();
        let poses: Vec<&Transform> = self.nodes.iter().map(|node| &node.spec.pose).collect();
        let composite = composite_inertias(own, &parents, &poses);
        for (number, Node { spec, .. }) in self.nodes.iter().enumerate() {
            let names = &self.names[number];
            let body = names.body.name.clone();
            match joint_defect(&composite[number], &spec.joints, &self.kinds[number]) {
                None => {}
                Some(Defect::Massless(joint)) => {
                    return Err(ModelError::Massless { element: names.joints[joint].clone(), body });
                }
                Some(Defect::Singular(joint)) => {
                    return Err(ModelError::SingularJoint { element: names.joints[joint].clone(), body });
                }
            }
        }
        Ok(())
    }

    /// Extents of the trees, and which of them are single rigid bodies.
    pub(crate) fn finish_trees(&mut self) {
        let model = &mut self.model;
        let ends = |link: Option<&Link>| match link {
            Some(link) => (link.v, link.q),
            None => (model.dofs.len(), model.q0.len()),
        };
        for tree in 0..model.trees.len() {
            let first = model.trees[tree].links.start;
            let end = model.trees.get(tree + 1).map_or(model.links.len(), |next| next.links.start);
            let (from, to) = (ends(model.links.get(first)), ends(model.links.get(end)));
            let (dofs, coords) = (from.0..to.0, from.1..to.1);
            let link = &model.links[first];
            let bare = |dof: &Dof| dof.damping == 0.0 && dof.armature == 0.0 && dof.friction_loss == 0.0;
            let lone_body = end - first == 1
                && link.kind == JointKind::Free
                && link.stiffness == 0.0
                && model.dofs[dofs.clone()].iter().all(bare);
            model.trees[tree] =
                Tree { links: first..end, dofs, coords, lone_body, tendons: Vec::new(), rank: 0 };
        }
    }

    /// Numbers the geoms in the order of their names.
    pub(crate) fn rank_geoms(&mut self) {
        let mut order: Vec<GeomId> = GeomId::all(&self.model.geoms).collect();
        order.sort_unstable_by(|&a, &b| self.model.geoms[a].name.cmp(&self.model.geoms[b].name));
        for (rank, geom) in order.into_iter().enumerate() {
            self.model.geoms[geom].rank = rank as u32;
        }
    }
}

impl Model {
    /// Numbers the trees in the order of the names of their first joints.
    pub(crate) fn rank_trees(&mut self) {
        let mut order: Vec<TreeId> = TreeId::all(&self.trees).collect();
        let name = |tree: TreeId| &self.links[self.trees[tree].links.start].name;
        order.sort_unstable_by(|&a, &b| name(a).cmp(name(b)));
        for (rank, tree) in order.into_iter().enumerate() {
            self.trees[tree].rank = rank as u32;
        }
    }

    /// Opens a tree at the next link; its extents are set at the end.
    fn start_tree(&mut self) -> TreeId {
        let links = self.links.len()..self.links.len() + 1;
        self.trees.push(Tree {
            links,
            dofs: 0..0,
            coords: 0..0,
            lone_body: false,
            tendons: Vec::new(),
            rank: 0,
        });
        TreeId::new(self.trees.len() - 1)
    }

    /// Dofs of a link: the first hangs on the last of the parent link, the others on each other.
    fn add_dofs(&mut self, link: LinkId, joint: &JointSpec) {
        let above = self.links[link].parent.map(|p| self.links[p].v + self.links[p].kind.nv() - 1);
        let first = self.dofs.len();
        for dof in first..first + joint.kind.nv() {
            self.dofs.push(Dof {
                link,
                parent: if dof == first { above } else { Some(dof - 1) },
                damping: joint.damping,
                armature: joint.armature,
                friction_loss: joint.friction_loss,
            });
        }
    }

    /// Configuration of a joint at zero displacement; `pose` is that of the body in the world for a free joint.
    fn add_coordinates(&mut self, kind: JointKind, reference: f64, pose: &Transform) {
        match kind {
            JointKind::Hinge { .. } | JointKind::Slide { .. } => self.q0.push(reference),
            JointKind::Ball => self.q0.extend([1.0, 0.0, 0.0, 0.0]),
            JointKind::Free => {
                self.q0.extend(pose.translation.iter());
                self.q0.extend(quaternion(&pose.rotation));
            }
        }
    }
}

/// Unit quaternion of a rotation, real part first.
fn quaternion(rotation: &Matrix3<f64>) -> [f64; 4] {
    let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation));
    let norm = q.quaternion().norm();
    [q.w, q.i, q.j, q.k].map(|c| c / norm)
}
