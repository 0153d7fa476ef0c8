//! The robust solver of exact friction cones, to 1e-9: warm on a box that rests and one that slides, cold on the generated
//! islands with few contacts (each sample is the next problem), and cold on a tower of 100 boxes and a pile of 150 bodies
//! with 400 contacts each.
//!
//! `cargo bench -p stiction-solvers --bench cones [FILTER]`. Success and work are what `stiction bench cones` tells.
#![allow(clippy::unwrap_used, reason = "a problem that is not solved is a failed benchmark")]

use divan::Bencher;
use nalgebra::Vector3;
use stiction_solvers::samples::bodies::system;
use stiction_solvers::samples::{Body, Contact, Family, Form, Sample, large};
use stiction_solvers::{Chain, ChainSettings, ConeNcp, Solution, Solver, Start, Status};

fn main() {
    divan::main();
}

fn solver() -> Chain {
    Chain::new(ChainSettings { tolerance: 1e-9, target: 1e-9, ..ChainSettings::default() }).unwrap()
}

/// A box on `contacts` corners (eight are four twice), of free velocity `speed` along the ground and `fall` down.
fn cuboid(contacts: usize, speed: f64, fall: f64) -> ConeNcp {
    let mut body = Body::cuboid(Vector3::new(0.1, 0.15, 0.1), 1.0).at(Vector3::new(0.0, 0.0, 0.1));
    body.velocity = Vector3::new(speed, 0.3 * speed, -fall);
    body.spin = Vector3::new(0.0, 0.0, speed);
    let corners = body.corners();
    let contacts: Vec<Contact> =
        (0..contacts).map(|k| Contact::new(0, None, corners[k % 4], Vector3::z(), 0.5)).collect();
    system(&[body], &contacts).problem(Form::Dense).unwrap()
}

/// Solves `next` from the impulses that solve `last`.
fn warm(bencher: Bencher, last: &ConeNcp, next: &ConeNcp) {
    let mut solver = solver();
    let mut carried = Solution::default();
    assert_eq!(solver.solve(last, Start::Cold, &mut carried).status, Status::Solved);
    let mut x = carried.clone();
    let report = solver.solve(next, Start::Warm, &mut x);
    assert_eq!(report.status, Status::Solved);
    println!(" {} factorizations", report.pivots);
    bencher.bench_local(|| {
        x.z.copy_from_slice(&carried.z);
        solver.solve(next, Start::Warm, &mut x)
    });
}

#[divan::bench(args = [4, 8])]
fn warm_at_rest(bencher: Bencher, contacts: usize) {
    let problem = cuboid(contacts, 0.0, 0.01);
    warm(bencher, &problem, &problem);
}

#[divan::bench(args = [4, 8])]
fn warm_sticking_under_another_load(bencher: Bencher, contacts: usize) {
    warm(bencher, &cuboid(contacts, 0.0, 0.01), &cuboid(contacts, 1e-4, 0.0101));
}

#[divan::bench(args = [4, 8])]
fn warm_sliding(bencher: Bencher, contacts: usize) {
    warm(bencher, &cuboid(contacts, 1.0, 0.01), &cuboid(contacts, 0.995, 0.01));
}

/// Islands of so many contacts of every family, one after the other.
#[divan::bench(args = [4, 12], sample_size = 1, sample_count = 1000)]
fn cold(bencher: Bencher, contacts: usize) {
    let samples = Family::ALL.into_iter().flat_map(|family| family.samples(0));
    let problems: Vec<ConeNcp> = samples
        .filter(|sample| sample.system.cones.len() == contacts)
        .map(|sample| sample.system.problem(Form::Dense).unwrap())
        .collect();
    let mut solver = solver();
    let mut x = Solution::default();
    let mut next = 0;
    bencher.bench_local(|| {
        next = (next + 1) % problems.len();
        solver.solve(&problems[next], Start::Cold, &mut x)
    });
}

fn cold_large(bencher: Bencher, sample: &Sample) {
    let problem = sample.system.problem(Form::Factored).unwrap();
    let mut solver = solver();
    let mut x = Solution::default();
    let report = solver.solve(&problem, Start::Cold, &mut x);
    assert_eq!(report.status, Status::Solved);
    println!(" {} factorizations", report.pivots);
    bencher.bench_local(|| solver.solve(&problem, Start::Cold, &mut x));
}

#[divan::bench(args = large::TOWERS, sample_size = 1, sample_count = 5)]
fn tower(bencher: Bencher, boxes: usize) {
    cold_large(bencher, &large::tower(boxes, 1));
}

#[divan::bench(args = [0, 1, 2, 3], sample_size = 1, sample_count = 5)]
fn pile(bencher: Bencher, size: usize) {
    cold_large(bencher, &large::heap(large::PILES[size], 1));
}
