//! The 51 linear complementarity problems of the public suite: every status as written there. And its 24
//! Stewart-Trinkle problems, all solvable.

use stiction_solvers::io;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::{
    AnyProblem, Lcp, Lemke, LemkeSettings, Problem, Solution, Solver, Start, Status, TieRule,
};

struct Case {
    name: String,
    problem: Lcp,
    solvable: bool,
    expected: Option<String>,
}

/// The suite, or nothing (said loudly) when the environment does not name the data folder.
fn suite() -> Vec<Case> {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return Vec::new();
    };
    let path = std::path::Path::new(&folder).join("lcp/lcp_suite.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let suite: serde_json::Value = serde_json::from_str(&text).unwrap();
    let number = |v: &serde_json::Value| v.as_f64().unwrap();
    let cases: Vec<Case> = suite["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            let rows = p["M"].as_array().unwrap();
            let m = rows.iter().flat_map(|row| row.as_array().unwrap().iter().map(number)).collect();
            let q = p["q"].as_array().unwrap().iter().map(number).collect();
            Case {
                name: p["name"].as_str().unwrap().to_string(),
                problem: Lcp::new(m, q).unwrap(),
                solvable: p["solvable"].as_bool().unwrap(),
                expected: p["lemke_d_ones"]["status"].as_str().map(str::to_string),
            }
        })
        .collect();
    assert_eq!(cases.len(), 51);
    cases
}

#[test]
fn every_problem_of_the_suite_ends_with_the_status_written_there() {
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut x = Solution::default();
    let mut failures = Vec::new();
    for case in suite().iter().filter(|case| !case.name.ends_with("_big")) {
        let report = lemke.solve(&case.problem, Start::Cold, &mut x);
        assert_eq!((x.z.len(), x.w.len()), (case.problem.dim(), case.problem.dim()), "{}", case.name);
        let residual = case.problem.residual(&x);
        assert_eq!(residual, report.residual, "{}", case.name);
        let solved = report.status == Status::Solved;
        if solved {
            assert!(case.solvable, "{}: an unsolvable problem was reported as solved", case.name);
            assert!(residual.natural_map <= 1e-10, "{}: {residual:?}", case.name);
        }
        let as_written = match case.expected.as_deref() {
            Some("ray") => report.status == Status::Ray || (case.solvable && solved),
            _ => solved,
        };
        if !as_written {
            failures.push(format!("{}: {:?} expected, {report:?}", case.name, case.expected));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn exponential_problems_stop_at_the_limit_with_an_honest_status_and_a_vector_of_the_right_size() {
    // With all constants equal every row ties, and the largest pivot is a short cut through these problems.
    let ties = TieRule::Lexicographic;
    let settings = LemkeSettings { max_pivots: Some(1000), ties, ..LemkeSettings::default() };
    let mut lemke = Lemke::new(settings).unwrap();
    let mut x = Solution::default();
    let mut seen = 0;
    for case in suite().iter().filter(|case| case.name.ends_with("_big")) {
        seen += 1;
        let report = lemke.solve(&case.problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::MaxIterations, "{}: {report:?}", case.name);
        assert_eq!(report.pivots, 1000, "{}", case.name);
        assert_eq!((x.z.len(), x.w.len()), (case.problem.dim(), case.problem.dim()));
        assert_eq!(case.problem.residual(&x), report.residual);
        assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()));
    }
    assert!(seen == 3 || std::env::var_os("STICTION_DATA").is_none());
}

#[test]
fn every_solved_problem_of_the_suite_restarts_from_its_own_basis_without_a_pivot() {
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut x = Solution::default();
    for case in suite().iter().filter(|case| !case.name.ends_with("_big")) {
        if lemke.solve(&case.problem, Start::Cold, &mut x).status == Status::Solved {
            let basis = lemke.active_set().clone();
            let report = lemke.solve(&case.problem, Start::Basis(&basis), &mut x);
            assert_eq!(report.status, Status::Solved, "{}: {report:?}", case.name);
            assert_eq!((report.pivots, report.iterations), (0, 0), "{}: {report:?}", case.name);
            let report = lemke.solve(&case.problem, Start::Warm, &mut x);
            assert_eq!((report.pivots, report.iterations), (0, 0), "{}: {report:?}", case.name);
        }
    }
}

#[test]
fn every_stewart_trinkle_problem_of_the_suite_is_solved_and_restarts_without_a_pivot() {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("stlcp/st_lcp_suite.json");
    let problems = io::read(&path).unwrap();
    assert_eq!(problems.len(), 24);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut x = Solution::default();
    for NamedProblem { name, problem, .. } in problems {
        let AnyProblem::Lcp(problem) = problem else { panic!("{name}") };
        let report = lemke.solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "{name} {report:?}");
        assert!(problem.residual(&x).natural_map <= 1e-10, "{name} {report:?}");
        let basis = lemke.active_set().clone();
        let report = lemke.solve(&problem, Start::Basis(&basis), &mut x);
        assert_eq!((report.status, report.pivots, report.iterations), (Status::Solved, 0, 0), "{name}");
    }
}
