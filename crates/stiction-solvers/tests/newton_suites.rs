//! The public suites under the Newton methods: how many are solved, and that nothing else is called solved.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;
#[path = "common/suites.rs"]
mod suites;

use stiction_solvers::{
    Bounded, FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings, Solution, Solver, Start, Status,
};
use suites::Case;

/// Number of problems solved to 1e-10 from nothing, each judged again here.
fn solved<P: Bounded>(name: &str, solver: &mut impl Solver<P>, cases: &[Case<P>]) -> usize {
    let mut count = 0;
    let mut x = Solution::default();
    let mut failed = Vec::new();
    for case in cases {
        let report = solver.solve(&case.problem, Start::Cold, &mut x);
        assert_eq!((x.z.len(), x.w.len()), (case.problem.dim(), case.problem.dim()), "{}", case.name);
        assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{}", case.name);
        assert_eq!(case.problem.residual(&x), report.residual, "{}", case.name);
        if report.status == Status::Solved {
            assert!(case.solvable, "{}: an unsolvable problem was reported as solved", case.name);
            assert!(report.residual.natural_map <= 1e-10, "{}: {report:?}", case.name);
            count += 1;
            let again = solver.solve(&case.problem, Start::Warm, &mut x);
            assert_eq!(
                (again.status, again.iterations, again.pivots),
                (Status::Solved, 0, 0),
                "{}",
                case.name
            );
        } else if case.solvable {
            failed.push(format!(
                "{} {:?} {} {:e}",
                case.name, report.status, report.iterations, report.residual.natural_map
            ));
        }
    }
    let solvable = cases.iter().filter(|case| case.solvable).count();
    eprintln!("{name}: {count} of {solvable} solvable problems; not: {failed:#?}");
    count
}

fn rlm() -> FbRlm {
    FbRlm::new(FbRlmSettings::default()).unwrap()
}

fn plm() -> FbPlm {
    FbPlm::new(FbPlmSettings::default()).unwrap()
}

fn path() -> Path {
    Path::new(PathSettings::default()).unwrap()
}

#[test]
fn linear_problems() {
    let cases = suites::linear();
    solved("rlm", &mut rlm(), &cases);
    solved("plm", &mut plm(), &cases);
    solved("path", &mut path(), &cases);
}

#[test]
fn contact_problems() {
    let cases = suites::contact();
    solved("rlm", &mut rlm(), &cases);
    solved("plm", &mut plm(), &cases);
    solved("path", &mut path(), &cases);
}

#[test]
fn box_problems() {
    let cases = suites::boxes();
    solved("rlm", &mut rlm(), &cases);
    solved("plm", &mut plm(), &cases);
    solved("path", &mut path(), &cases);
}

#[test]
fn mixed_problems() {
    let cases = suites::mixed();
    solved("rlm", &mut rlm(), &cases);
    solved("plm", &mut plm(), &cases);
    solved("path", &mut path(), &cases);
}
