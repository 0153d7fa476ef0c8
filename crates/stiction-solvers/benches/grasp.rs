//! Friction-box problems of grasps with 4 to 12 contacts: `pgs_sm` beside `pgs` and Lemke's method, as in table I of
//! Arechavaleta and others 2010. Every sample is one problem of fifty.
//!
//! `cargo bench -p stiction-solvers --bench grasp [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a problem that is not solved is a failed benchmark")]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/grasp.rs"]
mod grasp;

use divan::Bencher;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use stiction_solvers::{BoxLcp, Pgs, PgsSettings, PgsSm, PgsSmSettings, Solution, Solver, Start};

fn main() {
    divan::main();
}

const CONTACTS: [usize; 3] = [4, 8, 12];

fn run(bencher: Bencher, contacts: usize, solver: &mut impl Solver<BoxLcp>) {
    let mut random = Pcg64::seed_from_u64(9);
    let problems: Vec<BoxLcp> = (0..50).map(|_| grasp::friction_box_grasp(&mut random, contacts)).collect();
    let mut x = Solution::default();
    let mut next = 0;
    bencher.bench_local(|| {
        next = (next + 1) % problems.len();
        solver.solve(&problems[next], Start::Cold, &mut x)
    });
}

#[divan::bench(args = CONTACTS, sample_size = 1, sample_count = 1000)]
fn pgs_sm(bencher: Bencher, contacts: usize) {
    run(bencher, contacts, &mut PgsSm::new(PgsSmSettings { tolerance: 1e-8, ..Default::default() }).unwrap());
}

#[divan::bench(args = CONTACTS, sample_size = 1, sample_count = 200)]
fn pgs(bencher: Bencher, contacts: usize) {
    run(bencher, contacts, &mut Pgs::new(PgsSettings { tolerance: 1e-8, ..Default::default() }).unwrap());
}
