//! Complementarity problems from arrays, solved by name and certified on the original data.

use crate::arrays::{MatrixLike, VectorLike, any_vector, matrix, vector};
use crate::attendant::{Attendance, Raised};
use crate::error::refuse;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::time::Instant;
use stiction_solvers::select::registry;
use stiction_solvers::select::registry::{AnySolver, Entry};
use stiction_solvers::select::robust::Attempt;
use stiction_solvers::{
    ActiveSet, AnyProblem, BoxLcp, Class, Cone, ConeNcp, Delassus, FactoredLcp, FrictionLaw, HistoryEntry,
    Lcp, Problem, Report, Solution, Start, Status,
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
    /// `Solved`, `MaxIterations`, `TimeLimit`, `Interrupted`, `Ray`, `Infeasible`, `Stalled` or `NumericalFailure`.
    status: String,
    /// The status in words.
    message: String,
    /// Iterations of an iterative method, rounds of a block method.
    nit: usize,
    /// Pivots of a pivoting method, factorizations of a method for cones.
    pivots: usize,
    /// Natural map of the answer on the original data, scaled (dimensionless).
    residual: f64,
    /// Name of the method.
    method: String,
    /// Which unknowns are inside their bounds (n booleans): a basis to start a like problem from.
    basis: Py<PyArray1<bool>>,
    /// The time of the solve (s).
    seconds: f64,
    /// Calls of the function, of problems that have one; differences are calls too.
    nfev: Option<usize>,
    /// Calls of its Jacobian, of problems that have one.
    njev: Option<usize>,
    /// What "robust" tried, in that order: dicts of `method`, `status`, `residual`, `nit`, `pivots` and `seconds`.
    tried: Py<PyList>,
    /// The proof of the status `Infeasible` where the method tells it: y (n) with y >= 0, M^T y <= 0 and q . y < 0.
    certificate: Option<Py<PyArray1<f64>>>,
    /// Iteration and residual (k x 2), if the method is asked for it by `history=true`.
    history: Py<PyArray2<f64>>,
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
        dict.set_item("basis", &self.basis)?;
        dict.set_item("seconds", self.seconds)?;
        dict.set_item("nfev", self.nfev)?;
        dict.set_item("njev", self.njev)?;
        dict.set_item("tried", &self.tried)?;
        dict.set_item("certificate", &self.certificate)?;
        dict.set_item("history", &self.history)?;
        Ok(dict)
    }
}

/// What a solve has to tell besides its answer and its report.
pub(crate) struct Account<'a> {
    pub(crate) method: &'a str,
    pub(crate) basis: ActiveSet,
    pub(crate) seconds: f64,
    /// Calls of the function and of its Jacobian.
    pub(crate) calls: Option<[usize; 2]>,
    pub(crate) tried: &'a [Attempt],
    pub(crate) certificate: &'a [f64],
    pub(crate) history: &'a [HistoryEntry],
}

impl PySolveResult {
    pub(crate) fn new(py: Python, x: Solution, report: &Report, account: &Account) -> PyResult<Self> {
        let message = match report.status {
            Status::Solved => "the answer is certified on the original data",
            Status::MaxIterations => "a limit on iterations or pivots stopped the solve",
            Status::TimeLimit => "the time allowed was over",
            Status::Interrupted => "the callback ended the solve",
            Status::Ray => "the method ran off along a ray: the problem may have no solution",
            Status::Infeasible => "the problem has no solution, and there is a proof",
            Status::Stalled => "no progress any more, short of the tolerance",
            _ => "the data are not finite, or rounding is beyond repair",
        };
        let basis = (0..x.z.len()).map(|i| account.basis.contains(i)).collect();
        let history: Vec<_> =
            account.history.iter().map(|entry| vec![entry.iteration as f64, entry.natural_map]).collect();
        let history = if history.is_empty() {
            PyArray2::zeros(py, [0, 2], false)
        } else {
            PyArray2::from_vec2(py, &history).map_err(refuse)?
        };
        let tried = PyList::empty(py);
        for Attempt { solver, report, seconds } in account.tried {
            let dict = PyDict::new(py);
            dict.set_item("method", solver)?;
            dict.set_item("status", format!("{:?}", report.status))?;
            dict.set_item("residual", report.residual.natural_map)?;
            dict.set_item("nit", report.iterations)?;
            dict.set_item("pivots", report.pivots)?;
            dict.set_item("seconds", seconds)?;
            tried.append(dict)?;
        }
        let certificate =
            (!account.certificate.is_empty()).then(|| PyArray1::from_slice(py, account.certificate).unbind());
        Ok(Self {
            z: PyArray1::from_vec(py, x.z).unbind(),
            w: PyArray1::from_vec(py, x.w).unbind(),
            success: report.status == Status::Solved,
            status: format!("{:?}", report.status),
            message: message.into(),
            nit: report.iterations,
            pivots: report.pivots,
            residual: report.residual.natural_map,
            method: account.method.into(),
            basis: PyArray1::from_vec(py, basis).unbind(),
            seconds: account.seconds,
            nfev: account.calls.map(|calls| calls[0]),
            njev: account.calls.map(|calls| calls[1]),
            tried: tried.unbind(),
            certificate,
            history: history.unbind(),
        })
    }
}

/// How a problem is to be solved.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Ask {
    /// Name of the method, and its settings.
    pub(crate) method: String,
    pub(crate) tol: f64,
    /// A guess (n).
    pub(crate) z0: Option<Vec<f64>>,
    /// The indices of the unknowns inside their bounds, to start from instead.
    pub(crate) basis: Option<Vec<usize>>,
    pub(crate) time_limit: Option<f64>,
    pub(crate) max_iterations: Option<usize>,
    pub(crate) callback: Option<Py<PyAny>>,
}

impl Ask {
    /// Checks what solvers do not.
    pub(crate) fn check(&self, n: usize) -> PyResult<()> {
        if let Some(seconds) = self.time_limit.filter(|seconds| seconds.is_nan() || *seconds < 0.0) {
            return Err(refuse(format!("time_limit {seconds}: a number of seconds, at least 0, is needed")));
        }
        if let Some(z0) = self.z0.as_ref().filter(|z0| z0.len() != n) {
            return Err(refuse(format!("the start has {} entries, {n} are needed", z0.len())));
        }
        if let Some(index) = self.basis.iter().flatten().find(|index| **index >= n) {
            return Err(refuse(format!("the basis has the index {index}, the problem only {n} unknowns")));
        }
        Ok(())
    }

    pub(crate) fn attendance(&mut self, method: &str, limit: Option<usize>) -> Attendance {
        Attendance { callback: self.callback.take(), limit, method: method.into() }
    }
}

/// The solver that is asked for; its own limit on the work is set if it has one, and returned for who attends it if not.
fn make(ask: &Ask, class: Class) -> PyResult<(&'static Entry, Box<dyn AnySolver + Send>, Option<usize>)> {
    let (entry, settings) = registry::parse(&ask.method).map_err(refuse)?;
    registry::find_for(entry.name, class).map_err(refuse)?;
    let plain = entry.make_with(ask.tol, settings).map_err(refuse)?;
    let Some(limit) = ask.max_iterations else { return Ok((entry, plain, None)) };
    for setting in ["max_iterations", "max_pivots"] {
        if let Ok(solver) = entry.make_with(ask.tol, &format!("{settings} {setting}={limit}")) {
            return Ok((entry, solver, None));
        }
    }
    Ok((entry, plain, Some(limit)))
}

/// Solves a problem as asked, without the interpreter lock.
fn solve(py: Python, problem: &AnyProblem, mut ask: Ask) -> PyResult<PySolveResult> {
    let n = problem.dim();
    let (entry, mut solver, limit) = make(&ask, problem.class())?;
    ask.check(n)?;
    if ask.time_limit.is_some() {
        solver.limit_time(ask.time_limit);
    }
    let mut x = Solution::new(n);
    let basis = ask.basis.take().map(|basis| ActiveSet::of(n, basis));
    let begin = match (&basis, ask.z0.take()) {
        (Some(basis), _) => Start::Basis(basis),
        (None, Some(z0)) => {
            x.z = z0;
            Start::Warm
        }
        (None, None) => Start::Cold,
    };
    let attendance = ask.attendance(entry.name, limit);
    let clock = Instant::now();
    let report =
        py.detach(|| attendance.attend(Raised::default(), || solver.solve(problem, begin, &mut x)))?;
    let seconds = clock.elapsed().as_secs_f64();
    let report = report.ok_or_else(|| refuse(format!("{} does not serve this problem", entry.name)))?;
    let account = Account {
        method: entry.name,
        basis: problem.active_set(&x),
        seconds,
        calls: None,
        tried: solver.tried(),
        certificate: solver.certificate(),
        history: solver.history(),
    };
    PySolveResult::new(py, x, &report, &account)
}

/// The square matrix and the vector of a linear problem.
fn linear(m: &MatrixLike, q: &VectorLike) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let q = any_vector(q);
    Ok((matrix("the matrix", m, [q.len(), q.len()])?, q))
}

/// Solves `0 <= z perp M z + q >= 0` with M (n x n) and q (n).
#[pyfunction]
#[pyo3(signature = (m, q, ask))]
pub(crate) fn solve_lcp(py: Python, m: MatrixLike, q: VectorLike, ask: Ask) -> PyResult<PySolveResult> {
    let (m, q) = linear(&m, &q)?;
    solve(py, &Lcp::new(m, q).map_err(refuse)?.into(), ask)
}

/// Solves the same with `M = Y Y^T`, which is never formed: Y (n x m) and q (n).
#[pyfunction]
#[pyo3(signature = (half, q, ask))]
pub(crate) fn solve_factored_lcp(
    py: Python,
    half: MatrixLike,
    q: VectorLike,
    ask: Ask,
) -> PyResult<PySolveResult> {
    let q = any_vector(&q);
    let columns = half.columns();
    let half = matrix("the factor", &half, [q.len(), columns])?;
    solve(py, &FactoredLcp::from_half(columns, half, q).map_err(refuse)?.into(), ask)
}

/// Solves `l <= z <= u`, `w = M z + q`, w >= 0 at the lower bound, <= 0 at the upper, = 0 between.
#[pyfunction]
#[pyo3(signature = (m, q, lower, upper, ask))]
pub(crate) fn solve_box_lcp(
    py: Python,
    m: MatrixLike,
    q: VectorLike,
    lower: VectorLike,
    upper: VectorLike,
    ask: Ask,
) -> PyResult<PySolveResult> {
    let (m, q) = linear(&m, &q)?;
    let (lower, upper) = (vector("lower", &lower, q.len())?, vector("upper", &upper, q.len())?);
    solve(py, &BoxLcp::new(m, q, lower, upper).map_err(refuse)?.into(), ask)
}

/// Solves a problem whose unknowns are free with an equation (`free[i]`) or nonnegative with complementarity.
#[pyfunction]
#[pyo3(signature = (m, q, free, ask))]
pub(crate) fn solve_mlcp(
    py: Python,
    m: MatrixLike,
    q: VectorLike,
    free: Vec<bool>,
    ask: Ask,
) -> PyResult<PySolveResult> {
    let (m, q) = linear(&m, &q)?;
    if free.len() != q.len() {
        return Err(refuse(format!("free has {} entries, {} are needed", free.len(), q.len())));
    }
    let lower = free.iter().map(|&free| if free { f64::NEG_INFINITY } else { 0.0 }).collect();
    let upper = vec![f64::INFINITY; q.len()];
    solve(py, &BoxLcp::new(m, q, lower, upper).map_err(refuse)?.into(), ask)
}

/// The contact problem of a Delassus matrix W (n x n), free velocities q (n), the laws of its blocks as JSON, compliances (n, or none),
/// and Coulomb's friction or its convex relaxation.
fn contacts(
    w: &MatrixLike,
    q: &VectorLike,
    cones: &str,
    compliance: Option<VectorLike>,
    law: &str,
) -> PyResult<ConeNcp> {
    let (w, q) = linear(w, q)?;
    let cones: Vec<Cone> = serde_json::from_str(cones).map_err(|error| refuse(format!("laws: {error}")))?;
    let law = match law {
        "coulomb" => FrictionLaw::Coulomb,
        "associated" => FrictionLaw::Associated,
        _ => return Err(refuse(format!("law {law:?} is unknown; there are: coulomb, associated"))),
    };
    let problem = ConeNcp::new(cones, Delassus::Dense(w), q).map_err(refuse)?.with_law(law);
    match compliance {
        Some(compliance) => problem.with_compliance(any_vector(&compliance)).map_err(refuse),
        None => Ok(problem),
    }
}

/// Solves contacts with exact friction cones: velocities `u = W r + q`, per contact normal first.
#[pyfunction]
#[pyo3(signature = (w, q, cones, compliance, law, ask))]
pub(crate) fn solve_cones(
    py: Python,
    w: MatrixLike,
    q: VectorLike,
    cones: &str,
    compliance: Option<VectorLike>,
    law: &str,
    ask: Ask,
) -> PyResult<PySolveResult> {
    solve(py, &contacts(&w, &q, cones, compliance, law)?.into(), ask)
}

/// The scaled natural map of impulses `r` (n) on the original data, whoever found them (dimensionless).
#[pyfunction]
#[pyo3(signature = (w, q, cones, compliance, law, r))]
pub(crate) fn residual_cones(
    w: MatrixLike,
    q: VectorLike,
    cones: &str,
    compliance: Option<VectorLike>,
    law: &str,
    r: VectorLike,
) -> PyResult<f64> {
    let problem = contacts(&w, &q, cones, compliance, law)?;
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
