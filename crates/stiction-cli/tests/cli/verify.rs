//! `stiction verify`: every analytic scene passes.

use crate::common::{keys, stiction};

#[test]
fn every_check_of_every_analytic_scene_passes() {
    let out = stiction(&["verify", "--json"]);
    let json = out.json();
    let lines = json.as_array().unwrap();
    assert!(lines.len() >= 40, "{}", lines.len());
    for line in lines {
        let mut found = keys(line);
        found.sort_unstable();
        assert_eq!(found, ["bound", "error", "exact", "obtained", "pass", "quantity", "scene"]);
        assert_eq!(line["pass"], true, "{line}");
        assert!(line["error"].as_f64().unwrap() <= line["bound"].as_f64().unwrap(), "{line}");
    }
    out.exits_with(0);
}

#[test]
fn one_scene_can_be_asked_for_and_an_unknown_name_gets_a_suggestion() {
    let json = stiction(&["verify", "free_fall", "--json"]).exits_with(0).json();
    assert!(json.as_array().unwrap().iter().all(|line| line["scene"] == "free_fall"));
    let out = stiction(&["verify", "free_fal"]).exits_with(2);
    assert!(out.stderr.contains("did you mean \"free_fall\"?"), "{}", out.stderr);
}

#[test]
fn the_list_names_the_scenes_without_running_them() {
    let out = stiction(&["verify", "--list"]).exits_with(0);
    for name in ["sphere_slide", "incline", "grasp", "spinning_body", "drop_stack"] {
        assert!(out.stdout.contains(name), "{name}");
    }
}
