//! Numbers at the ends of the range of doubles: an answer or none, never a panic, and none that is not one.

use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{AnyProblem, BoxLcp, Lcp, Solution, Start, Status};

/// `M = [[m]]`, `q = [q]` in the classes that hold it, alone and beside an ordinary row.
fn problems(m: f64, q: f64) -> Vec<AnyProblem> {
    let bounds = || (vec![0.0; 2], vec![1e3, f64::INFINITY]);
    let (matrix, constant) = (vec![m, 0.0, 0.0, 1.0], vec![q, -1.0]);
    let (lower, upper) = bounds();
    let boxed = BoxLcp::new(matrix.clone(), constant.clone(), lower, upper).unwrap();
    vec![Lcp::new(vec![m], vec![q]).unwrap().into(), Lcp::new(matrix, constant).unwrap().into(), boxed.into()]
}

#[test]
fn no_solver_panics_on_the_smallest_and_the_largest_numbers_and_none_claims_what_is_not_finite() {
    let mut solved = 0;
    for m in [5e-324, 1e-300, 1e-16, 1e16, 1e300] {
        for q in [-5e-324, -1e-300, -1.0, -1e16, -1e300] {
            for problem in problems(m, q) {
                for entry in SOLVERS.iter().filter(|entry| entry.serves(problem.class())) {
                    let mut solver = entry.make(1e-10).unwrap();
                    solver.limit_time(Some(1.0));
                    let mut x = Solution::default();
                    let report = solver.solve(&problem, Start::Cold, &mut x).unwrap();
                    let finite = x.z.iter().chain(&x.w).all(|value| value.is_finite());
                    assert!(finite || report.status != Status::Solved, "{}: {m} {q}: {x:?}", entry.name);
                    solved += usize::from(report.status == Status::Solved);
                }
            }
        }
    }
    assert!(solved > 100, "{solved}");
}
