//! *Solved* is true: random problems judged in units in which all their numbers are whole and small.
//!
//! A problem `l <= z <= u`, `w = M z + q` of whole numbers up to 3, some diagonals powers of two down to `2^-53`, is handed to
//! the solvers with rows and columns multiplied by powers of two up to `2^40` apart, which rounds nothing. Their answer is
//! taken back and judged there by the natural map as it stands, `mid(z - l, w, z - u)`, without any unit but for what the
//! tolerance leaves of terms that cancel, and elimination of those of other rows. The natural map of
//! whole numbers is piecewise linear, so that its infimum is attained: where there is no solution it stays above a number of
//! the size of one over a determinant, far above what is asked for here. Nothing of the library's residual is used.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::select::registry;
use stiction_solvers::{
    AnyProblem, BoxLcp, FactoredLcp, FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Lcp, Mcp, Path,
    PathSettings, Robust, RobustSettings, Smooth, Solution, Solver, Start, Status,
};

const INF: f64 = f64::INFINITY;

/// A solver with its name.
type Named<P> = (&'static str, Box<dyn Solver<P>>);

/// A natural map above this in whole numbers is no solution.
const WRONG: f64 = 1e-6;

/// What may remain of the terms that cancel in a row: the tolerance of the solvers for as many rows as there are.
const CLAIMED: f64 = 6e-10;

/// What elimination leaves of the largest terms of a row that is met in the others: some dozen roundings.
const ELIMINATION: f64 = 1e-14;

/// Below it numbers lose digits.
const TINY: f64 = 1e-300;

/// The problem in whole numbers, and its units.
#[derive(Clone, Debug)]
struct Whole {
    matrix: Vec<f64>,
    q: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Multiples of `z_i^3` in `F_i`.
    cubes: Vec<f64>,
    /// Size of the sums that make an entry of the matrix, whose rounding is in `w`.
    sums: Vec<f64>,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

fn whole(random: &mut Pcg64, largest: i32) -> f64 {
    f64::from(random.random_range(-largest..=largest))
}

/// `kind`: 0 complementarity, 1 bounds of all sorts, 2 free and nonnegative unknowns.
fn draw(random: &mut Pcg64, kind: usize, apart: i32) -> Whole {
    let n = random.random_range(1..=5);
    let mut matrix: Vec<f64> = (0..n * n).map(|_| whole(random, 3)).collect();
    match random.random_range(0..4) {
        // Symmetric semidefinite of low rank, copositive, sparse, anything.
        0 => {
            let y: Vec<f64> = (0..2 * n).map(|_| whole(random, 1)).collect();
            for at in 0..n * n {
                matrix[at] = (0..2).map(|k| y[2 * (at / n) + k] * y[2 * (at % n) + k]).sum();
            }
        }
        1 => matrix.iter_mut().for_each(|entry| *entry = entry.abs()),
        2 => matrix.iter_mut().for_each(|entry| *entry = if entry.abs() < 2.0 { 0.0 } else { *entry }),
        _ => {}
    }
    if random.random_bool(0.5) {
        for i in 0..n {
            if random.random_bool(0.6) {
                matrix[i * n + i] = 0.5_f64.powi(random.random_range(10..=53));
            }
        }
    }
    let q = (0..n).map(|_| whole(random, 3)).collect();
    let (mut lower, mut upper) = (vec![0.0; n], vec![INF; n]);
    for i in 0..n {
        let choice = random.random_range(0..4);
        if kind > 0 && choice == 0 {
            (lower[i], upper[i]) = (-INF, INF);
        } else if kind == 1 && choice == 1 {
            (lower[i], upper[i]) = (-INF, whole(random, 2));
        } else if kind == 1 && choice == 2 {
            lower[i] = whole(random, 2);
            upper[i] = lower[i] + f64::from(random.random_range(0..3));
        }
    }
    let unit = |random: &mut Pcg64| 2_f64.powi(random.random_range(-apart..=apart));
    let rows = (0..n).map(|_| unit(random)).collect();
    let columns = (0..n).map(|_| unit(random)).collect();
    let sums = matrix.iter().map(|entry| entry.abs()).collect();
    Whole { matrix, q, lower, upper, cubes: vec![0.0; n], sums, rows, columns }
}

impl Whole {
    fn dim(&self) -> usize {
        self.q.len()
    }

    /// `M` and `q` in the units of the problem.
    fn scaled(&self) -> (Vec<f64>, Vec<f64>) {
        let n = self.dim();
        let entry = |at: usize| self.matrix[at] * self.rows[at / n] / self.columns[at % n];
        let q = self.q.iter().zip(&self.rows).map(|(q, row)| q * row).collect();
        ((0..n * n).map(entry).collect(), q)
    }

    fn bounds(&self) -> [Vec<f64>; 2] {
        [&self.lower, &self.upper].map(|list| list.iter().zip(&self.columns).map(|(b, c)| b * c).collect())
    }

    /// What is wrong with an answer, if anything.
    fn fault(&self, x: &Solution, solved: bool) -> Option<String> {
        let n = self.dim();
        let z: Vec<f64> = x.z.iter().zip(&self.columns).map(|(z, c)| z / c).collect();
        // `w_i` and the size of the terms that make it.
        let rows: Vec<[f64; 2]> = (0..n)
            .map(|i| {
                let row = i * n..(i + 1) * n;
                let cube = self.cubes[i] * z[i].powi(3);
                let terms = self.matrix[row.clone()].iter().zip(&z).map(|(m, z)| m * z);
                let sizes = self.sums[row].iter().zip(&z).map(|(m, z)| m * z.abs());
                [terms.sum::<f64>() + self.q[i] + cube, sizes.sum::<f64>() + self.q[i].abs() + cube.abs()]
            })
            .collect();
        let is_met = |row: &&[f64; 2]| row[0].abs() < 0.01 * row[1];
        let largest = rows.iter().filter(is_met).fold(0.0, |largest: f64, row| largest.max(row[1]));
        for (i, [w, size]) in rows.into_iter().enumerate() {
            if (x.w[i] / self.rows[i] - w).abs() > 1e-13 * size + TINY {
                return Some(format!("w_{i} is {w:e}, not {:e}", x.w[i] / self.rows[i]));
            }
            let natural_map = (z[i] - self.lower[i]).min(w.max(z[i] - self.upper[i]));
            if solved && natural_map.abs() > WRONG + CLAIMED * size + ELIMINATION * largest {
                return Some(format!("z_{i} = {:e}, w_{i} = {w:e}", z[i]));
            }
        }
        None
    }

    /// A guess of whole numbers within the bounds.
    fn guess(&self, random: &mut Pcg64) -> Vec<f64> {
        let one = |i: usize, z: f64| z.max(self.lower[i]).min(self.upper[i]) * self.columns[i];
        (0..self.dim()).map(|i| one(i, whole(random, 7))).collect()
    }
}

/// Counts of answers, solved ones, and the faults.
#[derive(Default)]
struct Tally {
    answers: usize,
    solved: usize,
    faults: Vec<String>,
}

impl Tally {
    fn judge(&mut self, name: &str, whole: &Whole, status: Status, x: &Solution) {
        self.answers += 1;
        self.solved += usize::from(status == Status::Solved);
        if let Some(fault) = whole.fault(x, status == Status::Solved) {
            self.faults.push(format!("{name}: {fault}; z {:?} of {whole:?}", x.z));
        }
    }

    fn end(self, name: &str) {
        eprintln!("{name}: {} of {} solved", self.solved, self.answers);
        let first = &self.faults[..self.faults.len().min(30)];
        assert!(first.is_empty(), "{} wrong of {} solved: {first:#?}", self.faults.len(), self.solved);
        // The judge is not idle.
        assert!(3 * self.solved > self.answers);
    }
}

/// Every solver of the class, from nothing or from a guess.
fn solve_by_all(random: &mut Pcg64, whole: &Whole, problem: &AnyProblem, tally: &mut Tally) {
    let guess = random.random_bool(0.5).then(|| whole.guess(random));
    for entry in registry::SOLVERS {
        let mut x = Solution::new(whole.dim());
        let mut start = Start::Cold;
        if let Some(guess) = &guess {
            x.z.clone_from(guess);
            start = Start::Warm;
        }
        if let Some(report) = entry.make(1e-10).unwrap().solve(problem, start, &mut x) {
            tally.judge(entry.name, whole, report.status, &x);
        }
    }
}

fn linear_problems(count: usize) {
    let mut random = Pcg64::seed_from_u64(151);
    for (kind, name) in ["lcp", "box", "mixed"].into_iter().enumerate() {
        let mut tally = Tally::default();
        for round in 0..count {
            let whole = draw(&mut random, kind, [0, 3, 20][round % 3]);
            let (m, q) = whole.scaled();
            let problem = if kind == 0 {
                Lcp::new(m, q).unwrap().into()
            } else {
                let [lower, upper] = whole.bounds();
                BoxLcp::new(m, q, lower, upper).unwrap().into()
            };
            solve_by_all(&mut random, &whole, &problem, &mut tally);
        }
        tally.end(name);
    }
}

fn factored_problems(count: usize) {
    let mut random = Pcg64::seed_from_u64(152);
    let mut tally = Tally::default();
    for round in 0..count {
        let mut whole = draw(&mut random, 0, [0, 3, 10][round % 3]);
        let (n, m) = (whole.dim(), random.random_range(1..=4));
        let y: Vec<f64> = (0..n * m).map(|_| self::whole(&mut random, 2)).collect();
        for at in 0..n * n {
            let terms = (0..m).map(|k| y[m * (at / n) + k] * y[m * (at % n) + k]);
            whole.matrix[at] = terms.clone().sum();
            whole.sums[at] = terms.map(f64::abs).sum();
        }
        // Rows of Y in other units are rows and columns of the product.
        whole.columns = whole.rows.iter().map(|row| 1.0 / row).collect();
        let half = (0..n * m).map(|at| y[at] * whole.rows[at / m]).collect();
        let q = whole.q.iter().zip(&whole.rows).map(|(q, row)| q * row).collect();
        let problem = FactoredLcp::from_half(m, half, q).unwrap().into();
        solve_by_all(&mut random, &whole, &problem, &mut tally);
    }
    tally.end("factored");
}

impl Smooth for Whole {
    fn dim(&self) -> usize {
        self.q.len()
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        let n = self.q.len();
        for i in 0..n {
            let term = |j: usize| self.matrix[i * n + j] * z[j] / self.columns[j];
            let cube = self.cubes[i] * (z[i] / self.columns[i]).powi(3);
            f[i] = ((0..n).map(term).sum::<f64>() + self.q[i] + cube) * self.rows[i];
        }
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        let n = self.q.len();
        for at in 0..n * n {
            let (i, j) = (at / n, at % n);
            let square = if i == j { 3.0 * self.cubes[i] * (z[i] / self.columns[i]).powi(2) } else { 0.0 };
            jacobian[at] = (self.matrix[at] + square) * self.rows[i] / self.columns[j];
        }
    }
}

fn nonlinear_problems(count: usize) {
    let mut random = Pcg64::seed_from_u64(153);
    let mut tally = Tally::default();
    for round in 0..count {
        let mut whole = draw(&mut random, round % 2, [0, 3, 20][round % 3]);
        for i in 0..whole.dim() {
            whole.cubes[i] = f64::from(random.random_range(0..=1));
            if random.random_bool(0.3) {
                let n = whole.dim();
                whole.matrix[i * n..(i + 1) * n].fill(0.0);
                whole.sums[i * n..(i + 1) * n].fill(0.0); // the Jacobian vanishes with z_i
            }
        }
        let [lower, upper] = whole.bounds();
        let problem = Mcp::new(whole.clone(), lower, upper).unwrap();
        let solvers: [Named<Mcp<Whole>>; 4] = [
            ("path", Box::new(Path::new(PathSettings::default()).unwrap())),
            ("fb-plm", Box::new(FbPlm::new(FbPlmSettings::default()).unwrap())),
            ("fb-rlm", Box::new(FbRlm::new(FbRlmSettings::default()).unwrap())),
            ("robust", Box::new(Robust::<Mcp<Whole>>::new(RobustSettings::default()).unwrap())),
        ];
        let guess = whole.guess(&mut random);
        for (name, mut solver) in solvers {
            let mut x = Solution { z: guess.clone(), w: vec![] };
            let report = solver.solve(&problem, Start::Warm, &mut x);
            tally.judge(name, &whole, report.status, &x);
        }
    }
    tally.end("nonlinear");
}

#[test]
fn no_answer_called_solved_is_wrong_under_any_solver_and_every_w_belongs_to_its_z() {
    linear_problems(150);
    factored_problems(150);
    nonlinear_problems(60);
}

#[test]
#[ignore = "slow: takes half a minute"]
fn no_answer_called_solved_is_wrong_in_six_thousand_problems() {
    linear_problems(1500);
    factored_problems(750);
    nonlinear_problems(750);
}

/// `F(z)` and `F'(z)`.
type Curve = fn(f64) -> [f64; 2];

/// A function of one unknown.
struct Scalar(Curve);

impl Smooth for Scalar {
    fn dim(&self) -> usize {
        1
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        f[0] = (self.0)(z[0])[0];
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        jacobian[0] = (self.0)(z[0])[1];
    }
}

#[test]
fn a_function_that_is_flat_steep_or_undefined_somewhere_is_solved_where_its_answer_is() {
    let pole = |z: f64| [2.0 - 2.0 / (z + 1e-9), 2.0 / (z + 1e-9).powi(2)];
    let cases: [(Curve, f64, f64); 6] = [
        (|z| [z.powi(3) + 1.0, 3.0 * z * z], 1.0, 0.0),
        (|z| [z.powi(3) + 1e-12 * z + 1.0, 3.0 * z * z + 1e-12], 1.0, 0.0),
        (|z| [1.0 - (25.0 * (1.0 - z)).exp(), 25.0 * (25.0 * (1.0 - z)).exp()], 3.0, 1.0),
        (pole, 0.954, 1.0 - 1e-9),
        (|z| [z.ln() + 1.0, 1.0 / z], 0.5, (-1f64).exp()),
        (|z| [z.sqrt() + 1.0, 0.5 / z.sqrt()], 0.5, 0.0),
    ];
    for (at, (function, from, answer)) in cases.into_iter().enumerate() {
        let problem = Mcp::new(Scalar(function), vec![0.0], vec![INF]).unwrap();
        let solvers: [Box<dyn Solver<Mcp<Scalar>>>; 4] = [
            Box::new(Path::new(PathSettings::default()).unwrap()),
            Box::new(FbPlm::new(FbPlmSettings::default()).unwrap()),
            Box::new(FbRlm::new(FbRlmSettings::default()).unwrap()),
            Box::new(Robust::<Mcp<Scalar>>::new(RobustSettings::default()).unwrap()),
        ];
        for mut solver in solvers {
            let mut x = Solution { z: vec![from], w: vec![] };
            let report = solver.solve(&problem, Start::Warm, &mut x);
            assert_eq!(report.status, Status::Solved, "{at} {report:?}");
            assert!((x.z[0] - answer).abs() < 1e-8, "{at} {x:?}");
        }
    }
}
