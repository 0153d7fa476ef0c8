//! Bimatrix games: what the method of Lemke and Howson finds are equilibria, and all of them are known for small games.

use crate::common::solve_linear;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{
    Lcp, Lemke, LemkeHowson, LemkeHowsonSettings, LemkeSettings, Robust, RobustSettings, Solution, Solver,
    Start, Status,
};

/// Costs of two players: `a[i][j]` of the first, `b[i][j]` of the second, for rows `i` and columns `j`.
struct Game {
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
}

impl Game {
    fn new(rows: usize, columns: usize, mut cost: impl FnMut() -> f64) -> Game {
        let mut table = || (0..rows).map(|_| (0..columns).map(|_| cost()).collect()).collect();
        Game { a: table(), b: table() }
    }

    fn rows(&self) -> usize {
        self.a.len()
    }

    fn columns(&self) -> usize {
        self.a[0].len()
    }

    /// `M = [0 A; B^T 0]`, `q = -1`, the unknowns in the order that `place` gives.
    fn lcp(&self, place: &[usize]) -> Lcp {
        let (rows, n) = (self.rows(), self.rows() + self.columns());
        let mut matrix = vec![0.0; n * n];
        for i in 0..rows {
            for j in 0..self.columns() {
                matrix[place[i] * n + place[rows + j]] = self.a[i][j];
                matrix[place[rows + j] * n + place[i]] = self.b[i][j];
            }
        }
        Lcp::new(matrix, vec![-1.0; n]).unwrap()
    }

    /// By how much one of the players could do better than with the strategies of an answer, relative to the largest cost.
    fn regret(&self, z: &[f64]) -> f64 {
        let (x, y) = z.split_at(self.rows());
        let (p, r) = (normalized(x), normalized(y));
        let of_rows: Vec<f64> =
            self.a.iter().map(|row| row.iter().zip(&r).map(|(a, r)| a * r).sum()).collect();
        let of_columns: Vec<f64> =
            (0..self.columns()).map(|j| self.b.iter().zip(&p).map(|(row, p)| row[j] * p).sum()).collect();
        let regret = |costs: &[f64], mix: &[f64]| {
            let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
            costs.iter().zip(mix).map(|(cost, part)| cost * part).sum::<f64>() - least
        };
        let largest = self.a.iter().chain(&self.b).flatten().fold(0.0, |worst: f64, c| worst.max(c.abs()));
        regret(&of_rows, &p).max(regret(&of_columns, &r)) / largest
    }

    /// All equilibria of a nondegenerate game, by enumeration of supports of equal size.
    fn equilibria(&self) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut found = Vec::new();
        for rows in 1usize..1 << self.rows() {
            for columns in 1usize..1 << self.columns() {
                if rows.count_ones() != columns.count_ones() {
                    continue;
                }
                let (i, j) = (members(rows), members(columns));
                let p = indifferent(&i, &j, self.rows(), |i, j| self.b[i][j]);
                let r = indifferent(&j, &i, self.columns(), |j, i| self.a[i][j]);
                if let (Some(p), Some(r)) = (p, r) {
                    let z: Vec<f64> = p.iter().chain(&r).copied().collect();
                    if self.regret(&z) < 1e-9 {
                        found.push((p, r));
                    }
                }
            }
        }
        found
    }
}

fn members(bits: usize) -> Vec<usize> {
    (0..usize::BITS as usize).filter(|k| bits >> k & 1 == 1).collect()
}

fn normalized(part: &[f64]) -> Vec<f64> {
    let sum: f64 = part.iter().sum();
    part.iter().map(|v| v / sum).collect()
}

/// The mixture of the choices `own` (of `size`) that makes the other player's choices `other` cost the same.
fn indifferent(
    own: &[usize],
    other: &[usize],
    size: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Option<Vec<f64>> {
    let k = own.len();
    let mut system = vec![0.0; (k + 1) * (k + 1)];
    for (row, &j) in other.iter().enumerate() {
        for (column, &i) in own.iter().enumerate() {
            system[row * (k + 1) + column] = cost(i, j);
        }
        system[row * (k + 1) + k] = -1.0;
    }
    (0..k).for_each(|column| system[k * (k + 1) + column] = 1.0);
    let mut right = vec![0.0; k + 1];
    right[k] = 1.0;
    let solution = solve_linear(k + 1, system, right)?;
    let mut mix = vec![0.0; size];
    own.iter().zip(&solution).for_each(|(&i, part)| mix[i] = *part);
    mix.iter().all(|part| *part >= -1e-12).then_some(mix)
}

fn howson() -> LemkeHowson {
    LemkeHowson::new(LemkeHowsonSettings::default()).unwrap()
}

fn in_order(n: usize) -> Vec<usize> {
    (0..n).collect()
}

#[test]
fn every_label_leads_to_an_equilibrium_that_the_enumeration_of_supports_knows() {
    let mut random = Pcg64::seed_from_u64(71);
    let mut solver = howson();
    let mut several = 0;
    for _ in 0..300 {
        let (rows, columns) = (random.random_range(1..=4), random.random_range(1..=4));
        let game = Game::new(rows, columns, || random.random_range(0.1..1.0));
        let known = game.equilibria();
        assert!(known.len() % 2 == 1, "a nondegenerate game has an odd number of equilibria");
        let problem = game.lcp(&in_order(rows + columns));
        let mut reached = vec![false; known.len()];
        for k in 0..rows + columns {
            let mut x = Solution::default();
            let report = solver.solve_from_label(&problem, k, &mut x);
            assert_eq!(report.status, Status::Solved, "label {k}");
            assert!(game.regret(&x.z) < 1e-12, "label {k}: {:?}", x.z);
            let (p, r) = (normalized(&x.z[..rows]), normalized(&x.z[rows..]));
            let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8);
            let at = known.iter().position(|(q, s)| close(&p, q) && close(&r, s));
            reached[at.expect("an equilibrium nobody knows")] = true;
        }
        several += usize::from(reached.iter().filter(|reached| **reached).count() > 1);
    }
    assert!(several > 10, "labels find different equilibria in {several} games only");
}

#[test]
fn the_players_are_found_in_any_order_of_the_unknowns_and_units_of_the_rows() {
    let mut random = Pcg64::seed_from_u64(72);
    for _ in 0..200 {
        let (rows, columns) = (random.random_range(1..=8), random.random_range(1..=8));
        let n = rows + columns;
        let game = Game::new(rows, columns, || random.random_range(0.1..1.0));
        let mut place = in_order(n);
        (1..n).for_each(|k| place.swap(k, random.random_range(0..=k)));
        let mut problem = game.lcp(&place);
        for i in 0..n {
            let unit = 10f64.powf(random.random_range(-2.0..2.0));
            problem.matrix_mut()[i * n..(i + 1) * n].iter_mut().for_each(|m| *m *= unit);
            problem.q_mut()[i] *= unit;
        }
        assert!(LemkeHowson::is_for(&problem));
        let mut x = Solution::default();
        assert_eq!(howson().solve(&problem, Start::Cold, &mut x).status, Status::Solved);
        let z: Vec<f64> = place.iter().map(|&at| x.z[at]).collect();
        assert!(game.regret(&z) < 1e-10, "{}", game.regret(&z));
        // A solution is returned as it is.
        assert_eq!(howson().solve(&problem, Start::Warm, &mut x).pivots, 0);
    }
}

#[test]
fn games_with_ties_are_solved_as_well() {
    let mut random = Pcg64::seed_from_u64(73);
    for round in 0..2000 {
        let (rows, columns) = (random.random_range(1..=12), random.random_range(1..=12));
        let most = [2, 3, 10][round % 3];
        let game = Game::new(rows, columns, || f64::from(random.random_range(1..=most)));
        let mut x = Solution::default();
        let report = howson().solve(&game.lcp(&in_order(rows + columns)), Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}: {report:?}");
        assert!(game.regret(&x.z) < 1e-12, "round {round}");
    }
}

/// The game of these payoffs: what they are less than the largest, and one.
fn of_payoffs(first: &[&[f64]], second: &[&[f64]]) -> Game {
    let costs = |payoffs: &[&[f64]]| {
        let most = payoffs.iter().copied().flatten().fold(f64::MIN, |most, payoff| most.max(*payoff));
        payoffs.iter().map(|row| row.iter().map(|payoff| 1.0 + most - payoff).collect()).collect()
    };
    Game { a: costs(first), b: costs(second) }
}

/// Fails unless the answer of every method, and from every label, is this pair of strategies.
fn check_only_equilibrium(game: &Game, p: &[f64], r: &[f64]) {
    let n = game.rows() + game.columns();
    let problem = game.lcp(&in_order(n));
    let check = |status: Status, z: &[f64], what: &str| {
        assert_eq!(status, Status::Solved, "{what}");
        let found = [normalized(&z[..game.rows()]), normalized(&z[game.rows()..])].concat();
        for (found, exact) in found.iter().zip(p.iter().chain(r)) {
            assert!((found - exact).abs() < 1e-10, "{what}: {found} instead of {exact}");
        }
    };
    let mut x = Solution::default();
    for label in 0..n {
        let report = howson().solve_from_label(&problem, label, &mut x);
        check(report.status, &x.z, &format!("label {label}"));
    }
    let mut robust = Robust::new(RobustSettings::default()).unwrap();
    let report = robust.solve(&problem, Start::Cold, &mut x);
    check(report.status, &x.z, "robust");
}

#[test]
fn the_only_equilibrium_is_found_where_other_programs_end_at_none() {
    // N28 (drvinceknight/Nashpy #83). Against 1/2 of rows 5 and 6 both columns pay 0.15; 9 y + 0.3 (1 - y) = 7.5 y + 6.9 (1 - y).
    let first: [&[f64]; 8] = [
        &[9.5, -7.8],
        &[-9.6, 0.3],
        &[-7.1, -1.4],
        &[5.9, 7.6],
        &[9.0, 0.3],
        &[7.5, 6.9],
        &[-3.1, 3.6],
        &[-8.4, -3.7],
    ];
    let second: [&[f64]; 8] = [
        &[0.2, 0.6],
        &[0.4, 0.1],
        &[0.9, 0.0],
        &[0.4, 0.1],
        &[0.1, 0.2],
        &[0.2, 0.1],
        &[0.8, 1.0],
        &[0.2, 0.4],
    ];
    let half = [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0];
    check_only_equilibrium(&of_payoffs(&first, &second), &half, &[66.0 / 81.0, 15.0 / 81.0]);

    // N28 (drvinceknight/Nashpy #231), with ties: rows 3, 5 and 6 are scissors, paper and stone, and gain of every other row.
    let payoffs: [&[f64]; 6] = [
        &[0.0, -1.0, -1.0, -1.0, 1.0, -1.0],
        &[1.0, 0.0, 1.0, -1.0, -1.0, -1.0],
        &[1.0, -1.0, 0.0, -1.0, -1.0, 1.0],
        &[1.0, 1.0, 1.0, 0.0, -1.0, -1.0],
        &[-1.0, 1.0, 1.0, 1.0, 0.0, -1.0],
        &[1.0, 1.0, -1.0, 1.0, 1.0, 0.0],
    ];
    let negative: Vec<Vec<f64>> =
        payoffs.iter().map(|row| row.iter().map(|payoff| -payoff).collect()).collect();
    let negative: Vec<&[f64]> = negative.iter().map(Vec::as_slice).collect();
    let thirds = [0.0, 0.0, 1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0];
    check_only_equilibrium(&of_payoffs(&payoffs, &negative), &thirds, &thirds);
}

#[test]
fn the_robust_driver_finds_an_equilibrium_of_every_game_with_ties() {
    // N28 (drvinceknight/Nashpy #207): payoffs of a few integers, so that most vertices are degenerate.
    let mut random = Pcg64::seed_from_u64(76);
    let mut robust = Robust::new(RobustSettings::default()).unwrap();
    for round in 0..3000 {
        let (rows, columns) = (random.random_range(1..=8), random.random_range(1..=8));
        let most = [2, 3][round % 2];
        let game = Game::new(rows, columns, || f64::from(random.random_range(1..=most)));
        let mut x = Solution::default();
        let report = robust.solve(&game.lcp(&in_order(rows + columns)), Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}: {report:?}");
        assert!(game.regret(&x.z) < 1e-9, "round {round}: {}", game.regret(&x.z));
    }
}

#[test]
fn costs_that_are_not_positive_need_not_have_a_solution_and_none_is_invented() {
    let mut random = Pcg64::seed_from_u64(74);
    let (mut solved, mut unsolved) = (0, 0);
    for _ in 0..500 {
        let (rows, columns) = (random.random_range(1..=4), random.random_range(1..=4));
        let game = Game::new(rows, columns, || random.random_range(-1.0..1.0));
        let problem = game.lcp(&in_order(rows + columns));
        let mut x = Solution::default();
        if howson().solve(&problem, Start::Cold, &mut x).status == Status::Solved {
            solved += 1;
            assert!(game.regret(&x.z) < 1e-9);
        } else {
            unsolved += 1;
        }
    }
    assert!(solved > 20 && unsolved > 50, "{solved} solved, {unsolved} not");
}

#[test]
fn robust_solves_large_games_where_lemkes_method_runs_off_at_once() {
    let mut random = Pcg64::seed_from_u64(75);
    for size in [60, 120] {
        for _ in 0..3 {
            let game = Game::new(size, size, || random.random_range(0.0..1.0));
            let problem = game.lcp(&in_order(2 * size));
            let mut x = Solution::default();
            let mut lemke =
                Lemke::new(LemkeSettings { regularize: false, ..LemkeSettings::default() }).unwrap();
            assert_eq!(lemke.solve(&problem, Start::Cold, &mut x).status, Status::Ray);
            let mut robust = Robust::new(RobustSettings::default()).unwrap();
            assert_eq!(robust.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
            assert_eq!(robust.tried().len(), 1);
            assert!(game.regret(&x.z) < 1e-10, "{}", game.regret(&x.z));
        }
    }
}

#[test]
fn another_covering_vector_leads_lemkes_method_to_other_answers_of_a_problem_and_bad_ones_are_refused() {
    // Three solutions: (1, 0), (0, 1) and (1/3, 1/3).
    let problem = Lcp::new(vec![1.0, 2.0, 2.0, 1.0], vec![-1.0, -1.0]).unwrap();
    let answer = |cover: Vec<f64>| {
        let mut x = Solution::default();
        let mut lemke = Lemke::new(LemkeSettings::default()).unwrap().with_cover(cover).unwrap();
        assert_eq!(lemke.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
        x.z
    };
    let (first, second) = (answer(vec![1.0, 3.0]), answer(vec![3.0, 1.0]));
    assert_ne!(first, second);
    for cover in [vec![1.0, 0.0], vec![-1.0, 1.0], vec![f64::NAN, 1.0], vec![f64::INFINITY, 1.0]] {
        let error = Lemke::new(LemkeSettings::default()).unwrap().with_cover(cover).unwrap_err();
        assert!(error.to_string().contains("cover"), "{error}");
    }
}
