//! Bad scenes: each is refused with one sentence that names file, line, element, value and what would be right.

use stiction::scene::{SceneError, load, mjcf};

/// Puts lines into the sections of a scene that would be fine without them. Line 1 is `<mujoco>`, line 2 is where
/// `top` begins, and `body` begins on line 4 plus the lines of `top`.
fn text(top: &str, body: &str, bottom: &str) -> String {
    format!(
        "<mujoco model=\"bad\">\n{top}\n<worldbody>\n<geom name=\"floor\" type=\"plane\" size=\"0 0 1\"/>\n{body}\n\
         <body name=\"good\" pos=\"0 0 5\"><joint name=\"pin\"/><geom name=\"bob\" size=\"1\"/></body>\n</worldbody>\n\
         {bottom}\n</mujoco>\n"
    )
}

fn refusal(scene: &str) -> SceneError {
    match mjcf::parse(scene, "bad.xml") {
        Ok(_) => panic!("this scene must be refused:\n{scene}"),
        Err(error) => error,
    }
}

/// Every case: the section it goes to, the bad lines, the line to blame, and words the sentence must have.
#[track_caller]
fn refused(section: &str, bad: &str, line: usize, words: &[&str]) {
    let scene = match section {
        "top" => text(bad, "", ""),
        "body" => text("", bad, ""),
        "bottom" => text("", "", bad),
        _ => panic!("no section {section}"),
    };
    let error = refusal(&scene);
    let message = error.to_string();
    assert_eq!(error.line(), Some(line), "{message}");
    assert!(message.starts_with(&format!("bad.xml:{line}: ")), "{message}");
    assert!(!message.contains('\n'), "one sentence: {message}");
    for word in words {
        assert!(message.contains(word), "{message:?} does not mention {word:?}");
    }
}

#[test]
fn the_scene_around_the_bad_lines_is_good() {
    mjcf::parse(&text("", "", ""), "good.xml").unwrap();
}

#[test]
fn numbers_are_refused_when_they_are_not_finite_not_numbers_or_too_many() {
    refused("body", r#"<geom name="g" size="nan"/>"#, 5, &[r#"geom "g""#, "size", "\"nan\"", "finite"]);
    refused("body", r#"<geom name="g" size="1e999"/>"#, 5, &["size", "1e999", "finite"]);
    refused("body", r#"<geom name="g" size="1" mass="1e-320"/>"#, 5, &["mass", "1e-320", "too small"]);
    refused(
        "body",
        r#"<geom name="g" size="1" pos="0 0 -1e101"/>"#,
        5,
        &["pos", "-1e101", "too large", "1e100"],
    );
    refused("body", r#"<geom name="g" size="1,2"/>"#, 5, &["size", "\"1,2\"", "not a number"]);
    refused("body", r#"<geom name="g" size="1 2 3 4"/>"#, 5, &["4 numbers", "0 to 3"]);
    refused(
        "body",
        r#"<geom name="g" size="1" pos="1 2"/>"#,
        5,
        &["pos", "2 numbers", "3 numbers are needed"],
    );
    refused("body", r#"<geom name="g" size="1" condim="3.0"/>"#, 5, &["condim", "3.0", "not an integer"]);
    refused("top", "<option\ntimestep=\"-0.001\"/>", 3, &["option", "timestep", "-0.001", "positive"]);
    refused("top", r#"<option gravity="0 -9.81"/>"#, 2, &["gravity", "2 numbers"]);
}

#[test]
fn impossible_shapes_are_refused() {
    refused("body", r#"<geom name="g" size="-1"/>"#, 5, &["size", "\"-1\"", "positive radius"]);
    refused("body", r#"<geom name="g"/>"#, 5, &["size", "not given", "positive radius"]);
    refused("body", r#"<geom name="g" type="box" size="1 1 0"/>"#, 5, &["\"1 1 0\"", "three positive"]);
    refused("body", r#"<geom name="g" type="capsule" size="1"/>"#, 5, &["\"1\"", "half length"]);
    refused("body", r#"<geom name="g" type="plane" size="1 1"/>"#, 5, &["\"1 1\"", "positive grid"]);
    refused("body", r#"<geom name="g" type="ball" size="1"/>"#, 5, &["type", "\"ball\"", "sphere"]);
    refused("body", r#"<geom name="g" type="capsul" size="1 1"/>"#, 5, &["did you mean \"capsule\"?"]);
    refused("body", r#"<geom name="g" type="cylinder" size="1"/>"#, 5, &["\"1\"", "half length"]);
    refused("body", r#"<geom name="g" type="ellipsoid" size="1 1"/>"#, 5, &["\"1 1\"", "three positive"]);
    refused("body", r#"<geom name="g" type="mesh" mesh="m"/>"#, 5, &["mesh", "there is no mesh \"m\""]);
    refused("body", r#"<geom name="g" type="hfield"/>"#, 5, &["hfield", "missing"]);
    refused(
        "body",
        r#"<geom name="g" type="capsule" size="1" fromto="1 2 3 1 2 3"/>"#,
        5,
        &["fromto", "same"],
    );
    refused("body", r#"<geom name="g" size="1" fromto="1 2 3 1 2 4"/>"#, 5, &["fromto", "capsule"]);
    refused("body", r#"<geom type="box" size="1" pos="0 0 0" fromto="1 2 3 1 2 4"/>"#, 5, &["fromto", "pos"]);
    refused("body", r#"<geom name="g" size="1" friction="-0.5"/>"#, 5, &["friction", "-0.5", "zero or more"]);
    refused("body", r#"<geom name="g" size="1" mass="-2"/>"#, 5, &["mass", "-2", "zero or more"]);
    refused("body", r#"<geom name="g" size="1" condim="2"/>"#, 5, &["condim", "2 is not 1, 3, 4 or 6"]);
    refused("body", r#"<geom name="g" size="1" material="rubbr"/>"#, 5, &["material", "\"rubbr\""]);
}

#[test]
fn orientations_without_direction_are_refused() {
    refused("body", r#"<geom size="1" quat="0 0 0 0"/>"#, 5, &["quat", "\"0 0 0 0\"", "must not be zero"]);
    refused("body", r#"<geom size="1" axisangle="0 0 0 5"/>"#, 5, &["axisangle", "axis must not be zero"]);
    refused("body", r#"<geom size="1" xyaxes="1 0 0 2 0 0"/>"#, 5, &["xyaxes", "parallel"]);
    refused("body", r#"<geom size="1" zaxis="0 0 0"/>"#, 5, &["zaxis", "must not be zero"]);
    refused(
        "body",
        r#"<geom size="1" quat="1 0 0 0" euler="0 0 0"/>"#,
        5,
        &["euler", "already given by quat"],
    );
    refused("top", r#"<compiler eulerseq="xyw"/>"#, 2, &["eulerseq", "\"xyw\"", "three letters"]);
    refused("top", r#"<compiler coordinate="global"/>"#, 2, &["coordinate", "global"]);
    refused("top", r#"<compiler angle="degrees"/>"#, 2, &["angle", "did you mean \"degree\"?"]);
}

#[test]
fn impossible_joints_are_refused() {
    let body = |joint: &str| format!("<body name=\"b\">\n{joint}\n<geom size=\"1\"/></body>");
    for (joint, words) in [
        (r#"<joint name="j" axis="0 0 0"/>"#, ["axis", "\"0 0 0\"", "must not be zero"]),
        (r#"<joint name="j" range="40 -30"/>"#, ["range", "40", "-30"]),
        (r#"<joint name="j" limited="true"/>"#, ["range", "limited", "below"]),
        (r#"<joint name="j" type="ball" range="10 20"/>"#, ["range", "10", "must be 0"]),
        (r#"<joint name="j" damping="-1"/>"#, ["damping", "-1", "zero or more"]),
        (r#"<joint name="j" limited="yes"/>"#, ["limited", "\"yes\"", "true, false, auto"]),
    ] {
        refused("body", &body(joint), 6, &words);
    }
    // The joint that is there already stands below.
    refused("body", &body("<joint name=\"pin\"/>"), 8, &["name", "\"pin\"", "taken", "line 6"]);
    refused(
        "body",
        "<body name=\"b\">\n<freejoint/>\n<joint/><geom size=\"1\"/></body>",
        6,
        &["b/joint 0", "free joint"],
    );
    refused(
        "body",
        "<body><geom size=\"1\"/>\n<body><freejoint/><geom size=\"1\"/></body></body>",
        6,
        &["free joint"],
    );
    refused("body", "<body name=\"leaf\">\n<joint name=\"j\"/></body>", 6, &["joint `j`", "leaf", "mass"]);
    refused(
        "top",
        "<compiler autolimits=\"false\"/>\n<default><joint range=\"0 1\"/></default>",
        7,
        &["range", "limited"],
    );
}

#[test]
fn impossible_inertias_are_refused_with_their_numbers() {
    let body = |inertial: &str| format!("<body name=\"b\"><freejoint/>\n{inertial}</body>");
    for (inertial, words) in [
        (
            r#"<inertial pos="0 0 0" mass="1" diaginertia="1.486e-6 2e-7 8.31e-7"/>"#,
            ["diaginertia", "body \"b\"", "1.486e-6 > 1.031e-6"],
        ),
        (r#"<inertial pos="0 0 0" mass="1" diaginertia="-1 1 1"/>"#, ["diaginertia", "-1", "zero or more"]),
        (r#"<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 3 0 0"/>"#, ["fullinertia", "negative", "-2"]),
        (r#"<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>"#, ["mass", "-1", "zero or more"]),
        (r#"<inertial pos="0 0 0" mass="1"/>"#, ["inertial", "diaginertia", "fullinertia"]),
        (r#"<inertial mass="1" diaginertia="1 1 1"/>"#, ["pos", "missing", "centre of mass"]),
        (
            r#"<inertial pos="0 0 0" mass="1" quat="0 1 0 0" fullinertia="1 1 1 0 0 0"/>"#,
            ["quat", "full inertia", "body's axes"],
        ),
    ] {
        refused("body", &body(inertial), 6, &words);
    }
}

#[test]
fn rods_and_plates_have_possible_inertias() {
    for moments in ["0.1 0.1 0", "0.1 0.2 0.3", "0.1 0.2 0.30000000000000004"] {
        let body = format!("<body><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"{moments}\"/></body>");
        mjcf::parse(&text("", &body, ""), "rod.xml").unwrap();
    }
}

#[test]
fn names_that_are_twice_or_nowhere_are_refused() {
    refused("body", r#"<geom name="floor" size="1"/>"#, 5, &["\"floor\"", "line 4", "unique"]);
    refused("body", r#"<body name="world"/>"#, 5, &["name", "world"]);
    refused("body", r#"<body name="b" childclass="metl"/>"#, 5, &["childclass", "\"metl\""]);
    refused(
        "top",
        "<default>\n<default class=\"metal\"/>\n<default class=\"metal\"/></default>",
        4,
        &["class", "metal"],
    );
    refused("top", "<default><geom/>\n<geom/></default>", 3, &["once", "merge"]);
    refused("top", "<default>\n<default/></default>", 3, &["class", "needs a name"]);
    refused(
        "bottom",
        "<contact>\n<pair geom1=\"flor\" geom2=\"bob\"/></contact>",
        9,
        &["geom1", "did you mean \"floor\"?"],
    );
    refused("bottom", "<contact>\n<pair geom1=\"floor\"/></contact>", 9, &["geom2", "missing"]);
    let twice =
        "<contact><pair geom1=\"floor\" geom2=\"bob\"/>\n<pair geom1=\"bob\" geom2=\"floor\"/></contact>";
    refused("bottom", twice, 9, &["\"bob\"", "\"floor\"", "line 8"]);
    refused(
        "bottom",
        "<contact><exclude body1=\"good\" body2=\"goood\"/></contact>",
        8,
        &["body2", "did you mean \"good\"?"],
    );
    refused("bottom", "<equality><connect body1=\"good\"/></equality>", 8, &["anchor", "missing"]);
    refused(
        "bottom",
        "<equality>\n<weld body1=\"good\" body2=\"good\"/></equality>",
        9,
        &["equality 0", "good"],
    );
    refused("bottom", "<actuator><motor joint=\"pim\"/></actuator>", 8, &["joint", "did you mean \"pin\"?"]);
    refused("bottom", "<actuator><motor/></actuator>", 8, &["motor", "exactly one"]);
    refused(
        "bottom",
        "<actuator><motor joint=\"pin\" ctrlrange=\"1 -1\"/></actuator>",
        8,
        &["ctrlrange", "1", "-1"],
    );
    refused(
        "bottom",
        "<actuator><motor joint=\"pin\" ctrllimited=\"true\"/></actuator>",
        8,
        &["ctrlrange", "below"],
    );
}

#[test]
fn dampers_that_would_drive_are_refused() {
    let damper = |bad: &str, words: &[&str]| {
        refused("bottom", &format!(r#"<actuator><damper joint="pin" {bad}/></actuator>"#), 8, words);
    };
    damper(r#"kv="1" ctrlrange="-1 2""#, &["damper, ctrlrange", "-1", "zero or more"]);
    damper(r#"kv="-1" ctrlrange="0 2""#, &["damper, kv", "-1"]);
    damper(r#"kv="1""#, &["damper, ctrlrange", "needs a range"]);
}

#[test]
fn keyframes_of_another_size_are_refused() {
    refused(
        "bottom",
        "<keyframe>\n<key qpos=\"0 1\"/></keyframe>",
        9,
        &["key", "qpos", "2 numbers", "needs 1"],
    );
    refused("bottom", "<keyframe><key ctrl=\"1\"/></keyframe>", 8, &["ctrl", "1 numbers", "needs 0"]);
    refused("bottom", "<keyframe><key time=\"inf\"/></keyframe>", 8, &["time", "finite"]);
    let ball = "<body name=\"b\"><freejoint/><geom size=\"1\"/></body>";
    let scene = text("", ball, "<keyframe><key qpos=\"0 0 0 0 0 0 0 0\"/></keyframe>");
    let message = refusal(&scene).to_string();
    assert!(message.contains("qpos") && message.contains("4 to 7") && message.contains("zero"), "{message}");
}

#[test]
fn entries_of_the_engine_are_refused_when_misspelt_or_out_of_range() {
    let custom = |entry: &str| format!("<custom>\n{entry}</custom>");
    for (entry, words) in [
        (
            r#"<numeric name="stiction:restitution" data="1.7"/>"#,
            ["data", "1.7", "from 0 (inelastic) to 1 (elastic)"],
        ),
        (r#"<numeric name="stiction:restitution:a:b" data="-0.1"/>"#, ["data", "-0.1", "elastic"]),
        (r#"<numeric name="stiction:restitution:a:b" data="0.7"/>"#, ["name", "\"a\"", "material"]),
        (
            r#"<numeric name="stiction:restitution:a" data="0.7"/>"#,
            ["name", "\"a\"", "stiction:restitution:A:B"],
        ),
        (
            r#"<text name="stiction:restitution" data="0.7"/>"#,
            ["stiction:restitution", "<text>", "<numeric>"],
        ),
        (r#"<text name="stiction:impact" data="newtom"/>"#, ["data", "newtom", "newton"]),
        (r#"<numeric name="stiction:impact" data="1"/>"#, ["stiction:impact", "<numeric>", "<text>"]),
        (r#"<numeric name="stiction:durration" data="1"/>"#, ["name", "durration", "\"stiction:duration\"?"]),
        (r#"<numeric name="stiction:duration" data="0"/>"#, ["data", "0", "positive"]),
        (r#"<numeric name="stiction:overlap_tolerance" data="0"/>"#, ["data", "0", "positive (m or rad)"]),
        (r#"<numeric name="stiction:depenetration_speed" data="-1"/>"#, ["data", "-1", "negative"]),
        (r#"<numeric name="stiction:baumgarte" data="1.5"/>"#, ["data", "1.5", "from 0 to 1"]),
        (r#"<numeric name="stiction:impact_threshold" data="-1"/>"#, ["data", "-1", "negative"]),
        (r#"<text name="stiction:baumgarte" data="1"/>"#, ["<text>", "<numeric>", "baumgarte"]),
        (r#"<numeric name="stiction:friction_directions" data="5"/>"#, ["data", "5", "even"]),
        (r#"<numeric name="stiction:friction:a:b" data="0.5"/>"#, ["name", "\"a\"", "material"]),
        (r#"<numeric name="stiction:friction:a" data="0.5"/>"#, ["name", "\"a\"", "stiction:friction:A:B"]),
        (
            r#"<numeric name="stiction:surface_velocity:flor" data="1 0 0"/>"#,
            ["name", "\"flor\"", "\"floor\"?"],
        ),
        (r#"<numeric name="stiction:surface_velocity:floor" data="1"/>"#, ["data", "1 numbers", "3 numbers"]),
        (
            r#"<numeric name="stiction:mocap_velocity:good" data="0 0 0 1 0 0"/>"#,
            ["good", "not a mocap", "mocap=\"true\""],
        ),
        (r#"<text name="stiction:solvr" data="lemke"/>"#, ["name", "solvr", "\"stiction:solver\"?"]),
        (r#"<text name="stiction:solver" data=""/>"#, ["data", "empty", "name"]),
        (r#"<text name="stiction:duration" data="1"/>"#, ["<text>", "<numeric>", "duration"]),
        (r#"<numeric name="stiction:hardness" data="1"/>"#, ["hardness", "known are", "contact_model"]),
    ] {
        refused("top", &custom(entry), 3, &words);
    }
    let twice = "<custom><text name=\"stiction:solver\" data=\"a\"/>\n<text name=\"stiction:solver\" data=\"b\"/></custom>";
    refused("top", twice, 3, &["name", "line 2", "keep one"]);
}

#[test]
fn what_would_make_another_scene_is_refused() {
    refused("body", "<body>\n<composite type=\"cable\"/></body>", 6, &["composite", "not supported"]);
    refused("body", "<replicate count=\"3\"/>", 5, &["replicate", "not supported"]);
    refused("body", "<joint/>", 5, &["joint", "world"]);
    refused("body", "<body mocap=\"true\"><joint/><geom size=\"1\"/></body>", 5, &["world/0", "mocap"]);
    refused(
        "body",
        "<body><freejoint/>\n<geom type=\"plane\" size=\"1 1 1\"/></body>",
        6,
        &["plane", "moves"],
    );
}

#[test]
fn text_that_is_not_a_scene_is_refused_with_its_place() {
    let error = refusal("<mujoco>\n  <worldbody>\n  </mujoco>");
    assert_eq!(error.to_string(), "bad.xml:3:3: not well-formed XML: expected 'worldbody' tag, not 'mujoco'");
    assert!(refusal("").to_string().starts_with("bad.xml:1:1: not well-formed XML: "));
    assert!(refusal("<robot name=\"r\"/>").to_string().contains("<mujoco>"));
    let entities = "<!DOCTYPE a [<!ENTITY b \"c\">]><mujoco/>";
    assert!(refusal(entities).to_string().contains("DTD"));
}

#[test]
fn deep_nesting_is_refused_and_does_not_exhaust_the_stack() {
    for depth in [1_000, 100_000] {
        let (open, close) = ("<body>".repeat(depth), "</body>".repeat(depth));
        let scene = format!("<mujoco><worldbody>{open}{close}</worldbody></mujoco>");
        let message = refusal(&scene).to_string();
        assert!(message.contains("nested"), "{message}");
    }
}

#[test]
fn files_that_are_missing_or_of_another_kind_are_refused() {
    let missing = load("no/such/scene.xml".as_ref()).unwrap_err();
    assert!(missing.to_string().starts_with("no/such/scene.xml: cannot be read: "));
    let other = load("robot.sdf".as_ref()).unwrap_err();
    assert_eq!(
        other.to_string(),
        "robot.sdf: unknown scene format \"sdf\"; a scene is an MJCF file ending in .xml or .mjcf"
    );
}

#[test]
fn bad_couplings_and_tendons_are_refused() {
    let equality = |inside: &str| format!("<equality>{inside}</equality>");
    let tendon = |inside: &str| format!("<tendon>{inside}</tendon>");
    let fixed = |attributes: &str| {
        tendon(&format!("<fixed name=\"t\" {attributes}><joint joint=\"pin\" coef=\"1\"/></fixed>"))
    };
    let cases: &[(String, &[&str])] = &[
        (equality("<joint/>"), &["joint1", "missing"]),
        (equality("<joint joint1=\"pim\"/>"), &["joint1", "did you mean \"pin\"?"]),
        (equality("<joint joint1=\"pin\" joint2=\"pin\"/>"), &["`pin` to itself"]),
        (equality("<joint joint1=\"pin\" polycoef=\"1 2 3 4 5 6\"/>"), &["polycoef", "6 numbers"]),
        (equality("<joint joint1=\"pin\" polycoef=\"nan\"/>"), &["polycoef", "not finite"]),
        (equality("<tendon tendon1=\"t\"/>"), &["tendon1", "there is no tendon \"t\""]),
        (tendon("<fixed name=\"t\"/>"), &["no joints", "at least one"]),
        (tendon("<fixed><joint joint=\"pin\"/></fixed>"), &["coef", "missing"]),
        (tendon("<fixed><joint joint=\"pam\" coef=\"1\"/></fixed>"), &["there is no joint", "\"pam\""]),
        (fixed("range=\"2 1\""), &["range", "2", "above"]),
        (fixed("limited=\"true\""), &["range", "lower end below"]),
        (fixed("springlength=\"3 1\""), &["springlength", "3", "above"]),
        (fixed("springlength=\"1 2 3\""), &["springlength", "3 numbers"]),
        (fixed("stiffness=\"-2\""), &["stiffness", "-2 is negative"]),
        (fixed("frictionloss=\"-2\""), &["frictionloss", "-2 is negative"]),
        (fixed("") + "<actuator><motor tendon=\"u\"/></actuator>", &["tendon", "there is no tendon \"u\""]),
        (tendon("<spatial name=\"s\" range=\"0 1\"/>"), &["`s`", "0 points", "two at least"]),
        (tendon("<spatial name=\"s\" stiffness=\"1\"/>"), &["stiffness", "of spatial tendons only limits"]),
        (
            tendon("<spatial name=\"s\"/>") + "<actuator><motor tendon=\"s\"/></actuator>",
            &["tendon", "\"s\"", "of spatial tendons only limits"],
        ),
        (
            tendon("<spatial name=\"s\"/>") + "<equality><tendon tendon1=\"s\"/></equality>",
            &["tendon1", "\"s\"", "of spatial tendons only limits"],
        ),
    ];
    for (bad, words) in cases {
        refused("bottom", bad, 8, words);
    }
    let ball = "<body name=\"b\"><joint name=\"ball\" type=\"ball\"/><geom size=\"1\"/></body>";
    let scene = text("", ball, &equality("<joint joint1=\"pin\" joint2=\"ball\"/>"));
    assert!(
        refusal(&scene).to_string().contains("joint2: joint \"ball\" is a ball or free joint"),
        "{}",
        refusal(&scene)
    );
}
