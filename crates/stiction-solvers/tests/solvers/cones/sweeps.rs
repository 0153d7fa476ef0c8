//! Gauss-Seidel and alternating directions on cone problems: closed forms, all forms of the operator, the public problems.

use std::path::PathBuf;

use stiction_solvers::samples::{Form, Rng, islands};
use stiction_solvers::{
    Admm, AdmmSettings, AnyProblem, Cone, ConeNcp, Delassus, FrictionLaw, Nsgs, NsgsSettings, Problem,
    Solution, Solver, Start, Status, io,
};

fn solvers(tolerance: f64, cap: usize) -> [(&'static str, Box<dyn Solver<ConeNcp>>); 2] {
    let nsgs = NsgsSettings { tolerance, max_iterations: cap, ..Default::default() };
    let admm = AdmmSettings { tolerance, max_iterations: cap, ..Default::default() };
    [("nsgs", Box::new(Nsgs::new(nsgs).unwrap())), ("admm", Box::new(Admm::new(admm).unwrap()))]
}

#[test]
fn one_contact_is_solved_as_by_hand() {
    let coupled = vec![2.0, 0.3, 0.4, 0.3, 1.5, -0.2, 0.4, -0.2, 1.0];
    let problem = ConeNcp::contacts(3, coupled, vec![-1.0, 2.0, -0.7], &[0.3]).unwrap();
    for (name, mut solver) in solvers(1e-12, 100_000) {
        let mut x = Solution::default();
        let report = solver.solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
        for (found, exact) in x.z.iter().zip([0.5159012088, -0.1510402933, 0.0337741758]) {
            assert!((found - exact).abs() < 1e-9, "{name}: {:?}", x.z);
        }
    }
}

#[test]
fn every_kind_of_block_and_both_laws_are_served() {
    let cones = vec![
        Cone::Free { dim: 1 },
        Cone::Nonnegative { dim: 2 },
        Cone::Interval { lower: -1.0, upper: 1.0 },
        Cone::Coulomb { dim: 2, mu: 0.5 },
    ];
    let w: Vec<f64> = (0..36).map(|k| if k % 7 == 0 { 1.0 } else { 0.0 }).collect();
    let q = vec![-3.0, -2.0, 1.0, -4.0, -2.0, -9.0];
    let problem = ConeNcp::new(cones, Delassus::Dense(w), q).unwrap();
    for (name, mut solver) in solvers(1e-10, 10_000) {
        let mut x = Solution::default();
        assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved, "{name}");
        for (found, exact) in x.z.iter().zip([3.0, 2.0, 0.0, 1.0, 2.0, 1.0]) {
            assert!((found - exact).abs() < 1e-8, "{name}: {:?}", x.z);
        }
        let convex = problem.clone().with_law(FrictionLaw::Associated);
        assert_eq!(solver.solve(&convex, Start::Cold, &mut x).status, Status::Solved, "{name}");
        assert!((x.w[4] - 0.5 * x.w[5].abs()).abs() < 1e-8, "{name}: {:?}", x.w);
    }
}

#[test]
fn all_forms_of_the_operator_go_the_same_way() {
    let system = islands::stack(&mut Rng::new(4), 3, 3.0, 0.5);
    let mut answers = [Vec::new(), Vec::new()];
    for form in Form::ALL {
        let problem = system.problem(form).unwrap();
        let soft = vec![1e-2; problem.dim()];
        let problem = problem.with_compliance(soft).unwrap();
        for (k, (name, mut solver)) in solvers(1e-10, 20_000).into_iter().enumerate() {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved, "{name} {form:?}: {report:?}");
            let warm = solver.solve(&problem, Start::Warm, &mut x);
            assert_eq!((warm.status, warm.iterations), (Status::Solved, 0), "{name}");
            answers[k].push(x.w);
        }
    }
    for list in answers.iter().flatten().skip(1) {
        for (a, b) in list.iter().zip(&answers[0][0]) {
            assert!((a - b).abs() < 1e-8);
        }
    }
}

#[test]
fn most_small_public_problems_are_solved_within_two_thousand_steps() {
    let Some(root) = std::env::var_os("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set, so that the public problems are not there");
        return;
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(PathBuf::from(root).join("fc")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.file_name().unwrap() != "index.json");
    paths.sort();
    let mut problems = Vec::new();
    for path in paths {
        if let AnyProblem::ConeNcp(problem) = io::read(&path).unwrap().remove(0).problem
            && problem.dim() <= 330
        {
            problems.push((path.file_stem().unwrap().to_string_lossy().into_owned(), problem));
        }
    }
    assert_eq!(problems.len(), 41);
    for ((rough, fine), least) in
        solvers(1e-6, 2000).into_iter().zip(solvers(1e-9, 2000)).zip([[35, 35], [38, 37]])
    {
        let mut counts = [0, 0];
        let name = rough.0;
        for (k, mut solver) in [rough.1, fine.1].into_iter().enumerate() {
            for (_, problem) in &problems {
                let mut x = Solution::default();
                let report = solver.solve(problem, Start::Cold, &mut x);
                counts[k] += usize::from(report.status == Status::Solved);
            }
        }
        println!("{name}: {counts:?} of 41 at 1e-6, 1e-9");
        assert!(counts[0] >= least[0] && counts[1] >= least[1], "{name}: {counts:?}");
    }
}
