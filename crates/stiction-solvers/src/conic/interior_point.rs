//! The interior-point method of the conic library Clarabel, for convex problems; behind the feature `conic`.
//!
//! # Problem
//! A box problem with symmetric positive semidefinite `M`: minimize `1/2 z . M z + q . z` over `l <= z <= u`. A factored
//! problem `M = Y Y^T`: minimize `1/2 |v|^2` subject to `Y v + q >= 0`, whose multipliers are `z`.
//!
//! # Method
//! 1. Scale the data to the units of the problem's residual.
//! 2. Hand the quadratic program to the library, with tolerances below the one asked for.
//! 3. Project what comes back on the box and evaluate it on the original data.
//!
//! # Convergence and failure
//! Interior-point methods converge in some ten to twenty iterations whatever the conditioning, but stop around 1e-9 where
//! an index is at its bound and unpressed at once (no strict complementarity), and fail where only one velocity is feasible:
//! there is no interior then. A problem that is not symmetric is refused
//! as [`Status::NumericalFailure`]. The library recognises infeasible factored problems by a certificate.
//!
//! # Cost
//! One sparse factorization an iteration. The library allocates; this solver is for cross-checks and large sparse data,
//! not for the step of a simulation.
//!
//! # References
//! P. Goulart, Y. Chen, *Clarabel: an interior-point solver for conic programs with quadratic objectives*, 2024.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use serde::{Deserialize, Serialize};

use crate::driver::check_limits;
use crate::linalg::budget::Budget;
use crate::problem::{BoxLcp, FactoredLcp, Lcp, Report, Solution, Solver, SolverError, Start, Status};
use crate::sweeps::coordinate_rows::Rows;
use crate::sweeps::run::Run;

/// The library works to this part of the tolerance, but not below what it reaches.
const INNER: f64 = 1e-2;
const FINEST: f64 = 1e-14;

/// What posing a problem and setting the library up takes for each entry of a dense matrix (s), measured and rounded up.
const SETUP: f64 = 1.5e-7;

/// Entries of `M - M^T` beyond this part of the largest entry are no rounding.
pub(crate) const ASYMMETRY: f64 = 1e-12;

/// What [`InteriorPoint`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InteriorPointSettings {
    /// An answer whose natural map is at most this is solved (dimensionless, see [`crate::problem::Problem::residual`]).
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over, or an iteration would not end before, the best answer so
    /// far is returned ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Iterations at most.
    pub max_iterations: u32,
}

impl Default for InteriorPointSettings {
    fn default() -> InteriorPointSettings {
        InteriorPointSettings { tolerance: 1e-8, time_limit: None, max_iterations: 200 }
    }
}

/// Clarabel behind this crate's interface; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    settings: InteriorPointSettings,
    run: Run,
}

/// A quadratic program with rows `A x + s = b`, `s` in the cones.
pub(crate) struct Program {
    pub(crate) hessian: CscMatrix<f64>,
    pub(crate) gradient: Vec<f64>,
    pub(crate) rows: CscMatrix<f64>,
    pub(crate) right: Vec<f64>,
    pub(crate) cones: Vec<SupportedConeT<f64>>,
}

impl InteriorPoint {
    /// A solver with these settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] if the tolerance is not positive.
    pub fn new(settings: InteriorPointSettings) -> Result<InteriorPoint, SolverError> {
        check_limits(settings.tolerance, settings.time_limit)?;
        Ok(InteriorPoint { settings, run: Run::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &InteriorPointSettings {
        &self.settings
    }

    /// The whole solve around the library: `program` poses, `answer` picks the impulses out of unknowns and multipliers.
    fn solve_by<P: Rows>(
        &mut self,
        problem: &P,
        start: Start,
        x: &mut Solution,
        program: impl FnOnce((f64, f64)) -> Option<Program>,
        answer: impl FnOnce(Vec<f64>, Vec<f64>) -> Vec<f64>,
    ) -> Report {
        let tolerance = self.settings.tolerance;
        let run = &mut self.run;
        if let Err(report) = run.open(problem, start, x, (tolerance, self.settings.time_limit), (false, 0)) {
            return report;
        }
        // The start is the answer if the library has none.
        if run.offer(problem, x).is_certified() {
            return run.incumbent.report(Status::Solved);
        }
        let scales = problem.scales();
        let budget = run.incumbent.budget();
        if !allows_start(budget, problem.dim()) {
            return run.incumbent.report(Status::TimeLimit);
        }
        let Some((unknowns, multipliers, iterations, status)) =
            program(scales).and_then(|program| run_library(&self.settings, budget, &program))
        else {
            return run.incumbent.report(Status::NumericalFailure);
        };
        run.incumbent.iterations = iterations;
        let z = answer(unknowns, multipliers);
        if z.len() == x.z.len() && z.iter().all(|z| z.is_finite()) {
            run.iterate.z.iter_mut().zip(&z).for_each(|(x, z)| *x = z / scales.1);
            problem.project(&mut run.iterate.z);
            run.offer(problem, x);
        }
        let status = match status {
            SolverStatus::PrimalInfeasible => Status::Infeasible,
            SolverStatus::CallbackTerminated => Status::TimeLimit,
            SolverStatus::MaxIterations => Status::MaxIterations,
            SolverStatus::NumericalError => Status::NumericalFailure,
            _ => Status::Stalled,
        };
        run.incumbent.report(status)
    }

    fn solve_box<P: Rows>(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        self.solve_by(problem, start, x, |scales| box_program(problem, scales), |z, _| z)
    }
}

/// Whether the time left is enough to pose a dense problem of `n` unknowns and to set the library up, which nothing
/// can interrupt.
pub(crate) fn allows_start(budget: Budget, n: usize) -> bool {
    budget.left().is_none_or(|left| left > SETUP * (n * n) as f64)
}

/// Runs the library; gives the unknowns, the multipliers, iterations and how it ended. No iteration begins that would last
/// longer than what is left of the budget, if it takes as long as the longest so far.
pub(crate) fn run_library(
    settings: &InteriorPointSettings,
    budget: Budget,
    program: &Program,
) -> Option<(Vec<f64>, Vec<f64>, usize, SolverStatus)> {
    let inner = (INNER * settings.tolerance).max(FINEST);
    let options = DefaultSettings {
        verbose: false,
        max_iter: settings.max_iterations,
        tol_gap_abs: inner,
        tol_gap_rel: inner,
        tol_feas: inner,
        tol_ktratio: inner,
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let Program { hessian, gradient, rows, right, cones } = program;
    let mut solver = DefaultSolver::new(hessian, gradient, rows, right, cones, options).ok()?;
    // The first call comes after the start, which costs as much as an iteration.
    let (mut before, mut longest) = (budget.left(), 0.0_f64);
    solver.set_termination_callback(move |_: &DefaultInfo<f64>| {
        let left = budget.left();
        if let (Some(before), Some(left)) = (before, left) {
            longest = longest.max(before - left);
        }
        before = left;
        budget.is_spent() || left.is_some_and(|left| left <= longest)
    });
    solver.solve();
    let solution = solver.solution;
    Some((solution.x, solution.z, solution.iterations as usize, solution.status))
}

/// Unknowns in the units of the residual: `z z_unit`, `w w_unit`. `None` if the matrix is not symmetric.
fn box_program<P: Rows>(problem: &P, (w_unit, z_unit): (f64, f64)) -> Option<Program> {
    let n = problem.dim();
    let entry = |i: usize, j: usize| problem.entry(i, j) * (w_unit / z_unit);
    let mut largest: f64 = 0.0;
    let (mut skew, mut hessian) = (0.0_f64, Triplets::default());
    for j in 0..n {
        for i in 0..=j {
            let (above, below) = (entry(i, j), entry(j, i));
            largest = largest.max(above.abs());
            skew = skew.max((above - below).abs());
            hessian.add(i, j, 0.5 * (above + below));
        }
    }
    if skew > ASYMMETRY * largest {
        return None;
    }
    let (mut rows, mut right) = (Triplets::default(), Vec::new());
    let (mut equal, mut one_sided) = (Vec::new(), Vec::new());
    for i in 0..n {
        let [lower, upper] = problem.bounds(i).map(|bound| bound * z_unit);
        if lower == upper {
            equal.push((i, 1.0, upper));
            continue;
        }
        if upper.is_finite() {
            one_sided.push((i, 1.0, upper));
        }
        if lower.is_finite() {
            one_sided.push((i, -1.0, -lower));
        }
    }
    let cones = vec![ZeroConeT(equal.len()), NonnegativeConeT(one_sided.len())];
    for (row, (i, sign, bound)) in equal.into_iter().chain(one_sided).enumerate() {
        rows.add(row, i, sign);
        right.push(bound);
    }
    let gradient = problem.constant().iter().map(|q| q * w_unit).collect();
    Some(Program { hessian: hessian.matrix(n, n), gradient, rows: rows.matrix(right.len(), n), right, cones })
}

/// Entries of a sparse matrix in any order.
#[derive(Default)]
pub(crate) struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Triplets {
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        }
    }

    pub(crate) fn matrix(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

impl Solver<Lcp> for InteriorPoint {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        self.solve_box(problem, start, x)
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

impl Solver<BoxLcp> for InteriorPoint {
    fn solve(&mut self, problem: &BoxLcp, start: Start, x: &mut Solution) -> Report {
        self.solve_box(problem, start, x)
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

impl Solver<FactoredLcp> for InteriorPoint {
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        let program = |(w_unit, z_unit): (f64, f64)| {
            let (n, m) = (problem.q().len(), problem.columns());
            // w' = Y' Y'^T z' + q' with w' = w w_unit and z' = z z_unit.
            let unit = (w_unit / z_unit).sqrt();
            let (mut hessian, mut rows) = (Triplets::default(), Triplets::default());
            (0..m).for_each(|k| hessian.add(k, k, 1.0));
            for i in 0..n {
                problem.row(i).iter().enumerate().for_each(|(k, y)| rows.add(i, k, -y * unit));
            }
            let right = problem.q().iter().map(|q| q * w_unit).collect();
            Some(Program {
                hessian: hessian.matrix(m, m),
                gradient: vec![0.0; m],
                rows: rows.matrix(n, m),
                right,
                cones: vec![NonnegativeConeT(n)],
            })
        };
        self.solve_by(problem, start, x, program, |_, z| z)
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pivoting::{Lemke, LemkeSettings};
    use crate::problem::Problem;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn redundant_and_factored_problems_get_the_velocities_that_lemkes_method_gives() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(8);
        let mut solved = 0;
        for _ in 0..60 {
            let (n, m) = (random.random_range(1..20), random.random_range(1..8));
            let y: Vec<f64> = (0..n * m).map(|_| random.random_range(-1.0..1.0)).collect();
            let v: Vec<f64> = (0..m).map(|_| random.random_range(-1.0..1.0)).collect();
            let row = |i: usize| &y[i * m..(i + 1) * m];
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let q: Vec<f64> = (0..n).map(|i| dot(row(i), &v)).collect();
            let matrix = (0..n * n).map(|k| dot(row(k / n), row(k % n))).collect();
            let dense = Lcp::new(matrix, q.clone()).unwrap();
            let factored = FactoredLcp::from_half(m, y.clone(), q).unwrap();
            let mut solver = InteriorPoint::new(InteriorPointSettings::default()).unwrap();
            let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
            let (mut a, mut b, mut c) = (Solution::default(), Solution::default(), Solution::default());
            assert_eq!(lemke.solve(&dense, Start::Cold, &mut a).status, Status::Solved);
            for report in
                [solver.solve(&dense, Start::Cold, &mut b), solver.solve(&factored, Start::Cold, &mut c)]
            {
                solved += usize::from(report.status == Status::Solved);
            }
            for (report, x) in [(dense.residual(&b), &b), (factored.residual(&c), &c)] {
                let close = a.w.iter().zip(&x.w).all(|(a, b)| (a - b).abs() < 1e-5);
                assert!(close || report.natural_map > 1e-8, "{report:?}");
            }
        }
        // Where only one velocity is feasible, the impulses are unbounded and the method has no interior to go through.
        assert!(solved >= 110, "{solved} of 120");
    }

    #[test]
    fn a_contradiction_is_infeasible_and_an_asymmetric_matrix_is_refused() {
        let mut solver = InteriorPoint::new(InteriorPointSettings::default()).unwrap();
        let mut x = Solution::default();
        // One body, pushed together from both sides faster than it can yield.
        let squeezed = FactoredLcp::from_half(1, vec![1.0, -1.0], vec![-1.0, -1.0]).unwrap();
        assert_eq!(solver.solve(&squeezed, Start::Cold, &mut x).status, Status::Infeasible);
        let skew = Lcp::new(vec![1.0, 2.0, 0.0, 1.0], vec![-1.0, -1.0]).unwrap();
        assert_eq!(solver.solve(&skew, Start::Cold, &mut x).status, Status::NumericalFailure);
    }
}
