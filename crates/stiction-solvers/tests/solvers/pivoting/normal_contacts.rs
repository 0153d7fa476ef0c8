//! Normal contacts in factored form: the two methods that never form the matrix, against each other, against those that
//! do, and against theorems.

use crate::common::{gram, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    ActiveSet, ActiveSetQp, ActiveSetQpSettings, Dantzig, DantzigSettings, FactoredLcp, Lcp, Lemke,
    LemkeSettings, Ppm, PpmSettings, Problem, QuadraticBlocks, QuadraticProgram, Report, Residual, Solution,
    Solver, Start, Status,
};

/// Both methods, by name.
fn methods() -> [(&'static str, Box<dyn Method>); 2] {
    let qp = ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap();
    [("ppm", Box::new(Ppm::new(PpmSettings::default()).unwrap())), ("active_set_qp", Box::new(qp))]
}

trait Method: Solver<FactoredLcp> {
    fn set(&self) -> &ActiveSet;
    fn proof(&self) -> &[f64];
}

impl Method for Ppm {
    fn set(&self) -> &ActiveSet {
        self.active_set()
    }

    fn proof(&self) -> &[f64] {
        self.certificate()
    }
}

impl Method for ActiveSetQp {
    fn set(&self) -> &ActiveSet {
        self.active_set()
    }

    fn proof(&self) -> &[f64] {
        self.certificate()
    }
}

/// `n` contacts of `m` velocities whose rows span `rank` of them, with an admissible velocity; a third touch it.
fn contacts(random: &mut Pcg64, n: usize, m: usize, rank: usize) -> FactoredLcp {
    let directions = uniform(random, rank * m);
    let weights = uniform(random, n * rank);
    let half: Vec<f64> = (0..n * m)
        .map(|at| (0..rank).map(|k| weights[at / m * rank + k] * directions[k * m + at % m]).sum())
        .collect();
    let admissible = uniform(random, m);
    let q = (0..n)
        .map(|i| {
            let speed: f64 = (0..m).map(|k| half[i * m + k] * admissible[k]).sum();
            random.random_range(-0.5..1.0f64).max(0.0) - speed
        })
        .collect();
    FactoredLcp::from_half(m, half, q).unwrap()
}

fn dense(problem: &FactoredLcp) -> Lcp {
    Lcp::new(gram(problem.dim(), problem.columns(), problem.half()), problem.q().to_vec()).unwrap()
}

#[test]
fn no_more_impulses_are_positive_than_the_rank_and_w_is_that_of_lemke_and_dantzig() {
    let mut random = Pcg64::seed_from_u64(51);
    let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
    let mut dantzig = Dantzig::new(DantzigSettings::default()).unwrap();
    for round in 0..400 {
        let (n, m) = (random.random_range(1..50), random.random_range(1..13));
        let rank = random.random_range(1..=m);
        let problem = contacts(&mut random, n, m, rank);
        let full = dense(&problem);
        let mut known = Solution::default();
        assert_eq!(lemke.solve(&full, Start::Cold, &mut known).status, Status::Solved, "round {round}");
        let mut also = Solution::default();
        assert_eq!(dantzig.solve(&full, Start::Cold, &mut also).status, Status::Solved, "round {round}");
        for (name, mut method) in methods() {
            let mut x = Solution::default();
            let report = method.solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved, "{name} round {round}: {report:?}");
            assert_eq!(report.residual, problem.residual(&x));
            assert!(x.z.iter().filter(|&&z| z > 0.0).count() <= rank.min(n), "{name} round {round}");
            for other in [&known, &also] {
                let close = x.w.iter().zip(&other.w).all(|(a, b)| (a - b).abs() < 1e-8);
                assert!(close, "{name} round {round}: {:?} {:?}", x.w, other.w);
            }
            let basis = method.set().clone();
            for start in [Start::Warm, Start::Basis(&basis)] {
                let answer = x.w.clone();
                let again = method.solve(&problem, start, &mut x);
                assert_eq!((again.status, again.iterations, again.pivots), (Status::Solved, 0, 0), "{name}");
                assert!(x.w.iter().zip(&answer).all(|(a, b)| (a - b).abs() < 1e-10));
            }
        }
    }
}

#[test]
fn rows_that_contradict_each_other_are_infeasible_and_the_multipliers_prove_it() {
    let mut random = Pcg64::seed_from_u64(52);
    for round in 0..400 {
        let (n, m) = (random.random_range(2..40), random.random_range(1..13));
        let problem = contacts(&mut random, n, m, m);
        let mut half = problem.half().to_vec();
        let mut q = problem.q().to_vec();
        // One more row against a positive combination of some others.
        let weights: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0f64).max(0.0)).collect();
        half.extend((0..m).map(|k| -(0..n).map(|i| weights[i] * problem.row(i)[k]).sum::<f64>()));
        let sum: f64 = weights.iter().zip(&q).map(|(l, q)| l * q).sum();
        q.push(-sum - 0.1);
        let problem = FactoredLcp::from_half(m, half, q).unwrap();
        for (name, mut method) in methods() {
            let mut x = Solution::default();
            let report = method.solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Infeasible, "{name} round {round}: {report:?}");
            assert!(x.z.len() == n + 1 && report.residual == problem.residual(&x));
            let proof = method.proof();
            let (mut s, mut p) = (vec![0.0; m], 0.0);
            problem.push(proof, &mut s);
            proof.iter().zip(problem.q()).for_each(|(l, q)| p += l * q);
            let size = proof.iter().fold(0.0, |size: f64, l| size.max(*l));
            assert!(proof.iter().all(|&l| l >= 0.0) && p < -1e-4 * size, "{name} {p} {size}");
            // An admissible p of (s . p) >= -q . l would be that far away.
            assert!(s.iter().all(|s| s.abs() <= 1e-8 * -p), "{name} round {round}: {s:?} {p}");
        }
    }
}

#[test]
fn a_box_on_any_number_of_equal_corners_is_carried_by_three_of_them_at_most() {
    // Rows of a plate's heave, roll and pitch; every corner many times over.
    for copies in [1, 3, 50] {
        let corners = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]];
        let half: Vec<f64> = (0..copies).flat_map(|_| corners.concat()).collect();
        let problem = FactoredLcp::from_half(3, half, vec![-9.81; 4 * copies]).unwrap();
        for (name, mut method) in methods() {
            let mut x = Solution::default();
            let report = method.solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved, "{name} {report:?}");
            assert!(x.w.iter().all(|w| w.abs() < 1e-14), "{name} {:?}", x.w);
            assert!((x.z.iter().sum::<f64>() - 9.81).abs() < 1e-14);
            assert!(x.z.iter().filter(|&&z| z > 0.0).count() <= 3);
        }
    }
}

#[test]
fn tiny_and_broken_problems_have_an_honest_status_and_a_vector_of_the_right_size() {
    for (name, mut method) in methods() {
        let mut x = Solution { z: vec![f64::NAN; 7], w: vec![1.0; 2] };
        let empty = FactoredLcp::from_half(0, vec![], vec![]).unwrap();
        assert_eq!(method.solve(&empty, Start::Warm, &mut x).status, Status::Solved, "{name}");
        assert_eq!(x, Solution::new(0));
        let case = |half: &[f64], q: f64| FactoredLcp::from_half(half.len(), half.to_vec(), vec![q]).unwrap();
        for (half, q, status, z) in [
            (&[2.0][..], -9.8, Status::Solved, 2.45),
            (&[1.0], 0.0, Status::Solved, 0.0),
            (&[0.0], 1.0, Status::Solved, 0.0),
            (&[0.0], -1.0, Status::Infeasible, 0.0),
            (&[], -1.0, Status::Infeasible, 0.0),
            (&[], 1.0, Status::Solved, 0.0),
        ] {
            let mut x = Solution { z: vec![f64::NAN], w: vec![] };
            let report = method.solve(&case(half, q), Start::Warm, &mut x);
            assert_eq!((report.status, x.z[0]), (status, z), "{name} {half:?} {q}");
        }
        let mut problem = case(&[1.0], -1.0);
        problem.refill(1, 1, |half, q| (half[0], q[0]) = (1.0, f64::NAN));
        let report = method.solve(&problem, Start::Cold, &mut x);
        assert_eq!((report.status, report.residual), (Status::NumericalFailure, Residual::INFINITE));
        assert_eq!(x, Solution::new(1));
    }
}

/// `min 1/2 v^T G v + g^T v` with random rows that a random point satisfies.
struct Program {
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    equalities: Vec<f64>,
    equality_constants: Vec<f64>,
    inequalities: Vec<f64>,
    inequality_constants: Vec<f64>,
}

impl Program {
    fn random(random: &mut Pcg64, m: usize, k: usize, n: usize) -> Program {
        let mut hessian = gram(m, m, &uniform(random, m * m));
        (0..m).for_each(|i| hessian[i * m + i] += 0.1);
        let point = uniform(random, m);
        let at = |row: &[f64]| row.iter().zip(&point).map(|(a, v)| a * v).sum::<f64>();
        let mut equalities = uniform(random, k * m);
        // Every other equality repeats the sum of those before.
        for i in (1..k).step_by(2) {
            for j in 0..m {
                equalities[i * m + j] = (0..i).map(|e| equalities[e * m + j]).sum();
            }
        }
        let inequalities = uniform(random, n * m);
        let equality_constants = equalities.chunks_exact(m).map(|row| -at(row)).collect();
        let inequality_constants = inequalities
            .chunks_exact(m)
            .map(|row| random.random_range(-0.5..1.0f64).max(0.0) - at(row))
            .collect();
        let gradient = uniform(random, m).iter().map(|g| 5.0 * g).collect();
        Program { hessian, gradient, equalities, equality_constants, inequalities, inequality_constants }
    }

    fn blocks(&self) -> QuadraticBlocks<'_> {
        QuadraticBlocks {
            hessian: &self.hessian,
            gradient: &self.gradient,
            equalities: &self.equalities,
            equality_constants: &self.equality_constants,
            inequalities: &self.inequalities,
            inequality_constants: &self.inequality_constants,
        }
    }
}

fn minimize(program: &QuadraticProgram, x: &mut Solution) -> (Report, Vec<f64>) {
    let report = ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap().solve(program, Start::Cold, x);
    let mut v = Vec::new();
    program.point(&x.z, &mut v);
    (report, v)
}

#[test]
fn the_least_point_meets_the_conditions_of_karush_kuhn_and_tucker_with_redundant_equalities_or_without() {
    let mut random = Pcg64::seed_from_u64(53);
    for round in 0..500 {
        let m = random.random_range(1..15);
        let (k, n) = (random.random_range(0..=m / 2), random.random_range(0..30));
        let data = Program::random(&mut random, m, k, n);
        let program = QuadraticProgram::new(&data.blocks()).unwrap();
        let mut x = Solution::default();
        let (report, v) = minimize(&program, &mut x);
        assert_eq!(report.status, Status::Solved, "round {round} {m} {k} {n} {report:?}");
        assert_eq!(report.residual, program.residual(&x));
        let mut solver = ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap();
        let mut again = Solution::default();
        let _ = solver.solve(&program, Start::Cold, &mut again);
        let basis = solver.active_set().clone();
        for start in [Start::Warm, Start::Basis(&basis)] {
            let report = solver.solve(&program, start, &mut again);
            assert_eq!(
                (report.status, report.iterations, report.pivots),
                (Status::Solved, 0, 0),
                "round {round}"
            );
        }
        let rows = [&data.equalities[..], &data.inequalities].concat();
        let constants = [&data.equality_constants[..], &data.inequality_constants].concat();
        for i in 0..m {
            let force: f64 = (0..k + n).map(|r| rows[r * m + i] * x.z[r]).sum();
            let slope: f64 = (0..m).map(|j| data.hessian[i * m + j] * v[j]).sum::<f64>() + data.gradient[i];
            let size = 1.0 + x.z.iter().map(|z| z.abs()).sum::<f64>();
            assert!((slope - force).abs() < 1e-11 * size, "round {round} {slope} {force}");
        }
        let size = 1.0 + v.iter().map(|v| v.abs()).sum::<f64>();
        for r in 0..k + n {
            let value = (0..m).map(|j| rows[r * m + j] * v[j]).sum::<f64>() + constants[r];
            assert!(
                value > -1e-9 * size && (r >= k || value < 1e-9 * size),
                "round {round} row {r} {value:e}"
            );
            assert!(r < k || (x.z[r] >= 0.0 && (x.z[r] == 0.0 || value < 1e-9 * size)));
        }
    }
}

#[test]
fn equalities_that_contradict_each_other_or_an_inequality_are_infeasible() {
    let program = |equality_constants: &[f64], inequality: &[f64]| {
        QuadraticProgram::new(&QuadraticBlocks {
            hessian: &[1.0, 0.0, 0.0, 1.0],
            gradient: &[0.0, 0.0],
            equalities: &[1.0, 2.0, 2.0, 4.0],
            equality_constants,
            inequalities: inequality,
            inequality_constants: &[-1.0],
        })
        .unwrap()
    };
    let mut x = Solution::default();
    let (report, v) = minimize(&program(&[-1.0, -2.0], &[1.0, 0.0]), &mut x);
    assert_eq!(report.status, Status::Solved);
    assert!((v[0] - 1.0).abs() < 1e-14 && v[1].abs() < 1e-14, "{v:?}");
    assert_eq!(minimize(&program(&[-1.0, -3.0], &[1.0, 0.0]), &mut x).0.status, Status::Infeasible);
    assert_eq!(minimize(&program(&[1.0, 2.0], &[1.0, 2.0]), &mut x).0.status, Status::Infeasible);
    assert_eq!(x.z.len(), 3);
}

#[test]
fn equal_calls_give_equal_bits_whatever_was_solved_before() {
    let mut random = Pcg64::seed_from_u64(54);
    let problem = contacts(&mut random, 40, 10, 7);
    let other = contacts(&mut random, 60, 6, 6);
    for ((name, mut fresh), (_, mut used)) in methods().into_iter().zip(methods()) {
        let (mut x, mut y) = (Solution::default(), Solution::default());
        let report = fresh.solve(&problem, Start::Cold, &mut x);
        let _ = used.solve(&other, Start::Cold, &mut y);
        assert_eq!(used.solve(&problem, Start::Cold, &mut y), report, "{name}");
        assert!(x.z.iter().zip(&y.z).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
    }
    let full = dense(&problem);
    let mut used = Dantzig::new(DantzigSettings::default()).unwrap();
    let (mut x, mut y) = (Solution::default(), Solution::default());
    let report = used.solve(&full, Start::Cold, &mut x);
    let _ = used.solve(&dense(&other), Start::Cold, &mut y);
    assert_eq!((used.solve(&full, Start::Cold, &mut y), &x), (report, &y));
}

#[test]
fn the_history_has_the_natural_map_of_every_iteration() {
    let problem = contacts(&mut Pcg64::seed_from_u64(55), 40, 10, 10);
    let mut x = Solution::default();
    let mut ppm = Ppm::new(PpmSettings { history: true, ..PpmSettings::default() }).unwrap();
    let report = ppm.solve(&problem, Start::Cold, &mut x);
    assert_eq!(ppm.history().len(), report.iterations + 1);
    let mut qp = ActiveSetQp::new(ActiveSetQpSettings { history: true, ..Default::default() }).unwrap();
    let report = qp.solve(&problem, Start::Cold, &mut x);
    assert_eq!(qp.history().len(), report.iterations + 1);
    for history in [ppm.history(), qp.history()] {
        assert!(history[0].natural_map > 1e-3 && history.last().unwrap().natural_map < 1e-12, "{history:?}");
    }
    assert!(Ppm::new(PpmSettings { tolerance: -1.0, ..Default::default() }).is_err());
    assert!(ActiveSetQp::new(ActiveSetQpSettings { tolerance: f64::NAN, ..Default::default() }).is_err());
}
