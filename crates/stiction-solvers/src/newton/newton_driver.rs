//! What every Newton method of this crate does around its steps: equilibrate, look at the start, keep and judge the best
//! answer on the original data, keep the history.

use crate::linalg::capacity::make_room;
use crate::newton::equilibrated::Equilibrated;
use crate::newton::projected_newton::{Face, ProjectedNewton};
use crate::newton::restarts::scatter;
use crate::problem::{ActiveSet, Bounded, Report, Residual, Solution, SolverError, Start, Status};

/// Rounds of projected Newton steps from a basis.
const BASIS_ROUNDS: usize = 8;

/// Rounds that polish a certified answer: the faces are right, one step and one refinement.
const POLISH_ROUNDS: usize = 3;

/// Natural map in equilibrated units at which a certified answer is left to the polish. What rounding leaves of contact
/// problems with mass ratios to 1e6 is below.
const AIM: f64 = 1e-8;

/// The problem's units, the best answer's verdict (the answer sits in the caller's solution) and the work done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) units: Equilibrated,
    pub(crate) residual: Residual,
    /// Whether the best answer is certified by the problem.
    solved: bool,
    /// Its natural map in equilibrated units: where rows differ by decades in size, the problem's own units see the large
    /// ones only, and a certified answer may be improved.
    equilibrated: f64,
    pub(crate) iterations: usize,
    pub(crate) pivots: usize,
    pub(crate) regularization: f64,
    /// The natural maps of the last answer judged, in the problem's and in equilibrated units.
    last: f64,
    last_equilibrated: f64,
    /// Where the method starts, equilibrated.
    pub(crate) start: Vec<f64>,
    tolerance: f64,
    history: Vec<f64>,
    faces: Vec<Face>,
    active: ActiveSet,
    trial: Solution,
    memory: Vec<f64>,
    scratch: Vec<f64>,
}

impl Frame {
    /// Begins a solve. `Err`: it is over already, with this report. Otherwise [`Frame::start`] is set.
    pub(crate) fn open<P: Bounded>(
        &mut self,
        problem: &P,
        tolerance: f64,
        polish: &mut ProjectedNewton,
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        let n = problem.dim();
        self.clear(n, tolerance);
        // The guess; of a wrong length, or not finite, there is none.
        self.memory.clear();
        if matches!(start, Start::Warm) && x.z.len() == n && x.z.iter().all(|z| z.is_finite()) {
            self.memory.extend_from_slice(&x.z);
        }
        x.resize(n);
        x.z.fill(0.0);
        x.w.fill(0.0);
        self.start.fill(0.0);
        problem.project(&mut self.start);
        if !self.units.prepare(problem, &self.start, &mut self.scratch) {
            x.z.fill(0.0);
            return Err(self.report(Status::NumericalFailure));
        }
        let zero = std::mem::take(&mut self.start);
        let guess = std::mem::take(&mut self.memory);
        let of_guess = if guess.len() == n { self.judge(problem, &guess, x) } else { f64::INFINITY };
        if self.solved {
            (self.start, self.memory) = (zero, guess);
            return Err(self.close(problem, Status::Solved, x));
        }
        let of_zero = self.judge(problem, &zero, x);
        // Far from a solution of a nonlinear problem the residual says little about a guess.
        let accept = of_guess <= of_zero || (of_guess.is_finite() && !problem.is_affine());
        self.start = zero;
        self.memory = guess;
        if accept {
            self.start.copy_from_slice(&self.memory);
            problem.project(&mut self.start);
        }
        self.memory.resize(n, 0.0);
        self.memory.copy_from_slice(&self.start);
        self.units.shrink(&self.memory, &mut self.start);
        if !self.is_done()
            && let Start::Basis(set) = start
            && set.len() == n
        {
            self.start_from_basis(problem, set, polish, x);
        }
        if self.is_done() { Err(self.close(problem, Status::Solved, x)) } else { Ok(()) }
    }

    /// Writes where a method begins anew after its attempt number `attempt`, from 0, into [`Frame::start`].
    pub(crate) fn begin_anew(&mut self, attempt: usize) {
        let bounds = self.units.bounds.iter().copied();
        if attempt == 0 && self.start.iter().any(|z| *z != 0.0) {
            self.start.fill(0.0);
        } else {
            scatter(attempt, bounds, &mut self.start);
        }
        self.units.project(&mut self.start);
    }

    fn clear(&mut self, n: usize, tolerance: f64) {
        self.residual = Residual::INFINITE;
        self.solved = false;
        self.equilibrated = f64::INFINITY;
        (self.iterations, self.pivots, self.regularization) = (0, 0, 0.0);
        self.tolerance = tolerance;
        self.history.clear();
        self.units.reserve(n);
        self.trial.resize(n);
        self.start.resize(n, 0.0);
        self.active.resize(n);
        self.active.clear();
        make_room(&mut self.memory, n);
        make_room(&mut self.faces, n);
        make_room(&mut self.scratch, n * n);
    }

    fn start_from_basis<P: Bounded>(
        &mut self,
        problem: &P,
        set: &ActiveSet,
        polish: &mut ProjectedNewton,
        x: &mut Solution,
    ) {
        let mut faces = std::mem::take(&mut self.faces);
        faces.clear();
        faces.extend(self.units.bounds.iter().enumerate().map(|(i, bounds)| match bounds {
            _ if set.contains(i) => Face::Free,
            [f64::NEG_INFINITY, f64::INFINITY] => Face::Free,
            [f64::NEG_INFINITY, _] => Face::Upper,
            _ => Face::Lower,
        }));
        let start = std::mem::take(&mut self.start);
        polish.run((problem, self, x), &start, Some(&faces), BASIS_ROUNDS);
        (self.start, self.faces) = (start, faces);
        self.start.copy_from_slice(polish.z());
    }

    /// Ends a solve; `status` is what is said of an answer that is not certified.
    pub(crate) fn close<P: Bounded>(&mut self, problem: &P, status: Status, x: &Solution) -> Report {
        for i in 0..x.z.len() {
            let [lower, upper] = problem.bounds(i);
            let inside = (x.z[i] - lower).min(upper - x.z[i]) / self.units.unit(i);
            self.active.set(i, inside > (x.w[i] / self.units.value_unit(i)).abs());
        }
        self.report(status)
    }

    fn report(&self, status: Status) -> Report {
        Report {
            status: if self.solved { Status::Solved } else { status },
            iterations: self.iterations,
            pivots: self.pivots,
            residual: self.residual,
            regularization: self.regularization,
        }
    }

    /// The indices whose `z_i` is strictly inside its bounds, and further so than `w_i` is from zero (both in
    /// equilibrated units), in the answer of the last solve.
    pub(crate) fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// Whether the best answer is certified, in equilibrated units too.
    pub(crate) fn is_done(&self) -> bool {
        self.solved && self.equilibrated <= self.tolerance.max(AIM)
    }

    /// Whether the best answer is certified by the problem.
    pub(crate) fn is_solved(&self) -> bool {
        self.solved
    }

    /// Judges `z` (the problem's units), projected on the box, and keeps it in `x` if it is the best so far: certified
    /// answers before others, among them the one with the least natural map in equilibrated units, else the one with the
    /// least in the problem's, which is returned.
    fn judge<P: Bounded>(&mut self, problem: &P, z: &[f64], x: &mut Solution) -> f64 {
        self.trial.z.copy_from_slice(z);
        problem.project(&mut self.trial.z);
        let (residual, floor) = problem.assess_answer(&mut self.trial, &mut self.scratch);
        let certified = residual.certifies(self.tolerance, floor);
        self.last = residual.natural_map;
        self.last_equilibrated = self.equilibrated_natural_map();
        let better = match (certified, self.solved) {
            (true, true) => self.last_equilibrated < self.equilibrated,
            (false, false) => residual.natural_map < self.residual.natural_map,
            (certified, _) => certified,
        };
        if better {
            std::mem::swap(x, &mut self.trial);
            self.residual = residual;
            self.solved = certified;
            self.equilibrated = self.last_equilibrated;
        }
        residual.natural_map
    }

    /// Of the trial; infinite if NaN is in it.
    fn equilibrated_natural_map(&self) -> f64 {
        let mut worst: f64 = 0.0;
        for (i, [lower, upper]) in self.units.bounds.iter().enumerate() {
            let (z, w) = (self.trial.z[i] / self.units.unit(i), self.trial.w[i] / self.units.value_unit(i));
            if (z - w).is_nan() {
                return f64::INFINITY;
            }
            worst = worst.max((z - (z - w).max(*lower).min(*upper)).abs());
        }
        worst
    }

    /// Judges an equilibrated point, see [`Frame::is_done`], and returns its natural map in equilibrated units.
    pub(crate) fn offer<P: Bounded>(&mut self, problem: &P, scaled: &[f64], x: &mut Solution) -> f64 {
        let mut z = std::mem::take(&mut self.memory);
        z.resize(scaled.len(), 0.0);
        self.units.expand(scaled, &mut z);
        self.judge(problem, &z, x);
        self.memory = z;
        self.last_equilibrated
    }

    /// Polishes the point `scaled` on its face.
    pub(crate) fn polish<P: Bounded>(
        &mut self,
        problem: &P,
        polish: &mut ProjectedNewton,
        scaled: &[f64],
        x: &mut Solution,
    ) {
        let iterations = self.iterations;
        polish.run((problem, self, x), scaled, None, POLISH_ROUNDS);
        self.iterations = iterations;
    }

    /// Adds the natural map of the last answer judged to the history, which has been given room for `limit` entries.
    pub(crate) fn record(&mut self, limit: usize) {
        make_room(&mut self.history, limit);
        self.history.push(self.last);
    }

    /// Natural maps, iteration by iteration.
    pub(crate) fn history(&self) -> &[f64] {
        &self.history
    }
}

/// Checks a tolerance.
pub(crate) fn check_tolerance(tolerance: f64) -> Result<(), SolverError> {
    if (0.0..1.0).contains(&tolerance) {
        Ok(())
    } else {
        Err(SolverError::Setting {
            name: "tolerance",
            value: tolerance,
            requirement: "at least 0 and below 1",
        })
    }
}

/// Checks a setting that must lie strictly between two numbers.
pub(crate) fn check_between(
    name: &'static str,
    value: f64,
    [low, high]: [f64; 2],
    requirement: &'static str,
) -> Result<(), SolverError> {
    if value > low && value < high { Ok(()) } else { Err(SolverError::Setting { name, value, requirement }) }
}
