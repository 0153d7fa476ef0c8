//! `<tendon>`: fixed tendons, which are weighted sums of joint coordinates, and spatial ones that limit a length.
//!
//! A spatial tendon with a range that runs straight from site to site is a [`Cable`](crate::model::Cable). Springs, dampers
//! and drives along spatial tendons, pulleys and geoms to wrap around are not modelled: a tendon that would act by them is
//! refused, one that is only drawn is noted.

use crate::model::{CableSpec, ElementKind, Target, TendonSpec};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check, unread_child};
use crate::scene::mjcf::document::element::{Element, Switch};

const TENDON: Attributes = Attributes {
    read: &["name", "class", "range", "limited", "stiffness", "springlength", "damping", "frictionloss"],
    inert: &["group", "user", "material", "rgba", "width", "actuatorfrclimited"],
    unmodelled: &[
        ("actuatorfrcrange", "the sum of drive forces on a tendon is not clamped"),
        ("armature", "give the joints armature"),
        ("margin", "limits act where they are reached"),
        ("springyield", "springs are elastic"),
    ],
};

const JOINT: Attributes = Attributes { read: &["joint", "coef"], inert: &[], unmodelled: &[] };

const SITE: Attributes = Attributes { read: &["site"], inert: &[], unmodelled: &[] };

/// A tendon while its layers are read.
#[derive(Clone, Copy, Debug)]
struct Draft {
    range: Option<[f64; 2]>,
    limited: Switch,
    stiffness: [f64; 3],
    damping: [f64; 3],
    friction_loss: f64,
    /// `None`: where the joints' springs are relaxed.
    spring_range: Option<[f64; 2]>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            range: None,
            limited: Switch::Auto,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            friction_loss: 0.0,
            spring_range: None,
        }
    }
}

impl Draft {
    /// Puts one layer on top.
    fn apply(&mut self, layer: Element<'_>) -> Result<(), SceneError> {
        self.range = layer.interval("range")?.or(self.range);
        self.limited = layer.switch("limited")?.unwrap_or(self.limited);
        self.friction_loss = layer.nonnegative("frictionloss")?.unwrap_or(self.friction_loss);
        for (name, polynomial) in [("stiffness", &mut self.stiffness), ("damping", &mut self.damping)] {
            layer.overwrite(name, polynomial)?;
            if polynomial[0] < 0.0 {
                let message = format!("{} is negative; zero or more is needed", polynomial[0]);
                return Err(layer.invalid(Some(name), message));
            }
        }
        if let Some(given) = layer.list("springlength", 1, 2)? {
            let [low, high] = [given[0], given[given.len() - 1]];
            if low > high {
                let message = format!("lower end {low} is above upper end {high}; the lower one comes first");
                return Err(layer.invalid(Some("springlength"), message));
            }
            // MuJoCo's word for "as at the reference".
            self.spring_range = if [low, high] == [-1.0, -1.0] { None } else { Some([low, high]) };
        }
        Ok(())
    }
}

/// What later sections need to know of a tendon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TendonClass {
    Fixed,
    Spatial,
}

impl<'d> Reader<'d> {
    /// Checks a `<tendon>` of a default class on its own.
    pub(crate) fn check_default_tendon(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &TENDON, &mut self.notes);
        Draft::default().apply(element)
    }

    /// Reads a `<tendon>` section.
    pub(crate) fn tendon_section(&mut self, section: Element<'d>) -> Result<(), SceneError> {
        for element in section.children() {
            let class = match element.tag() {
                "fixed" => TendonClass::Fixed,
                "spatial" => TendonClass::Spatial,
                _ => {
                    unread_child(element, &mut self.notes);
                    continue;
                }
            };
            self.names.register("tendon", element)?;
            if !element.name().is_empty() {
                self.tendons.insert(element.name(), class);
            }
            check(element, &TENDON, &mut self.notes);
            let mut draft = Draft::default();
            for layer in self.defaults.layers(element, &["tendon"], None)? {
                draft.apply(layer)?;
            }
            let spec = self.tendon(element, draft)?;
            match class {
                TendonClass::Fixed => self.fixed(element, spec)?,
                TendonClass::Spatial => self.spatial(element, spec)?,
            }
        }
        Ok(())
    }

    /// What both kinds have in common.
    fn tendon(&mut self, element: Element<'d>, draft: Draft) -> Result<TendonSpec, SceneError> {
        for (name, polynomial) in [("stiffness", draft.stiffness), ("damping", draft.damping)] {
            if polynomial[1..] != [0.0, 0.0] {
                let message = "only the first number acts: springs and dampers are linear";
                element.note(&mut self.notes, EntryKind::Ignored, Some(name), message);
            }
        }
        let disabled = self.world.disabled;
        let mut range = None;
        if self.compiler.limited(element, draft.limited, draft.range, ["range", "limited"])? {
            let Some([low, high]) = draft.range else {
                return Err(element.invalid(
                    Some("range"),
                    "a limited tendon needs a range with lower end below upper end, or both the same",
                ));
            };
            if low == high {
                let message = "both ends are the same: an equality holds the length there";
                element.note(&mut self.notes, EntryKind::Inferred, Some("range"), message);
            }
            range = if disabled.limit { None } else { Some([low, high]) };
        }
        let unless = |off: bool, value: f64| if off { 0.0 } else { value };
        Ok(TendonSpec {
            name: element.name().to_string(),
            joints: Vec::new(),
            range,
            stiffness: unless(disabled.spring, draft.stiffness[0]),
            spring_range: draft.spring_range,
            damping: unless(disabled.damper, draft.damping[0]),
            friction_loss: unless(disabled.frictionloss, draft.friction_loss),
        })
    }

    fn fixed(&mut self, element: Element<'d>, mut spec: TendonSpec) -> Result<(), SceneError> {
        for joint in element.children() {
            check(joint, &JOINT, &mut self.notes);
            let name = self.scalar_joint(joint, "joint")?;
            joint.required("coef", "the weight of the joint's coordinate in the length is needed")?;
            spec.joints.push((name.to_string(), joint.number("coef")?.unwrap_or_default()));
        }
        let made_up = format!("tendon {}", self.fixed_tendons);
        self.place(
            ElementKind::Tendon,
            if element.name().is_empty() { &made_up } else { element.name() },
            element,
        );
        self.fixed_tendons += 1;
        self.builder.add_tendon(spec);
        Ok(())
    }

    fn spatial(&mut self, element: Element<'d>, spec: TendonSpec) -> Result<(), SceneError> {
        let effects = [
            ("stiffness", spec.stiffness > 0.0),
            ("damping", spec.damping > 0.0),
            ("frictionloss", spec.friction_loss > 0.0),
        ];
        if let Some((effect, _)) = effects.iter().find(|(_, acts)| *acts) {
            return Err(element.invalid(None, format!("{effect}: {SPATIAL}")));
        }
        let Some(range) = spec.range else {
            let message = "a spatial tendon without a range has no effect on motion; this one is only drawn";
            element.note(&mut self.notes, EntryKind::Ignored, None, message);
            return Ok(());
        };
        let mut points = Vec::new();
        for child in element.children() {
            if child.tag() != "site" {
                return Err(child.invalid(None, format!("in a tendon that is limited: {SPATIAL}")));
            }
            check(child, &SITE, &mut self.notes);
            let site = self.site_of(child, "site")?;
            points.push((site.body, site.pose.translation));
        }
        let made_up = format!("cable {}", self.cables);
        let name = if element.name().is_empty() { &made_up } else { element.name() };
        self.place(ElementKind::Tendon, name, element);
        self.cables += 1;
        self.builder.add_cable(CableSpec { name: spec.name, points, range });
        Ok(())
    }

    /// The fixed tendon that an attribute names.
    pub(crate) fn tendon_target(&self, element: Element<'d>, attribute: &str) -> Result<Target, SceneError> {
        let name = element.required(attribute, "the name of a tendon is needed")?;
        match self.tendons.get(name) {
            Some(TendonClass::Fixed) => Ok(Target::Tendon(name.to_string())),
            Some(TendonClass::Spatial) => {
                Err(element.invalid(Some(attribute), format!("{name:?}: {SPATIAL}")))
            }
            None => Err(element.invalid(Some(attribute), self.names.missing("tendon", name))),
        }
    }
}

const SPATIAL: &str = "of spatial tendons only limits of the length are supported, straight from site to site; a fixed tendon \
                       over joints has springs, dampers and drives too";
