//! Joints that close loops, and prescribed motions: entries of `<custom>`, since MJCF has no words for either.
//!
//! ```text
//! <text name="stiction:closure:NAME" data="KIND SITE1 SITE2 key=value ..."/>
//! <text name="stiction:motion:NAME" data="FUNCTION NUMBERS"/>
//! ```
//!
//! A closure joins the frames of two sites, the first of which carries the axes: `z` of `hinge`, `slide` and `cylindrical`, `x`
//! then `y` of `universal`, the plane `x y` of `planar`; `ball` and `weld` need none. A hinge, slide or ball can be driven,
//! coupled and pulled by tendons under its name, and takes the words of a `<joint>`: `range=low,high`, `ref`, `springref`,
//! `stiffness`, `damping`, `armature` and `frictionloss`.
//!
//! A motion prescribes the coordinate of the hinge or slide NAME, or the length of the tendon, as a [`TimeFunction`].

use crate::model::{ClosureSpec, ElementKind, EqualitySpec, JointSpec, Target, TimeFunction};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::world::joint::JointClass;
use crate::suggestion::did_you_mean;
use nalgebra::Vector3;

/// Kinds of closures and how many coordinates they have.
const KINDS: [(&str, usize); 7] = [
    ("hinge", 1),
    ("slide", 1),
    ("ball", 1),
    ("universal", 2),
    ("cylindrical", 2),
    ("planar", 3),
    ("weld", 0),
];

/// What a closure of one joint may say about it.
const WORDS: [&str; 7] = ["range", "ref", "springref", "stiffness", "damping", "armature", "frictionloss"];

impl<'d> Reader<'d> {
    /// Hands the closures of the scene to the builder, after all bodies and before what may refer to their joints.
    pub(crate) fn closures(&mut self) -> Result<(), SceneError> {
        for (element, name, text) in std::mem::take(&mut self.custom.closures) {
            let spec = self.closure(element, name, text)?;
            if self.switched_off(element) {
                continue;
            }
            self.place(ElementKind::Equality, name, element);
            self.place(ElementKind::Joint, name, element);
            self.equalities += 1;
            self.builder.add_equality(EqualitySpec::Closure(spec));
        }
        Ok(())
    }

    /// The same for prescribed motions, after tendons.
    pub(crate) fn motions(&mut self) -> Result<(), SceneError> {
        for (element, name, text) in std::mem::take(&mut self.custom.motions) {
            let function: TimeFunction =
                text.parse().map_err(|e| element.invalid(Some("data"), format!("{text:?}: {e}")))?;
            let target = match (self.joints.get(name), self.tendons.contains_key(name)) {
                (Some(JointClass::Scalar), _) => Target::Joint(name.to_string()),
                (Some(_), _) => {
                    let message =
                        format!("joint {name:?} is a ball or free joint; a hinge or slide is needed");
                    return Err(element.invalid(Some("name"), message));
                }
                (None, true) => Target::Tendon(name.to_string()),
                (None, false) => {
                    let hint = did_you_mean(name, self.joints.keys().chain(self.tendons.keys()).copied());
                    let message = format!("there is no joint or tendon {name:?}{hint}");
                    return Err(element.invalid(Some("name"), message));
                }
            };
            if self.switched_off(element) {
                continue;
            }
            let name = format!("motion of {name}");
            self.place(ElementKind::Equality, &name, element);
            self.equalities += 1;
            self.builder.add_equality(EqualitySpec::Motion { name, target, function });
        }
        Ok(())
    }

    /// Whether `<flag equality="disable"/>` takes an entry away, with a note.
    fn switched_off(&mut self, element: Element<'d>) -> bool {
        let off = self.world.disabled.equality;
        if off {
            let message = "equalities are disabled: the constraint does not hold";
            element.note(&mut self.notes, EntryKind::Ignored, None, message);
        }
        off
    }

    fn closure(
        &mut self,
        element: Element<'d>,
        name: &'d str,
        text: &'d str,
    ) -> Result<ClosureSpec, SceneError> {
        let refuse = |message: String| Err(element.invalid(Some("data"), message));
        let mut words = text.split_ascii_whitespace();
        let (Some(kind), Some(first), Some(second)) = (words.next(), words.next(), words.next()) else {
            return refuse(format!(
                "{text:?}: a kind and the names of two sites are needed: hinge SITE1 SITE2"
            ));
        };
        let Some((_, coordinates)) = KINDS.iter().find(|(known, _)| *known == kind) else {
            let known = KINDS.map(|(known, _)| known);
            let hint = did_you_mean(kind, known);
            return refuse(format!(
                "{kind:?} is not a kind of closure{hint}; known are {}",
                known.join(", ")
            ));
        };
        let [first, second] =
            [self.site_named(element, "data", first)?, self.site_named(element, "data", second)?];
        let mut joints = match kind {
            "hinge" => vec![JointSpec::hinge(Vector3::z())],
            "slide" => vec![JointSpec::slide(Vector3::z())],
            "ball" => vec![JointSpec::ball()],
            "universal" => JointSpec::universal(),
            "cylindrical" => JointSpec::cylindrical(),
            "planar" => JointSpec::planar(),
            _ => Vec::new(),
        };
        for word in words {
            let Some((key, value)) = word.split_once('=') else {
                return refuse(format!("{word:?}: after the sites come words like damping=0.1"));
            };
            if !WORDS.contains(&key) {
                let hint = did_you_mean(key, WORDS);
                return refuse(format!(
                    "{key:?} is not a word of a closure{hint}; known are {}",
                    WORDS.join(", ")
                ));
            }
            let [joint] = joints.as_mut_slice() else {
                return refuse(format!("{word:?}: a {kind} closure has {coordinates} coordinates, not one"));
            };
            self.apply_word(element, kind, joint, key, value)?;
        }
        if let [joint] = joints.as_mut_slice() {
            joint.name = name.to_string();
            self.joints.insert(name, if kind == "ball" { JointClass::Ball } else { JointClass::Scalar });
        }
        Ok(ClosureSpec {
            name: name.to_string(),
            bodies: [first.body, second.body],
            frame: first.pose,
            second_frame: Some(second.pose),
            joints,
        })
    }

    /// Takes one word about the joint of a closure.
    fn apply_word(
        &self,
        element: Element<'d>,
        kind: &str,
        joint: &mut JointSpec,
        key: &str,
        value: &str,
    ) -> Result<(), SceneError> {
        let refuse = |what: &str| element.invalid(Some("data"), format!("{key}={value}: {what}"));
        let number = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
            number.ok_or_else(|| refuse("a number is needed"))
        };
        let nonnegative = |text: &str| {
            number(text).and_then(|x| if x < 0.0 { Err(refuse("zero or more is needed")) } else { Ok(x) })
        };
        let unit = if kind == "slide" { 1.0 } else { self.compiler.angle_unit };
        let disabled = self.world.disabled;
        let unless = |off: bool, value: f64| if off { 0.0 } else { value };
        match key {
            "range" => {
                let (low, high) =
                    value.split_once(',').ok_or_else(|| refuse("two numbers are needed: low,high"))?;
                let range = [number(low)? * unit, number(high)? * unit];
                if range[0] > range[1] {
                    return Err(refuse("the lower end must be below the upper, or the same"));
                }
                joint.range = (!disabled.limit).then_some(range);
            }
            "ref" => joint.reference = number(value)? * unit,
            "springref" => joint.spring_reference = number(value)? * unit,
            "stiffness" => joint.stiffness = unless(disabled.spring, nonnegative(value)?),
            "damping" => joint.damping = unless(disabled.damper, nonnegative(value)?),
            "armature" => joint.armature = nonnegative(value)?,
            _ => joint.friction_loss = unless(disabled.frictionloss, nonnegative(value)?),
        }
        Ok(())
    }
}
