//! Solves that are given a time: they keep to it, return the best answer so far, and say what it is worth.

use std::time::Instant;

use crate::common::hard;
use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{
    BoxLcp, BoxLcpSolver, ConeSolver, Lcp, Lemke, LemkeSettings, Problem, Solution, Solver, Start, Status,
};

/// How late a solver ends depends on the machine and is for benchmarks; that it never claims to be late early, on none.
#[test]
fn every_solver_returns_a_whole_answer_when_its_time_is_over_and_never_says_so_before() {
    for n in [60, 150] {
        for problem in hard(n) {
            for entry in SOLVERS.iter().filter(|entry| entry.serves(problem.class())) {
                let mut solver = entry.make(1e-16).unwrap();
                let limit = 0.003;
                solver.limit_time(Some(limit));
                let mut x = Solution::default();
                let begin = Instant::now();
                let report = solver.solve(&problem, Start::Cold, &mut x).unwrap();
                let seconds = begin.elapsed().as_secs_f64();
                assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()), "{}", entry.name);
                assert!(x.z.iter().all(|z| z.is_finite()), "{}", entry.name);
                // The conic library's iterations cannot be interrupted: none begins that would not end in time.
                let early = entry.name == "interior-point";
                assert!(early || report.status != Status::TimeLimit || seconds >= limit, "{}", entry.name);
            }
        }
    }
}

#[test]
fn without_time_nothing_is_solved_but_what_is_solved_already() {
    for problem in hard(24) {
        for entry in SOLVERS.iter().filter(|entry| entry.serves(problem.class())) {
            let mut solver = entry.make(1e-10).unwrap();
            let mut x = Solution::default();
            let unlimited = solver.solve(&problem, Start::Cold, &mut x).unwrap();
            let answer = x.clone();
            solver.limit_time(Some(0.0));
            let mut y = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut y).unwrap();
            assert_ne!(report.status, Status::Infeasible, "{}", entry.name);
            if report.status != Status::Solved {
                assert_eq!(report.status, Status::TimeLimit, "{}", entry.name);
            }
            if unlimited.status == Status::Solved {
                let again = solver.solve(&problem, Start::Warm, &mut x).unwrap();
                assert_eq!((again.status, &x.z), (Status::Solved, &answer.z), "{}", entry.name);
            }
            // With time again the answer is the one of before, bit for bit.
            solver.limit_time(None);
            let again = solver.solve(&problem, Start::Cold, &mut y).unwrap();
            assert_eq!((again, &y.z), (unlimited, &answer.z), "{}", entry.name);
        }
    }
}

#[test]
fn more_time_never_gives_a_worse_answer_of_what_is_kept() {
    let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
    let mut x = Solution::default();
    let mut lemke = Lemke::new(LemkeSettings { time_limit: Some(10.0), ..LemkeSettings::default() }).unwrap();
    assert_eq!(lemke.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
    // The answer is kept although there is no time to find it.
    lemke.limit_time(Some(0.0));
    assert_eq!(lemke.solve(&problem, Start::Warm, &mut x).status, Status::Solved);
}

#[test]
fn the_time_is_a_setting_of_the_same_name_everywhere_and_negative_ones_are_refused() {
    for name in ConeSolver::NAMES {
        let choice: ConeSolver = format!("{name} time_limit=0.25").parse().unwrap();
        assert_eq!(choice.to_string(), format!("{name} time_limit=0.25"));
        assert!(choice.make().is_ok(), "{name}");
        let wrong: ConeSolver = format!("{name} time_limit=-1").parse().unwrap();
        assert!(wrong.make().is_err_and(|error| error.to_string().contains("time_limit")), "{name}");
    }
    for name in BoxLcpSolver::NAMES {
        let choice: BoxLcpSolver = format!("{name} time_limit=0").parse().unwrap();
        let mut x = Solution::default();
        let problem = BoxLcp::new(
            (0..400).map(|k| if k % 21 == 0 { 2.0 } else { 0.5 / f64::from(k % 7 + 1) }).collect(),
            vec![-1.0; 20],
            vec![0.0; 20],
            vec![f64::INFINITY; 20],
        )
        .unwrap();
        let status = choice.make().unwrap().solve(&problem, Start::Cold, &mut x).status;
        assert!(status != Status::Solved || name.contains("pgs"), "{name}: {status:?}");
    }
}
