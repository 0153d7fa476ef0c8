//! Complementarity problems from arrays, solved by name and certified on the original data.

use crate::arrays::{MatrixLike, VectorLike, any_vector, matrix, vector};
use crate::error::refuse;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction_solvers::select::registry;
use stiction_solvers::{
    AnyProblem, BoxLcp, Class, Cone, ConeNcp, Delassus, FrictionLaw, Lcp, Problem, Report, Solution, Start,
    Status,
};

/// The answer of a solver. `z` solves the problem as well as `residual` says, whatever `success`.
#[pyclass(module = "stiction._stiction", name = "SolveResult", frozen, get_all)]
pub(crate) struct PySolveResult {
    /// The unknowns (n); of contact problems the impulses.
    z: Py<PyArray1<f64>>,
    /// The problem's function of them (n), `M z + q`; of contact problems the velocities.
    w: Py<PyArray1<f64>>,
    /// Whether the answer is certified: its residual is within the tolerance or within rounding.
    success: bool,
    /// `Solved`, `MaxIterations`, `Ray`, `Infeasible`, `Stalled` or `NumericalFailure`.
    status: String,
    /// The status in words.
    message: String,
    /// Iterations of an iterative method, rounds of a block method.
    nit: usize,
    /// Pivots of a pivoting method.
    pivots: usize,
    /// Natural map of the answer on the original data, scaled (dimensionless).
    residual: f64,
    /// Name of the method.
    method: String,
}

#[pymethods]
impl PySolveResult {
    fn __repr__(&self) -> String {
        let PySolveResult { status, nit, pivots, residual, method, .. } = self;
        format!(
            "<stiction.SolveResult: {status} by {method}, residual {residual:.1e}, nit = {nit}, pivots = {pivots}>"
        )
    }

    /// All attributes by name.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("z", &self.z)?;
        dict.set_item("w", &self.w)?;
        dict.set_item("success", self.success)?;
        dict.set_item("status", &self.status)?;
        dict.set_item("message", &self.message)?;
        dict.set_item("nit", self.nit)?;
        dict.set_item("pivots", self.pivots)?;
        dict.set_item("residual", self.residual)?;
        dict.set_item("method", &self.method)?;
        Ok(dict)
    }
}

impl PySolveResult {
    pub(crate) fn new(py: Python, x: Solution, report: &Report, method: &str) -> Self {
        let message = match report.status {
            Status::Solved => "the answer is certified on the original data",
            Status::MaxIterations => "a limit on iterations or pivots stopped the solve",
            Status::TimeLimit => "the time allowed was over",
            Status::Ray => "the method ran off along a ray: the problem may have no solution",
            Status::Infeasible => "the problem has no solution, and there is a proof",
            Status::Stalled => "no progress any more, short of the tolerance",
            _ => "the data are not finite, or rounding is beyond repair",
        };
        Self {
            z: PyArray1::from_vec(py, x.z).unbind(),
            w: PyArray1::from_vec(py, x.w).unbind(),
            success: report.status == Status::Solved,
            status: format!("{:?}", report.status),
            message: message.into(),
            nit: report.iterations,
            pivots: report.pivots,
            residual: report.residual.natural_map,
            method: method.into(),
        }
    }
}

/// Solves a problem by the method of this name, without the interpreter lock.
fn solve(
    py: Python,
    problem: &AnyProblem,
    (method, tol, time_limit): (&str, f64, Option<f64>),
    start: Option<VectorLike>,
) -> PyResult<PySolveResult> {
    let (entry, settings) = registry::parse(method).map_err(refuse)?;
    registry::find_for(entry.name, problem.class()).map_err(refuse)?;
    let mut solver = entry.make_with(tol, settings).map_err(refuse)?;
    check_time(time_limit)?;
    if time_limit.is_some() {
        solver.limit_time(time_limit);
    }
    let mut x = Solution::new(problem.dim());
    let mut begin = Start::Cold;
    if let Some(start) = start {
        x.z = vector("the start", &start, problem.dim())?;
        begin = Start::Warm;
    }
    let report = py.detach(|| solver.solve(problem, begin, &mut x));
    let report = report.ok_or_else(|| refuse(format!("{method} does not serve this problem")))?;
    Ok(PySolveResult::new(py, x, &report, entry.name))
}

/// A time (s) that a solve may take.
pub(crate) fn check_time(seconds: Option<f64>) -> PyResult<()> {
    match seconds {
        Some(seconds) if seconds.is_nan() || seconds < 0.0 => {
            Err(refuse(format!("time_limit {seconds}: a number of seconds, at least 0, is needed")))
        }
        _ => Ok(()),
    }
}

/// The square matrix and the vector of a linear problem.
fn linear(m: &MatrixLike, q: &VectorLike) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let q = any_vector(q);
    Ok((matrix("the matrix", m, [q.len(), q.len()])?, q))
}

/// Solves `0 <= z perp M z + q >= 0` with M (n x n) and q (n).
#[pyfunction]
#[pyo3(signature = (m, q, method, tol, z0, time_limit))]
pub(crate) fn solve_lcp(
    py: Python,
    m: MatrixLike,
    q: VectorLike,
    method: &str,
    tol: f64,
    z0: Option<VectorLike>,
    time_limit: Option<f64>,
) -> PyResult<PySolveResult> {
    let (m, q) = linear(&m, &q)?;
    solve(py, &Lcp::new(m, q).map_err(refuse)?.into(), (method, tol, time_limit), z0)
}

/// Solves `l <= z <= u`, `w = M z + q`, w >= 0 at the lower bound, <= 0 at the upper, = 0 between.
#[pyfunction]
#[pyo3(signature = (m, q, lower, upper, method, tol, z0, time_limit))]
#[allow(clippy::too_many_arguments, reason = "the Python function in front of it names them")]
pub(crate) fn solve_box_lcp(
    py: Python,
    m: MatrixLike,
    q: VectorLike,
    lower: VectorLike,
    upper: VectorLike,
    method: &str,
    tol: f64,
    z0: Option<VectorLike>,
    time_limit: Option<f64>,
) -> PyResult<PySolveResult> {
    let (m, q) = linear(&m, &q)?;
    let (lower, upper) = (vector("lower", &lower, q.len())?, vector("upper", &upper, q.len())?);
    solve(py, &BoxLcp::new(m, q, lower, upper).map_err(refuse)?.into(), (method, tol, time_limit), z0)
}

/// Solves a problem whose unknowns are free with an equation (`free[i]`) or nonnegative with complementarity.
#[pyfunction]
#[pyo3(signature = (m, q, free, method, tol, z0, time_limit))]
#[allow(clippy::too_many_arguments, reason = "the Python function in front of it names them")]
pub(crate) fn solve_mlcp(
    py: Python,
    m: MatrixLike,
    q: VectorLike,
    free: Vec<bool>,
    method: &str,
    tol: f64,
    z0: Option<VectorLike>,
    time_limit: Option<f64>,
) -> PyResult<PySolveResult> {
    let (m, q) = linear(&m, &q)?;
    if free.len() != q.len() {
        return Err(refuse(format!("free has {} entries, {} are needed", free.len(), q.len())));
    }
    let lower = free.iter().map(|&free| if free { f64::NEG_INFINITY } else { 0.0 }).collect();
    let upper = vec![f64::INFINITY; q.len()];
    solve(py, &BoxLcp::new(m, q, lower, upper).map_err(refuse)?.into(), (method, tol, time_limit), z0)
}

/// The contact problem of a Delassus matrix W (n x n), free velocities q (n) and friction coefficients.
fn contacts(w: &MatrixLike, q: &VectorLike, mu: &VectorLike, law: &str) -> PyResult<ConeNcp> {
    let (w, q) = linear(w, q)?;
    let mu = any_vector(mu);
    let dim = if mu.is_empty() { 3 } else { q.len() / mu.len() };
    if dim * mu.len() != q.len() || !(mu.is_empty() || (2..=3).contains(&dim)) {
        let (rows, count) = (q.len(), mu.len());
        return Err(refuse(format!(
            "{rows} rows are not those of {count} contacts: each has three, normal first, or in the plane two"
        )));
    }
    let cone = |&mu: &f64| if mu == f64::INFINITY { Cone::NoSlip { dim } } else { Cone::Coulomb { dim, mu } };
    let law = match law {
        "coulomb" => FrictionLaw::Coulomb,
        "associated" => FrictionLaw::Associated,
        _ => return Err(refuse(format!("law {law:?} is unknown; there are: coulomb, associated"))),
    };
    let problem = ConeNcp::new(mu.iter().map(cone).collect(), Delassus::Dense(w), q).map_err(refuse)?;
    Ok(problem.with_law(law))
}

/// Solves contacts with exact friction cones: velocities `u = W r + q`, per contact normal first.
#[pyfunction]
#[pyo3(signature = (w, q, mu, law, method, tol, r0, time_limit))]
#[allow(clippy::too_many_arguments, reason = "the Python function in front of it names them")]
pub(crate) fn solve_ncp(
    py: Python,
    w: MatrixLike,
    q: VectorLike,
    mu: VectorLike,
    law: &str,
    method: &str,
    tol: f64,
    r0: Option<VectorLike>,
    time_limit: Option<f64>,
) -> PyResult<PySolveResult> {
    solve(py, &contacts(&w, &q, &mu, law)?.into(), (method, tol, time_limit), r0)
}

/// The scaled natural map of impulses `r` (n) on the original data, whoever found them (dimensionless).
#[pyfunction]
#[pyo3(signature = (w, q, mu, r, law))]
pub(crate) fn residual_ncp(
    w: MatrixLike,
    q: VectorLike,
    mu: VectorLike,
    r: VectorLike,
    law: &str,
) -> PyResult<f64> {
    let problem = contacts(&w, &q, &mu, law)?;
    let z = vector("r", &r, problem.dim())?;
    Ok(problem.residual(&Solution { z, w: Vec::new() }).natural_map)
}

/// Names of the solvers with what they are good for and the classes of problems they serve.
#[pyfunction]
pub(crate) fn solvers(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entries = registry::SOLVERS.iter().map(|entry| {
        let dict = PyDict::new(py);
        dict.set_item("name", entry.name)?;
        dict.set_item("about", entry.about)?;
        dict.set_item("classes", entry.classes.iter().map(Class::to_string).collect::<Vec<_>>())?;
        Ok(dict)
    });
    entries.collect()
}
