//! The equations of one Newton step in velocities: a box on four and eight contacts, a tower of 100 boxes with four
//! contacts a face, a pile of 150 bodies with 400 contacts. Of the contacts a third slides, and in the pile a third is
//! open; a tree of 60 velocities with 30 contacts. Jacobians are random. Beside them a dense LU
//! (nalgebra) of as many rows.
//!
//! `cargo bench -p stiction-solvers --bench velocity [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a system that is singular is a failed benchmark")]

use divan::{AllocProfiler, Bencher};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::cones::system::velocity_system::VelocitySystem;
use stiction_solvers::{BlockRows, Piece};

/// Tells which of the three allocate: none.
#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

struct Case {
    rows: BlockRows,
    scale: Vec<f64>,
    p: Vec<[f64; 9]>,
    q: Vec<[f64; 9]>,
    b: Vec<f64>,
}

/// Contacts between bodies of six velocities (the last one is the world), the given part of them open.
fn contacts(bodies: usize, pairs: &[[usize; 2]], open: f64) -> Case {
    let mut random = Pcg64::seed_from_u64(7);
    let mut rows =
        BlockRows { columns: 6 * bodies, starts: vec![0], piece_ptr: vec![0], ..Default::default() };
    let (mut p, mut q) = (Vec::new(), Vec::new());
    for pair in pairs {
        rows.starts.push(rows.starts[rows.starts.len() - 1] + 3);
        for &body in pair.iter().filter(|body| **body < bodies) {
            rows.pieces.push(Piece { column: 6 * body, width: 6, offset: rows.values.len() });
            rows.values.extend((0..18).map(|_| random.random_range(-1.0..1.0)));
        }
        rows.piece_ptr.push(rows.pieces.len());
        let stick = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        // Sliding along the first tangent, mu = 0.3, k = 0.5.
        let slip = [1.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.5];
        let (rho, eps) = (10.0, 1e-2);
        let d = match random.random_range(0.0..1.0) {
            part if part < open => [0.0; 9],
            part if part < open + 0.33 => slip,
            _ => stick,
        };
        p.push(std::array::from_fn(|k| stick[k] - d[k] + eps * rho * d[k]));
        q.push(d.map(|d| rho * d));
    }
    let n = 3 * pairs.len();
    let b = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
    Case { rows, scale: vec![1.0; n], p, q, b }
}

fn case(name: &str) -> Case {
    let tower = |boxes: usize| -> Vec<[usize; 2]> {
        (0..boxes).flat_map(|k| [[k, if k == 0 { boxes } else { k - 1 }]; 4]).collect()
    };
    match name {
        "box, 4 contacts" => contacts(1, &[[0, 1]; 4], 0.0),
        "box, 8 contacts" => contacts(1, &[[0, 1]; 8], 0.0),
        "tower of 10" => contacts(10, &tower(10), 0.0),
        "tower of 100" => contacts(100, &tower(100), 0.0),
        "tree of 60" => {
            let mut case = contacts(10, &[[0, 1]; 30], 0.0);
            let mut random = Pcg64::seed_from_u64(9);
            case.rows.values = (0..60 * 90).map(|_| random.random_range(-1.0..1.0)).collect();
            case.rows.pieces = (0..30).map(|k| Piece { column: 0, width: 60, offset: 180 * k }).collect();
            case.rows.piece_ptr = (0..=30).collect();
            case
        }
        _ => {
            // Bodies in a box of 5 x 5 x 6 places touch those beside and below them.
            let at = |x: usize, y: usize, z: usize| 25 * z + 5 * y + x;
            let mut pairs = Vec::new();
            for z in 0..6 {
                for y in 0..5 {
                    for x in 0..5 {
                        pairs.push([at(x, y, z), if z > 0 { at(x, y, z - 1) } else { 150 }]);
                        let beside = [(x < 4).then(|| at(x + 1, y, z)), (y < 4).then(|| at(x, y + 1, z))];
                        pairs.extend(beside.into_iter().flatten().map(|other| [at(x, y, z), other]));
                    }
                }
            }
            pairs.truncate(400);
            contacts(150, &pairs, 0.33)
        }
    }
}

const CASES: [&str; 6] =
    ["box, 4 contacts", "box, 8 contacts", "tree of 60", "tower of 10", "tower of 100", "pile of 150"];

#[divan::bench(args = CASES)]
fn analyse(bencher: Bencher, name: &str) {
    let case = case(name);
    let mut system = VelocitySystem::default();
    system.analyse(&case.rows);
    bencher.bench_local(|| {
        system.analyse(&BlockRows::default()); // or it would know the structure
        system.analyse(&case.rows);
    });
}

#[divan::bench(args = CASES)]
fn factor(bencher: Bencher, name: &str) {
    let case = case(name);
    let mut system = VelocitySystem::default();
    system.analyse(&case.rows);
    bencher
        .bench_local(|| system.factor(&case.rows, &case.scale, &case.rows.starts, &case.p, &case.q).unwrap());
}

#[divan::bench(args = CASES)]
fn solve(bencher: Bencher, name: &str) {
    let case = case(name);
    let mut system = VelocitySystem::default();
    system.analyse(&case.rows);
    system.factor(&case.rows, &case.scale, &case.rows.starts, &case.p, &case.q).unwrap();
    let mut x = vec![0.0; case.b.len()];
    bencher.bench_local(|| system.solve(&case.b, &mut x));
}

#[divan::bench(args = CASES)]
fn dense_lu_in_velocities(bencher: Bencher, name: &str) {
    dense_lu(bencher, case(name).rows.columns);
}

#[divan::bench(args = CASES)]
fn dense_lu_in_impulses(bencher: Bencher, name: &str) {
    dense_lu(bencher, case(name).b.len());
}

/// Copies, factors and solves `n` equations.
fn dense_lu(bencher: Bencher, n: usize) {
    let mut random = Pcg64::seed_from_u64(8);
    let matrix = DMatrix::from_fn(n, n, |_, _| random.random_range(-1.0..1.0));
    let b = DVector::from_element(n, 1.0);
    let mut x = b.clone();
    bencher.bench_local(|| {
        x.copy_from_slice(b.as_slice());
        assert!(matrix.clone().lu().solve_mut(&mut x));
    });
}
