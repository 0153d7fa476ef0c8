//! `stiction bench solvers`: every solver on every problem of a folder.

use crate::common::{problems, scratch, stiction_in};

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
