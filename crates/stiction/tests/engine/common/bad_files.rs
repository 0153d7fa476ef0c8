//! Bad scenes, one row each: what is wrong, the files, the line to blame and what the one sentence about it must say.
//!
//! A row of the table is a main file and, if it needs them, others beside it. The sentence has to name the line and
//! all words: the element, the value, and what would be right.
// Each test uses its part.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// A scene that must be refused.
pub struct Bad {
    /// What is wrong with it.
    pub name: &'static str,
    /// The text of `bad.xml`.
    pub text: &'static str,
    /// Name and text of further files.
    pub others: &'static [(&'static str, &'static str)],
    /// The file to blame.
    pub file: &'static str,
    /// The line to blame.
    pub line: usize,
    /// What is underlined there.
    pub underlined: &'static str,
    /// What the sentence must contain.
    pub words: &'static [&'static str],
}

impl Bad {
    /// Writes its files into a directory of its own below another and returns the path of the main one.
    pub fn write(&self, below: &Path) -> PathBuf {
        let directory = below.join(self.name.replace(' ', "_"));
        std::fs::create_dir_all(&directory).unwrap();
        for (name, text) in [("bad.xml", self.text)].iter().chain(self.others) {
            std::fs::write(directory.join(name), text).unwrap();
        }
        directory.join("bad.xml")
    }
}

/// A scene in one file.
const fn one(
    name: &'static str,
    text: &'static str,
    line: usize,
    underlined: &'static str,
    words: &'static [&'static str],
) -> Bad {
    Bad { name, text, others: &[], file: "bad.xml", line, underlined, words }
}

/// A scene in several files.
const fn several(
    name: &'static str,
    text: &'static str,
    others: &'static [(&'static str, &'static str)],
    (file, line): (&'static str, usize),
    underlined: &'static str,
    words: &'static [&'static str],
) -> Bad {
    Bad { name, text, others, file, line, underlined, words }
}

/// A scene with these lines in a body, from line 3.
macro_rules! body {
    ($lines:literal) => {
        concat!("<mujoco><worldbody>\n<body name=\"arm\">\n", $lines, "\n</body></worldbody>\n</mujoco>\n")
    };
}

/// A good body with a joint, and these lines after the world, from line 3.
macro_rules! sections {
    ($lines:literal) => {
        concat!(
            "<mujoco><worldbody><geom name=\"floor\" type=\"plane\" size=\"0 0 1\"/><body name=\"arm\" pos=\"0 0 3\">\
             <joint name=\"hinge\"/>\n<geom name=\"ball\" size=\"1\"/></body></worldbody>\n",
            $lines,
            "\n</mujoco>\n"
        )
    };
}

/// The table.
#[rustfmt::skip]
pub const FILES: &[Bad] = &[
    // Not a scene at all.
    one("empty", "", 1, "", &["not well-formed XML", "root"]),
    one("not xml", "solid robot\n facet normal 0 0 1\n", 1, "s", &["not well-formed XML"]),
    one("cut off", "<mujoco>\n<worldbody>\n<geom size=\"1\"/>\n", 1, "<", &["not well-formed XML", "root node was opened but never closed"]),
    one("tags crossed", "<mujoco>\n<worldbody></mujoco>\n</worldbody>\n", 2, "<", &["not well-formed XML", "'worldbody'"]),
    one("attribute twice", body!("<geom size=\"1\" size=\"2\"/>"), 3, "s", &["not well-formed XML", "size"]),
    one("another root", "<?xml version=\"1.0\"?>\n<robot name=\"r2\"/>\n", 2, "robot", &["robot \"r2\"", "<mujoco>"]),
    // Words that MJCF does not have.
    one("unknown element", body!("<goem size=\"1\"/>"), 3, "goem", &["goem", "unknown element", "did you mean \"geom\"?"]),
    one("element elsewhere", "<mujoco>\n<geom size=\"1\"/></mujoco>\n", 2, "geom", &["geom", "not an element of <mujoco>", "<body>"]),
    one("unknown section", "<mujoco>\n<asets/></mujoco>\n", 2, "asets", &["asets", "did you mean \"asset\"?"]),
    one("unknown attribute", body!("<geom name=\"g\" size=\"1\"\n frictoin=\"2\"/>"), 4, "frictoin", &["geom \"g\", frictoin", "did you mean \"friction\"?"]),
    one("unknown word", body!("<joint type=\"hinged\"/><geom size=\"1\"/>"), 3, "hinged", &["joint, type", "\"hinged\"", "did you mean \"hinge\"?"]),
    one("unknown shape", body!("<geom type=\"cone\" size=\"1\"/>"), 3, "cone", &["geom, type", "\"cone\"", "capsule"]),
    one("unknown sensor", sections!("<sensor>\n<jointpose joint=\"hinge\"/></sensor>"), 4, "jointpose", &["jointpose", "did you mean \"jointpos\"?"]),
    // Numbers.
    one("nan size", body!("<geom name=\"g\" size=\"nan\"/>"), 3, "nan", &["geom \"g\", size", "\"nan\"", "finite number is needed"]),
    one("negative size", body!("<geom name=\"g\" size=\"-0.1\"/>"), 3, "-0.1", &["geom \"g\", size", "\"-0.1\"", "positive radius"]),
    one("zero size", body!("<geom name=\"g\" type=\"box\" size=\"1 0 1\"/>"), 3, "1 0 1", &["geom \"g\", size", "\"1 0 1\"", "three positive half sizes"]),
    one("no size", body!("<geom name=\"g\"/>"), 3, "geom", &["geom \"g\", size", "not given", "positive radius"]),
    one("infinite position", body!("<geom size=\"1\" pos=\"0 inf 0\"/>"), 3, "0 inf 0", &["geom, pos", "\"inf\"", "finite"]),
    one("two for three", body!("<geom size=\"1\" pos=\"1 2\"/>"), 3, "1 2", &["geom, pos", "2 numbers", "3 numbers are needed"]),
    one("comma in numbers", body!("<geom type=\"box\" size=\"1, 2, 3\"/>"), 3, "1, 2, 3", &["geom, size", "\"1,\"", "not a number"]),
    one("too many numbers", "<mujoco>\n<option gravity=\"0 0 -9 1\"/></mujoco>\n", 2, "0 0 -9 1", &["option, gravity", "4 numbers", "3 numbers are needed"]),
    one("negative mass", body!("<geom name=\"g\" size=\"1\" mass=\"-2\"/>"), 3, "-2", &["geom \"g\", mass", "-2 is negative", "zero or more"]),
    one("negative density", body!("<geom size=\"1\" density=\"-1000\"/>"), 3, "-1000", &["geom, density", "-1000 is negative", "zero or more"]),
    one("negative friction", body!("<geom size=\"1\" friction=\"-0.5 0 0\"/>"), 3, "-0.5 0 0", &["geom, friction", "-0.5 is negative", "zero or more"]),
    one("negative damping", body!("<joint name=\"j\" damping=\"-1\"/><geom size=\"1\"/>"), 3, "-1", &["joint \"j\", damping", "-1 is negative", "zero or more"]),
    one("negative timestep", "<mujoco>\n<option timestep=\"-0.001\"/></mujoco>\n", 2, "-0.001", &["option, timestep", "-0.001", "positive"]),
    one("zero timestep", "<mujoco>\n<option timestep=\"0\"/></mujoco>\n", 2, "0", &["option, timestep", "0 is not positive"]),
    one("half a condim", body!("<geom size=\"1\" condim=\"3.5\"/>"), 3, "3.5", &["geom, condim", "\"3.5\"", "not an integer"]),
    // Directions.
    one("zero quaternion", body!("<geom size=\"1\" quat=\"0 0 0 0\"/>"), 3, "0 0 0 0", &["geom, quat", "\"0 0 0 0\"", "must not be zero"]),
    one("zero axis", body!("<joint name=\"j\" axis=\"0 0 0\"/><geom size=\"1\"/>"), 3, "0 0 0", &["joint \"j\", axis", "\"0 0 0\"", "must not be zero"]),
    one("wrong euler order", "<mujoco>\n<compiler eulerseq=\"xyw\"/></mujoco>\n", 2, "xyw", &["compiler, eulerseq", "\"xyw\"", "three letters out of x, y, z"]),
    one("two orientations", body!("<geom size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"), 3, "0 0 0", &["geom, euler", "already given by quat", "keep one"]),
    one("two ends in one point", body!("<geom type=\"capsule\" size=\".1\" fromto=\"1 1 1 1 1 1\"/>"), 3, "1 1 1 1 1 1", &["geom, fromto", "two points", "the same"]),
    // Bodies and joints.
    one("movable leaf without mass", body!("<joint name=\"j\"/>"), 3, "joint", &["joint `j`", "body `arm`", "no mass", "give one of them mass"]),
    one("impossible inertia", body!("<freejoint/>\n<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1.486e-6 2e-7 8.31e-7\"/>"), 4, "1.486e-6 2e-7 8.31e-7", &["inertial, diaginertia", "body \"arm\"", "1.486e-6 > 1.031e-6", "sum of the other two"]),
    one("negative moment", body!("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 -1\"/>"), 3, "1 1 -1", &["inertial, diaginertia", "-1 is negative", "zero or more"]),
    one("inertial without mass", body!("<inertial pos=\"0 0 0\" diaginertia=\"1 1 1\"/>"), 3, "inertial", &["inertial, mass", "missing", "kg"]),
    one("crossed limits", body!("<joint name=\"j\" range=\"40 -30\"/><geom size=\"1\"/>"), 3, "40 -30", &["joint \"j\", range", "40 is above", "-30", "lower one comes first"]),
    one("ball limits that do not begin at zero", body!("<joint name=\"j\" type=\"ball\" range=\"10 20\"/><geom size=\"1\"/>"), 3, "10 20", &["joint \"j\", range", "10", "must be 0"]),
    one("crossed ball limits", body!("<joint name=\"j\" type=\"ball\" range=\"10 0\"/><geom size=\"1\"/>"), 3, "10 0", &["joint \"j\", range", "10", "lower one comes first"]),
    one("limits without a range", body!("<joint name=\"j\" limited=\"true\"/><geom size=\"1\"/>"), 3, "joint", &["joint \"j\", range", "limited joint needs a range"]),
    one("free joint below a body", body!("<geom size=\"1\"/><body name=\"hand\">\n<freejoint name=\"f\"/><geom size=\"1\"/></body>"), 4, "freejoint", &["joint `f`", "`hand` is a child of `arm`", "must be a child of the world"]),
    one("free joint among others", body!("<joint/>\n<freejoint name=\"f\"/><geom size=\"1\"/>"), 4, "freejoint", &["joint `f`", "must be the only joint", "body `arm` has 2"]),
    one("joint of the world", "<mujoco><worldbody>\n<joint name=\"j\"/></worldbody></mujoco>\n", 2, "joint", &["joint \"j\"", "the world cannot have one", "into a body"]),
    one("two inertials", body!("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>"), 4, "inertial", &["inertial", "a body has one", "line 3"]),
    one("moving plane", body!("<freejoint name=\"f\"/>\n<geom name=\"g\" type=\"plane\" size=\"1 1 1\"/>"), 4, "geom", &["geom `g`", "body `arm` moves", "use a box"]),
    one("joint of a mocap body", "<mujoco><worldbody>\n<body name=\"hand\" mocap=\"true\"><joint/><geom size=\"1\"/></body></worldbody></mujoco>\n", 2, "body", &["body `hand`", "mocap", "cannot have joints"]),
    // Names.
    one("duplicate name", body!("<geom name=\"g\" size=\"1\"/>\n<geom name=\"g\" size=\"2\"/>"), 4, "g", &["geom \"g\", name", "taken by the geom on line 3", "must be unique"]),
    one("missing class", body!("<geom class=\"stell\" size=\"1\"/>"), 3, "stell", &["geom, class", "no default class \"stell\""]),
    one("missing childclass", "<mujoco><default><default class=\"steel\"/></default><worldbody>\n<body name=\"b\" childclass=\"stell\"/></worldbody></mujoco>\n", 2, "stell", &["body \"b\", childclass", "\"stell\"", "did you mean \"steel\"?"]),
    one("missing class of a site", body!("<geom size=\"1\"/><site name=\"s\" class=\"marks\"/>"), 3, "marks", &["site \"s\", class", "no default class \"marks\""]),
    one("class twice", "<mujoco><default>\n<default class=\"a\"/>\n<default class=\"a\"/></default></mujoco>\n", 3, "a", &["default \"a\", class", "\"a\" exists already"]),
    one("class without a name", "<mujoco><default>\n<default/></default></mujoco>\n", 2, "default", &["default, class", "missing", "needs a name"]),
    one("missing material", body!("<geom size=\"1\" material=\"rubber\"/>"), 3, "rubber", &["geom, material", "no material \"rubber\""]),
    one("missing joint of a drive", sections!("<actuator>\n<motor name=\"m\" joint=\"hing\"/></actuator>"), 4, "hing", &["motor \"m\", joint", "no joint \"hing\"", "did you mean \"hinge\"?"]),
    one("drive of nothing", sections!("<actuator><motor name=\"m\"/></actuator>"), 3, "motor", &["motor \"m\"", "exactly one of joint"]),
    one("missing geom of a pair", sections!("<contact><pair geom1=\"flor\" geom2=\"ball\"/></contact>"), 3, "flor", &["pair, geom1", "no geom \"flor\"", "did you mean \"floor\"?"]),
    one("missing body of an exclusion", sections!("<contact><exclude body1=\"arm\" body2=\"leg\"/></contact>"), 3, "leg", &["exclude, body2", "no body \"leg\""]),
    one("weld of a body with itself", sections!("<equality>\n<weld body1=\"arm\" body2=\"arm\"/></equality>"), 4, "weld", &["equality 0", "`arm` to itself", "two different"]),
    one("crossed control limits", sections!("<actuator><motor name=\"m\" joint=\"hinge\" ctrlrange=\"1 -1\"/></actuator>"), 3, "1 -1", &["motor \"m\", ctrlrange", "1 is above", "-1", "lower one comes first"]),
    // Keyframes.
    one("long keyframe", sections!("<keyframe>\n<key name=\"k\" qpos=\"1 2 3\"/></keyframe>"), 4, "1 2 3", &["key \"k\", qpos", "3 numbers", "needs 1"]),
    one("zero quaternion in a keyframe", "<mujoco><worldbody><body><freejoint/><geom size=\"1\"/></body></worldbody><keyframe>\n<key name=\"k\" qpos=\"0 0 0 0 0 0 0\"/></keyframe></mujoco>\n", 2, "0 0 0 0 0 0 0", &["key \"k\", qpos", "numbers 4 to 7 is zero", "use 1 0 0 0"]),
    one("mocap pose for no mocap body", sections!("<keyframe>\n<key name=\"k\" mpos=\"0 0 1\"/></keyframe>"), 4, "0 0 1", &["key \"k\", mpos", "3 numbers", "0 numbers are needed"]),
    one("keyframe twice", sections!("<keyframe><key name=\"k\"/>\n<key name=\"k\"/></keyframe>"), 4, "k", &["key \"k\", name", "line 3", "unique"]),
    // The engine's own entries.
    one("unknown contact model", "<mujoco><custom>\n<text name=\"stiction:contact_model\" data=\"penalty\"/></custom></mujoco>\n", 2, "penalty", &["text \"stiction:contact_model\", data", "'penalty' is unknown", "stewart-trinkle"]),
    one("unknown solver", "<mujoco><custom>\n<text name=\"stiction:solver\" data=\"chian\"/></custom></mujoco>\n", 2, "chian", &["text \"stiction:solver\", data", "'chian'", "did you mean \"chain\"?"]),
    one("odd directions", "<mujoco><custom>\n<numeric name=\"stiction:friction_directions\" data=\"5\"/></custom></mujoco>\n", 2, "5", &["friction_directions\", data", "5", "even number"]),
    one("misspelt entry", "<mujoco><custom>\n<numeric name=\"stiction:durration\" data=\"1\"/></custom></mujoco>\n", 2, "stiction:durration", &["durration", "did you mean \"stiction:duration\"?"]),
    one("friction of no material", "<mujoco><custom>\n<numeric name=\"stiction:friction:ice:steel\" data=\"0.1\"/></custom></mujoco>\n", 2, "stiction:friction:ice:steel", &["name", "no material \"ice\""]),
    one("belt of no geom", sections!("<custom>\n<numeric name=\"stiction:surface_velocity:bal\" data=\"1 0 0\"/></custom>"), 4, "stiction:surface_velocity:bal", &["name", "\"bal\"", "did you mean \"ball\"?"]),
    // What would make another scene.
    one("generated bodies", body!("<geom size=\"1\"/>\n<replicate count=\"3\"/>"), 4, "replicate", &["replicate", "not supported", "write out what it stands for"]),
    one("soft bodies", "<mujoco><deformable>\n<skin name=\"s\"/></deformable></mujoco>\n", 1, "deformable", &["deformable", "bodies are rigid"]),
    // Included files.
    one("missing include", "<mujoco>\n<include file=\"arm.xml\"/></mujoco>\n", 2, "arm.xml", &["include, file", "\"arm.xml\" cannot be read", "tried "]),
    one("include without a file", "<mujoco>\n<include/></mujoco>\n", 2, "include", &["include, file", "missing", "name of an MJCF file"]),
    one("include of itself", "<mujoco>\n<include file=\"bad.xml\"/></mujoco>\n", 2, "bad.xml", &["include, file", "\"bad.xml\" would contain itself"]),
    several("include cycle", "<mujoco>\n<include file=\"a.xml\"/></mujoco>\n", &[("a.xml", "<mujoco>\n\n<include file=\"bad.xml\"/></mujoco>\n")], ("a.xml", 3), "bad.xml", &["\"bad.xml\" would contain itself", "bad.xml:2 includes", "a.xml:3 includes"]),
    several("include twice", "<mujoco>\n<include file=\"a.xml\"/>\n<include file=\"a.xml\"/></mujoco>\n", &[("a.xml", "<mujoco/>")], ("bad.xml", 3), "a.xml", &["\"a.xml\" is included twice", "bad.xml:2 includes it already", "keep one"]),
    several("include that is not xml", "<mujoco>\n<include file=\"a.xml\"/></mujoco>\n", &[("a.xml", "<mujoco>\n<geom></mujoco>\n")], ("a.xml", 2), "<", &["not well-formed XML", "'geom'"]),
    several("bad number in an include", "<mujoco><worldbody><include file=\"a.xml\"/></worldbody></mujoco>\n", &[("a.xml", "<mujoco>\n<geom name=\"g\" size=\"0\"/></mujoco>\n")], ("a.xml", 2), "0", &["geom \"g\", size", "\"0\"", "positive radius"]),
    several("name twice across files", "<mujoco><worldbody><geom name=\"g\" size=\"1\"/>\n<include file=\"a.xml\"/></worldbody></mujoco>\n", &[("a.xml", "<mujoco>\n<geom name=\"g\" size=\"1\"/></mujoco>\n")], ("a.xml", 2), "g", &["geom \"g\", name", "line 1 of ", "bad.xml;", "unique"]),
];
