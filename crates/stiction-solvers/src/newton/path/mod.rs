//! A path-search Newton method on the normal map.
//!
//! # Problem
//! Any [`Bounded`] problem, linear or not: `l <= z <= u`, `w = F(z)`, `w_i >= 0` at the lower bound, `<= 0` at the upper,
//! `= 0` between. With `x = z - s`, where `z` is the projection of `x` and `s` what it cuts off, the solutions are the
//! zeros of the normal map `F(z) - s`.
//!
//! # Method
//! In equilibrated units:
//! 1. Crash: projected Newton steps, which also polish the answer, while they help.
//! 2. Merit: the norm of `F(z) - s`. Linearize: the Newton point solves a linear mixed complementarity problem.
//! 3. Path: pivot from the current point (`t = 0`), where the residual is all there, to the Newton point (`t = 1`), where
//!    the linear model has none, along the points where it is `1 - t` of what it was. If the starting basis is singular,
//!    or the path ends before it begins, the model gets a proximal term `eps (z - z_k)`.
//! 4. Non-monotone stabilization: the Newton point is accepted if its merit is below the largest of the last `memory`
//!    ones, and, up to `watchdog` times in a row, even if it is not.
//! 5. Path search: otherwise go back to the best point and along its path to the first `t = 1/2, 1/4, ..` with less merit.
//!    A path that ends on a ray is searched as far as it went.
//! 6. Near a solution: Newton steps on the face that the last basis names, evaluated on the original data.
//! 7. Linear problems that have failed so far: from the point of the box closest to zero, with an artificial variable that
//!    covers all wrong signs, Lemke's method for boxes; then with growing proximal terms.
//! 8. Restart from points spread over the box by fixed random numbers, and nonlinear problems from the best answer in the units of
//!    that.
//!
//! Steps 2 and 3 are in `newton_point`, step 7 in `cover_path`.
//!
//! # Convergence and failure
//! Where every linearization has a Newton path (say, `F` monotone, or P) the method converges from anywhere,
//! quadratically where the solution is regular. A linear problem takes one path. A ray proves nothing here
//! ([`Status::Ray`]); a merit that no point of the path lowers is [`Status::Stalled`], often at a local minimum. Where `F`
//! is NaN the merit is infinite, and the search goes back.
//!
//! # Cost
//! `2 n^2` operations a pivot and as many for each basic `z` at the start of a path; a crash step `2/3 f^3` for `f` free
//! indices. Contact problems take two to ten crash steps or a path of about `n / 2` pivots.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *The PATH solver: a non-monotone stabilization scheme for mixed complementarity problems*,
//! Optimization Methods and Software 5 (1995) 123-156. D. Ralph, *Global convergence of damped Newton's method for
//! nonsmooth equations via the path search*, Mathematics of Operations Research 19 (1994) 352-389. M. C. Ferris, T. S.
//! Munson, *Interfaces to PATH 3.0*, Computational Optimization and Applications 12 (1999) 207-227 (restarts, proximal
//! perturbation).

mod cover_path;
mod newton_point;
mod point;
mod settings;

use point::Point;
pub use settings::PathSettings;

use crate::driver;
use crate::linalg::capacity::reserve_to;
use crate::newton::merit_memory::MeritMemory;
use crate::newton::newton_driver::NewtonDriver;
use crate::newton::projected_newton::ProjectedNewton;
use crate::pivoting::tableaus::bounded_tableau::{BoundedTableau, PathEnd};
use crate::problem::{
    ActiveSet, Bounded, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status,
};

/// Step 7: the proximal terms tried where the whole path is built on them, relative to a matrix of unit diagonal. Large enough that a `z` growing like `1 / eps` along a ray
/// stays far from disguising its residual as rounding.
const REGULARIZATIONS: [f64; 4] = [0.0, 1e-9, 1e-7, 1e-5];

/// Step 5: part of the decrease that must be kept, and shortest stretch of the path.
const SUFFICIENT: f64 = 1e-4;
const SHORTEST: f64 = 1e-6;

/// Step 4: a Newton point whose merit is this many times the best is not even accepted on trial.
const RUNAWAY: f64 = 1e6;

/// Step 6: natural map (dimensionless) below which the faces are believed.
const NEAR: f64 = 1e-2;

/// Rounds of Newton steps on a face.
const FACE_ROUNDS: usize = 4;

/// The method with its workspace; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{Lcp, Path, PathSettings, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
/// let mut solver = Path::new(PathSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Path {
    settings: PathSettings,
    driver: NewtonDriver,
    newton: ProjectedNewton,
    tableau: BoundedTableau,
    here: Point,
    there: Point,
    best: Point,
    merits: MeritMemory,
    /// The linear model `s = M z + g + d a`.
    matrix: Vec<f64>,
    constant: Vec<f64>,
    cover: Vec<f64>,
    /// The proximal term the model has.
    proximal: f64,
    start: Vec<f64>,
}

impl Path {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: PathSettings) -> Result<Path, SolverError> {
        settings.validate()?;
        Ok(Path { settings, ..Path::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &PathSettings {
        &self.settings
    }

    /// The basic indices of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        self.driver.active_set()
    }

    /// The convergence history of the last solve, an entry for every Newton point; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.driver.incumbent.history()
    }

    fn reserve(&mut self, n: usize) {
        self.newton.reserve(n);
        self.tableau.reserve(n);
        for point in [&mut self.here, &mut self.there, &mut self.best] {
            point.resize(n);
        }
        self.merits.reserve(self.settings.memory);
        reserve_to(&mut self.matrix, n * n);
        for vector in [&mut self.constant, &mut self.cover, &mut self.start] {
            reserve_to(vector, n);
        }
    }

    /// Steps 1 to 6 from `self.start`.
    fn attempt<P: Bounded>(&mut self, problem: &P, crash_rounds: usize, x: &mut Solution) -> Status {
        self.newton.run((problem, &mut self.driver, x), &self.start, None, crash_rounds); // step 1
        if self.driver.is_over() {
            return Status::Stalled;
        }
        self.here.settle(problem, &mut self.driver.units, self.newton.z());
        if self.here.merit == f64::INFINITY {
            return Status::NumericalFailure;
        }
        self.best.copy_from(&self.here);
        self.merits.restart(self.here.merit, self.settings.memory);
        let mut on_trial = 0;
        for _ in 0..self.settings.max_iterations {
            if self.driver.incumbent.is_out_of_time() {
                break;
            }
            self.driver.incumbent.iterations += 1;
            let end = self.newton_point(problem);
            if end == PathEnd::Reached && self.finish(problem, x) {
                return Status::Solved;
            }
            if end == PathEnd::Reached && self.there.merit <= (1.0 - SUFFICIENT) * self.merits.largest() {
                on_trial = 0;
            } else if end == PathEnd::Reached
                && on_trial < self.settings.watchdog
                && self.there.merit <= RUNAWAY * self.best.merit
            {
                on_trial += 1; // step 4
            } else {
                on_trial = 0;
                if !self.search(problem) {
                    return match end {
                        PathEnd::Ray => Status::Ray,
                        PathEnd::Limit => Status::MaxIterations,
                        PathEnd::Lost => Status::NumericalFailure,
                        PathEnd::Reached => Status::Stalled,
                    };
                }
                if self.finish(problem, x) {
                    return Status::Solved;
                }
                self.merits.restart(self.there.merit, self.settings.memory);
            }
            std::mem::swap(&mut self.here, &mut self.there);
            self.merits.push(self.here.merit);
            if self.here.merit < self.best.merit {
                self.best.copy_from(&self.here);
            }
        }
        Status::MaxIterations
    }

    /// Step 5: from the best point, a point of its path with less merit in `there`.
    fn search<P: Bounded>(&mut self, problem: &P) -> bool {
        self.here.copy_from(&self.best);
        // Without a model there is no path: its slopes are no finite numbers.
        if !self.linearize(problem) {
            return false;
        }
        self.end_of_path(problem);
        let reach = 1.0 - self.tableau.lowest();
        let mut t = reach;
        while t >= SHORTEST && !self.driver.incumbent.is_out_of_time() {
            if self.trace(problem, 1.0 - t) == PathEnd::Reached
                && self.there.merit <= (1.0 - SUFFICIENT * t) * self.here.merit
            {
                return true;
            }
            t *= 0.5;
        }
        false
    }

    /// Evaluates `there`, and near a solution its face (step 6).
    fn finish<P: Bounded>(&mut self, problem: &P, x: &mut Solution) -> bool {
        let residual = self.driver.offer(problem, &self.there.z, x);
        self.driver.record();
        if residual <= NEAR || problem.is_affine() {
            let faces = Some(&*self.there.faces);
            self.newton.run((problem, &mut self.driver, x), &self.there.z, faces, FACE_ROUNDS);
        }
        self.driver.is_done()
    }
}

impl<P: Bounded> Solver<P> for Path {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        self.reserve(problem.dim());
        let history = (self.settings.history, self.settings.history_limit());
        let limits = (self.settings.tolerance, self.settings.time_limit);
        if let Err(report) = self.driver.open(problem, limits, history, start, x) {
            return report;
        }
        self.tableau.limit_time(self.driver.incumbent.budget());
        if let Some(basis) = driver::basis(start, problem.dim()) {
            self.newton.start_from((problem, &mut self.driver, x), basis);
            if self.driver.is_done() {
                return self.driver.close(problem, Status::Solved, x);
            }
        }
        self.start.clone_from(&self.driver.start);
        let mut status = self.attempt(problem, self.settings.crash_rounds, x);
        if problem.is_affine() {
            for (attempt, epsilon) in REGULARIZATIONS.into_iter().enumerate() {
                if self.driver.is_over() || (attempt > 0 && self.driver.incumbent.is_certified()) {
                    break;
                }
                let end = self.cover_path(problem, epsilon, x);
                if attempt == 0 && end != Status::NumericalFailure {
                    status = end;
                }
                if end == Status::MaxIterations {
                    break;
                }
            }
        }
        for attempt in 0..self.settings.restarts {
            if self.driver.incumbent.is_certified() || self.driver.is_over() {
                break;
            }
            if !self.driver.restart_in_other_units(problem, attempt, x) {
                self.driver.restart_anywhere(attempt);
            } // step 8
            self.start.clone_from(&self.driver.start);
            // Every other attempt without a crash, which may lead back to where the last one ended.
            let rounds = if attempt % 2 == 0 { 0 } else { self.settings.crash_rounds };
            let _ = self.attempt(problem, rounds, x);
        }
        self.driver.close(problem, status, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
