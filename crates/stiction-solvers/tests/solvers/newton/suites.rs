//! The public suites under the Newton methods: how many are solved, and that nothing else is called solved.

use crate::suites::Case;
use stiction_solvers::{
    Bounded, FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings, Solution, Solver, Start, Status,
};

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

/// Counts of `fb_rlm`, `fb_plm` and `path`; none without the data.
fn counts<P: Bounded>(cases: &[Case<P>]) -> Option<[usize; 3]> {
    (!cases.is_empty()).then(|| {
        let rlm = &mut FbRlm::new(FbRlmSettings::default()).unwrap();
        let plm = &mut FbPlm::new(FbPlmSettings::default()).unwrap();
        let path = &mut Path::new(PathSettings::default()).unwrap();
        [solved("fb_rlm", rlm, cases), solved("fb_plm", plm, cases), solved("path", path, cases)]
    })
}

#[test]
fn path_solves_every_solvable_linear_problem_and_the_merit_methods_all_but_a_few() {
    // Not P0: two local minima of the Fischer-Burmeister merit.
    if let Some([rlm, plm, path]) = counts(&crate::suites::linear()) {
        assert!(rlm >= 45 && plm >= 45 && path == 47);
    }
}

#[test]
fn every_contact_problem_is_solved() {
    assert!(matches!(counts(&crate::suites::contact()), None | Some([24, 24, 24])));
}

#[test]
fn every_box_problem_is_solved() {
    assert!(matches!(counts(&crate::suites::boxes()), None | Some([6, 6, 6])));
}

#[test]
fn every_mixed_problem_is_solved_but_two_by_regular_damping() {
    if let Some([rlm, plm, path]) = counts(&crate::suites::mixed()) {
        assert!(rlm >= 15 && plm == 17 && path == 17);
    }
}
