//! A solver by name that aims well below the tolerance it is judged by: what a solver leaves as residual, it leaves in
//! every step, and what should rest would creep.

use crate::contact::formulation::choice::FormulationError;
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::AnySolver;
use stiction_solvers::{AnyProblem, Class, Report, Residual, Solution, Start, Status};

/// Natural map that is aimed for (dimensionless): a hundred roundings.
const AIM: f64 = 1e-14;

/// The same where matrices are not symmetric: elimination leaves up to a thousand roundings, beneath which solvers would
/// search in vain.
const AIM_OF_ANY_MATRIX: f64 = 1e-12;

/// A solver of [`stiction_solvers::select::registry`].
pub(crate) struct AimedSolver {
    name: &'static str,
    solver: Box<dyn AnySolver + Send>,
    tolerance: f64,
    /// Whether a ray proves that there is no solution.
    ray_proves: bool,
}

impl std::fmt::Debug for AimedSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} to {:e}", self.name, self.tolerance)
    }
}

impl AimedSolver {
    /// The solver of this name for problems of this class with symmetric semidefinite matrices.
    ///
    /// # Errors
    /// An unknown name, one that does not serve the class, or a tolerance out of range.
    pub(crate) fn new(name: &str, class: Class, tolerance: f64) -> Result<Self, FormulationError> {
        Self::aimed_at(AIM, name, class, tolerance)
    }

    /// The same for problems with any matrix, of which a ray proves nothing.
    pub(crate) fn for_any_matrix(name: &str, class: Class, tolerance: f64) -> Result<Self, FormulationError> {
        Ok(Self { ray_proves: false, ..Self::aimed_at(AIM_OF_ANY_MATRIX, name, class, tolerance)? })
    }

    fn aimed_at(aim: f64, name: &str, class: Class, tolerance: f64) -> Result<Self, FormulationError> {
        let entry =
            registry::find_for(name, class).map_err(|error| FormulationError::Setting(error.to_string()))?;
        if !(0.0..1.0).contains(&tolerance) {
            let message = format!("tolerance {tolerance}: a number from 0 to 1 is needed");
            return Err(FormulationError::Setting(message));
        }
        let solver =
            entry.make(aim.min(tolerance)).map_err(|error| FormulationError::Setting(error.to_string()))?;
        Ok(Self { name: entry.name, solver, tolerance, ray_proves: true })
    }

    /// Solves a problem; whatever comes within the tolerance counts as solved.
    pub(crate) fn solve(&mut self, problem: &AnyProblem, start: Start, x: &mut Solution) -> Report {
        let Some(mut report) = self.solver.solve(problem, start, x) else { return not_finite() };
        match report.status {
            Status::Ray if self.ray_proves => report.status = Status::Infeasible,
            Status::Infeasible | Status::Solved => {}
            _ if report.residual.natural_map <= self.tolerance => report.status = Status::Solved,
            _ => {}
        }
        report
    }
}

/// The report on a problem whose numbers are not finite.
pub(crate) fn not_finite() -> Report {
    Report {
        status: Status::NumericalFailure,
        iterations: 0,
        pivots: 0,
        residual: Residual::INFINITE,
        regularization: 0.0,
    }
}
