//! Nonlinear complementarity problems whose function is a Python callable.

use crate::arrays::{VectorLike, any_vector, vector};
use crate::attendant::Raised;
use crate::error::refuse;
use crate::solvers::{Account, Ask, PySolveResult};
use numpy::{PyArray1, PyArrayLike1, PyArrayLike2};
use pyo3::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;
use stiction_solvers::select::robust::Attempt;
use stiction_solvers::{
    ActiveSet, Bounded, BoxLcpSolver, Differences, FbPlm, FbRlm, HistoryEntry, Mcp, Path, Robust, Smooth,
    Solution, Solver, Start,
};

/// A Python function and its Jacobian. What they raise is kept and raised again when the solve is over, which ends it; until
/// then the solver sees NaN, and they are not called again.
struct Callback {
    function: Py<PyAny>,
    jacobian: Option<Py<PyAny>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    raised: Raised,
    /// Calls of the function and of the Jacobian.
    calls: [Cell<usize>; 2],
}

impl Callback {
    /// Calls a function of a point, whose answer must be an array of `out.len()` numbers.
    fn call(&self, function: &Py<PyAny>, what: &str, z: &[f64], out: &mut [f64]) {
        if self.raised.borrow().is_some() {
            return out.fill(f64::NAN);
        }
        let calls = &self.calls[usize::from(what == "jac")];
        calls.set(calls.get() + 1);
        let called = Python::attach(|py| -> PyResult<()> {
            let answer = function.call1(py, (PyArray1::from_slice(py, z),))?;
            let answer = answer.bind(py);
            let numbers: Vec<f64> = if what == "jac" {
                let array = answer.extract::<PyArrayLike2<f64, numpy::AllowTypeChange>>()?;
                array.as_array().iter().copied().collect()
            } else {
                let array = answer.extract::<PyArrayLike1<f64, numpy::AllowTypeChange>>()?;
                array.as_array().iter().copied().collect()
            };
            if numbers.len() != out.len() {
                return Err(refuse(format!(
                    "{what} returned {} numbers, {} are needed",
                    numbers.len(),
                    out.len()
                )));
            }
            out.copy_from_slice(&numbers);
            Ok(())
        });
        if let Err(error) = called {
            out.fill(f64::NAN);
            self.raised.borrow_mut().get_or_insert(error);
        }
    }
}

/// The same, for a problem and its caller to share.
struct Shared(Rc<Callback>);

impl Smooth for Shared {
    fn dim(&self) -> usize {
        self.0.lower.len()
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        self.0.call(&self.0.function, "fun", z, f);
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        if let Some(function) = &self.0.jacobian {
            return self.0.call(function, "jac", z, jacobian);
        }
        let value = |z: &[f64], f: &mut [f64]| self.value(z, f);
        Differences::new(self.0.lower.clone(), self.0.upper.clone(), value).jacobian(z, jacobian);
    }
}

/// Solves `l <= z <= u` with `F(z) >= 0` at the lower bound, `<= 0` at the upper, `= 0` between them.
#[pyfunction]
#[pyo3(signature = (fun, z0, jac, lower, upper, ask))]
pub(crate) fn solve_mcp(
    py: Python,
    fun: Py<PyAny>,
    z0: VectorLike,
    jac: Option<Py<PyAny>>,
    lower: VectorLike,
    upper: VectorLike,
    mut ask: Ask,
) -> PyResult<PySolveResult> {
    let z = any_vector(&z0);
    let n = z.len();
    let (lower, upper) = (vector("lower", &lower, n)?, vector("upper", &upper, n)?);
    let mut solver = Chosen::new(&ask)?;
    ask.check(n)?;
    if ask.time_limit.is_some() {
        solver.any().limit_time(ask.time_limit);
    }
    let raised = Raised::default();
    let callback = Rc::new(Callback {
        function: fun,
        jacobian: jac,
        lower: lower.clone(),
        upper: upper.clone(),
        raised: raised.clone(),
        calls: Default::default(),
    });
    let problem = Mcp::new(Shared(callback.clone()), lower, upper).map_err(refuse)?;
    let mut x = Solution { w: vec![0.0; n], z };
    let basis = ask.basis.take().map(|basis| ActiveSet::of(n, basis));
    let begin = basis.as_ref().map_or(Start::Warm, Start::Basis);
    let method = solver.name;
    let attendance = ask.attendance(method, solver.limit);
    let clock = Instant::now();
    let report = attendance.attend(raised, || Some(solver.any().solve(&problem, begin, &mut x)))?;
    let seconds = clock.elapsed().as_secs_f64();
    let report = report.ok_or_else(|| refuse(format!("{method} does not serve this problem")))?;
    let account = Account {
        method,
        basis: ActiveSet::of_answer(&x, |i| problem.bounds(i)),
        seconds,
        calls: Some([callback.calls[0].get(), callback.calls[1].get()]),
        tried: solver.tried(),
        certificate: &[],
        history: solver.history(),
    };
    PySolveResult::new(py, x, &report, &account)
}

/// A solver of those that take a function.
struct Chosen {
    name: &'static str,
    solver: Kind,
    /// A limit on the iterations that the solver does not have itself.
    limit: Option<usize>,
}

enum Kind {
    Robust(Box<Robust<Mcp<Shared>>>),
    Other(Box<dyn Solver<Mcp<Shared>>>),
}

impl Chosen {
    /// The solver of this name, with its settings.
    fn new(ask: &Ask) -> PyResult<Chosen> {
        let own = ask.method.contains("tolerance=");
        let tol = if own { String::new() } else { format!(" tolerance={:?}", ask.tol) };
        let name = ask.method.split_whitespace().next().unwrap_or_default();
        if !["robust", "path", "fb-plm", "fb-rlm"].contains(&name) {
            let known = "robust, path, fb-plm, fb-rlm";
            return Err(refuse(format!("no solver {name:?} takes a function; these do: {known}")));
        }
        let limit = match ask.max_iterations {
            Some(limit) if name != "robust" => format!(" max_iterations={limit}"),
            _ => String::new(),
        };
        let choice: BoxLcpSolver = format!("{}{tol}{limit}", ask.method).parse().map_err(refuse)?;
        let solver = match &choice {
            BoxLcpSolver::Robust(settings) => {
                Kind::Robust(Box::new(Robust::new(settings.clone()).map_err(refuse)?))
            }
            BoxLcpSolver::Path(settings) => Kind::Other(Box::new(Path::new(*settings).map_err(refuse)?)),
            BoxLcpSolver::FbPlm(settings) => Kind::Other(Box::new(FbPlm::new(*settings).map_err(refuse)?)),
            BoxLcpSolver::FbRlm(settings) => Kind::Other(Box::new(FbRlm::new(*settings).map_err(refuse)?)),
            other => return Err(refuse(format!("{} takes no function", other.name()))),
        };
        let limit = ask.max_iterations.filter(|_| name == "robust");
        Ok(Chosen { name: choice.name(), solver, limit })
    }

    fn any(&mut self) -> &mut dyn Solver<Mcp<Shared>> {
        match &mut self.solver {
            Kind::Robust(solver) => solver.as_mut(),
            Kind::Other(solver) => solver.as_mut(),
        }
    }

    fn tried(&self) -> &[Attempt] {
        match &self.solver {
            Kind::Robust(solver) => solver.tried(),
            Kind::Other(_) => &[],
        }
    }

    fn history(&self) -> &[HistoryEntry] {
        match &self.solver {
            Kind::Robust(_) => &[],
            Kind::Other(solver) => solver.history(),
        }
    }
}
