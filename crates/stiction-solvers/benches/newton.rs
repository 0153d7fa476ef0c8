//! The Newton methods beside Lemke's on contact problems, cold: 8 unknowns (a random linear problem), then stacks of
//! cubes that have been knocked, six unknowns a contact. And the path without its crash, which walks the whole way.
//!
//! A method that does not solve a problem (friction is not monotone, a merit may have local minima) is not timed on it.
//!
//! `cargo bench -p stiction-solvers --bench newton [FILTER]`.
#![allow(clippy::unwrap_used, reason = "settings that are refused are a failed benchmark")]

#[path = "../tests/common/mod.rs"]
mod common;

use divan::Bencher;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use stiction_solvers::{
    FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Lcp, Lemke, LemkeSettings, Path, PathSettings, Solution,
    Solver, Start, Status,
};

fn main() {
    divan::main();
}

/// Numbers of unknowns.
const SIZES: [usize; 4] = [8, 36, 72, 216];

fn problem(n: usize) -> Lcp {
    let mut random = Pcg64::seed_from_u64(5);
    match n {
        8 => {
            let a = common::uniform(&mut random, 64);
            Lcp::new(common::gram(8, 8, &a), common::uniform(&mut random, 8)).unwrap()
        }
        // Six contacts among three bodies: a stack has a multiple of four.
        36 => common::random_contact_problem(&mut random, 6, 12, 4),
        n => common::box_stack(&mut random, n / 24, 1e-3, 1.0, 0.1),
    }
}

fn time(bencher: Bencher, n: usize, mut solver: impl Solver<Lcp>) {
    let problem = problem(n);
    let mut x = Solution::default();
    let report = solver.solve(&problem, Start::Cold, &mut x);
    if report.status == Status::Solved {
        bencher.bench_local(|| solver.solve(&problem, Start::Cold, &mut x));
    } else {
        eprintln!("n = {n}: not solved ({:?} after {} iterations)", report.status, report.iterations);
    }
}

#[divan::bench(args = SIZES)]
fn lemke(bencher: Bencher, n: usize) {
    time(bencher, n, Lemke::new(LemkeSettings::default()).unwrap());
}

#[divan::bench(args = SIZES)]
fn fb_rlm(bencher: Bencher, n: usize) {
    time(bencher, n, FbRlm::new(FbRlmSettings::default()).unwrap());
}

#[divan::bench(args = SIZES)]
fn fb_plm(bencher: Bencher, n: usize) {
    time(bencher, n, FbPlm::new(FbPlmSettings::default()).unwrap());
}

#[divan::bench(args = SIZES)]
fn path(bencher: Bencher, n: usize) {
    time(bencher, n, Path::new(PathSettings::default()).unwrap());
}

#[divan::bench(args = SIZES)]
fn path_without_crash(bencher: Bencher, n: usize) {
    time(bencher, n, Path::new(PathSettings { crash_rounds: 0, ..Default::default() }).unwrap());
}
