//! The chain of cone solvers and its parts: closed forms, every kind of block, agreement, limits.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::cones::chain::Stage;
use stiction_solvers::samples::{Form, Rng, islands, large, random};
use stiction_solvers::{
    Chain, ChainSettings, Cone, ConeInteriorPoint, ConeInteriorPointSettings, ConeNcp, ConeScratch, Delassus,
    FrictionLaw, Newton, NewtonSettings, Ppn, PpnSettings, Problem, Report, Solution, Solver, Start, Status,
};

fn chain(tolerance: f64) -> Chain {
    Chain::new(ChainSettings { tolerance, target: tolerance, ..Default::default() }).unwrap()
}

fn solve(problem: &ConeNcp, tolerance: f64) -> (Report, Solution) {
    let mut x = Solution::default();
    let report = chain(tolerance).solve(problem, Start::Cold, &mut x);
    (report, x)
}

fn close(found: &[f64], exact: &[f64], error: f64) {
    assert_eq!(found.len(), exact.len());
    for (a, b) in found.iter().zip(exact) {
        assert!((a - b).abs() <= error, "{found:?} is not {exact:?}");
    }
}

/// The two problems of jiminy issue 456.
fn sliding() -> [(ConeNcp, [f64; 3], [f64; 3]); 2] {
    let mut identity = vec![0.0; 9];
    (0..3).for_each(|i| identity[4 * i] = 1.0);
    let coupled = vec![2.0, 0.3, 0.4, 0.3, 1.5, -0.2, 0.4, -0.2, 1.0];
    [
        (
            ConeNcp::contacts(3, identity, vec![-10.0, -3.0, -4.0], &[0.3]).unwrap(),
            [10.0, 1.8, 2.4],
            [0.0, -1.2, -1.6],
        ),
        (
            ConeNcp::contacts(3, coupled, vec![-1.0, 2.0, -0.7], &[0.3]).unwrap(),
            [0.5159012088, -0.1510402933, 0.0337741758],
            [0.0, 1.9214550875, -0.4296572820],
        ),
    ]
}

#[test]
fn one_sliding_contact_is_solved_as_by_hand_by_every_newton_method() {
    for (problem, impulse, velocity) in sliding() {
        let mut newton = Newton::new(NewtonSettings::default()).unwrap();
        let mut ppn = Ppn::new(PpnSettings::default()).unwrap();
        let mut chain = chain(1e-12);
        let solvers: [&mut dyn Solver<ConeNcp>; 3] = [&mut newton, &mut ppn, &mut chain];
        for solver in solvers {
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved);
            close(&x.z, &impulse, 1e-9);
            close(&x.w, &velocity, 1e-9);
        }
        // The interior point is no method for the last digits where a contact slides.
        let settings = ConeInteriorPointSettings { tolerance: 1e-6, ..Default::default() };
        let mut x = Solution::default();
        let _ = ConeInteriorPoint::new(settings).unwrap().solve(&problem, Start::Cold, &mut x);
        close(&x.z, &impulse, 1e-5);
    }
}

#[test]
fn the_convex_law_opens_a_sliding_contact_with_mu_times_its_speed() {
    for (problem, ..) in sliding() {
        let (report, x) = solve(&problem.with_law(FrictionLaw::Associated), 1e-12);
        assert_eq!(report.status, Status::Solved);
        let speed = x.w[1].hypot(x.w[2]);
        assert!(x.z[0] > 0.0 && speed > 0.1);
        assert!((x.w[0] - 0.3 * speed).abs() < 1e-10, "{:?}", x.w);
    }
}

#[test]
fn open_and_sticking_contacts_are_found_at_once() {
    let identity = |n: usize| (0..n * n).map(|k| if k % (n + 1) == 0 { 2.0 } else { 0.0 }).collect();
    let q = vec![1.0, 5.0, -3.0, -1.0, 0.2, 0.1];
    let problem = ConeNcp::contacts(3, identity(6), q, &[0.5, 0.5]).unwrap();
    let (report, x) = solve(&problem, 1e-12);
    assert_eq!(report.status, Status::Solved);
    close(&x.z, &[0.0, 0.0, 0.0, 0.5, -0.1, -0.05], 1e-12);
    close(&x.w, &[1.0, 5.0, -3.0, 0.0, 0.0, 0.0], 1e-12);
    // A plane problem with the same numbers.
    let problem = ConeNcp::contacts(2, identity(2), vec![-1.0, 4.0], &[0.5]).unwrap();
    let (report, x) = solve(&problem, 1e-12);
    assert_eq!(report.status, Status::Solved);
    close(&x.z, &[0.5, -0.25], 1e-12);
    close(&x.w, &[0.0, 3.5], 1e-12);
}

#[test]
fn every_kind_of_block_in_one_problem_meets_its_own_law() {
    let mut opened = 0;
    for seed in 0..300 {
        let sample = random::mixed(seed, random::Range::USUAL);
        let problem = sample.system.problem(Form::Dense).unwrap();
        let (report, x) = solve(&problem, 1e-9);
        assert_eq!(report.status, Status::Solved, "{}: {report:?}", sample.name);
        let certificate = problem.certificate(&x.z, &x.w);
        let size = x.z.iter().chain(&x.w).chain(problem.q()).fold(1.0_f64, |m, v| m.max(v.abs()));
        assert!(certificate.approach <= 1e-6 * size && certificate.pull <= 1e-6 * size, "{certificate:?}");
        opened += usize::from(x.w.iter().any(|u| *u > 1e-3));
    }
    assert!(opened > 50, "{opened}");
}

/// A problem of contacts without slip that has a solution: some press with any impulses, the others open.
fn without_slip(problem: &ConeNcp, random: &mut Pcg64) -> ConeNcp {
    let n = problem.dim();
    let (mut impulse, mut velocity) = (vec![0.0; n], vec![0.0; n]);
    for i in (0..n).step_by(3) {
        if random.random_range(0.0..1.0) < 0.7 {
            impulse[i] = random.random_range(0.1..1.0);
            impulse[i + 1] = random.random_range(-2.0..2.0);
            impulse[i + 2] = random.random_range(-2.0..2.0);
        } else {
            velocity[i] = random.random_range(0.1..1.0);
        }
    }
    let cones = vec![Cone::NoSlip { dim: 3 }; n / 3];
    let zero = ConeNcp::new(cones.clone(), problem.delassus().clone(), vec![0.0; n]).unwrap();
    let mut moved = vec![0.0; n];
    zero.eval(&impulse, &mut moved);
    let q = velocity.iter().zip(&moved).map(|(u, w)| u - w).collect();
    ConeNcp::new(cones, problem.delassus().clone(), q).unwrap()
}

#[test]
fn contacts_without_slip_hold_while_they_press_and_carry_nothing_else() {
    let mut random = Pcg64::seed_from_u64(17);
    let (mut held, mut open, mut solved, mut total) = (0, 0, 0, 0);
    for family in [islands::Family::Box, islands::Family::StackFriction, islands::Family::Grasp] {
        for sample in family.samples(3).iter().step_by(2) {
            let problem = without_slip(&sample.system.problem(Form::Dense).unwrap(), &mut random);
            let settings = ChainSettings { tolerance: 1e-9, max_factorizations: 1000, ..Default::default() };
            let mut x = Solution::default();
            let report = Chain::new(settings).unwrap().solve(&problem, Start::Cold, &mut x);
            total += 1;
            if report.status != Status::Solved {
                continue;
            }
            solved += 1;
            let speed = problem.q().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let impulse = x.z.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            for (r, u) in x.z.chunks_exact(3).zip(x.w.chunks_exact(3)) {
                if r[0] > 1e-8 * impulse {
                    held += 1;
                    assert!(u.iter().all(|u| u.abs() <= 1e-6 * speed), "{}: {r:?} {u:?}", sample.name);
                } else {
                    open += 1;
                    assert!(u[0] >= -1e-6 * speed, "{}: {r:?} {u:?}", sample.name);
                }
            }
        }
    }
    assert!(solved * 100 >= total * 99, "{solved} of {total} solved");
    assert!(held > 500 && open > 200, "{held} {open}");
}

#[test]
fn all_forms_of_the_operator_give_the_same_velocities_where_these_are_unique() {
    let mut rng = Rng::new(5);
    for _ in 0..40 {
        let ratio = 1e2;
        let system = islands::stack(&mut rng, 6, ratio, 0.5);
        let mut velocities = Vec::new();
        for form in Form::ALL {
            // Compliance makes the operator positive definite.
            let problem = system.problem(form).unwrap();
            let soft = vec![1e-2; problem.dim()];
            let problem = problem.with_compliance(soft).unwrap();
            let (report, x) = solve(&problem, 1e-12);
            assert_eq!(report.status, Status::Solved);
            velocities.push(x.w);
        }
        close(&velocities[0], &velocities[1], 1e-9);
        close(&velocities[0], &velocities[2], 1e-9);
    }
}

#[test]
fn a_carried_answer_costs_nothing_and_a_worse_one_than_none_is_dropped() {
    let problem = islands::stack(&mut Rng::new(1), 4, 10.0, 0.6).problem(Form::Dense).unwrap();
    let mut solver = chain(1e-10);
    let mut x = Solution::default();
    let cold = solver.solve(&problem, Start::Cold, &mut x);
    assert!(cold.pivots > 0);
    let warm = solver.solve(&problem, Start::Warm, &mut x);
    assert_eq!((warm.status, warm.pivots, solver.stage()), (Status::Solved, 0, Stage::Start));
    let mut nonsense = Solution { z: vec![1e6; problem.dim()], w: vec![] };
    let from_nonsense = solver.solve(&problem, Start::Warm, &mut nonsense);
    assert_eq!((from_nonsense.status, from_nonsense.pivots), (Status::Solved, cold.pivots));
    assert_eq!(nonsense.z, {
        let mut again = Solution::default();
        let _ = solver.solve(&problem, Start::Cold, &mut again);
        again.z
    });
}

#[test]
fn a_budget_of_factorizations_is_kept_and_the_best_point_returned() {
    let problem = islands::stack(&mut Rng::new(2), 8, 1e6, 0.4).problem(Form::Dense).unwrap();
    let mut residuals = Vec::new();
    for max_factorizations in [0, 1, 3, 6, 12] {
        let mut solver = Chain::new(ChainSettings { max_factorizations, ..Default::default() }).unwrap();
        let mut x = Solution::default();
        let report = solver.solve(&problem, Start::Cold, &mut x);
        assert!(report.pivots <= max_factorizations);
        assert!(report.residual.natural_map.is_finite() && x.z.iter().all(|z| z.is_finite()));
        if report.status != Status::Solved {
            assert_eq!(report.status, Status::MaxIterations);
        }
        residuals.push(report.residual.natural_map);
    }
    assert!(residuals.is_sorted_by(|a, b| a >= b), "{residuals:?}");
}

#[test]
fn numbers_that_are_not_finite_are_a_failure_and_no_rows_are_solved() {
    let (empty, x) = solve(&ConeNcp::default(), 1e-10);
    assert_eq!((empty.status, x.z.len()), (Status::Solved, 0));
    let mut problem = sliding()[0].0.clone();
    problem.q_mut()[1] = f64::NAN;
    let (report, x) = solve(&problem, 1e-10);
    assert_eq!(report.status, Status::NumericalFailure);
    assert_eq!(x.z, [0.0; 3]);
    let mut problem = sliding()[0].0.clone();
    if let Delassus::Dense(w) = problem.delassus_mut() {
        w[4] = f64::INFINITY;
    }
    assert_eq!(solve(&problem, 1e-10).0.status, Status::NumericalFailure);
}

#[test]
fn rows_that_nothing_moves_are_left_alone() {
    // The second contact is between two fixed bodies: its rows of W vanish, and its q may be anything feasible.
    let mut w = vec![0.0; 36];
    (0..3).for_each(|i| w[7 * i] = 1.0);
    let problem = ConeNcp::contacts(3, w, vec![-1.0, 0.1, 0.0, 0.5, 0.0, 0.0], &[0.5, 0.5]).unwrap();
    let (report, x) = solve(&problem, 1e-12);
    assert_eq!(report.status, Status::Solved);
    close(&x.z, &[1.0, -0.1, 0.0, 0.0, 0.0, 0.0], 1e-11);
}

#[test]
fn what_has_no_solution_is_never_called_solved() {
    // Approach that no impulse can stop, and two contacts that contradict each other.
    let mut random = Pcg64::seed_from_u64(9);
    for trial in 0..50 {
        let mu = random.random_range(0.0..1.0);
        let problem = if trial % 2 == 0 {
            ConeNcp::contacts(3, vec![0.0; 9], vec![-1.0, 0.3, 0.0], &[mu]).unwrap()
        } else {
            let (w, q) = (vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -0.5]);
            ConeNcp::new(vec![Cone::Nonnegative { dim: 2 }], Delassus::Dense(w), q).unwrap()
        };
        let mut solver = Chain::new(ChainSettings { max_factorizations: 300, ..Default::default() }).unwrap();
        let mut x = Solution::default();
        let report = solver.solve(&problem, Start::Cold, &mut x);
        assert_ne!(report.status, Status::Solved);
        let mut u = vec![0.0; problem.dim()];
        let (residual, _) = problem.assess(&x.z, &mut u, &mut ConeScratch::default());
        assert_eq!(residual, report.residual);
    }
}

/// Contacts of a few bodies at random: `W = J J^T`, `q = J v`, with more rows than velocities in many of them, so that
/// contacts can press against each other at will.
fn jammed(random: &mut Pcg64) -> ConeNcp {
    let (contacts, columns) = (random.random_range(1..9), 6 * random.random_range(1..5));
    let n = 3 * contacts;
    let mut rng = || random.random_range(-1.0..1.0);
    let j: Vec<f64> = (0..n * columns).map(|_| rng()).collect();
    let v: Vec<f64> = (0..columns).map(|_| rng()).collect();
    let row = |i: usize| &j[i * columns..(i + 1) * columns];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let matrix = (0..n * n).map(|k| dot(row(k / n), row(k % n))).collect();
    let q = (0..n).map(|i| dot(row(i), &v)).collect();
    let mu: Vec<f64> = (0..contacts).map(|_| random.random_range(0.1..1.0)).collect();
    ConeNcp::contacts(3, matrix, q, &mu).unwrap()
}

#[test]
fn impulses_that_press_against_each_other_stay_so_small_that_rounding_excuses_nothing() {
    let mut random = Pcg64::seed_from_u64(12);
    for i in 0..400 {
        let problem = jammed(&mut random);
        let (report, x) = solve(&problem, 1e-12);
        assert_eq!(report.status, Status::Solved, "{i}: {report:?}");
        let largest = x.z.iter().fold(0.0, |worst: f64, z| worst.max(z.abs()));
        assert!(report.residual.natural_map <= 1e-12 && largest < 1e6, "{i}: {report:?}, {largest}");
    }
}

/// A cube of 1 kg and 2 m that rests on its lower corners: rows (normal, t1, t2) along z, x, y.
fn resting_cube(mu: f64) -> ConeNcp {
    let directions = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut rows = Vec::new();
    for corner in [[1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]] {
        for d in directions {
            // Inertia 2/3 kg m^2: the moment counts sqrt(3/2) times.
            let moment = |i: usize, j: usize| (corner[i] * d[j] - corner[j] * d[i]) * 1.5_f64.sqrt();
            rows.push([d[0], d[1], d[2], moment(1, 2), moment(2, 0), moment(0, 1)]);
        }
    }
    let product = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let w = rows.iter().flat_map(|a| rows.iter().map(|b| product(a, b))).collect();
    let q = (0..12).map(|i| if i % 3 == 0 { -0.0981 } else { 0.0 }).collect();
    ConeNcp::contacts(3, w, q, &[mu; 4]).unwrap()
}

#[test]
fn a_cube_at_rest_takes_no_more_work_and_meets_the_same_aim_at_any_friction() {
    // De Saxce's correction multiplies the rounding of tangential velocities by mu: an target that does not know this is chased
    // in vain where friction is large.
    let mut work = Vec::new();
    for mu in [0.01, 0.3, 5.0, 100.0, 1000.0] {
        let settings = ChainSettings { tolerance: 1e-10, target: 1e-14, ..Default::default() };
        let mut x = Solution::default();
        let report = Chain::new(settings).unwrap().solve(&resting_cube(mu), Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "mu {mu}");
        assert!(x.w.iter().all(|w| w.abs() < 1e-14), "mu {mu}: {:?}", x.w);
        work.push(report.pivots);
    }
    assert!(work.iter().all(|pivots| *pivots <= 2 * work[0]), "{work:?}");
}

#[test]
fn large_islands_are_solved_from_nothing_in_some_tens_of_factorizations_and_again_from_near_by_in_a_few() {
    let piles = large::PILES[1..].iter().flat_map(|&size| (1..=4).map(move |seed| large::heap(size, seed)));
    let towers = large::TOWERS[2..].iter().map(|&boxes| large::tower(boxes, 1));
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for sample in piles.chain(towers) {
        let problem = sample.system.problem(Form::Factored).unwrap();
        let mut chain = chain(1e-8);
        let mut x = Solution::default();
        let report = chain.solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "{}: {report:?}", sample.name);
        cold.push(report.pivots);
        // As after a step in which loads have changed by a hundredth.
        x.z.iter_mut().enumerate().for_each(|(i, z)| *z *= 1.0 + 0.01 * f64::from(i as u32 % 3));
        let report = chain.solve(&problem, Start::Warm, &mut x);
        assert_eq!(report.status, Status::Solved, "{}: {report:?}", sample.name);
        warm.push(report.pivots);
    }
    println!("cold {cold:?}, warm {warm:?}");
    for (mut pivots, median, most) in [(cold, 30, 200), (warm, 6, 60)] {
        pivots.sort_unstable();
        assert!(pivots[pivots.len() / 2] <= median && pivots[pivots.len() - 1] <= most, "{pivots:?}");
    }
}
