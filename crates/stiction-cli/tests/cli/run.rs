//! `stiction run`: what it prints and writes, its exit statuses, and that it repeats itself to the bit.

use crate::common::{all_shipped, keys, scene, scratch, shipped, stiction, stiction_in};
use stiction::report::{Certificate, HandBack, Work};

/// A ball above a floor.
const BALL: &str = r#"<mujoco model="ball">
  <option timestep="0.01"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="ball" pos="0 0 0.5"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
  <keyframe>
    <key name="start" qpos="0 0 0.5 1 0 0 0"/>
    <key name="high" qpos="0 0 2 1 0 0 0"/>
  </keyframe>
</mujoco>"#;

#[test]
fn the_json_object_has_the_documented_keys_and_plausible_values() {
    let out = stiction(&["run", &shipped("sphere_slide"), "--json"]).exits_with(0);
    let json = out.json();
    let mut expected = vec![
        "scene",
        "dt",
        "steps",
        "wall_s",
        "contact_model",
        "solver",
        "contacts",
        "unsolved_steps",
        "bounces",
        "reduced_impacts",
        "passes",
        "rounds",
        "attempts",
        "events",
        "cut_impacts",
        "halvings",
        "hand_backs",
        "hand_back_steps",
        "energy",
        "work",
        "certificate",
        "largest_projection",
        "final",
        "last_step",
        "state_hash",
    ];
    let mut found = keys(&json);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    let mut found = keys(&json["certificate"]);
    found.sort_unstable();
    let mut expected: Vec<&str> = Certificate::FIELDS.iter().map(|field| field.name).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let mut found = keys(&json["work"]);
    found.sort_unstable();
    let mut expected: Vec<&str> = Work::FIELDS.iter().map(|field| field.name).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let counts = json["hand_backs"].as_object().unwrap();
    assert!(HandBack::ALL.iter().all(|reason| counts[reason.name()] == 0), "{counts:?}");
    assert_eq!((counts.len(), &json["hand_back_steps"]), (HandBack::ALL.len(), &0.into()));
    // A ball of 1 kg that slides at 2 m/s until it rolls: friction takes 2/7 of its energy.
    let work = |name: &str| json["work"][name].as_f64().unwrap();
    assert!((work("friction") + 2.0 / 7.0 * 2.0).abs() < 1e-9, "{}", json["work"]);
    let energy = |name: &str| json["energy"][name].as_f64().unwrap();
    let sum: f64 = expected.iter().map(|name| work(name)).sum();
    assert!((energy("end") - energy("start") - sum).abs() < 1e-12 && work("numerical").abs() < 1e-9);
    assert_eq!(json["steps"], 1000);
    assert_eq!(json["dt"], 0.001);
    assert_eq!(json["contact_model"], "cone");
    assert_eq!(json["solver"], "chain");
    assert_eq!(json["contacts"]["max"], 1);
    assert_eq!(json["unsolved_steps"], 0);
    assert_eq!(json["final"]["qpos"].as_array().unwrap().len(), 7);
    let (contacts, pairs) = (&json["last_step"]["contacts"], &json["last_step"]["pairs"]);
    assert_eq!((contacts.as_array().unwrap().len(), pairs.as_array().unwrap().len()), (1, 1));
    let expected =
        ["bodies", "force", "geoms", "impulse", "law", "margin", "mode", "normal", "point", "shift", "slip"];
    let mut found = keys(&contacts[0]);
    found.sort_unstable();
    assert_eq!(found, expected);
    let expected =
        ["bodies", "center", "contacts", "force", "geoms", "margin", "moment", "normal_force", "pressing"];
    let mut found = keys(&pairs[0]);
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(pairs[0]["force"], contacts[0]["force"]);
    // A ball that rolls needs no friction; it is carried by its weight.
    assert_eq!(contacts[0]["mode"], "stick");
    assert!(contacts[0]["margin"].as_f64().unwrap() < 1e-6);
    let [force, impulse] = ["force", "impulse"].map(|key| contacts[0][key][2].as_f64().unwrap());
    assert!((force * 1e-3 - impulse).abs() <= 1e-15 && force.abs() > 1.0, "{force} {impulse}");
    assert_eq!(json["final"]["qvel"].as_array().unwrap().len(), 6);
    let speed = json["final"]["qvel"][0].as_f64().unwrap();
    assert!((speed - 10.0 / 7.0).abs() < 1e-9, "{speed}");
    assert_eq!(json["state_hash"].as_str().unwrap().len(), 16);
    assert_eq!(out.stderr, "");
}

#[test]
fn margins_over_all_solutions_are_there_if_asked_for() {
    let arguments = ["run", &shipped("grasp"), "--duration", "0.01", "--json", "--margins"];
    let json = stiction(&arguments).exits_with(0).json();
    let pairs = json["last_step"]["pairs"].as_array().unwrap();
    let margins = |geoms: [&str; 2], key: &str| {
        let pair = pairs.iter().find(|p| p["geoms"][0] == geoms[0] && p["geoms"][1] == geoms[1]).unwrap();
        pair[key].as_f64().unwrap()
    };
    // Two cubes of 9.81 N between 50 N. If the others share what one gripper leaves of the far cube, that is half of it.
    // They may also pull at each other, until all pressure is in corners: 25 N upwards and 25 N sideways.
    let (weight, grip): (f64, f64) = (9.81, 50.0);
    let gripper = [1.5 * weight, (0.5 * grip + weight).hypot(0.5 * grip)];
    let middle = [0.0, (0.5 * grip).hypot(0.5 * grip)];
    for (geoms, [alone, largest]) in [
        (["left_cube", "left_gripper"], gripper),
        (["right_cube", "right_gripper"], gripper),
        (["left_cube", "right_cube"], middle),
    ] {
        for (key, exact) in [("margin_alone", alone / grip), ("largest_margin", largest / grip)] {
            let found = margins(geoms, key);
            assert!((found - exact).abs() < 1e-4, "{geoms:?}, {key}: {found} {exact}");
        }
    }
    stiction(&["run", &shipped("grasp"), "--margins"]).exits_with(2);
}

#[test]
fn the_table_names_the_certificate_and_the_hash_of_the_json_object() {
    let scene = shipped("sphere_slide");
    let table = stiction(&["run", &scene]).exits_with(0).stdout;
    let json = stiction(&["run", &scene, "--json"]).exits_with(0).json();
    for word in ["steps/s", json["state_hash"].as_str().unwrap(), "all else"] {
        assert!(table.contains(word), "{word} is missing in\n{table}");
    }
    for field in Certificate::FIELDS {
        let value = json["certificate"][field.name].as_f64().unwrap();
        assert_eq!(
            table.contains(&format!("\n{} ", field.title)),
            value != 0.0,
            "{} in\n{table}",
            field.name
        );
    }
}

#[test]
fn the_recording_is_an_archive_with_every_documented_array() {
    let dir = scratch("recording");
    stiction_in(&dir, &["run", &shipped("box_stack"), "--duration", "0.05", "--out", "a.npz"]).exits_with(0);
    let bytes = std::fs::read(dir.join("a.npz")).unwrap();
    assert_eq!(&bytes[..4], b"PK\x03\x04");
    let holds = |name: &str| {
        let entry = format!("{name}.npy").into_bytes();
        bytes.windows(entry.len()).any(|window| window == entry)
    };
    for name in [
        "time",
        "qpos",
        "qvel",
        "body_names",
        "body_mass",
        "geom_names",
        "contact_ptr",
        "contact_geom1",
        "contact_geom2",
        "contact_point",
        "contact_frame",
        "contact_gap",
        "contact_law",
        "contact_mu",
        "contact_viscosity",
        "contact_margin",
        "contact_restitution",
        "contact_bias",
        "contact_preload",
        "contact_impulse",
        "certificate_residual",
        "certificate_penetration",
        "energy",
        "timestep",
        "time0",
        "qpos0",
        "qvel0",
        "gravity",
        "body_pos",
        "body_quat",
    ] {
        assert!(holds(name), "{name}");
    }
    let again = ["run", &shipped("box_stack"), "--duration", "0.05", "--out", "b.npz", "--out", "c.npz"];
    stiction_in(&dir, &again).exits_with(0);
    assert_eq!(bytes, std::fs::read(dir.join("b.npz")).unwrap());
    assert_eq!(bytes, std::fs::read(dir.join("c.npz")).unwrap());
}

#[test]
fn three_runs_of_a_scene_have_one_state_hash() {
    for name in all_shipped() {
        // The stack needs 1.75 s to reach the floor; half a second is enough for contacts in most others.
        let duration = if name == "drop_stack" { "1.8" } else { "0.5" };
        let run = || {
            let args = ["run", &shipped(&name), "--duration", duration, "--json", "--allow-unsolved"];
            stiction(&args).exits_with(0).json()
        };
        let [first, second, third] = [run(), run(), run()];
        assert_eq!(first["state_hash"], second["state_hash"], "{name}");
        assert_eq!(first["state_hash"], third["state_hash"], "{name}");
        assert_eq!(first["final"], third["final"], "{name}");
    }
}

#[test]
fn continuing_from_a_stored_state_in_another_process_gives_the_same_bits() {
    let dir = scratch("continue");
    let plain: &[&str] = &[];
    for (name, half, whole, way) in [
        ("pendulum12", "0.6", "1.2", plain),
        ("humanoid", "0.4", "0.8", plain),
        ("humanoid", "0.4", "0.8", &["--contact", "convex"]),
        ("humanoid", "0.4", "0.8", &["--solver", "nsgs"]),
        ("belt", "0.1", "0.2", plain),
        ("sphere_slide", "0.2", "0.4", &["--stepper", "acceleration"]),
        ("bounce", "0.4", "0.8", &["--stepper", "event-driven"]),
        ("mass_ratio", "0.05", "0.1", &["--stepper", "event-driven"]),
    ] {
        let scene = shipped(name);
        let run = |args: &[&str]| {
            let mut all = vec!["run", &scene, "--json", "--allow-unsolved"];
            all.extend_from_slice(way);
            all.extend_from_slice(args);
            stiction_in(&dir, &all).exits_with(0).json()
        };
        let uninterrupted = run(&["--duration", whole]);
        let first = run(&["--duration", half, "--save-state", "half.state"]);
        let second = run(&["--duration", half, "--load-state", "half.state"]);
        assert_ne!(first["state_hash"], uninterrupted["state_hash"], "{name} {way:?}");
        assert_eq!(second["state_hash"], uninterrupted["state_hash"], "{name} {way:?}");
        assert_eq!(second["final"], uninterrupted["final"], "{name} {way:?}");
    }
}

#[test]
fn the_start_is_the_keyframe_named_start_unless_another_is_asked_for() {
    let dir = scratch("keyframes");
    let ball = scene(&dir, "ball.xml", BALL);
    let height = |args: &[&str]| {
        let mut all = vec!["run", &ball, "--json", "--duration", "0.01"];
        all.extend_from_slice(args);
        stiction(&all).exits_with(0).json()["final"]["qpos"][2].as_f64().unwrap()
    };
    assert!((height(&[]) - 0.5).abs() < 1e-3);
    assert!((height(&["--key", "high"]) - 2.0).abs() < 1e-3);
}

#[test]
fn the_command_line_overrides_the_scene() {
    let scene = shipped("sphere_slide");
    let args = ["run", &scene, "--json", "--dt", "0.01", "--duration", "0.3", "--contact", "anitescu-potra"];
    let json = stiction(&args).exits_with(0).json();
    assert_eq!(json["steps"], 30);
    assert_eq!(json["dt"], 0.01);
    assert_eq!(json["contact_model"], "anitescu-potra");
}

#[test]
fn a_duration_between_two_steps_is_covered() {
    let scene = shipped("sphere_slide");
    let json = stiction(&["run", &scene, "--json", "--dt", "0.1", "--duration", "0.25"]).exits_with(0).json();
    assert_eq!(json["steps"], 3);
    let json = stiction(&["run", &scene, "--json", "--dt", "0.1", "--duration", "0.3"]).exits_with(0).json();
    assert_eq!(json["steps"], 3);
}

/// Runs with these arguments, expects status 2 and one sentence on standard error that holds all words.
#[track_caller]
fn refused(args: &[&str], words: &[&str]) {
    let out = stiction(args).exits_with(2);
    assert_eq!(out.stdout, "");
    assert_eq!(crate::common::sentences(&out.stderr).len(), 1, "{}", out.stderr);
    for word in words {
        assert!(out.stderr.contains(word), "{word} is missing in: {}", out.stderr);
    }
}

#[test]
fn requests_that_cannot_be_met_end_with_status_2_and_one_sentence() {
    let dir = scratch("refused");
    let good = scene(&dir, "ball.xml", BALL);
    let bad =
        scene(&dir, "bad.xml", "<mujoco><worldbody><geom type='shpere' size='1'/></worldbody></mujoco>");
    let torn = scene(&dir, "torn.xml", "<mujoco><worldbody>");
    refused(&["run", "nowhere.xml"], &["nowhere.xml", "cannot be read"]);
    refused(&["run", &bad], &["bad.xml:1", "shpere", "sphere"]);
    refused(&["run", &torn], &["torn.xml:1"]);
    refused(&["run", &good, "--duration", "nan"], &["--duration", "positive"]);
    refused(&["run", &good, "--duration", "-1"], &["--duration is -1"]);
    refused(&["run", &good, "--duration", "0"], &["--duration is 0"]);
    refused(&["run", &good, "--dt", "-0.001"], &["--dt is -0.001"]);
    refused(&["run", &good, "--dt", "inf"], &["--dt is inf"]);
    refused(&["run", &good, "--duration", "1e300"], &["refused"]);
    refused(&["run", &good, "--contact", "stewart-trinkel"], &["did you mean \"stewart-trinkle\"?"]);
    refused(
        &["run", &good, "--contact", "penalty"],
        &["penalty", "cone, convex, stewart-trinkle, anitescu-potra"],
    );
    refused(&["run", &good, "--solver", "chian"], &["did you mean \"chain\"?", "newton"]);
    refused(&["run", &good, "--contact", "viscous"], &["--viscosity", "N s/m"]);
    refused(&["run", &good, "--compliance", "-1"], &["compliance -1"]);
    let pyramid = ["run", &good, "--contact", "stewart-trinkle", "--directions", "5"];
    refused(&pyramid, &["friction directions 5", "even"]);
    refused(&["run", &good, "--directions", "8"], &["8 friction directions", "cone"]);
    refused(&["run", &good, "--key", "hihg"], &["did you mean \"high\"?", "start, high"]);
    refused(&["run", &good, "--out", "a.csv"], &["a.csv", ".npz"]);
    refused(&["run", &good, "--out", "/nonexistent/a.npz"], &["/nonexistent/a.npz", "cannot be written"]);
    refused(&["run", &good, "--load-state", "/nonexistent/a"], &["/nonexistent/a", "cannot be read"]);
    refused(&["run", &good, "--load-state", &good], &["ball.xml", "not a stiction snapshot"]);
}

#[test]
fn a_state_of_another_scene_is_refused() {
    let dir = scratch("other_state");
    let pendulum = shipped("pendulum12");
    stiction_in(&dir, &["run", &pendulum, "--duration", "0.01", "--save-state", "a.state"]).exits_with(0);
    let out = stiction_in(&dir, &["run", &shipped("belt"), "--load-state", "a.state"]).exits_with(2);
    assert!(out.stderr.contains("not a state of this scene"), "{}", out.stderr);
}

#[test]
fn a_probe_for_a_writable_file_leaves_nothing_behind_when_the_request_is_refused() {
    let dir = scratch("probe");
    let ball = scene(&dir, "ball.xml", BALL);
    stiction_in(&dir, &["run", &ball, "--out", "a.npz", "--key", "none"]).exits_with(2);
    assert!(!dir.join("a.npz").exists());
}

#[test]
fn a_number_that_overflows_stops_the_run_with_status_1_and_keeps_record_and_state() {
    let dir = scratch("overflow");
    // A constant torque on nothing but a rotor: the speed leaves the range of doubles within a few steps.
    let wheel = scene(
        &dir,
        "wheel.xml",
        r#"<mujoco>
          <option timestep="1"/>
          <worldbody>
            <body name="wheel">
              <joint name="axle" type="hinge" axis="0 0 1"/>
              <geom type="sphere" size="0.1" mass="1e-300"/>
            </body>
          </worldbody>
          <actuator><motor name="drive" joint="axle"/></actuator>
          <keyframe><key name="start" ctrl="1e5"/></keyframe>
        </mujoco>"#,
    );
    let out = stiction_in(&dir, &["run", &wheel, "--duration", "1000", "--out", "w.npz"]).exits_with(1);
    assert!(out.stderr.contains("wheel") && out.stderr.contains("w.state"), "{}", out.stderr);
    assert!(dir.join("w.npz").exists());
    // The stored state is one that can be loaded, and stops at the same place.
    let again = ["run", &wheel, "--duration", "1000", "--load-state", "w.state"];
    stiction_in(&dir, &again).exits_with(1);
}

#[test]
fn quiet_and_strict_do_what_they_say() {
    let dir = scratch("strict");
    let noted = scene(&dir, "noted.xml", &BALL.replace("size=\"0.1\"", "size=\"0.1\" solref=\"0.01 1\""));
    let args = ["run", &noted, "--duration", "0.1"];
    let plain = stiction(&args).exits_with(0);
    assert!(plain.stderr.contains("load report"), "{}", plain.stderr);
    let quiet = stiction(&[args.as_slice(), &["--quiet"]].concat()).exits_with(0);
    assert_eq!(quiet.stderr, "");
    let strict = stiction(&[args.as_slice(), &["--strict"]].concat()).exits_with(2);
    assert!(strict.stderr.contains("solref"), "{}", strict.stderr);
}

#[test]
fn a_strict_refusal_lists_what_it_refuses() {
    let dir = scratch("strict_list");
    let fluid =
        "<option density=\"1\" viscosity=\"1\"/>".to_string() + &"<option wind=\"1 0 0\"/>\n".repeat(30);
    let noted = scene(&dir, "noted.xml", &BALL.replacen("<worldbody>", &(fluid + "<worldbody>"), 1));
    let strict = stiction(&["run", &noted, "--strict"]).exits_with(2).stderr;
    assert!(strict.contains("32 entries") && strict.contains("and 12 more"), "{strict}");
    assert!(["density", "viscosity", "wind"].iter().all(|name| strict.contains(name)), "{strict}");
}

#[test]
fn with_json_a_scene_that_does_not_load_is_said_in_json_with_its_place() {
    let dir = scratch("json_error");
    let bad = scene(&dir, "bad.xml", "<mujoco>\n<worldbody><geom sise='1'/></worldbody></mujoco>");
    let json = stiction(&["run", &bad, "--json"]).exits_with(2).json();
    let entry = &json["entries"][0];
    assert_eq!((&json["ok"], &entry["kind"]), (&false.into(), &"error".into()));
    assert_eq!(["line", "column", "length"].map(|key| &entry[key]), [2, 18, 4]);
    assert!(entry["file"].as_str().unwrap().ends_with("bad.xml"));
    let json = stiction(&["run", "nowhere.xml", "--json"]).exits_with(2).json();
    assert_eq!(json["entries"][0]["file"], "nowhere.xml");
    assert_eq!(json["entries"][0]["line"], 0);
}

/// Two walls close in on a ball: no motion of the ball respects both.
const VICE: &str = r#"<mujoco model="vice">
  <option timestep="0.01" gravity="0 0 0"/>
  <custom>
    <numeric name="stiction:mocap_velocity:left" data="0 0 0 0.1 0 0"/>
    <numeric name="stiction:mocap_velocity:right" data="0 0 0 -0.1 0 0"/>
  </custom>
  <worldbody>
    <body name="left" mocap="true" pos="-0.2 0 0"><geom type="box" size="0.1 1 1"/></body>
    <body name="right" mocap="true" pos="0.2 0 0"><geom type="box" size="0.1 1 1"/></body>
    <body name="ball"><freejoint/><geom type="sphere" size="0.09" mass="1"/></body>
  </worldbody>
</mujoco>"#;

#[test]
fn a_contact_problem_without_a_solution_is_said_and_ends_with_status_1_unless_it_is_allowed() {
    let dir = scratch("vice");
    let vice = scene(&dir, "vice.xml", VICE);
    // Until the walls meet the ball, after 0.1 s, there is nothing to solve.
    let free = stiction(&["run", &vice, "--duration", "0.08", "--json"]).exits_with(0).json();
    assert_eq!(free["unsolved_steps"], 0);
    let out = stiction(&["run", &vice, "--duration", "0.2", "--json"]).exits_with(1);
    let unsolved = out.json()["unsolved_steps"].as_u64().unwrap();
    assert!((9..=11).contains(&unsolved), "{unsolved}");
    assert!(out.stderr.contains(&format!("{unsolved} of 20 steps")), "{}", out.stderr);
    stiction(&["run", &vice, "--duration", "0.2", "--allow-unsolved"]).exits_with(0);
}

#[test]
fn what_bounces_is_counted_and_the_command_line_decides_how() {
    let run = |options: &[&str]| {
        let mut words = vec!["run".to_owned(), shipped("bounce")];
        words.extend(["--duration", "0.6", "--json"].iter().chain(options).map(|&word| word.to_owned()));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        stiction(&words).exits_with(0).json()
    };
    let json = run(&[]);
    assert!(json["bounces"].as_u64().unwrap() >= 2, "{json}");
    assert_eq!((&json["reduced_impacts"], &json["unsolved_steps"]), (&0.into(), &0.into()));
    assert_eq!(run(&["--restitution", "0"])["bounces"], 0);
    assert_eq!(run(&["--impact", "newton"])["bounces"], json["bounces"]);
    let table =
        stiction(&["run", &shipped("bounce"), "--duration", "0.6", "--impact", "newton"]).exits_with(0);
    assert!(table.stdout.contains("impact law newton"), "{}", table.stdout);
    for (options, word) in [
        (["--restitution", "1.5"], "restitution is 1.5"),
        (["--impact", "hertz"], "impact law 'hertz' is unknown"),
        (["--contact", "no-slip"], "impact law 'newton'"),
    ] {
        let refused = stiction(&["run", &shipped("bounce"), options[0], options[1]]);
        assert!(refused.status != 0 && refused.stderr.contains(word), "{}", refused.stderr);
    }
}

#[test]
fn redundant_coordinates_are_a_choice() {
    let run = |coordinates: &str| {
        let args =
            ["run", &shipped("pendulum12"), "--duration", "0.1", "--json", "--coordinates", coordinates];
        stiction(&args).exits_with(0).json()
    };
    let (minimal, redundant) = (run("minimal"), run("redundant"));
    assert_eq!(minimal["final"]["qpos"].as_array().unwrap().len(), 12);
    assert_eq!(redundant["final"]["qpos"].as_array().unwrap().len(), 12 * 7);
    assert!(redundant["certificate"]["bilateral"].as_f64().unwrap() < 1e-12);
    let dir = scratch("run_redundant");
    let point = r#"<mujoco><worldbody><body name="bob"><joint/><inertial pos="1 0 0" mass="1" diaginertia="0 0 0"/>
        </body></worldbody></mujoco>"#;
    let refused =
        stiction(&["run", &scene(&dir, "point.xml", point), "--coordinates", "redundant"]).exits_with(2);
    assert!(refused.stderr.contains("`bob`"), "{}", refused.stderr);
}

#[test]
fn islands_are_written_as_problems_that_solve_takes() {
    let directory = scratch("islands");
    let islands = directory.to_str().unwrap();
    let scene = shipped("incline");
    stiction(&["run", &scene, "--duration", "0.02", "--islands", islands, "--islands-steps", "2:4"])
        .exits_with(0);
    let mut files: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("step000002-") || name.starts_with("step000003-"), "{name}");
        stiction(&["solve", file.to_str().unwrap(), "--solver", "chain"]).exits_with(0);
    }
    stiction(&["run", &scene, "--islands", islands, "--islands-steps", "4:2"]).exits_with(2);
}

#[test]
fn what_the_removal_of_overlap_moves_and_equalities_take_is_said_with_the_body_and_the_energy() {
    let dir = scratch("run_moved");
    let text = r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <body name="sunk" pos="0 0 0.08"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
        <body name="a" pos="5 0 5"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
        <body name="b" pos="6 0 5"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody>
        <equality><weld body1="a" body2="b"/></equality>
        <keyframe><key name="start" qpos="0 0 0.08 1 0 0 0 5 0 5 1 0 0 0 6 0 5 1 0 0 0"
        qvel="0 0 0 0 0 0 -2 0 0 0 0 0 2 0 0 0 0 0"/></keyframe></mujoco>"#;
    let path = scene(&dir, "moved.xml", text);
    let json = stiction(&["run", &path, "--duration", "0.01", "--json"]).exits_with(0).json();
    let jump = &json["largest_projection"];
    assert_eq!(jump["body"], "sunk");
    assert!((jump["length"].as_f64().unwrap() - 0.02).abs() < 1e-12, "{jump}");
    assert_eq!(jump["time"], 0.001);
    let taken = json["work"]["velocity_projection"].as_f64().unwrap();
    assert!((taken + 4.0).abs() < 1e-12, "{taken}");
    let shown = stiction(&["run", &path, "--duration", "0.01"]).exits_with(0).stdout;
    assert!(shown.contains("'sunk' by 2.000e-2 m") && shown.contains("4.000000 J taken"), "{shown}");
}

#[test]
fn steps_with_impulses_at_both_ends_tell_what_they_took_and_the_help_names_every_stepper() {
    let ball = r#"<mujoco><option timestep="0.02"/><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 .3"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>"#;
    let path = scene(&scratch("both_ends"), "ball.xml", ball);
    let run = |stepper: &str| {
        let options = ["--stepper", stepper, "--restitution", "0.5", "--duration", "1", "--json"];
        stiction(&[&["run", &path], &options[..]].concat()).exits_with(0).json()
    };
    let rattle = run("rattle");
    assert!(rattle["passes"].as_u64().unwrap() > 0 && rattle["events"].as_u64().unwrap() >= 3, "{rattle}");
    let stepping = run("time-stepping");
    for count in ["passes", "rounds", "attempts", "events", "cut_impacts", "halvings"] {
        assert_eq!(stepping[count], 0, "{count}: {stepping}");
    }
    let help = stiction(&["run", "--help"]).exits_with(0).stdout;
    for stepper in ["time-stepping", "acceleration", "event-driven", "rattle"] {
        assert!(help.contains(stepper), "{help}");
    }
}
