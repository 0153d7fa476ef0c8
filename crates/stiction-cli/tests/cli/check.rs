//! `stiction check`: sizes, the load report, exit statuses.

use crate::common::{all_shipped, keys, scene, scratch, shipped, stiction};

const NOTED: &str = r#"<mujoco model="noted">
  <worldbody>
    <body name="ball" pos="0 0 1">
      <freejoint/>
      <geom name="skin" type="sphere" size="0.1" mass="2.5" solref="0.01 1"/>
    </body>
  </worldbody>
</mujoco>"#;

#[test]
fn the_json_object_has_the_documented_keys_and_the_size_of_the_model() {
    let json = stiction(&["check", &shipped("pendulum12"), "--json"]).exits_with(0).json();
    let mut found = keys(&json);
    found.sort_unstable();
    assert_eq!(found, ["bodies", "cosmetic", "dof", "entries", "ok", "total_mass", "violations"]);
    assert_eq!(json["ok"], true);
    assert_eq!(json["bodies"], 12);
    assert_eq!(json["dof"], 12);
    assert_eq!(json["total_mass"], 12.0);
}

#[test]
fn an_entry_has_its_place_and_makes_strict_fail() {
    let dir = scratch("check_strict");
    let noted = scene(&dir, "noted.xml", NOTED);
    let json = stiction(&["check", &noted, "--json"]).exits_with(0).json();
    let entries = json["entries"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["kind"] == "ignored").unwrap();
    let mut found = keys(entry);
    found.sort_unstable();
    assert_eq!(found, ["column", "element", "file", "kind", "length", "line", "message"]);
    assert_eq!(entry["line"], 5);
    assert!(entry["message"].as_str().unwrap().contains("solref"));
    assert_eq!(json["total_mass"], 2.5);

    let strict = stiction(&["check", &noted, "--strict", "--json"]).exits_with(2);
    assert_eq!(strict.json()["ok"], false);
    assert!(strict.stderr.contains("--strict"), "{}", strict.stderr);
    let text = stiction(&["check", &noted]).exits_with(0).stdout;
    assert!(text.contains("Ignored") && text.contains("noted.xml:5") && text.contains("2.5 kg"), "{text}");
}

#[test]
fn shipped_scenes_pass_the_strict_check() {
    for name in all_shipped() {
        stiction(&["check", &shipped(&name), "--strict"]).exits_with(0);
    }
}

#[test]
fn a_scene_that_does_not_load_is_an_entry_of_kind_error_and_status_2() {
    let dir = scratch("check_error");
    let bad = scene(
        &dir,
        "bad.xml",
        "<mujoco>\n<worldbody>\n<geom type=\"shpere\" size=\"1\"/></worldbody></mujoco>",
    );
    let out = stiction(&["check", &bad, "--json"]).exits_with(2);
    let json = out.json();
    assert_eq!(json["ok"], false);
    assert_eq!(json["entries"][0]["kind"], "error");
    assert_eq!(json["entries"][0]["line"], 3);
    assert!(out.stderr.contains("sphere"), "{}", out.stderr);
    assert!(
        out.stderr.contains("\n3 | <geom type=\"shpere\" size")
            && out.stderr.contains("|             ^^^^^^")
    );
    assert!(!out.stderr.contains('\x1b'), "no colours where nobody looks: {}", out.stderr);
    let missing = stiction(&["check", "nowhere.xml"]).exits_with(2);
    assert_eq!(missing.stdout, "");
}

#[test]
fn a_scene_that_asks_for_an_unknown_contact_model_is_refused() {
    let dir = scratch("check_model");
    let custom = "<custom><text name=\"stiction:contact_model\" data=\"penalty\"/></custom>";
    let text = NOTED.replace("<worldbody>", &format!("{custom}<worldbody>"));
    let out = stiction(&["check", &scene(&dir, "model.xml", &text)]).exits_with(2);
    assert!(out.stderr.contains("model.xml:2: text") && out.stderr.contains("penalty"), "{}", out.stderr);
}

#[test]
fn warnings_are_shown_in_their_lines_and_looks_in_one_line() {
    let dir = scratch("check_listing");
    let text = "<mujoco><option timestep='0.001'/>\n<asset><material name='a' rgba='1 0 0 1'/></asset><custom>\n\
                <numeric name='stiction:friction:a:a' data='1'/></custom>\n\
                <worldbody><light/><light/><geom size='1' rgba='1 0 0 1' user='1'/><site/></worldbody></mujoco>";
    let listing = stiction(&["check", &scene(&dir, "looks.xml", text)]).exits_with(0).stdout;
    assert!(listing.contains("Warnings (1)") && listing.contains("no geom is made of \"a\""), "{listing}");
    assert!(listing.contains("3 | <numeric name='stiction:friction:a:a'"), "{listing}");
    assert!(listing.contains("never of effect: <light>, <site>, user\n"), "{listing}");
}

#[test]
fn mobility_redundant_rows_and_assembly_of_a_mechanism_are_listed() {
    let rod = r#"<inertial pos="0 0 -0.05" mass="1" diaginertia="1 1 1"/>"#;
    let bar = |ground: f64| {
        format!(
            r#"<mujoco><custom><text name="stiction:closure:pin" data="hinge far end"/></custom><worldbody>
            <body name="crank"><joint axis="0 1 0"/>{rod}<body name="coupler" pos="0 0 -0.1"><joint axis="0 1 0"/>{rod}
            <site name="far" pos="0.3 0 0.05" zaxis="0 1 0"/></body></body>
            <body name="rocker" pos="{ground} 0 0"><joint axis="0 1 0"/>{rod}
            <site name="end" pos="0 0 -0.1" zaxis="0 1 0"/></body></worldbody></mujoco>"#
        )
    };
    let dir = scratch("check_mechanism");
    let good = scene(&dir, "good.xml", &bar(0.3));
    let json = stiction(&["check", &good, "--json"]).exits_with(0).json();
    assert_eq!(json["mechanism"]["mobility"], 1);
    assert_eq!(json["mechanism"]["redundant"][0][0], "pin");
    assert_eq!(json["mechanism"]["redundant"][0][1], 3);
    assert!(json["mechanism"]["assembly"]["closed"]["distance"].as_f64().unwrap() > 1e-3);
    let text = stiction(&["check", &good]).exits_with(0).stdout;
    assert!(text.contains("3 of 'pin'") && text.contains("closed by moving links"), "{text}");
    let text = stiction(&["check", &scene(&dir, "bad.xml", &bar(0.9))]).exits_with(0).stdout;
    assert!(text.contains("cannot be closed: 'pin'"), "{text}");
}

#[test]
fn what_the_start_and_the_keyframes_violate_is_listed_with_numbers() {
    let dir = scratch("check_violations");
    let sunk = r#"<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 0.08"><freejoint/><geom name="skin" type="sphere" size="0.1"/></body>
        <body name="arm" pos="5 0 5"><joint name="hinge" range="-0.5 0.5"/><geom size="0.1" pos="1 0 0"/></body></worldbody>
        <keyframe><key name="far" qpos="0 0 1 1 0 0 0 0.75"/><key name="right" qpos="0 0 1 1 0 0 0 0.5"/></keyframe></mujoco>"#;
    let path = scene(&dir, "sunk.xml", sunk);
    let json = stiction(&["check", &path, "--json"]).exits_with(0).json();
    let [start, far] = json["violations"].as_array().unwrap().as_slice() else {
        panic!("{}", json["violations"])
    };
    assert!(start["keyframe"].is_null());
    assert_eq!(start["violations"][0]["what"], "geoms 'floor' and 'skin'");
    assert!((start["violations"][0]["length"].as_f64().unwrap() - 0.02).abs() < 1e-12);
    assert_eq!(far["keyframe"], "far");
    assert_eq!(far["violations"][0]["angle"], 0.25);
    let text = stiction(&["check", &path]).exits_with(0).stdout;
    for line in ["geoms 'floor' and 'skin': by 2.000e-2 m", "joint limits ('hinge'): by 2.500e-1 rad"] {
        assert!(text.contains(line), "{text}");
    }
}
