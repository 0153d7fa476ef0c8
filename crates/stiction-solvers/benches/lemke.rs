//! Lemke's method on the contact problem of a stack of cubes: from nothing, and from the basis of the answer, which
//! is the start that a simulation has in a step much like the last.
//!
//! The stack has been knocked: a random velocity of 0.1 m/s is added to every coordinate, so that some contacts
//! open and some slide. Four contacts an interface, four friction directions, six unknowns a contact.
//!
//! `cargo bench -p stiction-solvers --bench lemke [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a problem that is not solved is a failed benchmark")]

#[path = "../tests/common/mod.rs"]
mod common;

use divan::Bencher;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use stiction_solvers::{Lcp, Lemke, LemkeSettings, Solution, Solver, Start, Status};

fn main() {
    divan::main();
}

/// Numbers of contacts.
const CONTACTS: [usize; 2] = [12, 40];

fn stack(contacts: usize) -> Lcp {
    common::box_stack(&mut Pcg64::seed_from_u64(5), contacts / 4, 1e-3, 1.0, 0.1)
}

#[divan::bench(args = CONTACTS)]
fn cold(bencher: Bencher, contacts: usize) {
    let problem = stack(contacts);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut x = Solution::default();
    assert_eq!(lemke.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
    bencher.bench_local(|| lemke.solve(&problem, Start::Cold, &mut x));
}

#[divan::bench(args = CONTACTS)]
fn basis(bencher: Bencher, contacts: usize) {
    let problem = stack(contacts);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut x = Solution::default();
    assert_eq!(lemke.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
    let basis = lemke.active_set().clone();
    assert_eq!(lemke.solve(&problem, Start::Basis(&basis), &mut x).pivots, 0);
    bencher.bench_local(|| lemke.solve(&problem, Start::Basis(&basis), &mut x));
}
