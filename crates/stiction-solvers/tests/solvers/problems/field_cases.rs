//! Contact problems on which other engines went wrong, with every solver that serves their class.

use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{AnyProblem, BoxLcp, ConeNcp, FactoredLcp, FrictionLaw, Lcp, Solution, Start, Status};

/// Answers of all solvers that serve the problem, with their names.
fn answers(problem: &AnyProblem, tolerance: f64) -> Vec<(&'static str, Status, Solution)> {
    let solve = |entry: &stiction_solvers::select::registry::Entry| {
        let mut x = Solution::default();
        let report = entry.make(tolerance).unwrap().solve(problem, Start::Cold, &mut x).unwrap();
        (entry.name, report.status, x)
    };
    SOLVERS.iter().filter(|entry| entry.serves(problem.class())).map(solve).collect()
}

#[test]
fn one_sliding_contact_has_the_answer_of_coulombs_law_and_no_convex_one() {
    let identity = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let coupled = vec![2.0, 0.3, 0.4, 0.3, 1.5, -0.2, 0.4, -0.2, 1.0];
    let cases = [
        (identity, [-10.0, -3.0, -4.0], [10.0, 1.8, 2.4], [0.0, -1.2, -1.6]),
        (
            coupled,
            [-1.0, 2.0, -0.7],
            [0.5159012088, -0.1510402933, 0.0337741758],
            [0.0, 1.9214550875, -0.4296572820],
        ),
    ];
    for (w, q, impulse, velocity) in cases {
        let problem = ConeNcp::contacts(3, w, q.to_vec(), &[0.3]).unwrap();
        let convex = AnyProblem::ConeNcp(problem.clone().with_law(FrictionLaw::Associated));
        let mut exact = 0;
        for (name, status, x) in answers(&AnyProblem::ConeNcp(problem), 1e-12) {
            // The interior points are no methods for the last digits where a contact slides; they may say so.
            if name.contains("interior-point") && status != Status::Solved {
                continue;
            }
            assert_eq!(status, Status::Solved, "{name}");
            for k in 0..3 {
                assert!((x.z[k] - impulse[k]).abs() <= 1e-9, "{name}: {:?}", x.z);
                assert!((x.w[k] - velocity[k]).abs() <= 1e-9, "{name}: {:?}", x.w);
            }
            assert!(x.w[0] <= 1e-10, "{name}: {:?}", x.w);
            exact += 1;
        }
        assert!(exact >= 7, "{exact} solvers");
        let (_, _, x) = answers(&convex, 1e-10).into_iter().find(|(name, ..)| *name == "chain").unwrap();
        assert!(x.w[0] > 0.1, "the convex law opens the contact: {:?}", x.w);
    }
}

#[test]
fn four_points_under_a_face_carry_its_weight_without_moment() {
    let w = [4.0, 1.0, 1.0, -2.0, 1.0, 4.0, -2.0, 1.0, 1.0, -2.0, 4.0, 1.0, -2.0, 1.0, 1.0, 4.0];
    let q = [-0.0981; 4];
    // The same as rows (lift, tilt about y, tilt about x) over the inertia of a cube of 1 kg, arms of the length one.
    let rows = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]].concat();
    let inertia = [1.0, 0.0, 0.0, 0.0, 2.0 / 3.0, 0.0, 0.0, 0.0, 2.0 / 3.0];
    let unbounded = vec![f64::INFINITY; 4];
    let problems = [
        AnyProblem::Lcp(Lcp::new(w.to_vec(), q.to_vec()).unwrap()),
        AnyProblem::BoxLcp(BoxLcp::new(w.to_vec(), q.to_vec(), vec![0.0; 4], unbounded).unwrap()),
        AnyProblem::FactoredLcp(FactoredLcp::new(&rows, &inertia, q.to_vec()).unwrap()),
    ];
    for problem in problems {
        for (name, status, x) in answers(&problem, 1e-12) {
            let name = format!("{name}, {}", problem.class());
            assert_eq!(status, Status::Solved, "{name}");
            assert!(x.w.iter().all(|w| w.abs() <= 1e-12), "{name}: {:?}", x.w);
            let sum: f64 = x.z.iter().sum();
            let moments = [x.z[0] + x.z[1] - x.z[2] - x.z[3], x.z[0] - x.z[1] + x.z[2] - x.z[3]];
            assert!((sum - 0.0981).abs() <= 1e-12, "{name}: {:?}", x.z);
            assert!(moments.iter().all(|moment| moment.abs() <= 1e-12), "{name}: {:?}", x.z);
        }
    }
}
