//! Adds the joints of loops, see [`Closure`].

use super::assembly::Assembly;
use super::check;
use super::element::{Element, ElementKind};
use super::error::ModelError;
use super::names::NameSpace;
use super::references::relation;
use super::spec::{ClosureSpec, EqualitySpec};
use crate::model::{Closure, EqualityId, JointKind, LoopJoint};
use crate::spatial::Transform;
use nalgebra::Vector3;

/// Adds the joints of all closures among the equalities; the closures themselves in their order.
pub(crate) fn add_closures(
    assembly: &mut Assembly,
    specs: &[EqualitySpec],
    elements: &[Element],
) -> Result<Vec<Closure>, ModelError> {
    let closures: Vec<(usize, &ClosureSpec)> = (specs.iter().enumerate())
        .filter_map(|(number, spec)| match spec {
            EqualitySpec::Closure(closure) => Some((number, closure)),
            _ => None,
        })
        .collect();
    let joints = closures.iter().flat_map(|(_, closure)| &closure.joints);
    let given = joints.map(|joint| joint.name.as_str());
    let trees = assembly.model.links.iter().map(|link| link.name.as_str());
    let mut names = NameSpace::claim(ElementKind::Joint, trees.chain(given))?;
    let add = |(number, spec): &(usize, &ClosureSpec)| {
        add_closure(assembly, &mut names, *number, &elements[*number], spec)
    };
    closures.iter().map(add).collect()
}

fn add_closure(
    assembly: &mut Assembly,
    names: &mut NameSpace,
    equality: usize,
    element: &Element,
    spec: &ClosureSpec,
) -> Result<Closure, ModelError> {
    let bodies @ [a, b] = relation(assembly, element, spec.bodies)?;
    check::pose(element, "frame", &spec.frame)?;
    if let Some(frame) = &spec.second_frame {
        check::pose(element, "second frame", frame)?;
    }
    let freedoms: usize = spec.joints.iter().map(|joint| joint.kind.nv()).sum();
    if freedoms > 6 {
        return Err(ModelError::ClosureFreedoms { element: element.clone(), freedoms });
    }
    let first = assembly.model.loop_joints.len();
    let mut in_carrier = Transform::identity();
    for (index, joint) in spec.joints.iter().enumerate() {
        let name = names.resolve(&joint.name, || match spec.joints.len() {
            1 => element.name.clone(),
            _ => format!("{}/joint {index}", element.name),
        });
        let kind = check::joint(&name, joint)?;
        let anchor = match kind {
            JointKind::Hinge { .. } | JointKind::Ball => joint.position,
            JointKind::Slide { .. } => Vector3::zeros(),
            JointKind::Free => return Err(ModelError::FreeInClosure { element: name }),
        };
        assembly.model.push_loop_joint(LoopJoint {
            name: name.name,
            equality: EqualityId::new(equality),
            links: bodies.map(|body| assembly.model.bodies[body].base.link()),
            placement: in_carrier * Transform::from_translation(anchor),
            kind,
            q: 0,
            v: 0,
            reference: joint.reference,
            range: joint.range,
            stiffness: joint.stiffness,
            spring_reference: joint.spring_reference,
            damping: joint.damping,
            armature: joint.armature,
            friction_loss: joint.friction_loss,
        });
        in_carrier = Transform::from_translation(-anchor);
    }
    let second = spec
        .second_frame
        .unwrap_or_else(|| assembly.world[b.index()].inverse() * assembly.world[a.index()] * spec.frame);
    // The chain ends at the last joint's anchor.
    let frames = [
        assembly.model.bodies[a].pose * spec.frame,
        assembly.model.bodies[b].pose * second * in_carrier.inverse(),
    ];
    Ok(Closure { bodies, frames, joints: first..assembly.model.loop_joints.len() })
}
