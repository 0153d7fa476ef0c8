//! The best answer of a solve so far, how good it is, and the work it took.

use crate::driver::History;
use crate::linalg::budget::Budget;
use crate::linalg::watch;
use crate::problem::{HistoryEntry, Report, Residual, Solution, Status};

/// What a problem says of a candidate: its residual, and the rounding floor of its natural map.
pub(crate) type Assessment = (Residual, f64);

/// The best answer so far; its vectors are in the caller's [`Solution`].
///
/// ```text
/// incumbent.open(tolerance);
/// loop { .. candidate .. incumbent.offer(problem.assess(..), &candidate, x); if incumbent.is_certified() { break } }
/// incumbent.report(status of an answer that is not certified)
/// ```
#[derive(Clone, Debug, Default)]
pub(crate) struct Incumbent {
    tolerance: f64,
    /// Largest rounding floor that excuses.
    pub(crate) largest_floor: f64,
    residual: Residual,
    certified: bool,
    /// Iterations so far, as reported.
    pub(crate) iterations: usize,
    /// Pivots so far, as reported.
    pub(crate) pivots: usize,
    /// The multiple of the identity behind the best answer, as reported.
    pub(crate) regularization: f64,
    history: History,
    budget: Budget,
    /// Whether somebody hears of the iterations.
    told: bool,
}

impl Incumbent {
    /// Begins a solve: there is no answer yet, and no work has been done.
    pub(crate) fn open(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
        self.largest_floor = Residual::LARGEST_FLOOR;
        (self.iterations, self.pivots, self.regularization) = (0, 0, 0.0);
        self.history.restart(false, 0);
        self.budget = Budget::from_now(None);
        self.told = watch::wants_progress();
        self.forget();
    }

    /// Gives the solve just begun so many seconds at most.
    pub(crate) fn limit_time(&mut self, seconds: Option<f64>) {
        self.budget = Budget::from_now(seconds);
    }

    /// The time the solve has.
    pub(crate) fn budget(&self) -> Budget {
        self.budget
    }

    /// Whether the time is over, so that the method is to end with what it has.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.budget.is_spent()
    }

    /// Keeps a history of about `limit` entries at most in the solve just begun, if it is wanted.
    pub(crate) fn keep_history(&mut self, wanted: bool, limit: usize) {
        self.history.restart(wanted, limit);
    }

    /// Forgets the best answer, so that the next one replaces it.
    pub(crate) fn forget(&mut self) {
        self.residual = Residual::INFINITE;
        self.certified = false;
    }

    /// Copies `candidate` into `x` if it is the best answer so far, and says whether it is.
    pub(crate) fn offer(&mut self, assessment: Assessment, candidate: &Solution, x: &mut Solution) -> bool {
        let (residual, floor) = assessment;
        let certified = self.certifies(residual, floor);
        let better = self.improves(residual, certified);
        if better {
            self.accept(residual, certified);
            copy(candidate, x);
        }
        better
    }

    /// The same for the answer of another solver, which has evaluated it on the same problem to the same tolerance.
    /// Its work counts.
    pub(crate) fn offer_answer(&mut self, report: &Report, candidate: &Solution, x: &mut Solution) -> bool {
        let (residual, certified) = (report.residual, report.status == Status::Solved);
        let better = self.improves(residual, certified);
        if better {
            copy(candidate, x);
            self.adopt_answer(report);
        } else {
            self.add_work(report);
        }
        better
    }

    /// Makes the answer that is in the caller's solution already the best one, whatever it is worth.
    pub(crate) fn adopt(&mut self, (residual, floor): Assessment) {
        self.accept(residual, self.certifies(residual, floor));
    }

    fn certifies(&self, residual: Residual, floor: f64) -> bool {
        residual.certifies_within(self.tolerance, floor, self.largest_floor)
    }

    /// The same for the answer of another solver, see [`Incumbent::offer_answer`].
    pub(crate) fn adopt_answer(&mut self, report: &Report) {
        self.accept(report.residual, report.status == Status::Solved);
        self.regularization = report.regularization;
        self.add_work(report);
    }

    /// Counts the work of another solver.
    pub(crate) fn add_work(&mut self, report: &Report) {
        self.iterations += report.iterations;
        self.pivots += report.pivots;
    }

    /// Certified before others, then the lesser number.
    fn improves(&self, residual: Residual, certified: bool) -> bool {
        if certified == self.certified { residual.natural_map < self.residual.natural_map } else { certified }
    }

    fn accept(&mut self, residual: Residual, certified: bool) {
        self.residual = residual;
        self.certified = certified;
    }

    /// Whether the best answer is certified.
    pub(crate) fn is_certified(&self) -> bool {
        self.certified
    }

    /// The residual of the best answer; infinite if there is none.
    pub(crate) fn residual(&self) -> Residual {
        self.residual
    }

    /// Whether the settings ask for a history, or somebody hears of the iterations, so that it is worth evaluating a point only
    /// to record it.
    pub(crate) fn keeps_history(&self) -> bool {
        self.history.is_wanted() || self.told
    }

    /// Adds the natural map of the iteration under way to the history, and tells it to who hears of it, with the iterate in the
    /// problem's units (empty where it is not at hand).
    pub(crate) fn record(&mut self, natural_map: f64, z: &[f64]) {
        self.history.record(self.iterations, natural_map);
        if self.told {
            watch::tell(self.iterations, natural_map, z);
        }
    }

    /// The history of the last solve.
    pub(crate) fn history(&self) -> &[HistoryEntry] {
        self.history.entries()
    }

    /// Ends the solve; `end` is the status of an answer that is not certified. A method that the end of its time kept from
    /// a proof has said nothing of the problem.
    pub(crate) fn report(&self, end: Status) -> Report {
        let status = match end {
            _ if self.certified => Status::Solved,
            Status::Infeasible => Status::Infeasible,
            _ if self.budget.is_interrupted() => Status::Interrupted,
            _ if self.budget.is_spent() => Status::TimeLimit,
            Status::Solved => Status::Stalled,
            end => end,
        };
        Report {
            status,
            iterations: self.iterations,
            pivots: self.pivots,
            residual: self.residual,
            regularization: self.regularization,
        }
    }
}

/// Copies into memory that is there already.
fn copy(from: &Solution, to: &mut Solution) {
    to.z.clone_from(&from.z);
    to.w.clone_from(&from.w);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assessment(natural_map: f64, floor: f64) -> Assessment {
        (Residual { natural_map, ..Residual::default() }, floor)
    }

    #[test]
    fn certified_answers_come_first_and_the_lesser_natural_map_among_equals() {
        let (mut incumbent, mut x) = (Incumbent::default(), Solution::default());
        incumbent.open(1e-10);
        let at = |z: f64| Solution { z: vec![z], w: vec![0.0] };
        assert!(incumbent.offer(assessment(1e-3, 0.0), &at(1.0), &mut x));
        assert!(!incumbent.offer(assessment(1e-2, 0.0), &at(2.0), &mut x));
        assert!(!incumbent.offer((Residual::INFINITE, f64::INFINITY), &at(3.0), &mut x));
        assert_eq!((incumbent.is_certified(), x.z[0]), (false, 1.0));
        assert_eq!(incumbent.report(Status::Ray).status, Status::Ray);
        // Certified by its rounding floor, though a lesser natural map without one is not.
        assert!(incumbent.offer(assessment(1e-9, 1e-8), &at(4.0), &mut x));
        assert!(!incumbent.offer(assessment(2e-10, 0.0), &at(5.0), &mut x));
        assert!(incumbent.offer(assessment(1e-12, 0.0), &at(6.0), &mut x));
        assert_eq!((incumbent.report(Status::Ray).status, x.z[0]), (Status::Solved, 6.0));
    }

    #[test]
    fn an_answer_that_is_not_certified_is_never_reported_as_solved() {
        let mut incumbent = Incumbent::default();
        incumbent.open(1e-10);
        incumbent.adopt(assessment(1e-3, 0.0));
        assert_eq!(incumbent.report(Status::Solved).status, Status::Stalled);
    }

    #[test]
    fn the_history_has_the_iteration_numbers_and_ends_with_its_solve() {
        let mut incumbent = Incumbent::default();
        incumbent.open(1e-10);
        incumbent.keep_history(true, 2);
        incumbent.record(1.0, &[]);
        incumbent.iterations = 3;
        incumbent.record(0.5, &[]);
        let entry = |iteration, natural_map| HistoryEntry { iteration, natural_map };
        assert_eq!(incumbent.history(), [entry(0, 1.0), entry(3, 0.5)]);
        incumbent.open(1e-10);
        incumbent.record(1.0, &[]);
        assert!(incumbent.history().is_empty());
    }
}
