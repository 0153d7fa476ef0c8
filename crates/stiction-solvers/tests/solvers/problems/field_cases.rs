//! Contact problems on which other engines went wrong, with every solver that serves their class.

use crate::common::{gram, matrix, uniform};
use rand::SeedableRng;
use rand_pcg::Pcg64;
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

/// By how much `z >= 0`, `w = M z + q >= 0` and `z w = 0` are missed: the largest entry of the lesser of both.
fn violation(problem: &Lcp, z: &[f64]) -> f64 {
    let q = problem.q();
    let rows = problem.matrix().chunks_exact(q.len()).zip(q);
    let w = rows.map(|(row, q)| q + row.iter().zip(z).map(|(m, z)| m * z).sum::<f64>());
    w.zip(z).fold(0.0, |worst, (w, z)| worst.max(z.min(w).abs()))
}

#[test]
fn a_positive_definite_problem_has_one_answer_and_every_method_finds_it() {
    // N01 (QuantEcon/QuantEcon.py #768): M = A^T A + 1, where an implementation of Lemke's method broke a sign.
    let pivoting = ["robust", "lemke", "dantzig", "proximal-lemke"];
    for (n, seed) in [2, 10, 30, 100].into_iter().flat_map(|n| (0..20).map(move |seed| (n, seed))) {
        let mut random = Pcg64::seed_from_u64(seed);
        let inner = gram(n, n, &uniform(&mut random, n * n));
        let m = matrix(n, |i, j| inner[i * n + j] + f64::from(u8::from(i == j)));
        let problem = Lcp::new(m, uniform(&mut random, n)).unwrap();
        let found = answers(&AnyProblem::Lcp(problem.clone()), 1e-12);
        let known = &found.iter().find(|(name, ..)| *name == "robust").unwrap().2.z;
        for (name, status, x) in &found {
            let (pivots, what) =
                (pivoting.contains(name), format!("{name}, {n} unknowns, seed {seed}: {status:?}"));
            if !pivots && *status != Status::Solved {
                continue;
            }
            assert_eq!(*status, Status::Solved, "{what}");
            // Who iterates stops at the tolerance, in units of its own.
            let missed = violation(&problem, &x.z);
            assert!(missed <= if pivots { 1e-12 } else { 1e-11 }, "{what}: {missed:e}");
            // M >= 1, so that no answer is further from the only one than n times the error of its rows.
            let apart = known.iter().zip(&x.z).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(apart <= 1e-10, "{what}: {apart:e}");
        }
    }
}
