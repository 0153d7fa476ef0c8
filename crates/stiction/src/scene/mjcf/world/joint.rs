//! `<joint>` and `<freejoint>`: how a body may move against its parent.

use crate::model::{JointKind, JointSpec};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::{Element, Switch};
use crate::scene::mjcf::document::orientation::direction;
use crate::spatial::Transform;
use nalgebra::Vector3;

const JOINT: Attributes = Attributes {
    read: &[
        "name",
        "class",
        "type",
        "pos",
        "axis",
        "range",
        "limited",
        "stiffness",
        "springref",
        "ref",
        "damping",
        "armature",
        "frictionloss",
    ],
    inert: &["group", "user", "actuatorfrclimited"],
    unmodelled: &[
        ("actuatorfrcrange", "the sum of drive forces on a joint is not clamped"),
        ("actuatorgravcomp", "there is no gravity compensation"),
        ("margin", "limits act where they are reached"),
        ("springdamper", "give stiffness and damping"),
        ("springyield", "springs are elastic"),
    ],
};

const FREEJOINT: Attributes = Attributes {
    read: &["name"],
    inert: &["group"],
    unmodelled: &[("align", "bodies keep the frame the file gives them")],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Free,
    Ball,
    Slide,
    Hinge,
}

const KINDS: [(&str, Kind); 4] =
    [("free", Kind::Free), ("ball", Kind::Ball), ("slide", Kind::Slide), ("hinge", Kind::Hinge)];

/// A joint while its layers are read; angles in the file's unit.
#[derive(Clone, Debug)]
struct Draft {
    kind: Kind,
    position: Vector3<f64>,
    axis: Vector3<f64>,
    range: Option<[f64; 2]>,
    limited: Switch,
    reference: f64,
    spring_reference: f64,
    stiffness: [f64; 3],
    damping: [f64; 3],
    armature: f64,
    friction_loss: f64,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            kind: Kind::Hinge,
            position: Vector3::zeros(),
            axis: Vector3::z(),
            range: None,
            limited: Switch::Auto,
            reference: 0.0,
            spring_reference: 0.0,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            armature: 0.0,
            friction_loss: 0.0,
        }
    }
}

impl Draft {
    /// Puts one layer on top.
    fn apply(&mut self, layer: Element<'_>) -> Result<(), SceneError> {
        if let Some(kind) = layer.keyword("type", &KINDS)? {
            self.kind = kind;
        }
        if let Some(position) = layer.vector("pos")? {
            self.position = position;
        }
        if let Some(axis) = layer.vector("axis")? {
            self.axis = axis;
        }
        if let Some(range) = layer.interval("range")? {
            self.range = Some(range);
        }
        if let Some(limited) = layer.switch("limited")? {
            self.limited = limited;
        }
        for (name, number) in [("ref", &mut self.reference), ("springref", &mut self.spring_reference)] {
            *number = layer.number(name)?.unwrap_or(*number);
        }
        for (name, number) in [("armature", &mut self.armature), ("frictionloss", &mut self.friction_loss)] {
            *number = layer.nonnegative(name)?.unwrap_or(*number);
        }
        for (name, polynomial) in [("stiffness", &mut self.stiffness), ("damping", &mut self.damping)] {
            layer.overwrite(name, polynomial)?;
            if polynomial[0] < 0.0 {
                let message = format!("{} is negative; zero or more is needed", polynomial[0]);
                return Err(layer.invalid(Some(name), message));
            }
        }
        Ok(())
    }
}

/// What later sections need to know of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointClass {
    /// One coordinate.
    Scalar,
    /// A ball joint.
    Ball,
    /// A free joint.
    Free,
}

impl<'d> Reader<'d> {
    /// Checks a `<joint>` of a default class on its own.
    pub(crate) fn check_default_joint(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &JOINT, &mut self.notes);
        Draft::default().apply(element)
    }

    /// Reads a `<joint>` or `<freejoint>`.
    pub(crate) fn joint(
        &mut self,
        element: Element<'d>,
        frame: &Transform,
        class: Option<&'d str>,
    ) -> Result<JointSpec, SceneError> {
        let mut draft = Draft::default();
        if element.tag() == "freejoint" {
            // Defaults of joints do not apply: they would damp free flight.
            check(element, &FREEJOINT, &mut self.notes);
            draft.kind = Kind::Free;
        } else {
            check(element, &JOINT, &mut self.notes);
            for layer in self.defaults.layers(element, &["joint"], class)? {
                draft.apply(layer)?;
            }
        }
        self.names.register("joint", element)?;
        let kind = match draft.kind {
            Kind::Free => JointKind::Free,
            Kind::Ball => JointKind::Ball,
            Kind::Hinge | Kind::Slide => {
                let axis = direction(draft.axis).ok_or_else(|| {
                    let text = element.attribute("axis").unwrap_or_default();
                    element.invalid(
                        Some("axis"),
                        format!("{text:?} has no direction; the axis must not be zero"),
                    )
                })?;
                let axis = frame.vector(&axis);
                if draft.kind == Kind::Hinge { JointKind::Hinge { axis } } else { JointKind::Slide { axis } }
            }
        };
        self.note_coordinates(element, kind);
        let mut spec = JointSpec::new(kind);
        spec.name = element.name().to_string();
        spec.position =
            if draft.kind == Kind::Free { Vector3::zeros() } else { frame.point(&draft.position) };
        spec.range = self.joint_range(element, &draft)?;
        let scale = if draft.kind == Kind::Hinge { self.compiler.angle_unit } else { 1.0 };
        if matches!(draft.kind, Kind::Hinge | Kind::Slide) {
            spec.reference = draft.reference * scale;
            spec.spring_reference = draft.spring_reference * scale;
        }
        let disabled = self.world.disabled;
        let unless = |off: bool, value: f64| if off { 0.0 } else { value };
        spec.stiffness = unless(disabled.spring, draft.stiffness[0]);
        spec.damping = unless(disabled.damper, draft.damping[0]);
        spec.friction_loss = unless(disabled.frictionloss, draft.friction_loss);
        spec.armature = draft.armature;
        for (name, polynomial) in [("stiffness", draft.stiffness), ("damping", draft.damping)] {
            if polynomial[1..] != [0.0, 0.0] {
                let message = "only the first number acts: springs and dampers are linear";
                element.note(&mut self.notes, EntryKind::Ignored, Some(name), message);
            }
        }
        Ok(spec)
    }

    fn joint_range(&mut self, element: Element<'d>, draft: &Draft) -> Result<Option<[f64; 2]>, SceneError> {
        if !self.compiler.limited(element, draft.limited, draft.range, ["range", "limited"])? {
            return Ok(None);
        }
        let Some(range) = draft.range.filter(|range| range[0] <= range[1]) else {
            let message = "a limited joint needs a range with lower end below upper end, or both the same";
            return Err(element.invalid(Some("range"), message));
        };
        match draft.kind {
            Kind::Free => {
                let message = "free joints have no limits";
                element.note(&mut self.notes, EntryKind::Ignored, Some("range"), message);
                return Ok(None);
            }
            Kind::Ball if range[0] != 0.0 => {
                let message = format!(
                    "lower end {} of a ball joint; it must be 0 (the range is one of angles)",
                    range[0]
                );
                return Err(element.invalid(Some("range"), message));
            }
            Kind::Ball if range[1] <= 0.0 => {
                let message = format!(
                    "largest angle {} of a ball joint; one that does not turn is no joint: leave it out",
                    range[1]
                );
                return Err(element.invalid(Some("range"), message));
            }
            _ if range[0] == range[1] => {
                let message = "both ends are the same: an equality holds the joint there";
                element.note(&mut self.notes, EntryKind::Inferred, Some("range"), message);
            }
            _ => {}
        }
        if self.world.disabled.limit {
            return Ok(None);
        }
        let scale = if draft.kind == Kind::Slide { 1.0 } else { self.compiler.angle_unit };
        Ok(Some(range.map(|end| end * scale)))
    }

    /// Keeps count of configuration coordinates and of where their quaternions are, for keyframes.
    fn note_coordinates(&mut self, element: Element<'d>, kind: JointKind) {
        let class = match kind {
            JointKind::Free => JointClass::Free,
            JointKind::Ball => JointClass::Ball,
            JointKind::Hinge { .. } | JointKind::Slide { .. } => JointClass::Scalar,
        };
        match class {
            JointClass::Free => self.quaternions.push(self.coordinates + 3),
            JointClass::Ball => self.quaternions.push(self.coordinates),
            JointClass::Scalar => {}
        }
        self.coordinates += kind.nq();
        self.velocities += kind.nv();
        if !element.name().is_empty() {
            self.joints.insert(element.name(), class);
        }
    }
}
