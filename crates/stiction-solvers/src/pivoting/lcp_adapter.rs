//! Methods for linear complementarity problems put to work on problems with bounds, equations or low rank.
//!
//! [`Reduced<S>`] turns a [`BoxLcp`], an [`Mlcp`] or a [`FactoredLcp`] into an [`Lcp`] (the first two as described in
//! `box_to_lcp.rs`, the last by forming the product), lets `S` solve that, and brings the answer back. There it is
//! evaluated, and polished once: the equations of the unknowns between their bounds, solved anew on the original data by
//! LU, so that rounding of the elimination does not decide. `S` works to a hundredth of the tolerance.
//!
//! A [`Start::Basis`] is a basis of the problem that `S` sees; it is passed on where that problem is the original one.

use crate::driver::{self, Incumbent, check_tolerance};
use crate::linalg::dense::{dot_and_magnitude, scales};
use crate::linalg::lu::Lu;
use crate::pivoting::box_to_lcp::BoxReduction;
use crate::problem::{
    BoxLcp, FactoredLcp, HistoryEntry, Lcp, Mlcp, Problem, Report, Solution, Solver, SolverError, Start,
    Status,
};

/// `S` works to this part of the tolerance.
pub(crate) const INNER: f64 = 0.01;

/// Most rows of a factored problem whose matrix is formed: 134 MB.
const LARGEST_FORMED: usize = 4096;

/// A method for [`Lcp`]s with what it takes to serve the other linear classes; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Reduced<S> {
    inner: S,
    tolerance: f64,
    time_limit: Option<f64>,
    incumbent: Incumbent,
    reduction: BoxReduction,
    /// The product of a factored problem.
    formed: Lcp,
    /// The answer of `S`, and a candidate for the original problem.
    x: Solution,
    trial: Solution,
    scratch: Vec<f64>,
    polish: Polish,
}

impl<S: Solver<Lcp> + Default> Reduced<S> {
    /// `make` gives the method for the tolerance it is to work to; answers count as solved within `tolerance`.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`, and the errors of `make`.
    pub fn new(
        tolerance: f64,
        make: impl FnOnce(f64) -> Result<S, SolverError>,
    ) -> Result<Reduced<S>, SolverError> {
        check_tolerance(tolerance)?;
        Ok(Reduced { inner: make(INNER * tolerance)?, tolerance, ..Reduced::default() })
    }
}

impl<S> Reduced<S> {
    /// The same, with so many seconds at most for a solve; see [`Solver::limit_time`].
    #[must_use]
    pub fn within(mut self, time_limit: Option<f64>) -> Reduced<S> {
        self.time_limit = time_limit;
        self
    }

    /// Ends a solve with what `S` did: an answer that it calls solved and that is not certified here was spoilt by
    /// rounding.
    fn close(&mut self, inner: Report) -> Report {
        self.incumbent.add_work(&inner);
        self.incumbent.regularization = inner.regularization;
        let spoilt = inner.status == Status::Solved;
        self.incumbent.report(if spoilt { Status::NumericalFailure } else { inner.status })
    }
}

impl<S: Solver<Lcp>> Solver<Lcp> for Reduced<S> {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        self.incumbent.open(self.tolerance);
        self.incumbent.limit_time(self.time_limit);
        self.inner.limit_time(self.incumbent.budget().left());
        let inner = self.inner.solve(problem, start, x);
        self.incumbent.adopt((inner.residual, problem.residual_floor(x)));
        self.close(inner)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.inner.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.time_limit = seconds;
    }
}

impl<S: Solver<Lcp>> Solver<BoxLcp> for Reduced<S> {
    fn solve(&mut self, problem: &BoxLcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        self.incumbent.open(self.tolerance);
        self.incumbent.limit_time(self.time_limit);
        if problem.check_finite().is_err() {
            return driver::refuse(problem, x);
        }
        self.trial.resize(n);
        let guess = driver::take_guess(start, n, x);
        if guess {
            self.incumbent.adopt(problem.assess(&x.z, &mut x.w));
            if self.incumbent.is_certified() {
                return self.incumbent.report(Status::Solved);
            }
        }
        self.reduction.budget = self.incumbent.budget();
        self.reduction.reduce(problem);
        if !self.reduction.is_finite() {
            x.z.fill(0.0);
            problem.project(&mut x.z);
            self.incumbent.adopt(problem.assess(&x.z, &mut x.w));
            return self.incumbent.report(Status::NumericalFailure);
        }
        let mut inner_start = Start::Cold;
        if guess {
            self.reduction.contract(&x.z, &x.w, &mut self.x.z);
            inner_start = Start::Warm;
        }
        self.inner.limit_time(self.incumbent.budget().left());
        let inner = self.inner.solve(self.reduction.lcp(), inner_start, &mut self.x);
        self.reduction.expand(&self.x.z, &mut x.z);
        problem.project(&mut x.z);
        self.incumbent.adopt(problem.assess(&x.z, &mut x.w));
        self.polish.lu.budget = self.incumbent.budget();
        if self.polish.solve(problem, x, &mut self.trial) {
            let assessment = problem.assess(&self.trial.z, &mut self.trial.w);
            self.incumbent.offer(assessment, &self.trial, x);
        } else {
            self.trial.z.copy_from_slice(&x.z);
        }
        let bounds = |i: usize| [problem.lower()[i], problem.upper()[i]];
        if !self.incumbent.is_certified() && driver::snap(&mut self.trial.z, bounds) {
            let assessment = problem.assess(&self.trial.z, &mut self.trial.w);
            self.incumbent.offer(assessment, &self.trial, x);
        }
        self.close(inner)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.inner.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.time_limit = seconds;
    }
}

impl<S: Solver<Lcp>> Solver<Mlcp> for Reduced<S> {
    fn solve(&mut self, problem: &Mlcp, start: Start, x: &mut Solution) -> Report {
        Solver::<BoxLcp>::solve(self, problem.as_box_lcp(), start, x)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.inner.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.time_limit = seconds;
    }
}

impl<S: Solver<Lcp>> Solver<FactoredLcp> for Reduced<S> {
    /// Beyond 4096 rows the product is not formed and the solve is [`Status::Stalled`] at `z = 0`.
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        self.incumbent.open(self.tolerance);
        self.incumbent.limit_time(self.time_limit);
        if n > LARGEST_FORMED {
            x.resize(n);
            x.z.fill(0.0);
            self.incumbent.adopt(problem.assess(&x.z, &mut x.w, &mut self.scratch));
            return self.incumbent.report(Status::Stalled);
        }
        self.formed.resize(n);
        for i in 0..n {
            for j in 0..=i {
                let product = dot_and_magnitude(problem.row(i), problem.row(j)).0;
                self.formed.matrix_mut()[i * n + j] = product;
                self.formed.matrix_mut()[j * n + i] = product;
            }
        }
        self.formed.q_mut().copy_from_slice(problem.q());
        self.inner.limit_time(self.incumbent.budget().left());
        let inner = self.inner.solve(&self.formed, start, x);
        self.incumbent.adopt(problem.assess(&x.z, &mut x.w, &mut self.scratch));
        self.close(inner)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.inner.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.time_limit = seconds;
    }
}

/// The unknowns between their bounds solved anew, those at a bound put there.
#[derive(Clone, Debug, Default)]
struct Polish {
    lu: Lu,
    between: Vec<usize>,
    row_unit: Vec<f64>,
    column_unit: Vec<f64>,
    step: Vec<f64>,
}

impl Polish {
    /// Writes the polished `x` into `to`; `x.w` belongs to `x.z`. False if the equations are singular.
    fn solve(&mut self, problem: &BoxLcp, x: &Solution, to: &mut Solution) -> bool {
        let n = problem.dim();
        let (w_unit, z_unit) = scales(problem.matrix(), problem.q());
        to.resize(n);
        self.between.clear();
        for i in 0..n {
            // Where the natural map projects to.
            let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
            let target = x.z[i] - x.w[i] * w_unit / z_unit;
            to.z[i] = if target <= lower {
                lower
            } else if target >= upper {
                upper
            } else {
                self.between.push(i);
                x.z[i]
            };
        }
        if !self.factor(problem) {
            return false;
        }
        // Newton's step on a linear system twice: solution and refinement.
        for _ in 0..2 {
            self.step.clear();
            for (k, &i) in self.between.iter().enumerate() {
                let w = dot_and_magnitude(problem.row(i), &to.z).0 + problem.q()[i];
                self.step.push(-w * self.row_unit[k]);
            }
            self.lu.solve(&mut self.step);
            for (k, &i) in self.between.iter().enumerate() {
                to.z[i] += self.step[k] * self.column_unit[k];
            }
        }
        problem.project(&mut to.z);
        true
    }

    /// The equilibrated block of the unknowns between their bounds.
    fn factor(&mut self, problem: &BoxLcp) -> bool {
        let size = self.between.len();
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 1.0 };
        self.row_unit.clear();
        self.column_unit.clear();
        self.column_unit.resize(size, 0.0);
        let block = self.lu.matrix_mut(size);
        for (k, &i) in self.between.iter().enumerate() {
            let row = &mut block[k * size..(k + 1) * size];
            row.iter_mut().zip(&self.between).for_each(|(to, &j)| *to = problem.row(i)[j]);
            let unit = inverse(crate::linalg::dense::largest_abs(row));
            self.row_unit.push(unit);
            for (largest, v) in self.column_unit.iter_mut().zip(row.iter_mut()) {
                *v *= unit;
                *largest = largest.max(v.abs());
            }
        }
        self.column_unit.iter_mut().for_each(|unit| *unit = inverse(*unit));
        for row in block.chunks_exact_mut(size.max(1)) {
            row.iter_mut().zip(&self.column_unit).for_each(|(v, unit)| *v *= unit);
        }
        self.lu.factor().is_ok()
    }
}
