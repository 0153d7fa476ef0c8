//! A solver that goes on well below the tolerance of its answers: residuals add up over the steps of a simulation and make
//! resting bodies drift, so we solve to 1e-14 although 1e-10 is accepted.

use super::FormulationError;
use std::fmt::{Debug, Formatter};
use stiction_solvers::{
    BoxLcpSolver, FactoredLcpSolver, LcpSolver, Report, Solution, Solver, SolverError, Start, Status,
};

/// Natural map that is aimed for (dimensionless): a hundred roundings.
const TARGET: f64 = 1e-14;

/// The same where matrices are not symmetric: elimination leaves up to a thousand roundings, beneath which solvers would
/// search in vain.
const TARGET_OF_ANY_MATRIX: f64 = 1e-12;

/// A solver of problems of class `P` with its two tolerances.
pub(crate) struct TightSolver<P> {
    name: &'static str,
    solver: Box<dyn Solver<P> + Send>,
    /// Largest natural map of an answer that counts as solved.
    tolerance: f64,
    /// Whether a ray proves that there is no solution.
    ray_proves: bool,
}

impl<P> Debug for TightSolver<P> {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        write!(f, "{} to {:e}", self.name, self.tolerance)
    }
}

/// Makes tight solvers of a choice.
macro_rules! tight {
    ($Choice:ident, $Problem:ident, $target:expr, $ray_proves:expr) => {
        impl TightSolver<stiction_solvers::$Problem> {
            /// The chosen solver.
            ///
            /// # Errors
            /// A setting out of range.
            pub(crate) fn new(choice: &$Choice) -> Result<Self, FormulationError> {
                let (name, tolerance) = (choice.name(), choice.tolerance());
                let refuse = |error: SolverError| FormulationError::SolverSetting { solver: name, error };
                // The solver itself checks a tolerance that is not between the target and 1.
                let target = if (0.0..1.0).contains(&tolerance) { tolerance.min($target) } else { tolerance };
                let solver = choice.clone().with_tolerance(target).make().map_err(refuse)?;
                Ok(Self { name, solver, tolerance, ray_proves: $ray_proves })
            }
        }
    };
}

tight!(BoxLcpSolver, BoxLcp, TARGET, true);
tight!(FactoredLcpSolver, FactoredLcp, TARGET, true);
tight!(LcpSolver, Lcp, TARGET_OF_ANY_MATRIX, false);

impl<P: stiction_solvers::Problem> TightSolver<P> {
    /// Solves a problem; whatever comes within the tolerance counts as solved.
    pub(crate) fn solve(&mut self, problem: &P, start: Start, x: &mut Solution) -> Report {
        let mut report = self.solver.solve(problem, start, x);
        match report.status {
            Status::Ray if self.ray_proves => report.status = Status::Infeasible,
            Status::Infeasible | Status::Solved => {}
            _ if report.residual.natural_map <= self.tolerance => report.status = Status::Solved,
            _ => {}
        }
        report
    }
}
