//! Friction-box problems of hands of three and five fingers with 4 to 12 contacts: `pgs_sm` beside `pgs`. Every sample is one
//! problem of fifty. `stiction bench a10-grasp` prints a table beside published times.
//!
//! `cargo bench -p stiction-solvers --bench grasp [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a problem that is not solved is a failed benchmark")]

use divan::Bencher;
use stiction_solvers::samples::{Rng, grasp};
use stiction_solvers::{BoxLcp, Pgs, PgsSettings, PgsSm, PgsSmSettings, Solution, Solver, Start};

fn main() {
    divan::main();
}

const CONTACTS: [usize; 3] = [4, 8, 12];

fn run(bencher: Bencher, contacts: usize, solver: &mut impl Solver<BoxLcp>) {
    let mut rng = Rng::new(9);
    let fingers = |k: usize| [3, 5][k % 2];
    let problems: Vec<BoxLcp> =
        (0..50).map(|k| grasp::friction_boxes(&mut rng, fingers(k), contacts).unwrap()).collect();
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
