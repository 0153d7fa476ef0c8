//! Pivoting methods on a grasp of two cubes with 36 contacts: with friction (216 unknowns), normal impulses alone (36
//! unknowns, rank 14), and normal impulses with every tangent row held (no slip); and how the time of the factored form grows
//! with the number of contacts at 12 velocities, printed as a slope before the rest
//! when there is no filter.
//!
//! `cargo bench -p stiction-solvers --bench pivoting [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a problem that is not solved is a failed benchmark")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use divan::Bencher;
use stiction_solvers::{
    ActiveSetQp, ActiveSetQpSettings, Dantzig, DantzigSettings, FactoredLcp, Lcp, Lemke, LemkeSettings, Ppm,
    PpmSettings, Problem, QuadraticBlocks, QuadraticProgram, Solution, Solver, Start, Status,
};

fn main() {
    if std::env::args().skip(1).all(|argument| argument.starts_with("--")) {
        print_slope();
    }
    divan::main();
}

/// `n` contacts of 12 velocities.
fn contacts(n: usize) -> FactoredLcp {
    stiction_solvers::samples::normals::contacts(71, n, 12).unwrap()
}

/// Times, and the least-squares slope of log time over log n from 100 contacts on.
fn print_slope() {
    let mut points = Vec::new();
    for n in [10, 30, 100, 300, 1000, 3000, 10_000] {
        let problem = contacts(n);
        let mut ppm = Ppm::new(PpmSettings::default()).unwrap();
        let mut x = Solution::default();
        let mut report = ppm.solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved);
        // The fastest of many: others work on the machine too.
        let mut time = f64::INFINITY;
        for _ in 0..(100_000 / n).max(50) {
            let begin = Instant::now();
            report = ppm.solve(&problem, Start::Cold, &mut x);
            time = time.min(begin.elapsed().as_secs_f64());
        }
        println!(
            "ppm, {n} contacts: {:.1} us, {} iterations, {} pivots",
            1e6 * time,
            report.iterations,
            report.pivots
        );
        if n >= 100 {
            points.push([(n as f64).ln(), time.ln()]);
        }
    }
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let products =
        |a: usize, b: usize| points.iter().map(|p| (p[a] - [x, y][a]) * (p[b] - [x, y][b])).sum::<f64>();
    println!("ppm, slope of log time over log contacts from 100 on: {:.2}", products(0, 1) / products(0, 0));
}

fn bench<P: Problem>(bencher: Bencher, problem: &P, mut solver: impl Solver<P>) {
    let mut x = Solution::default();
    let report = solver.solve(problem, Start::Cold, &mut x);
    assert_eq!(report.status, Status::Solved);
    println!(" {} iterations, {} pivots", report.iterations, report.pivots);
    bencher.bench_local(|| solver.solve(problem, Start::Cold, &mut x));
}

fn normals() -> FactoredLcp {
    let (rows, velocities) = common::grasp_rows();
    let half = rows.iter().flat_map(|contact| contact[0].clone()).collect();
    FactoredLcp::from_half(14, half, velocities.iter().map(|v| v[0]).collect()).unwrap()
}

fn dense(problem: &FactoredLcp) -> Lcp {
    let matrix = common::gram(problem.dim(), problem.columns(), problem.half());
    Lcp::new(matrix, problem.q().to_vec()).unwrap()
}

#[divan::bench]
fn lemke_friction_216(bencher: Bencher) {
    bench(bencher, &common::grasp(), Lemke::new(LemkeSettings::default()).unwrap());
}

#[divan::bench]
fn lemke_normals_36(bencher: Bencher) {
    bench(bencher, &dense(&normals()), Lemke::new(LemkeSettings::default()).unwrap());
}

#[divan::bench]
fn dantzig_normals_36(bencher: Bencher) {
    bench(bencher, &dense(&normals()), Dantzig::new(DantzigSettings::default()).unwrap());
}

#[divan::bench]
fn ppm_normals_36(bencher: Bencher) {
    bench(bencher, &normals(), Ppm::new(PpmSettings::default()).unwrap());
}

#[divan::bench]
fn active_set_qp_normals_36(bencher: Bencher) {
    bench(bencher, &normals(), ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap());
}

#[divan::bench]
fn active_set_qp_no_slip_36(bencher: Bencher) {
    let (rows, velocities) = common::grasp_rows();
    let inequalities: Vec<f64> = rows.iter().flat_map(|contact| contact[0].clone()).collect();
    let equalities: Vec<f64> = rows.iter().flat_map(|contact| contact[1..].concat()).collect();
    let identity = common::matrix(14, |i, j| f64::from(u8::from(i == j)));
    let blocks = QuadraticBlocks {
        hessian: &identity,
        gradient: &[0.0; 14],
        equalities: &equalities,
        equality_constants: &velocities.iter().flat_map(|v| [v[1], v[2]]).collect::<Vec<_>>(),
        inequalities: &inequalities,
        inequality_constants: &velocities.iter().map(|v| v[0]).collect::<Vec<_>>(),
    };
    let program = QuadraticProgram::new(&blocks).unwrap();
    bench(bencher, &program, ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap());
}
