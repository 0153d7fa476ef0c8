//! Against the dense system, over every shape of structure and every size of the proximal term.

use super::*;
use crate::linalg::lu::Lu;
use crate::problem::{Delassus, Piece};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A system, and its operator by itself.
#[derive(Clone, Debug)]
struct Case {
    rows: BlockRows,
    scale: Vec<f64>,
    cell_starts: Vec<usize>,
    p: Vec<Block>,
    q: Vec<Block>,
}

/// What a block of rows is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Contact(usize),
    Free(usize),
}

impl Case {
    /// Blocks with pieces over given ranges, all values random.
    fn rows(random: &mut Pcg64, columns: usize, blocks: &[(Kind, Vec<[usize; 2]>)]) -> BlockRows {
        let mut rows = BlockRows { columns, starts: vec![0], piece_ptr: vec![0], ..Default::default() };
        for (kind, ranges) in blocks {
            let (Kind::Contact(dim) | Kind::Free(dim)) = *kind;
            rows.starts.push(rows.starts[rows.starts.len() - 1] + dim);
            for &[column, width] in ranges {
                rows.pieces.push(Piece { column, width, offset: rows.values.len() });
                rows.values.extend((0..dim * width).map(|_| random.random_range(-1.0..1.0)));
            }
            rows.piece_ptr.push(rows.pieces.len());
        }
        rows
    }

    /// Jacobians of the Alart-Curnier equations in random modes, with a proximal term `eps`.
    fn new(random: &mut Pcg64, columns: usize, blocks: &[(Kind, Vec<[usize; 2]>)], eps: f64) -> Case {
        let rows = Case::rows(random, columns, blocks);
        let mut case = Case { scale: Vec::new(), cell_starts: vec![0], p: Vec::new(), q: Vec::new(), rows };
        let rho = 1.0 / (eps * (1.0 + eps)).sqrt();
        for (kind, _) in blocks {
            match *kind {
                Kind::Free(dim) => {
                    for _ in 0..dim {
                        case.push_cell(random, 1, vec![1.0], vec![0.0], eps);
                    }
                }
                Kind::Contact(dim) => {
                    let mut identity = vec![0.0; dim * dim];
                    (0..dim).for_each(|k| identity[k * (dim + 1)] = 1.0);
                    let mut a = identity.clone();
                    match random.random_range(0..3) {
                        0 => {
                            case.push_cell(random, dim, vec![0.0; dim * dim], a, 0.0);
                            continue;
                        }
                        1 => a.fill(0.0),
                        _ => slip(random, dim, &mut a),
                    }
                    let b = identity.iter().zip(&a).map(|(i, a)| rho * (i - a)).collect();
                    case.push_cell(random, dim, b, a, eps);
                }
            }
        }
        case
    }

    /// `P = A + eps B`, `Q = B`.
    fn push_cell(&mut self, random: &mut Pcg64, dim: usize, b: Vec<f64>, a: Vec<f64>, eps: f64) {
        let (mut p, mut q) = ([0.0; 9], [0.0; 9]);
        for k in 0..dim * dim {
            q[k] = b[k];
            p[k] = a[k] + eps * b[k];
        }
        self.p.push(p);
        self.q.push(q);
        let scale = random.random_range(0.5..2.0);
        self.scale.extend(vec![scale; dim]);
        self.cell_starts.push(self.scale.len());
    }

    fn len(&self) -> usize {
        self.scale.len()
    }

    /// `W` by products with unit vectors.
    fn operator(&self) -> Vec<f64> {
        let n = self.len();
        let operator = Delassus::Factored(self.rows.clone());
        let mut w = vec![0.0; n * n];
        let (mut column, mut size) = (vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            operator.multiply(&unit, &mut column, &mut size, &mut Vec::new());
            (0..n).for_each(|i| w[i * n + j] = self.scale[i] * column[i] * self.scale[j]);
        }
        w
    }

    /// `P + Q W`.
    fn matrix(&self) -> Vec<f64> {
        let n = self.len();
        let w = self.operator();
        let mut matrix = vec![0.0; n * n];
        for (cell, bounds) in self.cell_starts.windows(2).enumerate() {
            let (first, d) = (bounds[0], bounds[1] - bounds[0]);
            for a in 0..d {
                let row = &mut matrix[(first + a) * n..(first + a + 1) * n];
                for b in 0..d {
                    let w = &w[(first + b) * n..(first + b + 1) * n];
                    row.iter_mut().zip(w).for_each(|(m, w)| *m += self.q[cell][a * d + b] * w);
                    row[first + b] += self.p[cell][a * d + b];
                }
            }
        }
        matrix
    }

    fn solve(&self, system: &mut VelocitySystem, b: &[f64]) -> Vec<f64> {
        let mut x = vec![f64::NAN; b.len()];
        system.analyse(&self.rows);
        system.factor(&self.rows, &self.scale, &self.cell_starts, &self.p, &self.q).unwrap();
        system.solve(b, &mut x);
        x
    }
}

/// `A = I - D` of a sliding contact; see the study of the Newton methods for `D`.
fn slip(random: &mut Pcg64, dim: usize, a: &mut [f64]) {
    let mu: f64 = random.random_range(0.0..0.7);
    let k: f64 = random.random_range(0.1..1.0);
    let angle: f64 = random.random_range(0.0..6.0);
    let t = if dim == 2 { [1.0, 0.0] } else { [libm::cos(angle), libm::sin(angle)] };
    a.fill(0.0);
    for i in 1..dim {
        a[i * dim] = -mu * t[i - 1];
        for j in 1..dim {
            let identity = f64::from(u8::from(i == j));
            a[i * dim + j] = identity - k * (identity - t[i - 1] * t[j - 1]);
        }
    }
}

fn multiply(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(x.len().max(1)).map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum()).collect()
}

type Blocks = Vec<(Kind, Vec<[usize; 2]>)>;

/// Contacts between bodies of six columns; a body of number `None` is the world.
fn contacts(pairs: &[(usize, Option<usize>)], each: usize, dim: usize) -> Blocks {
    let pieces = |&(a, b): &(usize, Option<usize>)| {
        std::iter::once(a).chain(b).map(|body| [6 * body, 6]).collect::<Vec<_>>()
    };
    pairs.iter().flat_map(|pair| (0..each).map(|_| (Kind::Contact(dim), pieces(pair)))).collect()
}

/// Name, number of columns and blocks of systems of every shape.
fn shapes(random: &mut Pcg64) -> Vec<(&'static str, usize, Blocks)> {
    let tower: Vec<_> = (0..12).map(|k| (k, (k > 0).then(|| k - 1))).collect();
    let ring: Vec<_> = (0..9).map(|k| (k, Some((k + 1) % 9))).collect();
    let star: Vec<_> = (1..8).map(|k| (k, Some(0))).collect();
    let graph: Vec<_> = (0..50)
        .map(|_| {
            let a = random.random_range(0..20);
            let b = random.random_range(0..21);
            (a, (b < 20 && a != b).then_some(b))
        })
        .collect();
    let mut arm = contacts(&[(0, None), (0, Some(1)), (1, None)], 2, 3);
    arm.push((Kind::Free(5), vec![[0, 6], [6, 6]]));
    arm.push((Kind::Free(7), vec![[12, 29]]));
    arm.push((Kind::Contact(3), vec![[12, 29], [0, 6]]));
    arm.push((Kind::Contact(2), vec![[14, 3], [22, 1]]));
    arm.push((Kind::Contact(3), vec![]));
    vec![
        ("nothing", 0, vec![]),
        ("box", 6, contacts(&[(0, None)], 8, 3)),
        ("tower", 72, contacts(&tower, 4, 3)),
        ("flat tower", 72, contacts(&tower, 2, 2)),
        ("ring", 54, contacts(&ring, 1, 3)),
        ("star", 48, contacts(&star, 3, 3)),
        ("graph", 120, contacts(&graph, 1, 3)),
        ("arm", 44, arm),
    ]
}

/// Residual of `x` in the units of the cells, relative to `b`.
fn residual(case: &Case, matrix: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let error: Vec<f64> = multiply(matrix, x).iter().zip(b).map(|(a, b)| a - b).collect();
    let largest = |v: &[f64]| {
        case.cell_starts.windows(2).zip(&case.p).zip(&case.q).fold(0.0, |worst: f64, ((rows, p), q)| {
            worst.max(largest_abs(&v[rows[0]..rows[1]]) / largest_abs(p).max(largest_abs(q)))
        })
    };
    if b.is_empty() { 0.0 } else { largest(&error) / largest(b) }
}

fn uniform(random: &mut Pcg64, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.random_range(-1.0..1.0)).collect()
}

#[test]
fn the_solution_is_that_of_the_dense_system() {
    let mut random = Pcg64::seed_from_u64(3);
    let mut system = VelocitySystem::default();
    for round in 0..20 {
        for (name, columns, blocks) in shapes(&mut random) {
            let case = Case::new(&mut random, columns, &blocks, 1e-2);
            let b = uniform(&mut random, case.len());
            let x = case.solve(&mut system, &b);
            let mut lu = Lu::default();
            lu.matrix_mut(b.len()).copy_from_slice(&case.matrix());
            lu.factor().unwrap();
            let mut expected = b.clone();
            lu.solve(&mut expected);
            let error = x.iter().zip(&expected).fold(0.0, |worst: f64, (x, e)| worst.max((x - e).abs()));
            assert!(error <= 1e-9 * (1.0 + largest_abs(&expected)), "{name}, round {round}: {error:e}");
        }
    }
}

#[test]
fn a_tiny_proximal_term_leaves_a_small_residual() {
    let mut random = Pcg64::seed_from_u64(4);
    let mut system = VelocitySystem::default();
    for round in 0..20 {
        for (name, columns, blocks) in shapes(&mut random) {
            for eps in [1e-4, 1e-6, 1e-8, 1e-10] {
                let case = Case::new(&mut random, columns, &blocks, eps);
                let matrix = case.matrix();
                let b = multiply(&matrix, &uniform(&mut random, case.len()));
                let x = case.solve(&mut system, &b);
                let error = residual(&case, &matrix, &x, &b);
                assert!(error <= 1e-9, "{name}, eps {eps:e}, round {round}: {error:e}");
            }
        }
    }
}

#[test]
fn refinement_brings_back_what_a_tiny_proximal_term_cancels() {
    let mut random = Pcg64::seed_from_u64(5);
    let mut system = VelocitySystem::default();
    let mut worst = [0.0_f64; 3];
    for _ in 0..20 {
        let case = Case::new(&mut random, 6, &contacts(&[(0, None)], 8, 3), 1e-10);
        let matrix = case.matrix();
        let b = multiply(&matrix, &uniform(&mut random, case.len()));
        for (refinements, worst) in worst.iter_mut().enumerate() {
            system.refinements = refinements;
            *worst = worst.max(residual(&case, &matrix, &case.solve(&mut system, &b), &b));
        }
    }
    assert!(worst[0] > 1e-6 && worst[1] < 1e-3 * worst[0] && worst[2] < 1e-10, "{worst:?}");
}

#[test]
fn an_open_contact_costs_no_room_in_the_fronts() {
    let mut random = Pcg64::seed_from_u64(6);
    let pairs: Vec<_> = (0..9).map(|k| (k, Some((k + 1) % 9))).collect();
    let blocks = contacts(&pairs, 1, 3);
    let mut case = Case::new(&mut random, 54, &blocks, 1e-3);
    let mut system = VelocitySystem::default();
    for (p, q) in case.p.iter_mut().zip(&mut case.q) {
        *p = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        *q = [0.0; 9];
    }
    let b = uniform(&mut random, case.len());
    assert_eq!(case.solve(&mut system, &b), b);
    assert_eq!(system.lu.live_entries(), 6 * 36 + 18 * 18, "the last three bodies of a ring are one front");
    case.q[0] = case.p[0];
    let x = case.solve(&mut system, &b);
    assert!(residual(&case, &case.matrix(), &x, &b) <= 1e-12);
}

#[test]
fn a_singular_cell_or_system_or_nan_is_reported() {
    let rows = BlockRows {
        columns: 1,
        starts: vec![0, 1],
        piece_ptr: vec![0, 1],
        pieces: vec![Piece { column: 0, width: 1, offset: 0 }],
        values: vec![1.0],
    };
    let mut system = VelocitySystem::default();
    system.analyse(&rows);
    for (p, q) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (1.0, f64::INFINITY)] {
        let outcome = system.factor(&rows, &[1.0], &[0, 1], &[[p; 9]], &[[q; 9]]);
        assert_eq!(outcome, Err(Singular), "p = {p}, q = {q}");
    }
    assert_eq!(system.factor(&rows, &[f64::NAN], &[0, 1], &[[1.0; 9]], &[[1.0; 9]]), Err(Singular));
    system.factor(&rows, &[2.0], &[0, 1], &[[1.0; 9]], &[[1.0; 9]]).unwrap();
    let mut x = [0.0];
    system.solve(&[10.0], &mut x);
    assert_eq!(x, [2.0], "(1 + 4) x = 10");
}

/// Memory held by all vectors.
fn capacity(system: &VelocitySystem) -> usize {
    let VelocitySystem { blocks, segments, lu, cells, y, coupled, h, residual, correction, .. } = system;
    let lists = blocks.capacity() + segments.capacity() + cells.capacity();
    let vectors = [y, coupled, h, residual, correction].map(Vec::capacity);
    lists + vectors.iter().sum::<usize>() + lu.capacity()
}

#[test]
fn after_analysis_no_system_takes_memory_and_the_same_system_gives_the_same_bits() {
    let mut random = Pcg64::seed_from_u64(7);
    let mut used = VelocitySystem::default();
    for (name, columns, blocks) in shapes(&mut random) {
        let mut case = Case::new(&mut random, columns, &blocks, 1e-3);
        let b = uniform(&mut random, case.len());
        let mut system = VelocitySystem::default();
        system.analyse(&case.rows);
        let before = capacity(&system);
        let x = case.solve(&mut system, &b);
        assert_eq!(x, case.solve(&mut used, &b), "{name}");
        case.q.iter_mut().step_by(2).for_each(|q| q.fill(0.0));
        case.solve(&mut system, &b);
        assert_eq!(capacity(&system), before, "{name}");
    }
}

/// Any kinds of blocks with any pieces, which may overlap.
fn any_blocks() -> impl Strategy<Value = Blocks> {
    let range = (0..30_usize, 0..13_usize).prop_map(|(column, width)| [column, width.min(30 - column)]);
    let kind = prop_oneof![(2..4_usize).prop_map(Kind::Contact), (1..6_usize).prop_map(Kind::Free)];
    proptest::collection::vec((kind, proptest::collection::vec(range, 0..4)), 0..20)
}

proptest! {
    #[test]
    fn any_partition_into_pieces_is_solved(blocks in any_blocks(), seed: u64) {
        let mut random = Pcg64::seed_from_u64(seed);
        let case = Case::new(&mut random, 30, &blocks, 1e-4);
        let matrix = case.matrix();
        let b = multiply(&matrix, &uniform(&mut random, case.len()));
        let x = case.solve(&mut VelocitySystem::default(), &b);
        let error = residual(&case, &matrix, &x, &b);
        prop_assert!(error <= 1e-9, "{error:e}");
    }
}
