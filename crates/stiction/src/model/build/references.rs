//! References: from names and the builder's ids to numbers in the model, or the error that says what is not there.

use super::assembly::Assembly;
use super::element::{Element, ElementKind};
use super::error::ModelError;
use super::spec::{BodyHandle, Target};
use crate::model::{
    Base, BodyId, Combination, JointKind, LinkId, LoopJointId, Model, TendonId, Transmission,
};
use crate::suggestion::nearest;
use std::collections::BTreeMap;

/// Joints and tendons by name.
pub(crate) struct Targets {
    pub(crate) joints: BTreeMap<String, Transmission>,
    tendons: BTreeMap<String, TendonId>,
}

impl Targets {
    pub(crate) fn new(model: &Model) -> Self {
        let links = LinkId::all(&model.links).map(|i| (model.links[i].name.clone(), Transmission::Joint(i)));
        let loops = LoopJointId::all(&model.loop_joints)
            .map(|i| (model.loop_joints[i].name.clone(), Transmission::Loop(i)));
        let tendons = TendonId::all(&model.tendons).map(|i| (model.tendons[i].name.clone(), i));
        Self { joints: links.chain(loops).collect(), tendons: tendons.collect() }
    }

    /// What a drive refers to.
    pub(crate) fn transmission(
        &self,
        element: &Element,
        target: &Target,
    ) -> Result<Transmission, ModelError> {
        Ok(match target {
            Target::Joint(name) => find(&self.joints, element, ElementKind::Joint, name)?,
            Target::Tendon(name) => {
                Transmission::Tendon(find(&self.tendons, element, ElementKind::Tendon, name)?)
            }
        })
    }

    /// What a coupling refers to: the coordinate of a joint, or the length of a tendon.
    pub(crate) fn combination(
        &self,
        model: &Model,
        element: &Element,
        target: &Target,
    ) -> Result<Combination, ModelError> {
        let joint = match self.transmission(element, target)? {
            Transmission::Tendon(tendon) => return Ok(model.tendons[tendon].path.clone()),
            joint => scalar(model, element, joint)?,
        };
        Ok(Combination::new(model, &[(joint, 1.0)]))
    }
}

/// Refuses a joint that is not a hinge or slide.
pub(crate) fn scalar(
    model: &Model,
    element: &Element,
    joint: Transmission,
) -> Result<Transmission, ModelError> {
    let (kind, name) = match joint {
        Transmission::Joint(link) => (model.links[link].kind, &model.links[link].name),
        Transmission::Loop(joint) => (model.loop_joints[joint].kind, &model.loop_joints[joint].name),
        Transmission::Tendon(_) => return Ok(joint),
    };
    match kind {
        JointKind::Hinge { .. } | JointKind::Slide { .. } => Ok(joint),
        JointKind::Ball | JointKind::Free => {
            Err(ModelError::NotScalar { element: element.clone(), joint: name.clone() })
        }
    }
}

impl Assembly {
    /// Number in the model of a body of the builder.
    pub(crate) fn number(&self, element: &Element, body: BodyHandle) -> Result<BodyId, ModelError> {
        let found = self.index.get(body.0).copied().map(BodyId::new);
        found.ok_or_else(|| ModelError::UnknownBody { element: element.clone(), id: body.0 })
    }
}

/// Numbers of the bodies of an equality, which needs two, one of them moved by joints, that are not fixed to each other.
pub(crate) fn relation(
    assembly: &Assembly,
    element: &Element,
    bodies: [BodyHandle; 2],
) -> Result<[BodyId; 2], ModelError> {
    let [a, b] = [assembly.number(element, bodies[0])?, assembly.number(element, bodies[1])?];
    let (first, second) = (&assembly.model.bodies[a], &assembly.model.bodies[b]);
    if a == b {
        return Err(ModelError::SameTwice { element: element.clone(), name: first.name.clone() });
    }
    if never_move(first.base, second.base) {
        return Err(ModelError::NeverMove {
            element: element.clone(),
            first: first.name.clone(),
            second: second.name.clone(),
        });
    }
    Ok([a, b])
}

/// Whether two bodies on these bases never move against each other because of forces.
pub(crate) fn never_move(first: Base, second: Base) -> bool {
    let moves = |base| matches!(base, Base::Link(_));
    first == second || !(moves(first) || moves(second))
}

pub(crate) fn both(kind: ElementKind, first: &str, second: &str) -> Element {
    Element { kind, name: format!("{first} and {second}") }
}

/// Number of a name that something refers to.
pub(crate) fn find<T: Copy>(
    numbers: &BTreeMap<String, T>,
    element: &Element,
    kind: ElementKind,
    target: &str,
) -> Result<T, ModelError> {
    numbers.get(target).copied().ok_or_else(|| ModelError::UnknownName {
        element: element.clone(),
        kind,
        target: target.to_owned(),
        suggestion: nearest(target, numbers.keys().map(String::as_str)).map(str::to_owned),
    })
}
