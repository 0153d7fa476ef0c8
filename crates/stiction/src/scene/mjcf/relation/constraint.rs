//! `<contact>` and `<equality>`: pairs with laws of their own, pairs that never touch, and bilateral constraints.

use crate::contact::Law;
use crate::model::{BodyHandle, ElementKind, EqualitySpec, Target};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check, unread_child};
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::orientation::quaternion;
use crate::scene::mjcf::world::joint::JointClass;
use crate::spatial::Transform;
use crate::suggestion::did_you_mean;
use nalgebra::Vector3;
use std::collections::BTreeMap;

const PAIR: Attributes = Attributes {
    read: &["name", "class", "geom1", "geom2", "condim", "friction"],
    inert: &[],
    unmodelled: &[
        ("adhesion", "contacts do not pull"),
        ("gap", "contacts act where surfaces touch"),
        ("margin", "contacts act where surfaces touch"),
    ],
};

const EXCLUDE: Attributes = Attributes { read: &["name", "body1", "body2"], inert: &[], unmodelled: &[] };

const EQUALITY: Attributes = Attributes {
    read: &["name", "class", "active", "body1", "body2", "anchor", "relpose", "site1", "site2"],
    inert: &["torquescale"],
    unmodelled: &[],
};

const COUPLING: Attributes = Attributes {
    read: &["name", "class", "active", "joint1", "joint2", "tendon1", "tendon2", "polycoef"],
    inert: &[],
    unmodelled: &[],
};

impl<'d> Reader<'d> {
    /// Reads a `<contact>` section.
    pub(crate) fn contact(&mut self, section: Element<'d>) -> Result<(), SceneError> {
        for element in section.children() {
            match element.tag() {
                "pair" => self.pair(element)?,
                "exclude" => self.exclude(element)?,
                _ => unread_child(element, &mut self.notes),
            }
        }
        Ok(())
    }

    /// Checks a `<pair>` of a default class on its own.
    pub(crate) fn check_default_pair(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &PAIR, &mut self.notes);
        apply_pair(element, &mut 3, &mut [1.0; 5])
    }

    fn pair(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &PAIR, &mut self.notes);
        let first = self.geom_of(element, "geom1")?;
        let second = self.geom_of(element, "geom2")?;
        let (mut condim, mut friction) = (3, [1.0, 1.0, 0.005, 0.0001, 0.0001]);
        let mut two_directions = false;
        for layer in self.defaults.layers(element, &["pair"], None)? {
            apply_pair(layer, &mut condim, &mut friction)?;
            two_directions |= layer.list("friction", 0, 5)?.is_some_and(|given| given.len() > 1);
        }
        let [along, across, ..] = friction;
        if two_directions && along != across {
            let message = format!("friction is the same in all directions: {along} acts, {across} does not");
            element.note(&mut self.notes, EntryKind::Ignored, Some("friction"), message);
        }
        if condim > 3 {
            let message = format!("{condim} acts like 3: torsional and rolling friction are not modelled");
            element.note(&mut self.notes, EntryKind::Ignored, Some("condim"), message);
        }
        let mut key = [first, second];
        key.sort_unstable();
        if let Some(before) = self.pairs.insert(key, element) {
            let message = format!(
                "{first:?} and {second:?} are a pair already on {}; keep one",
                before.line_seen_from(element)
            );
            return Err(element.invalid(None, message));
        }
        if !self.world.disabled.contact {
            let law = if condim == 1 { Law::Frictionless } else { Law::Coulomb { mu: friction[0] } };
            self.place_pair(ElementKind::Pair, first, second, element);
            self.builder.add_pair(first, second, law);
        }
        Ok(())
    }

    fn geom_of(&self, element: Element<'d>, attribute: &str) -> Result<&'d str, SceneError> {
        let name = element.required(attribute, "the name of a geom is needed")?;
        match self.names.get("geom", name) {
            Some(_) => Ok(name),
            None => Err(element.invalid(Some(attribute), self.names.missing("geom", name))),
        }
    }

    fn exclude(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &EXCLUDE, &mut self.notes);
        let names = [
            element.required("body1", "the name of a body is needed")?,
            element.required("body2", "the name of a body is needed")?,
        ];
        let first = self.body_of(element, "body1")?;
        let second = self.body_of(element, "body2")?;
        let mut key = names;
        key.sort_unstable();
        if let Some(before) = self.excluded.insert(key, element) {
            let message = format!("the same pair is excluded already on {}", before.line_seen_from(element));
            element.note(&mut self.notes, EntryKind::Ignored, None, message);
            return Ok(());
        }
        self.place_pair(ElementKind::Exclusion, names[0], names[1], element);
        self.builder.exclude(first, second);
        Ok(())
    }

    /// The body an attribute names; the world without the attribute.
    fn body_of(&self, element: Element<'d>, attribute: &str) -> Result<BodyHandle, SceneError> {
        let name = element.attribute(attribute).unwrap_or("world");
        match self.builder.find_body(name) {
            Some(body) if !name.is_empty() => Ok(body),
            _ => Err(element.invalid(Some(attribute), self.names.missing("body", name))),
        }
    }

    /// Reads an `<equality>` section.
    pub(crate) fn equality(&mut self, section: Element<'d>) -> Result<(), SceneError> {
        for element in section.children() {
            match element.tag() {
                "connect" | "weld" => self.bilateral(element)?,
                "joint" | "tendon" => self.coupling(element)?,
                "flex" | "flexvert" | "flexstrain" => {
                    let message = format!(
                        "the constraint between {}s is not supported: it does not hold",
                        element.tag()
                    );
                    element.note(&mut self.notes, EntryKind::Ignored, None, message);
                }
                _ => unread_child(element, &mut self.notes),
            }
        }
        Ok(())
    }

    fn bilateral(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &EQUALITY, &mut self.notes);
        self.names.register("equality", element)?;
        if element.has("site1") || element.has("site2") {
            let message =
                "a constraint between sites is not supported: it does not hold; use bodies and an anchor";
            element.note(&mut self.notes, EntryKind::Ignored, None, message);
            return Ok(());
        }
        element.required("body1", "the name of a body is needed")?;
        let bodies = [self.body_of(element, "body1")?, self.body_of(element, "body2")?];
        let name = element.name().to_string();
        let anchor = element.vector("anchor")?;
        let spec = if element.tag() == "connect" {
            let anchor = anchor.ok_or_else(|| {
                element.invalid(Some("anchor"), "missing; the point in the first body's frame is needed")
            })?;
            EqualitySpec::Connect { name, bodies, anchor }
        } else {
            let anchor = anchor.unwrap_or_default();
            EqualitySpec::Weld { name, bodies, relative_pose: relative_pose(element, &anchor)?, anchor }
        };
        self.add_equality(element, spec)
    }

    /// `<joint>` and `<tendon>`: a coordinate or length is a polynomial of another.
    fn coupling(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &COUPLING, &mut self.notes);
        self.names.register("equality", element)?;
        let sides = match element.tag() {
            "joint" => ["joint1", "joint2"],
            _ => ["tendon1", "tendon2"],
        };
        let target = |side: &str| match element.tag() {
            "joint" => Ok(Target::Joint(self.scalar_joint(element, side)?.to_string())),
            _ => self.tendon_target(element, side),
        };
        let dependent = target(sides[0])?;
        let independent = element.has(sides[1]).then(|| target(sides[1])).transpose()?;
        let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
        element.overwrite("polycoef", &mut polynomial)?;
        if independent.is_none() && polynomial[1..] != [1.0, 0.0, 0.0, 0.0] {
            let message = format!("only the first number acts: there is no {}", sides[1]);
            element.note(&mut self.notes, EntryKind::Ignored, Some("polycoef"), message);
        }
        let name = element.name().to_string();
        self.add_equality(element, EqualitySpec::Coupling { name, dependent, independent, polynomial })
    }

    /// The hinge or slide an attribute names.
    pub(crate) fn scalar_joint(&self, element: Element<'d>, attribute: &str) -> Result<&'d str, SceneError> {
        let name = element.required(attribute, "the name of a hinge or slide is needed")?;
        match self.joints.get(name) {
            Some(JointClass::Scalar) => Ok(name),
            Some(JointClass::Ball | JointClass::Free) => {
                let message = format!("joint {name:?} is a ball or free joint; a hinge or slide is needed");
                Err(element.invalid(Some(attribute), message))
            }
            None => {
                let hint = did_you_mean(name, self.joints.keys().copied());
                Err(element.invalid(Some(attribute), format!("there is no joint {name:?}{hint}")))
            }
        }
    }

    /// Adds an equality, unless it is switched off.
    fn add_equality(&mut self, element: Element<'d>, spec: EqualitySpec) -> Result<(), SceneError> {
        let mut active = !self.world.disabled.equality;
        for layer in self.defaults.layers(element, &["equality"], None)? {
            active = layer.boolean("active")?.map_or(active, |on| on && !self.world.disabled.equality);
        }
        if active {
            let made_up = format!("equality {}", self.equalities);
            self.place(
                ElementKind::Equality,
                if element.name().is_empty() { &made_up } else { element.name() },
                element,
            );
            self.equalities += 1;
            self.builder.add_equality(spec);
        } else {
            element.note(
                &mut self.notes,
                EntryKind::Ignored,
                Some("active"),
                "inactive: the constraint does not hold",
            );
        }
        Ok(())
    }
}

/// Puts one layer of a pair on top.
fn apply_pair(layer: Element<'_>, condim: &mut i32, friction: &mut [f64; 5]) -> Result<(), SceneError> {
    if let Some(given) = layer.integer("condim")? {
        if ![1, 3, 4, 6].contains(&given) {
            return Err(layer.invalid(Some("condim"), format!("{given} is not 1, 3, 4 or 6")));
        }
        *condim = given;
    }
    layer.overwrite("friction", friction)?;
    match friction.iter().find(|mu| **mu < 0.0) {
        Some(bad) => {
            Err(layer.invalid(Some("friction"), format!("{bad} is negative; zero or more is needed")))
        }
        None => Ok(()),
    }
}

/// Pose of the second body in the first from `relpose`, whose position is that of the anchor (given in the second
/// body's frame); `None` when its quaternion is zero, which stands for the pose at `q0`.
fn relative_pose(element: Element<'_>, anchor: &Vector3<f64>) -> Result<Option<Transform>, SceneError> {
    let Some([x, y, z, rotation @ ..]) = element.numbers::<7>("relpose")? else { return Ok(None) };
    let Some(rotation) = quaternion(rotation) else { return Ok(None) };
    let mut pose = Transform::new(Vector3::new(x, y, z), &rotation);
    pose.translation -= pose.vector(anchor);
    Ok(Some(pose))
}

/// Pairs of geoms seen so far, by sorted names.
pub(crate) type Pairs<'d> = BTreeMap<[&'d str; 2], Element<'d>>;

/// Excluded pairs of bodies seen so far, by sorted names.
pub(crate) type Excluded<'d> = BTreeMap<[&'d str; 2], Element<'d>>;
