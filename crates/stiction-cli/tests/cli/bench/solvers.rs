//! `stiction bench solvers`: every solver on every problem of a folder.

use crate::common::{problems, scratch, stiction_in};
use std::process::Command;

#[test]
fn the_benchmark_counts_successes_and_draws_a_profile() {
    let dir = scratch("bench_solvers");
    for name in ["pivoting.json", "boxes.json"] {
        std::fs::copy(problems(name), dir.join(name)).unwrap();
    }
    std::fs::write(dir.join("other.json"), r#"{"format": "something-else"}"#).unwrap();
    let args = ["bench", "solvers", "--data", ".", "--out", ".", "--json"];
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
    let svg = std::fs::read_to_string(dir.join("performance-profiles.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains(">lemke<") && svg.contains("box-lcp:"));
    let table = stiction_in(&dir, &["bench", "solvers", "--data", "."]).exits_with(0).stdout;
    assert!(table.contains("within 1.1x") && table.contains("robust"), "{table}");
}

#[test]
fn where_there_are_no_problems_the_benchmark_says_what_to_name() {
    let out = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .current_dir(scratch("bench_nowhere"))
        .env_remove("STICTION_DATA")
        .args(["bench", "solvers"])
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("no folder 'problems' here") && said.contains("--data"), "{said}");
    assert_eq!(out.status.code(), Some(2));
}
