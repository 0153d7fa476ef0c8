//! `<worldbody>`, `<body>` and `<frame>`: the tree of bodies.

use crate::model::{BodyHandle, BodySpec, ElementKind, Inertial};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check, unread_child};
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::orientation::pose;
use crate::spatial::Transform;
use nalgebra::{Matrix3, Vector3};

const BODY: Attributes = Attributes {
    read: &["name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mocap"],
    inert: &["user", "sleep", "simple", "fuse"],
    unmodelled: &[("gravcomp", "there is no gravity compensation")],
};

const FRAME: Attributes = Attributes {
    read: &["name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"],
    inert: &[],
    unmodelled: &[],
};

/// Elements that generate or attach bodies: leaving them out would make another scene.
pub(crate) const GENERATORS: [&str; 4] = ["attach", "composite", "flexcomp", "replicate"];

/// An element inside a body, with the frame and the default class it stands in.
#[derive(Clone, Copy, Debug)]
struct Placed<'d> {
    element: Element<'d>,
    frame: Transform,
    class: Option<&'d str>,
}

impl<'d> Reader<'d> {
    /// Reads `<worldbody>` and everything below.
    pub(crate) fn worldbody(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        if let Some(name) = element.attribute_names().next() {
            return Err(element.invalid(Some(name), "the world has no attributes; put them on a body"));
        }
        let children = self.contents(element, Transform::identity(), None)?;
        self.sites_of(BodyHandle::WORLD, &children)?;
        let inside = children.iter().filter(|child| !["body", "site"].contains(&child.element.tag()));
        for (number, child) in inside.enumerate() {
            if child.element.tag() != "geom" {
                return Err(child.element.invalid(None, "the world cannot have one; put it into a body"));
            }
            let geom = self.geom(child.element, &child.frame, child.class)?;
            self.place(ElementKind::Geom, &named(&geom.name, "world", number), child.element);
            self.builder.add_geom(BodyHandle::WORLD, geom).map_err(|e| element.model_error(e))?;
        }
        self.child_bodies(BodyHandle::WORLD, "world", &children)
    }

    fn child_bodies(
        &mut self,
        parent: BodyHandle,
        name: &str,
        children: &[Placed<'d>],
    ) -> Result<(), SceneError> {
        let mut unnamed = 0;
        for child in children.iter().filter(|child| child.element.tag() == "body") {
            let given = child.element.name();
            let own = named(given, name, unnamed);
            unnamed += usize::from(given.is_empty());
            self.body(parent, &own, child)?;
        }
        Ok(())
    }

    /// Reads a `<body>` and everything below.
    fn body(&mut self, parent: BodyHandle, name: &str, placed: &Placed<'d>) -> Result<(), SceneError> {
        let element = placed.element;
        check(element, &BODY, &mut self.notes);
        if element.name() == "world" {
            return Err(element.invalid(Some("name"), "\"world\" is the name of the world body"));
        }
        self.names.register("body", element)?;
        self.place(ElementKind::Body, name, element);
        let class = self.defaults.find(element, "childclass")?.or(placed.class);
        let children = self.contents(element, Transform::identity(), class)?;
        let mut spec = BodySpec {
            name: element.name().to_string(),
            pose: placed.frame * pose(element, &self.compiler)?,
            mocap: self.mocap(element)?,
            ..BodySpec::default()
        };
        let inertial = self.inertial_of(name, &children)?;
        let mass_from_geoms = self.mass_from_geoms(inertial.is_some());
        self.joints_and_geoms(name, &children, &mut spec)?;
        spec.inertial = match inertial {
            _ if mass_from_geoms => None,
            None => Some(Inertial { mass: 0.0, center_of_mass: Vector3::zeros(), inertia: Matrix3::zeros() }),
            given => given,
        };
        self.bound_inertia(element, &mut spec);
        let id = self.builder.add_body(parent, spec).map_err(|e| element.model_error(e))?;
        self.sites_of(id, &children)?;
        self.child_bodies(id, name, &children)
    }

    fn sites_of(&mut self, body: BodyHandle, children: &[Placed<'d>]) -> Result<(), SceneError> {
        children
            .iter()
            .filter(|child| child.element.tag() == "site")
            .try_for_each(|child| self.site(child.element, body, &child.frame, child.class))
    }

    fn joints_and_geoms(
        &mut self,
        body: &str,
        children: &[Placed<'d>],
        spec: &mut BodySpec,
    ) -> Result<(), SceneError> {
        for child in children {
            match child.element.tag() {
                "joint" | "freejoint" => {
                    let joint = self.joint(child.element, &child.frame, child.class)?;
                    let name = named(&joint.name, body, format_args!("joint {}", spec.joints.len()));
                    self.place(ElementKind::Joint, &name, child.element);
                    spec.joints.push(joint);
                }
                "geom" => {
                    let geom = self.geom(child.element, &child.frame, child.class)?;
                    let name = named(&geom.name, body, spec.geoms.len());
                    self.place(ElementKind::Geom, &name, child.element);
                    spec.geoms.push(geom);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The elements of a body that are read, in order, those inside `<frame>`s included.
    fn contents(
        &mut self,
        element: Element<'d>,
        frame: Transform,
        class: Option<&'d str>,
    ) -> Result<Vec<Placed<'d>>, SceneError> {
        let mut contents = Vec::new();
        for child in element.children() {
            match child.tag() {
                "body" | "geom" | "joint" | "freejoint" | "inertial" => {
                    contents.push(Placed { element: child, frame, class });
                }
                "site" => {
                    self.defaults.find(child, "class")?;
                    if !self.custom.names_site(child.name()) {
                        child.note_cosmetic(&mut self.notes, None);
                    }
                    contents.push(Placed { element: child, frame, class });
                }
                "frame" => {
                    check(child, &FRAME, &mut self.notes);
                    let inner = frame * pose(child, &self.compiler)?;
                    let class = self.defaults.find(child, "childclass")?.or(class);
                    contents.extend(self.contents(child, inner, class)?);
                }
                // Eyes and lamps.
                "camera" | "light" => {
                    self.defaults.find(child, "class")?;
                    child.note_cosmetic(&mut self.notes, None);
                }
                "plugin" => {
                    child.note(&mut self.notes, EntryKind::Ignored, None, "plugins are not supported");
                }
                tag if GENERATORS.contains(&tag) => {
                    return Err(child.invalid(None, "not supported yet; write out what it stands for"));
                }
                _ => unread_child(child, &mut self.notes),
            }
        }
        Ok(contents)
    }

    fn inertial_of(&mut self, body: &str, children: &[Placed<'d>]) -> Result<Option<Inertial>, SceneError> {
        let mut found = children.iter().filter(|child| child.element.tag() == "inertial");
        let Some(placed) = found.next() else { return Ok(None) };
        if let Some(second) = found.next() {
            let message =
                format!("a body has one; another is on {}", placed.element.line_seen_from(second.element));
            return Err(second.element.invalid(None, message));
        }
        self.inertial(body, placed.element, &placed.frame).map(Some)
    }

    /// Initial twist of a mocap body; `None` for other bodies.
    fn mocap(&mut self, element: Element<'d>) -> Result<Option<[Vector3<f64>; 2]>, SceneError> {
        if element.boolean("mocap")? == Some(true) {
            let twist = self.custom.take_mocap_velocity(element.name()).unwrap_or_default();
            return Ok(Some(twist));
        }
        Ok(None)
    }
}

/// The given name, or the one the builder makes from the owner's name.
fn named(given: &str, owner: &str, tail: impl std::fmt::Display) -> String {
    if given.is_empty() { format!("{owner}/{tail}") } else { given.to_string() }
}
