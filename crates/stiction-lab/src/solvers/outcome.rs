//! One timed solve of one problem by one solver, and what came of it.

use crate::error::LabError;
use serde::Serialize;
use std::time::Instant;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::{AnySolver, Entry};
use stiction_solvers::select::robust::Attempt;
use stiction_solvers::{AnyProblem, ConeCertificate, HistoryEntry, Problem, Report, Solution, Start, Status};

/// One solver's work on one problem, as JSON says it. A residual that is not finite is `null`.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of the problem.
    pub problem: String,
    /// Name of its class.
    pub class: &'static str,
    /// Number of its unknowns.
    pub n: usize,
    /// Name of the solver.
    pub solver: &'static str,
    /// How the solve ended, see [`status_name`].
    pub status: &'static str,
    /// Scaled residual of the natural map.
    pub residual: f64,
    /// Iterations, in the sense of the solver.
    pub iterations: usize,
    /// Pivots or factorizations, in the sense of the solver.
    pub pivots: usize,
    /// Shortest time (us).
    pub time_us: f64,
    /// Of a cone problem: how far the answer is from the laws of contact, in the problem's own units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<ConeCertificate>,
    /// The unknowns `z` and the function's values `w` there; left out where they are of no interest.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Solution>,
    /// Indices of the unknowns inside their bounds, to start a like problem from.
    pub basis: Vec<usize>,
    /// The multipliers that prove that the problem has no feasible point, where the solver tells them; see
    /// [`Solver::certificate`](stiction_solvers::Solver::certificate).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub infeasibility: Vec<f64>,
    /// What a solver of several methods tried, in that order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
    /// Residuals by iteration, of a solver whose settings ask for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<HistoryEntry>,
}

/// One method that a solver of several tried.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// Name of the method.
    pub solver: &'static str,
    /// How it ended.
    pub status: &'static str,
    /// Scaled residual of its answer.
    pub residual: f64,
    /// Its iterations.
    pub iterations: usize,
    /// Its pivots or factorizations.
    pub pivots: usize,
    /// The time it took (us).
    pub time_us: f64,
}

impl Outcome {
    /// Whether the residual is within the tolerance.
    pub fn solved(&self) -> bool {
        self.status == status_name(Status::Solved)
    }
}

/// The status in words of the command line.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved",
        Status::Infeasible => "infeasible",
        Status::Ray => "ray",
        Status::Stalled => "stalled",
        Status::MaxIterations => "max-iterations",
        Status::TimeLimit => "time-limit",
        Status::Interrupted => "interrupted",
        Status::NumericalFailure => "numerical-failure",
        _ => "unknown",
    }
}

/// A time (us), to nanoseconds.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e3
}

fn tried(attempt: &Attempt) -> Tried {
    let Attempt { solver, report, seconds } = attempt;
    Tried {
        solver,
        status: status_name(report.status),
        residual: report.residual.natural_map,
        iterations: report.iterations,
        pivots: report.pivots,
        time_us: microseconds(*seconds),
    }
}

/// Solves from nothing, several times if `seconds` allow, and tells the shortest time.
pub fn solve(
    entry: &Entry,
    solver: &mut dyn AnySolver,
    named: &NamedProblem,
    seconds: f64,
) -> Result<Outcome, LabError> {
    let class = named.problem.class();
    let mut x = Solution::default();
    let mut timed = || -> Option<(Report, f64)> {
        let from = match (&named.basis, &named.start) {
            (Some(basis), _) => Start::Basis(basis),
            (None, Some(guess)) => {
                x.z.clone_from(guess);
                Start::Warm
            }
            (None, None) => Start::Cold,
        };
        let start = Instant::now();
        let report = solver.solve(&named.problem, from, &mut x)?;
        Some((report, start.elapsed().as_secs_f64()))
    };
    let not_served = || {
        let error = registry::find_for(entry.name, class).err();
        LabError::Refused(error.map(|error| format!("{}: {error}", named.name)).unwrap_or_default())
    };
    let (report, mut shortest) = timed().ok_or_else(not_served)?;
    let mut spent = shortest;
    while spent + shortest < seconds {
        let Some((_, time)) = timed() else { break };
        shortest = shortest.min(time);
        spent += time;
    }
    Ok(Outcome {
        problem: named.name.clone(),
        class: class.name(),
        n: named.problem.dim(),
        solver: entry.name,
        status: status_name(report.status),
        residual: report.residual.natural_map,
        iterations: report.iterations,
        pivots: report.pivots,
        time_us: microseconds(shortest),
        certificate: match &named.problem {
            AnyProblem::ConeNcp(problem) => Some(problem.certificate(&x.z, &x.w)),
            _ => None,
        },
        basis: named.problem.active_set(&x).iter().collect(),
        infeasibility: solver.certificate().to_vec(),
        tried: solver.tried().iter().map(tried).collect(),
        history: solver.history().to_vec(),
        answer: Some(x),
    })
}
