//! `<actuator>`: drives on joints and fixed tendons.
//!
//! `motor`, `position`, `velocity`, `damper` and the `general` ones they are short for: `force = (gain . x) ctrl +
//! bias . x` with `x = (1, length, rate)`. All of them share one set of defaults; a shortcut starts from them but sets
//! gain and bias itself, except that it keeps gains set for its own kind or by `general`.

use crate::model::{ActuatorSpec, ElementKind, Target};
use crate::scene::Notes;
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::{Element, Switch};
use crate::scene::mjcf::world::joint::JointClass;
use crate::suggestion::did_you_mean;

/// Every element that describes an actuator in a default class.
pub(crate) const ACTUATORS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// Attributes that every actuator may have.
const COMMON: [&str; 14] = [
    "name",
    "class",
    "joint",
    "jointinparent",
    "tendon",
    "site",
    "refsite",
    "cranksite",
    "slidersite",
    "gear",
    "ctrlrange",
    "ctrllimited",
    "forcerange",
    "forcelimited",
];

const INERT: [&str; 6] = ["group", "user", "lengthrange", "cranklength", "interp", "nsample"];

const UNMODELLED: [(&str, &str); 4] = [
    ("armature", "give the joint armature"),
    ("damping", "give the joint damping"),
    ("delay", "controls act at once"),
    ("inheritrange", "give ctrlrange"),
];

const GENERAL: Attributes = Attributes {
    read: &joined::<_, 14, 6, 20>(COMMON, ["body", "gaintype", "gainprm", "biastype", "biasprm", "dyntype"]),
    inert: &joined::<_, 6, 8, 14>(
        INERT,
        ["dynprm", "actdim", "actearly", "actlimited", "actrange", "input", "ffrange", "velrange"],
    ),
    unmodelled: &UNMODELLED,
};

const MOTOR: Attributes = Attributes { read: &COMMON, inert: &INERT, unmodelled: &UNMODELLED };

const SERVO: Attributes = Attributes {
    read: &joined::<_, 14, 2, 16>(COMMON, ["kp", "kv"]),
    inert: &INERT,
    unmodelled: &joined::<_, 4, 2, 6>(
        UNMODELLED,
        [("dampratio", "give kv"), ("timeconst", "controls act at once")],
    ),
};

const VELOCITY: Attributes =
    Attributes { read: &joined::<_, 14, 1, 15>(COMMON, ["kv"]), inert: &INERT, unmodelled: &UNMODELLED };

/// Two lists as one, `C = A + B`.
const fn joined<T: Copy, const A: usize, const B: usize, const C: usize>(
    first: [T; A],
    second: [T; B],
) -> [T; C] {
    let mut all = [first[0]; C];
    let mut i = 0;
    while i < C {
        all[i] = if i < A { first[i] } else { second[i - A] };
        i += 1;
    }
    all
}

/// Shortcuts that describe other force laws, and which.
const LEFT_OUT: [(&str, &str); 8] = [
    ("adhesion", "pulling bodies together at their contacts is"),
    ("cylinder", "a cylinder whose pressure follows the control with delay is"),
    ("dcmotor", "a motor with its electric circuit is"),
    ("intvelocity", "a servo whose set point is the integral of the control is"),
    ("muscle", "a muscle's activation and force by length and velocity is"),
    ("orientation", "a servo of orientations is"),
    ("pid", "a servo with an integral term is"),
    ("plugin", "a plugin is"),
];

/// An actuator while its layers are read.
#[derive(Clone, Debug)]
struct Draft<'d> {
    /// The element that set gain and bias last.
    shortcut: &'d str,
    gear: [f64; 6],
    gain: [f64; 10],
    bias: [f64; 10],
    /// MuJoCo's words for how gain, bias and activation come about.
    gain_type: &'d str,
    bias_type: &'d str,
    dynamics: &'d str,
    control_range: Option<[f64; 2]>,
    control_limited: Switch,
    force_range: Option<[f64; 2]>,
    force_limited: Switch,
}

impl Default for Draft<'_> {
    fn default() -> Self {
        let mut gain = [0.0; 10];
        gain[0] = 1.0;
        Self {
            shortcut: "general",
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            gain,
            bias: [0.0; 10],
            gain_type: "fixed",
            bias_type: "none",
            dynamics: "none",
            control_range: None,
            control_limited: Switch::Auto,
            force_range: None,
            force_limited: Switch::Auto,
        }
    }
}

impl<'d> Draft<'d> {
    /// Puts one layer on top.
    fn apply(&mut self, layer: Element<'d>) -> Result<(), SceneError> {
        layer.overwrite("gear", &mut self.gear)?;
        for (name, range) in [("ctrlrange", &mut self.control_range), ("forcerange", &mut self.force_range)] {
            if let Some(given) = layer.interval(name)? {
                *range = Some(given);
            }
        }
        for (name, limited) in
            [("ctrllimited", &mut self.control_limited), ("forcelimited", &mut self.force_limited)]
        {
            *limited = layer.switch(name)?.unwrap_or(*limited);
        }
        let tag = layer.tag();
        if tag == "general" {
            return self.apply_general(layer);
        }
        let keeps = self.shortcut == "general" || self.shortcut == tag;
        let old_gain = if keeps { self.gain[0] } else { 1.0 };
        let old_rate = if keeps { self.bias[2] } else { 0.0 };
        let old_damping = if self.shortcut == tag { self.gain[2] } else { 0.0 };
        (self.gain, self.bias) = ([0.0; 10], [0.0; 10]);
        (self.gain_type, self.bias_type, self.dynamics, self.shortcut) = ("fixed", "affine", "none", tag);
        match tag {
            "motor" => {
                self.bias_type = "none";
                self.gain[0] = 1.0;
            }
            "damper" => {
                (self.gain_type, self.bias_type, self.control_limited) = ("affine", "none", Switch::On);
                self.gain[2] = layer.nonnegative("kv")?.map_or(old_damping, |kv| -kv);
                if let Some([lower, _]) = self.control_range.filter(|range| range[0] < 0.0) {
                    let message = format!("lower end {lower} would drive a damper; zero or more is needed");
                    return Err(layer.invalid(Some("ctrlrange"), message));
                }
            }
            "position" => {
                self.gain[0] = layer.nonnegative("kp")?.unwrap_or(old_gain);
                self.bias[1] = -self.gain[0];
                self.bias[2] = layer.nonnegative("kv")?.map_or(old_rate, |kv| -kv);
            }
            "velocity" => {
                self.gain[0] = layer.nonnegative("kv")?.unwrap_or(old_gain);
                self.bias[2] = -self.gain[0];
            }
            // Not supported; the element itself is refused where it is used.
            _ => {}
        }
        Ok(())
    }

    /// Gain and bias where the force is affine in length and rate and follows the control at once.
    fn affine_law(&self) -> Option<[[f64; 3]; 2]> {
        let gain = match self.gain_type {
            "fixed" => [self.gain[0], 0.0, 0.0],
            "affine" => [self.gain[0], self.gain[1], self.gain[2]],
            _ => return None,
        };
        let bias = match self.bias_type {
            "none" => [0.0; 3],
            "affine" => [self.bias[0], self.bias[1], self.bias[2]],
            _ => return None,
        };
        (self.dynamics == "none").then_some([gain, bias])
    }

    fn apply_general(&mut self, layer: Element<'d>) -> Result<(), SceneError> {
        layer.overwrite("gainprm", &mut self.gain)?;
        layer.overwrite("biasprm", &mut self.bias)?;
        let gains = ["fixed", "affine", "muscle", "user", "pid", "so3", "dcmotor"];
        if let Some(word) = layer.keyword("gaintype", &gains.map(|word| (word, word)))? {
            self.gain_type = word;
        }
        let biases = ["none", "affine", "muscle", "user", "so3", "dcmotor"];
        if let Some(word) = layer.keyword("biastype", &biases.map(|word| (word, word)))? {
            self.bias_type = word;
        }
        let dynamics = ["none", "integrator", "filter", "filterexact", "pid", "dcmotor", "muscle", "user"];
        if let Some(word) = layer.keyword("dyntype", &dynamics.map(|word| (word, word)))? {
            self.dynamics = word;
        }
        self.shortcut = "general";
        Ok(())
    }
}

/// The controls of a scene, in MuJoCo's order, for keyframes.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    /// Per control, whether its actuator is in the model.
    pub(crate) kept: Vec<bool>,
    /// Whether some actuator takes a number of controls this reader does not know.
    pub(crate) unknown_count: bool,
}

impl<'d> Reader<'d> {
    /// Checks an actuator of a default class on its own.
    pub(crate) fn check_default_actuator(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check_attributes(element, &mut self.notes);
        Draft::default().apply(element)
    }

    /// Reads an `<actuator>` section.
    pub(crate) fn actuators(&mut self, section: Element<'d>) -> Result<(), SceneError> {
        for element in section.children() {
            if !ACTUATORS.contains(&element.tag()) {
                crate::scene::mjcf::document::attributes::unread_child(element, &mut self.notes);
                continue;
            }
            self.names.register("actuator", element)?;
            match self.actuator(element)? {
                Some(spec) => {
                    let number = self.controls.kept.iter().filter(|kept| **kept).count();
                    let made_up = format!("actuator {number}");
                    let name = if spec.name.is_empty() { &made_up } else { &spec.name };
                    self.place(ElementKind::Actuator, name, element);
                    self.controls.kept.push(true);
                    self.builder.add_actuator(spec);
                }
                None => {
                    let several = ["pid", "orientation", "dcmotor", "plugin"].contains(&element.tag());
                    self.controls.unknown_count |= several || element.has("input");
                    self.controls.kept.push(false);
                }
            }
        }
        Ok(())
    }

    /// Notes that an actuator does nothing.
    fn left_out(&mut self, element: Element<'d>, what: &str) -> Result<Option<ActuatorSpec>, SceneError> {
        let message = format!("{what} not supported: the drive does nothing");
        element.note(&mut self.notes, EntryKind::Ignored, None, message);
        Ok(None)
    }

    /// Reads one actuator; `None`, with a note, for one that is not supported.
    fn actuator(&mut self, element: Element<'d>) -> Result<Option<ActuatorSpec>, SceneError> {
        if let Some((_, why)) = LEFT_OUT.iter().find(|(tag, _)| *tag == element.tag()) {
            return self.left_out(element, why);
        }
        let targets = ["joint", "jointinparent", "tendon", "site", "body", "cranksite"];
        let mut given = targets.iter().copied().filter(|target| element.has(target));
        let (Some(target), None) = (given.next(), given.next()) else {
            return Err(element.invalid(None, format!("exactly one of {} is needed", targets.join(", "))));
        };
        // A tendon's length is as good a coordinate as that of a hinge or slide.
        let (drives, class) = match target {
            "joint" | "jointinparent" => {
                let joint = element.required(target, "the name of a joint is needed")?;
                let Some(class) = self.joints.get(joint).copied() else {
                    let hint = did_you_mean(joint, self.joints.keys().copied());
                    return Err(element.invalid(Some(target), format!("there is no joint {joint:?}{hint}")));
                };
                (Target::Joint(joint.to_string()), class)
            }
            "tendon" => (self.tendon_target(element, target)?, JointClass::Scalar),
            _ => return self.left_out(element, &format!("transmission by {target} is")),
        };
        if target == "jointinparent" && class != JointClass::Scalar {
            return self.left_out(element, "an axis in the parent's frame is");
        }
        let mut draft = Draft::default();
        for layer in self.defaults.layers(element, &ACTUATORS, None)? {
            draft.apply(layer)?;
        }
        let Some(law @ [gain, bias]) = draft.affine_law() else {
            return self.left_out(element, "its activation, gain or bias is");
        };
        if (gain[1..] != [0.0, 0.0] || bias != [0.0; 3]) && class != JointClass::Scalar {
            return self.left_out(element, "a servo on a ball or free joint is");
        }
        check_attributes(element, &mut self.notes);
        self.spec(element, drives, draft, law).map(Some)
    }

    fn spec(
        &mut self,
        element: Element<'d>,
        target: Target,
        draft: Draft<'d>,
        [gain, mut bias]: [[f64; 3]; 2],
    ) -> Result<ActuatorSpec, SceneError> {
        if gain[0] != 0.0 && gain[0] == -bias[1] && bias[2] > 0.0 {
            let message = format!(
                "a positive rate term of a servo ({}) is a damping ratio, which has no effect: give a negative one",
                bias[2]
            );
            element.note(&mut self.notes, EntryKind::Ignored, None, message);
            bias[2] = 0.0;
        }
        let control_range =
            self.clamp(element, draft.control_limited, draft.control_range, ["ctrlrange", "ctrllimited"])?;
        let force_range =
            self.clamp(element, draft.force_limited, draft.force_range, ["forcerange", "forcelimited"])?;
        let mut spec = ActuatorSpec {
            name: element.name().to_string(),
            target,
            gear: draft.gear,
            gain,
            bias,
            control_range,
            force_range,
        };
        if self.world.disabled.actuation {
            (spec.gain, spec.bias) = ([0.0; 3], [0.0; 3]);
        }
        Ok(spec)
    }

    fn clamp(
        &self,
        element: Element<'d>,
        switch: Switch,
        range: Option<[f64; 2]>,
        names: [&str; 2],
    ) -> Result<Option<[f64; 2]>, SceneError> {
        if !self.compiler.limited(element, switch, range, names)? {
            return Ok(None);
        }
        match range {
            Some([lower, upper]) if lower < upper => Ok(range),
            _ => {
                let message =
                    format!("{} is \"true\", which needs a range with lower end below upper end", names[1]);
                Err(element.invalid(Some(names[0]), message))
            }
        }
    }
}

fn check_attributes(element: Element<'_>, notes: &mut Notes) {
    let attributes = match element.tag() {
        "general" => &GENERAL,
        "motor" => &MOTOR,
        "position" => &SERVO,
        "velocity" | "damper" => &VELOCITY,
        _ => return,
    };
    check(element, attributes, notes);
}
