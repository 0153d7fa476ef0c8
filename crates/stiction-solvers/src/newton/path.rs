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
//! 8. Restart from points spread over the box by fixed random numbers.
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

use serde::{Deserialize, Serialize};

use crate::driver::{self, check_limits};
use crate::linalg::capacity::{reserve_to, resize_unset};
use crate::linalg::dense::dot;
use crate::newton::equilibrated::Equilibrated;
use crate::newton::merit_memory::MeritMemory;
use crate::newton::newton_driver::NewtonDriver;
use crate::newton::projected_newton::ProjectedNewton;
use crate::newton::restarts::scatter;
use crate::pivoting::bounded_tableau::{BoundedTableau, Line, PathEnd};
use crate::pivoting::face::Face;
use crate::problem::{
    ActiveSet, Bounded, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status,
};

/// Step 3: the proximal terms tried, relative to a matrix of unit diagonal.
const PROXIMAL: [f64; 4] = [1e-8, 1e-6, 1e-4, 1e-2];

/// Step 7: the same where the whole path is built on it. Large enough that a `z` growing like `1 / eps` along a ray
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

/// Step 7: smallest entry of the covering vector (equilibrated).
const SMALLEST_COVER: f64 = 0.1;

/// Settings of [`Path`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most Newton points of one attempt. Default 100.
    pub max_iterations: usize,
    /// Most pivots of one path. `None`: the larger of 5000 and `50 n`.
    pub max_pivots: Option<usize>,
    /// Rounds of the crash; 0 leaves it out. Default 20.
    pub crash_rounds: usize,
    /// Merits that the non-monotone stabilization looks back on; 1 is monotone. Default 10.
    pub memory: usize,
    /// Newton points accepted on trial, one after the other. Default 5.
    pub watchdog: usize,
    /// Further attempts from other points. Default 8.
    pub restarts: usize,
    /// Keep the natural map of every Newton point. Default false.
    pub history: bool,
}

impl Default for PathSettings {
    fn default() -> PathSettings {
        PathSettings {
            tolerance: 1e-10,
            time_limit: None,
            max_iterations: 100,
            max_pivots: None,
            crash_rounds: 20,
            memory: 10,
            watchdog: 5,
            restarts: 8,
            history: false,
        }
    }
}

impl PathSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }

    /// Most entries of the history: a Newton point and a searched one each iteration, and the covered paths.
    fn history_limit(&self) -> usize {
        let points = self.max_iterations.saturating_mul(2);
        self.restarts.saturating_add(1).saturating_mul(points).saturating_add(REGULARIZATIONS.len())
    }

    /// The limit on the pivots of one path for a problem of `n` unknowns.
    fn pivot_limit(&self, n: usize) -> usize {
        self.max_pivots.unwrap_or_else(|| n.saturating_mul(50).max(5000))
    }
}

/// A point of the normal map: `z` in the box, `s` of the sign its bound allows, `w = F(z)`.
#[derive(Clone, Debug, Default)]
struct Point {
    z: Vec<f64>,
    s: Vec<f64>,
    w: Vec<f64>,
    faces: Vec<Face>,
    /// `|w - s|`; infinite where `F` is not defined.
    merit: f64,
}

impl Point {
    fn resize(&mut self, n: usize) {
        for vector in [&mut self.z, &mut self.s, &mut self.w] {
            resize_unset(vector, n);
        }
        self.faces.resize(n, Face::Free);
    }

    fn copy_from(&mut self, other: &Point) {
        self.z.clone_from(&other.z);
        self.s.clone_from(&other.s);
        self.w.clone_from(&other.w);
        self.faces.clone_from(&other.faces);
        self.merit = other.merit;
    }

    /// Evaluates `w` and the merit at `z` and `s`.
    fn evaluate<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated) {
        units.value(problem, &self.z, &mut self.w);
        let square: f64 = self.w.iter().zip(&self.s).map(|(w, s)| (w - s) * (w - s)).sum();
        self.merit = if square.is_nan() { f64::INFINITY } else { square.sqrt() };
    }

    /// The point at `z` whose `s` leaves the least merit.
    fn settle<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated, z: &[f64]) {
        self.z.copy_from_slice(z);
        units.project(&mut self.z);
        units.value(problem, &self.z, &mut self.w);
        for i in 0..z.len() {
            let [lower, upper] = units.bounds[i];
            (self.faces[i], self.s[i]) = match self.z[i] {
                _ if lower == upper => (Face::Lower, self.w[i]),
                z if z <= lower => (Face::Lower, self.w[i].max(0.0)),
                z if z >= upper => (Face::Upper, self.w[i].min(0.0)),
                _ => (Face::Free, 0.0),
            };
        }
        self.evaluate(problem, units);
    }
}

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

    /// Steps 2 and 3: the Newton point of `here` in `there`, or as far as its path goes.
    fn newton_point<P: Bounded>(&mut self, problem: &P) -> PathEnd {
        if self.linearize(problem) { self.end_of_path(problem) } else { PathEnd::Lost }
    }

    /// The same for a linear model that is there.
    fn end_of_path<P: Bounded>(&mut self, problem: &P) -> PathEnd {
        let mut end = self.trace(problem, 0.0);
        for epsilon in PROXIMAL {
            let far = self.tableau.lowest() < 1.0 - SHORTEST;
            if end == PathEnd::Reached || far || self.driver.incumbent.is_out_of_time() {
                break;
            }
            self.set_proximal(epsilon);
            end = self.trace(problem, 0.0);
        }
        end
    }

    /// The linear model at `here`.
    fn linearize<P: Bounded>(&mut self, problem: &P) -> bool {
        let n = self.here.z.len();
        self.matrix.resize(n * n, 0.0);
        self.proximal = 0.0;
        if !self.driver.units.jacobian(problem, &self.here.z, &mut self.matrix) {
            return false;
        }
        self.constant.clear();
        self.cover.clear();
        for i in 0..n {
            self.constant.push(self.here.w[i] - dot(&self.matrix[i * n..(i + 1) * n], &self.here.z));
            self.cover.push(self.here.s[i] - self.here.w[i]);
        }
        true
    }

    fn set_proximal(&mut self, epsilon: f64) {
        let n = self.here.z.len();
        for i in 0..n {
            self.matrix[i * n + i] += epsilon - self.proximal;
            self.constant[i] -= (epsilon - self.proximal) * self.here.z[i];
        }
        self.proximal = epsilon;
    }

    /// Follows the path of the model from `here` to where `target` of the residual is left, and puts that point into
    /// `there`.
    fn trace<P: Bounded>(&mut self, problem: &P, target: f64) -> PathEnd {
        let line = Line {
            matrix: &self.matrix,
            constant: &self.constant,
            cover: &self.cover,
            bounds: &self.driver.units.bounds,
        };
        if self.tableau.start(line, &self.here.faces, 1.0).is_err() {
            return PathEnd::Lost;
        }
        let limit = self.settings.pivot_limit(self.here.z.len());
        let (end, pivots) = self.tableau.follow(line, target, limit);
        self.driver.incumbent.pivots += pivots;
        if end == PathEnd::Reached {
            self.collect(problem);
        }
        end
    }

    fn collect<P: Bounded>(&mut self, problem: &P) {
        let Point { z, s, faces, .. } = &mut self.there;
        self.tableau.extract(&self.driver.units.bounds, z, s, faces);
        self.there.evaluate(problem, &mut self.driver.units);
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

    /// Step 7: Lemke's path for boxes.
    fn cover_path<P: Bounded>(&mut self, problem: &P, epsilon: f64, x: &mut Solution) -> Status {
        let n = problem.dim();
        self.start.clear();
        self.start.resize(n, 0.0);
        self.here.settle(problem, &mut self.driver.units, &self.start);
        for (i, [lower, upper]) in self.driver.units.bounds.iter().enumerate() {
            let to_lower = self.here.z[i] - lower <= upper - self.here.z[i];
            self.here.faces[i] = match (lower.is_finite(), upper.is_finite()) {
                (false, false) => Face::Free,
                (true, false) => Face::Lower,
                (false, true) => Face::Upper,
                (true, true) => {
                    if to_lower {
                        Face::Lower
                    } else {
                        Face::Upper
                    }
                }
            };
        }
        if !self.linearize(problem) {
            return Status::NumericalFailure;
        }
        self.set_proximal(epsilon);
        let units = &self.driver.units;
        let largest = (0..n).map(|i| 1.0 / units.value_unit(i)).fold(0.0, f64::max);
        for (i, cover) in self.cover.iter_mut().enumerate() {
            let size = (1.0 / units.value_unit(i) / largest).max(SMALLEST_COVER);
            *cover = match self.here.faces[i] {
                Face::Lower => size,
                Face::Free => 0.0,
                Face::Upper => -size,
            };
        }
        let line = Line {
            matrix: &self.matrix,
            constant: &self.constant,
            cover: &self.cover,
            bounds: &self.driver.units.bounds,
        };
        if self.tableau.start(line, &self.here.faces, 0.0).is_err() {
            return Status::NumericalFailure;
        }
        let mut end = PathEnd::Reached;
        if self.tableau.rise(line.bounds) > 0.0 {
            let (reached, pivots) = self.tableau.follow(line, 0.0, self.settings.pivot_limit(n));
            self.driver.incumbent.pivots += pivots;
            end = reached;
        }
        self.collect(problem);
        if self.finish(problem, x) {
            self.driver.incumbent.regularization = epsilon;
        }
        match end {
            PathEnd::Ray => Status::Ray,
            PathEnd::Limit => Status::MaxIterations,
            PathEnd::Reached | PathEnd::Lost => Status::NumericalFailure,
        }
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
            let units = &self.driver.units;
            scatter(attempt, units.bounds.iter().copied(), &mut self.start); // step 8
            units.project(&mut self.start);
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
