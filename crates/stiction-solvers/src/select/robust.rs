//! One solver for each problem class that tries several methods and returns the best certified answer.
//!
//! # Problem
//! Any of the crate's classes. No single method solves all of them: pivoting meets rays and exponential paths, Newton
//! methods meet singular Jacobians and local minima, and each is fastest somewhere.
//!
//! # Method
//! 1. Let the first method of the class's order (of bounded problems given a basis, Dantzig's) that serves the problem ([`RobustClass::methods`]) start from what is given; if its answer is
//!    certified, that is all.
//! 2. Otherwise let the others try from nothing, in order, until one answer is certified.
//! 3. Without success look for a proof that there is no solution ([`crate::pivoting::infeasibility`]).
//! 4. Return the best answer found, evaluated on the original data, with the most informative status; say what was tried
//!    ([`Robust::tried`]), and write the problem to a file if asked ([`RobustSettings::dump`]).
//!
//! # Convergence and failure
//! As the best of its methods. Unsolved problems end with, in this order, [`Status::Infeasible`] (proved),
//! [`Status::Ray`], [`Status::Stalled`], [`Status::MaxIterations`], and with [`Status::TimeLimit`] when the time is over ([`Status::Interrupted`] when who watches ends the solve); data that are not finite with
//! [`Status::NumericalFailure`] at once. Bounds of all kinds on the unknowns of a contact matrix (copositive, not
//! semidefinite) leave no class with a theory: there Newton methods stop at local minima of their merit, pivoting ends on
//! rays, and what finds an answer is a start near it; hence the restarts at the end of that order.
//!
//! # Cost
//! That of the first method where it succeeds, and then no allocation on a second solve; the sum of all where none does.

use std::any::Any;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::driver::{Incumbent, check_limits};
use crate::io;
use crate::linalg::budget::Budget;
use crate::linalg::watch;
use crate::pivoting::box_to_lcp::BoxReduction;
use crate::pivoting::infeasibility::proof_within;
use crate::pivoting::lcp_adapter::Reduced;
use crate::pivoting::lemke_howson::LemkeHowson;
use crate::problem::{
    AnyProblem, BoxLcp, ConeNcp, FactoredLcp, Lcp, Mcp, Mlcp, Polynomial, Problem, Report, Residual, Smooth,
    Solution, Solver, SolverError, Start, Status,
};
use crate::select::defaults;

/// Settings of [`Robust`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RobustSettings {
    /// Largest natural map (dimensionless, scaled by the data) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock, which is read to tell [`Attempt::seconds`] only.
    pub time_limit: Option<f64>,
    /// File to write a problem to that was not solved, for `stiction solve`; the next one replaces it. Default none.
    pub dump: Option<PathBuf>,
}

impl Default for RobustSettings {
    fn default() -> RobustSettings {
        RobustSettings { tolerance: 1e-10, time_limit: None, dump: None }
    }
}

/// A method of an order, with its name.
pub struct Method<P> {
    name: &'static str,
    solver: Box<dyn Solver<P> + Send>,
    serves: fn(&P) -> bool,
    begins_with_a_basis: bool,
}

impl<P: Problem> Method<P> {
    /// A method for problems of class `P`.
    pub fn new(name: &'static str, solver: impl Solver<P> + Send + 'static) -> Method<P> {
        Method { name, solver: Box::new(solver), serves: |_| true, begins_with_a_basis: false }
    }

    /// The same for those problems of the class only of which `serves` says so.
    #[must_use]
    pub fn only_for(self, serves: fn(&P) -> bool) -> Method<P> {
        Method { serves, ..self }
    }

    /// The same, tried first where the start is a basis, which those before it cannot take.
    #[must_use]
    pub fn first_from_a_basis(self) -> Method<P> {
        Method { begins_with_a_basis: true, ..self }
    }
}

/// What a method made of the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Name of the method.
    pub solver: &'static str,
    /// Its report.
    pub report: Report,
    /// The time it took (s).
    pub seconds: f64,
}

/// A problem class with an order of methods.
pub trait RobustClass: Problem + Sized {
    /// The methods in the order in which they are tried.
    ///
    /// # Errors
    /// [`SolverError::Setting`] for a tolerance that a method refuses.
    fn methods(tolerance: f64) -> Result<Vec<Method<Self>>, SolverError>;

    /// A proof that the problem has no solution, looked for in so many seconds at most: the multipliers of
    /// [`Solver::certificate`], or nothing where it is one of another problem that has a solution exactly if this one has.
    fn infeasibility(&self, time_limit: Option<f64>) -> Option<Vec<f64>> {
        let _ = time_limit;
        None
    }

    /// The problem as a file can hold it; `None` if it cannot.
    fn to_any(&self) -> Option<AnyProblem>;
}

impl RobustClass for Lcp {
    fn methods(tolerance: f64) -> Result<Vec<Method<Lcp>>, SolverError> {
        Ok(vec![
            Method::new("lemke-howson", defaults::lemke_howson(tolerance)?).only_for(LemkeHowson::is_for),
            Method::new("lemke", defaults::lemke(tolerance)?),
            Method::new("dantzig", defaults::dantzig(tolerance)?),
            Method::new("path", defaults::path(tolerance)?),
            Method::new("fb-plm", defaults::fb_plm_briefly(tolerance)?),
            Method::new("proximal-lemke", defaults::proximal_lemke(tolerance)?),
            Method::new("enumeration", defaults::enumeration(tolerance)?),
        ])
    }

    fn infeasibility(&self, time_limit: Option<f64>) -> Option<Vec<f64>> {
        proof_within(self, time_limit)
    }

    fn to_any(&self) -> Option<AnyProblem> {
        Some(self.clone().into())
    }
}

impl RobustClass for BoxLcp {
    fn methods(tolerance: f64) -> Result<Vec<Method<BoxLcp>>, SolverError> {
        Ok(vec![
            Method::new("lemke", Reduced::new(tolerance, defaults::lemke)?),
            Method::new("dantzig", defaults::dantzig(tolerance)?).first_from_a_basis(),
            Method::new("path", defaults::path(tolerance)?),
            Method::new("fb-plm", defaults::fb_plm_briefly(tolerance)?),
            Method::new("proximal-lemke", Reduced::new(tolerance, defaults::proximal_lemke)?),
            Method::new("enumeration", Reduced::new(tolerance, defaults::enumeration)?),
            Method::new("path-restarts", defaults::path_with_restarts(tolerance)?),
        ])
    }

    fn infeasibility(&self, time_limit: Option<f64>) -> Option<Vec<f64>> {
        let mut reduction = BoxReduction::default();
        reduction.budget = Budget::from_now(time_limit);
        reduction.reduce(self);
        let proof = if reduction.is_finite() { proof_within(reduction.lcp(), time_limit) } else { None };
        proof.map(|_| Vec::new())
    }

    fn to_any(&self) -> Option<AnyProblem> {
        Some(self.clone().into())
    }
}

impl RobustClass for Mlcp {
    fn methods(tolerance: f64) -> Result<Vec<Method<Mlcp>>, SolverError> {
        Ok(vec![
            Method::new("lemke", Reduced::new(tolerance, defaults::lemke)?),
            Method::new("dantzig", defaults::dantzig(tolerance)?).first_from_a_basis(),
            Method::new("path", defaults::path(tolerance)?),
            Method::new("fb-plm", defaults::fb_plm_briefly(tolerance)?),
            Method::new("proximal-lemke", Reduced::new(tolerance, defaults::proximal_lemke)?),
            Method::new("enumeration", Reduced::new(tolerance, defaults::enumeration)?),
        ])
    }

    fn infeasibility(&self, time_limit: Option<f64>) -> Option<Vec<f64>> {
        self.as_box_lcp().infeasibility(time_limit)
    }

    fn to_any(&self) -> Option<AnyProblem> {
        Some(self.clone().into())
    }
}

impl RobustClass for FactoredLcp {
    fn methods(tolerance: f64) -> Result<Vec<Method<FactoredLcp>>, SolverError> {
        Ok(vec![
            Method::new("ppm", defaults::ppm(tolerance)?),
            Method::new("active-set-qp", defaults::active_set_qp(tolerance)?),
            Method::new("lemke", Reduced::new(tolerance, defaults::lemke)?),
            Method::new("proximal-lemke", Reduced::new(tolerance, defaults::proximal_lemke)?),
        ])
    }

    fn to_any(&self) -> Option<AnyProblem> {
        Some(self.clone().into())
    }
}

impl RobustClass for ConeNcp {
    fn methods(tolerance: f64) -> Result<Vec<Method<ConeNcp>>, SolverError> {
        Ok(vec![Method::new("chain", defaults::chain(tolerance)?)])
    }

    fn to_any(&self) -> Option<AnyProblem> {
        Some(self.clone().into())
    }
}

impl<F: Smooth + 'static> RobustClass for Mcp<F> {
    fn methods(tolerance: f64) -> Result<Vec<Method<Mcp<F>>>, SolverError> {
        Ok(vec![
            Method::new("path", defaults::path(tolerance)?),
            Method::new("fb-plm", defaults::fb_plm(tolerance)?),
            Method::new("fb-rlm", defaults::fb_rlm(tolerance)?),
        ])
    }

    fn to_any(&self) -> Option<AnyProblem> {
        (self as &dyn Any).downcast_ref::<Mcp<Polynomial>>().map(|problem| problem.clone().into())
    }
}

/// Several methods for problems of class `P`; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{Lcp, Robust, RobustSettings, Solution, Solver, Start, Status};
/// // No contact impulse can keep two bodies apart that approach each other from both sides: the proof is in the status.
/// let problem = Lcp::new(vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -1.0])?;
/// let mut solver = Robust::new(RobustSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Infeasible);
/// assert!(solver.tried().len() > 1);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
pub struct Robust<P> {
    settings: RobustSettings,
    methods: Vec<Method<P>>,
    tried: Vec<Attempt>,
    certificate: Vec<f64>,
    incumbent: Incumbent,
    trial: Solution,
    dump_error: Option<std::io::Error>,
}

impl<P: RobustClass> Robust<P> {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: RobustSettings) -> Result<Robust<P>, SolverError> {
        check_limits(settings.tolerance, settings.time_limit)?;
        let methods = P::methods(settings.tolerance)?;
        let tried = Vec::with_capacity(methods.len());
        Ok(Robust {
            settings,
            methods,
            tried,
            certificate: Vec::new(),
            incumbent: Incumbent::default(),
            trial: Solution::default(),
            dump_error: None,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &RobustSettings {
        &self.settings
    }

    /// Names of the methods in their order.
    pub fn order(&self) -> Vec<&'static str> {
        self.methods.iter().map(|method| method.name).collect()
    }

    /// What the last solve tried, in that order.
    pub fn tried(&self) -> &[Attempt] {
        &self.tried
    }

    /// Why the last unsolved problem could not be written to [`RobustSettings::dump`].
    pub fn dump_error(&self) -> Option<&std::io::Error> {
        self.dump_error.as_ref()
    }

    /// Steps 1 and 2. The best answer is left in `x`.
    fn run(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        self.incumbent.open(self.settings.tolerance);
        self.incumbent.limit_time(self.settings.time_limit);
        self.tried.clear();
        self.certificate.clear();
        let mut status = Status::NumericalFailure;
        let of_basis = matches!(start, Start::Basis(_));
        let count = self.methods.len();
        // Those that take the basis, then the others.
        for turn in 0..2 * count {
            let method = &mut self.methods[turn % count];
            let in_first_round = of_basis && method.begins_with_a_basis;
            if in_first_round != (turn < count) || !(method.serves)(problem) {
                continue;
            }
            let first = self.tried.is_empty();
            if !first && self.incumbent.is_out_of_time() {
                break;
            }
            method.solver.limit_time(self.incumbent.budget().left());
            let outer = watch::name_method(method.name);
            let begin = Instant::now();
            let report = if first {
                let report = method.solver.solve(problem, start, x);
                self.incumbent.adopt_answer(&report);
                report
            } else {
                let report = method.solver.solve(problem, Start::Cold, &mut self.trial);
                self.incumbent.offer_answer(&report, &self.trial, x);
                report
            };
            watch::tell(
                report.iterations,
                report.residual.natural_map,
                if first { &x.z } else { &self.trial.z },
            );
            let _ = watch::name_method(outer);
            let seconds = begin.elapsed().as_secs_f64();
            self.tried.push(Attempt { solver: method.name, report, seconds });
            if report.status == Status::Infeasible && self.certificate.is_empty() {
                self.certificate.extend_from_slice(method.solver.certificate());
            }
            if first || information(report.status) > information(status) {
                status = report.status;
            }
            let invalid = report.status == Status::NumericalFailure && report.residual == Residual::INFINITE;
            if report.status == Status::Solved || invalid {
                break;
            }
        }
        self.incumbent.report(status)
    }

    fn dump(&mut self, problem: &P) {
        self.dump_error = None;
        if let (Some(path), Some(any)) = (&self.settings.dump, problem.to_any()) {
            let name = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
            let text = io::to_json(&name, &any);
            self.dump_error = io::replace_file(path, |file| file.write_all(text.as_bytes())).err();
        }
    }
}

/// How much a status says about the problem rather than about the method.
fn information(status: Status) -> u8 {
    match status {
        Status::Solved => 5,
        Status::Infeasible => 4,
        Status::Ray => 3,
        Status::Stalled => 2,
        Status::MaxIterations | Status::TimeLimit | Status::Interrupted => 1,
        Status::NumericalFailure => 0,
    }
}

impl<P: RobustClass> Solver<P> for Robust<P> {
    fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let mut report = self.run(problem, start, x);
        if report.status != Status::Solved {
            let invalid = report.residual == Residual::INFINITE;
            let time = self.incumbent.budget();
            if !invalid
                && self.certificate.is_empty()
                && !time.is_spent()
                && let Some(proof) = problem.infeasibility(time.left())
            {
                report.status = Status::Infeasible; // step 3
                self.certificate = proof;
            }
            self.dump(problem);
        }
        report
    }

    fn certificate(&self) -> &[f64] {
        &self.certificate
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}
