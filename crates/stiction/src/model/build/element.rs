//! Elements of a scene by kind and name, so that an error can say where the trouble is.

use std::fmt;

/// The kinds of named elements of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ElementKind {
    /// The scene itself.
    Scene,
    /// A body.
    Body,
    /// A joint.
    Joint,
    /// A geom.
    Geom,
    /// A tendon.
    Tendon,
    /// An actuator.
    Actuator,
    /// An equality constraint.
    Equality,
    /// A keyframe.
    Keyframe,
    /// A rule for a pair of geoms, named `FIRST and SECOND`.
    Pair,
    /// A rule for a pair of materials, named `FIRST and SECOND`.
    MaterialRule,
    /// A coefficient of restitution, named `FIRST and SECOND` by the materials.
    Restitution,
    /// An exclusion of a pair of bodies, named `FIRST and SECOND`.
    Exclusion,
}

impl ElementKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            ElementKind::Scene => "scene",
            ElementKind::Body => "body",
            ElementKind::Joint => "joint",
            ElementKind::Geom => "geom",
            ElementKind::Tendon => "tendon",
            ElementKind::Actuator => "actuator",
            ElementKind::Equality => "equality",
            ElementKind::Keyframe => "keyframe",
            ElementKind::Pair => "pair",
            ElementKind::MaterialRule => "material rule",
            ElementKind::Restitution => "restitution",
            ElementKind::Exclusion => "exclusion",
        }
    }
}

/// An element of a scene by kind and name, so that a reader can say where in its file the trouble is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Kind.
    pub kind: ElementKind,
    /// Name, given or made up.
    pub name: String,
}

impl Element {
    /// From kind and name.
    pub fn new(kind: ElementKind, name: &str) -> Self {
        Self { kind, name: name.to_owned() }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind.word(), self.name)
    }
}
