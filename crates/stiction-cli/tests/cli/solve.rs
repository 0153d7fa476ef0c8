//! `stiction solve` and `stiction bench solvers`: tables, JSON, exit statuses, refusals.

use crate::common::{keys, problems, scratch, stiction, stiction_in};

#[test]
fn a_solved_file_is_a_list_of_outcomes_and_status_0() {
    let json = stiction(&["solve", &problems("pivoting.json"), "--json"]).exits_with(0).json();
    let list = json.as_array().unwrap();
    assert_eq!(list.len(), 4);
    let mut found = keys(&list[0]);
    found.sort_unstable();
    let expected = [
        "basis",
        "class",
        "iterations",
        "n",
        "pivots",
        "problem",
        "residual",
        "solver",
        "status",
        "time_us",
        "tried",
        "w",
        "z",
    ];
    assert_eq!(found, expected);
    for outcome in list {
        assert_eq!(
            (&outcome["status"], &outcome["solver"]),
            (&"solved".into(), &"robust".into()),
            "{outcome}"
        );
        assert!(outcome["residual"].as_f64().unwrap() <= 1e-10, "{outcome}");
    }
    let one = stiction(&["solve", &problems("boxes.json"), "--problem", "sliding_cube", "--json"])
        .exits_with(0)
        .json();
    let text =
        stiction(&["solve", &problems("boxes.json"), "--problem", "sliding_cube"]).exits_with(0).stdout;
    for name in ["z", "w"] {
        let numbers: Vec<f64> =
            one[0][name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(
            numbers.len() == 3 && text.contains(&format!("  {name} = {numbers:?}")),
            "{name}: {numbers:?} in {text}"
        );
    }
    let table = stiction(&["solve", &problems("pivoting.json")]).exits_with(0).stdout;
    assert!(table.contains("kostreva") && table.contains("4 of 4 problems solved"), "{table}");
}

#[test]
fn unsolvable_problems_stand_out_and_make_status_1() {
    let out = stiction(&["solve", &problems("tiny.json")]).exits_with(1);
    assert!(
        out.stdout.contains("INFEASIBLE") && out.stdout.contains("5 of 9 problems solved"),
        "{}",
        out.stdout
    );
    assert!(out.stdout.contains("Not solved:\n  no_matrix_infeasible: lemke ray"), "{}", out.stdout);
    assert!(out.stderr.contains("4 of 9"), "{}", out.stderr);
    let one =
        stiction(&["solve", &problems("tiny.json"), "--problem", "falling", "--json"]).exits_with(0).json();
    assert_eq!(one.as_array().unwrap().len(), 1);
}

#[test]
fn all_solvers_are_those_that_serve_the_problem() {
    let json =
        stiction(&["solve", &problems("redundant.json"), "--solver", "all", "--json"]).exits_with(0).json();
    let names: Vec<&str> = json.as_array().unwrap().iter().map(|o| o["solver"].as_str().unwrap()).collect();
    assert!(names.contains(&"ppm") && names.contains(&"robust") && !names.contains(&"dantzig"), "{names:?}");
}

#[test]
fn a_solver_takes_its_settings_by_the_names_that_a_simulation_has_for_them() {
    let solve = |solver: &str| {
        stiction(&["solve", &problems("tiny.json"), "--problem", "falling", "--json", "--solver", solver])
    };
    let json = solve("fb-rlm history=true").exits_with(0).json();
    let history = json[0]["history"].as_array().unwrap();
    assert!(
        history.len() > 1 && history.is_sorted_by_key(|entry| entry["iteration"].as_u64()),
        "{history:?}"
    );
    assert!(history.last().unwrap()["natural_map"].as_f64().unwrap() <= 1e-10);
    assert!(solve("fb-rlm").exits_with(0).json()[0].get("history").is_none());
    let wrong = solve("fb-rlm histroy=true").exits_with(2);
    assert!(wrong.stderr.contains("did you mean \"history\""), "{}", wrong.stderr);
    assert!(solve("fb-rlm tolerance=2").exits_with(2).stderr.contains("tolerance"));
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
    let tiny = problems("tiny.json");
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

/// The problem of a column of blocks of unit weight, as a file's text.
fn column(blocks: usize) -> String {
    let entry = |i: usize, j: usize| match (i, j) {
        (0, 0) => "1",
        _ if i == j => "2",
        _ if i.abs_diff(j) == 1 => "-1",
        _ => "0",
    };
    let row = |i: usize| format!("[{}]", (0..blocks).map(|j| entry(i, j)).collect::<Vec<_>>().join(","));
    let m = (0..blocks).map(row).collect::<Vec<_>>().join(",");
    let q = (0..blocks).map(|i| if i == 0 { "-1" } else { "0" }).collect::<Vec<_>>().join(",");
    format!(r#"{{"format": "lcp-1", "name": "column", "M": [{m}], "q": [{q}]}}"#)
}

#[test]
fn a_solve_starts_from_the_answer_of_a_part_or_of_the_whole() {
    let directory = scratch("starts");
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (part, whole) = (write("part.json", &column(18)), write("whole.json", &column(20)));
    let solve = |file: &str, more: &[&str]| {
        let base = ["solve", file, "--solver", "dantzig", "--json"];
        stiction(&[&base, more].concat()).exits_with(0)
    };
    let pivots =
        |out: &str| serde_json::from_str::<serde_json::Value>(out).unwrap()[0]["pivots"].as_u64().unwrap();
    let answer = solve(&part, &[]).stdout;
    let from_part = write("answer.json", &answer);
    let cold = solve(&whole, &[]).stdout;
    let warm = solve(&whole, &["--start", &from_part]).stdout;
    assert_eq!((pivots(&cold), pivots(&warm)), (20, 2));
    let from_whole = write("again.json", &cold);
    assert_eq!(pivots(&solve(&whole, &["--start", &from_whole]).stdout), 0);
    // A basis in the problem's own file.
    let own = column(20)
        .replace(r#""name""#, r#""basis": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18], "name""#);
    assert_eq!(pivots(&solve(&write("own.json", &own), &[]).stdout), 1);
    for (text, message) in [
        (r#"{"z": [1, "x"]}"#, "no list of numbers"),
        (r#"{"basis": [20]}"#, "the index 20"),
        (r#"{"status": "solved"}"#, "neither"),
        ("[]", "no answer of a problem named column"),
        (&cold, "only 18 unknowns"),
    ] {
        let file = write("bad.json", text);
        let out = stiction(&["solve", if text.len() > 100 { &part } else { &whole }, "--start", &file])
            .exits_with(2);
        assert!(out.stderr.contains(message), "{message}: {}", out.stderr);
    }
}

#[test]
fn the_proof_of_infeasibility_and_what_was_tried_are_in_the_outcome() {
    let list = stiction(&["solve", &problems("tiny.json"), "--json"]).exits_with(1).json();
    let infeasible: Vec<_> =
        list.as_array().unwrap().iter().filter(|outcome| outcome["status"] == "infeasible").collect();
    assert!(!infeasible.is_empty());
    for outcome in infeasible {
        let y: Vec<f64> = serde_json::from_value(outcome["infeasibility"].clone()).unwrap_or_default();
        let tried = outcome["tried"].as_array().unwrap();
        // That no basis of a feasible problem is complementary has no shorter proof than all bases.
        let proved = outcome["class"] == "lcp" && tried.last().unwrap()["solver"] != "enumeration";
        assert!(!proved || (y.len() as u64 == outcome["n"] && y.iter().all(|y| *y >= 0.0)), "{outcome}");
        assert!(tried.len() > 1 && tried.iter().all(|tried| tried["time_us"].as_f64().unwrap() >= 0.0));
    }
}
