//! Ten thousand random problems a solver: whatever comes, no panic, no NaN, and *solved* only within the tolerance.
//!
//! Semidefinite, rank-deficient, P, contact with friction, and matrices of no class; scaled from a millionth to a million, in
//! all and row by row; mostly small, up to 200 unknowns.

use crate::common::{gram, matrix, random_contact_problem, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    ActiveSetQp, ActiveSetQpSettings, BoxLcp, Dantzig, DantzigSettings, FactoredLcp, Lcp, Ppm, PpmSettings,
    Problem, Report, Solution, Solver, Start, Status,
};

const PROBLEMS: usize = 10_000;

/// What a class of problems came to.
#[derive(Default)]
struct Tally {
    problems: usize,
    solved: usize,
    infeasible: usize,
}

/// Checks what must hold for any problem, and counts.
fn check<P: Problem>(problem: &P, report: &Report, x: &Solution, tally: &mut Tally) {
    assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()));
    assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{report:?}");
    let residual = problem.residual(x);
    assert_eq!(residual, report.residual);
    assert_ne!(report.status, Status::NumericalFailure);
    let certified = residual.certifies(1e-10, problem.residual_floor(x));
    assert_eq!(report.status == Status::Solved, certified, "{report:?}");
    tally.problems += 1;
    tally.solved += usize::from(certified);
    tally.infeasible += usize::from(report.status == Status::Infeasible);
}

/// Mostly small, every hundredth up to 200.
fn size(random: &mut Pcg64) -> usize {
    match random.random_range(0..100) {
        0 => random.random_range(50..=200),
        1..10 => random.random_range(20..=50),
        _ => random.random_range(1..=20),
    }
}

fn decades(random: &mut Pcg64) -> f64 {
    10f64.powf(random.random_range(-6.0..6.0))
}

/// Row-major `A`, `n x rank`, so that `A p + e` with `e >= 0` is solvable for `A A^T`; returns `A` and `q`.
fn rows(random: &mut Pcg64, n: usize, rank: usize) -> (Vec<f64>, Vec<f64>) {
    let a = uniform(random, n * rank);
    let p = uniform(random, rank);
    let q = (0..n).map(|i| {
        let gap: f64 = random.random_range(-1.0..1.0);
        (0..rank).map(|k| a[i * rank + k] * p[k]).sum::<f64>() + gap.max(0.0)
    });
    let q = q.collect();
    (a, q)
}

/// Classes: 0 definite, 1 rank-deficient, 2 P, not symmetric, 3 friction, 4 anything.
fn problem(random: &mut Pcg64, class: usize) -> Lcp {
    if class == 3 {
        let contacts = random.random_range(1..=6);
        return random_contact_problem(random, contacts, 6, 4);
    }
    let n = size(random);
    let rank = if class == 1 { random.random_range(1..=n) } else { n };
    let (a, mut q) = rows(random, n, rank);
    let mut m = if class == 4 { uniform(random, n * n) } else { gram(n, rank, &a) };
    if class == 2 {
        let skew = uniform(random, n * n);
        m = matrix(n, |i, j| m[i * n + j] + skew[i * n + j] - skew[j * n + i]);
    }
    if class == 4 {
        q = uniform(random, n);
    }
    // Rows and columns alike, so that symmetry stays; over a hundredth of the decades, then all at once over all.
    let by_row: Vec<f64> = (0..n).map(|_| decades(random).powf(0.3)).collect();
    let (all_m, all_q) = (decades(random), decades(random));
    let m = matrix(n, |i, j| all_m * by_row[i] * by_row[j] * m[i * n + j]);
    Lcp::new(m, (0..n).map(|i| all_q * by_row[i] * q[i]).collect()).unwrap()
}

/// With few pivots: the classes that are not the method's cost a factorization for each.
fn dantzig() -> Dantzig {
    Dantzig::new(DantzigSettings { max_pivots: Some(1000), ..DantzigSettings::default() }).unwrap()
}

#[test]
fn dantzig_on_linear_complementarity_problems() {
    let mut random = Pcg64::seed_from_u64(61);
    let mut solver = dantzig();
    let mut x = Solution::default();
    let mut tallies: [Tally; 5] = Default::default();
    for round in 0..PROBLEMS {
        let problem = problem(&mut random, round % 5);
        let report = solver.solve(&problem, Start::Cold, &mut x);
        check(&problem, &report, &x, &mut tallies[round % 5]);
    }
    for (class, tally) in tallies.iter().enumerate() {
        let Tally { problems, solved, infeasible } = tally;
        eprintln!("dantzig class {class}: {solved} of {problems} solved, {infeasible} infeasible");
        // The first three classes are what the method is for.
        assert!(class > 2 || *solved == *problems, "class {class}: {solved} of {problems}");
    }
}

#[test]
fn dantzig_on_box_problems() {
    let mut random = Pcg64::seed_from_u64(62);
    let mut solver = dantzig();
    let mut x = Solution::default();
    let mut tallies: [Tally; 5] = Default::default();
    for round in 0..PROBLEMS {
        let lcp = problem(&mut random, round % 5);
        let n = lcp.dim();
        // A unit of z in which bounds matter.
        let unit = lcp.q().iter().fold(0.0, |s: f64, q| s.max(q.abs())) / lcp.row(0)[0].abs().max(1e-300);
        let mut lower = vec![0.0; n];
        let mut upper = vec![f64::INFINITY; n];
        for i in 0..n {
            match random.random_range(0..6) {
                0 => (lower[i], upper[i]) = (f64::NEG_INFINITY, f64::INFINITY),
                1 => (lower[i], upper[i]) = (-unit, unit),
                2 => (lower[i], upper[i]) = (-0.1 * unit, 0.3 * unit),
                3 => (lower[i], upper[i]) = (0.1 * unit, 0.1 * unit),
                _ => {}
            }
        }
        let problem = BoxLcp::new(lcp.matrix().to_vec(), lcp.q().to_vec(), lower, upper).unwrap();
        let report = solver.solve(&problem, Start::Cold, &mut x);
        check(&problem, &report, &x, &mut tallies[round % 5]);
    }
    for (class, tally) in tallies.iter().enumerate() {
        let Tally { problems, solved, infeasible } = tally;
        eprintln!("dantzig, box, class {class}: {solved} of {problems} solved, {infeasible} infeasible");
    }
}

#[test]
fn methods_for_factored_problems() {
    let mut random = Pcg64::seed_from_u64(63);
    let mut ppm = Ppm::new(PpmSettings::default()).unwrap();
    let mut qp = ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap();
    let mut x = Solution::default();
    let mut tallies: [[Tally; 3]; 2] = Default::default();
    for round in 0..PROBLEMS {
        let class = round % 3;
        let (n, m) = (size(&mut random), random.random_range(1..=24));
        let (mut half, mut q) = rows(&mut random, n, m);
        if class == 1 {
            // Rows of few directions: duplicates and combinations.
            for i in n / 3..n {
                let (j, k) = (random.random_range(0..=n / 3), random.random_range(0..=n / 3));
                for c in 0..m {
                    half[i * m + c] = half[j * m + c] + half[k * m + c];
                }
                q[i] = q[j] + q[k] + if round % 2 == 0 { 0.0 } else { random.random_range(0.0..0.1) };
            }
        }
        if class == 2 {
            q = uniform(&mut random, n); // often infeasible
        }
        let (all_y, all_q) = (decades(&mut random), decades(&mut random));
        for i in 0..n {
            let own = decades(&mut random).powf(0.3);
            half[i * m..(i + 1) * m].iter_mut().for_each(|y| *y *= own * all_y);
            q[i] *= own * all_q;
        }
        let problem = FactoredLcp::from_half(m, half, q).unwrap();
        let report = ppm.solve(&problem, Start::Cold, &mut x);
        check(&problem, &report, &x, &mut tallies[0][class]);
        let first = report.status;
        let report = qp.solve(&problem, Start::Cold, &mut x);
        check(&problem, &report, &x, &mut tallies[1][class]);
        assert_eq!(first, report.status, "round {round}");
    }
    for (method, tallies) in ["ppm", "active_set_qp"].iter().zip(&tallies) {
        for (class, Tally { problems, solved, infeasible }) in tallies.iter().enumerate() {
            eprintln!("{method} class {class}: {solved} of {problems} solved, {infeasible} infeasible");
            assert_eq!(solved + infeasible, *problems, "{method} class {class}");
        }
    }
}
