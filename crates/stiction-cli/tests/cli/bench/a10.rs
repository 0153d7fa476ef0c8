//! `stiction bench a10-grasp`: measured times beside the published ones.

use crate::common::stiction;

#[test]
fn every_small_problem_is_solved_and_stands_beside_the_published_times() {
    let out = stiction(&["bench", "a10-grasp", "--small", "--problems", "2"]).exits_with(0);
    let rows: Vec<Vec<&str>> = out.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    for (hand, solver, published) in [("3", "lemke", "146 7050 672"), ("5", "pgs-sm", "79 452 155")] {
        let row = rows.iter().find(|row| row.starts_with(&[hand, "fingers", "4"]) && row.contains(&solver));
        let row = row.unwrap().join(" ");
        assert!(row.contains(" 18/18 ") && row.ends_with(published), "{row}");
    }
    assert!(!out.stdout.contains("frictionless"), "{}", out.stdout);
}

#[test]
fn json_holds_every_solve_and_no_problems_are_refused() {
    let args = ["bench", "a10-grasp", "--small", "--problems", "1", "--json", "--tol", "1e-6"];
    let json = stiction(&args).exits_with(0).json();
    assert_eq!(json["tolerance"], 1e-6);
    let small = json["small"].as_array().unwrap();
    assert_eq!(small.len(), 6 * 9);
    assert!(small.iter().all(|outcome| outcome["status"] == "solved"));
    stiction(&["bench", "a10-grasp", "--problems", "0"]).exits_with(2);
    assert!(stiction(&["bench", "a10-grasp", "--tol", "-1"]).exits_with(2).stderr.contains("tolerance"));
}
