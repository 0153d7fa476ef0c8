//! What the Newton methods must get right on problems whose answer is known otherwise.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{box_stack, gram, matrix, random_contact_problem, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    ActiveSet, Bounded, BoxLcp, FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Lcp, Lemke, LemkeSettings, Mcp,
    Mlcp, MlcpBlocks, Path, PathSettings, Problem, Report, Residual, Smooth, Solution, Solver, Start, Status,
};

const INF: f64 = f64::INFINITY;

/// The three methods, each with its name.
fn methods<P: Bounded>() -> Vec<(&'static str, Box<dyn Solver<P>>)> {
    vec![
        ("fb_rlm", Box::new(FbRlm::new(FbRlmSettings::default()).unwrap())),
        ("fb_plm", Box::new(FbPlm::new(FbPlmSettings::default()).unwrap())),
        ("path", Box::new(Path::new(PathSettings::default()).unwrap())),
    ]
}

/// Path search alone: no crash, no second attempt.
fn bare_path() -> Path {
    Path::new(PathSettings { crash_rounds: 0, restarts: 0, ..PathSettings::default() }).unwrap()
}

/// Judges a report by the problem: sizes, finiteness, residual, and that solved means solved.
fn check<P: Problem>(name: &str, problem: &P, report: &Report, x: &Solution) -> bool {
    assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()), "{name}");
    assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{name} {report:?}");
    assert_eq!(problem.residual(x), report.residual, "{name}");
    let floor = problem.residual_floor(x);
    assert_eq!(report.status == Status::Solved, report.residual.certifies(1e-10, floor), "{name} {report:?}");
    report.status == Status::Solved
}

/// The linear problem with unit bounds removed one by one: `F(z) = M z + q` in a random box.
fn random_box(random: &mut Pcg64, n: usize, rank: usize) -> BoxLcp {
    let m = gram(n, rank, &uniform(random, n * rank));
    // Feasible for free rows too: q in the range of M.
    let at = uniform(random, n);
    let slack: Vec<f64> = (0..n).map(|_| random.random_range(-0.5..0.5)).collect();
    let (mut lower, mut upper, mut q) = (vec![-INF; n], vec![INF; n], vec![0.0; n]);
    for i in 0..n {
        let product: f64 = (0..n).map(|j| m[i * n + j] * at[j]).sum();
        let kind = random.random_range(0..4);
        // At least one solution: z = at, w = slack of the sign its bound allows.
        let w: f64 = match kind {
            0 => 0.0,
            1 => {
                lower[i] = at[i];
                slack[i].abs()
            }
            2 => {
                upper[i] = at[i];
                -slack[i].abs()
            }
            _ => {
                (lower[i], upper[i]) = (at[i] - 1.0, at[i] + 1.0);
                if slack[i] > 0.2 {
                    lower[i] = at[i];
                    slack[i]
                } else {
                    0.0
                }
            }
        };
        q[i] = w - product;
    }
    BoxLcp::new(m, q, lower, upper).unwrap()
}

#[test]
fn solvable_monotone_box_problems_of_any_rank_are_solved() {
    let mut random = Pcg64::seed_from_u64(31);
    let mut failures = Vec::new();
    for round in 0..200 {
        let n = 1 + round % 40;
        let rank = random.random_range(1..=n);
        let problem = random_box(&mut random, n, rank);
        for (name, mut solver) in methods::<BoxLcp>() {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            if !check(name, &problem, &report, &x) {
                failures.push(format!("{name} {round} n {n} rank {rank} {report:?}"));
            }
        }
        let mut x = Solution::default();
        let report = bare_path().solve(&problem, Start::Cold, &mut x);
        if !check("bare path", &problem, &report, &x) {
            failures.push(format!("bare path {round} n {n} rank {rank} {report:?}"));
        }
    }
    assert!(failures.is_empty(), "{} {failures:#?}", failures.len());
}

#[test]
fn problems_with_a_p_matrix_have_lemkes_answer() {
    let mut random = Pcg64::seed_from_u64(32);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut failures = Vec::new();
    for round in 0..200 {
        let n = 1 + round % 30;
        let (a, skew) = (uniform(&mut random, n * n), uniform(&mut random, n * n));
        let spd = gram(n, n, &a);
        let m = matrix(n, |i, j| {
            spd[i * n + j] + 3.0 * (skew[i * n + j] - skew[j * n + i]) + if i == j { 0.01 } else { 0.0 }
        });
        let problem = Lcp::new(m, uniform(&mut random, n)).unwrap();
        let mut right = Solution::default();
        assert_eq!(lemke.solve(&problem, Start::Cold, &mut right).status, Status::Solved);
        let mut all = methods::<Lcp>();
        all.push(("bare path", Box::new(bare_path())));
        for (name, mut solver) in all {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            if !check(name, &problem, &report, &x) {
                failures.push(format!("{name} {round} n {n} {report:?}"));
                continue;
            }
            let size = right.z.iter().fold(1.0, |worst: f64, z| worst.max(z.abs()));
            assert!(x.z.iter().zip(&right.z).all(|(a, b)| (a - b).abs() <= 1e-7 * size), "{name} {round}");
        }
    }
    assert!(failures.is_empty(), "{} {failures:#?}", failures.len());
}

#[test]
fn contact_problems_with_nonnegative_gaps_are_solved() {
    let mut random = Pcg64::seed_from_u64(33);
    let mut count = [0; 4];
    for round in 0..200 {
        let contacts = random.random_range(1..=8);
        let coordinates = random.random_range(1..=12);
        let problem = random_contact_problem(&mut random, contacts, coordinates, 4);
        let mut all = methods::<Lcp>();
        all.push(("bare path", Box::new(bare_path())));
        for (at, (name, mut solver)) in all.into_iter().enumerate() {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            if check(name, &problem, &report, &x) {
                count[at] += 1;
            } else {
                eprintln!("{name} {round} {report:?}");
            }
        }
    }
    eprintln!(
        "of 200 contact problems: fb_rlm {}, fb_plm {}, path {}, bare path {}",
        count[0], count[1], count[2], count[3]
    );
    assert!(count[2] == 200 && count[3] == 200 && count[0] >= 180 && count[1] >= 180, "{count:?}");
}

#[test]
fn stacks_of_boxes_are_solved_up_to_a_mass_ratio_of_a_million() {
    let mut random = Pcg64::seed_from_u64(34);
    for boxes in [1, 2, 4] {
        for top in [1.0, 1e3, 1e6] {
            for perturbation in [0.0, 1e-9, 0.1] {
                let problem = box_stack(&mut random, boxes, 1e-3, top, perturbation);
                for (name, mut solver) in methods::<Lcp>() {
                    let mut x = Solution::default();
                    let report = solver.solve(&problem, Start::Cold, &mut x);
                    if !check(name, &problem, &report, &x) {
                        eprintln!("{name} {boxes} {top:e} {perturbation:e} {report:?}");
                    }
                }
            }
        }
    }
}
