//! What the builder promises, checked of a model from elsewhere: a model that was read back is as well formed as one that
//! was built, so that no algorithm can run out of range on it.

mod stored;

pub(crate) use stored::StoredModel;

use super::check;
use super::element::{Element, ElementKind};
use super::error::ModelError;
use crate::model::{
    Base, BodyId, Combination, Equality, EqualityKind, GeomId, JointKind, Keyframe, Model, Term, Transmission,
};

/// An axis may differ from unit length by this.
const UNIT: f64 = 1e-9;

/// Refuses an element unless what is said of it holds.
fn ensure(holds: bool, kind: ElementKind, name: &str, what: &'static str) -> Result<(), ModelError> {
    if holds {
        return Ok(());
    }
    Err(ModelError::Malformed { element: Element::new(kind, name), what })
}

/// Whether ranks number their list once each.
fn is_permutation(ranks: impl ExactSizeIterator<Item = u32>) -> bool {
    let mut seen = vec![false; ranks.len()];
    ranks
        .into_iter()
        .all(|rank| seen.get_mut(rank as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

fn is_unit(kind: &JointKind) -> bool {
    match kind {
        JointKind::Hinge { axis } | JointKind::Slide { axis } => (axis.norm() - 1.0).abs() <= UNIT,
        JointKind::Ball | JointKind::Free => true,
    }
}

impl Model {
    /// Checks that the model is well formed: numbers finite and in range, lists of the lengths and in the order that the
    /// algorithms rely on, and references within them. A built model always is; one that is deserialised is checked so.
    ///
    /// # Errors
    /// The first thing found wrong.
    pub fn validate(&self) -> Result<(), ModelError> {
        let scene = Element::new(ElementKind::Scene, &self.name);
        check::all_finite(&scene, "gravity", self.gravity.iter())?;
        check::positive(&scene, "timestep", self.timestep)?;
        self.validate_bodies()?;
        self.validate_links()?;
        self.validate_trees()?;
        self.validate_geoms()?;
        self.validate_loop_joints()?;
        self.validate_tendons()?;
        self.validate_actuators()?;
        self.equalities.iter().try_for_each(|equality| self.validate_equality(equality))?;
        self.keyframes.iter().try_for_each(|keyframe| self.validate_keyframe(keyframe))?;
        self.validate_rules()
    }

    fn validate_bodies(&self) -> Result<(), ModelError> {
        let mocaps = self.mocap_bodies.len();
        let complete = self.mocap_poses.len() == mocaps
            && self.mocap_velocities.len() == mocaps
            && self.mocap_bodies.iter().all(|body| body.index() < self.bodies.len());
        ensure(complete, ElementKind::Scene, &self.name, "the lists of mocap bodies do not fit each other")?;
        for (pose, velocity) in self.mocap_poses.iter().zip(&self.mocap_velocities) {
            let scene = Element::new(ElementKind::Scene, &self.name);
            check::pose(&scene, "mocap pose", pose)?;
            check::all_finite(&scene, "mocap velocity", velocity.iter().flatten())?;
        }
        let world = self
            .bodies
            .first()
            .is_some_and(|world| (world.parent, world.base) == (BodyId::WORLD, Base::World));
        ensure(world, ElementKind::Scene, &self.name, "its first body is not the world")?;
        for (i, body) in self.bodies.iter().enumerate() {
            let says = |holds, what| ensure(holds, ElementKind::Body, &body.name, what);
            says(i == 0 || body.parent.index() < i, "its parent does not come before it")?;
            says(body.weld.index() <= i, "it is welded to a body that comes after it")?;
            says(
                match body.base {
                    Base::World => true,
                    Base::Mocap(mocap) => mocap.index() < mocaps,
                    Base::Link(link) => link.index() < self.links.len(),
                },
                "its base does not exist",
            )?;
            let element = Element::new(ElementKind::Body, &body.name);
            check::pose(&element, "pose", &body.pose)?;
            check::not_negative(&element, "mass", body.mass)?;
            check::all_finite(&element, "centre of mass", body.center_of_mass.iter())?;
        }
        Ok(())
    }

    fn validate_links(&self) -> Result<(), ModelError> {
        let (mut q, mut v) = (0, 0);
        for (i, link) in self.links.iter().enumerate() {
            let says = |holds, what| ensure(holds, ElementKind::Joint, &link.name, what);
            says(link.body.index() < self.bodies.len(), "its body does not exist")?;
            let parent = link.parent.map(|parent| self.links[..i].get(parent.index()));
            says(
                parent.is_none_or(|parent| parent.is_some_and(|parent| parent.tree == link.tree)),
                "its parent does not come before it in its tree",
            )?;
            says((link.q, link.v) == (q, v), "its coordinates do not follow those of the joint before it")?;
            says(is_unit(&link.kind), "its axis does not have unit length")?;
            let dofs = self.dofs.get(v..v + link.kind.nv());
            says(
                dofs.is_some_and(|dofs| dofs.iter().all(|dof| dof.link.index() == i)),
                "its dofs are not its own",
            )?;
            let above = parent.flatten().map(|parent| parent.v + parent.kind.nv() - 1);
            says(
                (v..v + link.kind.nv())
                    .all(|k| self.dofs[k].parent == if k == v { above } else { Some(k - 1) }),
                "its dofs do not hang on those before them",
            )?;
            (q, v) = (q + link.kind.nq(), v + link.kind.nv());

            let element = Element::new(ElementKind::Joint, &link.name);
            check::pose(&element, "placement", &link.placement)?;
            check::not_negative(&element, "mass", link.inertia.mass)?;
            check::all_finite(&element, "moment of mass", link.inertia.moment.iter())?;
            check::all_finite(&element, "inertia", link.inertia.rotational.iter())?;
            joint_numbers(&element, link.range, [link.reference, link.spring_reference], &[link.stiffness])?;
            for dof in &self.dofs[link.v..v] {
                joint_numbers(&element, None, [0.0; 2], &[dof.damping, dof.armature, dof.friction_loss])?;
            }
        }
        let complete = self.q0.len() == q && self.dofs.len() == v;
        ensure(complete, ElementKind::Scene, &self.name, "it has more or fewer coordinates than its joints")?;
        check::all_finite(&Element::new(ElementKind::Scene, &self.name), "q0", &self.q0)
    }

    fn validate_trees(&self) -> Result<(), ModelError> {
        let says = |holds, what| ensure(holds, ElementKind::Scene, &self.name, what);
        let mut next = 0;
        for (number, tree) in self.trees.iter().enumerate() {
            let links = self.links.get(tree.links.clone()).unwrap_or_default();
            let (Some(first), Some(last)) = (links.first(), links.last()) else {
                return says(false, "a tree has no links");
            };
            let contiguous = tree.links.start == next && links.iter().all(|link| link.tree.index() == number);
            says(contiguous && first.parent.is_none(), "its trees are not one after the other")?;
            let dofs = first.v..last.v + last.kind.nv();
            let coords = first.q..last.q + last.kind.nq();
            says(tree.dofs == dofs && tree.coords == coords, "a tree does not have the dofs of its links")?;
            let single = links.len() == 1 && first.kind == JointKind::Free;
            says(!tree.lone_body || single, "a tree with joints counts as a single rigid body")?;
            says(
                tree.tendons.iter().all(|tendon| tendon.index() < self.tendons.len()),
                "a tendon does not exist",
            )?;
            next = tree.links.end;
        }
        says(next == self.links.len(), "a link is in no tree")?;
        says(is_permutation(self.trees.iter().map(|tree| tree.rank)), "its trees are not ranked")
    }

    fn validate_geoms(&self) -> Result<(), ModelError> {
        for geom in &self.geoms {
            let element = Element::new(ElementKind::Geom, &geom.name);
            ensure(
                geom.body.index() < self.bodies.len(),
                ElementKind::Geom,
                &geom.name,
                "its body does not exist",
            )?;
            check::shape(&element, &geom.shape)?;
            check::pose(&element, "pose", &geom.pose)?;
            check::not_negative(&element, "friction", geom.friction)?;
            check::contact_dimension(&element, geom.contact_dimension)?;
            check::all_finite(&element, "surface velocity", geom.surface_velocity.iter())?;
        }
        let ranked = is_permutation(self.geoms.iter().map(|geom| geom.rank));
        ensure(ranked, ElementKind::Scene, &self.name, "its geoms are not ranked")
    }

    fn validate_loop_joints(&self) -> Result<(), ModelError> {
        let (mut q, mut v) = (self.nq(), self.nv());
        for joint in &self.loop_joints {
            let says = |holds, what| ensure(holds, ElementKind::Joint, &joint.name, what);
            says((joint.q, joint.v) == (q, v), "its coordinates do not follow those of the joint before it")?;
            says(
                joint.kind != JointKind::Free && is_unit(&joint.kind),
                "it is free, or its axis not of unit length",
            )?;
            says(
                joint.links.iter().flatten().all(|link| link.index() < self.links.len()),
                "its links do not exist",
            )?;
            let closure = self.equalities.get(joint.equality.index()).map(|equality| &equality.kind);
            says(matches!(closure, Some(EqualityKind::Closure(_))), "it belongs to no closure")?;
            let element = Element::new(ElementKind::Joint, &joint.name);
            check::pose(&element, "placement", &joint.placement)?;
            let passive = [joint.stiffness, joint.damping, joint.armature, joint.friction_loss];
            joint_numbers(&element, joint.range, [joint.reference, joint.spring_reference], &passive)?;
            (q, v) = (q + joint.kind.nq(), v + joint.kind.nv());
        }
        let complete = self.loop_q0.len() == q - self.nq();
        ensure(
            complete,
            ElementKind::Scene,
            &self.name,
            "it has more or fewer loop coordinates than loop joints",
        )?;
        check::all_finite(&Element::new(ElementKind::Scene, &self.name), "loop_q0", &self.loop_q0)
    }

    fn validate_tendons(&self) -> Result<(), ModelError> {
        for tendon in &self.tendons {
            let element = Element::new(ElementKind::Tendon, &tendon.name);
            self.validate_combination(&element, &tendon.path)?;
            let passive = [tendon.stiffness, tendon.damping, tendon.friction_loss];
            joint_numbers(&element, tendon.range, tendon.spring_range, &passive)?;
        }
        for cable in &self.cables {
            let says = |holds, what| ensure(holds, ElementKind::Tendon, &cable.name, what);
            says(cable.points.len() >= 2, "it has fewer than two points")?;
            says(
                cable.points.iter().all(|(body, _)| body.index() < self.bodies.len()),
                "a body does not exist",
            )?;
            let element = Element::new(ElementKind::Tendon, &cable.name);
            check::all_finite(&element, "point", cable.points.iter().flat_map(|(_, point)| point.iter()))?;
            check::range(&element, "range", cable.range)?;
        }
        Ok(())
    }

    fn validate_combination(&self, element: &Element, sum: &Combination) -> Result<(), ModelError> {
        let (nq, nv) = (self.nq() + self.loop_q0.len(), self.nv() + self.loop_nv());
        let known = |term: &Term| term.link.index() < self.links.len() && term.q < nq && term.dof < nv;
        ensure(
            sum.terms.iter().all(known),
            element.kind,
            &element.name,
            "it sums coordinates that do not exist",
        )?;
        check::all_finite(element, "coefficient", sum.terms.iter().map(|term| &term.coefficient))?;
        check::finite(element, "reference", sum.reference)
    }

    fn validate_actuators(&self) -> Result<(), ModelError> {
        for actuator in &self.actuators {
            let exists = match actuator.transmission {
                Transmission::Joint(link) => link.index() < self.links.len(),
                Transmission::Loop(joint) => joint.index() < self.loop_joints.len(),
                Transmission::Tendon(tendon) => tendon.index() < self.tendons.len(),
            };
            ensure(exists, ElementKind::Actuator, &actuator.name, "what it drives does not exist")?;
            let element = Element::new(ElementKind::Actuator, &actuator.name);
            let numbers = actuator.gear.iter().chain(&actuator.gain).chain(&actuator.bias);
            check::all_finite(&element, "gear, gain and bias", numbers)?;
            for limits in [actuator.control_range, actuator.force_range].into_iter().flatten() {
                check::range(&element, "range", limits)?;
            }
        }
        Ok(())
    }

    fn validate_equality(&self, equality: &Equality) -> Result<(), ModelError> {
        let element = Element::new(ElementKind::Equality, &equality.name);
        let says = |holds, what| ensure(holds, ElementKind::Equality, &equality.name, what);
        let exist = |bodies: &[BodyId; 2]| bodies.iter().all(|body| body.index() < self.bodies.len());
        match &equality.kind {
            EqualityKind::Connect { bodies, anchors } => {
                says(exist(bodies), "its bodies do not exist")?;
                check::all_finite(&element, "anchor", anchors.iter().flatten())
            }
            EqualityKind::Weld { bodies, frames } => {
                says(exist(bodies), "its bodies do not exist")?;
                frames.iter().try_for_each(|frame| check::pose(&element, "frame", frame))
            }
            EqualityKind::Closure(closure) => {
                says(exist(&closure.bodies), "its bodies do not exist")?;
                says(self.loop_joints.get(closure.joints.clone()).is_some(), "its joints do not exist")?;
                closure.frames.iter().try_for_each(|frame| check::pose(&element, "frame", frame))
            }
            EqualityKind::Coupling(coupling) => {
                self.validate_combination(&element, &coupling.dependent)?;
                self.validate_combination(&element, &coupling.independent)?;
                check::all_finite(&element, "polynomial", &coupling.polynomial)?;
                coupling.motion.iter().try_for_each(|motion| check::motion(&element, motion))
            }
        }
    }

    fn validate_keyframe(&self, keyframe: &Keyframe) -> Result<(), ModelError> {
        let Keyframe { name, time, q, v, loop_q, ctrl, mocap } = keyframe;
        let lengths = [q.len(), v.len(), loop_q.len(), ctrl.len(), mocap.len()];
        let (actuators, mocaps) = (self.actuators.len(), self.mocap_bodies.len());
        let expected = [self.nq(), self.nv(), self.loop_q0.len(), actuators, mocaps];
        ensure(
            lengths == expected,
            ElementKind::Keyframe,
            name,
            "its lists do not have the lengths of the model's",
        )?;
        let element = Element::new(ElementKind::Keyframe, name);
        check::finite(&element, "time", *time)?;
        check::all_finite(&element, "state", q.iter().chain(v).chain(loop_q).chain(ctrl))?;
        mocap.iter().try_for_each(|pose| {
            check::all_finite(&element, "mocap", pose.translation.iter().chain(&pose.rotation))
        })
    }

    fn validate_rules(&self) -> Result<(), ModelError> {
        let scene = Element::new(ElementKind::Scene, &self.name);
        let says = |holds, what| ensure(holds, ElementKind::Scene, &self.name, what);
        let pair = |[a, b]: [usize; 2], count: usize| a < b && b < count;
        says(
            self.pair_rules.iter().all(|rule| pair(rule.geoms.map(GeomId::index), self.geoms.len()))
                && self.pair_rules.is_sorted_by(|a, b| a.geoms < b.geoms),
            "its rules for pairs are not in order",
        )?;
        says(
            self.excluded.iter().all(|bodies| pair(bodies.map(BodyId::index), self.bodies.len()))
                && self.excluded.is_sorted_by(|a, b| a < b),
            "its excluded pairs are not in order",
        )?;
        says(
            self.material_rules.is_sorted_by(|a, b| a.materials < b.materials)
                && self.material_restitutions.is_sorted_by(|a, b| a.materials < b.materials),
            "its rules for materials are not in order",
        )?;
        self.laws().try_for_each(|law| check::law(&scene, law))?;
        let restitutions = self.material_restitutions.iter().map(|rule| rule.restitution);
        restitutions.chain([self.default_restitution]).try_for_each(|value| check::restitution(&scene, value))
    }
}

/// Range, references and passive coefficients of a joint or tendon.
fn joint_numbers(
    element: &Element,
    range: Option<[f64; 2]>,
    references: [f64; 2],
    passive: &[f64],
) -> Result<(), ModelError> {
    if let Some(range) = range {
        check::range_or_value(element, range)?;
    }
    check::all_finite(element, "reference", &references)?;
    passive.iter().try_for_each(|value| check::not_negative(element, "coefficient", *value))
}
