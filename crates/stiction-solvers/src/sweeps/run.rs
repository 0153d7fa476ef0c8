//! A solve in progress by coordinate sweeps: the iterate, what the problem keeps up to date about it, and the best answer.

use crate::driver::{self, Incumbent};
use crate::problem::{Report, Solution, Start, Status};
use crate::sweeps::coordinate_rows::Rows;

/// Iterate and incumbent of a problem with [`Rows`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Where the method is; `w` is up to date after [`Run::open`] and [`Run::offer`].
    pub(crate) iterate: Solution,
    /// See [`Rows::start`].
    pub(crate) state: Vec<f64>,
    /// Factors from `w` and `z` to dimensionless numbers.
    pub(crate) scales: (f64, f64),
    pub(crate) incumbent: Incumbent,
}

impl Run {
    /// Begins a solve at the guess or at the point of the box nearest to zero, whichever has the lesser residual.
    /// `history` says whether there is to be one, and of how many entries about.
    ///
    /// # Errors
    /// It is over already, with this report: the start is certified, or the data are not finite.
    pub(crate) fn open<P: Rows>(
        &mut self,
        problem: &P,
        start: Start,
        x: &mut Solution,
        (tolerance, time_limit): (f64, Option<f64>),
        history: (bool, usize),
    ) -> Result<(), Report> {
        let n = problem.dim();
        self.incumbent.open(tolerance);
        self.incumbent.limit_time(time_limit);
        self.incumbent.keep_history(history.0, history.1.saturating_add(3));
        let warm = driver::take_guess(start, n, x);
        if !problem.is_finite() {
            return Err(driver::refuse(problem, x));
        }
        self.iterate.resize(n);
        self.scales = problem.scales();
        if warm {
            self.iterate.z.copy_from_slice(&x.z);
            self.evaluate(problem, x);
            self.end_if_certified()?;
        }
        let guess = self.incumbent.residual().natural_map;
        self.iterate.z.fill(0.0);
        problem.project(&mut self.iterate.z);
        self.multiply(problem);
        // Evaluated only if that may end the solve, or if there is something to compare it with.
        if warm || history.0 || self.natural_map(problem) <= tolerance {
            self.evaluate(problem, x);
            self.end_if_certified()?;
        } else {
            x.z.copy_from_slice(&self.iterate.z);
            x.w.copy_from_slice(&self.iterate.w);
        }
        if warm && guess <= self.incumbent.residual().natural_map {
            self.iterate.z.copy_from_slice(&x.z);
            problem.project(&mut self.iterate.z);
            self.multiply(problem);
        }
        Ok(())
    }

    fn end_if_certified(&self) -> Result<(), Report> {
        if self.incumbent.is_certified() { Err(self.incumbent.report(Status::Solved)) } else { Ok(()) }
    }

    /// Prepares visits of rows from the iterate.
    pub(crate) fn start<P: Rows>(&mut self, problem: &P) {
        problem.start(&self.iterate.z, &self.iterate.w, &mut self.state);
    }

    /// Writes `w = M z + q` of the iterate.
    fn multiply<P: Rows>(&mut self, problem: &P) {
        let Solution { z, w } = &mut self.iterate;
        problem.multiply(z, w, &mut self.state);
        w.iter_mut().zip(problem.constant()).for_each(|(w, q)| *w += q);
    }

    /// The natural map of the iterate, at a fraction of the cost of its residual and rounding floor.
    pub(crate) fn natural_map<P: Rows>(&self, problem: &P) -> f64 {
        let (w_unit, z_unit) = self.scales;
        let mut worst: f64 = 0.0;
        for (i, (z, w)) in self.iterate.z.iter().zip(&self.iterate.w).enumerate() {
            let [lower, upper] = problem.bounds(i);
            let [lower, upper] = [lower * z_unit, upper * z_unit];
            let z = z * z_unit;
            worst = worst.max((z - (z - w * w_unit).max(lower).min(upper)).abs());
        }
        worst
    }

    /// Evaluates the iterate on the original data, records its natural map, and keeps it in `x` if it is the best.
    pub(crate) fn evaluate<P: Rows>(&mut self, problem: &P, x: &mut Solution) {
        let assessment = problem.assess(&self.iterate.z, &mut self.iterate.w, &mut self.state);
        self.incumbent.record(assessment.0.natural_map, &self.iterate.z);
        self.incumbent.offer(assessment, &self.iterate, x);
    }

    /// The same without a record.
    pub(crate) fn offer<P: Rows>(&mut self, problem: &P, x: &mut Solution) -> &Incumbent {
        let assessment = problem.assess(&self.iterate.z, &mut self.iterate.w, &mut self.state);
        self.incumbent.offer(assessment, &self.iterate, x);
        &self.incumbent
    }
}
