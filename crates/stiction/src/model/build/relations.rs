//! What refers to bodies and joints: tendons, cables, actuators and equalities.

use super::assembly::Assembly;
use super::check;
use super::element::{Element, ElementKind};
use super::error::ModelError;
use super::names::NameSpace;
use super::references::{Targets, find, never_move, relation, scalar};
use super::spec::{ActuatorSpec, CableSpec, ClosureSpec, EqualitySpec, Target, TendonSpec};
use crate::model::{
    Actuator, Cable, Closure, Combination, Coupling, Equality, EqualityKind, LinkId, LoopJointId, Model,
    Tendon, TendonId, Transmission,
};
use crate::spatial::Transform;

pub(crate) fn add_tendons(
    model: &mut Model,
    names: &mut NameSpace,
    specs: &[TendonSpec],
) -> Result<(), ModelError> {
    let targets = Targets::new(model);
    for (number, spec) in specs.iter().enumerate() {
        let element = names.resolve(&spec.name, || format!("tendon {number}"));
        check::tendon(&element, spec)?;
        let mut weights = Vec::with_capacity(spec.joints.len());
        for (joint, coefficient) in &spec.joints {
            let joint = find(&targets.joints, &element, ElementKind::Joint, joint)?;
            weights.push((scalar(model, &element, joint)?, *coefficient));
        }
        let path = Combination::new(model, &weights);
        let relaxed = path.at_spring_references(model);
        model.tendons.push(Tendon {
            name: element.name,
            path,
            range: spec.range,
            stiffness: spec.stiffness,
            spring_range: spec.spring_range.unwrap_or([relaxed; 2]),
            damping: spec.damping,
            friction_loss: spec.friction_loss,
        });
    }
    model.list_tendons();
    Ok(())
}

impl Model {
    /// Lists with every tree the tendons over its joints, in the order of their names.
    pub(crate) fn list_tendons(&mut self) {
        self.trees.iter_mut().for_each(|tree| tree.tendons.clear());
        let mut order: Vec<TendonId> = TendonId::all(&self.tendons).collect();
        order.sort_by_key(|&tendon| &self.tendons[tendon].name);
        for tendon in order {
            for term in &self.tendons[tendon].path.terms {
                for link in self.term_links(term).into_iter().flatten() {
                    let tree = &mut self.trees[self.links[link].tree];
                    if tree.tendons.last() != Some(&tendon) {
                        tree.tendons.push(tendon);
                    }
                }
            }
        }
    }
}

pub(crate) fn add_cables(
    assembly: &mut Assembly,
    names: &mut NameSpace,
    specs: &[CableSpec],
) -> Result<(), ModelError> {
    for (number, spec) in specs.iter().enumerate() {
        let element = names.resolve(&spec.name, || format!("cable {number}"));
        check::cable(&element, spec)?;
        let mut points = Vec::with_capacity(spec.points.len());
        for (body, point) in &spec.points {
            let body = assembly.number(&element, *body)?;
            points.push((body, assembly.model.bodies[body].pose.point(point)));
        }
        let bodies = &assembly.model.bodies;
        let (first, last) = (&bodies[points[0].0], &bodies[points[points.len() - 1].0]);
        if points.windows(2).all(|pair| never_move(bodies[pair[0].0].base, bodies[pair[1].0].base)) {
            let (first, second) = (first.name.clone(), last.name.clone());
            return Err(ModelError::NeverMove { element, first, second });
        }
        assembly.model.cables.push(Cable { name: element.name, points, range: spec.range });
    }
    Ok(())
}

pub(crate) fn add_actuators(model: &mut Model, specs: &[ActuatorSpec]) -> Result<(), ModelError> {
    let mut names = NameSpace::claim(ElementKind::Actuator, specs.iter().map(|s| s.name.as_str()))?;
    let targets = Targets::new(model);
    for (number, spec) in specs.iter().enumerate() {
        let element = names.resolve(&spec.name, || format!("actuator {number}"));
        check::actuator(&element, spec)?;
        let transmission = targets.transmission(&element, &spec.target)?;
        let scalar = scalar(model, &element, transmission).is_ok();
        let pure = spec.bias == [0.0; 3] && spec.gain[1..] == [0.0, 0.0];
        if !(scalar || pure) {
            let (joint, gain, bias) = (spec.target.name().to_owned(), spec.gain, spec.bias);
            return Err(ModelError::BiasOnRotation { element, joint, gain, bias });
        }
        model.actuators.push(Actuator {
            name: element.name,
            transmission,
            gear: spec.gear,
            gain: spec.gain,
            bias: spec.bias,
            control_range: spec.control_range,
            force_range: spec.force_range,
        });
    }
    Ok(())
}

pub(crate) fn name_equalities(specs: &[EqualitySpec]) -> Result<Vec<Element>, ModelError> {
    let given = |spec: &EqualitySpec| match spec {
        EqualitySpec::Connect { name, .. }
        | EqualitySpec::Weld { name, .. }
        | EqualitySpec::Closure(ClosureSpec { name, .. })
        | EqualitySpec::Motion { name, .. }
        | EqualitySpec::Coupling { name, .. } => name.clone(),
    };
    let given: Vec<String> = specs.iter().map(given).collect();
    let mut names = NameSpace::claim(ElementKind::Equality, given.iter().map(String::as_str))?;
    let resolve = |(number, name): (usize, &String)| names.resolve(name, || format!("equality {number}"));
    Ok(given.iter().enumerate().map(resolve).collect())
}

pub(crate) fn add_equalities(
    assembly: &mut Assembly,
    specs: &[EqualitySpec],
    elements: Vec<Element>,
    closures: Vec<Closure>,
) -> Result<(), ModelError> {
    let targets = Targets::new(&assembly.model);
    let mut closures = closures.into_iter();
    for (spec, element) in specs.iter().zip(elements) {
        let kind = match spec {
            EqualitySpec::Closure(_) => closures.next().map(EqualityKind::Closure),
            _ => assembly.equality_kind(&targets, &element, spec)?,
        };
        assembly.model.equalities.extend(kind.map(|kind| Equality { name: element.name, kind }));
    }
    Ok(())
}

/// Adds an equality for every hinge, slide and tendon whose range has no width: such a range is a value, which a bilateral row holds,
/// where the rows of both its ends would say the same twice.
pub(crate) fn hold_ranges_without_width(model: &mut Model) -> Result<(), ModelError> {
    let value = |range: &Option<[f64; 2]>| range.filter(|[low, high]| low == high).map(|[value, _]| value);
    let links = LinkId::all(&model.links).zip(&model.links);
    let joints = links.map(|(id, link)| (Transmission::Joint(id), &link.name, value(&link.range)));
    let loops = LoopJointId::all(&model.loop_joints).zip(&model.loop_joints);
    let loops = loops.map(|(id, joint)| (Transmission::Loop(id), &joint.name, value(&joint.range)));
    let of_joints = joints.chain(loops).filter_map(|(joint, name, value)| {
        Some((format!("range of joint {name}"), Combination::new(model, &[(joint, 1.0)]), value?))
    });
    let of_tendons = model.tendons.iter().filter_map(|tendon| {
        Some((format!("range of tendon {}", tendon.name), tendon.path.clone(), value(&tendon.range)?))
    });
    let held: Vec<_> = of_joints.chain(of_tendons).collect();
    let given = model.equalities.iter().map(|equality| equality.name.as_str());
    let mut names = NameSpace::claim(ElementKind::Equality, given)?;
    for (name, dependent, value) in held {
        let polynomial = [value - dependent.reference, 0.0, 0.0, 0.0, 0.0];
        let independent = Combination::default();
        let kind = EqualityKind::Coupling(Coupling { dependent, independent, polynomial, motion: None });
        model.equalities.push(Equality { name: names.resolve("", || name).name, kind });
    }
    Ok(())
}

impl Assembly {
    /// What is held, for bodies in the frames of their bases; nothing of a closure, which has its own function.
    fn equality_kind(
        &self,
        targets: &Targets,
        element: &Element,
        spec: &EqualitySpec,
    ) -> Result<Option<EqualityKind>, ModelError> {
        Ok(Some(match spec {
            EqualitySpec::Closure(_) => return Ok(None),
            EqualitySpec::Connect { bodies, anchor, .. } => {
                let bodies @ [a, b] = relation(self, element, *bodies)?;
                check::all_finite(element, "anchor", anchor.iter())?;
                let in_second = self.world[b.index()].inverse_point(&self.world[a.index()].point(anchor));
                let [first, second] = bodies.map(|body| &self.model.bodies[body].pose);
                EqualityKind::Connect { bodies, anchors: [first.point(anchor), second.point(&in_second)] }
            }
            EqualitySpec::Weld { bodies, relative_pose, anchor, .. } => {
                let bodies @ [a, b] = relation(self, element, *bodies)?;
                check::all_finite(element, "anchor", anchor.iter())?;
                if let Some(pose) = relative_pose {
                    check::pose(element, "relative pose", pose)?;
                }
                let relative =
                    relative_pose.unwrap_or_else(|| self.world[a.index()].inverse() * self.world[b.index()]);
                let held = Transform::from_translation(*anchor);
                let [first, second] = bodies.map(|body| self.model.bodies[body].pose);
                EqualityKind::Weld { bodies, frames: [first * relative * held, second * held] }
            }
            EqualitySpec::Coupling { dependent, independent, polynomial, .. } => {
                check::all_finite(element, "polynomial", polynomial)?;
                if independent.as_ref() == Some(dependent) {
                    let name = dependent.name().to_owned();
                    return Err(ModelError::SameTwice { element: element.clone(), name });
                }
                let find = |of: &Target| targets.combination(&self.model, element, of);
                EqualityKind::Coupling(Coupling {
                    dependent: find(dependent)?,
                    independent: independent.as_ref().map(find).transpose()?.unwrap_or_default(),
                    polynomial: *polynomial,
                    motion: None,
                })
            }
            EqualitySpec::Motion { target, function, .. } => {
                check::motion(element, function)?;
                let dependent = targets.combination(&self.model, element, target)?;
                // The coordinate itself, not its difference to that at `q0`, follows the function.
                let polynomial = [-dependent.reference, 0.0, 0.0, 0.0, 0.0];
                let (independent, motion) = (Combination::default(), Some(function.clone()));
                EqualityKind::Coupling(Coupling { dependent, independent, polynomial, motion })
            }
        }))
    }
}
