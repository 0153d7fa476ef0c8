//! What `solve` and `bench solvers` share: solvers by name, one timed solve, and how it is told.

use crate::error::CliError;
use serde::Serialize;
use std::time::Instant;
use stiction::scene::did_you_mean;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::{AnySolver, Entry, RegistryError, SOLVERS};
use stiction_solvers::{AnyProblem, ConeCertificate, Problem, Report, Solution, Start, Status};

/// One solver's work on one problem, as JSON says it. A residual that is not finite is `null`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) problem: String,
    pub(crate) class: &'static str,
    pub(crate) n: usize,
    pub(crate) solver: &'static str,
    pub(crate) status: &'static str,
    pub(crate) residual: f64,
    pub(crate) iterations: usize,
    pub(crate) pivots: usize,
    pub(crate) time_us: f64,
    /// Of a cone problem: how far the answer is from the laws of contact, in the problem's own units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<ConeCertificate>,
}

impl Outcome {
    pub(crate) fn solved(&self) -> bool {
        self.status == status_name(Status::Solved)
    }
}

/// The status in words of the command line.
pub(crate) fn status_name(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved",
        Status::Infeasible => "infeasible",
        Status::Ray => "ray",
        Status::Stalled => "stalled",
        Status::MaxIterations => "max-iterations",
        Status::NumericalFailure => "numerical-failure",
        _ => "unknown",
    }
}

/// The solver of a name, with a hint if there is none.
pub(crate) fn find_solver(name: &str) -> Result<&'static Entry, CliError> {
    registry::find(name).map_err(|error| CliError::Usage(with_hint(name, &error)))
}

fn with_hint(name: &str, error: &RegistryError) -> String {
    let hint = did_you_mean(name, SOLVERS.iter().map(|entry| entry.name).chain(["all"]));
    format!("--solver {name}: {error}{hint}")
}

/// Solves from nothing, several times if `seconds` allow, and tells the shortest time.
pub(crate) fn solve(
    entry: &Entry,
    solver: &mut dyn AnySolver,
    named: &NamedProblem,
    seconds: f64,
) -> Result<Outcome, CliError> {
    let class = named.problem.class();
    let mut x = Solution::default();
    let mut timed = || -> Option<(Report, f64)> {
        let from = match &named.start {
            Some(guess) => {
                x.z.clone_from(guess);
                Start::Warm
            }
            None => Start::Cold,
        };
        let start = Instant::now();
        let report = solver.solve(&named.problem, from, &mut x)?;
        Some((report, start.elapsed().as_secs_f64()))
    };
    let not_served = || {
        let error = registry::find_for(entry.name, class).err();
        CliError::Usage(error.map(|error| format!("{}: {error}", named.name)).unwrap_or_default())
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
        time_us: (shortest * 1e9).round() / 1e3,
        certificate: match &named.problem {
            AnyProblem::ConeNcp(problem) => Some(problem.certificate(&x.z, &x.w)),
            _ => None,
        },
    })
}
