//! The robust drivers: public suites, the small collection, random problems, and honest failure.

use std::path::Path;

use crate::common::{gram, matrix, murty_matrix, random_contact_problem, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::io;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{
    AnyProblem, BoxLcp, Class, Dantzig, DantzigSettings, FactoredLcp, Lcp, Problem, Solution, Solver, Start,
    Status,
};
use stiction_solvers::{Robust, RobustSettings};

const TOLERANCE: f64 = 1e-10;

fn data(file: &str) -> Vec<NamedProblem> {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return Vec::new();
    };
    io::read(&Path::new(&folder).join(file)).unwrap()
}

fn collection(file: &str) -> Vec<NamedProblem> {
    io::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(file)).unwrap()
}

fn find(file: &str, name: &str) -> NamedProblem {
    collection(file).into_iter().find(|named| named.name == name).unwrap()
}

/// Names of the problems that the robust driver does not solve; all answers are judged again.
fn unsolved(problems: &[NamedProblem]) -> Vec<String> {
    let mut solver = registry::find("robust").unwrap().make(TOLERANCE).unwrap();
    let mut x = Solution::default();
    let mut names = Vec::new();
    for named in problems {
        let report = solver.solve(&named.problem, Start::Cold, &mut x).unwrap();
        assert_eq!(report.residual, named.problem.residual(&x), "{}", named.name);
        if report.status == Status::Solved {
            assert!(report.residual.natural_map <= TOLERANCE, "{}: {report:?}", named.name);
        } else {
            names.push(named.name.clone());
        }
    }
    names
}

#[test]
fn every_solvable_problem_of_the_public_lcp_suite_is_solved_and_no_other() {
    let problems = data("lcp/lcp_suite.json");
    if !problems.is_empty() {
        let hopeless =
            ["siconos_lcp_Pang_isolated_sol_perturbed", "drake_unsolvable", "qe_murty_2_9", "qe_kostreva_2"];
        assert_eq!(problems.len(), 51);
        assert_eq!(unsolved(&problems), hopeless);
    }
}

#[test]
fn every_problem_of_the_public_box_mixed_and_contact_suites_is_solved() {
    for (file, count) in
        [("lcp/blcp_suite.json", 6), ("mlcp/mlcp_suite.json", 17), ("stlcp/st_lcp_suite.json", 24)]
    {
        let problems = data(file);
        if !problems.is_empty() {
            assert_eq!(problems.len(), count);
            assert_eq!(unsolved(&problems), [""; 0], "{file}");
        }
    }
}

#[test]
fn the_collection_is_solved_but_for_what_has_no_solution() {
    let solvable = ["boxes", "mixed", "murty_fathi", "nonlinear", "pivoting", "redundant"];
    for file in solvable.map(|stem| format!("{stem}.json")) {
        assert_eq!(unsolved(&collection(&file)), [""; 0], "{file}");
    }
    let infeasible =
        ["no_matrix_infeasible", "negative_infeasible", "skew_infeasible", "feasible_without_solution"];
    assert_eq!(unsolved(&collection("tiny.json")), infeasible);
}

#[test]
fn the_smallest_problems_end_with_the_right_status_and_a_vector_of_the_right_size() {
    let expected = |name: &str| match name {
        n if n.ends_with("infeasible") || n == "feasible_without_solution" => Status::Infeasible,
        _ => Status::Solved,
    };
    for entry in SOLVERS.iter().filter(|entry| entry.serves(Class::Lcp)) {
        let mut solver = entry.make(TOLERANCE).unwrap();
        for named in collection("tiny.json") {
            let mut x = Solution { z: vec![7.0; 5], w: vec![] };
            let report = solver.solve(&named.problem, Start::Cold, &mut x).unwrap();
            let n = named.problem.dim();
            assert_eq!((x.z.len(), x.w.len()), (n, n), "{} {}", entry.name, named.name);
            assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{} {}", entry.name, named.name);
            assert_eq!(report.residual, named.problem.residual(&x), "{} {}", entry.name, named.name);
            if entry.name == "robust" {
                assert_eq!(report.status, expected(&named.name), "{}", named.name);
            } else if expected(&named.name) == Status::Infeasible {
                assert_ne!(report.status, Status::Solved, "{} {}", entry.name, named.name);
            }
        }
        let mut broken = Lcp::new(vec![1.0, 0.0, 0.0, 1.0], vec![-1.0, 1.0]).unwrap();
        broken.matrix_mut()[1] = f64::NAN;
        let mut x = Solution::default();
        let report = solver.solve(&broken.into(), Start::Cold, &mut x).unwrap();
        assert_eq!(report.status, Status::NumericalFailure, "{}", entry.name);
        assert!(x.z.len() == 2 && x.z.iter().all(|z| z.is_finite()), "{}", entry.name);
    }
}

#[test]
fn the_four_variables_have_one_answer_from_every_start_and_in_every_scale() {
    let mut random = Pcg64::seed_from_u64(8);
    let named = find("pivoting.json", "four_variables");
    let AnyProblem::Lcp(lcp) = &named.problem else { panic!() };
    let right = [2.8, 0.0, 0.8, 1.2];
    let mut solver = Robust::<Lcp>::new(RobustSettings::default()).unwrap();
    for _ in 0..100 {
        let mut x = Solution { z: (0..4).map(|_| random.random_range(0.0..10.0)).collect(), w: vec![] };
        assert_eq!(solver.solve(lcp, Start::Warm, &mut x).status, Status::Solved);
        assert!(x.z.iter().zip(right).all(|(z, r)| (z - r).abs() <= 1e-12), "{:?}", x.z);
        // Rows scaled from 1e-6 to 1e6: the answer is the same.
        let scale: Vec<f64> = (0..4).map(|_| 10f64.powf(random.random_range(-6.0..6.0))).collect();
        let m = matrix(4, |i, j| scale[i] * lcp.row(i)[j]);
        let q = lcp.q().iter().zip(&scale).map(|(q, s)| q * s).collect();
        let scaled = Lcp::new(m, q).unwrap();
        assert_eq!(solver.solve(&scaled, Start::Cold, &mut x).status, Status::Solved);
        assert!(x.z.iter().zip(right).all(|(z, r)| (z - r).abs() <= 1e-12), "{:?} {scale:?}", x.z);
    }
}

#[test]
fn the_plate_on_four_corners_carries_its_weight_without_moment() {
    let named = find("pivoting.json", "plate");
    for entry in SOLVERS.iter().filter(|entry| entry.serves(Class::Lcp)) {
        let mut x = Solution::default();
        let report = entry.make(TOLERANCE).unwrap().solve(&named.problem, Start::Cold, &mut x).unwrap();
        assert_eq!(report.status, Status::Solved, "{}: {report:?}", entry.name);
        if report.residual.natural_map > 1e-14 {
            continue; // an iterative method stops at its tolerance
        }
        let sum: f64 = x.z.iter().sum();
        let moments = [x.z[0] + x.z[1] - x.z[2] - x.z[3], x.z[0] - x.z[1] + x.z[2] - x.z[3]];
        assert!((sum - 0.0981).abs() <= 1e-12, "{}: {:?}", entry.name, x.z);
        assert!(moments.iter().all(|m| m.abs() <= 1e-12), "{}: {:?}", entry.name, x.z);
        assert!(x.w.iter().all(|w| w.abs() <= 1e-12), "{}: {:?}", entry.name, x.w);
    }
}

/// A random problem: semidefinite of random rank and feasible, P, or contacts with friction; in random units.
fn random_lcp(random: &mut Pcg64, largest: usize) -> Lcp {
    let n = random.random_range(1..=largest);
    let (m, q) = match random.random_range(0..4) {
        0 | 1 => {
            // Feasible: q = w - M z with z, w >= 0.
            let rank = random.random_range(1..=n);
            let a = uniform(random, n * rank);
            let m = gram(n, rank, &a);
            let z: Vec<f64> = uniform(random, n).iter().map(|v| v.max(0.0)).collect();
            let w: Vec<f64> = uniform(random, n).iter().map(|v| v.max(0.0)).collect();
            let q = (0..n).map(|i| w[i] - (0..n).map(|j| m[i * n + j] * z[j]).sum::<f64>()).collect();
            (m, q)
        }
        2 => {
            // A A^T + skew + positive diagonal.
            let (a, s) = (uniform(random, n * n), uniform(random, n * n));
            let g = gram(n, n, &a);
            let m = matrix(n, |i, j| {
                let rest = match i.cmp(&j) {
                    std::cmp::Ordering::Less => s[i * n + j],
                    std::cmp::Ordering::Equal => 0.1,
                    std::cmp::Ordering::Greater => -s[j * n + i],
                };
                g[i * n + j] + rest
            });
            (m, uniform(random, n))
        }
        _ => {
            let contacts = (n / 6).max(1);
            let coordinates = random.random_range(3..=(3 * contacts).max(4));
            let lcp = random_contact_problem(random, contacts, coordinates, 4);
            return scaled(&lcp, random);
        }
    };
    scaled(&Lcp::new(m, q).unwrap(), random)
}

/// The problem in other units: unknowns and values by two random factors from 1e-6 to 1e6.
fn scaled(lcp: &Lcp, random: &mut Pcg64) -> Lcp {
    let unit = |random: &mut Pcg64| 10f64.powf(random.random_range(-6.0..6.0));
    let (w, z) = (unit(random), unit(random));
    let m = lcp.matrix().iter().map(|v| v * w / z).collect();
    Lcp::new(m, lcp.q().iter().map(|v| v * w).collect()).unwrap()
}

/// The matrix of such a problem with bounds of every kind, and a `q` for which a chosen `z` in the box is a solution.
fn random_box(random: &mut Pcg64, largest: usize) -> BoxLcp {
    let lcp = random_lcp(random, largest);
    let n = lcp.q().len();
    let mut problem = BoxLcp::from(&lcp);
    let largest = lcp.q().iter().fold(0.0, |worst: f64, q| worst.max(q.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let diagonal = (0..n).map(|i| lcp.row(i)[i].abs()).sum::<f64>() / n as f64;
    let width = unit / diagonal;
    let mut w = vec![0.0; n];
    let mut z = vec![0.0; n];
    for i in 0..n {
        let (a, b) = (random.random_range(0.0..1.0) * width, random.random_range(0.0..1.0) * width);
        let (lower, upper) = match random.random_range(0..6) {
            0 => (f64::NEG_INFINITY, f64::INFINITY),
            1 => (f64::NEG_INFINITY, b),
            2 | 3 => (-a, b),
            4 => (0.0, 0.0),
            _ => (0.0, f64::INFINITY),
        };
        problem.set_bounds(i, lower, upper).unwrap();
        let push = unit * random.random_range(0.0..1.0);
        (z[i], w[i]) = match random.random_range(0..3) {
            0 if lower.is_finite() => (lower, push),
            1 if upper.is_finite() => (upper, -push),
            _ => ((width * random.random_range(-1.0..1.0)).max(lower).min(upper), 0.0),
        };
    }
    for i in 0..n {
        problem.q_mut()[i] = w[i] - problem.row(i).iter().zip(&z).map(|(m, z)| m * z).sum::<f64>();
    }
    problem
}

/// How many random problems: `STICTION_RANDOM`, else a few hundred, for a test of some seconds.
fn count() -> usize {
    std::env::var("STICTION_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Solves, and checks everything that may be said of any answer.
fn checked<P: Problem>(solver: &mut impl Solver<P>, problem: &P, x: &mut Solution) -> Status {
    let report = solver.solve(problem, Start::Cold, x);
    assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()));
    assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{report:?}");
    assert_eq!(report.residual, problem.residual(x));
    if report.status == Status::Solved {
        assert!(report.residual.certifies(TOLERANCE, problem.residual_floor(x)), "{report:?}");
    }
    report.status
}

#[test]
fn random_problems_are_solved_or_honestly_not() {
    let mut random = Pcg64::seed_from_u64(2010);
    let mut lcps = Robust::<Lcp>::new(RobustSettings::default()).unwrap();
    let mut boxes = Robust::<BoxLcp>::new(RobustSettings::default()).unwrap();
    let mut x = Solution::default();
    let (mut lcp_solved, mut box_solved) = (0, 0);
    for k in 0..count() {
        // A large one now and then.
        let largest = if k % 10 == 0 { 200 } else { 40 };
        let lcp = random_lcp(&mut random, largest);
        let status = checked(&mut lcps, &lcp, &mut x);
        lcp_solved += usize::from(status == Status::Solved);
        let problem = random_box(&mut random, largest);
        let status = checked(&mut boxes, &problem, &mut x);
        box_solved += usize::from(status == Status::Solved);
    }
    eprintln!("{lcp_solved} of {} random LCPs and {box_solved} box problems solved", count());
    // All have solutions, but nobody promises to find those of the box problems with contact matrices.
    assert_eq!(lcp_solved, count());
    assert!(box_solved * 1000 >= count() * 999);
}

#[test]
fn every_solver_is_honest_about_random_problems() {
    let mut random = Pcg64::seed_from_u64(2014);
    let mut solvers: Vec<_> = SOLVERS
        .iter()
        .filter(|entry| entry.serves(Class::Lcp))
        .map(|entry| (entry, entry.make(TOLERANCE).unwrap(), [0; 2]))
        .collect();
    let mut x = Solution::default();
    let rounds = count() / 10;
    for _ in 0..rounds {
        let problems = [AnyProblem::from(random_lcp(&mut random, 60)), random_box(&mut random, 60).into()];
        for (k, problem) in problems.iter().enumerate() {
            for (entry, solver, solved) in &mut solvers {
                let Some(report) = solver.solve(problem, Start::Cold, &mut x) else { continue };
                assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()), "{}", entry.name);
                assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{}: {report:?}", entry.name);
                assert_eq!(report.residual, problem.residual(&x), "{}", entry.name);
                // Every one of these has a solution.
                assert_ne!(report.status, Status::Infeasible, "{}", entry.name);
                if report.status == Status::Solved {
                    let certified = report.residual.certifies(TOLERANCE, problem.residual_floor(&x));
                    assert!(certified, "{}: {report:?}", entry.name);
                    solved[k] += 1;
                }
            }
        }
    }
    for (entry, _, solved) in &solvers {
        eprintln!("{}: {solved:?} of {rounds} random LCPs and box problems solved", entry.name);
    }
}

#[test]
fn a_start_from_the_answer_takes_no_step_and_one_from_its_neighbourhood_finds_it() {
    for named in ["boxes.json", "mixed.json", "redundant.json", "pivoting.json"]
        .iter()
        .flat_map(|file| collection(file))
    {
        let mut solver = registry::find("robust").unwrap().make(TOLERANCE).unwrap();
        let mut x = Solution::default();
        assert_eq!(solver.solve(&named.problem, Start::Cold, &mut x).unwrap().status, Status::Solved);
        let answer = x.z.clone();
        let again = solver.solve(&named.problem, Start::Warm, &mut x).unwrap();
        assert_eq!((again.status, again.iterations, again.pivots), (Status::Solved, 0, 0), "{}", named.name);
        assert_eq!(x.z, answer, "{}", named.name);
        x.z.iter_mut().for_each(|z| *z += 1e-3);
        let near = solver.solve(&named.problem, Start::Warm, &mut x).unwrap();
        assert_eq!(near.status, Status::Solved, "{}", named.name);
        // A guess of another length is no guess.
        x.z.push(1.0);
        assert_eq!(solver.solve(&named.problem, Start::Warm, &mut x).unwrap().status, Status::Solved);
    }
}

#[test]
fn data_that_are_not_finite_fail_at_once_in_every_class() {
    let mut bounded =
        BoxLcp::new(vec![1.0, 0.0, 0.0, 1.0], vec![1.0; 2], vec![2.0; 2], vec![3.0; 2]).unwrap();
    bounded.matrix_mut()[2] = f64::INFINITY;
    let mut solver = Robust::<BoxLcp>::new(RobustSettings::default()).unwrap();
    let mut x = Solution::default();
    assert_eq!(solver.solve(&bounded, Start::Cold, &mut x).status, Status::NumericalFailure);
    assert_eq!(solver.tried().len(), 1);
    assert!(x.z.len() == 2 && x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{x:?}");
}

#[test]
fn an_exponential_problem_is_passed_on_and_what_was_tried_is_told() {
    let n = 20;
    // With -1 all rows would tie, and the largest pivot would be lucky; so it is the path of the lexicographic order.
    let q = (0..n as i32).map(|i| -1.0 + 0.1 * 0.5f64.powi(i)).collect();
    let lcp = Lcp::new(murty_matrix(n), q).unwrap();
    let mut solver = Robust::<Lcp>::new(RobustSettings::default()).unwrap();
    let mut x = Solution::default();
    assert_eq!(solver.solve(&lcp, Start::Cold, &mut x).status, Status::Solved);
    assert!((x.z[0] - 0.9).abs() < 1e-12 && x.z[1..].iter().all(|z| z.abs() < 1e-12), "{:?}", x.z);
    let tried = solver.tried();
    assert!(tried.len() >= 2 && tried[0].solver == "lemke", "{tried:?}");
    assert_eq!(tried[0].report.status, Status::MaxIterations);
    assert_eq!(tried.last().unwrap().report.status, Status::Solved);
}

#[test]
fn an_unsolved_problem_is_dumped_to_a_file_that_holds_the_same_problem() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("robust_dump.json");
    let _ = std::fs::remove_file(&path);
    let settings = RobustSettings { dump: Some(path.clone()), ..RobustSettings::default() };
    let mut solver = Robust::<Lcp>::new(settings).unwrap();
    let mut x = Solution::default();
    let solvable = Lcp::new(vec![3.0], vec![-1.0]).unwrap();
    assert_eq!(solver.solve(&solvable, Start::Cold, &mut x).status, Status::Solved);
    assert!(!path.exists());
    let hopeless = Lcp::new(vec![0.1, -1.0 / 3.0, 1.0, 0.0], vec![-1e-17, -1.0]).unwrap();
    let hopeless =
        Lcp::new(hopeless.matrix().iter().map(|v| -v.abs()).collect(), hopeless.q().to_vec()).unwrap();
    assert_eq!(solver.solve(&hopeless, Start::Cold, &mut x).status, Status::Infeasible);
    assert!(solver.dump_error().is_none());
    let again = io::read(&path).unwrap();
    let AnyProblem::Lcp(again) = &again[0].problem else { panic!() };
    assert_eq!(*again, hopeless);
    // A folder that is not there: told, not fatal.
    let settings = RobustSettings { dump: Some("no/such/folder/x.json".into()), ..RobustSettings::default() };
    let mut solver = Robust::<Lcp>::new(settings).unwrap();
    let _ = solver.solve(&hopeless, Start::Cold, &mut x);
    assert!(solver.dump_error().is_some());
}

#[test]
fn names_find_solvers_and_wrong_ones_list_those_that_fit() {
    let named = [
        "lemke",
        "proximal-lemke",
        "dantzig",
        "ppm",
        "pgs",
        "pgs-sm",
        "fb-rlm",
        "fb-plm",
        "active-set-qp",
        "robust",
    ];
    for name in named {
        assert_eq!(registry::find(name).unwrap().name, name);
    }
    let unknown = registry::find("lemkee").unwrap_err().to_string();
    assert!(unknown.contains("lemkee") && unknown.contains("proximal-lemke"), "{unknown}");
    let unfit = registry::find_for("ppm", Class::Mlcp).unwrap_err().to_string();
    assert!(unfit.contains("ppm") && unfit.contains("mlcp") && unfit.contains("lemke"), "{unfit}");
    let (mut names, count) = (SOLVERS.iter().map(|entry| entry.name).collect::<Vec<_>>(), SOLVERS.len());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for entry in SOLVERS {
        assert!(entry.make(f64::NAN).is_err() && entry.make(-1.0).is_err(), "{}", entry.name);
    }
}

#[test]
fn every_solver_by_name_gives_what_its_entry_promises() {
    let files = ["boxes.json", "mixed.json", "nonlinear.json", "pivoting.json", "redundant.json"];
    for named in files.iter().flat_map(|file| collection(file)) {
        for entry in SOLVERS {
            let mut x = Solution::default();
            let report = entry.make(TOLERANCE).unwrap().solve(&named.problem, Start::Cold, &mut x);
            assert_eq!(
                report.is_some(),
                entry.serves(named.problem.class()),
                "{} {}",
                entry.name,
                named.name
            );
            let Some(report) = report else { continue };
            assert_eq!(x.z.len(), named.problem.dim(), "{} {}", entry.name, named.name);
            if report.status == Status::Solved {
                let certified =
                    named.problem.residual(&x).certifies(TOLERANCE, named.problem.residual_floor(&x));
                assert!(certified, "{} {}", entry.name, named.name);
            }
        }
    }
}

#[test]
fn a_basis_of_bounded_problems_is_taken_and_not_dropped() {
    let mut random = Pcg64::seed_from_u64(8);
    let n = 20;
    let m = gram(n, n, &uniform(&mut random, n * n));
    let problem = BoxLcp::new(m, uniform(&mut random, n), vec![-0.2; n], vec![0.3; n]).unwrap();
    let mut solver = Robust::new(RobustSettings::default()).unwrap();
    let mut x = Solution::default();
    let cold = solver.solve(&problem, Start::Cold, &mut x);
    assert_eq!((cold.status, solver.tried()[0].solver), (Status::Solved, "lemke"));
    let basis = AnyProblem::from(problem.clone()).active_set(&x);
    let (answer, mut y) = (x.clone(), Solution::default());
    let warm = solver.solve(&problem, Start::Basis(&basis), &mut y);
    assert_eq!((warm.status, solver.tried()[0].solver), (Status::Solved, "dantzig"));
    // The basis does not say at which bound the others are, so it saves the pivots of the unknowns between them only.
    let mut dantzig = Dantzig::new(DantzigSettings::default()).unwrap();
    let mut z = Solution::default();
    let unguided = dantzig.solve(&problem, Start::Cold, &mut z);
    assert!(warm.pivots < unguided.pivots, "{} {}", warm.pivots, unguided.pivots);
    assert!(answer.z.iter().zip(&y.z).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn every_proof_of_infeasibility_holds_on_the_original_data() {
    let mut random = Pcg64::seed_from_u64(15);
    let mut proofs = 0;
    for _ in 0..60 {
        let (n, rank) = (8, random.random_range(1..5));
        let unit = 10f64.powi(random.random_range(-4..5));
        let half: Vec<f64> = uniform(&mut random, n * rank).iter().map(|y| y * unit).collect();
        let (m, q) = (gram(n, rank, &half), uniform(&mut random, n));
        let dense = AnyProblem::from(Lcp::new(m.clone(), q.clone()).unwrap());
        let factored = AnyProblem::from(FactoredLcp::from_half(rank, half, q.clone()).unwrap());
        for problem in [dense, factored] {
            for entry in SOLVERS.iter().filter(|entry| entry.serves(problem.class())) {
                let mut solver = entry.make(TOLERANCE).unwrap();
                let mut x = Solution::default();
                let report = solver.solve(&problem, Start::Cold, &mut x).unwrap();
                let y = solver.certificate();
                let tells = ["robust", "ppm", "active-set-qp"].contains(&entry.name);
                let proved = report.status == Status::Infeasible;
                assert_eq!(y.is_empty(), !(proved && tells), "{} {report:?}", entry.name);
                if y.is_empty() {
                    continue;
                }
                proofs += 1;
                let column = |j: usize| (0..n).map(|i| m[i * n + j] * y[i]).sum::<f64>();
                let size = |j: usize| (0..n).map(|i| (m[i * n + j] * y[i]).abs()).sum::<f64>();
                let product: f64 = q.iter().zip(y).map(|(q, y)| q * y).sum();
                assert!(y.iter().all(|y| *y >= 0.0) && product < 0.0, "{} {y:?}", entry.name);
                let within = |j: usize| column(j) <= 1e-9 * size(j);
                assert!((0..n).all(within), "{} {y:?}", entry.name);
            }
        }
    }
    assert!(proofs > 50, "{proofs}");
}
