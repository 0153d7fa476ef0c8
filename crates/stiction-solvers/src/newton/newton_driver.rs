//! The driver of the Newton-type methods: equilibration, the test of a warm start, the incumbent, the active set.

use crate::driver::{self, Incumbent};
use crate::linalg::capacity::reserve_to;
use crate::newton::equilibrated::Equilibrated;
use crate::newton::restarts::{scatter, scatter_inside};
use crate::problem::{ActiveSet, Bounded, Report, Residual, Solution, Start, Status};

/// Distances from the bounds (or from zero) of the points tried where the function is not defined at the start.
const INSIDE: [f64; 5] = [1.0, 0.1, 10.0, 1e-3, 100.0];

/// Units that differ by this factor are others.
const OTHER: f64 = 32.0;

/// Natural map below which rounding beside a bound may be what is left in a nonlinear problem, whose values cost more.
const NEAR: f64 = 1e-3;

/// Units, incumbent and start of a solve in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonDriver {
    pub(crate) units: Equilibrated,
    /// The last ones, while others are tried.
    units_before: Equilibrated,
    pub(crate) incumbent: Incumbent,
    /// Where the method starts, equilibrated.
    pub(crate) start: Vec<f64>,
    /// Natural map of the last candidate.
    last: f64,
    /// The last candidate, projected, in the problem's units.
    seen: Vec<f64>,
    active: ActiveSet,
    trial: Solution,
    memory: Vec<f64>,
    scratch: Vec<f64>,
}

impl NewtonDriver {
    /// Begins a solve at the guess or at the point of the box nearest to zero; [`NewtonDriver::start`] is set.
    /// `history` says whether there is to be one, and of how many entries at most.
    ///
    /// # Errors
    /// It is over already, with this report: the start is certified, or the data are not finite.
    pub(crate) fn open<P: Bounded>(
        &mut self,
        problem: &P,
        (tolerance, time_limit): (f64, Option<f64>),
        history: (bool, usize),
        start: Start,
        x: &mut Solution,
    ) -> Result<(), Report> {
        let n = problem.dim();
        self.clear(n, tolerance);
        self.incumbent.limit_time(time_limit);
        self.incumbent.keep_history(history.0, history.1);
        let warm = driver::take_guess(start, n, x);
        self.memory.clear();
        self.memory.extend_from_slice(&x.z);
        x.z.fill(0.0);
        x.w.fill(0.0);
        self.start.fill(0.0);
        problem.project(&mut self.start);
        if !self.find_start(problem, warm) {
            return Err(driver::refuse(problem, x));
        }
        let (mut from, guess) = (std::mem::take(&mut self.start), std::mem::take(&mut self.memory));
        let of_guess = if warm { self.evaluate(problem, &guess, x) } else { f64::INFINITY };
        let solved = self.incumbent.is_certified();
        if !solved {
            let of_zero = self.evaluate(problem, &from, x);
            // Far from a solution of a nonlinear problem the residual says little about a guess.
            if warm && (of_guess <= of_zero || (of_guess.is_finite() && !problem.is_affine())) {
                from.copy_from_slice(&guess);
                problem.project(&mut from);
            }
        }
        (self.start, self.memory) = (guess, from);
        self.units.shrink(&self.memory, &mut self.start);
        if solved || self.is_done() { Err(self.close(problem, Status::Solved, x)) } else { Ok(()) }
    }

    /// Takes the units at the first point where the function is defined and makes it the start: the guess unless the
    /// problem is linear, the point of the box nearest to zero, points inside. False if there is none.
    fn find_start<P: Bounded>(&mut self, problem: &P, warm: bool) -> bool {
        let mut guess = std::mem::take(&mut self.memory);
        let mut found = false;
        if warm && !problem.is_affine() {
            self.trial.z.copy_from_slice(&guess);
            problem.project(&mut self.trial.z);
            found = self.units.prepare(problem, &self.trial.z, &mut self.scratch);
        }
        found = found || self.units.prepare(problem, &self.start, &mut self.scratch);
        for inside in INSIDE.into_iter().filter(|_| !problem.is_affine()) {
            if found {
                break;
            }
            for (i, z) in self.start.iter_mut().enumerate() {
                *z = match problem.bounds(i) {
                    [f64::NEG_INFINITY, upper] => (upper - inside).min(inside),
                    [lower, f64::INFINITY] => (lower + inside).max(inside),
                    [lower, upper] => lower + (upper - lower) * inside / (1.0 + inside),
                };
            }
            problem.project(&mut self.start);
            found = self.units.prepare(problem, &self.start, &mut self.scratch);
        }
        std::mem::swap(&mut self.memory, &mut guess);
        found
    }

    /// Writes where a method restarts after its attempt number `attempt`, from 0, into [`NewtonDriver::start`].
    pub(crate) fn restart<P: Bounded>(&mut self, problem: &P, attempt: usize, x: &Solution) {
        if self.restart_in_other_units(problem, attempt, x) {
            return;
        }
        if attempt == 0 && self.start.iter().any(|z| *z != 0.0) {
            self.start.fill(0.0);
            self.units.project(&mut self.start);
        } else {
            self.restart_anywhere(attempt);
        }
    }

    /// The same at a point spread over the box in the units that are taken.
    pub(crate) fn restart_anywhere(&mut self, attempt: usize) {
        scatter(attempt, self.units.bounds.iter().copied(), &mut self.start);
        self.units.project(&mut self.start);
    }

    /// The same for a nonlinear problem in other units; false if there is nothing of that kind after this attempt.
    ///
    /// The units are those of the point where they were taken: beside a pole of the function they are too small by decades for what is
    /// far from it. Restarts are from the best answer in the units of that, if these are others, and from points in the box, in theirs.
    pub(crate) fn restart_in_other_units<P: Bounded>(
        &mut self,
        problem: &P,
        attempt: usize,
        x: &Solution,
    ) -> bool {
        !problem.is_affine()
            && (self.move_units(problem, &x.z, true) || self.restart_inside(problem, attempt))
    }

    /// Of every two attempts the second starts from a point spread over the box in the problem's units. False if it is the
    /// other's turn, or the function is not defined there.
    fn restart_inside<P: Bounded>(&mut self, problem: &P, attempt: usize) -> bool {
        if attempt.is_multiple_of(2) {
            return false;
        }
        let mut at = std::mem::take(&mut self.memory);
        at.resize(problem.dim(), 0.0);
        let distance = INSIDE[attempt / 2 % INSIDE.len()];
        scatter_inside(attempt, distance, |i| problem.bounds(i), &mut at);
        problem.project(&mut at);
        let moved = self.move_units(problem, &at, false);
        self.memory = at;
        moved
    }

    /// Takes the units at a point, in the problem's units, and makes it the start; `only_if_other`: if one of them is larger
    /// or smaller by [`OTHER`] than it was. False, with the units as they were, if not, or if the function is not defined there.
    fn move_units<P: Bounded>(&mut self, problem: &P, at: &[f64], only_if_other: bool) -> bool {
        std::mem::swap(&mut self.units, &mut self.units_before);
        self.units.reserve(at.len());
        let taken = self.units.prepare(problem, at, &mut self.scratch);
        if !taken || (only_if_other && self.units.distance_from(&self.units_before) < OTHER) {
            std::mem::swap(&mut self.units, &mut self.units_before);
            return false;
        }
        self.units.shrink(at, &mut self.start);
        self.units.project(&mut self.start);
        true
    }

    fn clear(&mut self, n: usize, tolerance: f64) {
        self.incumbent.open(tolerance);
        self.units.reserve(n);
        self.trial.resize(n);
        self.start.resize(n, 0.0);
        self.active.resize(n);
        self.active.clear();
        reserve_to(&mut self.memory, n);
        reserve_to(&mut self.seen, n);
        reserve_to(&mut self.scratch, n * n);
    }

    /// Ends a solve; `status` is what is said of an answer that is not certified.
    pub(crate) fn close<P: Bounded>(&mut self, problem: &P, status: Status, x: &mut Solution) -> Report {
        if self.incumbent.residual() == Residual::INFINITE {
            // There is no answer; x still has what its z is worth.
            problem.project(&mut x.z);
            problem.eval(&x.z, &mut x.w);
        }
        for i in 0..x.z.len() {
            let [lower, upper] = problem.bounds(i);
            let inside = (x.z[i] - lower).min(upper - x.z[i]) / self.units.unit(i);
            self.active.set(i, inside > (x.w[i] / self.units.value_unit(i)).abs());
        }
        self.incumbent.report(status)
    }

    /// The indices whose `z_i` is strictly inside its bounds, and further so than `w_i` is from zero (both in
    /// equilibrated units), in the answer of the last solve.
    pub(crate) fn active_set(&self) -> &ActiveSet {
        &self.active
    }

    /// Whether there is nothing left to do: the best answer is certified, or the time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_done() || self.incumbent.is_out_of_time()
    }

    /// Whether the best answer is certified.
    pub(crate) fn is_done(&self) -> bool {
        self.incumbent.is_certified()
    }

    /// Projects `z` (the problem's units) on the box, evaluates it on the original data and offers it to the incumbent.
    /// Returns its natural map in the problem's units.
    fn evaluate<P: Bounded>(&mut self, problem: &P, z: &[f64], x: &mut Solution) -> f64 {
        self.trial.z.copy_from_slice(z);
        problem.project(&mut self.trial.z);
        let assessment = problem.assess_answer(&mut self.trial, &mut self.scratch);
        self.last = assessment.0.natural_map;
        self.seen.clone_from(&self.trial.z);
        self.incumbent.offer(assessment, &self.trial, x);
        if (self.last < NEAR || problem.is_affine())
            && !self.incumbent.is_certified()
            && driver::snap(&mut self.trial.z, |i| problem.bounds(i))
        {
            let assessment = problem.assess_answer(&mut self.trial, &mut self.scratch);
            self.incumbent.offer(assessment, &self.trial, x);
        }
        self.last
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

    /// Evaluates an equilibrated point and returns the larger of its natural maps in the problem's and in equilibrated
    /// units. Far from a solution the former, whose units follow the point, hardly tells one from the other.
    pub(crate) fn offer<P: Bounded>(&mut self, problem: &P, scaled: &[f64], x: &mut Solution) -> f64 {
        let mut z = std::mem::take(&mut self.memory);
        z.resize(scaled.len(), 0.0);
        self.units.expand(scaled, &mut z);
        self.evaluate(problem, &z, x);
        self.memory = z;
        self.last.max(self.equilibrated_natural_map())
    }

    /// Adds the natural map of the last point evaluated to the history.
    pub(crate) fn record(&mut self) {
        self.incumbent.record(self.last, &self.seen);
    }
}
