//! What refers to bodies, joints and geoms: drives, equalities, keyframes, and the rules of contacts.

use crate::model::build::assembly::Assembly;
use crate::model::build::builder::{MaterialRuleSpec, ModelBuilder, PairSpec};
use crate::model::build::check;
use crate::model::build::error::{Element, ElementKind, ModelError};
use crate::model::build::names::NameSpace;
use crate::model::build::spec::{ActuatorSpec, BodyId, CableSpec, EqualitySpec, Target, TendonSpec};
use crate::model::closure::{Closure, ClosureSpec, add_closures};
use crate::model::combination::Combination;
use crate::model::{
    Actuator, Base, Cable, Coupling, Equality, EqualityKind, JointKind, Keyframe, MaterialRestitution,
    MaterialRule, Model, PairRule, Tendon, Transmission,
};
use crate::spatial::Transform;
use crate::suggestion::nearest;
use std::collections::BTreeMap;

/// Adds everything the builder holds besides bodies.
pub(crate) fn add_all(assembly: &mut Assembly, builder: ModelBuilder) -> Result<(), ModelError> {
    let equalities = name_equalities(&builder.equalities)?;
    // Tendons and drives may refer to the joints of closures, couplings to tendons.
    let closures = add_closures(assembly, &builder.equalities, &equalities)?;
    let mut names = tendon_names(&builder)?;
    add_tendons(&mut assembly.model, &mut names, &builder.tendons)?;
    add_cables(assembly, &mut names, &builder.cables)?;
    add_actuators(&mut assembly.model, &builder.actuators)?;
    add_equalities(assembly, &builder.equalities, equalities, closures)?;
    add_keyframes(&mut assembly.model, builder.keyframes)?;
    add_pairs(&mut assembly.model, &builder.pairs)?;
    add_material_rules(&mut assembly.model, builder.material_rules)?;
    if let Some(law) = builder.default_law {
        check::law(&Element::new(ElementKind::MaterialRule, "of the scene"), law)?;
        assembly.model.default_law = Some(law);
    }
    add_restitutions(&mut assembly.model, builder.material_restitutions)?;
    check::restitution(&Element::new(ElementKind::Restitution, "of the scene"), builder.default_restitution)?;
    assembly.model.default_restitution = builder.default_restitution;
    add_exclusions(assembly, &builder.exclusions)
}

/// Names of tendons and cables, which are one kind to who reads a scene.
fn tendon_names(builder: &ModelBuilder) -> Result<NameSpace, ModelError> {
    let tendons = builder.tendons.iter().map(|spec| spec.name.as_str());
    let cables = builder.cables.iter().map(|spec| spec.name.as_str());
    NameSpace::claim(ElementKind::Tendon, tendons.chain(cables))
}

fn add_tendons(model: &mut Model, names: &mut NameSpace, specs: &[TendonSpec]) -> Result<(), ModelError> {
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
        let mut order: Vec<usize> = (0..self.tendons.len()).collect();
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

fn add_cables(assembly: &mut Assembly, names: &mut NameSpace, specs: &[CableSpec]) -> Result<(), ModelError> {
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

fn add_actuators(model: &mut Model, specs: &[ActuatorSpec]) -> Result<(), ModelError> {
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

fn name_equalities(specs: &[EqualitySpec]) -> Result<Vec<Element>, ModelError> {
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

fn add_equalities(
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

/// Joints and tendons by name.
struct Targets {
    joints: BTreeMap<String, Transmission>,
    tendons: BTreeMap<String, usize>,
}

impl Targets {
    fn new(model: &Model) -> Self {
        let links = model.links.iter().enumerate().map(|(i, l)| (l.name.clone(), Transmission::Joint(i)));
        let loops = model.loop_joints.iter().enumerate();
        let loops = loops.map(|(i, joint)| (joint.name.clone(), Transmission::Loop(i)));
        Self {
            joints: links.chain(loops).collect(),
            tendons: numbers(model.tendons.iter().map(|tendon| tendon.name.as_str())),
        }
    }

    /// What a drive refers to.
    fn transmission(&self, element: &Element, target: &Target) -> Result<Transmission, ModelError> {
        Ok(match target {
            Target::Joint(name) => find(&self.joints, element, ElementKind::Joint, name)?,
            Target::Tendon(name) => {
                Transmission::Tendon(find(&self.tendons, element, ElementKind::Tendon, name)?)
            }
        })
    }

    /// What a coupling refers to: the coordinate of a joint, or the length of a tendon.
    fn combination(
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
fn scalar(model: &Model, element: &Element, joint: Transmission) -> Result<Transmission, ModelError> {
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
    fn number(&self, element: &Element, body: BodyId) -> Result<usize, ModelError> {
        let found = self.index.get(body.0).copied();
        found.ok_or_else(|| ModelError::UnknownBody { element: element.clone(), id: body.0 })
    }

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
                let in_second = self.world[b].inverse_point(&self.world[a].point(anchor));
                let [first, second] = bodies.map(|body| &self.model.bodies[body].pose);
                EqualityKind::Connect { bodies, anchors: [first.point(anchor), second.point(&in_second)] }
            }
            EqualitySpec::Weld { bodies, relative_pose, anchor, .. } => {
                let bodies @ [a, b] = relation(self, element, *bodies)?;
                check::all_finite(element, "anchor", anchor.iter())?;
                if let Some(pose) = relative_pose {
                    check::pose(element, "relative pose", pose)?;
                }
                let relative = relative_pose.unwrap_or_else(|| self.world[a].inverse() * self.world[b]);
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
                function.check(element)?;
                let dependent = targets.combination(&self.model, element, target)?;
                // The coordinate itself, not its difference to that at `q0`, follows the function.
                let polynomial = [-dependent.reference, 0.0, 0.0, 0.0, 0.0];
                let (independent, motion) = (Combination::default(), Some(function.clone()));
                EqualityKind::Coupling(Coupling { dependent, independent, polynomial, motion })
            }
        }))
    }
}

/// Numbers of the bodies of an equality, which needs two, one of them moved by joints, that are not fixed to each other.
pub(crate) fn relation(
    assembly: &Assembly,
    element: &Element,
    bodies: [BodyId; 2],
) -> Result<[usize; 2], ModelError> {
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
fn never_move(first: Base, second: Base) -> bool {
    let moves = |base| matches!(base, Base::Link(_));
    first == second || !(moves(first) || moves(second))
}

fn add_keyframes(model: &mut Model, keyframes: Vec<Keyframe>) -> Result<(), ModelError> {
    let mut names = NameSpace::claim(ElementKind::Keyframe, keyframes.iter().map(|k| k.name.as_str()))?;
    for (number, mut key) in keyframes.into_iter().enumerate() {
        let element = names.resolve(&key.name, || format!("keyframe {number}"));
        check::finite(&element, "time", key.time)?;
        if key.q.is_empty() {
            key.q.clone_from(&model.q0);
        }
        complete(&element, "q", &mut key.q, model.nq())?;
        complete(&element, "v", &mut key.v, model.nv())?;
        complete(&element, "ctrl", &mut key.ctrl, model.actuators.len())?;
        normalize_quaternions(model, &element, &mut key.q)?;
        if key.loop_q.is_empty() {
            key.loop_q.clone_from(&model.loop_q0);
        }
        complete(&element, "loop_q", &mut key.loop_q, model.loop_q0.len())?;
        if key.mocap.is_empty() {
            key.mocap.clone_from(&model.mocap_poses);
        }
        if key.mocap.len() != model.mocap_poses.len() {
            let (found, expected) = (key.mocap.len(), model.mocap_poses.len());
            return Err(ModelError::KeyframeLength { element, quantity: "mocap", found, expected });
        }
        for pose in &key.mocap {
            check::all_finite(&element, "mocap", pose.translation.iter().chain(&pose.rotation))?;
        }
        key.name = element.name;
        model.keyframes.push(key);
    }
    Ok(())
}

/// Checks a keyframe's numbers; zeros where there are none.
fn complete(
    element: &Element,
    quantity: &'static str,
    values: &mut Vec<f64>,
    expected: usize,
) -> Result<(), ModelError> {
    if values.is_empty() {
        values.resize(expected, 0.0);
    }
    if values.len() != expected {
        let (element, found) = (element.clone(), values.len());
        return Err(ModelError::KeyframeLength { element, quantity, found, expected });
    }
    check::all_finite(element, quantity, values.iter())
}

fn normalize_quaternions(model: &Model, element: &Element, q: &mut [f64]) -> Result<(), ModelError> {
    for link in &model.links {
        let start = match link.kind {
            JointKind::Free => link.q + 3,
            JointKind::Ball => link.q,
            JointKind::Hinge { .. } | JointKind::Slide { .. } => continue,
        };
        let quaternion = &mut q[start..start + 4];
        let largest = quaternion.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if largest == 0.0 {
            return Err(ModelError::ZeroQuaternion { element: element.clone(), joint: link.name.clone() });
        }
        let norm = quaternion.iter().map(|c| (c / largest) * (c / largest)).sum::<f64>().sqrt();
        quaternion.iter_mut().for_each(|c| *c = *c / largest / norm);
    }
    Ok(())
}

fn add_pairs(model: &mut Model, pairs: &[PairSpec]) -> Result<(), ModelError> {
    let geoms = numbers(model.geoms.iter().map(|geom| geom.name.as_str()));
    for pair in pairs {
        let [first, second] = &pair.geoms;
        let element = both(ElementKind::Pair, first, second);
        let a = find(&geoms, &element, ElementKind::Geom, first)?;
        let b = find(&geoms, &element, ElementKind::Geom, second)?;
        if a == b {
            return Err(ModelError::SameTwice { element, name: first.clone() });
        }
        let base = |geom: usize| model.bodies[model.geoms[geom].body].base;
        if never_move(base(a), base(b)) {
            return Err(ModelError::NeverMove { element, first: first.clone(), second: second.clone() });
        }
        check::law(&element, pair.law)?;
        model.pair_rules.push(PairRule { geoms: [a.min(b), a.max(b)], law: pair.law });
    }
    model.pair_rules.sort_unstable_by_key(|rule| rule.geoms);
    for rules in model.pair_rules.windows(2) {
        if rules[0].geoms == rules[1].geoms {
            let [a, b] = rules[0].geoms.map(|geom| &model.geoms[geom].name);
            return Err(ModelError::DuplicateRule { element: both(ElementKind::Pair, a, b) });
        }
    }
    Ok(())
}

fn add_material_rules(model: &mut Model, rules: Vec<MaterialRuleSpec>) -> Result<(), ModelError> {
    for MaterialRuleSpec { mut materials, law } in rules {
        let element = both(ElementKind::MaterialRule, &materials[0], &materials[1]);
        check::law(&element, law)?;
        materials.sort_unstable();
        model.material_rules.push(MaterialRule { materials, law });
    }
    model.material_rules.sort_by(|a, b| a.materials.cmp(&b.materials));
    for rules in model.material_rules.windows(2) {
        if rules[0].materials == rules[1].materials {
            let [a, b] = &rules[0].materials;
            return Err(ModelError::DuplicateRule { element: both(ElementKind::MaterialRule, a, b) });
        }
    }
    Ok(())
}

fn add_restitutions(model: &mut Model, rules: Vec<MaterialRestitution>) -> Result<(), ModelError> {
    model.material_restitutions = rules;
    for MaterialRestitution { materials, restitution } in &mut model.material_restitutions {
        let element = both(ElementKind::Restitution, &materials[0], &materials[1]);
        check::restitution(&element, *restitution)?;
        materials.sort_unstable();
    }
    model.material_restitutions.sort_by(|a, b| a.materials.cmp(&b.materials));
    for rules in model.material_restitutions.windows(2) {
        if rules[0].materials == rules[1].materials {
            let [a, b] = &rules[0].materials;
            return Err(ModelError::DuplicateRule { element: both(ElementKind::Restitution, a, b) });
        }
    }
    Ok(())
}

fn add_exclusions(assembly: &mut Assembly, exclusions: &[[BodyId; 2]]) -> Result<(), ModelError> {
    let label = |id: BodyId| match assembly.index.get(id.0) {
        Some(&body) => assembly.names[body].body.name.clone(),
        None => id.0.to_string(),
    };
    let mut excluded = Vec::with_capacity(exclusions.len());
    for &[first, second] in exclusions {
        let element = both(ElementKind::Exclusion, &label(first), &label(second));
        let (a, b) = (assembly.number(&element, first)?, assembly.number(&element, second)?);
        if a == b {
            return Err(ModelError::SameTwice { element, name: label(first) });
        }
        excluded.push([a.min(b), a.max(b)]);
    }
    excluded.sort_unstable();
    excluded.dedup();
    assembly.model.excluded = excluded;
    Ok(())
}

fn both(kind: ElementKind, first: &str, second: &str) -> Element {
    Element { kind, name: format!("{first} and {second}") }
}

/// Number of each name in a list.
fn numbers<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    names.enumerate().map(|(number, name)| (name.to_owned(), number)).collect()
}

/// Number of a name that something refers to.
fn find<T: Copy>(
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
