//! `stiction bench cones`: tables of solvers on contact problems.

use crate::common::stiction;

/// The rows of the tables, cell by cell.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("| ---"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn motions_are_told_by_class_and_none_fails() {
    let out = stiction(&["bench", "cones", "--set", "sequences", "--quick"]).exits_with(0);
    let rows = rows(&out.stdout);
    assert_eq!(rows.len(), 1 + 5 * 4, "{}", out.stdout);
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).unwrap();
    let number = |row: &Vec<&str>, name: &str| row[column(name)].parse::<usize>().unwrap();
    assert_eq!(rows[1..].iter().map(|row| number(row, "unsolved")).sum::<usize>(), 0);
    assert_eq!(rows[1..].iter().map(|row| number(row, "steps")).sum::<usize>(), 125 + 3 * 80 + 56);
}

#[test]
fn one_solver_can_be_measured_alone() {
    let out = stiction(&["bench", "cones", "--set", "islands", "--quick", "--solver", "ppn"]).exits_with(0);
    let rows = rows(&out.stdout);
    assert_eq!(rows.len(), 1 + 6, "{}", out.stdout);
    assert!(rows[1..].iter().all(|row| row[1] == "ppn"));
}

#[test]
fn a_solver_of_another_class_and_an_unknown_set_are_refused() {
    let out = stiction(&["bench", "cones", "--solver", "lemke"]).exits_with(2);
    assert!(
        out.stderr.contains("does not serve friction cones") && out.stderr.contains("chain"),
        "{}",
        out.stderr
    );
    let out = stiction(&["bench", "cones", "--solver", "chian"]).exits_with(2);
    assert!(out.stderr.contains("did you mean \"chain\"?"), "{}", out.stderr);
    let out = stiction(&["bench", "cones", "--set", "islnds"]).exits_with(2);
    assert!(out.stderr.contains("islands"), "{}", out.stderr);
}
