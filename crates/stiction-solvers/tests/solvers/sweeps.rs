//! Projected Gauss-Seidel, with and without subspace steps: right where others are right, honest where they fail.

use crate::common::{gram, matrix, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::samples::{Rng, frictionless, grasp, islands};
use stiction_solvers::{
    BoxLcp, FactoredLcp, Lcp, Lemke, LemkeSettings, Pgs, PgsSettings, PgsSm, PgsSmSettings, Problem,
    Solution, Solver, Start, Status,
};

const INF: f64 = f64::INFINITY;

fn pgs(max_iterations: usize) -> Pgs {
    Pgs::new(PgsSettings { max_iterations, ..Default::default() }).unwrap()
}

fn pgs_sm() -> PgsSm {
    PgsSm::new(PgsSmSettings::default()).unwrap()
}

/// A random positive definite matrix whose condition number is about `condition`.
fn positive_definite(random: &mut Pcg64, n: usize, condition: f64) -> Vec<f64> {
    let a = uniform(random, n * n);
    let mut m = gram(n, n, &a);
    for i in 0..n {
        let scale = condition.powf(0.5 * i as f64 / n as f64);
        (0..n).for_each(|j| m[i * n + j] *= scale);
        (0..n).for_each(|j| m[j * n + i] *= scale);
        m[i * n + i] += 0.1;
    }
    m
}

#[test]
fn both_find_the_box_solution_that_enumeration_of_all_bases_finds() {
    let mut random = Pcg64::seed_from_u64(1);
    for _ in 0..300 {
        let n = random.random_range(1..=4);
        let m = positive_definite(&mut random, n, 1.0);
        let q = uniform(&mut random, n);
        let bounds: Vec<[f64; 2]> = (0..n)
            .map(|i| match (i + random.random_range(0..3_usize)) % 3 {
                0 => [-INF, INF],
                1 => [0.0, INF],
                _ => [-0.2, 0.1],
            })
            .collect();
        let (lower, upper) = (bounds.iter().map(|b| b[0]).collect(), bounds.iter().map(|b| b[1]).collect());
        let problem = BoxLcp::new(m.clone(), q.clone(), lower, upper).unwrap();
        let exact = enumerate(&m, &q, &bounds);
        for solver in [&mut pgs(100_000) as &mut dyn Solver<BoxLcp>, &mut pgs_sm()] {
            let mut x = Solution::default();
            assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
            for (a, b) in x.z.iter().zip(&exact) {
                assert!((a - b).abs() < 1e-7, "{:?} {exact:?}", x.z);
            }
        }
    }
}

/// The solution by trying every assignment of indices to lower bound, upper bound and inside.
fn enumerate(m: &[f64], q: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let n = q.len();
    for code in 0..3_usize.pow(n as u32) {
        let place = |i: usize| code / 3_usize.pow(i as u32) % 3;
        if (0..n).any(|i| place(i) < 2 && bounds[i][place(i)].is_infinite()) {
            continue;
        }
        let mut a = nalgebra::DMatrix::<f64>::identity(n, n);
        let mut b = nalgebra::DVector::<f64>::zeros(n);
        for i in 0..n {
            if place(i) < 2 {
                b[i] = bounds[i][place(i)];
            } else {
                (0..n).for_each(|j| a[(i, j)] = m[i * n + j]);
                b[i] = -q[i];
            }
        }
        let Some(z) = a.lu().solve(&b) else { continue };
        let right = (0..n).all(|i| {
            let w = (0..n).map(|j| m[i * n + j] * z[j]).sum::<f64>() + q[i];
            match place(i) {
                0 => w >= -1e-12,
                1 => w <= 1e-12,
                _ => (bounds[i][0] - 1e-12..=bounds[i][1] + 1e-12).contains(&z[i]),
            }
        });
        if right {
            return z.iter().copied().collect();
        }
    }
    panic!("a positive definite problem has a solution");
}

#[test]
fn subspace_steps_solve_redundant_contacts_as_lemke_does_and_factored_ones_alike() {
    let mut random = Pcg64::seed_from_u64(2);
    for _ in 0..200 {
        let (n, m) = (random.random_range(2..40), random.random_range(1..12));
        let y = uniform(&mut random, n * m);
        let velocity = uniform(&mut random, m);
        let q: Vec<f64> = (0..n).map(|i| (0..m).map(|k| y[i * m + k] * velocity[k]).sum::<f64>()).collect();
        let dense = Lcp::new(gram(n, m, &y), q.clone()).unwrap();
        let factored = FactoredLcp::from_half(m, y, q).unwrap();
        let (mut a, mut b, mut c) = (Solution::default(), Solution::default(), Solution::default());
        let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
        assert_eq!(lemke.solve(&dense, Start::Cold, &mut a).status, Status::Solved);
        assert_eq!(pgs_sm().solve(&dense, Start::Cold, &mut b).status, Status::Solved);
        assert_eq!(pgs_sm().solve(&factored, Start::Cold, &mut c).status, Status::Solved);
        // w is unique, z is not.
        for i in 0..n {
            assert!((a.w[i] - b.w[i]).abs() < 1e-8 && (a.w[i] - c.w[i]).abs() < 1e-8);
        }
    }
}

#[test]
fn conjugate_gradients_and_factorization_lead_to_the_same_answer() {
    let mut random = Pcg64::seed_from_u64(3);
    let n = 120;
    let m = positive_definite(&mut random, n, 1e4);
    let q = uniform(&mut random, n);
    let problem = Lcp::new(m, q).unwrap();
    let (mut a, mut b) = (Solution::default(), Solution::default());
    let mut by_gradients = PgsSm::new(PgsSmSettings { largest_dense: 0, ..Default::default() }).unwrap();
    assert_eq!(pgs_sm().solve(&problem, Start::Cold, &mut a).status, Status::Solved);
    assert_eq!(by_gradients.solve(&problem, Start::Cold, &mut b).status, Status::Solved);
    for i in 0..n {
        assert!((a.w[i] - b.w[i]).abs() < 1e-9);
    }
}

#[test]
fn what_is_called_solved_has_passed_on_the_original_data_whatever_the_units() {
    let mut random = Pcg64::seed_from_u64(4);
    let (mut solved, mut tried) = (0, 0);
    for _ in 0..2_000 {
        let n = random.random_range(1..24);
        let unit = 10.0_f64.powi(random.random_range(-6..=6));
        let m = match random.random_range(0..3) {
            0 => positive_definite(&mut random, n, 1e3),
            1 => gram(n, n.div_ceil(3), &uniform(&mut random, n * n.div_ceil(3))),
            // Not symmetric: not for these methods, who must say so.
            _ => matrix(n, |i, j| if i == j { 1.0 } else { 0.3 * (i as f64 - j as f64) }),
        };
        let m = m.into_iter().map(|v| v * unit).collect();
        let q = uniform(&mut random, n);
        let [lower, upper] = [vec![-0.5 / unit; n], vec![0.5 / unit; n]];
        let problem = BoxLcp::new(m, q, lower, upper).unwrap();
        for solver in [&mut pgs(500) as &mut dyn Solver<BoxLcp>, &mut pgs_sm()] {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            let residual = problem.residual(&x);
            assert!(x.z.len() == n && x.z.iter().all(|z| z.is_finite()));
            assert_eq!(residual, report.residual);
            if report.status == Status::Solved {
                assert!(residual.certifies(1e-10, problem.residual_floor(&x)));
                solved += 1;
            }
            tried += 1;
        }
    }
    assert!(solved > tried / 2, "{solved} of {tried}");
}

#[test]
fn every_friction_box_problem_of_a_grasp_is_solved_in_a_few_cycles() {
    let mut rng = Rng::new(5);
    let mut cycles = Vec::new();
    for contacts in 4..=12 {
        for k in 0..50 {
            let problem = grasp::friction_boxes(&mut rng, [3, 5][k % 2], contacts).unwrap();
            let mut x = Solution::default();
            let report = pgs_sm().solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved, "{contacts} contacts: {report:?}");
            cycles.push(report.iterations);
        }
    }
    cycles.sort_unstable();
    assert!(cycles[cycles.len() / 2] <= 4, "median {}", cycles[cycles.len() / 2]);
}

/// Whose matrix has a condition number of a million, or a kernel of a quarter of its unknowns.
#[test]
fn long_columns_and_towers_without_friction_take_few_cycles_and_end_at_the_known_answer() {
    for (bodies, ratio) in [(2_000, 1.0), (2_000, 100.0), (1, 1.0), (2, 1e6)] {
        let column = frictionless::Column::new(&mut Rng::new(6), bodies, ratio);
        let mut x = Solution::default();
        let report = pgs_sm().solve(&column.problem().unwrap(), Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "{bodies} {ratio}: {report:?}");
        assert!(report.iterations <= 60, "{bodies} {ratio}: {report:?}");
        let error = x.w.iter().zip(column.answer()).fold(0.0, |e: f64, (w, right)| e.max((w - right).abs()));
        assert!(error <= 1e-8, "{bodies} {ratio}: {error}");
    }
    for seed in 0..5 {
        let tower = islands::stack(&mut Rng::new(seed), 200, 100.0, 0.0);
        let mut x = Solution::default();
        let report = pgs_sm().solve(&frictionless::normals(&tower).unwrap(), Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "{seed}: {report:?}");
        assert!(report.iterations <= 60, "{seed}: {report:?}");
    }
}

#[test]
fn a_sparse_problem_by_its_own_factor_and_by_gradients_has_one_answer() {
    // Contacts of 30 bodies in random pairs: no long axis, so that conjugate gradients are chosen; and a ring of them.
    for ring in [false, true] {
        let mut random = Pcg64::seed_from_u64(7);
        let (n, m) = (60, 90);
        let mut half = vec![0.0; n * m];
        for (i, row) in half.chunks_exact_mut(m).enumerate() {
            for body in [i / 2, if ring { (i / 2 + 1) % 30 } else { random.random_range(0..30) }] {
                row[3 * body..3 * body + 3].fill_with(|| random.random_range(-1.0..1.0));
            }
        }
        let q = uniform(&mut random, n);
        let dense = Lcp::new(gram(n, m, &half), q.clone()).unwrap();
        let factored = FactoredLcp::from_half(m, half, q).unwrap();
        let mut by_gradients = PgsSm::new(PgsSmSettings { largest_dense: 0, ..Default::default() }).unwrap();
        let (mut a, mut b) = (Solution::default(), Solution::default());
        assert_eq!(pgs_sm().solve(&dense, Start::Cold, &mut a).status, Status::Solved);
        assert_eq!(by_gradients.solve(&factored, Start::Cold, &mut b).status, Status::Solved);
        assert!(a.w.iter().zip(&b.w).all(|(a, b)| (a - b).abs() < 1e-8), "{ring}");
    }
}

#[test]
fn a_start_from_the_answer_takes_no_iteration_and_bad_data_no_answer() {
    let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
    let mut broken = problem.clone();
    broken.q_mut()[1] = f64::NAN;
    for solver in [&mut pgs(1_000) as &mut dyn Solver<Lcp>, &mut pgs_sm()] {
        let mut x = Solution::default();
        assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
        let again = solver.solve(&problem, Start::Warm, &mut x);
        assert_eq!((again.status, again.iterations), (Status::Solved, 0));
        assert_eq!(solver.solve(&broken, Start::Warm, &mut x).status, Status::NumericalFailure);
        assert_eq!(x.z, [0.0, 0.0]);
        assert_eq!(solver.solve(&Lcp::empty(), Start::Cold, &mut x).status, Status::Solved);
        assert!(x.z.is_empty());
    }
}

#[test]
fn the_public_box_problems_are_solved() {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return;
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join("lcp/blcp_suite.json")).unwrap();
    let suite: serde_json::Value = serde_json::from_str(&text).unwrap();
    let list = |v: &serde_json::Value, none: f64| -> Vec<f64> {
        v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(none)).collect()
    };
    for p in suite["problems"].as_array().unwrap() {
        let a = p["A"].as_array().unwrap().iter().flat_map(|row| list(row, 0.0)).collect();
        let q = list(&p["b"], 0.0).iter().map(|b| -b).collect();
        let problem = BoxLcp::new(a, q, list(&p["lo"], -INF), list(&p["hi"], INF)).unwrap();
        let mut x = Solution::default();
        let report = pgs_sm().solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "{}: {report:?}", p["name"]);
        let slow = pgs(200_000).solve(&problem, Start::Cold, &mut x);
        println!(
            "{}: pgs-sm {} cycles, pgs {} sweeps {:?}",
            p["name"], report.iterations, slow.iterations, slow.status
        );
    }
}
