//! The public suites of linear, box and mixed problems under principal pivoting: what belongs to its classes is solved,
//! and nothing else is called so.

use serde_json::Value;
use stiction_solvers::{
    BoxLcp, Dantzig, DantzigSettings, Lcp, Mlcp, MlcpBlocks, Problem, Solution, Solver, Start, Status,
};

/// The problems of one file, or nothing (said loudly) when the environment does not name the data folder.
fn problems(file: &str) -> Vec<Value> {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return Vec::new();
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join(file)).unwrap();
    let suite: Value = serde_json::from_str(&text).unwrap();
    suite["problems"].as_array().unwrap().clone()
}

/// All numbers of a vector, or of a matrix given by rows.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn bounds(value: &Value, none: f64) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(none)).collect()
}

fn solve<P: Problem>(problem: &P) -> bool
where
    Dantzig: Solver<P>,
{
    let mut x = Solution::default();
    let report = Dantzig::new(DantzigSettings::default()).unwrap().solve(problem, Start::Cold, &mut x);
    assert_eq!(report.residual, problem.residual(&x));
    let solved = report.status == Status::Solved;
    assert!(!solved || report.residual.natural_map <= 1e-10);
    solved
}

#[test]
fn every_linear_problem_with_a_p_or_a_symmetric_semidefinite_matrix_is_solved_if_it_can_be() {
    let suite = problems("lcp/lcp_suite.json");
    let (mut of_class, mut solved) = (0, 0);
    for p in &suite {
        let problem = Lcp::new(numbers(&p["M"]), numbers(&p["q"])).unwrap();
        let properties = &p["properties"];
        let semidefinite =
            properties["definiteness"].as_str().is_some_and(|d| d.starts_with('p') || d.starts_with('P'));
        let symmetric = properties["symmetric"].as_bool() == Some(true);
        let class = properties["P_matrix"].as_bool() == Some(true) || (symmetric && semidefinite);
        let done = solve(&problem);
        let solvable = p["solvable"].as_bool().unwrap();
        assert!(!done || solvable, "{}: an unsolvable problem was reported as solved", p["name"]);
        assert!(done || !class || !solvable, "{}: {properties}", p["name"]);
        of_class += usize::from(class);
        solved += usize::from(done);
    }
    eprintln!("{solved} of {} linear problems solved; {of_class} are of the method's classes", suite.len());
}

#[test]
fn every_box_problem_is_solved() {
    for p in problems("lcp/blcp_suite.json") {
        // A x = b + w there.
        let q = numbers(&p["b"]).iter().map(|b| -b).collect();
        let (lower, upper) = (bounds(&p["lo"], f64::NEG_INFINITY), bounds(&p["hi"], f64::INFINITY));
        let problem = BoxLcp::new(numbers(&p["A"]), q, lower, upper).unwrap();
        assert!(solve(&problem), "{}", p["name"]);
    }
}

#[test]
fn mixed_problems_are_judged_honestly() {
    let suite = problems("mlcp/mlcp_suite.json");
    let mut solved = 0;
    for p in &suite {
        let [a, c, d, b, a_vector, b_vector] = ["A", "C", "D", "B", "a", "b"].map(|key| numbers(&p[key]));
        let blocks = MlcpBlocks { a: &a, c: &c, d: &d, b: &b, a_vector: &a_vector, b_vector: &b_vector };
        solved += usize::from(solve(&Mlcp::new(&blocks).unwrap()));
    }
    eprintln!("{solved} of {} mixed problems solved", suite.len());
}
