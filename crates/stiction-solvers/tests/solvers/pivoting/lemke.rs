//! What Lemke's method must get right on problems whose answer is known otherwise.

use crate::common::{box_stack, gram, matrix, murty_matrix, random_contact_problem, solve_linear, uniform};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    ActiveSet, Lcp, Lemke, LemkeSettings, Problem, Report, Residual, Solution, Solver, Start, Status, TieRule,
};

fn lemke() -> Lemke {
    Lemke::new(LemkeSettings::default()).unwrap()
}

fn solve(problem: &Lcp) -> (Report, Solution) {
    let mut x = Solution::default();
    let report = lemke().solve(problem, Start::Cold, &mut x);
    assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()));
    assert_eq!(problem.residual(&x), report.residual);
    (report, x)
}

/// All solutions at nonsingular complementary bases, as (z, w).
fn enumerate(problem: &Lcp) -> Vec<Solution> {
    let n = problem.dim();
    let mut found = Vec::new();
    for bits in 0..1usize << n {
        // Columns: -M_j where z_j is basic, e_j where w_j is: sum of columns times basics = q.
        let system = matrix(n, |i, j| {
            if (bits >> j) & 1 == 1 { -problem.matrix()[i * n + j] } else { f64::from(u8::from(i == j)) }
        });
        let Some(basics) = solve_linear(n, system, problem.q().to_vec()) else { continue };
        if basics.iter().all(|&v| v >= -1e-9) {
            let mut x = Solution::new(n);
            for i in 0..n {
                if (bits >> i) & 1 == 1 { x.z[i] = basics[i] } else { x.w[i] = basics[i] }
            }
            found.push(x);
        }
    }
    found
}

/// Whether one enumerated solution has the same z and w, up to 1e-7 of their size.
fn is_listed(found: &[Solution], x: &Solution) -> bool {
    let close = |a: &[f64], b: &[f64]| {
        let size = b.iter().fold(1.0, |worst: f64, v| worst.max(v.abs()));
        a.iter().zip(b).all(|(u, v)| (u - v).abs() <= 1e-7 * size)
    };
    found.iter().any(|y| close(&x.z, &y.z) && close(&x.w, &y.w))
}

#[test]
fn every_solved_answer_is_found_by_brute_force_enumeration() {
    let mut random = Pcg64::seed_from_u64(11);
    let (mut solved, mut rays) = (0, 0);
    for _ in 0..3000 {
        let n = random.random_range(1..=6);
        let m = uniform(&mut random, n * n);
        let q = uniform(&mut random, n);
        let problem = Lcp::new(m, q).unwrap();
        let (report, x) = solve(&problem);
        let found = enumerate(&problem);
        match report.status {
            Status::Solved => {
                solved += 1;
                assert!(report.residual.natural_map <= 1e-10);
                assert!(is_listed(&found, &x), "{problem:?} {report:?} {x:?} {found:?}");
            }
            Status::Ray => rays += 1,
            _ => panic!("{problem:?} {report:?}"),
        }
    }
    assert!(solved > 1000 && rays > 100, "{solved} solved, {rays} rays");
}

#[test]
fn problems_with_a_p_matrix_always_have_the_one_enumerated_answer() {
    let mut random = Pcg64::seed_from_u64(12);
    for _ in 0..1000 {
        let n = random.random_range(1..=6);
        // Positive definite plus skew: every principal minor is positive.
        let a = uniform(&mut random, n * n);
        let skew = uniform(&mut random, n * n);
        let spd = gram(n, n, &a);
        let m = matrix(n, |i, j| {
            spd[i * n + j] + 3.0 * (skew[i * n + j] - skew[j * n + i]) + if i == j { 0.01 } else { 0.0 }
        });
        let problem = Lcp::new(m, uniform(&mut random, n)).unwrap();
        let (report, x) = solve(&problem);
        assert_eq!(report.status, Status::Solved, "{problem:?} {report:?}");
        let found = enumerate(&problem);
        assert!(is_listed(&found, &x), "{problem:?} {x:?} {found:?}");
    }
}

#[test]
fn contact_problems_with_nonnegative_gaps_are_always_solved() {
    let mut random = Pcg64::seed_from_u64(13);
    for round in 0..1000 {
        // One contact with four directions has n = 6: compared with brute force, as far as that sees it
        // (answers with redundant friction directions need not lie at a nonsingular basis).
        let contacts = if round < 500 { 1 } else { random.random_range(2..=8) };
        let coordinates = random.random_range(1..=12);
        let problem = random_contact_problem(&mut random, contacts, coordinates, 4);
        let (report, x) = solve(&problem);
        assert_eq!(report.status, Status::Solved, "round {round} {problem:?} {report:?}");
        assert!(report.residual.natural_map <= 1e-10, "round {round}: {report:?}");
        if contacts == 1 {
            let found = enumerate(&problem);
            let same_w = |y: &Solution| x.w.iter().zip(&y.w).all(|(a, b)| (a - b).abs() <= 1e-7);
            assert!(found.is_empty() || found.iter().any(same_w), "{problem:?} {x:?} {found:?}");
        }
    }
}

#[test]
fn stacks_of_boxes_are_solved_at_rest_and_in_motion_up_to_a_mass_ratio_of_a_million() {
    let mut random = Pcg64::seed_from_u64(17);
    let mut solver = lemke();
    let mut x = Solution::default();
    for boxes in [1, 2, 3, 6, 10] {
        for top in [1.0, 1e3, 1e6] {
            for perturbation in [0.0, 1e-15, 1e-9, 1e-3, 1.0] {
                let problem = box_stack(&mut random, boxes, 1e-3, top, perturbation);
                let name = format!("{boxes} boxes, top {top:e} kg, perturbation {perturbation:e}");
                let cold = solver.solve(&problem, Start::Cold, &mut x);
                assert_eq!(cold.status, Status::Solved, "{name}: {cold:?}");
                if perturbation == 0.0 {
                    // Each interface carries the momentum gained by everything above it.
                    for interface in 0..boxes {
                        let carried: f64 = x.z[4 * interface..4 * interface + 4].iter().sum();
                        let weight = (boxes - 1 - interface) as f64 + top;
                        let error = carried / (weight * 9.81e-3) - 1.0;
                        assert!(error.abs() <= 1e-8, "{name}, interface {interface}: {error:e}");
                    }
                }
                let basis = solver.active_set().clone();
                let again = solver.solve(&problem, Start::Basis(&basis), &mut x);
                assert_eq!(again.status, Status::Solved, "{name}: {again:?}");
                // With a heavy top the block may be so ill-conditioned that rounding decides between bases.
                if top == 1.0 {
                    assert_eq!(again.pivots, 0, "{name}: {again:?}");
                }
            }
        }
    }
}

#[test]
fn murty_and_fathi_families_take_exactly_two_to_the_n_pivots() {
    for n in 1..=10 {
        let murty = murty_matrix(n);
        let fathi = gram(n, n, &murty);
        for (name, m) in [("murty", murty), ("fathi", fathi)] {
            // All rows tie at the start: the length is that of the lexicographic order, as in the proofs.
            let settings = LemkeSettings { ties: TieRule::Lexicographic, ..LemkeSettings::default() };
            let mut x = Solution::default();
            let problem = Lcp::new(m, vec![-1.0; n]).unwrap();
            let report = Lemke::new(settings).unwrap().solve(&problem, Start::Cold, &mut x);
            assert_eq!(report.status, Status::Solved, "{name} {n}: {report:?}");
            assert_eq!(report.pivots, 1 << n, "{name} {n}: {report:?}");
            assert!((x.z[0] - 1.0).abs() <= 1e-10 && x.z[1..].iter().all(|z| z.abs() <= 1e-10));
        }
    }
}

#[test]
fn degenerate_problems_do_not_cycle() {
    let mut random = Pcg64::seed_from_u64(14);
    for round in 0..200 {
        let n = random.random_range(2..=30);
        let rank = random.random_range(1..=n);
        // Integer data: ties are exact. Rank-deficient Gram matrices with repeated rows.
        let mut a: Vec<f64> = (0..n * rank).map(|_| f64::from(random.random_range(-2i32..=2))).collect();
        for i in 1..n {
            if random.random_bool(0.3) {
                let from = random.random_range(0..i);
                a.copy_within(from * rank..(from + 1) * rank, i * rank);
            }
        }
        let m = gram(n, rank, &a);
        // q = -M y + s with y, s >= 0: feasible, hence solvable (positive semidefinite).
        let y: Vec<f64> = (0..n).map(|_| f64::from(random.random_range(0i32..=2))).collect();
        let q: Vec<f64> = (0..n)
            .map(|i| {
                let slack = if random.random_bool(0.7) { 0.0 } else { 1.0 };
                slack - (0..n).map(|j| m[i * n + j] * y[j]).sum::<f64>()
            })
            .collect();
        let problem = Lcp::new(m, q).unwrap();
        let (report, _) = solve(&problem);
        assert_eq!(report.status, Status::Solved, "round {round} {problem:?} {report:?}");
        assert!(report.residual.natural_map <= 1e-10, "round {round}: {report:?}");
        assert!(report.pivots <= 20 * n, "round {round}: {report:?}");
    }
}

#[test]
fn the_basis_of_the_answer_takes_no_pivot_and_any_other_leads_to_a_certified_answer() {
    let mut random = Pcg64::seed_from_u64(15);
    let mut solver = lemke();
    let mut x = Solution::default();
    for round in 0..300 {
        let problem = if round % 2 == 0 {
            random_contact_problem(&mut random, 1 + round % 7, 1 + round % 12, 4)
        } else {
            let n = random.random_range(1..=20);
            let a = uniform(&mut random, n * n);
            Lcp::new(gram(n, n, &a), uniform(&mut random, n)).unwrap()
        };
        let cold = solver.solve(&problem, Start::Cold, &mut x);
        assert_eq!(cold.status, Status::Solved, "round {round}: {cold:?}");
        let basis = solver.active_set().clone();
        let again = solver.solve(&problem, Start::Basis(&basis), &mut x);
        assert_eq!((again.status, again.pivots, again.iterations), (Status::Solved, 0, 0), "round {round}");
        let warm = solver.solve(&problem, Start::Warm, &mut x);
        assert_eq!((warm.status, warm.pivots, warm.iterations), (Status::Solved, 0, 0), "round {round}");

        let mut other = ActiveSet::new(problem.dim());
        for i in 0..problem.dim() {
            other.set(i, random.random_bool(0.5));
        }
        let report = solver.solve(&problem, Start::Basis(&other), &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}: {report:?}");
        assert_eq!(problem.residual(&x), report.residual);
        let mut guess = Solution { z: uniform(&mut random, problem.dim()), w: vec![] };
        let report = solver.solve(&problem, Start::Warm, &mut guess);
        assert_eq!(report.status, Status::Solved, "round {round}: {report:?}");
    }
}

#[test]
fn a_basis_or_a_guess_of_the_wrong_length_is_ignored() {
    let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
    let (cold, expected) = solve(&problem);
    let mut basis = ActiveSet::new(7);
    basis.set(6, true);
    let mut x = Solution::new(9);
    assert_eq!(lemke().solve(&problem, Start::Basis(&basis), &mut x), cold);
    assert_eq!(x, expected);
    let mut x = Solution { z: vec![f64::NAN; 2], w: vec![1.0; 5] };
    assert_eq!(lemke().solve(&problem, Start::Warm, &mut x), cold);
    assert_eq!(x, expected);
}

#[test]
fn equal_calls_give_equal_bits() {
    let mut random = Pcg64::seed_from_u64(16);
    let problem = random_contact_problem(&mut random, 12, 20, 4);
    let (report, x) = solve(&problem);
    let mut used = lemke();
    let mut y = Solution::default();
    let other = random_contact_problem(&mut random, 9, 5, 4);
    let _ = used.solve(&other, Start::Cold, &mut y);
    assert_eq!(used.solve(&problem, Start::Cold, &mut y), report);
    assert!(x.z.iter().zip(&y.z).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert!(x.w.iter().zip(&y.w).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn nonnegative_constants_need_no_pivot() {
    let (report, x) = solve(&Lcp::new(vec![-1.0, 5.0, 5.0, -1.0], vec![0.0, 3.0]).unwrap());
    assert_eq!((report.status, report.pivots), (Status::Solved, 0));
    assert_eq!(x, Solution { z: vec![0.0; 2], w: vec![0.0, 3.0] });
    let (report, x) = solve(&Lcp::empty());
    assert_eq!((report.status, report.pivots, x), (Status::Solved, 0, Solution::default()));
}

#[test]
fn a_tolerance_out_of_range_is_refused() {
    for tolerance in [-1e-10, 1.0, f64::NAN, f64::INFINITY] {
        assert!(Lemke::new(LemkeSettings { tolerance, ..LemkeSettings::default() }).is_err());
    }
}

// The four-variable sample whose wrong answer (6, 0, 0, 0) a released solver once called solved.
const FOUR: [f64; 16] =
    [0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 1.0, -2.0, 1.0, -1.0, 2.0, -2.0, 1.0, 2.0, -2.0, 4.0];
const FOUR_Q: [f64; 4] = [2.0, 2.0, -2.0, -6.0];

fn check_four(x: &Solution) {
    for (got, right) in x.z.iter().zip([2.8, 0.0, 0.8, 1.2]) {
        assert!((got - right).abs() <= 1e-12, "{x:?}");
    }
}

#[test]
fn the_four_variable_sample_has_its_only_answer_from_every_start() {
    let problem = Lcp::new(FOUR.to_vec(), FOUR_Q.to_vec()).unwrap();
    let wrong = Solution { z: vec![6.0, 0.0, 0.0, 0.0], w: vec![0.0; 4] };
    assert!(problem.residual(&wrong).natural_map > 0.1);
    let mut starts = vec![wrong, Solution::default()];
    let mut random = Pcg64::seed_from_u64(8);
    for size in [1e-3, 1.0, 1e3] {
        starts.extend((0..100).map(|_| Solution {
            z: uniform(&mut random, 4).iter().map(|v| size * v.abs()).collect(),
            w: vec![0.0; 4],
        }));
    }
    for mut x in starts {
        let report = lemke().solve(&problem, Start::Warm, &mut x);
        assert_eq!(report.status, Status::Solved, "{report:?}");
        check_four(&x);
        for (got, right) in x.w.iter().zip([0.0, 0.4, 0.0, 0.0]) {
            assert!((got - right).abs() <= 1e-12, "{x:?}");
        }
    }
    for bits in 0..16u32 {
        let mut basis = ActiveSet::new(4);
        (0..4).for_each(|i| basis.set(i, (bits >> i) & 1 == 1));
        let mut x = Solution::default();
        assert_eq!(lemke().solve(&problem, Start::Basis(&basis), &mut x).status, Status::Solved);
        check_four(&x);
    }
}

#[test]
fn the_four_variable_sample_survives_row_scales_from_a_millionth_to_a_million() {
    let mut random = Pcg64::seed_from_u64(9);
    for round in 0..200 {
        let scale: Vec<f64> = (0..4)
            .map(|i| match round {
                0 => 1e-6,
                1 => 1e6,
                2 => [1e-6, 1e6, 1e-6, 1e6][i],
                3 => [1e6, 1e-6, 1e-6, 1e6][i],
                _ => 10f64.powf(random.random_range(-6.0..6.0)),
            })
            .collect();
        let m = matrix(4, |i, j| scale[i] * FOUR[4 * i + j]);
        let q = (0..4).map(|i| scale[i] * FOUR_Q[i]).collect();
        let (report, x) = solve(&Lcp::new(m, q).unwrap());
        assert_eq!(report.status, Status::Solved, "{scale:?} {report:?}");
        check_four(&x);
    }
}

#[test]
fn tiny_problems_end_with_the_right_answer_or_an_honest_failure() {
    let solved = |m: &[f64], q: &[f64]| {
        let (report, x) = solve(&Lcp::new(m.to_vec(), q.to_vec()).unwrap());
        assert_eq!(report.status, Status::Solved, "{m:?} {q:?} {report:?}");
        x.z
    };
    let unsolvable = |m: &[f64], q: &[f64]| {
        let (report, _) = solve(&Lcp::new(m.to_vec(), q.to_vec()).unwrap());
        assert!(matches!(report.status, Status::Ray | Status::Infeasible), "{m:?} {q:?} {report:?}");
        assert!(report.residual.natural_map > 1e-3, "{report:?}");
    };
    assert!((solved(&[1.0], &[-9.8])[0] - 9.8).abs() <= 1e-14);
    assert_eq!(solved(&[1.0], &[0.0]), [0.0]);
    assert_eq!(solved(&[0.0], &[1.0]), [0.0]);
    let either = solved(&[-1.0], &[1.0]);
    assert!(either == [0.0] || either == [1.0], "{either:?}");
    unsolvable(&[0.0], &[-1.0]);
    unsolvable(&[-1.0], &[-1.0]);
    unsolvable(&[0.0, 1.0, -1.0, 0.0], &[-1.0, -1.0]);
    assert!(Lcp::new(vec![f64::NAN], vec![-1.0]).is_err());
}

#[test]
fn non_finite_data_are_a_numerical_failure_from_every_start() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for at in 0..6 {
            let mut problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]).unwrap();
            if at < 4 {
                problem.matrix_mut()[at] = bad
            } else {
                problem.q_mut()[at - 4] = bad
            }
            for members in 0..4 {
                let mut basis = ActiveSet::new(2);
                (0..2).for_each(|i| basis.set(i, (members >> i) & 1 == 1));
                for start in [Start::Cold, Start::Warm, Start::Basis(&basis)] {
                    let mut x = Solution { z: vec![1.0; 2], w: vec![3.0; 2] };
                    let report = lemke().solve(&problem, start, &mut x);
                    assert_eq!(report.status, Status::NumericalFailure, "{bad} at {at}");
                    assert_eq!(x, Solution::new(2));
                    assert_eq!(report.residual, Residual::INFINITE);
                }
            }
        }
    }
}

/// Four contacts of two bodies with an approach of 1 cm/s in the normal rows and none but rounding in the tangential
/// ones, as the collision code of the engine DART left them (the problem of twelve rows in its tests of Lemke's method): the
/// matrix is that of a body of six velocities, to four digits.
const TWELVE: [[f64; 12]; 12] = [
    [4.03, -1.014, -1.898, 1.03, -1.014, -1.898, 1.0, -1.014, -1.898, -2.0, -1.014, -1.898],
    [-1.014, 4.885, -1.259, 1.888, 3.81, 2.345, -1.879, 1.281, -2.334, 1.022, 0.206, 1.27],
    [-1.898, -1.259, 3.2, -1.032, -0.6849, 1.275, 1.003, 0.6657, 3.774, 1.869, 1.24, 1.85],
    [1.03, 1.888, -1.032, 4.03, 1.888, -1.032, -2.0, 1.888, -1.032, 1.0, 1.888, -1.032],
    [-1.014, 3.81, -0.6849, 1.888, 3.225, 1.275, -1.879, 1.85, -1.27, 1.022, 1.265, 0.6907],
    [-1.898, 2.345, 1.275, -1.032, 1.275, 4.86, 1.003, -1.24, 0.2059, 1.869, -2.309, 3.791],
    [1.0, -1.879, 1.003, -2.0, -1.879, 1.003, 3.97, -1.879, 1.003, 0.9703, -1.879, 1.003],
    [-1.014, 1.281, 0.6657, 1.888, 1.85, -1.24, -1.879, 3.187, 1.234, 1.022, 3.755, -0.6714],
    [-1.898, -2.334, 3.774, -1.032, -1.27, 0.2059, 1.003, 1.234, 4.839, 1.869, 2.299, 1.27],
    [-2.0, 1.022, 1.869, 1.0, 1.022, 1.869, 0.9703, 1.022, 1.869, 3.97, 1.022, 1.869],
    [-1.014, 0.206, 1.24, 1.888, 1.265, -2.309, -1.879, 3.755, 2.299, 1.022, 4.814, -1.25],
    [-1.898, 1.27, 1.85, -1.032, 0.6907, 3.791, 1.003, -0.6714, 1.27, 1.869, -1.25, 3.212],
];
const APPROACH: [f64; 12] = [
    -0.00981, -1.458e-10, 5.357e-10, -0.0098, -1.44e-10, 5.298e-10, -0.009807, -1.399e-10, 5.375e-10,
    -0.009807, -1.381e-10, 5.316e-10,
];

#[test]
fn twelve_rows_whose_constants_differ_by_eight_decades_take_the_eight_pivots_of_exact_arithmetic() {
    let exact = Lcp::new(TWELVE.concat(), APPROACH.to_vec()).unwrap();
    let (report, _) = solve(&exact);
    assert_eq!((report.status, report.pivots), (Status::Solved, 8), "{report:?}");
    let mut random = Pcg64::seed_from_u64(60);
    for size in [1e-12, 1e-10, 1e-8, 1e-6, 1e-4] {
        for _ in 0..300 {
            let mut near = |v: &f64| v * (1.0 + size * random.random_range(-1.0..1.0));
            let m = TWELVE.as_flattened().iter().map(&mut near).collect();
            let problem = Lcp::new(m, APPROACH.iter().map(&mut near).collect()).unwrap();
            let (report, _) = solve(&problem);
            assert_eq!(report.status, Status::Solved, "{size} {report:?}");
            assert!(report.pivots <= 40, "{size} {report:?}");
        }
    }
}
