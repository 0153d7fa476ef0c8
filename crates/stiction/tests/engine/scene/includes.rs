//! Included files: their elements stand where the `<include>` does, and keep their own file and line.

use std::path::{Path, PathBuf};
use stiction::scene::{EntryKind, SceneError, load, mjcf};

/// Writes files into an emptied directory of the test's own and returns that.
fn written(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("includes").join(test);
    let _ = std::fs::remove_dir_all(&directory);
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    directory
}

/// The error of loading the first of some files.
fn refusal(test: &str, files: &[(&str, &str)]) -> SceneError {
    let directory = written(test, files);
    match load(&directory.join(files[0].0)) {
        Ok(_) => panic!("{test}: must be refused"),
        Err(error) => error,
    }
}

#[track_caller]
fn names(error: &SceneError, file: &str, line: usize, words: &[&str]) {
    let text = error.to_string();
    let place = error.place().unwrap();
    assert!(place.file.ends_with(file) && place.line == line, "{text}");
    assert!(!text.contains('\n'), "one sentence: {text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in {text}");
    }
}

#[test]
fn a_scene_in_five_files_is_the_scene_in_one() {
    let files = [
        (
            "arm.xml",
            "<mujoco model=\"arm\"><include file=\"parts/world.xml\"/>\n<worldbody><body name=\"base\">\
             <include file=\"parts/upper.xml\"/></body></worldbody>\n<include file=\"parts/drives.xml\"/></mujoco>",
        ),
        (
            "parts/world.xml",
            "<mujoco><compiler angle=\"radian\"/><option timestep=\"0.003\"/>\
             <default><geom density=\"500\"/><default class=\"thin\"><geom size=\"0.1\"/></default></default>\
             <worldbody><geom name=\"floor\" type=\"plane\" size=\"0 0 1\"/></worldbody></mujoco>",
        ),
        (
            "parts/upper.xml",
            // Beside the main file there is no lower.xml, beside this one there is.
            "<mujocoinclude><joint name=\"shoulder\" axis=\"0 1 0\" range=\"-1 1\"/><geom class=\"thin\"/>\
             <body name=\"lower\" pos=\"0 0 1\"><include file=\"lower.xml\"/></body></mujocoinclude>",
        ),
        ("parts/lower.xml", "<mujoco><joint name=\"elbow\"/><geom name=\"hand\" size=\"0.2\"/></mujoco>"),
        (
            "parts/drives.xml",
            "<mujoco><default><joint damping=\"2\"/></default><actuator><motor joint=\"elbow\"/></actuator></mujoco>",
        ),
    ];
    let directory = written("five", &files);
    let parts = load(&directory.join("arm.xml")).unwrap();
    let whole = "<mujoco model=\"arm\"><compiler angle=\"radian\"/><option timestep=\"0.003\"/><default>\
        <geom density=\"500\"/><joint damping=\"2\"/><default class=\"thin\"><geom size=\"0.1\"/></default></default>\
        <worldbody><geom name=\"floor\" type=\"plane\" size=\"0 0 1\"/><body name=\"base\">\
        <joint name=\"shoulder\" axis=\"0 1 0\" range=\"-1 1\"/><geom class=\"thin\"/>\
        <body name=\"lower\" pos=\"0 0 1\"><joint name=\"elbow\"/><geom name=\"hand\" size=\"0.2\"/></body></body>\
        </worldbody><actuator><motor joint=\"elbow\"/></actuator></mujoco>";
    let whole = mjcf::parse(whole, "whole.xml").unwrap();
    assert!(parts.report.is_empty(), "{:?}", parts.report);
    assert_eq!(format!("{:?}", parts.model), format!("{:?}", whole.model));
    assert_eq!(parts.model.dofs[0].damping, 2.0);
}

#[test]
fn text_without_a_file_of_its_own_includes_what_is_beside_its_name() {
    let directory = written("beside", &[("ball.xml", "<mujoco><geom name=\"ball\" size=\"1\"/></mujoco>")]);
    let text =
        "<mujoco><worldbody><body><freejoint/><include file=\"ball.xml\"/></body></worldbody></mujoco>";
    let scene = mjcf::parse(text, &directory.join("made_up.xml").display().to_string()).unwrap();
    assert!(scene.model.geom("ball").is_some());
}

#[test]
fn errors_and_notes_about_included_elements_name_their_own_file_and_line() {
    let main = "<mujoco>\n<option timestep=\"0.001\"/><worldbody>\n<include file=\"part.xml\"/></worldbody></mujoco>";
    let error =
        refusal("place", &[("main.xml", main), ("part.xml", "<mujoco>\n\n<geom size=\"-1\"/></mujoco>")]);
    names(&error, "part.xml", 3, &["geom, size", "-1", "positive radius"]);
    let place = error.place().unwrap();
    assert_eq!((place.column, place.length), (13, 2));

    let twice = "<mujoco>\n<geom name=\"floor\" size=\"1\"/>\n<geom name=\"floor\" size=\"1\"/></mujoco>";
    names(
        &refusal("twice_in_part", &[("main.xml", main), ("part.xml", twice)]),
        "part.xml",
        3,
        &["on line 2;"],
    );
    let other = "<mujoco><worldbody><geom name=\"floor\" size=\"1\"/>\n<include file=\"part.xml\"/></worldbody></mujoco>";
    let part = "<mujoco><geom name=\"floor\" size=\"1\"/></mujoco>";
    let error = refusal("twice_across", &[("main.xml", other), ("part.xml", part)]);
    names(&error, "part.xml", 1, &["\"floor\"", "line 1 of ", "main.xml;"]);

    let directory = written(
        "note",
        &[("main.xml", main), ("part.xml", "<mujoco>\n<geom size=\"1\" margin=\"1\"/></mujoco>")],
    );
    let report = load(&directory.join("main.xml")).unwrap().report;
    let [entry] = report.entries.as_slice() else { panic!("{report:?}") };
    assert!(entry.place.file.ends_with("part.xml") && entry.place.line == 2, "{entry}");
    assert_eq!(entry.attribute.as_deref(), Some("margin"));
}

#[test]
fn what_cannot_be_included_is_refused_where_it_is_asked_for() {
    let including = |what: &str| format!("<mujoco>\n<include {what}/></mujoco>");
    let missing = refusal("missing", &[("main.xml", &including("file=\"parts/arm.xml\""))]);
    names(
        &missing,
        "main.xml",
        2,
        &["include, file", "\"parts/arm.xml\"", "cannot be read", "missing/parts/arm.xml"],
    );
    let folder = refusal("folder", &[("main.xml", &including("file=\"parts\"")), ("parts/x", "")]);
    names(&folder, "main.xml", 2, &["\"parts\"", "not a file"]);
    names(
        &refusal("nameless", &[("main.xml", &including(""))]),
        "main.xml",
        2,
        &["include, file", "missing"],
    );
    let misspelt = refusal("misspelt", &[("main.xml", &including("fiel=\"a.xml\""))]);
    names(&misspelt, "main.xml", 2, &["fiel", "did you mean \"file\"?"]);
    let full = "<mujoco>\n<include file=\"a.xml\">\n<option/></include></mujoco>";
    names(&refusal("full", &[("main.xml", full)]), "main.xml", 3, &["option", "no content of its own"]);

    let broken = refusal(
        "broken",
        &[("main.xml", &including("file=\"a.xml\"")), ("a.xml", "<mujoco>\n <geom></mujoco>")],
    );
    names(&broken, "a.xml", 2, &["not well-formed XML", "geom"]);
    let directory = written("binary", &[("main.xml", &including("file=\"a.xml\""))]);
    std::fs::write(directory.join("a.xml"), b"<mujoco>\n<!-- \xe9 --></mujoco>").unwrap();
    let binary = load(&directory.join("main.xml")).unwrap_err();
    names(&binary, "a.xml", 2, &["byte 0xe9", "UTF-8"]);
    assert_eq!(binary.place().unwrap().column, 6);
}

#[test]
fn a_file_is_included_once_and_never_in_itself() {
    let include = |file: &str| format!("<mujoco>\n<include file=\"{file}\"/></mujoco>");
    let own = refusal("own", &[("main.xml", &include("main.xml"))]);
    names(&own, "main.xml", 2, &["contain itself", "main.xml:2 includes"]);
    let cycle = refusal(
        "cycle",
        &[("main.xml", &include("a.xml")), ("a.xml", &include("b.xml")), ("b.xml", &include("./a.xml"))],
    );
    names(&cycle, "b.xml", 2, &["\"./a.xml\"", "contain itself", "a.xml:2 includes", "b.xml:2 includes"]);
    let text = "<mujoco><include file=\"a.xml\"/>\n<include file=\"b/../a.xml\"/></mujoco>";
    let twice = refusal("twice", &[("main.xml", text), ("a.xml", "<mujoco/>"), ("b/x", "")]);
    names(&twice, "main.xml", 2, &["included twice", "main.xml:1 includes it already", "keep one"]);
    let fork = "<mujoco><include file=\"a.xml\"/><include file=\"b.xml\"/></mujoco>";
    let fork = refusal("fork", &[("main.xml", fork), ("a.xml", "<mujoco/>"), ("b.xml", &include("a.xml"))]);
    names(&fork, "b.xml", 2, &["included twice", "main.xml:1 includes it already"]);
}

#[test]
fn nesting_across_files_is_bounded() {
    let nested =
        |inside: &str| format!("<mujoco>{}{inside}{}</mujoco>", "<body>".repeat(60), "</body>".repeat(60));
    let main = format!("<mujoco><worldbody>{}</worldbody></mujoco>", "<include file=\"0.xml\"/>");
    let texts: Vec<String> = (1..5).map(|i| nested(&format!("<include file=\"{i}.xml\"/>"))).collect();
    let files: Vec<(&str, &str)> = ["main.xml", "0.xml", "1.xml", "2.xml", "3.xml"]
        .into_iter()
        .zip(std::iter::once(main.as_str()).chain(texts.iter().map(String::as_str)))
        .collect();
    names(&refusal("deep", &files), "3.xml", 1, &["nested 201 elements"]);
}

#[test]
fn a_root_that_is_no_mjcf_is_warned_about_since_it_is_dropped() {
    let main =
        "<mujoco><option timestep=\"0.001\"/><worldbody><include file=\"a.xml\"/></worldbody></mujoco>";
    let directory =
        written("root", &[("main.xml", main), ("a.xml", "<body pos=\"0 0 1\"><geom size=\"1\"/></body>")]);
    let report = load(&directory.join("main.xml")).unwrap().report;
    let kinds: Vec<_> = report.entries.iter().map(|e| (e.kind, e.attribute.as_deref())).collect();
    assert_eq!(kinds, [(EntryKind::Warning, None), (EntryKind::Ignored, Some("pos"))]);
}
