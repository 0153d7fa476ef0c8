//! `stiction solve` and `stiction bench solvers`: tables, JSON, exit statuses, refusals.

mod common;

use common::{keys, scratch, stiction, stiction_in};
use std::path::Path;

fn shipped(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name).display().to_string()
}

#[test]
fn a_solved_file_is_a_list_of_outcomes_and_status_0() {
    let json = stiction(&["solve", &shipped("pivoting.json"), "--json"]).exits_with(0).json();
    let list = json.as_array().unwrap();
    assert_eq!(list.len(), 4);
    let mut found = keys(&list[0]);
    found.sort_unstable();
    let expected =
        ["class", "iterations", "n", "pivots", "problem", "residual", "solver", "status", "time_us"];
    assert_eq!(found, expected);
    for outcome in list {
        assert_eq!(
            (&outcome["status"], &outcome["solver"]),
            (&"solved".into(), &"robust".into()),
            "{outcome}"
        );
        assert!(outcome["residual"].as_f64().unwrap() <= 1e-10, "{outcome}");
    }
    let table = stiction(&["solve", &shipped("pivoting.json")]).exits_with(0).stdout;
    assert!(table.contains("kostreva") && table.contains("4 of 4 problems solved"), "{table}");
}

#[test]
fn unsolvable_problems_stand_out_and_make_status_1() {
    let out = stiction(&["solve", &shipped("tiny.json")]).exits_with(1);
    assert!(
        out.stdout.contains("INFEASIBLE") && out.stdout.contains("5 of 9 problems solved"),
        "{}",
        out.stdout
    );
    assert!(out.stdout.contains("Not solved:\n  no_matrix_infeasible: lemke ray"), "{}", out.stdout);
    assert!(out.stderr.contains("4 of 9"), "{}", out.stderr);
    let one =
        stiction(&["solve", &shipped("tiny.json"), "--problem", "falling", "--json"]).exits_with(0).json();
    assert_eq!(one.as_array().unwrap().len(), 1);
}

#[test]
fn all_solvers_are_those_that_serve_the_problem() {
    let json =
        stiction(&["solve", &shipped("redundant.json"), "--solver", "all", "--json"]).exits_with(0).json();
    let names: Vec<&str> = json.as_array().unwrap().iter().map(|o| o["solver"].as_str().unwrap()).collect();
    assert!(names.contains(&"ppm") && names.contains(&"robust") && !names.contains(&"dantzig"), "{names:?}");
}

#[test]
fn a_problem_that_the_simulation_could_not_solve_is_run_again_from_its_file() {
    let dir = scratch("solve_dump");
    let text = r#"{"format": "lcp-1", "name": "island", "M": [[-1]], "q": [-1]}"#;
    std::fs::write(dir.join("island.json"), text).unwrap();
    let json = stiction_in(&dir, &["solve", "island.json", "--json"]).exits_with(1).json();
    assert_eq!((&json[0]["problem"], &json[0]["status"]), (&"island".into(), &"infeasible".into()));
}

#[test]
fn bad_requests_are_one_sentence_and_status_2() {
    let dir = scratch("solve_bad");
    std::fs::write(dir.join("bad.json"), r#"{"format": "lcp-1", "M": [[1, "x"]], "q": [1, 2]}"#).unwrap();
    std::fs::write(dir.join("bad.dat"), "2\n0\n2\n2\n2 2\n1 0 zero 1\n").unwrap();
    let refused = |args: &[&str], words: &[&str]| {
        let out = stiction_in(&dir, args).exits_with(2);
        assert_eq!(out.stdout, "");
        assert_eq!(out.stderr.lines().count(), 1, "{}", out.stderr);
        for word in words {
            assert!(out.stderr.contains(word), "{word:?} is not in {}", out.stderr);
        }
    };
    let tiny = shipped("tiny.json");
    refused(&["solve", "bad.json"], &["bad.json", "M", "has 1 rows", "2 are needed"]);
    refused(&["solve", "bad.dat"], &["bad.dat", "line 6", "zero"]);
    refused(&["solve", "nowhere.json"], &["nowhere.json"]);
    refused(&["solve", &tiny, "--solver", "lemkee"], &["lemkee", "did you mean \"lemke\"", "proximal-lemke"]);
    refused(&["solve", &tiny, "--solver", "ppm"], &["ppm", "lcp", "lemke, "]);
    refused(&["solve", &tiny, "--problem", "faling"], &["faling", "did you mean \"falling\""]);
    refused(&["solve", &tiny, "--tol", "-1"], &["--tol", "-1"]);
    refused(&["bench", "solvers", "--data", "nowhere"], &["nowhere"]);
    let nothing = stiction_in(&dir, &["bench", "solvers", "--data", "."]).exits_with(2).stderr;
    assert!(nothing.contains("no complementarity problems") && nothing.contains("line 6"), "{nothing}");
}

#[test]
fn the_benchmark_counts_successes_and_draws_a_profile() {
    let dir = scratch("bench_solvers");
    for name in ["pivoting.json", "boxes.json"] {
        std::fs::copy(shipped(name), dir.join(name)).unwrap();
    }
    std::fs::write(dir.join("other.json"), r#"{"format": "something-else"}"#).unwrap();
    let args = ["bench", "solvers", "--data", ".", "--svg", "profile.svg", "--json"];
    let out = stiction_in(&dir, &args).exits_with(0);
    assert!(out.stderr.contains("1 file of other kinds left out"), "{}", out.stderr);
    let json = out.json();
    assert_eq!(json["problems"], 7);
    let robust: Vec<_> =
        json["profiles"].as_array().unwrap().iter().filter(|p| p["solver"] == "robust").collect();
    assert_eq!(robust.len(), 2);
    for profile in robust {
        assert_eq!(profile["solved"], profile["problems"], "{profile}");
    }
    let svg = std::fs::read_to_string(dir.join("profile.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains(">lemke<") && svg.contains("box-lcp:"));
    let table = stiction_in(&dir, &["bench", "solvers", "--data", "."]).exits_with(0).stdout;
    assert!(table.contains("within 1.1x") && table.contains("robust"), "{table}");
}
