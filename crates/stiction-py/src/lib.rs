//! `stiction._stiction`: the engine and the solvers as Python sees them.
//!
//! What is typed, documented and imported by users is the package `stiction` in `python/`; this module holds what must
//! be fast or needs the engine. Rules: arrays are NumPy's in double precision; wrong input is a `StictionError` in one
//! sentence; a solve or a step that does not converge raises nothing and says so in its report; whatever takes long
//! runs without the interpreter lock.

mod arrays;
mod attendant;
mod batch;
mod choice;
mod dynamics;
mod error;
mod mcp;
mod model;
mod report;
mod signals;
mod simulation;
mod snapshot;
mod solvers;

/// The engine and the solvers of stiction.
#[pyo3::pymodule]
mod _stiction {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrays::real;
    #[pymodule_export]
    use super::attendant::PySolveProgress;
    #[pymodule_export]
    use super::batch::{PyBatch, PyRollout, rollout};
    #[pymodule_export]
    use super::choice::default_settings;
    #[pymodule_export]
    use super::dynamics::{
        bias_forces, delassus, difference, forward_dynamics, forward_kinematics, integrate, inverse_dynamics,
        jacobian, mass_matrix,
    };
    #[pymodule_export]
    use super::error::StictionError;
    #[pymodule_export]
    use super::mcp::solve_mcp;
    #[pymodule_export]
    use super::model::PyModel;
    #[pymodule_export]
    use super::report::{PyCertificate, PyStepReport, PyWork};
    #[pymodule_export]
    use super::simulation::PySimulation;
    #[pymodule_export]
    use super::snapshot::PySnapshot;
    #[pymodule_export]
    use super::solvers::{
        PySolveResult, residual_cones, solve_box_lcp, solve_cones, solve_factored_lcp, solve_lcp, solve_mlcp,
        solvers,
    };

    /// Version of the package.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
