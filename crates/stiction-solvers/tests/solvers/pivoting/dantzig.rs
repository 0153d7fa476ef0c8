//! What principal pivoting must get right: answers known otherwise, and the number of major cycles.

use crate::common::{gram, matrix, murty_matrix, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    ActiveSet, BoxLcp, Dantzig, DantzigSettings, Lcp, Lemke, LemkeSettings, Mlcp, MlcpBlocks, NextIndex,
    Problem, Report, Residual, Solution, Solver, Start, Status,
};

fn dantzig() -> Dantzig {
    Dantzig::new(DantzigSettings::default()).unwrap()
}

fn solve<P: Problem>(problem: &P) -> (Report, Solution)
where
    Dantzig: Solver<P>,
{
    let mut x = Solution::default();
    let report = dantzig().solve(problem, Start::Cold, &mut x);
    assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()));
    assert_eq!(problem.residual(&x), report.residual);
    (report, x)
}

/// A semidefinite problem that has solutions: `M = A A^T` of the given rank, `q = A p + e` with `e >= 0`.
fn semidefinite(random: &mut Pcg64, n: usize, rank: usize) -> Lcp {
    let a = uniform(random, n * rank);
    let p = uniform(random, rank);
    let q = (0..n)
        .map(|i| {
            let gap: f64 = random.random_range(-1.0..1.0);
            (0..rank).map(|k| a[i * rank + k] * p[k]).sum::<f64>() + gap.max(0.0)
        })
        .collect();
    Lcp::new(gram(n, rank, &a), q).unwrap()
}

/// The principal sub-problem of some indices.
fn principal(problem: &Lcp, indices: &[usize]) -> Lcp {
    let k = indices.len();
    let m = matrix(k, |i, j| problem.row(indices[i])[indices[j]]);
    Lcp::new(m, indices.iter().map(|&i| problem.q()[i]).collect()).unwrap()
}

#[test]
fn from_a_solved_sub_problem_of_k_indices_there_are_at_most_n_minus_k_major_cycles() {
    let mut random = Pcg64::seed_from_u64(41);
    let mut solver = dantzig();
    let mut x = Solution::default();
    let (mut cycles, mut bound, mut cold) = (0, 0, 0);
    for round in 0..1000 {
        let n = random.random_range(1..=60);
        let rank = random.random_range(1..=n);
        let problem = semidefinite(&mut random, n, rank);
        let indices: Vec<usize> = (0..n).filter(|_| random.random_range(0..4) > 0).collect();
        let part = principal(&problem, &indices);
        let report = solver.solve(&part, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}: {report:?}");
        assert!(report.iterations <= indices.len());
        let mut basis = ActiveSet::new(n);
        solver.active_set().iter().for_each(|at| basis.set(indices[at], true));
        let report = solver.solve(&problem, Start::Basis(&basis), &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}: {report:?}");
        assert!(report.iterations <= n - indices.len(), "round {round}: {report:?} {n} {}", indices.len());
        (cycles, bound) = (cycles + report.iterations, bound + n - indices.len());
        let report = solver.solve(&problem, Start::Cold, &mut x);
        assert!(report.status == Status::Solved && report.iterations <= n, "round {round}: {report:?}");
        cold += report.iterations;
    }
    eprintln!("{cycles} major cycles of {bound} allowed; {cold} from nothing");
}

/// All solutions at regular blocks: every index at its lower bound, its upper bound or between.
fn brute_force(problem: &BoxLcp) -> Vec<Vec<f64>> {
    let n = problem.dim();
    let mut found = Vec::new();
    for code in 0..3usize.pow(n as u32) {
        let place = |i: usize| code / 3usize.pow(i as u32) % 3;
        let mut z: Vec<f64> =
            (0..n).map(|i| [problem.lower()[i], problem.upper()[i], 0.0][place(i)]).collect();
        if z.iter().any(|z| z.is_infinite()) {
            continue;
        }
        let free: Vec<usize> = (0..n).filter(|&i| place(i) == 2).collect();
        let k = free.len();
        let mut w = vec![0.0; n];
        problem.eval(&z, &mut w);
        let block = nalgebra::DMatrix::from_fn(k, k, |i, j| problem.row(free[i])[free[j]]);
        let rhs = nalgebra::DVector::from_fn(k, |i, _| -w[free[i]]);
        let step = if k == 0 { Some(rhs) } else { block.lu().solve(&rhs) };
        let Some(step) = step else { continue };
        (0..k).for_each(|i| z[free[i]] = step[i]);
        let x = Solution { z, w };
        if problem.residual(&x).natural_map < 1e-9 {
            found.push(x.z);
        }
    }
    found
}

#[test]
fn the_answer_of_a_small_box_problem_is_the_one_found_by_trying_every_active_set() {
    let mut random = Pcg64::seed_from_u64(42);
    for round in 0..500 {
        let n = random.random_range(1..=5);
        let mut m = gram(n, n, &uniform(&mut random, n * n));
        if round % 2 == 1 {
            // A skew part keeps it a P-matrix.
            for i in 0..n {
                for j in 0..i {
                    let skew = random.random_range(-1.0..1.0);
                    m[i * n + j] += skew;
                    m[j * n + i] -= skew;
                }
            }
        }
        (0..n).for_each(|i| m[i * n + i] += 0.01);
        let q = uniform(&mut random, n).iter().map(|q| 3.0 * q).collect();
        let side = |random: &mut Pcg64| match random.random_range(0..4) {
            0 => f64::INFINITY,
            1 => 0.0,
            _ => random.random_range(0.0..1.0),
        };
        let lower = (0..n).map(|_| -side(&mut random)).collect();
        let upper = (0..n).map(|_| side(&mut random)).collect();
        let problem = BoxLcp::new(m, q, lower, upper).unwrap();
        let (report, x) = solve(&problem);
        assert_eq!(report.status, Status::Solved, "round {round} {report:?}");
        assert!(report.iterations <= n, "round {round} {report:?}");
        let known = brute_force(&problem);
        let distance = |z: &Vec<f64>| z.iter().zip(&x.z).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(known.iter().any(|z| distance(z) < 1e-8), "round {round} {:?} {known:?}", x.z);
    }
}

#[test]
fn lemke_finds_the_same_w_on_semidefinite_problems_and_the_same_z_on_p_matrices() {
    let mut random = Pcg64::seed_from_u64(43);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut y = Solution::default();
    for round in 0..300 {
        let n = random.random_range(1..40);
        let rank = random.random_range(1..=n);
        let problem = semidefinite(&mut random, n, rank);
        let (report, x) = solve(&problem);
        assert_eq!(report.status, Status::Solved, "round {round} {report:?}");
        assert_eq!(lemke.solve(&problem, Start::Cold, &mut y).status, Status::Solved);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8);
        assert!(close(&x.w, &y.w), "round {round}");
        let skew = uniform(&mut random, n * n);
        let m = matrix(n, |i, j| {
            let own = if i == j { 0.1 } else { 0.0 };
            problem.row(i)[j] + skew[i * n + j] - skew[j * n + i] + own
        });
        let problem = Lcp::new(m, problem.q().to_vec()).unwrap();
        let (report, x) = solve(&problem);
        assert_eq!(report.status, Status::Solved, "round {round} {report:?}");
        assert_eq!(lemke.solve(&problem, Start::Cold, &mut y).status, Status::Solved);
        assert!(close(&x.z, &y.z), "round {round}");
    }
}

#[test]
fn murty_s_matrix_is_solved_by_one_pivot_from_the_least_index() {
    // The solution is the first unit vector. Its transpose is as easy for the other order.
    let (report, x) = solve(&Lcp::new(murty_matrix(30), vec![-1.0; 30]).unwrap());
    assert_eq!((report.status, report.iterations, report.pivots), (Status::Solved, 1, 1));
    assert!(x.z[0] == 1.0 && x.z[1..].iter().all(|&z| z == 0.0));
}

#[test]
fn a_plate_on_four_corners_is_held_by_its_weight_whatever_corners_are_active() {
    let m = [4.0, 1.0, 1.0, -2.0, 1.0, 4.0, -2.0, 1.0, 1.0, -2.0, 4.0, 1.0, -2.0, 1.0, 1.0, 4.0];
    let problem = Lcp::new(m.to_vec(), vec![-0.0981; 4]).unwrap();
    for bits in 0..16 {
        let mut basis = ActiveSet::new(4);
        (0..4).for_each(|i| basis.set(i, (bits >> i) & 1 == 1));
        let mut x = Solution::default();
        let report = dantzig().solve(&problem, Start::Basis(&basis), &mut x);
        assert_eq!(report.status, Status::Solved);
        assert!(x.w.iter().all(|w| w.abs() <= 1e-15));
        assert!((x.z.iter().sum::<f64>() - 0.0981).abs() <= 1e-15);
        assert!((x.z[0] - x.z[3]).abs() <= 1e-15 && (x.z[1] - x.z[2]).abs() <= 1e-15, "no moment");
    }
}

#[test]
fn a_semidefinite_problem_without_solution_is_infeasible_and_near_it_is_solved() {
    // Two rows that oppose each other: z1 - z2 - 1 >= 0 and z2 - z1 - 1 >= 0.
    let m = [1.0, -1.0, -1.0, 1.0];
    let (report, x) = solve(&Lcp::new(m.to_vec(), vec![-1.0, -1.0]).unwrap());
    assert_eq!(report.status, Status::Infeasible);
    assert!(report.residual.natural_map > 0.1 && x.z.iter().all(|z| z.is_finite()));
    assert_eq!(solve(&Lcp::new(m.to_vec(), vec![-1.0, 1.0]).unwrap()).0.status, Status::Solved);
    // A free row of zeros with a constant.
    let free = BoxLcp::new(vec![0.0], vec![1.0], vec![f64::NEG_INFINITY], vec![f64::INFINITY]).unwrap();
    assert_eq!(solve(&free).0.status, Status::Infeasible);
    // The same with an end to it.
    let bounded = BoxLcp::new(vec![0.0], vec![1.0], vec![-7.0], vec![f64::INFINITY]).unwrap();
    let (report, x) = solve(&bounded);
    assert_eq!((report.status, x.z), (Status::Solved, vec![-7.0]));
}

#[test]
fn a_mixed_problem_with_a_symmetric_matrix_is_solved_with_its_free_rows_active() {
    let blocks =
        MlcpBlocks { a: &[2.0], c: &[-1.0], d: &[-1.0], b: &[3.0], a_vector: &[1.0], b_vector: &[-4.0] };
    let mixed = Mlcp::new(&blocks).unwrap();
    let (report, x) = solve(&mixed);
    // 2 u - v + 1 = 0 and -u + 3 v - 4 = 0.
    assert_eq!(report.status, Status::Solved);
    assert!((x.z[0] - 0.2).abs() < 1e-15 && (x.z[1] - 1.4).abs() < 1e-15, "{x:?}");
}

#[test]
fn the_box_of_a_friction_impulse_stops_it_at_either_side_or_lets_it_stick() {
    // A unit mass pushed by -q along a line, with at most 1 of friction impulse.
    for (q, z) in [(-3.0, 1.0), (-0.5, 0.5), (0.0, 0.0), (0.25, -0.25), (9.0, -1.0)] {
        let (report, x) = solve(&BoxLcp::new(vec![1.0], vec![q], vec![-1.0], vec![1.0]).unwrap());
        assert_eq!(report.status, Status::Solved);
        assert_eq!((x.z[0], x.w[0]), (z, z + q));
    }
}

#[test]
fn tiny_problems_end_with_the_right_answer_or_an_honest_failure() {
    let one = |m: f64, q: f64| {
        let (report, x) = solve(&Lcp::new(vec![m], vec![q]).unwrap());
        (report.status, x.z[0])
    };
    assert_eq!(one(1.0, -9.8), (Status::Solved, 9.8));
    assert_eq!(one(1.0, 0.0), (Status::Solved, 0.0));
    assert_eq!(one(0.0, 1.0), (Status::Solved, 0.0));
    assert_eq!(one(-1.0, 1.0), (Status::Solved, 0.0));
    assert_eq!(one(0.0, -1.0).0, Status::Infeasible);
    assert!(matches!(one(-1.0, -1.0).0, Status::Ray | Status::Infeasible));
    let (report, _) = solve(&Lcp::new(vec![0.0, 1.0, -1.0, 0.0], vec![-1.0, -1.0]).unwrap());
    assert_ne!(report.status, Status::Solved);
    assert_eq!(solve(&Lcp::empty()).0.status, Status::Solved);
    for at in 0..3 {
        let mut problem = Lcp::new(vec![1.0, 0.0, 0.0, 1.0], vec![-1.0; 2]).unwrap();
        if at < 2 {
            problem.matrix_mut()[at] = f64::NAN
        } else {
            problem.q_mut()[1] = f64::INFINITY
        }
        let mut x = Solution { z: vec![1.0; 2], w: vec![] };
        let report = dantzig().solve(&problem, Start::Warm, &mut x);
        assert_eq!((report.status, report.residual), (Status::NumericalFailure, Residual::INFINITE));
        assert_eq!(x, Solution::new(2));
    }
}

#[test]
fn the_exact_answer_is_kept_and_a_guess_worse_than_zero_is_dropped() {
    let mut random = Pcg64::seed_from_u64(44);
    for _ in 0..50 {
        let problem = semidefinite(&mut random, 20, 12);
        let mut solver = dantzig();
        let mut x = Solution::default();
        let cold = solver.solve(&problem, Start::Cold, &mut x);
        let basis = solver.active_set().clone();
        let (answer, again) = (x.clone(), solver.solve(&problem, Start::Warm, &mut x));
        assert_eq!((again.status, again.iterations, again.pivots), (Status::Solved, 0, 0));
        assert_eq!(x, answer);
        let again = solver.solve(&problem, Start::Basis(&basis), &mut x);
        assert_eq!((again.status, again.iterations, again.pivots), (Status::Solved, 0, 0));
        let mut bad = Solution { z: vec![1e9; 20], w: vec![] };
        assert_eq!(solver.solve(&problem, Start::Warm, &mut bad), cold);
        let mut near = Solution { z: answer.z.iter().map(|z| z * (1.0 + 1e-6)).collect(), w: vec![] };
        let report = solver.solve(&problem, Start::Warm, &mut near);
        assert_eq!((report.status, report.iterations), (Status::Solved, 0));
    }
}

#[test]
fn the_history_has_the_natural_map_of_every_major_cycle() {
    let settings = DantzigSettings { history: true, ..DantzigSettings::default() };
    let mut solver = Dantzig::new(settings).unwrap();
    let mut x = Solution::default();
    let report = solver.solve(&semidefinite(&mut Pcg64::seed_from_u64(45), 30, 20), Start::Cold, &mut x);
    assert_eq!(solver.history().len(), report.iterations);
    let history = solver.history();
    assert!(history.last().unwrap().natural_map < 1e-12 && history[0].natural_map > 1e-6);
    assert!(history.iter().map(|entry| entry.iteration).eq(1..=report.iterations));
    assert!(Dantzig::new(DantzigSettings { tolerance: 1.0, ..settings }).is_err());
}

/// Planar blocks of unit size and mass without friction, two contacts a support.
struct Pile {
    /// Centre and layer.
    blocks: Vec<(f64, usize)>,
}

impl Pile {
    fn pyramid(count: usize) -> Pile {
        let base = (1..).find(|base| base * (base + 1) / 2 >= count).unwrap();
        let layers = (0..base)
            .flat_map(|layer| (0..base - layer).map(move |k| (k as f64 + 0.5 * layer as f64, layer)));
        Pile { blocks: layers.take(count).collect() }
    }

    fn wall(width: usize, count: usize) -> Pile {
        let place = |k: usize| ((k % width) as f64 + 0.5 * (k / width % 2) as f64, k / width);
        Pile { blocks: (0..count).map(place).collect() }
    }

    fn stacks(height: usize, count: usize) -> Pile {
        Pile { blocks: (0..count).map(|k| (3.0 * (k / height) as f64, k % height)).collect() }
    }

    /// Rows of the contacts on `(lift, tilt)` of each block.
    fn contacts(&self) -> Vec<Vec<(usize, f64)>> {
        let mut rows = Vec::new();
        for (i, &(x, layer)) in self.blocks.iter().enumerate() {
            if layer == 0 {
                rows.extend([-0.5, 0.5].map(|arm| vec![(2 * i, 1.0), (2 * i + 1, arm)]));
                continue;
            }
            for (j, &(below, at)) in self.blocks.iter().enumerate() {
                if at + 1 == layer && (x - below).abs() < 0.99 {
                    rows.extend([x.max(below) - 0.5, x.min(below) + 0.5].map(|point| {
                        vec![(2 * i, 1.0), (2 * i + 1, point - x), (2 * j, -1.0), (2 * j + 1, below - point)]
                    }));
                }
            }
        }
        rows
    }

    /// A step of 10 ms from rest, the contacts in order or in any; `kick` (m/s) is added to all velocities at random.
    fn problem(&self, random: &mut Pcg64, kick: f64, shuffled: bool) -> Lcp {
        let mut rows = self.contacts();
        if shuffled {
            (1..rows.len()).for_each(|k| rows.swap(k, random.random_range(0..=k)));
        }
        let falling = |i: usize| if i.is_multiple_of(2) { -0.0981 } else { 0.0 };
        let v: Vec<f64> =
            (0..2 * self.blocks.len()).map(|i| falling(i) + kick * random.random_range(-1.0..1.0)).collect();
        let inverse_mass = |i: usize| if i.is_multiple_of(2) { 1.0 } else { 6.0 };
        let n = rows.len();
        let mut m = vec![0.0; n * n];
        let mut pushed = vec![0.0; v.len()];
        for (i, row) in rows.iter().enumerate() {
            pushed.fill(0.0);
            row.iter().for_each(|&(at, arm)| pushed[at] = arm * inverse_mass(at));
            for (j, other) in rows.iter().enumerate() {
                m[i * n + j] = other.iter().map(|&(at, arm)| arm * pushed[at]).sum();
            }
        }
        let q = rows.iter().map(|row| row.iter().map(|&(at, arm)| arm * v[at]).sum()).collect();
        Lcp::new(m, q).unwrap()
    }
}

/// Solves `count` random piles of up to `largest` blocks, in either order of the next index.
fn piles_are_solved(seed: u64, count: usize, largest: usize) {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut in_order =
        Dantzig::new(DantzigSettings { next: NextIndex::InOrder, ..Default::default() }).unwrap();
    let mut most_violated = Dantzig::new(DantzigSettings::default()).unwrap();
    for round in 0..count {
        let blocks = random.random_range(1..=largest);
        let pile = match round % 3 {
            0 => Pile::pyramid(blocks),
            1 => Pile::wall(random.random_range(1..=10), blocks),
            _ => Pile::stacks(random.random_range(1..=20), blocks),
        };
        let kick = [0.0, 0.0, 1e-3, 1.0][random.random_range(0..4)];
        let shuffled = random.random_bool(0.7);
        let problem = pile.problem(&mut random, kick, shuffled);
        if problem.dim() > 400 {
            continue;
        }
        let solver = if round % 2 == 0 { &mut most_violated } else { &mut in_order };
        let mut x = Solution::default();
        // Contacts can always hold bodies apart: there is a solution.
        let report = solver.solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}, {} rows: {report:?}", problem.dim());
        assert_eq!(problem.residual(&x), report.residual);
    }
}

#[test]
fn pyramids_of_86_and_87_blocks_without_friction_stand() {
    let mut random = Pcg64::seed_from_u64(86);
    for count in [86, 87] {
        for shuffled in [false, true] {
            let problem = Pile::pyramid(count).problem(&mut random, 0.0, shuffled);
            let mut x = Solution::default();
            let mut solver = Dantzig::new(DantzigSettings::default()).unwrap();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved, "{report:?}");
            assert!(x.w.iter().all(|w| w.abs() < 1e-12), "nothing moves");
        }
    }
}

#[test]
fn stacks_pyramids_and_walls_whose_contacts_tie_are_solved_in_any_order() {
    piles_are_solved(87, 300, 50);
}

#[test]
#[ignore = "slow: piles of up to 400 contacts, half a minute"]
fn a_thousand_piles_are_solved() {
    piles_are_solved(88, 1_000, 100);
}

/// Normal impulses of a column of blocks of unit weight, each on the one below.
fn column(blocks: usize) -> Lcp {
    let mut m = vec![0.0; blocks * blocks];
    for i in 0..blocks {
        m[i * blocks + i] = if i == 0 { 1.0 } else { 2.0 };
        if i > 0 {
            m[i * blocks + i - 1] = -1.0;
            m[(i - 1) * blocks + i] = -1.0;
        }
    }
    Lcp::new(m, (0..blocks).map(|i| if i == 0 { -1.0 } else { 0.0 }).collect()).unwrap()
}

/// What a column has of a basis: that of one with fewer blocks, or nothing.
#[test]
fn a_column_with_one_block_more_takes_few_pivots_from_the_basis_of_the_one_before() {
    let (mut x, mut y) = (Solution::default(), Solution::default());
    let mut solver = Dantzig::new(DantzigSettings::default()).unwrap();
    let (mut carried, mut cold) = (0, 0);
    let mut basis = ActiveSet::new(0);
    for blocks in 1..=50 {
        let problem = column(blocks);
        let report = solver.solve(&problem, Start::Cold, &mut y);
        assert_eq!(report.status, Status::Solved);
        cold += report.pivots;
        basis.resize(blocks);
        let report = solver.solve(&problem, Start::Basis(&basis), &mut x);
        assert_eq!(report.status, Status::Solved);
        carried += report.pivots;
        // Each block carries those above it.
        assert!(x.z.iter().enumerate().all(|(i, z)| (z - (blocks - i) as f64).abs() < 1e-9), "{:?}", x.z);
        basis.clone_from(solver.active_set());
    }
    eprintln!("{carried} pivots from the last basis, {cold} from nothing");
    assert!(carried <= 100 && cold >= 10 * carried, "{carried} {cold}");
}
