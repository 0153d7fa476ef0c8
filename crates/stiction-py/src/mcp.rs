//! Nonlinear complementarity problems whose function is a Python callable.

use crate::arrays::{VectorLike, any_vector, vector};
use crate::error::refuse;
use crate::solvers::{PySolveResult, check_time};
use numpy::{PyArray1, PyArrayLike1, PyArrayLike2};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use stiction_solvers::{
    FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Mcp, Path, PathSettings, Robust, RobustSettings, Smooth,
    Solution, Solver, SolverError, Start,
};

/// A Python function and its Jacobian. What they raise is kept and raised again when the solve is over; until then the
/// solver sees NaN.
struct Callback {
    function: Py<PyAny>,
    jacobian: Option<Py<PyAny>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    raised: RefCell<Option<PyErr>>,
}

/// Relative step of the central differences that stand in for a missing Jacobian: the cube root of the rounding.
const DIFFERENCE: f64 = 6e-6;

/// The same of one-sided differences, at a bound or at the edge of the domain: the square root.
const ONE_SIDED: f64 = 1.5e-8;

impl Callback {
    /// Calls a function of a point, whose answer must be an array of `out.len()` numbers.
    fn call(&self, function: &Py<PyAny>, what: &str, z: &[f64], out: &mut [f64]) {
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
        let mut here = vec![0.0; z.len()];
        self.value(z, &mut here);
        for j in 0..z.len() {
            self.differences(z, j, &here, jacobian);
        }
    }
}

impl Shared {
    /// Writes column `j`: central differences, one-sided ones where a bound is near or the function is not defined on the
    /// other side, NaN where it is defined on neither. `here` is the value at `z`.
    fn differences(&self, z: &[f64], j: usize, here: &[f64], jacobian: &mut [f64]) {
        let n = z.len();
        let size = z[j].abs().max(1.0);
        let mut at = z.to_vec();
        let bounds = self.0.lower[j]..=self.0.upper[j];
        // The value at another z_j, within the bounds unless z_j is outside, if it is defined there.
        let mut value = |step: f64| {
            at[j] = z[j] + step;
            if (bounds.contains(&z[j]) && !bounds.contains(&at[j])) || at[j] == z[j] {
                return None;
            }
            let mut value = vec![0.0; n];
            self.value(&at, &mut value);
            value.iter().all(|v| v.is_finite()).then_some((at[j], value))
        };
        let central = DIFFERENCE * size;
        let ends = value(central).zip(value(-central)).or_else(|| {
            let [up, down] = [ONE_SIDED * size, -ONE_SIDED * size];
            value(up).or_else(|| value(down)).map(|end| (end, (z[j], here.to_vec())))
        });
        // An unknown whose bounds leave no room for a step is no unknown.
        let fixed = self.0.upper[j] - self.0.lower[j] < ONE_SIDED * size;
        for i in 0..n {
            jacobian[i * n + j] = match &ends {
                Some(((up, above), (down, below))) => (above[i] - below[i]) / (up - down),
                None if fixed => 0.0,
                None => f64::NAN,
            };
        }
    }
}

/// Solves `l <= z <= u` with `F(z) >= 0` at the lower bound, `<= 0` at the upper, `= 0` between them.
#[pyfunction]
#[pyo3(signature = (fun, z0, jac, lower, upper, method, tol, time_limit))]
#[allow(clippy::too_many_arguments, reason = "the Python function in front of it names them")]
pub(crate) fn solve_mcp(
    py: Python,
    fun: Py<PyAny>,
    z0: VectorLike,
    jac: Option<Py<PyAny>>,
    lower: VectorLike,
    upper: VectorLike,
    method: &str,
    tol: f64,
    time_limit: Option<f64>,
) -> PyResult<PySolveResult> {
    let z = any_vector(&z0);
    let (lower, upper) = (vector("lower", &lower, z.len())?, vector("upper", &upper, z.len())?);
    let mut solver = solver(method, tol)?;
    check_time(time_limit)?;
    solver.limit_time(time_limit);
    let raised = RefCell::new(None);
    let callback =
        Callback { function: fun, jacobian: jac, lower: lower.clone(), upper: upper.clone(), raised };
    let callback = Rc::new(callback);
    let raised = |error: SolverError| callback.raised.borrow_mut().take().unwrap_or_else(|| refuse(error));
    let problem = Mcp::new(Shared(callback.clone()), lower, upper).map_err(raised)?;
    let mut x = Solution { w: vec![0.0; z.len()], z };
    let report = solver.solve(&problem, Start::Warm, &mut x);
    match callback.raised.take() {
        Some(error) => Err(error),
        None => Ok(PySolveResult::new(py, x, &report, method)),
    }
}

/// The solver of this name, of those that take a function.
fn solver(method: &str, tolerance: f64) -> PyResult<Box<dyn Solver<Mcp<Shared>>>> {
    Ok(match method {
        "robust" => {
            let settings = RobustSettings { tolerance, ..Default::default() };
            Box::new(Robust::<Mcp<Shared>>::new(settings).map_err(refuse)?)
        }
        "path" => Box::new(Path::new(PathSettings { tolerance, ..Default::default() }).map_err(refuse)?),
        "fb-plm" => Box::new(FbPlm::new(FbPlmSettings { tolerance, ..Default::default() }).map_err(refuse)?),
        "fb-rlm" => Box::new(FbRlm::new(FbRlmSettings { tolerance, ..Default::default() }).map_err(refuse)?),
        _ => {
            let known = "robust, path, fb-plm, fb-rlm";
            return Err(refuse(format!("no solver {method:?} takes a function; these do: {known}")));
        }
    })
}
