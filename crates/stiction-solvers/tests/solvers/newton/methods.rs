//! What the Newton methods must get right on problems whose answer is known otherwise.

use crate::common::{box_stack, gram, matrix, random_contact_problem, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    ActiveSet, Bounded, BoxLcp, FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Lcp, Lemke, LemkeSettings, Mcp,
    Mlcp, MlcpBlocks, Path, PathSettings, Problem, Report, Residual, Smooth, Solution, Solver, Start, Status,
};

const INF: f64 = f64::INFINITY;

/// The three methods, each with its name.
fn methods<P: Bounded>() -> Vec<(&'static str, Box<dyn Solver<P>>)> {
    vec![
        ("fb_rlm", Box::new(FbRlm::new(FbRlmSettings::default()).unwrap())),
        ("fb_plm", Box::new(FbPlm::new(FbPlmSettings::default()).unwrap())),
        ("path", Box::new(Path::new(PathSettings::default()).unwrap())),
    ]
}

/// Path search alone: no crash, no second attempt.
fn bare_path() -> Path {
    Path::new(PathSettings { crash_rounds: 0, restarts: 0, ..PathSettings::default() }).unwrap()
}

/// Judges a report by the problem: sizes, finiteness, residual, and that solved means solved.
fn check<P: Problem>(name: &str, problem: &P, report: &Report, x: &Solution) -> bool {
    assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()), "{name}");
    assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{name} {report:?}");
    assert_eq!(problem.residual(x), report.residual, "{name}");
    let floor = problem.residual_floor(x);
    assert_eq!(report.status == Status::Solved, report.residual.certifies(1e-10, floor), "{name} {report:?}");
    report.status == Status::Solved
}

/// A monotone problem of the given rank with rows of every kind and at least one solution.
fn random_box(random: &mut Pcg64, n: usize, rank: usize) -> BoxLcp {
    let m = gram(n, rank, &uniform(random, n * rank));
    // Feasible for free rows too: q in the range of M.
    let at = uniform(random, n);
    let slack: Vec<f64> = (0..n).map(|_| random.random_range(-0.5..0.5)).collect();
    let (mut lower, mut upper, mut q) = (vec![-INF; n], vec![INF; n], vec![0.0; n]);
    for i in 0..n {
        let product: f64 = (0..n).map(|j| m[i * n + j] * at[j]).sum();
        let kind = random.random_range(0..4);
        // At least one solution: z = at, w = slack of the sign its bound allows.
        let w: f64 = match kind {
            0 => 0.0,
            1 => {
                lower[i] = at[i];
                slack[i].abs()
            }
            2 => {
                upper[i] = at[i];
                -slack[i].abs()
            }
            _ => {
                (lower[i], upper[i]) = (at[i] - 1.0, at[i] + 1.0);
                if slack[i] > 0.2 {
                    lower[i] = at[i];
                    slack[i]
                } else {
                    0.0
                }
            }
        };
        q[i] = w - product;
    }
    BoxLcp::new(m, q, lower, upper).unwrap()
}

/// How many of 200 problems each method solves, path search alone (last) included.
fn solved_of_200<P: Bounded>(mut problem: impl FnMut(usize) -> P) -> [usize; 4] {
    let mut count = [0; 4];
    let mut x = Solution::default();
    for round in 0..200 {
        let problem = problem(round);
        let mut all = methods::<P>();
        all.push(("path alone", Box::new(bare_path())));
        for (count, (name, mut solver)) in count.iter_mut().zip(all) {
            let report = solver.solve(&problem, Start::Cold, &mut x);
            *count += usize::from(check(name, &problem, &report, &x));
        }
    }
    eprintln!("of 200 solved by fb_rlm, fb_plm, path, path alone: {count:?}");
    count
}

#[test]
fn solvable_monotone_box_problems_of_any_rank_are_solved() {
    let mut random = Pcg64::seed_from_u64(31);
    let [rlm, plm, path, alone] = solved_of_200(|round| {
        let n = 1 + round % 40;
        let rank = random.random_range(1..=n);
        random_box(&mut random, n, rank)
    });
    // Near a degenerate solution of a singular problem nothing promises the Levenberg-Marquardt methods speed.
    assert!(rlm >= 198 && plm >= 196 && path == 200 && alone == 200);
}

#[test]
fn problems_with_a_p_matrix_have_lemkes_answer() {
    let mut random = Pcg64::seed_from_u64(32);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut failures = Vec::new();
    for round in 0..200 {
        let n = 1 + round % 30;
        let (a, skew) = (uniform(&mut random, n * n), uniform(&mut random, n * n));
        let spd = gram(n, n, &a);
        let m = matrix(n, |i, j| {
            spd[i * n + j] + 3.0 * (skew[i * n + j] - skew[j * n + i]) + if i == j { 0.01 } else { 0.0 }
        });
        let problem = Lcp::new(m, uniform(&mut random, n)).unwrap();
        let mut right = Solution::default();
        assert_eq!(lemke.solve(&problem, Start::Cold, &mut right).status, Status::Solved);
        let mut all = methods::<Lcp>();
        all.push(("bare path", Box::new(bare_path())));
        for (name, mut solver) in all {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            if !check(name, &problem, &report, &x) {
                failures.push(format!("{name} {round} n {n} {report:?}"));
                continue;
            }
            let size = right.z.iter().fold(1.0, |worst: f64, z| worst.max(z.abs()));
            assert!(x.z.iter().zip(&right.z).all(|(a, b)| (a - b).abs() <= 1e-7 * size), "{name} {round}");
        }
    }
    assert!(failures.is_empty(), "{} {failures:#?}", failures.len());
}

#[test]
fn contact_problems_with_nonnegative_gaps_are_solved() {
    let mut random = Pcg64::seed_from_u64(33);
    let [rlm, plm, path, alone] = solved_of_200(|_| {
        let contacts = random.random_range(1..=8);
        let coordinates = random.random_range(1..=12);
        random_contact_problem(&mut random, contacts, coordinates, 4)
    });
    // Friction is not monotone: the merit has local minima.
    assert!(rlm >= 190 && plm >= 190 && path == 200 && alone == 200);
}

#[test]
fn stacks_of_boxes_are_solved_up_to_a_mass_ratio_of_a_million() {
    let mut random = Pcg64::seed_from_u64(34);
    let mut count = [0; 3];
    let mut x = Solution::default();
    for boxes in [1, 2, 4] {
        for top in [1.0, 1e3, 1e6] {
            for perturbation in [0.0, 1e-9, 0.1] {
                let problem = box_stack(&mut random, boxes, 1e-3, top, perturbation);
                for (count, (name, mut solver)) in count.iter_mut().zip(methods::<Lcp>()) {
                    let report = solver.solve(&problem, Start::Cold, &mut x);
                    *count += usize::from(check(name, &problem, &report, &x));
                }
            }
        }
    }
    eprintln!("of 27 stacks solved by fb_rlm, fb_plm, path: {count:?}");
    assert!(count[0] >= 18 && count[1] >= 15 && count[2] == 27);
}

// Nonlinear problems.

/// Kojima and Shindo's four-variable problem.
struct KojimaShindo;

impl Smooth for KojimaShindo {
    fn dim(&self) -> usize {
        4
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        let [a, b, c, d] = [z[0], z[1], z[2], z[3]];
        f[0] = 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0;
        f[1] = 2.0 * a * a + b * b + a + 10.0 * c + 2.0 * d - 2.0;
        f[2] = 3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + 9.0 * d - 9.0;
        f[3] = a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        let (a, b) = (z[0], z[1]);
        jacobian.copy_from_slice(&[
            6.0 * a + 2.0 * b,
            2.0 * a + 4.0 * b,
            1.0,
            3.0,
            4.0 * a + 1.0,
            2.0 * b,
            10.0,
            2.0,
            6.0 * a + b,
            a + 4.0 * b,
            2.0,
            9.0,
            2.0 * a,
            6.0 * b,
            2.0,
            3.0,
        ]);
    }
}

/// The nonlinear example of the PATHSolver.jl manual, bounds [0, 10].
struct ManualExample;

impl Smooth for ManualExample {
    fn dim(&self) -> usize {
        4
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        let [a, b, c, d] = [z[0], z[1], z[2], z[3]];
        f[0] = -c * c - d + 2.0;
        f[1] = c * c * c - 2.0 * d * d + 2.0;
        f[2] = a.powi(5) - b + 2.0 * c - 2.0 * d - 2.0;
        f[3] = a + 2.0 * b.powi(3) - 2.0 * c + 4.0 * d - 6.0;
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        let [a, b, c, d] = [z[0], z[1], z[2], z[3]];
        let rows = [
            [0.0, 0.0, -2.0 * c, -1.0],
            [0.0, 0.0, 3.0 * c * c, -4.0 * d],
            [5.0 * a.powi(4), -1.0, 2.0, -2.0],
            [1.0, 6.0 * b * b, -2.0, 4.0],
        ];
        jacobian.copy_from_slice(rows.as_flattened());
    }
}

/// Solves from 100 random starts in the box; every answer must be one of those listed. Returns the counts of success of
/// the three methods.
fn from_random_starts<F: Smooth>(problem: &Mcp<F>, size: f64, answers: &[[f64; 4]]) -> [usize; 3] {
    let mut count = [0; 3];
    for (count, (name, mut solver)) in count.iter_mut().zip(methods::<Mcp<F>>()) {
        let mut random = Pcg64::seed_from_u64(41);
        for _ in 0..100 {
            let start = (0..4).map(|_| random.random_range(0.0..size)).collect();
            let mut x = Solution { z: start, w: vec![] };
            let report = solver.solve(problem, Start::Warm, &mut x);
            if check(name, problem, &report, &x) {
                *count += 1;
                let distance =
                    |y: &[f64; 4]| x.z.iter().zip(y).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
                // A degenerate answer is as far from the exact one as the root of its residual.
                let nearest = answers.iter().map(distance).fold(INF, f64::min);
                assert!(nearest <= 1e-5, "{name} {x:?}");
            }
        }
    }
    eprintln!("from 100 starts, size {size}: fb_rlm, fb_plm, path {count:?}");
    count
}

#[test]
fn kojima_and_shindos_problem_is_solved_from_a_hundred_starts() {
    let problem = Mcp::new(KojimaShindo, vec![0.0; 4], vec![INF; 4]).unwrap();
    let answers = [[1.5f64.sqrt(), 0.0, 0.0, 0.5], [1.0, 0.0, 3.0, 0.0]];
    for size in [2.0, 10.0] {
        assert_eq!(from_random_starts(&problem, size, &answers)[2], 100);
    }
}

#[test]
fn the_manuals_nonlinear_example_is_solved_from_a_hundred_starts() {
    let problem = Mcp::new(ManualExample, vec![0.0; 4], vec![10.0; 4]).unwrap();
    // Computed here by Newton's method on F = 0 from the published five digits.
    let mut root = [1.28475, 0.972916, 0.909376, 1.17304];
    let mut value = [0.0; 4];
    for _ in 0..20 {
        // A fixed-point correction with the Jacobian inverted by Gauss-Jordan elimination.
        let mut j = [0.0; 16];
        ManualExample.value(&root, &mut value);
        ManualExample.jacobian(&root, &mut j);
        let step = crate::common::solve_linear(4, j.to_vec(), value.to_vec()).unwrap();
        root.iter_mut().zip(&step).for_each(|(z, d)| *z -= d);
    }
    assert!(value.iter().all(|v| v.abs() < 1e-14));
    for size in [2.0, 10.0] {
        assert_eq!(from_random_starts(&problem, size, &[root])[2], 100);
    }
}

/// `log z - 1`, not defined for `z <= 0`.
struct Logarithm;

impl Smooth for Logarithm {
    fn dim(&self) -> usize {
        1
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        f[0] = z[0].ln() - 1.0;
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        jacobian[0] = if z[0] > 0.0 { 1.0 / z[0] } else { f64::NAN };
    }
}

#[test]
fn a_function_that_is_undefined_outside_its_domain_is_solved_inside() {
    // The full Newton step from z > e^2 leads to negative z; the box does not keep it out.
    // Zero, where a cold solve would begin, need not be in the domain either.
    for lower in [1e-3, 0.0, -INF] {
        let problem = Mcp::new(Logarithm, vec![lower], vec![INF]).unwrap();
        for start in [1e-3, 0.1, 1.0, 10.0, 1e3, 1e6] {
            for (name, mut solver) in methods() {
                let mut x = Solution { z: vec![start], w: vec![] };
                let report = solver.solve(&problem, Start::Warm, &mut x);
                assert!(check(name, &problem, &report, &x), "{name} {lower} {start} {report:?}");
                assert!((x.z[0] - 1f64.exp()).abs() < 1e-8, "{name} {lower} {start} {x:?}");
                let report = solver.solve(&problem, Start::Cold, &mut x);
                assert!(check(name, &problem, &report, &x), "{name} {lower} cold {report:?}");
            }
        }
    }
}

// The four-variable sample whose wrong answer (6, 0, 0, 0) a released solver once called solved.
const FOUR: [f64; 16] =
    [0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 1.0, -2.0, 1.0, -1.0, 2.0, -2.0, 1.0, 2.0, -2.0, 4.0];
const FOUR_Q: [f64; 4] = [2.0, 2.0, -2.0, -6.0];

#[test]
fn the_four_variable_sample_has_its_only_answer_from_every_start_and_in_every_unit() {
    let plain = Lcp::new(FOUR.to_vec(), FOUR_Q.to_vec()).unwrap();
    for (name, mut solver) in methods::<Lcp>() {
        let mut random = Pcg64::seed_from_u64(42);
        let mut right = |problem: &Lcp, start: Start, mut x: Solution| {
            let report = solver.solve(problem, start, &mut x);
            assert!(check(name, problem, &report, &x), "{name} {report:?}");
            assert!(
                x.z.iter().zip([2.8, 0.0, 0.8, 1.2]).all(|(a, b)| (a - b).abs() <= 1e-12),
                "{name} {x:?}"
            );
        };
        right(&plain, Start::Cold, Solution::default());
        for round in 0..100 {
            let size = 10f64.powi(round % 7 - 3);
            let z = uniform(&mut random, 4).iter().map(|v| size * v.abs()).collect();
            right(&plain, Start::Warm, Solution { z, w: vec![] });
            let scale: Vec<f64> = (0..4).map(|_| 10f64.powf(random.random_range(-6.0..6.0))).collect();
            let m = matrix(4, |i, j| scale[i] * FOUR[4 * i + j]);
            let q = (0..4).map(|i| scale[i] * FOUR_Q[i]).collect();
            right(&Lcp::new(m, q).unwrap(), Start::Cold, Solution::default());
        }
        for bits in 0..16u32 {
            let mut basis = ActiveSet::new(4);
            (0..4).for_each(|i| basis.set(i, (bits >> i) & 1 == 1));
            right(&plain, Start::Basis(&basis), Solution::default());
        }
    }
    let blocks = MlcpBlocks { a: &[2.0], c: &[], d: &[], b: &[], a_vector: &[-1.0], b_vector: &[] };
    let equation = Mlcp::new(&blocks).unwrap();
    for (name, mut solver) in methods::<Mlcp>() {
        let mut x = Solution::default();
        let report = solver.solve(&equation, Start::Cold, &mut x);
        assert!(check(name, &equation, &report, &x) && (x.z[0] - 0.5).abs() < 1e-15, "{name} {x:?}");
    }
}

#[test]
fn tiny_problems_end_with_the_right_answer_or_an_honest_failure() {
    type Case = (&'static [f64], &'static [f64], Option<&'static [f64]>);
    let cases: [Case; 7] = [
        (&[1.0], &[-9.8], Some(&[9.8])),
        (&[1.0], &[0.0], Some(&[0.0])),
        (&[0.0], &[1.0], Some(&[0.0])),
        (&[-1.0], &[1.0], Some(&[0.0, 1.0])),
        (&[0.0], &[-1.0], None),
        (&[-1.0], &[-1.0], None),
        (&[0.0, 1.0, -1.0, 0.0], &[-1.0, -1.0], None),
    ];
    for (m, q, answers) in cases {
        let problem = Lcp::new(m.to_vec(), q.to_vec()).unwrap();
        for (name, mut solver) in methods::<Lcp>() {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            let solved = check(name, &problem, &report, &x);
            assert_eq!(solved, answers.is_some(), "{name} {m:?} {q:?} {report:?}");
            if let Some(answers) = answers {
                assert!(answers.iter().any(|z| (x.z[0] - z).abs() <= 1e-14 * z.max(1.0)), "{name} {x:?}");
            } else if name == "path" {
                assert_eq!(report.status, Status::Ray, "{m:?} {q:?}");
            }
        }
    }
}

#[test]
fn redundant_corners_carry_the_whole_weight() {
    let m = [4.0, 1.0, 1.0, -2.0, 1.0, 4.0, -2.0, 1.0, 1.0, -2.0, 4.0, 1.0, -2.0, 1.0, 1.0, 4.0];
    let problem = Lcp::new(m.to_vec(), vec![-0.0981; 4]).unwrap();
    for (name, mut solver) in methods::<Lcp>() {
        let mut x = Solution::default();
        let report = solver.solve(&problem, Start::Cold, &mut x);
        assert!(check(name, &problem, &report, &x), "{name} {report:?}");
        assert!(x.w.iter().all(|w| w.abs() <= 1e-12), "{name} {x:?}");
        let [a, b, c, d] = [x.z[0], x.z[1], x.z[2], x.z[3]];
        assert!((a + b + c + d - 0.0981).abs() <= 1e-12, "{name} {x:?}");
        assert!((a + b - c - d).abs() <= 1e-12 && (a + c - b - d).abs() <= 1e-12, "{name} {x:?}");
    }
}

#[test]
fn whatever_the_data_solved_means_solved() {
    let mut random = Pcg64::seed_from_u64(43);
    let mut solvers = methods::<BoxLcp>();
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let (mut counts, mut of_linear) = ([0; 3], [0; 2]);
    let mut x = Solution::default();
    for round in 0..2000 {
        let n = random.random_range(1..=if round % 50 == 0 { 60 } else { 12 });
        let square = |random: &mut Pcg64, rank: usize| gram(n, rank, &uniform(random, n * rank));
        let mut problem = match round % 5 {
            0 => Lcp::new(square(&mut random, n), uniform(&mut random, n)).unwrap(),
            1 => {
                let rank = random.random_range(1..=n);
                Lcp::new(square(&mut random, rank), uniform(&mut random, n)).unwrap()
            }
            2 => {
                let (spd, skew) = (square(&mut random, n), uniform(&mut random, n * n));
                let m = matrix(n, |i, j| spd[i * n + j] + skew[i * n + j] - skew[j * n + i]);
                Lcp::new(m, uniform(&mut random, n)).unwrap()
            }
            3 => Lcp::new(uniform(&mut random, n * n), uniform(&mut random, n)).unwrap(),
            _ => random_contact_problem(&mut random, 1 + n / 8, 6, 4),
        };
        let n = problem.dim();
        let decades = |random: &mut Pcg64| 10f64.powf(random.random_range(-6.0..6.0));
        let rows: Vec<f64> = (0..n).map(|_| decades(&mut random)).collect();
        let columns: Vec<f64> = (0..n).map(|_| decades(&mut random)).collect();
        if round % 2 == 1 {
            for i in 0..n {
                (0..n).for_each(|j| problem.matrix_mut()[i * n + j] *= rows[i] * columns[j]);
                problem.q_mut()[i] *= rows[i];
            }
        }
        let linear = problem;
        let mut problem = BoxLcp::from(&linear);
        if round % 3 == 0 {
            for i in 0..n {
                let unit = if round % 2 == 1 { 1.0 / columns[i] } else { 1.0 };
                let [lower, upper] = match random.random_range(0..5) {
                    0 => [-INF, INF],
                    1 => [-unit, unit],
                    2 => [-INF, unit],
                    3 => [unit, unit],
                    _ => [0.0, INF],
                };
                problem.set_bounds(i, lower, upper).unwrap();
            }
        }
        for (count, (name, solver)) in counts.iter_mut().zip(&mut solvers) {
            let report = solver.solve(&problem, Start::Cold, &mut x);
            let solved = check(name, &problem, &report, &x);
            *count += usize::from(solved);
            of_linear[0] += usize::from(solved && *name == "path" && round % 3 != 0);
        }
        if round % 3 != 0 {
            of_linear[1] += usize::from(lemke.solve(&linear, Start::Cold, &mut x).status == Status::Solved);
        }
    }
    eprintln!("of 2000 random problems solved by fb_rlm, fb_plm, path: {counts:?}");
    eprintln!("of the linear ones among them by path, by Lemke's method: {of_linear:?}");
    assert!(counts[2] >= counts[0].max(counts[1]) && counts[0].min(counts[1]) > 1000);
}

// What every solver of this crate keeps.

#[test]
fn non_finite_data_are_a_numerical_failure_from_every_start() {
    for bad in [f64::NAN, INF, -INF] {
        for at in 0..6 {
            let mut problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
            if at < 4 {
                problem.matrix_mut()[at] = bad
            } else {
                problem.q_mut()[at - 4] = bad
            }
            let mut basis = ActiveSet::new(2);
            basis.set(1, true);
            for start in [Start::Cold, Start::Warm, Start::Basis(&basis)] {
                for (name, mut solver) in methods::<Lcp>() {
                    let mut x = Solution { z: vec![1.0; 2], w: vec![3.0; 2] };
                    let report = solver.solve(&problem, start, &mut x);
                    assert_eq!(report.status, Status::NumericalFailure, "{name} {bad} at {at}");
                    assert_eq!((x, report.residual), (Solution::new(2), Residual::INFINITE), "{name}");
                }
            }
        }
    }
}

#[test]
fn the_empty_problem_is_solved_and_bad_starts_are_ignored() {
    let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
    let mut basis = ActiveSet::new(7);
    basis.set(6, true);
    for (name, mut solver) in methods::<Lcp>() {
        let mut x = Solution::new(5);
        let report = solver.solve(&Lcp::empty(), Start::Cold, &mut x);
        assert_eq!(
            (report.status, report.iterations, &x),
            (Status::Solved, 0, &Solution::default()),
            "{name}"
        );
        let cold = solver.solve(&problem, Start::Cold, &mut x);
        let expected = x.clone();
        assert_eq!(solver.solve(&problem, Start::Basis(&basis), &mut x), cold, "{name}");
        for guess in [vec![f64::NAN; 2], vec![1.0; 9], vec![1e9; 2]] {
            let mut x = Solution { z: guess, w: vec![1.0; 5] };
            assert_eq!((solver.solve(&problem, Start::Warm, &mut x), &x), (cold, &expected), "{name}");
        }
    }
}

#[test]
fn an_answer_and_its_basis_are_good_starts_and_equal_calls_give_equal_bits() {
    let mut random = Pcg64::seed_from_u64(44);
    let mut path = Path::new(PathSettings::default()).unwrap();
    let mut plm = FbPlm::new(FbPlmSettings::default()).unwrap();
    for round in 0..50 {
        let problem = random_box(&mut random, 1 + round % 20, 1 + round % 20);
        let (mut x, mut y) = (Solution::default(), Solution::default());
        let cold = path.solve(&problem, Start::Cold, &mut x);
        assert_eq!(path.solve(&problem, Start::Cold, &mut y), cold);
        assert_eq!(x, y);
        let basis = path.active_set().clone();
        let again = path.solve(&problem, Start::Warm, &mut y);
        assert_eq!((again.status, again.iterations, again.pivots, &x), (Status::Solved, 0, 0, &y));
        let again = path.solve(&problem, Start::Basis(&basis), &mut y);
        assert!(again.status == Status::Solved && again.pivots == 0, "{round} {again:?}");
        let fresh = FbPlm::new(FbPlmSettings::default()).unwrap().solve(&problem, Start::Cold, &mut y);
        assert_eq!(plm.solve(&problem, Start::Cold, &mut x), fresh);
        assert_eq!(x, y);
    }
}

#[test]
fn the_papers_stopping_rule_reaches_its_merit_and_the_history_tells_the_way() {
    let problem = Lcp::new(FOUR.to_vec(), FOUR_Q.to_vec()).unwrap();
    let mut x = Solution::default();
    let mut rlm = FbRlm::new(FbRlmSettings { paper: true, history: true, ..Default::default() }).unwrap();
    let report = rlm.solve(&problem, Start::Cold, &mut x);
    assert!(check("fb_rlm", &problem, &report, &x) && report.residual.natural_map < 1e-14, "{report:?}");
    assert_eq!(rlm.history().last().unwrap().natural_map, report.residual.natural_map);
    assert!(rlm.history().len() <= report.iterations);
    let mut plm = FbPlm::new(FbPlmSettings { paper: true, history: true, ..Default::default() }).unwrap();
    let report = plm.solve(&problem, Start::Cold, &mut x);
    assert!(check("fb_plm", &problem, &report, &x) && report.residual.natural_map < 1e-14, "{report:?}");
    assert_eq!(plm.history().len(), report.iterations);
    let plain = PathSettings { history: true, crash_rounds: 0, ..Default::default() };
    let mut path = Path::new(plain).unwrap();
    let report = path.solve(&problem, Start::Cold, &mut x);
    assert!(check("path", &problem, &report, &x) && !path.history().is_empty(), "{report:?}");
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    for tolerance in [-1.0, 1.0, f64::NAN] {
        assert!(FbRlm::new(FbRlmSettings { tolerance, ..Default::default() }).is_err());
        assert!(FbPlm::new(FbPlmSettings { tolerance, ..Default::default() }).is_err());
        assert!(Path::new(PathSettings { tolerance, ..Default::default() }).is_err());
    }
    for lambda in [0.0, -1.0, f64::NAN, INF] {
        let error = FbRlm::new(FbRlmSettings { lambda, ..Default::default() }).unwrap_err();
        assert!(error.to_string().contains("lambda"), "{error}");
        assert!(FbPlm::new(FbPlmSettings { lambda, ..Default::default() }).is_err());
    }
}
